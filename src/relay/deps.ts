/** What the relay uses. */
import type { ChannelView } from '../modules/channel/model.ts';
import type { ChannelQuarters } from '../modules/channel/quarters.ts';
import type { OwnKeys } from '../modules/custom-model/service.ts';
import type { Deps } from '../modules/deps.ts';
import type { FailureLog } from '../modules/log/failures.ts';
import type { Balances } from '../modules/token/balance.ts';
import type { Callers } from '../modules/token/callers.ts';
import type { AnswerRooms } from '../platform/answer-room.ts';
import type { BodyBudget } from '../platform/body-budget.ts';
import type { OneTimeStore } from '../platform/one-time.ts';
import type { DrainGate } from './answer/drain.ts';
import type { LackedRoom } from './answer/lacked-room.ts';
import type { SocketLimit } from './answer/socket-limit.ts';
import type { Dialer } from './attempt/dial.ts';
import type { CircuitBreakers } from './choose/circuit-breaker.ts';
import type { KeyTurns } from './choose/key-turns.ts';
import type { OwnBreakers } from './choose/own-breakers.ts';
import type { OwnTest } from './choose/own-tests.ts';
import type { RetryBudget } from './choose/retry-budget.ts';
import type { Witnesses } from './choose/witnesses.ts';
import type { CallGate } from './entry/call-gate.ts';
import type { ToolIds } from './entry/tool-ids.ts';

export interface RelayParts extends AnswerRooms {
  callers: Callers;
  /** Calls that were refused or failed, for the log of whoever made them. */
  failures: FailureLog;
  balances: Balances;
  channels: ChannelView;
  dialer: Dialer;
  /** Which key gave which answer. */
  answers: OneTimeStore;
  /** How each channel has answered over the last days, for people. */
  quarters: ChannelQuarters;
  /** Open for channels and keys that failed just now. */
  breakers: CircuitBreakers;
  /** The same for callers' own keys, apart: they push out nothing of the operator's. */
  ownBreakers: OwnBreakers;
  /** Who has seen channels and keys fail. */
  witnesses: Witnesses;
  /** Asks a channel how it is, when a call's failure may be the call's own. */
  ownTest: OwnTest;
  /** Callers' own keys at suppliers. */
  ownKeys: OwnKeys;
  /** Whose turn it is among a channel's keys. */
  turns: KeyTurns;
  retries: RetryBudget;
  drains: DrainGate;
  lackedRoom: LackedRoom;
  /** How many websockets are open. */
  sockets: SocketLimit;
  /** Calls under way. */
  calls: CallGate;
  /** Under which ids requests to tool services went up. */
  toolIds: ToolIds;
  /** The room of request bodies by the networks of those who send them; `bodies` is that of users. */
  bodiesByNetwork: BodyBudget;
  /** Forms on disk, by user and by network. */
  uploads: BodyBudget;
  uploadsByNetwork: BodyBudget;
  /** Pictures in memory, by network: guests ask for them, who must take no room from those who pay. */
  picturesHeld: BodyBudget;
}

export type RelayDeps = RelayParts &
  Pick<
    Deps,
    | 'env'
    | 'db'
    | 'changes'
    | 'options'
    | 'billing'
    | 'bodies'
    | 'alerts'
    | 'limiter'
    | 'outgoing'
    | 'secrets'
    | 'log'
    | 'metrics'
    | 'stopping'
  >;
