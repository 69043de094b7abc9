import { describe, expect, it } from 'bun:test';
import { flatObject, InnerJson, innerObject, parseInner } from './inner-json.ts';
import { limits } from './limits.ts';

const { jsonDepthMax: depth, innerJsonValues: most, innerJsonChars: chars, jsonKeysMax: keys } = limits;
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
  ['as long as all of a request', `"${'a'.repeat(chars - 2)}"`, true],
  ['longer', `"${'a'.repeat(chars - 1)}"`, false],
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

describe('the JSON in all texts of a body', () => {
  const named = (from: number, count: number) =>
    `{${Array.from({ length: count }, (_, n) => `"${from + n}":0`).join(',')}}`;
  const half = Math.ceil(most / 2);

  it.each([
    ['values', [`{"a":${listed(half)}}`, `{"a":${listed(half)}}`]],
    ['different names', [named(0, keys - 1), named(1, keys)]],
    ['characters', [`{"a":"${'a'.repeat(chars - 100)}"}`, `{"a":"${'a'.repeat(100)}"}`]],
    ['depth', ['{"a":{}}', `{"a":${nested(depth)}}`]],
  ])(
    'is read within one bound of %s, and what is beyond takes nothing of it',
    (_, [first = '', beyond = '']) => {
      const inner = new InnerJson();
      expect(inner.object(first)).toBeDefined();
      expect(inner.object(beyond)).toBeUndefined();
      expect(inner.object('{"1":[0]}')).toEqual({ 1: [0] });
      expect(new InnerJson().object(beyond) === undefined).toBe(beyond.includes(nested(depth)));
    },
  );

  it('holds that of a long conversation, with texts between it that are none', () => {
    const inner = new InnerJson();
    const result = JSON.stringify({
      files: Array.from({ length: 60 }, (_, line) => ({ path: 'src/a.ts', line })),
    });
    const calls = Array.from({ length: 500 }, () => [
      inner.object('no JSON'.repeat(10_000)),
      inner.object(result),
    ]);
    expect(calls.every(([none, read]) => none === undefined && read !== undefined)).toBe(true);
  });
});

it.each([
  ['{"a":"1","b":true}', 2, { a: '1', b: true }],
  ['{"a":"1","b":true}', 1, undefined],
  ['{"a":{}}', 2, undefined],
  ['["a"]', 2, undefined],
  ['{"a":"1"', 2, undefined],
])('%s is a flat object of at most %d fields, or is not read', (text, fields, told) => {
  expect(flatObject(text, fields)).toEqual(told);
});
