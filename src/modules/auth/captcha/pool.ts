/**
 * Puzzles that are made before anybody asks for one. They are made one after another, with rests between that grow
 * with the work, so that however many are asked for, a fixed share of one core is all that they get.
 */
import { limits } from '../../../core/limits.ts';
import { createFairGate, type Turn } from '../../../platform/fair-gate.ts';
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
  /**
   * One that nobody had before; those who wait take turns. Throws RATE_LIMIT when too many of his wait, and
   * OVERLOADED when too many of others do.
   */
  take(turn: Turn): Promise<ReadyPuzzle>;
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
  /** Has the next that is made; the others stand behind him. */
  let first: PromiseWithResolvers<ReadyPuzzle> | null = null;
  let isFilling = false;
  // Whom the gate lets in waits too, for the next.
  const gate = createFairGate({
    atOnce: 1,
    ofOneAtOnce: 1,
    waitingMax: limits.captchasWaiting - 1,
    ofOneWaitingMax: limits.captchasOfOneWaiting - 1,
  });

  const makeOne = async () => {
    const startedAt = performance.now();
    try {
      const puzzle = await make();
      if (first) first.resolve(puzzle);
      else ready.push(puzzle);
      return true;
    } catch (error) {
      first?.reject(error);
      return false;
    } finally {
      first = null;
      await Bun.sleep((performance.now() - startedAt) * limits.captchaRests);
    }
  };
  const fill = async () => {
    if (isFilling) return;
    isFilling = true;
    let works = true;
    while (first || (works && ready.length < limits.captchasReady)) works = await makeOne();
    isFilling = false;
  };
  const takeReady = (): ReadyPuzzle | undefined => {
    const puzzle = ready.shift();
    void fill();
    return puzzle;
  };
  const takeNext = (): Promise<ReadyPuzzle> => {
    const puzzle = takeReady();
    if (puzzle) return Promise.resolve(puzzle);
    first = Promise.withResolvers<ReadyPuzzle>();
    return first.promise;
  };

  return {
    take: async (turn) => takeReady() ?? gate.run(turn, takeNext),
  };
}
