import { expect, it, test } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import type { Tool } from './neutral.ts';
import { checkSize, SchemaSizes } from './references.ts';
import { Ways } from './schema-work.ts';

const tool = (parameters: JsonObject): Tool => ({ type: 'function', name: 'f', parameters });
const measured = (parameters: JsonObject, sizes = new SchemaSizes()) =>
  sizes.ofSchemas({ tools: [tool(parameters)] });
const put = (parameters: JsonObject): void => checkSize(measured(parameters));
const fields = (count: number, of: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, of]));
const LARGE = { type: 'object', title: 'x'.repeat(1_000) };

test.each<[how: string, times: number, schema: JsonObject]>([
  ['by its way', 1, { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: LARGE } }],
  ['by another word', 1, { items: { $ref: '#/definitions/a' }, definitions: { a: LARGE } }],
  // LiteLLM goes by the last step of it.
  ['by the name in an address', 1, { items: { $ref: 'x://y/a' }, $defs: { a: LARGE } }],
  ['wherever it stands', 1, { default: { x: [{ $ref: 'a' }] }, $defs: { a: LARGE } }],
  ['as often as it is named', 3, { properties: fields(3, { $ref: 'a' }), $defs: { a: LARGE } }],
  ['of the whole, once', 1, { ...LARGE, properties: { a: { $ref: '#' } } }],
  ['that is not there', 0, { items: { $ref: '#/$defs/b' }, $defs: { a: LARGE } }],
])('counts what a reference names: %s', (_, times, schema) => {
  expect(measured(schema).bytes).toBeGreaterThanOrEqual(times * 1_000);
  expect(measured(schema).bytes).toBeLessThan((2 * times + 1) * 1_000);
});

test('counts it in fields that its own wire has no schema in', () => {
  const schema = { properties: fields(3, { $ref: '#/$defs/a' }), $defs: { a: LARGE } };
  const body = { messages: [schema], response_format: { response_schema: schema } };
  const { bytes } = new SchemaSizes().ofFields(body);
  expect([bytes > 3_000, bytes < 4_000]).toEqual([true, true]);
});

test('looks at each definition once, however often it is named', () => {
  const sizes = new SchemaSizes();
  const c = { $ref: `#${'/a'.repeat(300)}` };
  const $defs = {
    a: { anyOf: Array(18).fill({ $ref: 'b' }) },
    b: { anyOf: Array(18).fill({ $ref: 'c' }) },
    c,
  };
  measured({ $defs, anyOf: Array(18).fill({ $ref: 'a' }) }, sizes);
  expect(sizes.again).toBeLessThan(100);
});

test('one that was left out where it was open counts where it is not', () => {
  const $defs = {
    a: { items: { $ref: 'b' } },
    b: { ...LARGE, properties: fields(9, { $ref: 'c' }) },
    c: { ...LARGE, items: { $ref: 'a' } },
  };
  const { bytes } = measured({ anyOf: [{ $ref: 'a' }, { $ref: 'b' }], $defs });
  expect(bytes).toBeGreaterThan(20_000);
});

test('a way is gone once, and ends where it leads nowhere', () => {
  const ways = new Ways({ a: {} });
  for (let n = 0; n < 100; n++) expect(ways.target(`#${'/a'.repeat(300)}`)).toBeUndefined();
  expect(ways.steps).toBe(2);
});

test('refuses those that name one another without an end', () => {
  const all = Array.from({ length: 20 }, (_, n) => `d${n}`);
  const one = { anyOf: all.map(($ref) => ({ $ref })) };
  const $defs = Object.fromEntries(all.map((name) => [name, { ...one }]));
  expect(() => measured({ $ref: 'd0', $defs })).toThrow('invalid_request');
});

const LONG = 'd'.repeat(10_000);
it.each<[JsonObject]>([
  [
    {
      $ref: 'a',
      $defs: {
        a: { properties: fields(60, { $ref: 'b' }) },
        b: { properties: fields(60, { $ref: 'c' }) },
        c: { properties: fields(60, {}) },
      },
    },
  ],
  [{ properties: fields(2_000, { $ref: 'a' }), $defs: { a: { description: LONG } } }],
  [{ properties: fields(2_000, { $ref: 'a' }), $defs: { a: { enum: [LONG] } } }],
  [{ properties: fields(2_000, { $ref: 'a' }), $defs: { a: { [LONG]: {} } } }],
  [
    {
      $ref: 'p0',
      $defs: Object.fromEntries(
        Array.from({ length: 5_000 }, (_, n) => [`p${n}`, { not: { $ref: `p${n + 1}` } }]),
      ),
    },
  ],
])('refuses a short schema that means a huge one', (schema) => {
  expect(() => put(schema)).toThrow('invalid_request');
});
