import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { isNear, pageNumbers } from './pagination.tsx';

describe('pageNumbers', () => {
  it('shows all pages of a short list and cuts a long one', () => {
    expect(pageNumbers(1, 1)).toEqual([1]);
    expect(pageNumbers(2, 3)).toEqual([1, 2, 3]);
    expect(pageNumbers(1, 100)).toEqual([1, 2, 3, 4, 5, null, 100]);
    expect(pageNumbers(50, 100)).toEqual([1, null, 49, 50, 51, null, 100]);
    expect(pageNumbers(99, 100)).toEqual([1, null, 96, 97, 98, 99, 100]);
  });

  it('has as many places on every page of a list, the first, the present and the last page among them, in order', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5_000 }), fc.nat(), (last, seed) => {
        const page = (seed % last) + 1;
        const shown = pageNumbers(page, last);
        const numbers = shown.filter((n) => n !== null);
        expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
        expect(numbers).toContain(page);
        expect([numbers[0], numbers.at(-1)]).toEqual([1, last]);
        expect(shown.length).toBe(Math.min(last, 7));
        // A gap stands for two pages or more.
        for (const [i, n] of shown.entries())
          if (n === null) expect(Number(shown[i + 1]) - Number(shown[i - 1])).toBeGreaterThan(2);
        const near = numbers.filter((n) => isNear(n, page, last));
        expect(near.length).toBe(Math.min(last, 3));
        expect(near).toContain(page);
      }),
    );
  });
});
