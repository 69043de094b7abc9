import { describe, expect, it } from 'bun:test';
import { fail } from './core/errors.ts';
import type { JsonObject } from './core/json.ts';
import { limits } from './core/limits.ts';
import { readEnv } from './env.ts';
import { createFront, type Part, type Parts } from './front.ts';
import { readBytes } from './http/body.ts';
import { ConsoleBodies } from './http/console-bodies.ts';
import { contextOf } from './http/context.ts';
import { LargeAnswers } from './http/large-answers.ts';
import { OpenAnswers } from './http/open-answers.ts';
import { refusal } from './http/refusal.ts';
import { BodyBudget } from './platform/body-budget.ts';
import { createCutList } from './platform/cut.ts';
import { createLogger } from './platform/logger.ts';
import { Metrics, prometheusText } from './platform/metrics.ts';
import { Stopping } from './platform/stopping.ts';
import { streamAnswer } from './platform/streamed.ts';

const MIB = 1024 * 1024;

const named = (name: string): Part => ({
  fetch: () => new Response(name, { headers: { 'content-length': String(name.length) } }),
});

/** Answers at which address it was asked. */
const atAddress: Part = { fetch: ({ url }) => new Response(url.slice(url.indexOf('/', 8))) };

function setUp(over: Partial<Parts> = {}, openFiles = 1_024) {
  const lines: JsonObject[] = [];
  const metrics = new Metrics();
  const stopping = new Stopping();
  const log = createLogger('info', (line) => lines.push(JSON.parse(line)));
  const parts = {
    probes: named('probes'),
    description: named('description'),
    api: named('api'),
    relay: named('relay'),
    playground: named('playground'),
    pages: named('pages'),
    ...over,
  };
  const rooms = {
    answersHeld: new BodyBudget(MIB),
    answersByNetwork: new BodyBudget(MIB),
    cut: createCutList(stopping),
  };
  const large = new LargeAnswers(rooms, stopping);
  const openAnswers = new OpenAnswers(openFiles);
  const front = createFront(parts, {
    ...{ env: readEnv({}), log, metrics, stopping, large, openAnswers },
    ownShareOf: async ({ request }) => request.headers.get('x-known'),
  });
  const ask = async (path: string, headers = {}, method = 'GET') =>
    front(new Request(`http://localhost${path}`, { headers, method }), null);
  return { ask, front, lines, metrics, stopping };
}

/** Written as it is made. */
const stream = (type: string): Response =>
  streamAnswer(
    {
      written: Promise.resolve(),
      write: async (sink) => {
        sink.write('in ');
        sink.write('pieces');
        return null;
      },
      cancel: () => undefined,
    },
    { headers: { 'content-type': type } },
  );

