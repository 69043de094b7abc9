import { afterAll, expect, it } from 'bun:test';
import net from 'node:net';
import { Stopping } from '../../platform/stopping.ts';
import { createCutList } from '../attempt/cut.ts';
import { writeLarge } from './large-answer.ts';

const TEXT = 'all that was asked for, '.repeat(1024 * 1024);
const stopping = new Stopping();
const ends = { left: new AbortController().signal, cut: createCutList(stopping) };
let writing = writeLarge(ends);
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  development: false,
  fetch: () => new Response(writing.bodyOf(TEXT)),
});
afterAll(() => server.stop(true));

/** Takes nothing; resolves when the connection is closed. */
function askUnread(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const socket = net.connect(server.port ?? 0, '127.0.0.1', () =>
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
  );
  socket.on('error', () => resolve());
  socket.once('readable', () => undefined);
  // What was written before comes first.
  void writing.written.then(() => socket.resume());
  socket.on('close', () => resolve());
  return promise;
}

it('ends for who takes nothing for too long', async () => {
  writing = writeLarge({ ...ends, idleMs: 100 });
  await askUnread();
  await writing.written;
});

it('ends for who takes it too slowly as a whole, however steadily', async () => {
  writing = writeLarge({ ...ends, wholeMs: 100 });
  await askUnread();
  await writing.written;
});

it('ends when the grace of a stop is over', async () => {
  writing = writeLarge(ends);
  const closed = askUnread();
  stopping.track(writing.written);
  await Bun.sleep(50);
  expect(await stopping.begin(1)).toBe(0);
  await closed;
});

it('is over at once where its caller has gone, or where it is not shown', async () => {
  await writeLarge({ ...ends, left: AbortSignal.abort() }).written;
  const given = writeLarge(ends);
  given.abandon();
  await given.written;
});
