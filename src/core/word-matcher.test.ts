import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { createWordMatcher } from './word-matcher.ts';

/** Few letters, so that words overlap, contain one another and share their ends. */
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'C', '敏', '感'), minLength: 1, maxLength: 5 });
const text = fc.string({ unit: fc.constantFrom('a', 'B', 'c', '敏', '感', ' ', '😀'), maxLength: 40 });

/** The longest word that ends at each place. */
const places = (words: readonly string[], haystack: string): string[] => {
  const lower = haystack.toLowerCase();
  const startOf = new Map<number, number>();
  for (const each of words) {
    for (
      let at = lower.indexOf(each.toLowerCase());
      at >= 0;
      at = lower.indexOf(each.toLowerCase(), at + 1)
    ) {
      const end = at + each.length;
      startOf.set(end, Math.min(startOf.get(end) ?? at, at));
    }
  }
  return [...startOf].map(([end, start]) => `${start}-${end}`).sort();
};

describe('the word matcher', () => {
  it('finds the longest word that ends at every place, whatever the pieces of the text', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), text, fc.array(fc.nat(40)), (words, haystack, cuts) => {
        const scanner = createWordMatcher(words).scanner();
        const borders = [
          0,
          ...cuts.map((cut) => cut % (haystack.length + 1)).sort((a, b) => a - b),
          haystack.length,
        ];
        const found = borders.slice(1).flatMap((end, i) => scanner.push(haystack.slice(borders[i], end)));
        expect(found.map(({ start, end }) => `${start}-${end}`).sort()).toEqual(places(words, haystack));
      }),
    );
  });

  it('says whether a text contains any word', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 12 }), text, (words, haystack) => {
        const found = createWordMatcher(words).find(haystack);
        expect(found !== null).toBe(places(words, haystack).length > 0);
        if (found) expect(words.map((each) => each.toLowerCase())).toContain(found);
      }),
    );
  });

  it('ignores case, blank entries and letters that grow when folded', () => {
    const matcher = createWordMatcher(['  Secret ', '', '  ']);
    expect(matcher.find('İ top SECRET plan')).toBe('secret');
    expect(matcher.find('nothing here')).toBeNull();
    expect(matcher.longest).toBe(6);
    expect(createWordMatcher([]).find('anything')).toBeNull();
  });
});
