import { describe, expect, test } from 'bun:test';
import { limits } from '../../core/limits.ts';
import { DAY_SEC } from '../../core/time.ts';
import { formatDateTime, parseDateTime } from '../../core/time-text.ts';
import type { Step } from './facts.ts';
import { stepsOf } from './steps.ts';

const BERLIN = 'Europe/Berlin';
const at = (text: string, zone = BERLIN): number => parseDateTime(text, zone) ?? Number.NaN;
const texts = (from: string, to: string, step: Step, zone = BERLIN): string[] =>
  stepsOf(at(from, zone), at(to, zone), step, zone).starts.map((start) =>
    formatDateTime(start, zone).slice(5, 16),
  );

describe('steps', () => {
  test('begin where the time begins, then on the hour, at midnight, on Monday', () => {
    expect(texts('2026-11-03 10:20:00', '2026-11-03 13:00:00', 'hour')).toEqual([
      '11-03 10:20',
      '11-03 11:00',
      '11-03 12:00',
      '11-03 13:00',
    ]);
    expect(texts('2026-11-03 10:20:00', '2026-11-05 00:00:00', 'day')).toEqual([
      '11-03 10:20',
      '11-04 00:00',
      '11-05 00:00',
    ]);
    expect(texts('2026-11-03 10:20:00', '2026-11-16 00:00:00', 'week')).toEqual([
      '11-03 10:20',
      '11-09 00:00',
      '11-16 00:00',
    ]);
    expect(texts('2026-11-09 00:00:00', '2026-11-09 00:00:00', 'week')).toEqual(['11-09 00:00']);
  });

  test('are days of 25 hours where the clock goes back', () => {
    const { starts } = stepsOf(at('2026-10-24 00:00:00'), at('2026-10-26 12:00:00'), 'day', BERLIN);
    expect(starts.map((start, n) => (starts[n + 1] ?? start) - start)).toEqual([DAY_SEC, DAY_SEC + 3600, 0]);
  });

  test('are longer than asked for where there would be too many', () => {
    const long = (days: number, step: Step) => stepsOf(0, days * DAY_SEC - 1, step, 'UTC');
    expect(long(16, 'hour')).toMatchObject({ step: 'hour' });
    expect(long(17, 'hour')).toMatchObject({ step: 'day' });
    expect(long(limits.usageSteps, 'hour')).toMatchObject({ step: 'day' });
    expect(long(limits.usageSteps + 1, 'day')).toMatchObject({ step: 'week' });
    expect(long(7 * limits.usageSteps * 3, 'hour').step).toBe('week');
  });
});
