import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { asOpenAiTakes } from './schema.ts';

const taken = (parameters?: JsonObject, strict?: boolean) =>
  asOpenAiTakes({ type: 'function', name: 'f', parameters, strict });

const CLOSED = { additionalProperties: false, required: [] as string[] };

describe('the schema of a function for OpenAI', () => {
  it.each<[given: JsonObject | undefined, sent: JsonObject]>([
    [undefined, { type: 'object', properties: {} }],
    [{}, { type: 'object', properties: {} }],
    [{ type: 'object' }, { type: 'object', properties: {} }],
    [
      { type: 'object', properties: null },
      { type: 'object', properties: {} },
    ],
    [{ properties: { a: {} } }, { type: 'object', properties: { a: {} } }],
    [
      { $schema: 'draft', type: 'object', additionalProperties: false },
      { $schema: 'draft', type: 'object', additionalProperties: false, properties: {} },
    ],
  ])('is that of an object with properties: %j', (given, sent) => {
    expect(taken(given).parameters).toEqual(sent);
  });

  it('says of each list that it has items, wherever it stands', () => {
    const given = (each: JsonObject) => ({
      type: 'object',
      properties: {
        // A name is no keyword.
        items: { type: 'string' },
        type: each,
        nested: { type: 'object', properties: { deep: { ...each, type: ['null', 'array'] } } },
        lists: { type: 'array', items: each },
        either: { anyOf: [each, { type: 'null' }] },
        rows: { type: 'object', additionalProperties: each },
        tuple: { ...each, prefixItems: [each] },
      },
      $defs: { d: each },
      default: { type: 'array' },
    });
    expect(taken(given({ type: 'array' })).parameters).toEqual(given({ type: 'array', items: {} }));
  });

  it('is the very same where nothing is lacking', () => {
    const given = {
      type: 'object',
      properties: {
        // Objects within are taken as they are.
        any: { type: 'object' },
        list: { type: 'array', items: { enum: [{ type: 'array' }] } },
        word: { type: 'string', default: { type: 'array' } },
      },
    };
    expect(taken(given).parameters).toBe(given);
  });
});

describe('a strict function', () => {
  const a = { type: 'string' };
  const all = { type: 'object', ...CLOSED, properties: { a }, required: ['a'] };

  it.each<[what: string, parameters: JsonObject, strict: boolean]>([
    ['demands all', all, true],
    ['demands all within', { ...all, properties: { a: { type: 'array', items: all } } }, true],
    ['takes nothing', { type: 'object', ...CLOSED }, true],
    ['demands one of two', { ...all, properties: { a, b: a } }, false],
    ['demands one of two within', { ...all, properties: { a: { ...all, required: [] } } }, false],
    ['says nothing of what it demands', { ...all, required: undefined } as JsonObject, false],
    ['is open', { type: 'object', properties: { a }, required: ['a'] }, false],
    ['takes a list of anything', { ...all, properties: { a: { type: 'array' } } }, false],
    ['holds whatever there is', { ...all, properties: { a: { type: 'object', ...CLOSED } } }, false],
  ])('that %s', (_what, parameters, strict) => {
    expect(taken(parameters, true).strict).toBe(strict);
  });

  it('is one that says so', () => {
    expect([taken(all).strict, taken(all, false).strict]).toEqual([undefined, false]);
  });
});
