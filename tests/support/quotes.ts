/** Prices of calls and what they used, at random. */
import fc from 'fast-check';
import { decimalOf } from '../../src/core/decimal.ts';
import { type Quote, type TokenRatios, weighed, withTools } from '../../src/core/price-formula.ts';
import type { Usage } from '../../src/core/usage.ts';

/** Ratios as operators type them and as the default table has them: up to twelve places. */
export const ratio = fc
  .oneof(
    fc.constantFrom('0', '1', '0.135', '4.074074074074', '0.000000000001'),
    fc.integer({ min: 0, max: 300_000_000 }).map((n) => String(n / 1_000_000)),
  )
  .map((text) => decimalOf(text) ?? 0n);
const ratios: fc.Arbitrary<TokenRatios> = fc.record({
  model: ratio,
  completion: ratio,
  cacheRead: ratio,
  cacheReadAudio: ratio,
  cacheWrite: ratio,
  cacheWriteHour: ratio,
  audio: ratio,
  audioCompletion: ratio,
  image: ratio,
  imageCompletion: ratio,
  video: ratio,
});
/** With or without other ones of a call that thinks. */
const rates = fc.tuple(ratios, fc.option(ratio)).map(([of, completion]) => ({
  ratios: of,
  ...(completion !== null && { thinking: { ...of, completion } }),
}));
const tiers = fc.tuple(rates, rates, fc.integer({ min: 1, max: 2_000_000 })).map(([low, high, upTo]) => [
  { upTo, ...low },
  { upTo: null, ...high },
]);
const price: fc.Arbitrary<Quote['price']> = fc.oneof(
  rates.map((of) => ({ kind: 'tokens' as const, ...of })),
  fc.tuple(rates, tiers).map(([of, steps]) => ({ kind: 'tokens' as const, ...of, tiers: steps })),
  fc.tuple(rates, tiers).map(([of, steps]) => ({ kind: 'tokens' as const, ...of, byMonth: steps })),
  ratio.map((usd) => ({ kind: 'call' as const, usd })),
);
const count = fc.oneof(fc.constant(0), fc.nat(1_000_000));
const counts = {
  input: count,
  cacheRead: count,
  cacheReadAudio: count,
  cacheWrite: count,
  cacheWriteHour: count,
  inputAudio: count,
  inputImage: count,
  inputVideo: count,
  output: count,
  outputAudio: count,
  outputImage: count,
};
export const usage: fc.Arbitrary<Usage> = fc.record({ ...counts, reasoning: fc.constant(0) });
/** The same with thoughts, which are part of what comes out. */
export const usageWithThoughts: fc.Arbitrary<Usage> = fc
  .record(counts)
  .chain((used) => fc.nat(used.output).map((reasoning) => ({ ...used, reasoning })));
const transcribed = fc.record({
  model: fc.constant('whisper-1'),
  price: fc.oneof(
    ratios.map((of) => ({ kind: 'tokens' as const, ratios: of })),
    ratio.map((usd) => ({ kind: 'call' as const, usd })),
  ),
  usage,
  calls: fc.nat(9),
});
/** Of every kind: by the token, in tiers of a prompt or of a month, by the call, with tools and transcriptions. */
export const quote = fc
  .record({
    price,
    groupRatio: ratio,
    userGroupRatio: fc.option(ratio),
    source: fc.constantFrom('option' as const, 'default' as const, 'unset' as const),
    selfUse: fc.boolean(),
  })
  .chain((of) =>
    fc
      .tuple(ratio, fc.option(fc.tuple(fc.nat(50), fc.nat(50), ratio)), fc.option(transcribed))
      .map(([factor, tools, written]): Quote => {
        const each = { ...weighed(of, factor), ...(written && { transcribed: written }) };
        if (!tools) return each;
        const [web, files, usd] = tools;
        return withTools(
          each,
          { web_search: web, file_search: files },
          { web_search: usd, file_search: usd },
        );
      }),
  );

const PLACES = 60;
/** A decimal text as a whole number of 10^-60. */
export const exact = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -value : value;
};
export const ONE = 10n ** BigInt(PLACES);
