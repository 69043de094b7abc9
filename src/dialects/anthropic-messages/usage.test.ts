import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { usageWithThoughts } from '../../../tests/support/quotes.ts';
import { cached, completionTokens, noUsage, promptTokens, type Usage } from '../../core/usage.ts';
import { mergeUsage, readUsage, writeUsage } from './usage.ts';

const of = (fields: Partial<Usage>): Usage => ({ ...noUsage(), ...fields });

const cases: [name: string, raw: unknown, expected: Usage | null][] = [
  [
    'the input leaves both caches out',
    { input_tokens: 10, cache_creation_input_tokens: 400, cache_read_input_tokens: 1000, output_tokens: 20 },
    of({ input: 10, cacheRead: 1000, cacheWrite: 400, output: 20, untoldWrites: 400 }),
  ],
  [
    'the split by life divides the writes and adds nothing',
    {
      input_tokens: 1,
      cache_creation_input_tokens: 300,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 200 },
      output_tokens: 2,
    },
    of({ input: 1, cacheWrite: 100, cacheWriteHour: 200, output: 2, untoldWrites: 0 }),
  ],
  [
    'the split says the writes where their total is filled in as none',
    {
      ...{ input_tokens: 1, cache_creation_input_tokens: 0, output_tokens: 2 },
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7 },
    },
    of({ input: 1, cacheWrite: 5, cacheWriteHour: 7, output: 2, untoldWrites: 0 }),
  ],
  [
    'the split alone says the writes too',
    {
      input_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 7 },
      output_tokens: 2,
    },
    of({ input: 1, cacheWrite: 5, cacheWriteHour: 7, output: 2, untoldWrites: 0 }),
  ],
  [
    'another model that a tool asked is paid besides, and what has no kind is counted above',
    {
      input_tokens: 412,
      output_tokens: 531,
      iterations: [
        { type: 'message', input_tokens: 412, output_tokens: 531 },
        { type: 'advisor_message', model: 'a-dear-one', input_tokens: 180_823, output_tokens: 11_612 },
        { input_tokens: 412, output_tokens: 531 },
      ],
    },
    of({ input: 181_235, output: 12_143, longest: 180_823 }),
  ],
  [
    'a compaction is paid besides',
    {
      input_tokens: 682,
      output_tokens: 1320,
      iterations: [
        { type: 'compaction', input_tokens: 60_385, output_tokens: 592 },
        { type: 'message', input_tokens: 682, output_tokens: 1320 },
      ],
    },
    of({ input: 61_067, output: 1912, longest: 60_385 }),
  ],
  [
    'a compaction that does not tell how long it keeps what it wrote',
    {
      input_tokens: 1,
      cache_creation_input_tokens: 10,
      output_tokens: 2,
      iterations: [
        { type: 'compaction', input_tokens: 5, cache_creation_input_tokens: 400, output_tokens: 6 },
        { type: 'compaction', input_tokens: 5, output_tokens: 6 },
      ],
    },
    of({ input: 11, cacheWrite: 410, output: 14, untoldWrites: 410, longest: 405 }),
  ],
  [
    'a compaction that alone tells of writes',
    {
      input_tokens: 1,
      output_tokens: 2,
      iterations: [
        { type: 'compaction', input_tokens: 5, cache_creation_input_tokens: 400, output_tokens: 6 },
      ],
    },
    of({ input: 6, cacheWrite: 400, output: 8, untoldWrites: 400, longest: 405 }),
  ],
  [
    'another model that answered in the place of the one that was named is counted above',
    {
      input_tokens: 412,
      output_tokens: 1800,
      iterations: [
        { type: 'message', model: 'a', input_tokens: 412, output_tokens: 0 },
        { type: 'fallback_message', model: 'b', input_tokens: 412, output_tokens: 1800 },
      ],
    },
    of({ input: 412, output: 1800 }),
  ],
  [
    'thinking is part of the output',
    { input_tokens: 1, output_tokens: 30, output_tokens_details: { thinking_tokens: 20 } },
    of({ input: 1, output: 30, reasoning: 20 }),
  ],
  ['explicit zeros are usage', { input_tokens: 0, output_tokens: 0 }, of({})],
  ['null is none', null, null],
  ['an empty object is none', {}, null],
];

test.each(cases)('%s', (_name, raw, expected) => {
  expect(readUsage(raw)).toEqual(expected);
});

