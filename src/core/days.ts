/** Days of a time zone, as the seconds at which they begin. */

import { DAY_SEC, HOUR_SEC } from './time.ts';
import { formatDateTime } from './time-text.ts';

/** Changes of a zone's clock lie further apart: between two equal distances from UTC so near there was none. */
const SURE_DAYS = 14;

/** Seconds that a zone's clock is ahead of UTC. */
function aheadAt(seconds: number, timeZone: string): number {
  if (timeZone === 'UTC') return 0;
  return Date.parse(`${formatDateTime(seconds, timeZone).replace(' ', 'T')}Z`) / 1000 - seconds;
}

/**
 * The first seconds of all days from that of `from` to that of `to`, and of the day after: each day goes from one of them
 * to the next. A day with a change of the clock has more or fewer hours than 24.
 */
export function dayStarts(from: number, to: number, timeZone: string): number[] {
  const dayAt = (seconds: number) => Math.floor((seconds + aheadAt(seconds, timeZone)) / DAY_SEC);
  const starts = [startOf(dayAt(from), from, dayAt)];
  for (let last = starts[0] ?? from; last <= to; last = starts.at(-1) ?? to) {
    const ahead = aheadAt(last, timeZone);
    // A day that the clock leaps into begins at one, and the next at midnight all the same.
    const isMidnight = (last + ahead) % DAY_SEC === 0;
    const isSure = isMidnight && ahead === aheadAt(last + SURE_DAYS * DAY_SEC, timeZone);
    const sure = isSure ? SURE_DAYS - 1 : 0;
    for (let n = 1; n <= sure && (starts.at(-1) ?? to) <= to; n++) starts.push(last + n * DAY_SEC);
    if (sure === 0) starts.push(startOf(dayAt(last) + 1, last + DAY_SEC, dayAt));
  }
  return starts;
}

/** The first second of a day, looked for around one that is not far from it. */
function startOf(day: number, near: number, dayAt: (seconds: number) => number): number {
  let [before, within] = [near - DAY_SEC - 3 * HOUR_SEC, near + 3 * HOUR_SEC];
  while (within - before > 1) {
    const middle = Math.floor((before + within) / 2);
    if (dayAt(middle) < day) before = middle;
    else within = middle;
  }
  return within;
}
