/** The time that the page looks at: a preset that moves with the clock, or two fixed ends. */
import { DAY_SEC } from '@core/time.ts';
import { formatDateTime, parseDateTime } from '@core/time-text.ts';

export const RANGES = ['15m', 'today', '7d', '30d', 'all'] as const;
export type RangeName = (typeof RANGES)[number];
export const DEFAULT_RANGE: RangeName = 'today';

/** Unix seconds; undefined is open. */
export interface Range {
  from?: number;
  to?: number;
}

const startOfDay = (now: number, timeZone: string): number =>
  parseDateTime(`${formatDateTime(now, timeZone).slice(0, 10)} 00:00:00`, timeZone) ?? now - DAY_SEC;

export function rangeOf(name: RangeName, now: number, timeZone: string): Range {
  switch (name) {
    case '15m':
      return { from: now - 15 * 60 };
    case 'today':
      return { from: startOfDay(now, timeZone) };
    case '7d':
      return { from: startOfDay(now, timeZone) - 6 * DAY_SEC };
    case '30d':
      return { from: startOfDay(now, timeZone) - 29 * DAY_SEC };
    case 'all':
      return {};
  }
}
