/** An expiry as forms take it: a time in the viewer's zone, or never, which is -1 or whatever the form writes for it. */

import { NEVER } from '@core/time.ts';
import { formatDateTime, parseDateTime } from '@core/time-text.ts';
import type { TFunction } from './i18n.ts';

const NEVER_TEXT = String(NEVER);

/** Unix seconds, -1 for never; null for a text that is no such time. */
export const readExpiry = (text: string, timeZone: string, never = NEVER_TEXT): number | null =>
  text.trim() === never ? NEVER : parseDateTime(text, timeZone);

/** What stands in the field for a stored expiry. */
export const expiryText = (seconds: number, timeZone: string, never = NEVER_TEXT): string =>
  seconds === NEVER ? never : formatDateTime(seconds, timeZone);

interface ExpiryRules {
  timeZone: string;
  now: number;
  /** The text before the change: what stays as it is may have passed. */
  initial: string;
}

/** What is wrong with it: it is no time, or has passed. */
export function expiryFault(text: string, rules: ExpiryRules, never?: string): 'bad' | 'past' | undefined {
  const { timeZone, now, initial } = rules;
  if (text === initial) return undefined;
  const seconds = readExpiry(text, timeZone, never);
  if (seconds === null) return 'bad';
  return seconds !== NEVER && seconds <= now ? 'past' : undefined;
}

export function expiryError(text: string, rules: ExpiryRules, t: TFunction): string | undefined {
  const fault = expiryFault(text, rules);
  return fault && t(fault === 'bad' ? 'expiry.badHelp' : 'expiry.past');
}
