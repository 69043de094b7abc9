import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { z } from 'zod';
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
    for (const field of unbounded) expect(bodyMost(z.object({ field })).bytes).toBe(most);
    expect(bodyMost(z.object({ text: z.string().max(10_000_000) })).bytes).toBe(most);
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
