import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../core/json.ts';
import { cleanParameters, cleanSchema, plainSchema } from './schema.ts';

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
      { anyOf: [{ type: 'integer' }, { enum: ['a'] }] },
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
    expect(JSON.stringify(cleanSchema(tree)).length).toBeLessThan(100_000);
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
