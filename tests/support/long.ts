import type { Engine } from './database.ts';

/** How often something is proven: as often as every run of the tests does, or as `./scripts/test long` does. */
export const often = (usual: number, long: number): number => (process.env.TEST_LONG ? long : usual);

/**
 * What is proven on an engine. The code is the same on both, and a process on PGlite takes three times as long to start:
 * an ordinary run proves there what ends a transaction, and `./scripts/test long` everything.
 */
export const onEngine = <T>(engine: Engine, all: readonly T[], endsTransaction: (one: T) => boolean): T[] =>
  engine === 'postgres' || process.env.TEST_LONG ? [...all] : all.filter(endsTransaction);
