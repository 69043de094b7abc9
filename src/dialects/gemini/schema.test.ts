import { describe, expect, spyOn, test } from 'bun:test';
import fc from 'fast-check';
import { writtenBy } from '../../../tests/support/written.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { writeRequest } from './request.ts';
import { CleanSchemas, plainSchema } from './schema.ts';

const cleanSchema = (schema: JsonObject): JsonObject => new CleanSchemas().schema(schema);
const cleanParameters = (schema: JsonObject | undefined) => new CleanSchemas().parameters(schema);

describe('a JSON schema for the service', () => {
  test.each<[string, JsonObject, JsonObject]>([
    [
      'keywords that it does not know go',
      {
        $schema: 'x',
        type: 'object',
        additionalProperties: false,
        patternProperties: {},
        properties: { a: { type: 'number', exclusiveMinimum: 0, minimum: 0 } },
        required: ['a', 'gone'],
      },
      { type: 'object', properties: { a: { type: 'number', minimum: 0 } }, required: ['a'] },
    ],
    [
      'references are put in',
      {
        type: 'object',
        properties: { a: { $ref: '#/$defs/A', description: 'here' }, b: { $ref: '#/definitions/B~1C' } },
        $defs: { A: { type: 'string', format: 'uri' } },
        definitions: { 'B/C': { type: 'string', format: 'date-time' } },
      },
      {
        type: 'object',
        properties: {
          a: { type: 'string', description: 'here' },
          b: { type: 'string', format: 'date-time' },
        },
      },
    ],
    ['a list of types with null', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
    [
      'a list of types',
      { type: ['string', 'number', 'null'] },
      { nullable: true, anyOf: [{ type: 'string' }, { type: 'number' }] },
    ],
    [
      'a choice with null',
      { oneOf: [{ type: 'integer' }, { type: 'null' }], description: 'd' },
      { type: 'integer', description: 'd', nullable: true },
    ],
    [
      'a choice',
      { oneOf: [{ type: 'integer' }, { const: 'a' }] },
      { anyOf: [{ type: 'integer' }, { type: 'string', enum: ['a'] }] },
    ],
    ['a constant without a type', { const: 'a' }, { type: 'string', enum: ['a'] }],
    ['a list of texts without a type', { enum: ['a', 'b'] }, { type: 'string', enum: ['a', 'b'] }],
    ['a whole number without a type', { const: 1 }, { type: 'integer' }],
    ['a number without a type', { const: 0.5 }, { type: 'number' }],
    ['yes or no without a type', { const: false }, { type: 'boolean' }],
    [
      'a constant with a choice',
      { const: 'a', anyOf: [{ type: 'string' }] },
      { type: 'string', enum: ['a'] },
    ],
    ['a constant', { type: 'string', const: 'a' }, { type: 'string', enum: ['a'] }],
    ['constants that are no texts', { type: 'integer', enum: [1, 2] }, { type: 'integer' }],
    [
      'all at once',
      {
        allOf: [
          { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
          { properties: { b: { type: 'boolean' } }, required: ['b'] },
        ],
      },
      {
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'boolean' } },
        required: ['a', 'b'],
      },
    ],
    [
      'a tuple',
      { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] },
      { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'number' }] } },
    ],
    ['a list of anything', { type: 'array' }, { type: 'array', items: { type: 'string' } }],
  ])('%s', (_name, given, expected) => {
    expect(cleanSchema(given)).toEqual(expected);
  });

  test('a schema that holds itself ends somewhere', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { children: { type: 'array', items: { $ref: '#' } }, next: { $ref: '#/properties/next' } },
    };
    expect(JSON.stringify(cleanSchema(tree)).length).toBeLessThan(1_000);
  });

  const write = writtenBy(writeRequest, {
    dialect: 'openai-chat',
    model: 'gemini-2.5-flash',
    askUsage: true,
  });
  const written = (schemas: JsonObject[]) =>
    write({ tools: schemas.map((parameters) => ({ type: 'function', name: 'f', parameters })) });

  const many = <T>(count: number, one: (n: number) => T): T[] =>
    Array.from({ length: count }, (_, n) => one(n));
  const named = (count: number, schema: JsonObject): JsonObject =>
    Object.fromEntries(many(count, (n) => [`p${n}`, schema]));

  test.each<[string, JsonObject]>([
    ['properties', { properties: named(3, { $ref: '#/$defs/b' }) }],
    ['allOf', { type: 'object', allOf: many(3, () => ({ $ref: '#/$defs/b' })) }],
    ['anyOf', { anyOf: many(3, () => ({ $ref: '#/$defs/b' })) }],
    ['the whole', { properties: named(3, { $ref: '#' }) }],
  ])('one that holds itself many times by %s is put in once', (_name, b) => {
    const cleaned = cleanSchema({ type: 'object', $defs: { b }, properties: { q: { $ref: '#/$defs/b' } } });
    expect(JSON.stringify(cleaned).length).toBeLessThan(1_000);
  });

  test('what stands beside a reference that cannot be put in still says what it is for', () => {
    const next = { $ref: '#', description: 'the rest' };
    expect(cleanSchema({ type: 'object', properties: { next } })).toEqual({
      type: 'object',
      properties: { next: { type: 'object', description: 'the rest' } },
    });
  });

  test('a definition is put in wherever it is named', () => {
    const point = { type: 'object', properties: { x: { type: 'number' } } };
    const to = { $ref: '#/$defs/point' };
    expect(cleanSchema({ properties: { a: to, b: to }, $defs: { point } })).toEqual({
      type: 'object',
      properties: { a: point, b: point },
    });
  });

  const doubling = (depth: number): JsonObject => ({
    $ref: '#/$defs/d0',
    $defs: Object.fromEntries(
      many(depth, (n) => [`d${n}`, { properties: named(8, { $ref: `#/$defs/d${n + 1}` }) }]),
    ),
  });
  const repeated = (definition: JsonObject): JsonObject => ({
    $defs: { d: definition },
    properties: named(2_000, { $ref: '#/$defs/d' }),
  });

  test.each<[string, JsonObject]>([
    ['definitions that double', doubling(7)],
    ['a long list', repeated({ type: 'string', enum: many(1_000, (n) => `v${n}`) })],
    ['a long list of what no schema holds', repeated({ anyOf: many(1_000, (n) => n) })],
    ['many keywords', repeated(named(1_000, {}))],
    ['a long text', repeated({ type: 'string', description: 'd'.repeat(10_000) })],
    ['a large example', repeated({ type: 'object', example: named(1_000, { a: 'e' }) })],
    ['a long reference', repeated({ $ref: `#${'/'.repeat(10_000)}properties/a0` })],
    ['long names', repeated({ properties: { ['n'.repeat(10_000)]: {} } })],
  ])('a short schema that means a huge one is refused: %s', (_name, schema) => {
    expect(() => written([schema])).toThrow('invalid_request');
  });

  test('the schemas of one request count together', () => {
    const schema = { properties: named(2_000, { type: 'string', title: 't', enum: ['a', 'b'] }) };
    expect(() => written(many(100, () => schema))).toThrow('invalid_request');
    expect(written([schema]).body.tools).toBeDefined();
  });

  const objectsIn = (value: Json | undefined, found = new Set<Json>()): Set<Json> => {
    if (typeof value !== 'object' || value === null || found.has(value)) return found;
    found.add(value);
    for (const inner of Object.values(value)) objectsIn(inner, found);
    return found;
  };
  const anyOf = (count: number, one: JsonObject): JsonObject => ({ anyOf: many(count, () => ({ ...one })) });
  const to = (name: string, beside: JsonObject = {}): JsonObject => ({ $ref: `#/$defs/${name}`, ...beside });

  test.each<[how: string, beside: JsonObject, $defs: Record<string, JsonObject>]>([
    ['definitions within definitions', {}, { a: anyOf(20, to('b')), b: anyOf(20, {}) }],
    ['properties', {}, { a: { properties: named(20, to('b')) }, b: { properties: named(20, {}) } }],
    [
      'lists',
      {},
      {
        a: { type: 'array', prefixItems: many(20, () => to('b')) },
        b: { type: 'array', items: anyOf(20, {}) },
      },
    ],
    ['beside other words', { title: 't' }, { a: anyOf(400, {}) }],
    ['all at once', { title: 't' }, { a: { allOf: [anyOf(400, {})] } }],
    [
      'all at once, of two',
      { title: 't' },
      { a: { properties: named(400, {}), allOf: [{ properties: { b: {} } }] } },
    ],
    ['types', { title: 't' }, { a: { type: many(400, (n) => `t${n}`) } }],
  ])('what is named again is not made again: %s', (_how, beside, $defs) => {
    const cleaned = cleanSchema({ $defs, properties: { p: anyOf(20, to('a', beside)) } });
    expect(JSON.stringify(cleaned).length).toBeGreaterThan(20_000);
    expect(objectsIn(cleaned).size).toBeLessThan(500);
  });

  /** How often something is put among others while it is cleaned. */
  const workOf = (schema: JsonObject): number => {
    const spies = [spyOn(Map.prototype, 'set'), spyOn(Set.prototype, 'add')];
    try {
      cleanSchema(schema);
      return spies.reduce((sum, { mock }) => sum + mock.calls.length, 0);
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  };
  const names = many(300, (n) => `n${n}`);
  const within = (levels: number, one: JsonObject, around: (inner: JsonObject) => JsonObject): JsonObject =>
    many(levels, () => around).reduce((inner, put) => put(inner), one);

  test.each<[what: string, around: (inner: JsonObject) => JsonObject, $defs: Record<string, JsonObject>]>([
    ['what is required', (inner) => ({ allOf: [inner] }), { b: { required: names } }],
    ['properties', (inner) => ({ allOf: [inner] }), { b: { properties: named(300, {}) } }],
    [
      'definitions',
      (inner) => ({ anyOf: [inner, {}] }),
      { b: { anyOf: names.map((name) => to(name)) }, ...Object.fromEntries(names.map((name) => [name, {}])) },
    ],
  ])('no level is gone through again for those around it: %s', (_what, around, $defs) => {
    const deep = (levels: number) => ({
      $defs,
      properties: Object.fromEntries(many(10, (n) => [`p${n}`, within(levels, to('b'), around)])),
    });
    expect(workOf(deep(10))).toBeLessThan(1.5 * workOf(deep(1)));
  });

  interface Level {
    /** What is open on some of the ways only. */
    own(next: JsonObject): JsonObject;
    /** Two ways to the next level. */
    ways(own: JsonObject, next: JsonObject): JsonObject[];
  }
  const LEVELS: [how: string, Level][] = [
    ['by all at once', { own: () => ({}), ways: (own, next) => [{ allOf: [own, next] }, next] }],
    ['by names', { own: (next) => next, ways: (own, next) => [own, { ...next, title: 't' }] }],
  ];
  /** A list of 160 that names what is open on some of the ways to it, so that it means something else on each. */
  const manyWays = (levels: number, { own, ways }: Level): JsonObject => {
    const $defs = many(levels, (n) => [
      [`a${n}`, own(to(`l${n + 1}`))],
      [`l${n}`, { anyOf: ways(to(`a${n}`), to(`l${n + 1}`)) }],
    ]).flat();
    const list = { anyOf: [...many(levels, (n) => to(`a${n}`)), ...many(160, () => ({}))] };
    return { ...to('l0'), $defs: Object.fromEntries([...$defs, [`l${levels}`, list]]) };
  };

  test.each(LEVELS)('what means something else on many ways is not made anew on each: %s', (_how, level) => {
    expect(objectsIn(cleanSchema(manyWays(3, level))).size).toBeLessThan(500);
    expect(() => cleanSchema(manyWays(7, level))).toThrow('invalid_request');
    expect(written([manyWays(4, level)]).body.tools).toBeDefined();
    expect(() => written(many(8, () => manyWays(4, level)))).toThrow('invalid_request');
  });

  test.each([
    [3, 5],
    [4, 16],
    [5, 41],
    [6, 86],
  ])('%i blocks that may hold one another stand %i times, none of them within itself', (count, times) => {
    const all = many(count, (n) => `block${n}`);
    const block = (name: string): JsonObject => ({
      type: 'object',
      properties: {
        ...named(3, { type: 'string', description: 'what it is for' }),
        type: { type: 'string', const: name },
        children: { type: 'array', items: { anyOf: all.map((each) => to(each)) } },
      },
      required: ['type'],
    });
    const $defs = Object.fromEntries(all.map((name) => [name, block(name)]));
    const schema = { properties: { root: to('block0') }, $defs };
    const stand = (given: unknown) => JSON.stringify(given).split('"enum":["block').length - 1;
    expect(stand(cleanSchema(schema))).toBe(times);
    expect(stand(written(many(3, () => schema)).body)).toBe(3 * times);
  });

  /** Schemas of these definitions, which may name one another and themselves, some of them deep. */
  const { schema: nodes } = fc.letrec<{ schema: JsonObject }>((tie) => {
    const name = fc.constantFrom('a', 'b', 'c', 'd');
    const inner = tie('schema');
    const list = fc.array(inner, { maxLength: 3 });
    const properties = fc.dictionary(fc.constantFrom('x', 'y', 'z'), inner, { maxKeys: 2 });
    const words = { anyOf: list, allOf: list, prefixItems: list, items: inner, properties };
    const title = fc.constantFrom('t', 'u');
    return {
      schema: fc.oneof(
        { maxDepth: 3 },
        name.map((each) => to(each)),
        fc.tuple(name, title).map(([each, title]) => to(each, { title })),
        fc.record({ ...words, title, $ref: name.map((each) => `#/$defs/${each}`) }, { requiredKeys: [] }),
      ),
    };
  });
  const deep = fc
    .tuple(fc.nat(12), nodes)
    .map(([depth, node]) => many(depth, (n) => n).reduce<JsonObject>((items) => ({ items }), node));

  test('what comes of a schema is the same whatever was cleaned before it', () => {
    fc.assert(
      fc.property(
        fc.array(deep, { minLength: 4, maxLength: 4 }),
        fc.array(deep, { maxLength: 4 }),
        (all, more) => {
          const [a = {}, b = {}, c = {}, d = {}] = all;
          const clean = (properties: JsonObject) =>
            cleanSchema({ $defs: { a, b, c, d }, properties }).properties;
          const properties = Object.fromEntries([...all, ...more].map((each, n) => [`p${n}`, each]));
          const alone = Object.entries(properties).map(([name, each]) => clean({ [name]: each }));
          expect(clean(properties)).toEqual(Object.assign({}, ...alone));
        },
      ),
    );
  });

  test('all at once within all at once is all at once', () => {
    fc.assert(
      fc.property(fc.array(nodes, { minLength: 8, maxLength: 8 }), (all) => {
        const [a = {}, b = {}, c = {}, d = {}, ...parts] = all;
        const clean = (allOf: Json[]) => cleanSchema({ $defs: { a, b, c, d }, properties: { p: { allOf } } });
        const [first = {}, ...rest] = parts;
        const [second = {}, ...last] = rest;
        expect(clean([first, { allOf: [{ allOf: [second] }, ...last] }])).toEqual(clean(parts));
      }),
    );
  });

  test('whatever comes in, something comes out', () => {
    fc.assert(
      fc.property(
        fc.object({ key: fc.constantFrom('type', 'properties', 'items', 'anyOf', 'allOf', '$ref', 'a') }),
        (given) => {
          expect(typeof cleanSchema(given as JsonObject)).toBe('object');
        },
      ),
    );
  });

  test('a function without parameters has none', () => {
    expect(cleanParameters({ type: 'object', properties: {} })).toBeUndefined();
    expect(cleanParameters(undefined)).toBeUndefined();
    expect(cleanParameters({ properties: { a: { type: 'string' } } })).toEqual({
      type: 'object',
      properties: { a: { type: 'string' } },
    });
  });
});

test("the service's schema as plain JSON schema", () => {
  expect(
    plainSchema({
      type: 'OBJECT',
      properties: {
        a: { type: 'STRING', nullable: true, maxLength: '5' },
        b: { type: 'ARRAY', items: { type: 'NUMBER' } },
      },
      propertyOrdering: ['b', 'a'],
      required: ['a'],
    }),
  ).toEqual({
    type: 'object',
    properties: {
      a: { type: ['string', 'null'], maxLength: 5 },
      b: { type: 'array', items: { type: 'number' } },
    },
    required: ['a'],
  });
});
