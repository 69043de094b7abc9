import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { anyTokenQuote, call, perCall, quote, used } from '../../tests/support/formula.ts';
import { type CacheLife, type CallBound, goesByLength, outputCovered, reserveSteps } from './price-bound.ts';
import { QUOTA_MAX, quotaOf } from './price-formula.ts';
import { promptBound } from './prompt-bound.ts';
import type { UsageCount } from './usage.ts';

test('a longer call costs more at a price of tokens that is not nothing', () => {
  const all = [quote({}), quote({ model: 0 }), quote({}, 0), perCall(1), perCall(0)];
  expect(all.map(goesByLength)).toEqual([true, false, false, false, false]);
});

describe('the amount held before a call', () => {
  test('bounds a prompt by its bytes', () => {
    const size = { textBytes: 11, messages: 2, tools: { tokens: 4 }, audioTokens: 7, imageTokens: 9 };
    expect(promptBound(size)).toEqual({ text: 6 + 8 + 3 + 4, audio: 7, image: 9 });
  });

  const uncapped = (...amounts: number[]) => amounts.map((amount) => ({ amount, cap: null }));

  test.each([
    ['with a limit: the price of it', call({ outputCap: 50 }), uncapped(100 + 50 * 4)],
    ['with a limit: a choice each', call({ outputCap: 50, choices: 3 }), uncapped(700)],
    [
      'of a stream without: 4,096 tokens, or a limited answer, of at least the prompt and PreConsumedQuota',
      call(),
      [
        { amount: 100 + 4096 * 4, cap: null },
        { amount: 100 + 2048 * 4, cap: 2048 },
        { amount: 100 + 512 * 4, cap: 512 },
        { amount: 600, cap: 125 },
      ],
    ],
  ])('is, %s', (_, bound, expected) => {
    expect(reserveSteps(quote({ completion: 4 }), bound, 500)).toEqual(expected as never);
  });

  test('of a call that comes at once is the price of its longest answer, or of one that is limited', () => {
    const steps = (given: Partial<CallBound>) =>
      reserveSteps(quote({ completion: 4 }), call({ extends: false, ...given }), 500).map(
        ({ amount, cap }) => [amount, cap],
      );
    expect(steps({})).toEqual([
      [100 + 4 * 32_768, null],
      [100 + 4 * 8192, 8192],
      [100 + 4 * 2048, 2048],
      [100 + 4 * 512, 512],
    ]);
    expect(steps({ choices: 3 }).at(-1)).toEqual([100 + 3 * 4 * 512, 512]);
  });

  test('of a call that is thought beside its limit is the price of both, of which each is limited', () => {
    const steps = (given: Partial<CallBound>) =>
      reserveSteps(quote({ completion: 4 }), call({ extends: false, ...given }), 500);
    const beside = { most: null, canLimit: true };
    expect(steps({ outputCap: 50, thoughts: beside })).toEqual([
      { amount: 100 + 4 * (50 + 32_768), cap: null },
      { amount: 100 + 4 * (50 + 8192), cap: null, thoughts: 8192 },
      { amount: 100 + 4 * (50 + 2048), cap: null, thoughts: 2048 },
      { amount: 100 + 4 * (50 + 512), cap: null, thoughts: 512 },
    ]);
    expect(steps({ thoughts: beside }).at(-1)).toEqual({ amount: 100 + 4 * 512, cap: 256, thoughts: 256 });
    expect(steps({ outputCap: 50, thoughts: { ...beside, most: 700 } })).toEqual([
      { amount: 100 + 4 * 750, cap: null, thoughts: 700 },
      { amount: 100 + 4 * 562, cap: null, thoughts: 512 },
    ]);
    // What nothing limits is held as a whole, but for a stream that is held for as it grows.
    const unlimited = { most: null, canLimit: false };
    expect(steps({ thoughts: unlimited })).toHaveLength(1);
    expect(steps({ outputCap: 50, thoughts: unlimited })).toEqual(uncapped(100 + 4 * (50 + 32_768)) as never);
    expect(steps({ outputCap: 50, thoughts: unlimited, extends: true })).toEqual(
      uncapped(100 + 4 * (50 + 4096)) as never,
    );
    expect(steps({ thoughts: unlimited, extends: true })).toEqual(steps({ extends: true }));
    for (const [most, held] of [
      [700, 700],
      [9_000, 4096],
    ] as const) {
      const [first] = steps({ outputCap: 50, thoughts: { ...beside, most }, extends: true });
      expect(first.amount).toBe(100 + 4 * (50 + held));
    }
  });

  test('pays for all that can come of it, seen or not, but for what an answer is held for as it grows', () => {
    fc.assert(
      fc.property(
        anyTokenQuote,
        fc.nat(1e6),
        fc.integer({ min: 1, max: 128 }),
        fc.nat(1e6),
        fc.boolean(),
        (q, text, choices, preConsumed, grows) => {
          const prompt = { text, audio: 0, image: 0 };
          const bound = call({ extends: grows, prompt, choices });
          const steps = reserveSteps(q, bound, preConsumed);
          let before = Number.POSITIVE_INFINITY;
          for (const { amount, cap } of steps) {
            expect(amount).toBeLessThan(before);
            before = amount;
            const output = choices * (cap ?? (grows ? 4_096 : 32_768));
            // The sum is rounded once, the limit is made of what is exactly covered.
            expect(quotaOf(q, used({ input: text, output }))).toBeLessThanOrEqual(amount);
            expect(quotaOf(q, used({ input: text }))).toBeLessThanOrEqual(amount);
          }
        },
      ),
    );
  });

  test('of a stream covers its prompt, however little is left', () => {
    fc.assert(
      fc.property(anyTokenQuote, fc.nat(1e6), fc.nat(1000), (q, text, preConsumed) => {
        const steps = reserveSteps(q, call({ prompt: { text, audio: 0, image: 0 } }), preConsumed);
        for (const { amount } of steps) expect(quotaOf(q, used({ input: text }))).toBeLessThanOrEqual(amount);
      }),
    );
  });

  test('is the price itself of a price a call, and 0 when free', () => {
    expect(reserveSteps(perCall(0.04), call({ calls: 2 }), 500)).toEqual([{ amount: 40_000, cap: null }]);
    const free = [{ amount: 0, cap: null }] as const;
    expect(reserveSteps(quote({ model: 0 }), call({ extends: false }), 500)).toEqual(free);
    expect(reserveSteps(quote({}, 0), call(), 500)).toEqual(free);
  });

  test('stays a safe integer when the call is absurd', () => {
    const absurd = call({
      outputCap: QUOTA_MAX,
      choices: 128,
      prompt: { text: QUOTA_MAX, audio: 0, image: 0 },
    });
    expect(reserveSteps(quote({ model: 1e9 }), absurd, 500)[0].amount).toBe(QUOTA_MAX);
  });

  test('covers every usage within the bounds', () => {
    fc.assert(
      fc.property(
        anyTokenQuote,
        fc.nat(1e6),
        fc.nat(1e6),
        fc.nat(1e6),
        fc.nat(1e6),
        fc.constantFrom<{ as: UsageCount; written?: CacheLife; writesUnasked?: boolean }>(
          { as: 'input' },
          { as: 'cacheRead' },
          { as: 'cacheWrite', written: 'minutes' },
          { as: 'cacheWrite', writesUnasked: true },
          { as: 'cacheWriteHour', written: 'hour' },
        ),
        (given, text, audio, films, cap, { as, written, writesUnasked }) => {
          const q = { ...given, writesUnasked };
          const bound = call({ prompt: { text, audio, image: 0, films, written }, outputCap: cap });
          const [{ amount }] = reserveSteps(q, bound, 500);
          const usage = used({ inputAudio: audio, output: cap });
          // What a file is that only the upstream reads nobody knows: its words are written and read like others.
          usage[as] += text + films;
          expect(quotaOf(q, usage)).toBeLessThanOrEqual(amount);
          // Nor does anybody know what of the answer will be drawn.
          expect(quotaOf(q, { ...usage, output: 0, outputImage: cap })).toBeLessThanOrEqual(amount);
          // Nor what of a sound will come from a cache.
          expect(quotaOf(q, { ...usage, inputAudio: 0, cacheReadAudio: audio })).toBeLessThanOrEqual(amount);
        },
      ),
    );
  });

  test('pays for exactly the output that it says it covers', () => {
    fc.assert(
      fc.property(anyTokenQuote, fc.nat(1e6), fc.nat(1e9), (q, text, amount) => {
        const prompt = { text, audio: 0, image: 0 };
        const covered = outputCovered(q, prompt, amount, false);
        const price = (outputCap: number) => reserveSteps(q, call({ prompt, outputCap }), 0)[0].amount;
        // A covered token never costs more than what is held, but for the rounding of the whole.
        if (covered > 0 && covered < QUOTA_MAX)
          expect(price(covered)).toBeLessThanOrEqual(Math.max(amount, 1));
        if (covered < QUOTA_MAX)
          expect(price(covered + 1)).toBeGreaterThanOrEqual(Math.min(amount, price(0)));
      }),
    );
  });
});
