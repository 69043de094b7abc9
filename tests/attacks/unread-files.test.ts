/**
 * Answers that guests do not take: through a proxy each holds one of its connections, and so a descriptor of the gateway's;
 * some kilobytes a second once held all of them, and nobody got in.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import net from 'node:net';
import { limits } from '../../src/core/limits.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { type Gateway, setUp, startGateway } from '../support/gateway.ts';

let gateway: Gateway;
let files: string[];
beforeAll(async () => {
  gateway = await startGateway({ databaseUrl: await freshPostgresUrl(), openFiles: 4_096 });
  await setUp(gateway);
  const page = await (await fetch(`${gateway.base}/login`)).text();
  files = [...new Set([...page.matchAll(/\/_a\/[\w.-]+\.(?:js|css)/g)].map(([path]) => path))];
});
afterAll(() => gateway.kill());

const descriptors = (): number => readdirSync(`/proc/${gateway.pid}/fd`).length;

/** The first bytes of the answer; its connection stays, and nothing more is read. */
function ask(head: string[]): Promise<{ socket: net.Socket; begin: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ socket: net.Socket; begin: string }>();
  const socket = net.connect(Number(new URL(gateway.base).port), '127.0.0.1', () =>
    socket.write(`${head.join('\r\n')}\r\n\r\n`),
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
const statusOf = ({ begin }: { begin: string }): number => Number(begin.split(' ')[1]);
const get = (path: string, ip: string, headers = {}) =>
  fetch(gateway.base + path, { headers: { 'x-forwarded-for': ip, ...headers } });

/** So many ask and read nothing; how many more descriptors are taken then, and what they were answered. */
async function askMany(count: number, path: string, ip: string) {
  const before = descriptors();
  const asked: Awaited<ReturnType<typeof ask>>[] = [];
  for (let n = 0; n < count; n++) asked.push(await unread(path, ip));
  const taken = descriptors() - before;
  for (const { socket } of asked) socket.destroy();
  return { taken, statuses: asked.map(statusOf) };
}

describe('answers that nobody takes', () => {
  const MANY = limits.answersKept;
  const of: Record<string, () => string> = {
    'built files': () => files[0] ?? '',
    'the description': () => '/openapi.json',
    'kept pages': () => '/login',
    'refusals of pages': () => '/nothing-of-this-name',
  };

  it.each(Object.entries(of))('hold few descriptors: %s', async (what, path) => {
    const { taken } = await askMany(MANY, path(), `198.51.100.${Object.keys(of).indexOf(what) + 1}`);
    expect(taken).toBeLessThan(MANY * limits.keptOfNetworkShare + 40);
  });

  it('are no more of a built file than a minute has for one network, and others get it all the same', async () => {
    const sizes = await Promise.all(
      files.map(async (path) => (await (await get(path, '192.0.2.1')).blob()).size),
    );
    const largest = files[sizes.indexOf(Math.max(...sizes))] ?? '';
    const most = Math.floor(limits.filePartsAMinute / Math.ceil(Math.max(...sizes) / limits.filePartBytes));
    const { statuses } = await askMany(most + 10, largest, '192.0.2.2');
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
