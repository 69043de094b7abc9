import { rowsOf } from './statement.ts';

/**
 * Does a work in slices of so many rows, each of which answers as `n` how many it took, until one is not full or the signal
 * aborts. Returns how many all of them took.
 */
export async function inSlices(
  most: number,
  slice: () => Promise<unknown>,
  signal?: AbortSignal,
): Promise<number> {
  let all = 0;
  while (!signal?.aborted) {
    const n = rowsOf<{ n: number }>(await slice())[0]?.n ?? 0;
    all += n;
    if (n < most) break;
  }
  return all;
}
