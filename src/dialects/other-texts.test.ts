import { expect, it } from 'bun:test';
import { ANY, each, either, list, otherTexts, reads, TEXT } from './other-texts.ts';

it.each([
  ['alone', ANY],
  ['beside another shape', either(list(TEXT), ANY)],
  ['in a list', list(ANY)],
])('what is measured as a whole is no unknown text, %s', (_, shape) => {
  const given = { known: [['a', { b: 'c' }], { d: ['e'] }], other: ['f'] };
  expect(otherTexts(given, reads([], each(['known'], shape)))).toEqual(['["f"]']);
});
