import { expect, it, test } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import type { Tool } from './neutral.ts';
import { fieldsWithReferences, withReferences } from './references.ts';

const tool = (parameters: JsonObject): Tool => ({ type: 'function', name: 'f', parameters });
const put = (parameters: JsonObject) => {
  const [made] = withReferences({ tools: [tool(parameters)] }).tools;
  return made?.type === 'function' ? made.parameters : undefined;
};
const fields = (count: number, of: JsonObject): JsonObject =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, of]));
const point = { type: 'object', title: 'Point' };

test.each<[how: string, schema: JsonObject, made: JsonObject]>([
  [
    'by its way',
    { properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: point } },
    { properties: { a: { $ref: point } } },
  ],
  [
    'by another word for definitions',
    { items: { $ref: '#/definitions/a' }, definitions: { a: point } },
    { items: { $ref: point } },
  ],
  // LiteLLM goes by the last step of it.
  ['by its name', { items: { $ref: 'a' }, $defs: { a: point } }, { items: { $ref: point } }],
  [
    'by the name in an address',
    { items: { $ref: 'x://y/a' }, $defs: { a: point } },
    { items: { $ref: point } },
  ],
  ['that stands no further out', { items: { $ref: 'a', $defs: { a: point } } }, { items: { $ref: point } }],
  [
    'wherever it stands',
    { default: { x: [{ $ref: 'a' }] }, $defs: { a: point } },
    { default: { x: [{ $ref: point }] } },
  ],
  ['beside words', { $ref: 'a', title: 'A', $defs: { a: point } }, { title: 'A', $ref: point }],
  ['of the whole', { properties: { a: { $ref: '#' } } }, { properties: { a: { $ref: '#' } } }],
  [
    'that names itself, once',
    { items: { $ref: 'a' }, $defs: { a: { items: { $ref: 'a' } } } },
    { items: { $ref: { items: { $ref: 'a' } } } },
  ],
  ['that is not there', { items: { $ref: '#/$defs/b' } }, { items: { $ref: '#/$defs/b' } }],
  [
    'that has the name of a field',
    { properties: { $ref: point, $defs: point } },
    { properties: { $ref: point, $defs: point } },
  ],
])('puts in what a reference names: %s', (_, schema, made) => {
  expect(put(schema)).toEqual(made);
});

test('puts them in wherever a request has schemas', () => {
  const schema = { items: { $ref: 'a' }, $defs: { a: point } };
  const made = withReferences({
    tools: [
      { type: 'function', name: 'f', extra: { output: schema } },
      { type: 'raw', dialect: 'openai-chat', value: { input_schema: schema } },
    ],
    responseFormat: { type: 'schema', name: 'r', schema },
  });
  expect(JSON.stringify(made).match(/"Point"/g)).toHaveLength(3);
});

test('puts them in in fields that its own wire has no schema in', () => {
  const schema = { items: { $ref: '#/$defs/a' }, $defs: { a: point } };
  const body = { messages: [schema], response_format: { type: 'json_object', response_schema: schema } };
  expect(fieldsWithReferences(body)).toEqual({
    response_format: { type: 'json_object', response_schema: { items: { $ref: point } } },
  });
});

const LONG = 'd'.repeat(10_000);
it.each<[JsonObject]>([
  [
    {
      properties: fields(2_000, { $ref: 'a' }),
      $defs: { a: { $ref: `#${LONG.replaceAll('d', '/')}$defs/b` }, b: {} },
    },
  ],
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
