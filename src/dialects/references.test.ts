import { describe, expect, it, test } from 'bun:test';
import fc from 'fast-check';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { Tool } from './neutral.ts';
import { checkSize, moreIn, SchemaSizes, schemaFields } from './references.ts';
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
  ['by the last step', 1, { items: { $ref: '#/not/a' }, not: { a: {} }, $defs: { a: LARGE } }],
  ['by the longer of both', 2, { items: { $ref: '#/not/a' }, not: { a: LARGE }, $defs: { a: {} } }],
  ['by the name of the whole', 1, { items: { $ref: '#' }, $defs: { '#': LARGE } }],
  ['as OpenAPI has it', 2, { items: { $ref: 'x/a' }, components: { schemas: { a: LARGE } } }],
  ['of the whole, once', 1, { ...LARGE, properties: { a: { $ref: '#' } } }],
  ['that is not there', 0, { items: { $ref: '#/$defs/b' }, $defs: { a: LARGE } }],
])('counts what a reference names: %s', (_, times, schema) => {
  expect(measured(schema).bytes).toBeGreaterThanOrEqual(times * 1_000);
  expect(measured(schema).bytes).toBeLessThan((2 * times + 1) * 1_000);
});

test('counts it in fields that its own wire has no schema in', () => {
  const schema = { properties: fields(3, { $ref: '#/$defs/a' }), $defs: { a: LARGE } };
  const body = { messages: [schema], response_format: { response_schema: schema } };
  const { bytes } = new SchemaSizes().ofFields(schemaFields(body));
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

/** Blocks of an editor, each of which may hold all of them. */
const editor = (blocks: number): JsonObject => {
  const all = Array.from({ length: blocks }, (_, n) => `block${n}`);
  const anyOf = all.map((name) => ({ $ref: `#/$defs/${name}` }));
  const children = { type: 'array', items: { anyOf } };
  const $defs = Object.fromEntries(
    all.map((name) => [name, { properties: { type: { const: name }, children } }]),
  );
  return { properties: { root: { $ref: '#/$defs/block0' } }, $defs };
};

test.each([
  [4, 16],
  [5, 65],
  [6, 326],
])('counts %i blocks that may hold one another as often as they do: %i times', (blocks, times) => {
  const { bytes } = measured(editor(blocks));
  expect([bytes > 100 * times, bytes < 300 * times]).toEqual([true, true]);
});

/** What LiteLLM's `unpack_defs` makes of it, in characters. */
function unpacked(value: Json, about: JsonObject, chain: readonly string[] = []): number {
  if (Array.isArray(value))
    return value.reduce<number>((sum, each) => sum + 1 + unpacked(each, about, chain), 1);
  if (!isObject(value)) return JSON.stringify(value).length;
  const object = value as JsonObject;
  const { $ref, $defs, ...said } = object;
  const defs = { ...about, ...($defs as JsonObject) };
  const name = typeof $ref === 'string' ? $ref.slice($ref.lastIndexOf('/') + 1) : '';
  const target = chain.includes(name) ? undefined : defs[name];
  if (target) return unpacked(target, defs, [...chain, name]);
  const fields = Object.entries($ref === undefined ? said : { $ref, ...said });
  return fields.reduce((sum, [key, each]) => sum + key.length + 4 + unpacked(each ?? null, defs, chain), 1);
}

test('counts no less than LiteLLM makes of it', () => {
  const name = fc.constantFrom('a', 'b', 'c');
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 4 },
      fc.record({ type: fc.constantFrom('string', 'x'.repeat(50)) }),
      fc.record({
        $ref: fc
          .tuple(fc.constantFrom('#/$defs/', '#/properties/', '#/', ''), name)
          .map(([way, to]) => way + to),
      }),
      fc.record({ properties: fc.dictionary(name, tie('schema')) }),
      fc.record({ anyOf: fc.array(tie('schema'), { maxLength: 3 }) }),
      fc.record({ items: tie('schema'), $defs: fc.dictionary(name, tie('schema')) }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(name, schema), schema, ($defs, root) => {
      const whole = { ...root, $defs };
      expect(measured(whole).bytes).toBeGreaterThanOrEqual(unpacked(whole, {}));
    }),
  );
});

test('needs no measure of more than a model reads', () => {
  expect(() => measured({ x: { $ref: 'a' }, y: Array(50_000).fill({}) })).toThrow('invalid_request');
});

describe('as whoever asks Google copies', () => {
  const description = 'd'.repeat(1_000);
  const strings = (count: number) => Array(count).fill({ type: 'string' });

  test.each<[how: string, times: number, schema: JsonObject]>([
    ['a description, into each branch', 9, { description, anyOf: strings(9) }],
    ['a title', 9, { title: description, anyOf: strings(9) }],
    ['into branches of branches', 9, { description, anyOf: Array(3).fill({ anyOf: strings(3) }) }],
    ['into each of a list of types', 9, { description, type: Array(9).fill('string') }],
    [
      'into branches that are named',
      9,
      { description, anyOf: [{ $ref: 'a' }], $defs: { a: { anyOf: strings(9) } } },
    ],
    [
      'not of a field that is called so',
      1,
      { properties: { anyOf: strings(9), description: { description } } },
    ],
    ['what a list of types says of lists', 5, { type: Array(5).fill('array'), items: { description } }],
    [
      'and lists in those',
      9,
      { type: Array(3).fill('array'), items: { type: Array(3).fill('array'), items: { description } } },
    ],
  ])('%s', (_, times, schema) => {
    const { bytes } = measured(
      { properties: { x: schema }, $defs: schema.$defs },
      new SchemaSizes({ copies: true }),
    );
    expect([bytes > times * 1_000, bytes < (times + 1) * 1_000]).toEqual([true, true]);
    expect(measured({ properties: { x: schema } }).bytes).toBeLessThan(2_000);
  });
});

test.each<[JsonObject, 'references' | 'copies' | undefined]>([
  [{ a: [{ description: 'a', anyOf: [{}] }, { $ref: 'a' }] }, 'references'],
  [{ a: [{ title: 'a', anyOf: [{}] }] }, 'copies'],
  [{ type: ['array', 'object'] }, 'copies'],
  [{ $ref: {}, anyOf: [{}], items: { description: 'a' } }, undefined],
])('knows what may mean more than it says: %j', (body, more) => {
  expect(moreIn(body)).toBe(more);
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
