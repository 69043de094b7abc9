/** Payments, and transfers of rewards. */
import { KIB } from './sizes.ts';

export const payments = {
  /** Of one user: each is a line of his statement and of the books for ever, and once in three minutes is often. */
  transfersAnHour: 20,
  /** What a transfer of rewards was earned by, as far as its line names it: a line of the page's width. */
  transferCauses: 5,
  /** Transfers of a sheet for which that is worked out at once: all rewards are sorted for it, and ten pages are kept. */
  transfersExplained: 5_000,

  /** The largest top-up: beyond it is a slip of the hand. */
  topupDollars: 1_000_000,
  /** How long a price holds; gateways let payers in for about as long. */
  topupOpenSec: 1_800,
  /** How much longer for a payment whose callback is under way, or repeated: afterwards it buys at the price of the day. */
  topupLateSec: 900,
  /** Unpaid orders of one user within that time: more are made by no payer. */
  topupsOpen: 20,
  /** Of these with one code that may be used so often at all: each holds a use that others do without meanwhile. */
  topupsOpenOfCode: 2,
  /** Providers are asked about an unpaid order from a minute after it was made until a day after. */
  topupAskEveryMs: 120_000,
  topupAskAfterSec: 60,
  topupAskForSec: 86_400,
  /** Of one round, and at once: each takes ten seconds at the most, so that a round ends before the next. */
  topupsAsked: 50,
  topupsAskedAtOnce: 5,
  /**
   * How long an order that nobody paid is kept: beyond the longest time that a provider lets a payer take (vouchers of
   * Stripe's Boleto and Konbini last 60 days, docs.stripe.com/api/checkout/sessions/create) and its
   * callbacks another month, so that late money finds it. Removed by slices of so many.
   */
  topupUnpaidSec: 90 * 86_400,
  topupsRemoved: 1_000,
  /** What a provider answers of one order. */
  paymentAnswerBytes: 64 * KIB,
} as const;
