import { describe, expect, it } from 'bun:test';
import type { JsonObject } from './core/json.ts';
import { limits } from './core/limits.ts';
import { readEnv } from './env.ts';
import { createFront, type Part, type Parts } from './front.ts';
import { LargeAnswers } from './http/large-answers.ts';
import { BodyBudget } from './platform/body-budget.ts';
import { createCutList } from './platform/cut.ts';
import { createLogger } from './platform/logger.ts';
import { Metrics, prometheusText } from './platform/metrics.ts';
import { Stopping } from './platform/stopping.ts';

const MIB = 1024 * 1024;

const named = (name: string): Part => ({
  fetch: () => new Response(name, { headers: { 'content-length': String(name.length) } }),
});

/** Answers at which address it was asked. */
const atAddress: Part = { fetch: ({ url }) => new Response(url.slice(url.indexOf('/', 8))) };

function setUp(over: Partial<Parts> = {}) {
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
  const front = createFront(parts, { env: readEnv({}), log, metrics, stopping, large });
  const ask = async (path: string, headers = {}, method = 'GET') =>
    front(new Request(`http://localhost${path}`, { headers, method }), null);
  return { ask, lines, metrics, stopping };
}

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
