/** Warnings of a low balance, letters to an account's own mailbox, and webhooks. */
import { KIB } from './sizes.ts';

export const messages = {
  // Warnings of a low balance. The spec has one mail in two hours at most; who stays below hears of it once a day.
  quotaWatchMs: 60_000,
  warnedSec: 2 * 3_600,
  warnedBelowSec: 86_400,
  /** One connection to the mail server each; and those that are tried again meanwhile, with them. */
  warningsARound: 50,
  warningsUnderWay: 150,
  /** Waited before each further try to deliver one. */
  notifyPausesMs: [5_000, 60_000],
  /**
   * Of one kind in a day to the mailbox of one account: who reads so many of them looks through all that he has. And of
   * one kind in an hour from the site to accounts that hold as much; half of these are for those who have been told of it
   * that day.
   */
  lettersOfKind: 10,
  lettersOfSite: 200,
  /** Of the balance, from which on tokens are told of. */
  tokenToldPart: 0.5,
  webhookMs: 5_000,
  /** Nobody reads what a webhook answers. */
  webhookAnswerBytes: 64 * KIB,
  /** Tests of one's notifications in ten minutes. */
  notifyTests: 3,
} as const;
