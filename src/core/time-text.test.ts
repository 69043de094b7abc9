import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { formatDateTime, formatRelative, formatShort, knownZone, parseDateTime } from './time-text.ts';

const NOON = 1_777_636_800; // 2026-05-01 12:00:00 UTC

describe('absolute times', () => {
  it('are written in the zone of the viewer', () => {
    expect(formatDateTime(NOON, 'UTC')).toBe('2026-05-01 12:00:00');
    expect(formatDateTime(NOON, 'Asia/Shanghai')).toBe('2026-05-01 20:00:00');
  });

  it('leave out the year while it is the present one', () => {
    expect(formatShort(NOON, NOON + 86_400, 'UTC')).toBe('05-01 12:00');
    expect(formatShort(NOON, NOON + 400 * 86_400, 'UTC')).toBe('2026-05-01');
  });

  it('fall back to UTC for a zone that nobody knows', () => {
    expect(knownZone('Mars/Olympus')).toBe('UTC');
    expect(knownZone(undefined)).toBe('UTC');
    expect(knownZone('Europe/Berlin')).toBe('Europe/Berlin');
  });
});

describe('parseDateTime', () => {
  it('reads back what was written, in every zone', () => {
    const zones = fc.constantFrom(
      'UTC',
      'Asia/Shanghai',
      'America/St_Johns',
      'Pacific/Chatham',
      'Europe/Berlin',
    );
    // Where clocks go back an hour one text names two seconds; either is a right answer, so texts are compared.
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4_000_000_000 }), zones, (seconds, zone) => {
        const text = formatDateTime(seconds, zone);
        const parsed = parseDateTime(text, zone);
        expect(parsed === null ? null : formatDateTime(parsed, zone)).toBe(text);
      }),
    );
  });

  it('refuses what is no date', () => {
    for (const text of ['', '2026-13-40 00:00:00', '2026-02-30 00:00:00', '2026-05-01', 'tomorrow', '-1']) {
      expect(parseDateTime(text, 'UTC')).toBeNull();
    }
  });

  it('refuses an hour that the zone skips', () => {
    expect(parseDateTime('2026-03-29 02:30:00', 'Europe/Berlin')).toBeNull();
  });
});

describe('formatRelative', () => {
  it('speaks of the past and of what is to come', () => {
    expect(formatRelative(NOON, NOON + 5, 'zh')).toBe('刚刚');
    expect(formatRelative(NOON, NOON + 2 * 86_400, 'zh')).toBe('2 天前');
    expect(formatRelative(NOON, NOON + 3 * 3600, 'en')).toBe('3 h ago');
    expect(formatRelative(NOON + 125, NOON, 'en')).toBe('in 2 min');
  });
});
