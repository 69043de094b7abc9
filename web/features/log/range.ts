/** The time that the page looks at: a preset that moves with the clock, or two fixed ends. */
import { DAY_SEC, HOUR_SEC } from '@core/time.ts';
import { formatDateTime, parseDateTime } from '@core/time-text.ts';
import type { Unreadable } from '@/lib/search.ts';
import { searchChoice, searchReadable } from '@/lib/search-field.ts';

export const RANGES = ['15m', 'today', 'yesterday', '7d', '30d', '90d', 'all'] as const;
export type RangeName = (typeof RANGES)[number];
export const DEFAULT_RANGE: RangeName = 'today';

/** Unix seconds, both inclusive; undefined is open. */
export interface Range {
  from?: number | undefined;
  to?: number | undefined;
}

const midnightOf = (seconds: number, timeZone: string): number =>
  parseDateTime(`${formatDateTime(seconds, timeZone).slice(0, 10)} 00:00:00`, timeZone) ?? seconds - DAY_SEC;

/** Midnight so many days ago. Asked for at noon: a day with a change of the clock has 23 or 25 hours. */
function daysAgo(days: number, now: number, timeZone: string): number {
  const today = midnightOf(now, timeZone);
  return days === 0 ? today : midnightOf(today - days * DAY_SEC + 12 * HOUR_SEC, timeZone);
}

export function rangeOf(name: RangeName, now: number, timeZone: string): Range {
  switch (name) {
    case '15m':
      return { from: now - 15 * 60 };
    case 'today':
      return { from: daysAgo(0, now, timeZone) };
    case 'yesterday':
      return { from: daysAgo(1, now, timeZone), to: daysAgo(0, now, timeZone) - 1 };
    case '7d':
      return { from: daysAgo(6, now, timeZone) };
    case '30d':
      return { from: daysAgo(29, now, timeZone) };
    case '90d':
      return { from: daysAgo(89, now, timeZone) };
    case 'all':
      return {};
  }
}

export type End = 'from' | 'to';

const DATE_TEXT = /^(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2})(?::(\d{2}))?)?$/;
/** Beyond any date that a log can hold. */
const SECONDS_TEXT = /^\d{1,11}$/;

/**
 * An end of the range as an address or a date field has it: unix seconds, `2026-05-01`, `2026-05-01 14:03` or with
 * seconds, also with a T. A day without a time is meant whole. Null for what is no time.
 */
export function readInstant(text: string, end: End, timeZone: string): number | null {
  const typed = text.trim();
  if (SECONDS_TEXT.test(typed)) return Number(typed);
  const [, day, minute, second] = DATE_TEXT.exec(typed) ?? [];
  if (day === undefined) return null;
  const time =
    minute === undefined ? (end === 'from' ? '00:00:00' : '23:59:59') : `${minute}:${second ?? '00'}`;
  const at = parseDateTime(`${day} ${time}`, timeZone);
  // Nothing was logged before the clock began, and the calls take no such time.
  return at !== null && at >= 0 ? at : null;
}

/** What the address says of the time. */
export interface RangeSearch {
  from?: string | undefined;
  to?: string | undefined;
  range?: RangeName | undefined;
  unreadable?: Unreadable | undefined;
}

/**
 * What the address asks for. An end that cannot be read, or that the clock of the zone leaps over, stands for none: it is
 * given all the same, so that no preset takes its place that the filters do not show.
 */
export function readRange(
  { from, to, range = DEFAULT_RANGE, unreadable }: RangeSearch,
  now: number,
  timeZone: string,
): Range {
  const ends = [from, to, unreadable?.from, unreadable?.to];
  if (ends.every((end) => end === undefined)) return rangeOf(range, now, timeZone);
  return {
    from: from === undefined ? undefined : (readInstant(from, 'from', timeZone) ?? undefined),
    to: to === undefined ? undefined : (readInstant(to, 'to', timeZone) ?? undefined),
  };
}

/** As a date field of the browser shows it: `2026-05-01T14:03`. */
export const fieldTime = (seconds: number, timeZone: string): string =>
  formatDateTime(seconds, timeZone).slice(0, 16).replace(' ', 'T');

/** An end of a range in a page's address. Whether it is a time does not depend on the zone. */
const searchInstant = (end: End) => searchReadable((text) => readInstant(text, end, 'UTC') !== null);

/** The fields of an address that say which time a list looks at. */
export const rangeFields = {
  range: searchChoice(RANGES),
  /** Unix seconds or a time of the viewer's zone; either stands in the place of the range. */
  from: searchInstant('from'),
  to: searchInstant('to'),
};
