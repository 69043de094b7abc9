import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { nestsDeeper, valuesIn } from './json-depth.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? 1 + Math.max(0, ...Object.values(value).map((held) => depthOf(held)))
    : 0;

describe('the depth of JSON text', () => {
  it('is that of the parsed value, whatever its strings hold', () => {
    const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', ']', '{', '}', 'a', '汉') });
    const value = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 6 },
        fc.integer(),
        text,
        fc.array(tie('value')),
        fc.dictionary(text, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(value, fc.integer({ min: 0, max: 8 }), (given, max) => {
        expect(nestsDeeper(JSON.stringify(given), max)).toBe(depthOf(given) > max);
      }),
    );
  });

  it('is found in text that is no JSON', () => {
    expect(nestsDeeper('['.repeat(65), 64)).toBe(true);
    expect(nestsDeeper('['.repeat(64), 64)).toBe(false);
    expect(nestsDeeper(`"${'['.repeat(1_000)}`, 64)).toBe(false);
  });
});

it.each([
  ['[]', 1],
  ['[1,2,{"a":[",[{"]}]', 5],
  ['"[,"', 0],
  ['[[[]]]', 3],
  ['[[[[]]]]', Number.POSITIVE_INFINITY],
  ['[1,2,3,4,5]', 5],
  ['[1,2,3,4,5,6]', Number.POSITIVE_INFINITY],
])('the values in %s are %p', (text, values) => {
  expect(valuesIn(text, { most: 5, deepest: 3 })).toBe(values);
});
