/**
 * The only writer of balances. A reservation is committed before a byte goes upstream; a settlement is committed (or,
 * with the database away, on disk) before the end of an answer is visible.
 */

import type { JsonObject } from '../core/json.ts';
import type { LOG_TYPE } from '../core/log-types.ts';
import { modelBehind } from '../core/model-variant.ts';

/** Quota held for a call. The id is the request's id. */
export interface Hold {
  id: string;
  userId: number;
  /** 0 for a call without one, from the console. */
  tokenId: number;
  /** Quota units. */
  amount: number;
}

/** What is held before a call goes upstream. */
export interface FirstHold extends Hold {
  /** What is sold: the calls of one model are alike in what they may lack. */
  sold: string;
}

/** How a call ended and what it costs: everything its log row says. Never a prompt or an answer. */
export interface Settlement {
  id: string;
  /** Quota units; 0 for a failed call. */
  charge: number;
  /** Of a call that is charged, and of one that failed. */
  type: typeof LOG_TYPE.consumption | typeof LOG_TYPE.system;
  channelId: number;
  /** As the caller wrote it. */
  modelName: string;
  /** What is sold: the name whose price it has; empty where that is no model. */
  sold: string;
  promptTokens: number;
  completionTokens: number;
  /** Whole seconds. */
  useTimeSec: number;
  isStream: boolean;
  username: string;
  tokenName: string;
  groupName: string;
  ip: string;
  content: string;
  /** The log row's `other`. */
  other: JsonObject;
  /**
   * Of a price by the month: what the call costs in each tier. The tokens that its user has used of what is sold this month
   * when it is charged choose the tier, which then stands in the place of `charge`.
   */
  monthTiers?: MonthTier[] | undefined;
  /** Charged (or given back) and counted like any other, but without a row in the log. */
  unlogged?: boolean | undefined;
}

/** As it was written down; older versions did not tell what was sold. */
export type WrittenSettlement = Omit<Settlement, 'sold'> & { sold?: string | undefined };

export const readSettlement = <S extends WrittenSettlement>(written: S) => ({
  ...written,
  sold: written.sold ?? modelBehind(written.modelName),
});

export interface MonthTier {
  /** The most tokens of the month before the call that it is for; null for the last. */
  up_to: number | null;
  charge: number;
  /** What of the log row's `other` is the tier's own. */
  other: JsonObject;
}

export interface Settled {
  /** What the account paid; below the charge only when it had no more. */
  paid: number;
  writtenOff: number;
  /** The limit of its key had less left than that; absent where nobody has looked. */
  keyShort?: boolean | undefined;
  /** False when it waits on disk for the database to come back. */
  committed: boolean;
}

export type ReserveResult = 'granted' | 'refused';

export interface Billing {
  /** 'refused': unknown, disabled, banned or not enough. Throws `unavailable` when the database is away, `OVERLOADED` when the line is full. */
  reserve(hold: FirstHold): Promise<ReserveResult>;
  /** Adds to an open reservation of the same id. */
  extend(hold: Hold): Promise<ReserveResult>;
  /** Resolves when the settlement is committed or spooled; never rejects for a database fault. A full disk and no database together reject. */
  settle(settlement: Settlement): Promise<Settled>;
  /** Resolves when nothing waits any more. */
  drain(): Promise<void>;
  /** New reservations are refused with 503 (a full disk). */
  readonly refusing: boolean;
}
