/** What calls and pages alike must know of payments. */

/** A pending order whose time is over is expired; it is credited all the same when it is paid late, by the terms of that day. */
export const TOPUP_STATUSES = [
  'pending',
  'success',
  'expired',
  'failed',
  'refunded',
  'disputed',
  // A dispute that was won, whose quota the account has no room for; an administrator gives it back.
  'owed',
  // A dispute that was won, and nothing refunded.
  'reinstated',
  // By an administrator: it is not credited by itself, though it may be paid all the same.
  'voided',
] as const;
export type TopupStatus = (typeof TOPUP_STATUSES)[number];

/** Of orders that were paid, whatever became of the money since. */
export const PAID_STATUSES: readonly string[] = [
  'success',
  'refunded',
  'disputed',
  'owed',
  'reinstated',
] satisfies TopupStatus[];

/** Its quota was added, whatever became of the money since. */
export const isCredited = ({ status }: { status: string }): boolean => PAID_STATUSES.includes(status);

export const PAYMENT_PROVIDERS = ['epay', 'stripe'] as const;
export type PaymentProviderName = (typeof PAYMENT_PROVIDERS)[number];

export const REVERSAL_KINDS = ['refund', 'dispute'] as const;
export type ReversalKind = (typeof REVERSAL_KINDS)[number];

/** Characters of what an administrator says why. */
export const TOPUP_REASON_MAX = 300;

/** The query field with which a payer comes back to the wallet: the order's number. Every provider's return has it. */
export const RETURN_FIELD = 'out_trade_no';
/** Beside it when the payer has turned back without paying, where the provider tells. */
export const CANCEL_FIELD = 'cancelled';

/** The columns by which its list can be ordered. */
export const TOPUP_ORDERS = ['created', 'user', 'way', 'quota', 'money', 'state', 'completed'] as const;
