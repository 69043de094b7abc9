/**
 * On whose behalf work is done, known to what shares the database out below every service: each would otherwise have to
 * hand it down, and the one that forgot would be bounded by nobody. It decides turns and time alone, never what somebody
 * may do.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Turn } from './fair-gate.ts';

interface Behalf {
  turn: () => Turn | undefined;
  /** Somebody waits for what is done. */
  isAwaited: boolean;
}

const behalves = new AsyncLocalStorage<Behalf>();

/** Runs `work`; `turn` is asked whenever part of it takes a turn, for a call begins before it is known who calls. */
export const onBehalf = <T>(turn: () => Turn, work: () => T): T =>
  behalves.run({ turn, isAwaited: true }, work);

/** Runs what goes on behind an answer: it takes its caller's turns, and as long as it needs. */
export function behindAnswer<T>(work: () => T): T {
  const behalf = behalves.getStore();
  return behalf ? behalves.run({ ...behalf, isAwaited: false }, work) : work();
}

/** Runs what somebody waits for, from wherever he asks; whose turn it takes stays as it is. */
export const awaited = <T>(work: () => T): T =>
  behalves.run({ turn: () => undefined, ...behalves.getStore(), isAwaited: true }, work);

/** Whose turn the present work takes; undefined for the server's own. */
export const turnOfWork = (): Turn | undefined => behalves.getStore()?.turn();

/** Whether somebody waits for the present work, as callers of the console do. */
export const isAwaited = (): boolean => behalves.getStore()?.isAwaited ?? false;
