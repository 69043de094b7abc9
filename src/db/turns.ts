/**
 * Transactions of callers take turns, by who asks and by network: each holds one of the connections that sessions are
 * looked up by, and all that change rows of a kind wait for its version. What only reads takes its turns
 * where its time is bounded, in `boundedRead`; the server's own work waits for nobody.
 */
import { limits } from '../core/limits.ts';
import { createFairGate } from '../platform/fair-gate.ts';
import { turnOfWork } from '../platform/on-behalf.ts';
import type { Orm } from './orm.ts';

/** The same, whose transactions throw RATE_LIMIT when too much of a caller's waits already, OVERLOADED when too much of others does. */
export function withTurns(orm: Orm): Orm {
  const transaction = orm.transaction.bind(orm);
  const gate = createFairGate({
    atOnce: limits.changesAtOnce,
    ofOneAtOnce: limits.changesOfOneAtOnce,
    waitingMax: limits.changesWaiting,
    ofOneWaitingMax: limits.changesOfOneWaiting,
  });
  orm.transaction = async (work, config) => {
    const turn = config?.accessMode === 'read only' ? undefined : turnOfWork();
    return turn ? gate.run(turn, () => transaction(work, config)) : transaction(work, config);
  };
  return orm;
}
