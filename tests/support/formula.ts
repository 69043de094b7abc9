/** Prices and usages for tests of the formula: some by what they say, and any. */
import fc from 'fast-check';
import { DECIMAL_ONE, decimalOf } from '../../src/core/decimal.ts';
import type { CallBound } from '../../src/core/price-bound.ts';
import type { Quote, TokenRatios } from '../../src/core/price-formula.ts';
import { noUsage, type Usage } from '../../src/core/usage.ts';

export const decimal = (value: number | string): bigint => {
  const found = decimalOf(value);
  if (found === null) throw new Error(`${value} is no decimal`);
  return found;
};

export const ratios = (given: Partial<Record<keyof TokenRatios, number>> = {}): TokenRatios => {
  const ratio = (name: keyof TokenRatios) => decimal(given[name] ?? 1);
  return {
    model: ratio('model'),
    completion: ratio('completion'),
    cacheRead: ratio('cacheRead'),
    cacheReadAudio: ratio('cacheReadAudio'),
    cacheWrite: ratio('cacheWrite'),
    cacheWriteHour: ratio('cacheWriteHour'),
    audio: ratio('audio'),
    audioCompletion: ratio('audioCompletion'),
    image: ratio('image'),
    imageCompletion: ratio('imageCompletion'),
    video: ratio('video'),
  };
};

export const quote = (
  given: Partial<Record<keyof TokenRatios, number>>,
  group: number | string = 1,
): Quote => ({
  price: { kind: 'tokens', ratios: ratios(given) },
  groupRatio: decimal(group),
  userGroupRatio: null,
  source: 'option',
  selfUse: false,
});

export const perCall = (usd: number | string, group: number | string = 1): Quote => ({
  ...quote({}, group),
  price: { kind: 'call', usd: decimal(usd) },
});

export const used = (given: Partial<Usage>): Usage => ({ ...noUsage(), ...given });

export const anyDecimal = fc
  .tuple(fc.bigInt({ min: 0n, max: 200n }), fc.bigInt({ min: 0n, max: DECIMAL_ONE - 1n }), fc.boolean())
  .map(([whole, fraction, round]) => whole * DECIMAL_ONE + (round ? 0n : fraction));
export const anyRatios: fc.Arbitrary<TokenRatios> = fc.record({
  model: anyDecimal,
  completion: anyDecimal,
  cacheRead: anyDecimal,
  cacheReadAudio: anyDecimal,
  cacheWrite: anyDecimal,
  cacheWriteHour: anyDecimal,
  audio: anyDecimal,
  audioCompletion: anyDecimal,
  image: anyDecimal,
  imageCompletion: anyDecimal,
  video: anyDecimal,
});
export const anyQuote: fc.Arbitrary<Quote> = fc.record({
  price: fc.oneof(
    anyRatios.map((ratios) => ({ kind: 'tokens' as const, ratios })),
    anyDecimal.map((usd) => ({ kind: 'call' as const, usd })),
  ),
  groupRatio: anyDecimal,
  userGroupRatio: fc.option(anyDecimal),
  source: fc.constantFrom('option' as const, 'default' as const, 'unset' as const),
  selfUse: fc.boolean(),
});
export const anyTokenQuote = anyQuote.filter((q) => q.price.kind === 'tokens');
const tokens = fc.oneof(fc.nat(5), fc.nat(2_000_000));
export const anyUsage: fc.Arbitrary<Usage> = fc.record({
  input: tokens,
  cacheRead: tokens,
  cacheReadAudio: tokens,
  cacheWrite: tokens,
  cacheWriteHour: tokens,
  inputAudio: tokens,
  inputImage: tokens,
  inputVideo: tokens,
  output: tokens,
  outputAudio: tokens,
  outputImage: tokens,
  reasoning: tokens,
});

/** Of a hundred tokens, one answer that may grow, and whatever is given. */
export const call = (given: Partial<CallBound> = {}): CallBound => ({
  prompt: { text: 100, audio: 0, image: 0 },
  choices: 1,
  outputCap: null,
  extends: true,
  audioOut: false,
  calls: 1,
  ...given,
});
