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
  expect(await passAll(pieces(), sink, never, { bytes, idleMs: 5_000, wholeMs: 60_000 })).toBe(true);
  expect(sink.written).toBe(PIECES);
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
