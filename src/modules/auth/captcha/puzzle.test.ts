import { describe, expect, it } from 'bun:test';
import { limits } from '../../../core/limits.ts';
import { bitmapOf, type Pixels } from './pixels.ts';
import { createPuzzlePool } from './pool.ts';
import { makePuzzle, PICTURE, TILE } from './puzzle.ts';

const alphaAt = ({ bytes, width }: Pixels, x: number, y: number): number =>
  bytes[(y * width + x) * 4 + 3] ?? 0;
const colorAt = ({ bytes, width }: Pixels, x: number, y: number): number[] => [
  ...bytes.subarray((y * width + x) * 4, (y * width + x) * 4 + 3),
];

/** Numbers that repeat, so that two puzzles differ by nothing but where the hole is. */
function repeating(): () => number {
  let state = 7;
  return () => {
    state = (state * 48_271) % 0x7fffffff;
    return state / 0x7fffffff;
  };
}

describe('a puzzle', () => {
  it('has a picture without gaps and a piece in a box with clear corners', async () => {
    const { picture, tile } = await makePuzzle();
    expect([picture.width, picture.height]).toEqual([PICTURE.width, PICTURE.height]);
    expect([tile.width, tile.height]).toEqual([TILE, TILE]);
    for (let at = 3; at < picture.bytes.length; at += 4) expect(picture.bytes[at]).toBe(255);
    expect(alphaAt(tile, 0, 0)).toBe(0);
    expect(alphaAt(tile, TILE - 1, TILE - 1)).toBe(0);
    expect(alphaAt(tile, TILE / 2, TILE / 2)).toBe(255);
    // Under what cannot be seen lies nothing of the picture.
    expect(colorAt(tile, 0, 0)).toEqual([0, 0, 0]);
  });

  it('shows in the piece what is missing in the picture', async () => {
    const { picture, tile, x, y } = await makePuzzle();
    const middle = TILE / 2;
    const hole = colorAt(picture, x + middle, y + middle);
    const piece = colorAt(tile, middle, middle);
    // The hole is the same place under a dark veil of 46 %.
    for (const [channel, veil] of [28, 20, 18].entries()) {
      expect(Math.abs((hole[channel] ?? 0) - ((piece[channel] ?? 0) * 0.54 + veil * 0.46))).toBeLessThan(3);
    }
  });

  it('has its hole anywhere but where the piece starts, whatever the picture is', async () => {
    const places = [];
    for (let n = 0; n < 40; n++) places.push(await makePuzzle(repeating()));
    const xs = places.map(({ x }) => x);
    expect(Math.min(...xs)).toBeGreaterThan(TILE + 10);
    expect(Math.max(...xs)).toBeLessThanOrEqual(PICTURE.width - TILE);
    expect(Math.max(...xs) - Math.min(...xs)).toBeGreaterThan(60);
    expect(places.every(({ y }) => y >= 0 && y + TILE <= PICTURE.height)).toBe(true);
  });

  it('is a bitmap that the platform reads, with its alpha', async () => {
    const { picture, tile } = await makePuzzle();
    expect(await new Bun.Image(bitmapOf(picture)).metadata()).toMatchObject({ width: 300, height: 220 });
    const png = await new Bun.Image(bitmapOf(tile)).png().bytes();
    // Byte 25 of a PNG is its kind of color: 6 has alpha.
    expect(png[25]).toBe(6);
  });
});

describe('the pool of puzzles', () => {
  const puzzle = { image: '', tile: '', x: 0, y: 0 };
  let people = 0;
  const someone = () => ({ who: `network ${++people}` });

  it('makes nothing before the first is asked for, and one at a time however many are', async () => {
    let atOnce = 0;
    let most = 0;
    let made = 0;
    const pool = createPuzzlePool(async () => {
      most = Math.max(most, ++atOnce);
      await Bun.sleep(1);
      atOnce--;
      made++;
      return puzzle;
    });
    expect(made).toBe(0);
    await Promise.all(Array.from({ length: 20 }, () => pool.take(someone())));
    expect(most).toBe(1);
    expect(made).toBeGreaterThanOrEqual(20);
  });

  it('gives each puzzle to one', async () => {
    let made = 0;
    const pool = createPuzzlePool(async () => ({ ...puzzle, x: ++made }));
    const taken = [];
    for (let n = 0; n < 40; n++) taken.push((await pool.take(someone())).x);
    expect(new Set(taken).size).toBe(40);
  });

  it('rests four times as long as it works, and refuses who would wait behind fifty', async () => {
    let working = 0;
    const pool = createPuzzlePool(async () => {
      const startedAt = performance.now();
      await Bun.sleep(5);
      working += performance.now() - startedAt;
      return puzzle;
    });
    const startedAt = performance.now();
    const all = await Promise.allSettled(Array.from({ length: 60 }, () => pool.take(someone())));
    const share = working / (performance.now() - startedAt);
    expect(all.filter(({ status }) => status === 'rejected')).toHaveLength(10);
    expect(share).toBeLessThan(0.25);
  });

  it('lets who asks once go before the second of anybody else, and keeps places for others', async () => {
    const pool = createPuzzlePool(async () => {
      await Bun.sleep(1);
      return puzzle;
    });
    const got: string[] = [];
    const ask = (who: string) => pool.take({ who }).then(() => got.push(who));
    const many = Promise.allSettled(Array.from({ length: 60 }, () => ask('many')));
    await ask('one');
    expect(got.filter((who) => who === 'many').length).toBeLessThanOrEqual(2);
    expect((await many).filter(({ status }) => status === 'rejected')).toHaveLength(
      60 - limits.captchasOfOneWaiting,
    );
  });

  it('tells who waits when none can be made, and goes on with the next', async () => {
    let isBroken = true;
    const pool = createPuzzlePool(async () => {
      if (isBroken) throw new Error('no picture');
      return puzzle;
    });
    await expect(pool.take(someone())).rejects.toThrow('no picture');
    isBroken = false;
    expect(await pool.take(someone())).toEqual(puzzle);
  });
});
