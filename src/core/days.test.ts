import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { dayStarts } from './days.ts';
import { formatDateTime, parseDateTime } from './time-text.ts';

const at = (text: string, zone: string) => parseDateTime(text, zone) ?? 0;

describe('days of a zone', () => {
  it.each([
    // Spring forward and back: 23 and 25 hours.
    ['Europe/Berlin', '2026-03-28 12:00:00', '2026-03-30 12:00:00', [24, 23, 24]],
    ['Europe/Berlin', '2026-10-24 12:00:00', '2026-10-26 12:00:00', [24, 25, 24]],
    // The clock leaps at midnight itself: the day begins at one, and goes back over midnight.
    ['Africa/Cairo', '2026-04-23 12:00:00', '2026-04-25 12:00:00', [24, 23, 24]],
    ['Africa/Cairo', '2026-10-28 12:00:00', '2026-10-30 12:00:00', [24, 25, 24]],
    ['Asia/Kolkata', '2026-01-01 00:00:00', '2026-01-02 23:59:59', [24, 24]],
    ['UTC', '2026-01-01 00:00:00', '2026-01-01 00:00:00', [24]],
  ])('of %s from %s have %j hours', (zone, from, to, hours) => {
    const starts = dayStarts(at(from, zone), at(to, zone), zone);
    expect(starts.slice(1).map((start, i) => (start - (starts[i] ?? 0)) / 3600)).toEqual(hours);
  });

  it('begin where the date changes, without a gap, whatever the zone and the time', () => {
    const zones = Intl.supportedValuesOf('timeZone');
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        // From 2015 to 2035: no account is older.
        fc.integer({ min: 1_420_070_400, max: 2_051_222_400 }),
        fc.integer({ min: 0, max: 400 * 86_400 }),
        (zone, from, span) => {
          const starts = dayStarts(from, from + span, zone);
          const dateAt = (seconds: number) => formatDateTime(seconds, zone).slice(0, 10);
          const [first = 0, second = 0] = starts;
          expect(first <= from && from < second).toBe(true);
          expect(starts.at(-2) ?? 0).toBeLessThanOrEqual(from + span);
          expect(starts.at(-1) ?? 0).toBeGreaterThan(from + span);
          for (const start of starts) expect(dateAt(start - 1) < dateAt(start)).toBe(true);
          const dates = starts.map(dateAt);
          expect(new Set(dates).size).toBe(dates.length);
          for (const [i, start] of starts.slice(0, -1).entries()) {
            expect(dateAt((starts[i + 1] ?? 0) - 1)).toBe(dateAt(start));
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
