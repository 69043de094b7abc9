/**
 * Bodies of many who each hold as much as they can, unfinished or of calls that go on: twenty of them once held the whole
 * room, and nobody else could sign in, change anything or call.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { type Client, openApi, type TestApi } from '../support/api.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const GREEDY = 20;

/** Bodies by which each takes half of what the ones before have left. */
function halves(room: number, bodyBytes: number): number[][] {
  let left = room;
  return Array.from({ length: GREEDY }, () => {
    const mine = Math.floor(left / 2);
    left -= mine;
    const whole = Array.from({ length: Math.floor(mine / bodyBytes) }, () => bodyBytes);
    return [...whole, mine % bodyBytes].filter((bytes) => bytes > 0);
  });
}

async function until(condition: () => boolean): Promise<void> {
  for (const end = performance.now() + patience(20_000); !condition(); await Bun.sleep(5)) {
    if (performance.now() > end) throw new Error('that does not come');
  }
}

describe('the room for forms', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
  });
  afterAll(() => api.close());

  /** Sends so many bytes and then waits until it is ended. */
  function unfinished(client: Client, path: string, bytes: number) {
    let left = bytes;
    let isSent = false;
    let end: () => void = () => undefined;
    const body = new ReadableStream<Uint8Array>(
      {
        start(controller) {
          end = () => controller.error(new Error('the caller has left'));
        },
        pull(controller) {
          if (left === 0) {
            isSent = true;
            return new Promise(() => undefined);
          }
          const piece = Math.min(64 * KIB, left);
          left -= piece;
          controller.enqueue(new Uint8Array(piece).fill(32));
        },
      },
      { highWaterMark: 0 },
    );
    const headers = new Headers({ host: 'localhost', 'content-type': 'application/json', ...client.headers });
    headers.set('cookie', [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '));
    if (client.userId !== null) headers.set('new-api-user', String(client.userId));
    const request = new Request(`http://localhost${path}`, { method: 'POST', headers, body });
    let isAnswered = false;
    const answer = api.handle(request).finally(() => {
      isAnswered = true;
    });
    return { answer, end: () => end(), isSettled: () => isSent || isAnswered };
  }

  type Unfinished = ReturnType<typeof unfinished>;
  async function endAll(bodies: Unfinished[]): Promise<number[]> {
    for (const { end } of bodies) {
      try {
        end();
      } catch {
        // It was given up.
      }
    }
    return Promise.all(bodies.map(async ({ answer }) => (await answer).status));
  }

  const wrong = { username: 'nobody-of-this-name', password: 'not-a-password-of-his' };
  const guests: Record<string, (n: number) => string> = {
    'twenty addresses': (n) => `198.51.100.${n}`,
    'twenty networks of IPv6, of twenty providers': (n) => `2001:${(0x1000 + n).toString(16)}:1::1`,
    'twenty networks of one provider': (n) => `2001:db8:${n + 1}::1`,
  };

  it.each(Object.entries(guests))(
    'of guests is not kept from the next one by %s',
    async (_who, addressOf) => {
      const bodies: Unfinished[] = [];
      for (const [n, sizes] of halves(limits.guestFormsBytes, limits.guestBodyBytes).entries()) {
        for (const bytes of sizes) {
          bodies.push(unfinished(api.guest({ ip: addressOf(n) }), '/api/user/login', bytes));
        }
      }
      await until(() => bodies.every(({ isSettled }) => isSettled()));
      for (const ip of ['203.0.113.77', '2001:4::1', '2001:db8:ffff::1']) {
        expect([ip, (await api.guest({ ip }).post('/api/user/login', wrong)).status]).toEqual([ip, 200]);
      }
      await endAll(bodies);
    },
  );

  it('of guests is no more for thousands of networks of one provider than for one', async () => {
    const bodies = Array.from({ length: 1_200 }, (_, n) =>
      unfinished(api.guest({ ip: `2001:db8:${n.toString(16)}::1` }), '/api/user/login', 60 * KIB),
    );
    await until(() => bodies.every(({ isSettled }) => isSettled()));
    const others = Array.from({ length: 100 }, (_, n) =>
      unfinished(api.guest({ ip: `203.0.113.${n}` }), '/api/user/login', 60 * KIB),
    );
    await until(() => others.every(({ isSettled }) => isSettled()));
    expect(await endAll(others)).not.toContain(503);
    expect(await endAll(bodies)).toContain(503);
  });

  it('of users is not kept from the next one, nor from root, by twenty of them', async () => {
    const bodies: Unfinished[] = [];
    for (const sizes of halves(limits.userFormsBytes, limits.apiBodyBytes - KIB)) {
      const client = await api.as(await api.createUser());
      for (const bytes of sizes) bodies.push(unfinished(client, '/api/token/', bytes));
    }
    await until(() => bodies.every(({ isSettled }) => isSettled()));
    const client = await api.as(await api.createUser());
    expect(await client.put('/api/user/self', { display_name: 'someone' })).toMatchObject({ success: true });
    const root = await api.root();
    // It is larger than what is kept for anybody.
    const about = { key: 'About', value: '<p>about</p>'.repeat(7_000) };
    expect(await root.put('/api/option/', about)).toMatchObject({ success: true });
    expect(await endAll(bodies)).toContain(503);
  });
});