const merged = (...raws: unknown[]) =>
  readUsage(raws.reduce<ReturnType<typeof mergeUsage>>((sum, raw) => mergeUsage(sum, raw), undefined));

test('totals of a stream replace each other and are never added up', () => {
  const start = {
    input_tokens: 69,
    cache_creation_input_tokens: 30,
    cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
    output_tokens: 2,
  };
  const delta = { input_tokens: 69, cache_creation_input_tokens: 30, output_tokens: 53 };
  expect(merged(start, delta)).toEqual(
    of({ input: 69, cacheWrite: 10, cacheWriteHour: 20, output: 53, untoldWrites: 0 }),
  );
  expect(merged(start, delta, delta)).toEqual(merged(start, delta));
});

test('a prompt that grew while the answer was made counts as it ended', () => {
  expect(merged({ input_tokens: 43, output_tokens: 1 }, { input_tokens: 61, output_tokens: 2 })).toEqual(
    of({ input: 61, output: 2 }),
  );
});

test('an estimate at the start gives way to the split at the end', () => {
  const end = { input_tokens: 100, cache_read_input_tokens: 900, output_tokens: 5 };
  expect(merged({ input_tokens: 1000, cache_read_input_tokens: 0, output_tokens: 0 }, end)).toEqual(
    of({ input: 100, cacheRead: 900, output: 5 }),
  );
});

test('an end without a prompt or with nulls leaves that of the start', () => {
  const start = { input_tokens: 25, cache_read_input_tokens: 5, output_tokens: 1 };
  const expected = of({ input: 25, cacheRead: 5, output: 9 });
  expect(merged(start, { output_tokens: 9 })).toEqual(expected);
  expect(merged(start, { input_tokens: 0, output_tokens: 9 })).toEqual(expected);
  expect(merged(start, { input_tokens: null, cache_read_input_tokens: null, output_tokens: 9 })).toEqual(
    expected,
  );
});

const count = fc.nat(1_000_000);

test('usage keeps its totals through this wire, and what it can say word for word', () => {
  fc.assert(
    fc.property(usageWithThoughts, (usage) => {
      const back = readUsage(writeUsage(usage)) ?? noUsage();
      expect(promptTokens(back)).toBe(promptTokens(usage));
      expect(completionTokens(back)).toBe(completionTokens(usage));
      const { cacheWrite, cacheWriteHour, reasoning } = usage;
      expect(back).toMatchObject({ cacheRead: cached(usage), cacheWrite, cacheWriteHour, reasoning });
    }),
  );
});

test('the longest of several calls is told beside their sum, and is never more', () => {
  const prompt = { input_tokens: count, cache_read_input_tokens: count, cache_creation_input_tokens: count };
  const types = fc.constantFrom('message', 'fallback_message', 'compaction', 'advisor_message');
  const iteration = fc.record({ ...prompt, output_tokens: count, type: types });
  const report = fc.record({ ...prompt, output_tokens: count, iterations: fc.array(iteration) });
  fc.assert(
    fc.property(report, ({ iterations, ...answer }) => {
      const told = readUsage({ ...answer, iterations }) ?? noUsage();
      const apart = iterations.filter(({ type }) => !type.endsWith('message') || type === 'advisor_message');
      const lengths = [answer, ...apart].map((each) => promptTokens(readUsage(each) ?? noUsage()));
      expect(told.longest ?? promptTokens(told)).toBe(Math.max(...lengths));
      expect(told.longest ?? 0).toBeLessThanOrEqual(promptTokens(told));
    }),
  );
});

test('no report makes a negative count', () => {
  const field = fc.option(fc.oneof(count, fc.constant(-5), fc.constant('7'), fc.constant(null)), {
    nil: undefined,
  });
  const report = fc.record({
    input_tokens: count,
    output_tokens: field,
    cache_read_input_tokens: field,
    cache_creation_input_tokens: field,
    cache_creation: fc.record({ ephemeral_5m_input_tokens: field, ephemeral_1h_input_tokens: field }),
    output_tokens_details: fc.record({ thinking_tokens: field }),
  });
  fc.assert(
    fc.property(report, (raw) => {
      expect(Math.min(...Object.values(readUsage(raw) ?? {}))).toBeGreaterThanOrEqual(0);
    }),
  );
});
