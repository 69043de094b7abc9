import { describe, expect, it } from 'bun:test';
import { subjects } from './errors/catalogue.ts';
import { catalogue, type ErrorCode, fail } from './errors.ts';

const codes = Object.keys(catalogue) as ErrorCode[];

describe('the catalogue', () => {
  it('declares each code in one file only', () => {
    const all = Object.values(subjects).flatMap((subject) => Object.keys(subject));
    expect(all.filter((code, at) => all.indexOf(code) !== at)).toEqual([]);
    expect(new Set<string>(all)).toEqual(new Set(codes));
  });

  it('says each refusal in both languages, with the statuses of a refusal', () => {
    const bad = codes.filter((code) => {
      const { api, relay, text } = catalogue[code];
      const refuses = (api === 200 || (api >= 400 && api < 600)) && relay >= 400 && relay < 600;
      return !refuses || !text.zh.trim() || !text.en.trim();
    });
    expect(bad).toEqual([]);
  });

  it('fills the same holes in both languages', () => {
    const holes = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();
    const bad = codes.filter((code) => {
      const { zh, en } = catalogue[code].text;
      return holes(zh).join() !== holes(en).join();
    });
    expect(bad).toEqual([]);
  });

  it('is closed: a code that no file declares is refused by the types', () => {
    // @ts-expect-error This is no code of the catalogue.
    const unknown: ErrorCode = 'NO_SUCH_CODE';
    expect(Object.hasOwn(catalogue, unknown)).toBe(false);
  });
});

describe('Retry-After', () => {
  it('stands on every 503, and says what is known better', () => {
    for (const code of codes) {
      const error = fail(code);
      for (const status of [error.apiStatus, error.relayStatus]) {
        expect([code, error.retryAfter(status)]).toEqual([code, status === 503 ? '5' : null]);
      }
    }
    expect(fail('OVERLOADED', { retryAfterSec: 1.2 }).retryAfter(503)).toBe('2');
    expect(fail('RATE_LIMIT', { retryAfterSec: 7 }).retryAfter(429)).toBe('7');
    // A status that the operator has mapped.
    const mapped = fail('upstream_error', { status: 503 });
    expect(mapped.retryAfter(mapped.relayStatus)).toBe('5');
  });
});
