import { describe, expect, it } from 'bun:test';
import { crowd, patience } from './patience.ts';

describe('patience', () => {
  it.each([
    [0, 2, 1],
    [2, 2, 1],
    [6, 2, 3],
    [20, 2, 10],
    [200, 2, 10],
    [20, 16, 1.25],
  ])('grows with a load of %d on %d processors to %d times', (load, processors, times) => {
    expect(crowd(load, processors)).toBe(times);
  });

  it('is never less than what a quiet machine needs', () => {
    expect(patience(1_000)).toBeGreaterThanOrEqual(1_000);
    expect(patience(1_000)).toBeLessThanOrEqual(10_000);
  });
});
