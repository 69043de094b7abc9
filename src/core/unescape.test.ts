import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { withoutEscapes, withoutPercents } from './unescape.ts';

test.each([
  ['plain', 'plain'],
  ['\\u0041b', 'Ab'],
  ['\\\\\\u0041b', 'Ab'],
  ['\\u005cu0041', 'A'],
  ['\\u005c\\u0075', 'u'],
  ['\\u005cu005cu0041', 'A'],
  ['a\\nb\\\\tc', 'a\nb\tc'],
  ['{\\"a\\":\\\\\\"b\\\\\\"}', '{"a":"b"}'],
  ['https:\\/\\/x', 'https://x'],
  ['C:\\\\dir', 'C:\\dir'],
  ['\\uD83D\\uDE00', '😀'],
  ['\\u00g1 \\u1', '\\u00g1 \\u1'],
  ['end\\', 'end\\'],
  ['end\\\\\\', 'end\\'],
])('%s without escapes is %s', (text, plain) => {
  expect(withoutEscapes(text)).toBe(plain);
});

test('letters come out of JSON inside of JSON, however often', () => {
  const words = fc.string({ unit: fc.constantFrom(...'aä敏😀 \n"', '\u2028') });
  fc.assert(
    fc.property(words, fc.integer({ min: 1, max: 5 }), (text, layers) => {
      let inner = text;
      for (let layer = 0; layer < layers; layer++) inner = JSON.stringify({ x: inner });
      expect(withoutEscapes(inner)).toContain(text);
    }),
  );
});

test.each([
  ['100%', '100%'],
  ['%41%2', 'A%2'],
  ['a%20b', 'a b'],
  ['%e6%95%8F', '敏'],
  ['敏%zz', '敏%zz'],
])('%s without percents is %s', (text, plain) => {
  expect(withoutPercents(text)).toBe(plain);
});

test('any text that was encoded comes back', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(withoutPercents(encodeURIComponent(text))).toBe(text);
    }),
  );
});
