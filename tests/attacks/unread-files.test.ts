/**
 * Answers that nobody takes, of guests or of who asks the relay for what costs nothing: through a proxy each holds one of its
 * connections, and so a descriptor of the gateway's; some kilobytes a second once held all of them, and nobody got in.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { type Gateway, setUp, startGateway } from '../support/gateway.ts';
import { patience } from '../support/patience.ts';

/** Moderations as OpenAI has them, without its thirteen names for each text. */
const upstream = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const { input, stream } = await request.json();
    if (!stream) return Response.json({ results: Array(input.length).fill({ of: 'x'.repeat(1_000) }) });
    const delta = { role: 'assistant', content: 'hi' };
    const chunk = { id: 'c', object: 'chat.completion.chunk', choices: [{ index: 0, delta }] };
    return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
      headers: { 'content-type': 'text/event-stream' },
    });
  },
});

let gateway: Gateway;
let files: string[];
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ databaseUrl: await freshPostgresUrl(), openFiles: 4_096 });
  const root = await setUp(gateway);
  await root.addChannel(`http://127.0.0.1:${upstream.port}`, {
    models: 'omni-moderation-latest,gpt-4o-mini',
  });
  key = await root.addToken();
  const page = await (await fetch(`${gateway.base}/login`)).text();
  files = [...new Set([...page.matchAll(/\/_a\/[\w.-]+\.(?:js|css)/g)].map(([path]) => path))];
});
afterAll(async () => {
  await gateway.kill();
  await upstream.stop(true);
});

const descriptors = (): number => readdirSync(`/proc/${gateway.pid}/fd`).length;

/** The first bytes of the answer; its connection stays, and nothing more is read. */
function ask(head: string[], body = ''): Promise<{ socket: net.Socket; begin: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: net.Socket; begin: string }>();
  const socket = net.connect(Number(new URL(gateway.base).port), '127.0.0.1', () =>
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`),
  );
  socket.once('error', reject);
  socket.once('readable', () => {
    socket.on('error', () => undefined);
    resolve({ socket, begin: String(socket.read(64)) });
  });
  return promise;
}

const unread = (path: string, ip: string) =>
  ask([`GET ${path} HTTP/1.1`, 'Host: localhost', `X-Forwarded-For: ${ip}`]);
const callUnread = (path: string, asked: object, ip: string) => {
  const body = JSON.stringify(asked);
  const head = [`POST ${path} HTTP/1.1`, 'Host: localhost', `X-Forwarded-For: ${ip}`];
  const more = ['Content-Type: application/json', `Content-Length: ${body.length}`];
  return ask([...head, ...more, `Authorization: Bearer ${key}`], body);
};
const statusOf = ({ begin }: { begin: string }): number => Number(begin.split(' ')[1]);
const get = (path: string, ip: string, headers = {}) =>
  fetch(gateway.base + path, { headers: { 'x-forwarded-for': ip, ...headers } });

/** So many ask and read nothing: how many descriptors were taken before, what they were answered, and what ends them. */
async function askMany(count: number, once: () => ReturnType<typeof ask>) {
  const before = descriptors();
  const asked: Awaited<ReturnType<typeof ask>>[] = [];
  for (let n = 0; n < count; n++) asked.push(await once());
  const end = () => {
    for (const { socket } of asked) socket.destroy();
  };
  return { before, statuses: asked.map(statusOf), end };
}

describe('answers that nobody takes', () => {
  const MANY = limits.answersKept;
  const moderations = (count: number) => (ip: string) =>
    callUnread('/v1/moderations', { model: 'omni-moderation-latest', input: Array(count).fill('a') }, ip);
  const chat = { model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'a' }] };
  const of: Record<string, (ip: string) => ReturnType<typeof ask>> = {
    'built files': (ip) => unread(files[0] ?? '', ip),
    'the description': (ip) => unread('/openapi.json', ip),
    'kept pages': (ip) => unread('/login', ip),
    'refusals of pages': (ip) => unread('/nothing-of-this-name', ip),
    'free moderations': moderations(32),
    'long ones': moderations(200),
    'streams of models': (ip) => callUnread('/v1/chat/completions', chat, ip),
  };

  it.each(Object.entries(of))('hold few descriptors: %s', async (what, once) => {
    const ip = `198.51.100.${Object.keys(of).indexOf(what) + 1}`;
    const { before, end } = await askMany(MANY, () => once(ip));
    const most = before + MANY * limits.keptOfNetworkShare + 40;
    // What a stream has cost is settled before its end.
    for (const last = performance.now() + patience(5_000); descriptors() >= most; await Bun.sleep(20)) {
      if (performance.now() > last) break;
    }
    const taken = descriptors();
    end();
    expect(taken).toBeLessThan(most);
  });

  it('are no more of a built file than a minute has for one network, and others get it all the same', async () => {
    const sizes = await Promise.all(
      files.map(async (path) => (await (await get(path, '192.0.2.1')).blob()).size),
    );
    const largest = files[sizes.indexOf(Math.max(...sizes))] ?? '';
    const most = Math.floor(limits.filePartsAMinute / Math.ceil(Math.max(...sizes) / limits.filePartBytes));
    const { statuses, end } = await askMany(most + 10, () => unread(largest, '192.0.2.2'));
    end();
    expect(statuses.filter((status) => status === 200)).toHaveLength(most);
    expect(statuses.slice(most)).toEqual(Array.from({ length: 10 }, () => 429));
    expect((await get(largest, '192.0.2.3')).status).toBe(200);
  });
});

/** A connection over which something can be asked. */
function connected(): Promise<net.Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<net.Socket>();
  const socket = net.connect(Number(new URL(gateway.base).port), '127.0.0.1', () => resolve(socket));
  socket.once('error', reject);
  return promise;
}

it('fifty people behind one address get forty files each, all at once', async () => {
  const sockets = await Promise.all(Array.from({ length: 2_000 }, connected));
  const begins = sockets.map(async (socket) => {
    const [begin] = await once(socket, 'data');
    return String(begin).slice(0, 12);
  });
  for (const [n, socket] of sockets.entries()) {
    const path = files[n % files.length];
    socket.write(
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.50\r\nAccept-Encoding: br\r\n\r\n`,
    );
  }
  expect(new Set(await Promise.all(begins))).toEqual(new Set(['HTTP/1.1 200']));
  for (const socket of sockets) socket.destroy();
});

it.each([
  ['a port beyond all', ['GET / HTTP/1.1', 'Host: name:99999']],
  ['broken Punycode', ['GET /api/status HTTP/1.1', 'Host: xn--']],
  ['no address', ['GET /v1/models HTTP/1.1', 'Host: 1.2.3.999']],
  ['none, by HTTP/1.0', ['GET /login HTTP/1.0']],
])('a Host that is none is refused before any work: %s', async (_of, head) => {
  const asked = await ask(head);
  expect(statusOf(asked)).toBe(400);
  asked.socket.destroy();
  expect(gateway.output).not.toContain('request.failed');
  expect(gateway.output).not.toContain('page.failed');
});
