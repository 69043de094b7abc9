/** Lets a bounded number of works run at once and a bounded number wait; refuses the rest at once. */
import { fail } from '../core/errors.ts';

export interface Gate {
  /** Runs `work` in its turn. Throws OVERLOADED without running it when the line is full. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createGate(atOnce: number, waitingMax: number): Gate {
  let running = 0;
  const waiting: (() => void)[] = [];

  const enter = async (): Promise<void> => {
    if (running < atOnce) {
      running++;
      return;
    }
    if (waiting.length >= waitingMax) throw fail('OVERLOADED', { internal: 'gate full', retryAfterSec: 2 });
    // Whoever leaves hands his place over, so that no newcomer can slip in before those who wait.
    await new Promise<void>((resolve) => waiting.push(resolve));
  };

  const leave = (): void => {
    const next = waiting.shift();
    if (next) next();
    else running--;
  };

  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
