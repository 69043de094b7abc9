import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { completionTokens, promptTokens, usageOf } from './usage.ts';

const count = fc.nat(100_000);
const totals = fc.record({
  prompt: count,
  cacheRead: count,
  cacheReadAudio: count,
  cacheWrite: count,
  cacheWriteHour: count,
  inputAudio: count,
  inputImage: count,
  inputVideo: count,
  completion: count,
  reasoning: count,
  outputAudio: count,
  outputImage: count,
});

test('counts are never negative and add up to the totals, whatever the details claim', () => {
  fc.assert(
    fc.property(totals, (given) => {
      const usage = usageOf(given);
      expect(Math.min(...Object.values(usage))).toBeGreaterThanOrEqual(0);
      expect(promptTokens(usage)).toBe(given.prompt);
      expect(completionTokens(usage)).toBe(given.completion);
      expect(usage.reasoning).toBeLessThanOrEqual(usage.output);
    }),
  );
});

test('details that fit are kept as they are', () => {
  const details = {
    cacheRead: 2,
    cacheReadAudio: 1,
    cacheWrite: 2,
    cacheWriteHour: 1,
    inputAudio: 4,
    inputImage: 5,
    inputVideo: 6,
  };
  expect(
    usageOf({ prompt: 26, ...details, cacheRead: 3, completion: 9, reasoning: 6, outputAudio: 2 }),
  ).toEqual({
    ...details,
    input: 5,
    output: 7,
    outputAudio: 2,
    outputImage: 0,
    reasoning: 6,
  });
});

test('tokens that are both cached and audio are charged once, as cached', () => {
  const usage = usageOf({ prompt: 100, cacheRead: 80, inputAudio: 40, completion: 0 });
  expect([usage.cacheRead, usage.inputAudio, usage.input]).toEqual([80, 20, 0]);
});
