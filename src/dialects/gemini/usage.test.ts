import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { usageWithThoughts } from '../../../tests/support/quotes.ts';
import { completionTokens, noUsage, promptTokens, type Usage, withoutFound } from '../../core/usage.ts';
import { readUsage, writeUsage } from './usage.ts';

const of = (fields: Partial<Usage>): Usage => ({ ...noUsage(), ...fields });

const cases: [name: string, raw: unknown, expected: Usage | null][] = [
  [
    'the prompt includes what was cached, the candidates exclude the thoughts',
    {
      promptTokenCount: 8,
      candidatesTokenCount: 6,
      thoughtsTokenCount: 3,
      totalTokenCount: 17,
      cachedContentTokenCount: 2,
    },
    of({ input: 6, cacheRead: 2, output: 9, reasoning: 3 }),
  ],
  [
    'what tools put in is input too',
    {
      promptTokenCount: 55,
      candidatesTokenCount: 51,
      totalTokenCount: 251,
      toolUsePromptTokenCount: 89,
      thoughtsTokenCount: 56,
    },
    of({
      input: 144,
      output: 107,
      reasoning: 56,
      found: { input: 89, inputAudio: 0, inputImage: 0, inputVideo: 0 },
    }),
  ],
  [
    'pictures that tools put in are told among those that were sent',
    {
      promptTokenCount: 50,
      candidatesTokenCount: 5,
      toolUsePromptTokenCount: 100,
      promptTokensDetails: [{ modality: 'IMAGE', tokenCount: 20 }],
      toolUsePromptTokensDetails: [
        { modality: 'TEXT', tokenCount: 70 },
        { modality: 'IMAGE', tokenCount: 30 },
      ],
    },
    of({
      input: 100,
      inputImage: 50,
      output: 5,
      found: { input: 70, inputAudio: 0, inputImage: 30, inputVideo: 0 },
    }),
  ],
  [
    'sound, images and films are told apart, without what of them was cached',
    {
      promptTokenCount: 100,
      candidatesTokenCount: 40,
      cachedContentTokenCount: 30,
      promptTokensDetails: [
        { modality: 'TEXT', tokenCount: 20 },
        { modality: 'AUDIO', tokenCount: 50 },
        { modality: 'IMAGE', tokenCount: 20 },
        { modality: 'VIDEO', tokenCount: 10 },
      ],
      cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 35 }],
    },
    of({
      input: 20,
      cacheReadAudio: 30,
      inputAudio: 20,
      inputImage: 20,
      inputVideo: 10,
      output: 5,
      outputImage: 35,
    }),
  ],
  [
    'thoughts in the total alone',
    { promptTokenCount: 6, candidatesTokenCount: 10, totalTokenCount: 600 },
    of({ input: 6, output: 594 }),
  ],
  [
    'more thoughts in the total than are told',
    { promptTokenCount: 6, candidatesTokenCount: 10, thoughtsTokenCount: 84, totalTokenCount: 600 },
    of({ input: 6, output: 594, reasoning: 84 }),
  ],
  [
    'what was cached beside the prompt, as the total says',
    {
      promptTokenCount: 50,
      candidatesTokenCount: 10,
      thoughtsTokenCount: 40,
      totalTokenCount: 130,
      cachedContentTokenCount: 30,
    },
    of({ input: 50, cacheRead: 30, output: 50, reasoning: 40 }),
  ],
  [
    'a prompt that the total alone tells of',
    { candidatesTokenCount: 10, totalTokenCount: 60 },
    of({ input: 50, output: 10 }),
  ],
  [
    'a prompt that is told as nothing',
    { promptTokenCount: 0, candidatesTokenCount: 10, totalTokenCount: 60 },
    of({ input: 50, output: 10 }),
  ],
  ['a prompt alone', { promptTokenCount: 8, totalTokenCount: 8 }, of({ input: 8 })],
  [
    'thoughts before the first word',
    { promptTokenCount: 6, totalTokenCount: 20, thoughtsTokenCount: 14 },
    of({ input: 6, output: 14, reasoning: 14 }),
  ],
  ['explicit zeros are usage', { promptTokenCount: 0, candidatesTokenCount: 0 }, of({})],
  ['a traffic type is none', { trafficType: 'ON_DEMAND' }, null],
  ['nothing is none', undefined, null],
];

test.each(cases)('%s', (_name, raw, expected) => {
  expect(readUsage(raw)).toEqual(expected);
});

const count = fc.nat(1_000_000);

test('usage keeps its totals through this wire, and what it can say word for word', () => {
  fc.assert(
    fc.property(usageWithThoughts, (usage) => {
      const back = readUsage(writeUsage(usage)) ?? noUsage();
      expect(promptTokens(back)).toBe(promptTokens(usage));
      expect(completionTokens(back)).toBe(completionTokens(usage));
      const { cacheWrite, cacheWriteHour, input, ...said } = usage;
      expect(back).toMatchObject({ ...said, input: input + cacheWrite + cacheWriteHour });
    }),
  );
});

test('no report makes a negative count or counts a token twice', () => {
  const field = fc.option(fc.oneof(count, fc.constant(-5), fc.constant('7')), { nil: undefined });
  const list = fc.array(
    fc.record({ modality: fc.constantFrom('TEXT', 'AUDIO', 'IMAGE', 'VIDEO'), tokenCount: count }),
  );
  const report = fc.record({
    promptTokenCount: count,
    candidatesTokenCount: count,
    thoughtsTokenCount: field,
    cachedContentTokenCount: field,
    toolUsePromptTokenCount: field,
    promptTokensDetails: list,
    toolUsePromptTokensDetails: list,
    cacheTokensDetails: list,
    candidatesTokensDetails: list,
  });
  const known = (value: unknown): number => (typeof value === 'number' && value > 0 ? value : 0);
  fc.assert(
    fc.property(report, (raw) => {
      const { found = noUsage(), ...usage } = readUsage(raw) ?? noUsage();
      expect(Math.min(...Object.values(usage), ...Object.values(found))).toBeGreaterThanOrEqual(0);
      expect(promptTokens(usage)).toBe(raw.promptTokenCount + known(raw.toolUsePromptTokenCount));
      expect(promptTokens({ ...noUsage(), ...found })).toBe(known(raw.toolUsePromptTokenCount));
      const { unbilled = 0, ...left } = withoutFound({ ...usage, found });
      expect(Math.min(...Object.values(left))).toBeGreaterThanOrEqual(0);
      expect(promptTokens(left) + unbilled).toBe(promptTokens(usage));
      expect(completionTokens(usage)).toBe(raw.candidatesTokenCount + known(raw.thoughtsTokenCount));
    }),
  );
});
