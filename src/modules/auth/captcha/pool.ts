/**
 * Puzzles that are made before anybody asks for one. They are made one after another, with rests between that grow
 * with the work, so that however many are asked for, a fixed share of one core is all that they get.
 */
import { fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { bitmapOf } from './pixels.ts';
import { makePuzzle } from './puzzle.ts';

/** A puzzle as it is sent, and its answer. */
export interface ReadyPuzzle {
  /** `data:` addresses. */
  image: string;
  tile: string;
  x: number;
  y: number;
}

export interface PuzzlePool {
  /** One that nobody had before. Throws OVERLOADED when too many wait for one. */
  take(): Promise<ReadyPuzzle>;
}

const JPEG_QUALITY = 82;

async function makeReady(): Promise<ReadyPuzzle> {
  const { picture, tile, x, y } = await makePuzzle();
  const [image, cutOut] = await Promise.all([
    new Bun.Image(bitmapOf(picture)).jpeg({ quality: JPEG_QUALITY }).dataurl(),
    new Bun.Image(bitmapOf(tile)).png().dataurl(),
  ]);
  return { image, tile: cutOut, x, y };
}

/** Nothing is made before the first is asked for. */
export function createPuzzlePool(make: () => Promise<ReadyPuzzle> = makeReady): PuzzlePool {
  const ready: ReadyPuzzle[] = [];
  const waiting: PromiseWithResolvers<ReadyPuzzle>[] = [];
  let isFilling = false;

  const fill = async () => {
    if (isFilling) return;
    isFilling = true;
    try {
      while (waiting.length > 0 || ready.length < limits.captchasReady) {
        const startedAt = performance.now();
        const puzzle = await make();
        const first = waiting.shift();
        if (first) first.resolve(puzzle);
        else ready.push(puzzle);
        await Bun.sleep((performance.now() - startedAt) * limits.captchaRests);
      }
    } catch (error) {
      for (const { reject } of waiting.splice(0)) reject(error);
    } finally {
      isFilling = false;
    }
  };

  return {
    async take() {
      const puzzle = ready.shift();
      if (puzzle) {
        void fill();
        return puzzle;
      }
      if (waiting.length >= limits.captchasWaiting) throw fail('OVERLOADED');
      const next = Promise.withResolvers<ReadyPuzzle>();
      waiting.push(next);
      void fill();
      return next.promise;
    },
  };
}
