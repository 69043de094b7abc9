/** What the overview and its page alike must know. */
import type { ErrorCode } from '../../core/errors.ts';

/**
 * What a newcomer does first, in order; those of channels are for who may keep them, the site's address for who may set it.
 * The password is for root, where he came in by the one that everybody knows.
 */
export const STEPS = ['channel', 'test', 'price', 'balance', 'token', 'call', 'password', 'address'] as const;
export type StepName = (typeof STEPS)[number];

/** Days of one's own usage that are shown. */
export const OWN_DAYS = 30;

/** What figures are refused with that are not there in time, or that too many ask for: all else is told without them. */
export const BUSY_CODES: readonly string[] = [
  'LOG_TIMEOUT',
  'OVERLOADED',
  'RATE_LIMIT',
] satisfies readonly ErrorCode[];