describe('the room for calls', () => {
  const ROOM = 8 * MIB;
  let t: Operations;
  let model: string;
  let keys: string[];
  let whole: BodyBudget;
  beforeAll(async () => {
    t = await openOperations();
    model = await t.model(1, { named: 'asked' });
    await t.relay.setBalance(50_000_000);
    keys = [];
    for (let n = 0; n < GREEDY; n++) {
      keys.push(await t.relay.addToken({}, await t.relay.api.createUser({ quota: 10_000_000 })));
    }
    whole = relay().bodies;
  });
  afterAll(async () => {
    relay().bodies = whole;
    await t.close();
  });

  const relay = () => t.relay.api.deps.relay;
  const answer = {
    object: 'list',
    data: [{ object: 'embedding', index: 0, embedding: [1] }],
    usage: { prompt_tokens: 5, total_tokens: 5 },
  };
  /** One that weighs what it has in bytes. */
  const askedOf = (bytes: number) => {
    const empty = JSON.stringify({ model, input: 'words', user: '' });
    return JSON.stringify({ model, input: 'words', user: 'u'.repeat(bytes - empty.length) });
  };
  /** Half of the room by the first, and by each of the others what he gets beside him. */
  const most = Array.from({ length: GREEDY }, (_, n) => (n === 0 ? ROOM / 2 : ROOM / 16));

  function send(key: string, body: string, announced: number) {
    let text = '';
    let isOver = false;
    const socket = net.connect(Number(new URL(t.relay.base).port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      text += data;
    });
    socket.on('close', () => {
      isOver = true;
    });
    socket.write(
      `POST /v1/embeddings HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${announced}\r\n\r\n${body}`,
    );
    return { socket, answered: () => text, isOver: () => isOver };
  }

  /** One after another, so that each finds what the ones before have left. */
  async function fill(announcedBeyond: number) {
    relay().bodies = new BodyBudget(ROOM);
    const sent: ReturnType<typeof send>[] = [];
    for (const [n, bytes] of most.entries()) {
      const key = keys[n];
      if (key === undefined) continue;
      const before = relay().bodies.bytes;
      const one = send(key, askedOf(bytes), bytes + announcedBeyond);
      sent.push(one);
      // It has come, or one of the larger has given way to it, or it is refused: of which its reset may take the word.
      await until(() => {
        const now = relay().bodies.bytes;
        return now >= before + bytes - KIB || now < before || one.answered() !== '' || one.isOver();
      });
    }
    return sent;
  }

  const next = () => t.post('/v1/embeddings', { model, input: 'words' });

  it('is not kept from the next one by twenty who do not end their bodies', async () => {
    t.answers(answer);
    const sent = await fill(1);
    expect(relay().bodies.bytes).toBeLessThanOrEqual(ROOM);
    expect((await next()).status).toBe(200);
    await t.row();
    const large = await t.post('/v1/embeddings', { model, input: 'words', user: 'u'.repeat(200 * KIB) });
    expect(large.status).toBe(200);
    await t.row();
    // The largest gave way.
    await until(() => sent[0]?.answered() !== '');
    expect(sent[0]?.answered()).toStartWith('HTTP/1.1 503 ');
    for (const { socket } of sent) socket.destroy();
    await until(() => relay().bodies.bytes === 0);
  });

  it('is not kept from the next one by twenty whose calls go on', async () => {
    const gate = Promise.withResolvers<void>();
    const held = t.seen.length;
    t.answers(async () => {
      if (t.seen.length <= held + 12) await gate.promise;
      return Response.json(answer);
    });
    const sent = await fill(0);
    const got = next();
    await until(() => t.seen.length > held);
    setTimeout(() => gate.resolve(), 500);
    expect((await got).status).toBe(200);
    await until(() => relay().calls.open === 0);
    for (const { socket } of sent) socket.destroy();
    await until(() => relay().bodies.bytes === 0);
  });

  const HEAVY = 3 * MIB;
  const chat = (content: unknown) =>
    JSON.stringify({ model, stream: true, messages: [{ role: 'user', content }] });
  const heavy: Record<string, () => string> = {
    'are of blanks': () => chat('words').padEnd(HEAVY),
  };

  it.each(Object.entries(heavy))(
    'is given back as soon as streams begin whose bodies %s',
    async (_of, make) => {
      relay().bodies = new BodyBudget(ROOM);
      const over = Promise.withResolvers<void>();
      const said = (delta: object) => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;
      t.answers(
        () =>
          new Response(
            new ReadableStream({
              async start(to) {
                to.enqueue(said({ content: 'It ' }));
                await over.promise;
                to.enqueue(`${said({ content: 'is.' })}data: [DONE]\n\n`);
                to.close();
              },
            }),
            { headers: { 'content-type': 'text/event-stream' } },
          ),
      );
      const streams: Response[] = [];
      for (const key of keys.slice(0, 4)) {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const stream = await fetch(`${t.relay.base}/v1/chat/completions`, {
          method: 'POST',
          headers,
          body: make(),
        });
        expect(stream.status).toBe(200);
        streams.push(stream);
      }
      await until(() => relay().bodies.bytes < 64 * KIB);
      expect(relay().calls.open).toBe(4);
      over.resolve();
      for (const stream of streams) expect(await stream.text()).toContain('[DONE]');
      await until(() => relay().calls.open === 0);
      expect(relay().bodies.bytes).toBe(0);
    },
  );

  it('is shared by networks, however many accounts one has', async () => {
    relay().bodies = new BodyBudget(ROOM);
    Object.assign(relay(), { bodiesByNetwork: new BodyBudget(ROOM) });
    const gate = Promise.withResolvers<void>();
    t.answers(async () => {
      await gate.promise;
      return Response.json(answer);
    });
    const ask = (key: string | undefined, ip: string) =>
      fetch(`${t.relay.base}/v1/embeddings`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'x-forwarded-for': ip,
        },
        body: JSON.stringify({ model, input: 'words', user: 'u'.repeat(HEAVY) }),
      });
    const first = ask(keys[0], '198.51.100.1');
    await until(() => relay().bodies.bytes >= HEAVY);
    expect((await ask(keys[1], '198.51.100.1')).status).toBe(503);
    gate.resolve();
    expect((await first).status).toBe(200);
    expect((await ask(keys[1], '203.0.113.9')).status).toBe(200);
    await until(() => relay().calls.open === 0);
    expect(relay().bodiesByNetwork.bytes).toBe(0);
  });
});
