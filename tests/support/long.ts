/** What every run of the tests proves, and what only `./scripts/test long` adds: more of the same. */
import { describe, it } from 'bun:test';
import type { Engine } from './database.ts';

export const isLong = Boolean(process.env.TEST_LONG);

/** How often something is proven: as often as every run of the tests does, or as `./scripts/test long` does. */
export const often = (usual: number, long: number): number => (isLong ? long : usual);

/** What something is proven of: by every run of what stands first, by a long one of the others too. */
export const usually = <const T>(usual: readonly T[], ...more: T[]): T[] =>
  isLong ? [...usual, ...more] : [...usual];

/** Declares what only a long run proves. */
export const inLong = {
  it: (name: string, body: () => Promise<void>, timeoutMs?: number): void => {
    if (isLong) it(name, body, timeoutMs);
  },
  describe: (name: string, body: () => void): void => {
    if (isLong) describe(name, body);
  },
};

/**
 * What is proven on an engine. The code is the same on both, and a process on PGlite takes three times as long to start:
 * an ordinary run proves there what ends a transaction, and `./scripts/test long` everything.
 */
export const onEngine = <T>(engine: Engine, all: readonly T[], endsTransaction: (one: T) => boolean): T[] =>
  engine === 'postgres' || isLong ? [...all] : all.filter(endsTransaction);
