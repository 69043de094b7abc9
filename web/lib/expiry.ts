/** An expiry as forms take it: a time in the viewer's zone, or -1 for never. */

import { NEVER } from '@core/time.ts';
import { formatDateTime, parseDateTime } from '@core/time-text.ts';
import type { TFunction } from 'i18next';

/** Unix seconds, -1 for never; null for a text that is no such time. */
export const readExpiry = (text: string, timeZone: string): number | null =>
  text.trim() === String(NEVER) ? NEVER : parseDateTime(text, timeZone);

/** What stands in the field for a stored expiry. */
export const expiryText = (seconds: number, timeZone: string): string =>
  seconds === NEVER ? String(NEVER) : formatDateTime(seconds, timeZone);

interface ExpiryRules {
  timeZone: string;
  now: number;
  /** The text before the change: an expiry that has passed may stay as it is. */
  initial: string;
}

export function expiryError(text: string, rules: ExpiryRules, t: TFunction): string | undefined {
  const { timeZone, now, initial } = rules;
  const seconds = readExpiry(text, timeZone);
  if (seconds === null) return t('expiry.badHelp');
  return seconds !== NEVER && seconds <= now && text !== initial ? t('expiry.past') : undefined;
}
