/** Bodies that cost more than they weigh, bodies that nobody reads, and requests for a host that is none. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import net from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { completed } from '../../src/http/answer-rules.ts';
import { BY_SECRET, byLowBits, plainNames } from '../support/alike-names.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { ConsoleClient, type Gateway, setUpRelay, startGateway } from '../support/gateway.ts';
import { patience } from '../support/patience.ts';

let gateway: Gateway;
let root: ConsoleClient;
let key: string;
let user: ConsoleClient;
beforeAll(async () => {
  gateway = await startGateway({ databaseUrl: await freshPostgresUrl() });
  ({ root, key } = await setUpRelay(gateway, 'http://127.0.0.1:9'));
  await root.post('/api/user/', { username: 'mallory', password: 'Passw0rd1' });
  user = await new ConsoleClient(gateway.base).login('mallory', 'Passw0rd1');
});
afterAll(() => gateway.kill());

const MANY = limits.jsonKeysMax + 1_000;
const manyKeys = (prefix: string, value = '1') =>
  `{${Array.from({ length: MANY }, (_, n) => `"${prefix}${n}":${value}`).join(',')}}`;
const keysOneByOne = (prefix: string) =>
  `[${Array.from({ length: MANY }, (_, n) => `{"${prefix}${n}":0}`).join(',')}]`;

const heavy: Record<string, () => string> = {
  'in one object': () => manyKeys('a'),
  'in an object each': () => keysOneByOne('b'),
  'with blanks before the colon': () => manyKeys('c').replaceAll('":', '" \n\t:'),
  'written by escapes': () => manyKeys('\\u0064'),
  'of nothing but digits': () => manyKeys(''),
  'behind strings that look like ends': () => manyKeys('\\"e', '"\\\\"'),
};

describe('bodies of nothing but new keys', () => {
  it.each(Object.entries(heavy))('are refused on the relay, %s', async (_how, make) => {
    const body = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"x":${make()}}`;
    const answer = await gateway.chat(key, {}, { body });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('different keys');
  });

  it.each(Object.entries(heavy))('are refused on /api, %s', async (_how, make) => {
    const answer = await fetch(`${gateway.base}/api/token/`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        cookie: root.cookie,
        origin: gateway.base,
        'new-api-user': String(root.user?.id),
      },
      body: `{"name":"t","remain_quota":0,"expired_time":-1,"x":${make()}}`,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'BAD_PARAM' });
  });

  it('are told from many values under few keys, which pass', async () => {
    const values = JSON.stringify(Array.from({ length: MANY }, () => ({ a: 1, b: 2 })));
    const body = `{"model":"nobody-has-it","messages":[{"role":"user","content":"hi"}],"x":${values}}`;
    const answer = await gateway.chat(key, {}, { body });
    expect(answer.status).toBe(404);
  });
});

const objectOf = (names: readonly string[]) =>
  JSON.stringify(Object.fromEntries(names.map((name) => [name, 0])));
const stopping: Record<string, [body: string, reason: string]> = {
  'that its tables find in one place': [objectOf(BY_SECRET.latin(40)), 'one hash'],
  'that they do of two bytes a character': [objectOf(BY_SECRET.wide(40)), 'one hash'],
  'that they do in ASCII': [objectOf(byLowBits(40)), 'one hash'],
  'for which it lays out lists': [`[${Array(1_500).fill('{"999":0}').join()}]`, 'small integers'],
};

describe('names that stop the parser', () => {
  it.each(Object.entries(stopping))('are refused on the relay, %s', async (_which, [x, reason]) => {
    const body = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"x":${x}}`;
    const answer = await gateway.chat(key, {}, { body });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(reason);
  });

  const guests = { ...stopping, 'of which a form has no hundreds': [objectOf(plainNames(600)), ''] };
  it.each(Object.entries(guests))('are refused to guests, %s', async (_which, [x]) => {
    const answer = await fetch(`${gateway.base}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"username":"mallory","password":"Passw0rd2","x":${x}}`,
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ code: 'BAD_PARAM', data: { field: 'body' } });
  });

  it('are refused as ids of calls, which become keys', async () => {
    const tool_calls = BY_SECRET.latin(40).map((id) => ({
      id,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    }));
    const answer = await gateway.chat(key, {
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', tool_calls },
      ],
    });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('one hash');
  });
});

/** Each is one value more than is looked at. */
const looked: Record<string, [string, unknown]> = {
  'that begin as data do, and cannot be read': ['image_url', 'data: x,%'],
  'that may be addresses': ['url', 'data:a,%'],
  'in a field that nobody knows': ['foo', 'data:a/b;base64,%'],
  'that may be base64': ['data', 'AAAAAAAA'],
  'in objects': ['foo', { url: 'http://a' }],
};

describe('bodies of nothing but values that may be media', () => {
  it.each(Object.entries(looked))('are refused, %s', async (_which, [field, value]) => {
    const answer = await gateway.chat(key, { [field]: Array(limits.mediaLooksMax + 1).fill(value) });
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain(`at most ${limits.mediaLooksMax} values`);
  });

  it('are refused when they stand in many parts, too, and so are more such parts than files are taken', async () => {
    const parts = (part: JsonObject, count: number) => Array<JsonObject>(count).fill(part);
    const pages = { type: 'pages', of: Array(4_096).fill({ url: 'http://a' }) };
    for (const content of [parts(pages, 17), parts({ type: 'x' }, limits.mediaMax + 1)]) {
      const messages = [
        { role: 'user', content: content.slice(1) },
        { role: 'user', content: content.slice(0, 1) },
      ];
      const answer = await gateway.chat(key, { messages });
      expect(answer.status).toBe(400);
      expect(await answer.text()).toContain('are taken');
    }
  });
});

