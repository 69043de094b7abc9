import { expect, it } from 'bun:test';
import { passAll } from './pass-on.ts';

const PIECES = 100;
const PIECE = new Uint8Array(1_000);

async function* pieces() {
  for (let n = 0; n < PIECES; n++) yield PIECE;
}

/** Takes each piece after so long. */
const takenAfter = (ms: number) => {
  const sink = {
    written: 0,
    async write() {
      sink.written++;
      await Bun.sleep(ms);
      return PIECE.length;
    },
    flush: () => undefined,
  };
  return sink;
};
const never = new Promise<void>(() => undefined);

it('ends for who takes a little of a file again and again, each piece in time', async () => {
  const sink = takenAfter(10);
  const bytes = PIECES * PIECE.length;
  expect(await passAll(pieces(), sink, never, { bytes, idleMs: 60, wholeMs: 100 })).toBe(false);
  expect(sink.written).toBeLessThan(PIECES / 2);
});

it('goes on to its end for who keeps the pace', async () => {
  const sink = takenAfter(0);
  const bytes = PIECES * PIECE.length;
  const standsStill = () => {
    throw new Error('nobody stands still');
  };
  const terms = { bytes, idleMs: 5_000, wholeMs: 60_000, standsStill, slowMs: 5_000, slowBytes: 5_000 };
  expect(await passAll(pieces(), sink, never, terms)).toBe(true);
  expect(sink.written).toBe(PIECES);
});

it('says since when somebody stands still who takes a little again and again', async () => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const sink = takenAfter(20);
  const from = performance.now();
  let since = 0;
  const standsStill = (end: () => void, sinceMs: number) => {
    since = sinceMs - from;
    end();
    return () => undefined;
  };
  const terms = { standsStill, slowMs: 200, slowBytes: 50_000, end: resolve };
  expect(await passAll(pieces(), sink, over, terms)).toBe(false);
  expect(sink.written).toBeLessThan(PIECES / 2);
  expect(since).toBeGreaterThan(150);
});

it('waits for who has taken much at once', async () => {
  const sink = {
    ...takenAfter(0),
    write: async () => Bun.sleep(sink.written++ === 50 ? 150 : 0).then(() => 1),
  };
  const standsStill = () => {
    throw new Error('nobody stands still');
  };
  const terms = { standsStill, slowMs: 100, slowBytes: 1_000, burstMs: 5_000 };
  expect(await passAll(pieces(), sink, never, terms)).toBe(true);
});

it('says when its reader stands still, and ends for others then', async () => {
  const { promise: over, resolve } = Promise.withResolvers<void>();
  const sink = takenAfter(60_000);
  const standsStill = (end: () => void) => {
    end();
    return () => undefined;
  };
  expect(await passAll(pieces(), sink, over, { standsStill, slowMs: 5, end: resolve })).toBe(false);
  expect(sink.written).toBe(1);
});