describe('the front door', () => {
  it.each([
    ['/healthz', 'probes'],
    ['/readyz', 'probes'],
    ['/metrics', 'probes'],
    ['/openapi.json', 'description'],
    ['/api/status', 'api'],
    ['/api', 'api'],
    ['/v1/chat/completions', 'relay'],
    ['/v1', 'relay'],
    ['/v1beta/models/gemini:generateContent', 'relay'],
    ['/api/usage/token/', 'relay'],
    ['/api/usage/tokens', 'api'],
    ['/dashboard/billing/usage', 'relay'],
    ['/mcp/search', 'relay'],
    ['/mcpx', 'pages'],
    ['/constructor', 'pages'],
    ['/__proto__/x', 'pages'],
    ['/pg/chat/completions', 'playground'],
    ['/apiary', 'pages'],
    ['/', 'pages'],
    ['/login?next=/api/status', 'pages'],
  ])('sends %s to its part', async (path, part) => {
    expect(await (await setUp().ask(path)).text()).toBe(part);
  });

  // Clients put `/v1/…` behind an address that ends in a slash.
  it.each([
    ['POST', '//v1/chat/completions', '/v1/chat/completions'],
    ['POST', '/v1//chat///completions', '/v1/chat/completions'],
    ['GET', '//v1beta//models?key=//x', '/v1beta/models?key=//x'],
    ['GET', '//healthz', '/healthz'],
  ])('hands %s %s on to who answers machines as %s', async (method, path, read) => {
    const { ask } = setUp({ relay: atAddress, probes: atAddress });
    expect(await (await ask(path, {}, method)).text()).toBe(read);
  });

  it.each([
    ['//', '/'],
    ['/login//?next=//evil.example', '/login/?next=//evil.example'],
    ['//evil.example/%2f/x', '/evil.example/%2f/x'],
    ['/\\\\evil.example', '/evil.example'],
    ['/\t/evil.example', '/evil.example'],
    ['/.//..//evil.example//', '/evil.example/'],
    ['/a/%2e%2e//evil.example', '/evil.example'],
    ['//api/status', '/api/status'],
    ['//openapi.json', '/openapi.json'],
  ])('leads who reads %s to %s, on this site', async (path, location) => {
    for (const method of ['GET', 'HEAD']) {
      const answer = await setUp().ask(path, {}, method);
      expect([answer.status, answer.headers.get('location'), await answer.text()]).toEqual([
        307,
        location,
        '',
      ]);
    }
  });

  it.each([
    ['GET', '/api//status', 'application/json'],
    ['POST', '//api/user/login', 'application/json'],
    ['POST', '//login', 'text/html'],
  ])('knows no %s %s, and has a line for it', async (method, path, type) => {
    const { ask, lines } = setUp();
    const answer = await ask(path, {}, method);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, expect.stringContaining(type)]);
    expect(lines).toMatchObject([{ path: path.replace('//', '/'), status: 404 }]);
  });

  it.each([
    ['/api/status', 'success', false],
    ['/api/oauth/authorize', 'code', 'invalid_request'],
    ['/v1/chat/completions', 'error', { code: 'invalid_request' }],
    ['/v1beta/models', 'error', { status: 'INVALID_ARGUMENT' }],
    ['//v1beta//models', 'error', { status: 'INVALID_ARGUMENT' }],
    ['/pg/chat/completions', 'error', { code: 'invalid_request' }],
    ['/openapi.json', 'code', 'invalid_request'],
    ['/healthz', 'code', 'invalid_request'],
  ])('hands on no address of %s with more names than any has', async (path, name, told) => {
    const { ask } = setUp();
    const names = Array.from({ length: limits.addressNames }, (_, n) => `n${n}`);
    expect((await ask(`${path}?${names.join('&')}`)).status).toBe(200);
    // The router finds names before the query, too.
    for (const address of [`${path}?${names.join('&')}&a=1`, `${path}/x&${names.join('&')}?a`]) {
      const answer = await ask(address);
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([400, expect.any(String)]);
      expect(await answer.json()).toMatchObject({ [name]: told });
    }
  });

  it('shows a person that an address has too many names', async () => {
    const answer = await setUp().ask(`/login?${'&'.repeat(limits.addressNames)}`, {
      'accept-language': 'en',
    });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([400, 'text/html; charset=utf-8']);
    expect(await answer.text()).toContain('The address has too many parameters');
  });

  it.each([
    ['api', '/api/status'],
    ['pages', '/login'],
    ['relay', '/v1/models'],
    ['playground', '/pg/chat/completions'],
  ])('logs and counts an address of the %s with too many names, too', async (surface, path) => {
    const { ask, lines, metrics, stopping } = setUp();
    const answer = await ask(`${path}?${'&'.repeat(limits.addressNames)}`);
    expect(lines).toMatchObject([{ path, status: 400, request_id: answer.headers.get('x-request-id') }]);
    const text = prometheusText([metrics.snapshot()]);
    expect(text).toContain(`tollgate_requests_total{surface="${surface}",status="400"} 1\n`);
    expect(stopping.open).toBe(0);
  });

  it('logs each request in one line, without its query, and counts it', async () => {
    const { ask, lines, metrics } = setUp();
    await ask('/api/log/self?token=secret');
    expect(lines).toEqual([
      {
        time: expect.any(String),
        level: 'info',
        event: 'request',
        method: 'GET',
        path: '/api/log/self',
        status: 200,
        ms: expect.any(Number),
        bytes: 3,
        request_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        ip: '127.0.0.1',
      },
    ]);
    const text = prometheusText([metrics.snapshot()]);
    expect(text).toContain('tollgate_requests_total{surface="api",status="200"} 1\n');
  });

  it('does not log the questions of machines', async () => {
    const { ask, lines } = setUp();
    await ask('/readyz');
    expect(lines).toEqual([]);
  });

  it('masks what a part throws, and logs it', async () => {
    const broken: Part = { fetch: () => Promise.reject(new Error('the secret reason')) };
    const { ask, lines } = setUp({ api: broken });
    const answer = await ask('/api/status', { 'accept-language': 'en' });
    expect(answer.status).toBe(500);
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({ success: false, code: 'INTERNAL' });
    expect(text).not.toContain('secret reason');
    expect(JSON.stringify(lines)).toContain('the secret reason');
  });

  it('refuses work once the process stops, closes the connection, and still answers machines', async () => {
    const { ask, stopping } = setUp();
    await stopping.begin(0);
    for (const [path, type] of [
      ['/api/status', 'application/json'],
      ['/login', 'text/plain'],
    ] as const) {
      const answer = await ask(path);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('connection')).toBe('close');
      expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
      expect(answer.headers.get('content-type')).toStartWith(type);
    }
    expect(await (await ask('/healthz')).text()).toBe('probes');
  });

  describe('answers under way', () => {
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    /** Asks of one network until it is refused; how often that went well. */
    const fill = async (ask: ReturnType<typeof setUp>['ask'], path: string, ip: string) => {
      for (let asked = 0; ; asked++) {
        const refused = await Promise.race([ask(path, from(ip)), Bun.sleep(0).then(() => null)]);
        if (refused === null) continue;
        expect([refused.status, Number(refused.headers.get('retry-after'))]).toEqual([503, 2]);
        return asked;
      }
    };

    it.each(['/api/user/self', '/login', '/v1/models', '/openapi.json'])(
      'are bounded by network, so that others are answered: %s',
      async (path) => {
        const held = Promise.withResolvers<Response>();
        const waiting: Part = { fetch: async () => (await held.promise).clone() };
        const { ask } = setUp({ api: waiting, pages: waiting, relay: waiting, description: waiting }, 800);
        // Of a hundred, twelve of which are for who is known.
        expect(await fill(ask, path, '192.0.2.1')).toBe(66);
        const others = ask(path, from('192.0.2.2'));
        expect(await (await ask('/healthz', from('192.0.2.1'))).text()).toBe('probes');
        held.resolve(new Response('done'));
        expect(await (await others).text()).toBe('done');
        await Bun.sleep(0);
        expect(await (await ask(path, from('192.0.2.1'))).text()).toBe('done');
      },
    );

    it.each(['/api/user/self', '/login', '/v1/models'])(
      'are some of who is known where his network has no more: %s',
      async (path) => {
        const held = Promise.withResolvers<Response>();
        const waiting: Part = { fetch: async () => (await held.promise).clone() };
        const { ask } = setUp({ api: waiting, pages: waiting, relay: waiting }, 800);
        await fill(ask, path, '192.0.2.1');
        const known = ['a', 'a', 'a', 'b'].map((who) => ask(path, { ...from('192.0.2.1'), 'x-known': who }));
        expect((await ask(path, { ...from('192.0.2.1'), 'x-known': 'a' })).status).toBe(503);
        held.resolve(new Response('done'));
        expect((await Promise.all(known)).map(({ status }) => status)).toEqual([200, 200, 200, 200]);
      },
    );

    it('have no place while their bodies come, and then one where there is one', async () => {
      const bodies = new ConsoleBodies();
      const context = contextOf(new Request('http://localhost/'), readEnv({}));
      const held = Promise.withResolvers<Response>();
      const api: Part = {
        fetch: async (request) => {
          if (request.method === 'GET') return (await held.promise).clone();
          const read = readBytes(request, context, bodies);
          return read.then(() => new Response('done')).catch(({ code }) => refusal(fail(code), context));
        },
      };
      const { ask, front } = setUp({ api }, 16);
      const send = async () => {
        const { open } = bodies.coming;
        const { readable, writable } = new TransformStream();
        const request = new Request('http://localhost/api/user/login', { method: 'POST', body: readable });
        const answer = Promise.resolve(front(request, null));
        for (let n = 0; bodies.coming.open === open && n < 100; n++) await Bun.sleep(0);
        return { answer, end: () => writable.close() };
      };
      const [first, second] = [await send(), await send()];
      expect(bodies.coming.open).toBe(2);
      const other = ask('/api/status');
      await first.end();
      expect((await first.answer).status).toBe(503);
      held.resolve(new Response('done'));
      expect((await other).status).toBe(200);
      await second.end();
      expect((await second.answer).status).toBe(200);
    });

    it('are not the calls of the relay, which have a gate of their own', async () => {
      const held = Promise.withResolvers<Response>();
      const { ask } = setUp({ relay: { fetch: async () => (await held.promise).clone() } }, 16);
      const asked = Array.from({ length: 20 }, () => ask('/v1/chat/completions', {}, 'POST'));
      held.resolve(new Response('done'));
      expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    });

    it.each([
      ['/v1/realtime', 'websocket', 200],
      ['/v1/realtime', 'WebSocket', 200],
      ['/v1/realtime/', 'websocket', 200],
      ['/v1/realtime', 'x', 503],
      ['/v1/models', 'websocket', 503],
      ['/pg/chat/completions', 'websocket', 503],
    ])('are none of a session, and nothing else is one: %s, %s', async (path, upgrade, status) => {
      const held = Promise.withResolvers<Response>();
      const waiting: Part = { fetch: async () => (await held.promise).clone() };
      const { ask } = setUp({ relay: waiting, playground: waiting }, 16);
      const first = ask(path, { upgrade });
      const second = ask(path, { upgrade });
      held.resolve(new Response('done'));
      expect([(await first).status, (await second).status]).toEqual([200, status]);
    });

    it('hold their places until they are written', async () => {
      const long = 'x'.repeat(2 * limits.answerAtOnceChars);
      const { ask } = setUp({ api: { fetch: () => new Response(long) } }, 16);
      const unread = await ask('/api/status');
      expect((await ask('/api/status')).status).toBe(503);
      expect(unread.headers.get('connection')).toBe('close');
      expect(await unread.text()).toBe(long);
      expect((await ask('/api/status')).status).toBe(200);
    });
  });

  describe('given answers', () => {
    const deadlines = async (path: string, method: string, given: () => Response) => {
      const seen: number[] = [];
      const server = {
        requestIP: () => ({ address: '192.0.2.1' }),
        timeout: (_: Request, seconds: number) => void seen.push(seconds),
      };
      const { front } = setUp({ relay: { fetch: given }, api: { fetch: given } });
      const request = new Request(`http://localhost${path}`, { method });
      return { answer: await front(request, server), seen };
    };

    it.each([
      ['/api/status', 'GET', 200],
      ['/v1/models', 'GET', 200],
      ['/v1/chat/completions', 'POST', 200],
      ['/v1/chat/completions', 'POST', 401],
      ['/healthz', 'GET', 200],
    ])('are taken in time, or their connection ends: %s %s %d', async (path, method, status) => {
      const given = () => Response.json({}, { status });
      expect((await deadlines(path, method, given)).seen).toEqual([limits.answerTakenSec]);
    });

    it.each([
      ['/v1/chat/completions', 'POST'],
      ['/v1/videos/a/content', 'GET'],
    ])('are taken in time from the end of their stream on: %s', async (path, method) => {
      const { answer, seen } = await deadlines(path, method, () => stream('application/json'));
      expect(seen).toEqual([]);
      expect(await answer.text()).toBe('in pieces');
      expect(seen).toEqual([limits.answerTakenSec]);
    });

    it.each<[string, string, string, () => Response]>([
      ['a sheet is read', '/api/log/export', 'GET', () => new Response('a,b')],
      [
        'they go out as they are read',
        '/api/status',
        'GET',
        () => Response.json('x'.repeat(2 * limits.answerAtOnceChars)),
      ],
    ])('have no such end where %s', async (_what, path, method, given) => {
      expect((await deadlines(path, method, given)).seen).toEqual([]);
    });

    const closes = ({ headers }: Response): boolean => headers.get('connection') === 'close';

    it.each<[string, string, string, () => Response]>([
      ['the console', '/api/status', 'GET', () => new Response('x'.repeat(9_000))],
      ['the relay', '/v1/moderations', 'POST', () => new Response('x'.repeat(9_000))],
      ['streams', '/v1/chat/completions', 'POST', () => stream('text/event-stream')],
    ])(
      'close their connection behind them where many are open that a proxy may leave: %s',
      async (_of, path, method, given) => {
        const { ask } = setUp({ api: { fetch: given }, relay: { fetch: given } }, 160);
        const closed: boolean[] = [];
        for (const ip of ['1', '1', '1', '1', '1', '1', '1', '2', '2']) {
          closed.push(closes(await ask(path, { 'x-forwarded-for': `192.0.2.${ip}` }, method)));
        }
        // Ten, of which one network has a half, and another of what is left as much.
        expect(closed).toEqual([false, false, false, false, false, true, true, false, false]);
      },
    );

    it('keep it behind what any proxy takes at once', async () => {
      const small = { fetch: () => new Response('x'.repeat(1_000)) };
      const { ask } = setUp({ api: small, relay: small }, 16);
      for (let n = 0; n < 4; n++) {
        expect(closes(await ask('/api/status'))).toBe(false);
        expect(closes(await ask('/v1/chat/completions', {}, 'POST'))).toBe(false);
      }
    });

    it('are taken where another request comes over the same connection, which counts once', async () => {
      const { front } = setUp({ relay: { fetch: () => new Response('x'.repeat(9_000)) } }, 160);
      const askOver = async (port: number) => {
        const request = new Request('http://localhost/v1/moderations', { method: 'POST' });
        return closes(await front(request, { requestIP: () => ({ address: '192.0.2.1', port }) }));
      };
      for (const port of [1, 2, 3, 4, 5, 1, 2, 3, 4, 5, 1]) expect(await askOver(port)).toBe(false);
      expect([await askOver(6), await askOver(1), await askOver(6)]).toEqual([true, false, true]);
    });
  });

  it('keeps the process until a request that began before the stop has its answer', async () => {
    const held = Promise.withResolvers<Response>();
    const { ask, stopping } = setUp({ api: { fetch: () => held.promise } });
    const answer = ask('/api/user/self');
    const stopped = stopping.begin(60_000);
    held.resolve(new Response('done'));
    expect(await (await answer).text()).toBe('done');
    expect(await stopped).toBe(0);
  });
});
