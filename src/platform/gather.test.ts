import { describe, expect, it } from 'bun:test';
import { limits } from '../core/limits.ts';
import { gather } from './gather.ts';

/** Has so many pieces of so many bytes when it is asked for one. */
const coming = (...asked: number[][]) =>
  new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        for (const bytes of asked.shift() ?? []) controller.enqueue(new Uint8Array(bytes));
        if (asked.length === 0) controller.close();
      },
    },
    { highWaterMark: 0 },
  );

/** The sizes of the pieces, and what was waited for between them. */
async function gathered(body: ReadableStream<Uint8Array> | null) {
  const waits: string[] = [];
  const pieces = gather(body, {
    pauses: async () => void waits.push('turn'),
    rests: async () => void waits.push('rest'),
  });
  const sizes: number[] = [];
  for (let piece = await pieces.next(); piece; piece = await pieces.next()) sizes.push(piece.byteLength);
  return { sizes, waits };
}

describe('the pieces of a body', () => {
  it('that wait together are one', async () => {
    const { sizes } = await gathered(coming(Array(10_000).fill(1), [3, 4]));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10_007);
    expect(sizes.length).toBeLessThan(5);
  });

  it('are none of a body that is empty, or none', async () => {
    expect((await gathered(null)).sizes).toEqual([]);
    expect((await gathered(coming())).sizes).toEqual([]);
  });

  it('that are few wait for nothing', async () => {
    const { sizes, waits } = await gathered(coming(...Array(limits.piecesAtOnce - 2).fill([1])));
    expect(sizes).toEqual(Array(limits.piecesAtOnce - 2).fill(1));
    expect(waits).toEqual([]);
  });

  it('let others have a turn between them where they are many, and longer where they are small', async () => {
    const many = limits.piecesAtOnce + 100;
    const large = await gathered(coming(...Array(many).fill([limits.smallPieceBytes])));
    expect(new Set(large.waits)).toEqual(new Set(['turn']));
    expect(large.waits.length).toBeGreaterThanOrEqual(100);
    const small = await gathered(coming(...Array(many).fill([limits.smallPieceBytes - 1])));
    expect(new Set(small.waits)).toEqual(new Set(['rest']));
    expect(small.waits.length).toBeGreaterThanOrEqual(100);
  });

  it('come no more once they are given up, and a look that waits has the end', async () => {
    const left = Promise.withResolvers<void>();
    const pieces = gather(new ReadableStream({ cancel: () => left.resolve() }));
    const next = pieces.next();
    pieces.cancel();
    expect(await next).toBeNull();
    await left.promise;
  });

  it('break off as the body does', async () => {
    const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('gone')) });
    expect(gather(broken).next()).rejects.toThrow('gone');
  });
});