interface Endless {
  path: string;
  head: Record<string, string>;
  status: number;
}

/** Sends a head and then a body that does not end, whatever is answered; whether the connection ended, and what came. */
async function endless({ path, head }: Endless) {
  const { hostname, port } = new URL(gateway.base);
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  const closed = Promise.withResolvers<boolean>();
  socket.on('data', (data) => {
    answer += data;
  });
  socket.on('close', () => closed.resolve(true));
  socket.on('error', () => closed.resolve(true));
  const lines = Object.entries({ host: hostname, 'content-type': 'application/json', ...head });
  socket.write(
    `POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
  );
  const piece = `4000\r\n${' '.repeat(0x4000)}\r\n`;
  const sending = setInterval(() => socket.writable && socket.write(piece), 5);
  const late = setTimeout(() => closed.resolve(false), patience(8_000));
  const isClosed = await closed.promise;
  clearInterval(sending);
  clearTimeout(late);
  socket.destroy();
  return { isClosed, answer };
}

const LOST_MOST = 5;

/**
 * What it is answered. Bytes that nobody reads have the connection reset, and that may take the answer out of the caller's
 * buffer before he has read it: he asks again then, but the connection must have ended each time.
 */
async function refusalOf(call: Endless) {
  let { isClosed, answer } = await endless(call);
  for (let lost = 0; isClosed && answer === '' && lost < LOST_MOST; lost++) {
    ({ isClosed, answer } = await endless(call));
  }
  return { isClosed, status: Number(answer.split(' ')[1]), top: answer.split('\r\n\r\n')[0]?.toLowerCase() };
}

const chunked = { 'transfer-encoding': 'chunked' };
const announced = { 'content-length': '99999999999' };
const usersHead = () => ({ cookie: user.cookie, 'new-api-user': String(user.user?.id) });
const unread: Record<string, () => Endless> = {
  'of a key that nobody has': () => ({
    path: '/v1/chat/completions',
    head: { authorization: 'Bearer sk-nobody', ...chunked },
    status: 401,
  }),
  'of who brings no key': () => ({ path: '/v1/messages', head: announced, status: 401 }),
  'of who is not signed in': () => ({ path: '/api/user/confirm', head: chunked, status: 401 }),
  'of a user for a call of root': () => ({
    path: '/api/option/rest_model_ratio',
    head: { ...usersHead(), ...chunked },
    status: 403,
  }),
  'larger than a user may send': () => ({
    path: '/api/user/confirm',
    head: { ...usersHead(), ...chunked },
    status: 413,
  }),
  'larger than the relay takes, by its own word': () => ({
    path: '/v1/chat/completions',
    head: { authorization: `Bearer ${key}`, ...announced },
    status: 413,
  }),
  'larger than a guest may send': () => ({ path: '/api/user/login', head: chunked, status: 413 }),
  'for a call that is none': () => ({ path: '/api/nothing', head: chunked, status: 404 }),
  'for a page': () => ({ path: '/login', head: announced, status: 403 }),
};

describe('a body that goes on after its refusal', () => {
  it.each(Object.entries(unread))('%s ends with its connection', async (_whose, of) => {
    const call = of();
    const { isClosed, status, top } = await refusalOf(call);
    expect(status).toBe(call.status);
    expect(isClosed).toBe(true);
    expect(top).toContain('connection: close');
  });

  it('and one that is refused for coming too slowly does too', () => {
    const slow = new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-length': '5' },
      body: 'a',
    });
    const closes = (status: number) =>
      completed(slow, new Response(null, { status }), false).headers.get('connection') === 'close';
    expect([200, 400, 401, 408, 413].map(closes)).toEqual([false, true, true, true, true]);
  });

  it('but a body that was read leaves the connection open', async () => {
    const answer = await fetch(`${gateway.base}/api/user/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"username":7}',
    });
    expect(answer.status).toBe(400);
    expect(answer.headers.get('connection')).not.toBe('close');
  });
});

/** The status line of a request with these lines in its head. */
async function statusOf(path: string, lines: string): Promise<number> {
  const { hostname, port } = new URL(gateway.base);
  const socket = net.connect(Number(port), hostname);
  const first = new Promise<string>((resolve) => {
    socket.on('data', (data) => resolve(String(data)));
    socket.on('close', () => resolve(''));
    socket.on('error', () => resolve(''));
  });
  socket.write(`GET ${path} HTTP/1.1\r\n${lines}connection: close\r\n\r\n`);
  const answer = await first;
  socket.destroy();
  return Number(answer.split(' ')[1]);
}

describe.each(['/api/status', '/', '/v1/models', '/healthz', '/openapi.json'])(
  'a Host that is none, for %s',
  (path) => {
    it.each([
      ['userinfo', 'host: user:pass@gateway.example\r\n'],
      ['a blank', 'host: gateway example\r\n'],
      ['a path', 'host: gateway.example/admin\r\n'],
      ['a query', 'host: gateway.example?x\r\n'],
      ['a control character', 'host: gateway\x01.example\r\n'],
      ['a tab', 'host: gateway\t.example\r\n'],
      ['two of it', 'host: gateway.example\r\nhost: other.example\r\n'],
      ['a list', 'host: gateway.example, other.example\r\n'],
      ['nothing in it', 'host: \r\n'],
      ['no number of a port', 'host: gateway.example:http\r\n'],
    ])('is refused: %s', async (_what, lines) => {
      expect(await statusOf(path, lines)).toBe(400);
    });
  },
);
