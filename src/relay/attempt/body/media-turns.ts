/** Whose turn it is to have media fetched, of all calls of the process. */
import { limits } from '../../../core/limits.ts';
import { createFairGate, type FairGate } from '../../../platform/fair-gate.ts';
import { Places } from '../../../platform/places.ts';

/** The connections that calls have beside their own two, which `callsWithin` counts. */
export interface MediaTurns {
  gate: FairGate;
  /** Those that take long, by networks: a host that says nothing would keep the places of all for as long as it likes. */
  slow: Places<string>;
}

export const createMediaTurns = (): MediaTurns => ({
  gate: createFairGate({
    atOnce: limits.inlineMediaAtOnce,
    ofOneAtOnce: limits.inlineMediaOfOneAtOnce,
    waitingMax: limits.inlineMediaWaiting,
    ofOneWaitingMax: limits.inlineMediaOfOneWaiting,
  }),
  slow: new Places(limits.inlineMediaSlowAtOnce, limits.inlineMediaSlowShare),
});
