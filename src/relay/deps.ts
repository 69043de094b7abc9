/** What the relay uses. */
import type { ChannelView } from '../modules/channel/model.ts';
import type { Deps } from '../modules/deps.ts';
import type { Callers } from '../modules/token/callers.ts';
import type { OneTimeStore } from '../platform/one-time.ts';
import type { BodyBudget } from './body.ts';
import type { CallGate } from './call-gate.ts';
import type { Cooldowns } from './cooldown.ts';
import type { CutList } from './cut.ts';
import type { Dialer } from './dial.ts';
import type { DrainGate } from './drain.ts';
import type { KeyTurns } from './key-turns.ts';
import type { RetryBudget } from './retry-budget.ts';
import type { Seats } from './seats.ts';

export interface RelayParts {
  callers: Callers;
  channels: ChannelView;
  dialer: Dialer;
  /** Which key gave which answer. */
  answers: OneTimeStore;
  /** What rests because it failed. */
  cooldowns: Cooldowns;
  /** Whose turn it is among a channel's keys. */
  turns: KeyTurns;
  retries: RetryBudget;
  drains: DrainGate;
  cut: CutList;
  /** How many websockets are open. */
  sockets: Seats;
  /** Calls under way. */
  calls: CallGate;
  bodies: BodyBudget;
  /** Forms on disk. */
  uploads: BodyBudget;
}

export type RelayDeps = RelayParts &
  Pick<
    Deps,
    | 'env'
    | 'db'
    | 'changes'
    | 'options'
    | 'billing'
    | 'alerts'
    | 'limiter'
    | 'outgoing'
    | 'log'
    | 'metrics'
    | 'stopping'
  >;
