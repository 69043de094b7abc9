import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { hasMoreKeys } from './json-keys.ts';

/** As the parser sees them. */
function keysIn(value: unknown): Set<string> {
  const found = new Set<string>();
  const walk = (one: unknown) => {
    if (typeof one !== 'object' || one === null) return;
    for (const [key, inner] of Object.entries(one)) {
      if (!Array.isArray(one)) found.add(key);
      walk(inner);
    }
  };
  walk(value);
  return found;
}

describe('keys of JSON text', () => {
  it('are counted as the parser finds them, whatever stands in the strings', () => {
    const text = fc.stringMatching(/^[a-c"\\:,{} ]{0,6}$/);
    const { json } = fc.letrec((tie) => ({
      json: fc.oneof(
        text,
        fc.array(tie('json')),
        fc.dictionary(text, tie('json'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(json, fc.constantFrom(undefined, 1), (value, indent) => {
        const written = JSON.stringify(value, null, indent);
        const { size } = keysIn(value);
        expect(hasMoreKeys(written, { count: size })).toBe(false);
        if (size > 0) expect(hasMoreKeys(written, { count: size - 1 })).toBe(true);
      }),
    );
  });

  it('that come again and again are one', () => {
    expect(
      hasMoreKeys(JSON.stringify(Array.from({ length: 1_000 }, () => ({ role: 1 }))), {
        count: 1,
        weight: 4,
      }),
    ).toBe(false);
  });

  it.each([
    ['a letter', 'a', 1],
    ['a mark', '.', 16],
    ['what is not ASCII', 'ﷺ', 128],
    ['an escape, which may be anything', '\\ufdfa', 128 + 5],
  ])('weigh as much as they are to fold: %s', (_what, key, weight) => {
    const text = `{"a":1,"a":{"${key}${key}":2}}`;
    const all = 1 + 2 * weight;
    expect(hasMoreKeys(text, { count: 2, weight: all })).toBe(false);
    expect(hasMoreKeys(text, { count: 2, weight: all - 1 })).toBe(true);
  });

  it.each(['', '"', '"a', '{"a"', '{"a":', '{"a\\"', ':', '":"'])('of %j, which is no JSON, end', (text) => {
    expect(hasMoreKeys(text, { count: 5, weight: 5 })).toBe(false);
  });
});
