import { afterAll, expect, it } from 'bun:test';
import net from 'node:net';
import { limits } from '../core/limits.ts';
import { BodyBudget } from './body-budget.ts';
import { createCutList } from './cut.ts';
import { pieceMs, writeLarge } from './large-answer.ts';
import { Stopping } from './stopping.ts';

const TEXT = 'all that was asked for, '.repeat(1024 * 1024);
const stopping = new Stopping();
const ends = { left: new AbortController().signal, cut: createCutList(stopping) };
let writing = writeLarge(ends);
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  development: false,
  fetch: () => writing.answerOf(TEXT),
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

it('waits for each part of it no longer than is its part of the time', () => {
  const terms = { idleMs: 60_000, wholeMs: 600_000 };
  expect(pieceMs(0.002, 0, terms)).toBe(60_000);
  // A piece a minute of a hundred megabytes: it is the second one that is not waited for.
  expect(pieceMs(0.002, 59_000, terms)).toBeCloseTo(2_200);
  expect(pieceMs(0.004, 90_000, terms)).toBe(0);
  expect(pieceMs(0.5, 200_000, terms)).toBe(60_000);
  expect(pieceMs(0.5, 350_000, terms)).toBe(10_000);
});

it('gives half of its room back with each half that is taken, and comes as it is', async () => {
  const budget = new BodyBudget(4 * TEXT.length);
  const held = budget.hold(1);
  held.grow(TEXT.length);
  writing = writeLarge({ ...ends, held });
  const seen = new Set<number>();
  let text = '';
  const response = await fetch(server.url);
  const decoder = new TextDecoder();
  for await (const piece of response.body ?? []) {
    seen.add(budget.bytes);
    text += decoder.decode(piece, { stream: true });
  }
  expect(text === TEXT).toBe(true);
  await writing.written;
  expect([...seen].some((bytes) => bytes <= TEXT.length / 2)).toBe(true);
});

it('is broken off for others only while its caller stands still', async () => {
  const budget = new BodyBudget(2 * TEXT.length);
  const held = budget.hold(1);
  held.grow(TEXT.length);
  writing = writeLarge({ ...ends, held, slowMs: 50 });
  const mayTake = () => {
    const other = budget.hold('other');
    try {
      other.grow(1024 * 1024 * 4);
      return true;
    } catch {
      return false;
    }
  };
  const closed = askUnread();
  expect(mayTake()).toBe(false);
  while (!mayTake()) await Bun.sleep(10);
  await writing.written;
  await closed;
});

it('tells its place whose caller stands still, and ends where that is another’s', async () => {
  const still = Promise.withResolvers<() => void>();
  writing = writeLarge({
    ...ends,
    standsStill: (end) => {
      still.resolve(end);
      return () => undefined;
    },
  });
  const closed = askUnread();
  (await still.promise)();
  await writing.written;
  await closed;
});

it('stands not still for its place where it is taken steadily, by pieces that a slow caller takes in seconds', () => {
  const { readerSlowMs, readerSlowBytes, writePieceBytes, writePieceChars } = limits;
  const pieceMsOf = (bytes: number) => (bytes / (30 * 1024)) * 1000;
  expect(pieceMsOf(writePieceBytes)).toBeLessThan(readerSlowMs);
  expect(pieceMsOf(3 * writePieceChars)).toBeLessThan(readerSlowMs);
  expect(readerSlowBytes / (readerSlowMs / 1000)).toBeLessThan(30 * 1024);
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
