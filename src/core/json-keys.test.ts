import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { BY_SECRET, byLowBits, plainNames } from '../../tests/support/alike-names.ts';
import { JsonKeys, type KeysMax } from './json-keys.ts';

const hasMoreKeys = (text: string, max: KeysMax): boolean => new JsonKeys(max).fault(text) === 'keys';

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

  it.each([
    ['of one byte a character', BY_SECRET.latin],
    ['of two', BY_SECRET.wide],
    ['in ASCII, by the low bits alone', byLowBits],
  ])('that stand in one place of a table are told, %s', (_what, names) => {
    const [first = [], others = []] = [names(12), names(40).slice(12)];
    const objectOf = (keys: readonly string[]) =>
      JSON.stringify(Object.fromEntries(keys.map((key) => [key, 0])));
    const escaped = (text: string) =>
      text.replace(/[^ -~]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`);
    for (const spelled of [(text: string) => text, escaped]) {
      const keys = new JsonKeys({ count: 1_000 });
      expect(keys.fault(spelled(objectOf(first)))).toBeNull();
      expect(keys.fault(spelled(objectOf(others)))).toBe('alike');
      // Nothing is counted of what was refused, and nothing else is refused for it.
      expect(keys.fault(objectOf(first.map((name) => `${name}a`)))).toBeNull();
      expect(keys.fault(objectOf(plainNames(900)))).toBeNull();
    }
  });

  it.each<[string, string, number]>([
    ['in every object', '[{"999":0},{"a":{"\\u0039":[],"9":0},"99":0}]', 1_000 + 10 + 100],
    ['once in one object', `{${Array.from({ length: 1_000 }, (_, n) => `"${n}":0`).join()}}`, 1_000],
    ['but for those that are kept singly, and what is no number', '{"1000":0,"1.5":0,"-1":0,"a":["9"]}', 0],
  ])('that are small numbers count by the lists that they lay out, %s', (_what, text, places) => {
    const many = `[${Array.from({ length: 20 }, () => text).join()}]`;
    const keys = new JsonKeys({ count: 2_000, places: 20 * 12 * places });
    expect(keys.fault(many)).toBeNull();
    expect(keys.places).toBe(20 * 12 * places);
    expect(keys.fault('{"0":0}')).toBe('places');
  });
});
