/**
 * On whose behalf work is done, known to what shares the database out below every service: each would otherwise have to
 * hand it down, and the one that forgot would be bounded by nobody. It decides turns alone, never what somebody may do.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Turn } from './fair-gate.ts';

const turns = new AsyncLocalStorage<() => Turn>();

/** Runs `work`; `turn` is asked whenever part of it takes a turn, for a call begins before it is known who calls. */
export const onBehalf = <T>(turn: () => Turn, work: () => T): T => turns.run(turn, work);

/** Whose turn the present work takes; undefined for the server's own. */
export const turnOfWork = (): Turn | undefined => turns.getStore()?.();
