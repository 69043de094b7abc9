import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
import { valuesIn } from '../core/json-depth.ts';
import { limits } from '../core/limits.ts';
import { bodyMost } from './body-size.ts';

const { guestBodyBytes: room, apiBodyBytes: most } = limits;

describe('the bytes of a body', () => {
  it('are few without a schema and with a small one', () => {
    expect(bodyMost(undefined).bytes).toBe(room);
    const small = z.object({
      id: z.number(),
      on: z.boolean().nullish(),
      name: z.string().max(200).optional(),
    });
    expect(bodyMost(small).bytes).toBe(room);
  });

  it('are the most there are where a field has no bound', () => {
    const unbounded = [
      z.string(),
      z.array(z.number()),
      z.record(z.string(), z.number()),
      z.unknown(),
      z.looseObject({}),
    ];
    for (const field of unbounded)
      expect(bodyMost(z.object({ field }))).toMatchObject({ bytes: most, isBounded: false });
    const large = z.object({ text: z.string().max(10_000_000) });
    expect(bodyMost(large)).toMatchObject({ bytes: most, isBounded: true });
  });

  it('are enough for whatever fits, however it is written', () => {
    const schema = z.object({
      id: z.union([z.number(), z.string().trim().max(17).transform(Number)]),
      note: z.string().max(30_000).nullish(),
      kind: z.enum(['one', 'two']).optional(),
      names: z.array(z.string().max(60)).max(400).default([]),
    });
    const bytes = bodyMost(schema).bytes;
    expect(bytes).toBeLessThan(most);
    const given = fc.record({
      id: fc.integer(),
      note: fc.string({ unit: 'binary', minLength: 29_000, maxLength: 30_000 }),
      kind: fc.constantFrom('one', 'two'),
      names: fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { minLength: 300, maxLength: 400 }),
    });
    const escaped = (value: unknown) =>
      JSON.stringify(value, null, 1).replace(
        /[^ -~\n]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
      );
    fc.assert(
      fc.property(given, (value) => {
        if (schema.safeParse(value).success)
          expect(Buffer.byteLength(escaped(value))).toBeLessThanOrEqual(bytes);
      }),
      { numRuns: 30 },
    );
  });
});

describe('the values of a body', () => {
  const { formValuesBeside: rest, formValuesMax } = limits;
  it.each<[string, z.ZodType | undefined, number]>([
    ['no schema', undefined, 0],
    ['a list', z.object({ ids: z.array(z.number()).max(1_000), name: z.string() }), 1_005],
    ['one of several', z.object({ a: z.union([z.string(), z.array(z.string()).max(20)]).nullish() }), 24],
    ['a table without an end', z.record(z.string(), z.number()), formValuesMax - rest],
    ['a long list of lists', z.array(z.array(z.number()).max(1_000)).max(1_000), formValuesMax - rest],
  ])('are what fits, and some more: %s', (_what, schema, most) => {
    expect(bodyMost(schema).values).toBe(most + rest);
  });

  it('are enough for whatever fits', () => {
    const schema = z.object({
      rows: z.array(z.object({ a: z.array(z.array(z.number()).max(3)).max(3) })).max(9),
    });
    const [inner, row] = [Array(3).fill([1, 2, 3]), (a: unknown) => ({ a })];
    for (const a of [[], [[]], inner]) {
      const text = JSON.stringify({ rows: Array(9).fill(row(a)) });
      expect(schema.safeParse(JSON.parse(text)).success).toBe(true);
      const most = bodyMost(schema).values - rest;
      expect(valuesIn(text, { most, deepest: 9 })).toBeLessThanOrEqual(most);
    }
  });
});

describe('the names of a body', () => {
  const { formNames, jsonKeysMax } = limits;
  it.each<[string, unknown, number]>([
    ['no schema', undefined, formNames],
    [
      'fields of its own',
      z.object({ a: z.string(), b: z.array(z.object({ c: z.number().nullish() })) }),
      formNames,
    ],
    ['one of several', z.object({ a: z.union([z.string(), z.enum(['x'])]), b: z.literal(1) }), formNames],
    ['a table', z.object({ a: z.array(z.record(z.string(), z.number())) }), jsonKeysMax],
    ['whatever it may be', z.object({ a: z.unknown().optional() }), jsonKeysMax],
    ['more fields', z.looseObject({ a: z.string() }), jsonKeysMax],
  ])('are bounded by whether any are the caller’s own: %s', (_what, schema, names) => {
    expect(bodyMost(schema).names).toBe(names);
  });
});
