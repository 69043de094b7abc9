/**
 * How long tests wait for what must happen: one scale for all of them. A wait says what is ample where nothing else runs,
 * and gets more where the processors are shared: whoever waits in vain has then not just waited on a busy machine. Waits
 * that are what a test is about (a deadline of the product, a server that is away for a while) do not belong here.
 */
import { availableParallelism, loadavg } from 'node:os';

/** Ready processes for each processor, above which no wait grows: a load of twenty on two. */
const CROWD_MAX = 10;

/** At least 1. */
export function crowd(load: number = loadavg()[0] ?? 0, processors: number = availableParallelism()): number {
  return Math.min(CROWD_MAX, Math.max(1, load / processors));
}

/** Milliseconds to wait on this machine as it is now, for what takes no more than `quietMs` on a quiet one. */
export const patience = (quietMs: number): number => Math.round(quietMs * crowd());

/**
 * What a test may take that does not say: several times what the longest of them take at a load of twenty on two processors.
 * How loaded a machine is when a test begins is not known when its bound is set.
 */
export const TEST_MS = 300_000;
/** What a step of a page may take. */
export const STEP_MS = 30_000;
