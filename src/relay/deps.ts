/** What the relay uses: what its rooms keep, what it knows of others, and what the whole server has. */
import type { ChannelView } from '../modules/channel/model.ts';
import type { ChannelQuarters } from '../modules/channel/quarters.ts';
import type { OwnKeys } from '../modules/custom-model/service.ts';
import type { Deps } from '../modules/deps.ts';
import type { FailureLog } from '../modules/log/failures.ts';
import type { Balances } from '../modules/token/balance.ts';
import type { Callers } from '../modules/token/callers.ts';
import type { AnswerParts } from './answer/parts.ts';
import type { AttemptParts } from './attempt/parts.ts';
import type { ChargeParts } from './charge/parts.ts';
import type { ChooseParts } from './choose/parts.ts';
import type { EntryParts } from './entry/parts.ts';

export interface RelayParts extends EntryParts, ChooseParts, AttemptParts, ChargeParts, AnswerParts {
  callers: Callers;
  /** Calls that were refused or failed, for the log of whoever made them. */
  failures: FailureLog;
  balances: Balances;
  channels: ChannelView;
  /** How each channel has answered over the last days, for people. */
  quarters: ChannelQuarters;
  /** Callers' own keys at suppliers. */
  ownKeys: OwnKeys;
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
