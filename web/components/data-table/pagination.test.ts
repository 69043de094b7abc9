import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { pageNumbers } from './pagination.tsx';

describe('pageNumbers', () => {
  it('shows all pages of a short list and cuts a long one', () => {
    expect(pageNumbers(1, 1)).toEqual([1]);
    expect(pageNumbers(2, 3)).toEqual([1, 2, 3]);
    expect(pageNumbers(50, 100)).toEqual([1, null, 48, 49, 50, 51, 52, null, 100]);
  });

  it('always holds the first, the present and the last page, in order, and never two gaps in a row', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(), (last, seed) => {
        const page = (seed % last) + 1;
        const shown = pageNumbers(page, last);
        const numbers = shown.filter((n) => n !== null);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(numbers).toContain(page);
        expect([numbers[0], numbers.at(-1)]).toEqual([1, last]);
        expect(shown.length).toBeLessThanOrEqual(9);
        expect(shown.some((n, i) => n === null && shown[i + 1] === null)).toBe(false);
      }),
    );
  });
});
