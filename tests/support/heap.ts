/** What is kept in memory, by the engine's own count: no timing, and nothing of what others have. */
import { heapStats } from 'bun:jsc';

const heapBytes = (): number => {
  Bun.gc(true);
  return heapStats().heapSize;
};

const held: object[] = [];

/** Bytes that stay in memory as long as what `make` answers is held. */
export function bytesKeptBy(make: () => object): number {
  const before = heapBytes();
  held.push(make());
  const bytes = heapBytes() - before;
  held.length = 0;
  return bytes;
}

/** Promises that are in memory and have anybody who may ask for them. */
export function promisesKept(): number {
  Bun.gc(true);
  return heapStats().objectTypeCounts.Promise ?? 0;
}
