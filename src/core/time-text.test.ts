import { describe, expect, it, spyOn } from 'bun:test';
import fc from 'fast-check';
import { formatDateTime, formatRelative, formatShort, knownZone, parseDateTime } from './time-text.ts';

const NOON = 1_777_636_800; // 2026-05-01 12:00:00 UTC

/** As in a browser that has no `Temporal` yet. */
function byFormatters<T>(work: () => T): T {
  const { Temporal } = globalThis;
  Object.assign(globalThis, { Temporal: undefined });
  try {
    return work();
  } finally {
    Object.assign(globalThis, { Temporal });
  }
}

describe('absolute times', () => {
  it('are written in the zone of the viewer', () => {
    expect(formatDateTime(NOON, 'UTC')).toBe('2026-05-01 12:00:00');
    expect(formatDateTime(NOON, 'Asia/Shanghai')).toBe('2026-05-01 20:00:00');
  });

  it('read the same by whatever the engine has', () => {
    const zones = fc.constantFrom('UTC', ...Intl.supportedValuesOf('timeZone'));
    fc.assert(
      fc.property(fc.integer({ min: -2_000_000_000, max: 8_000_000_000 }), zones, (seconds, zone) => {
        for (const at of [seconds, seconds + 0.5]) {
          expect(formatDateTime(at, zone)).toBe(byFormatters(() => formatDateTime(at, zone)));
        }
      }),
    );
  });

  it('of more zones than are remembered make the oldest anew', () =>
    byFormatters(() => {
      const all = Intl.supportedValuesOf('timeZone');
      const zones = all.slice(0, 65);
      const [first = '', second = ''] = zones;
      // Others have asked for any of them in this process: after all the rest, none of these is remembered.
      for (const zone of [...all.slice(65), ...zones]) formatDateTime(NOON, zone);
      const made = spyOn(Intl, 'DateTimeFormat');
      formatDateTime(NOON, second);
      expect(made).toHaveBeenCalledTimes(0);
      formatDateTime(NOON, first);
      expect(made).toHaveBeenCalledTimes(1);
      made.mockRestore();
    }));

  it('leave out the year while it is the present one', () => {
    expect(formatShort(NOON, NOON + 86_400, 'UTC')).toBe('05-01 12:00');
    expect(formatShort(NOON, NOON + 400 * 86_400, 'UTC')).toBe('2026-05-01');
  });

  it('fall back to UTC for a zone that nobody knows', () => {
    expect(knownZone('Mars/Olympus')).toBe('UTC');
    expect(knownZone(undefined)).toBe('UTC');
    expect(knownZone('Europe/Berlin')).toBe('Europe/Berlin');
  });

  it('know a zone by the names that browsers give it, and by no other spelling', () => {
    for (const zone of [
      'UTC',
      'Asia/Shanghai',
      'Asia/Kolkata',
      'Asia/Calcutta',
      'Europe/Kiev',
      'Etc/GMT+5',
    ]) {
      expect(knownZone(zone)).toBe(zone);
      expect(formatDateTime(NOON, zone)).toMatch(/^2026-05-01 \d\d:\d\d:00$/);
    }
    for (const zone of [
      'asia/shanghai',
      'ASIA/SHANGHAI',
      'AsiA/Shanghai',
      '+08:00',
      'PRC',
      'Asia/Shanghai ',
    ]) {
      expect(knownZone(zone)).toBe('UTC');
    }
  });

  it('take no work for a zone that somebody made up, and bounded memory for all that there are', () => {
    const { DateTimeFormat } = Intl;
    let made = 0;
    const counted = new Proxy(DateTimeFormat, {
      construct: (target, given) => {
        made++;
        return Reflect.construct(target, given);
      },
    });
    Object.assign(Intl, { DateTimeFormat: counted });
    try {
      // All ways to write it in capitals and small letters.
      for (let n = 0; n < 2 ** 12; n++) {
        const letters = [...'asiashanghai'].map((letter, i) =>
          n & (2 ** i) ? letter.toUpperCase() : letter,
        );
        knownZone(`${letters.slice(0, 4).join('')}/${letters.slice(4).join('')}`);
      }
      expect(made).toBe(0);
      byFormatters(() => {
        for (const zone of Intl.supportedValuesOf('timeZone')) formatDateTime(NOON, zone);
        const all = made;
        formatDateTime(NOON, Intl.supportedValuesOf('timeZone').at(-1) ?? '');
        expect(made).toBe(all);
        // The first was forgotten for the others.
        formatDateTime(NOON, Intl.supportedValuesOf('timeZone')[0] ?? '');
        expect(made).toBe(all + 1);
      });
    } finally {
      Object.assign(Intl, { DateTimeFormat });
    }
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

  it('refuses what lies beyond the years that can be written, in every zone', () => {
    for (const zone of ['UTC', 'Asia/Shanghai', 'America/Los_Angeles', 'Pacific/Kiritimati']) {
      for (const text of ['9999-12-31 23:59:59', '0000-01-01 00:00:00', '0001-01-01 00:00:00']) {
        const at = parseDateTime(text, zone);
        expect(at === null || Number.isSafeInteger(at)).toBe(true);
      }
    }
    expect(parseDateTime('9999-12-31 23:59:59', 'UTC')).toBe(253_402_300_799);
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
