import { describe, expect, it } from 'bun:test';
import { fieldTime, rangeOf, readInstant, readRange } from './range.ts';

describe('the presets of the log', () => {
  const now = Date.UTC(2026, 10, 21, 20, 30) / 1000;

  it('begin at midnight of the viewer, not of the server', () => {
    expect(rangeOf('today', now, 'UTC')).toEqual({ from: Date.UTC(2026, 10, 21) / 1000 });
    expect(rangeOf('today', now, 'Asia/Shanghai')).toEqual({ from: Date.UTC(2026, 10, 21, 16) / 1000 });
    expect(rangeOf('7d', now, 'UTC')).toEqual({ from: Date.UTC(2026, 10, 15) / 1000 });
  });

  it('can be the last minutes or everything', () => {
    expect(rangeOf('15m', now, 'UTC')).toEqual({ from: now - 900 });
    expect(rangeOf('all', now, 'UTC')).toEqual({});
  });

  it('can be yesterday, whole, and ninety days with today', () => {
    const today = Date.UTC(2026, 10, 21) / 1000;
    expect(rangeOf('yesterday', now, 'UTC')).toEqual({ from: today - 86_400, to: today - 1 });
    expect(rangeOf('90d', now, 'UTC')).toEqual({ from: today - 89 * 86_400 });
  });

  it('keep to midnight over a change of the clock', () => {
    // New York left summer time on 1 November 2026: that day had 25 hours.
    const zone = 'America/New_York';
    const noon = Date.UTC(2026, 10, 2, 17) / 1000;
    expect(rangeOf('yesterday', noon, zone)).toEqual({
      from: Date.UTC(2026, 10, 1, 4) / 1000,
      to: Date.UTC(2026, 10, 2, 5) / 1000 - 1,
    });
    expect(rangeOf('7d', noon, zone)).toEqual({ from: Date.UTC(2026, 9, 27, 4) / 1000 });
  });
});

describe('the ends of a range', () => {
  const at = Date.UTC(2026, 4, 1, 6, 3) / 1000;

  it('are read as seconds, days, minutes and seconds of the viewer’s zone', () => {
    for (const text of [String(at), '2026-05-01 14:03', '2026-05-01T14:03', ' 2026-05-01 14:03:00 ']) {
      expect(readInstant(text, 'from', 'Asia/Shanghai')).toBe(at);
    }
    expect(readInstant('2026-05-01', 'from', 'UTC')).toBe(Date.UTC(2026, 4, 1) / 1000);
    expect(readInstant('2026-05-01', 'to', 'UTC')).toBe(Date.UTC(2026, 4, 2) / 1000 - 1);
    expect(fieldTime(at, 'Asia/Shanghai')).toBe('2026-05-01T14:03');
  });

  it('are no time when they name none', () => {
    for (const text of [
      '',
      'soon',
      '2026-02-30',
      '2026-05-01 25:00',
      '1.5',
      '-1',
      '9'.repeat(12),
      '01/05/2026',
      '1969-12-31',
      '0000-01-01',
      '0001-01-01 00:00',
    ]) {
      expect(readInstant(text, 'from', 'UTC')).toBeNull();
    }
  });

  it('stand in the place of the preset, each for itself', () => {
    expect(readRange({ from: '5', range: 'all' }, at, 'UTC')).toEqual({ from: 5, to: undefined });
    expect(readRange({ to: '9' }, at, 'UTC')).toEqual({ from: undefined, to: 9 });
    expect(readRange({ range: '15m' }, at, 'UTC')).toEqual({ from: at - 900 });
    expect(readRange({}, at, 'UTC')).toEqual(rangeOf('today', at, 'UTC'));
    // 1970 began there when the clock did not count yet.
    expect(readInstant('1970-01-01', 'from', 'Asia/Shanghai')).toBeNull();
  });

  it('leave no preset in the place of one that cannot be read', () => {
    expect(readRange({ unreadable: { from: 'soon' } }, at, 'UTC')).toEqual({});
    expect(readRange({ to: '9', unreadable: { from: 'soon' } }, at, 'UTC')).toEqual({ to: 9 });
    expect(readRange({ unreadable: { model: '\0' } }, at, 'UTC')).toEqual(rangeOf('today', at, 'UTC'));
  });
});
