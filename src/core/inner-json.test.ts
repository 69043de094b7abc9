import { expect, it } from 'bun:test';
import { innerObject, parseInner } from './inner-json.ts';
import { limits } from './limits.ts';

const { jsonDepthMax: depth, innerJsonValues: most } = limits;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const listed = (values: number) => `[${'0,'.repeat(values - 1)}0]`;

it.each([
  ['an object', '{"a":[1]}', true],
  ['a text', '"{[["', true],
  ['no JSON', '{"a":', false],
  ['as deep as a body', nested(depth), true],
  ['deeper', nested(depth + 1), false],
  ['as much as is read of a request', listed(most), true],
  ['more', listed(most + 1), false],
])('JSON in a text is read within bounds: %s', (_what, text, isRead) => {
  expect(parseInner(text) !== undefined).toBe(isRead);
});

it('an object is one, and nothing else is', () => {
  expect([innerObject('{"a":1}'), innerObject('[1]'), innerObject('1'), innerObject('{')]).toEqual([
    { a: 1 },
    undefined,
    undefined,
    undefined,
  ]);
});
