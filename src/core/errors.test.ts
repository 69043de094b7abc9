import { describe, expect, it } from 'bun:test';
import { catalogue, type ErrorCode, fail } from './errors.ts';

describe('Retry-After', () => {
  it('stands on every 503, and says what is known better', () => {
    for (const code of Object.keys(catalogue) as ErrorCode[]) {
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
