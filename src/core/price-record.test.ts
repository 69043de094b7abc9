import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { decimalOf } from './decimal.ts';
import type { JsonObject } from './json.ts';
import { chargeOf, type Quote, settledQuote } from './price-formula.ts';
import { chargeOfRecord, priceRecord, tierOfRecord } from './price-record.ts';
import { completionTokens, noUsage, promptTokens, type Usage } from './usage.ts';

/** Ratios as operators type them: up to six places. */
const ratio = fc.integer({ min: 0, max: 300_000_000 }).map((n) => decimalOf(n / 1_000_000) ?? 0n);
const ratios = fc.record({
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
const quote: fc.Arbitrary<Quote> = fc.record({
  price: fc.oneof(
    fc.tuple(ratios, fc.option(ratio)).map(([of, completion]) => ({
      kind: 'tokens' as const,
      ratios: of,
      ...(completion !== null && { thinking: { ...of, completion } }),
    })),
    ratio.map((usd) => ({ kind: 'call' as const, usd })),
  ),
  groupRatio: ratio,
  userGroupRatio: fc.option(ratio),
  source: fc.constantFrom('option' as const, 'default' as const, 'unset' as const),
  selfUse: fc.boolean(),
  tools: fc.option(
    fc.uniqueArray(fc.record({ tool: fc.string({ minLength: 1 }), count: fc.nat(1000), usd: ratio }), {
      selector: ({ tool }) => tool,
    }),
    { nil: undefined },
  ),
});
const TOKENS: Omit<Quote, 'price'> = {
  groupRatio: 1n,
  userGroupRatio: null,
  source: 'option',
  selfUse: false,
};
const count = fc.oneof(fc.constant(0), fc.nat(1_000_000));
const usage: fc.Arbitrary<Usage> = fc.record({
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
  reasoning: count,
});

test('a log row tells its charge again, line by line', () => {
  fc.assert(
    fc.property(quote, usage, fc.nat(3), (price, used, calls) => {
      const other = JSON.parse(JSON.stringify(priceRecord(price, used, calls))) as JsonObject;
      const row = { prompt_tokens: promptTokens(used), completion_tokens: completionTokens(used) };
      expect(chargeOfRecord(row, other)).toEqual(chargeOf(price, used, calls));
    }),
  );
});

test('a row tells by which price the thoughts of its call were charged', () => {
  fc.assert(
    fc.property(ratios, ratio, usage, (plain, completion, used) => {
      const thinking = { ...plain, completion };
      const price: Quote = { ...TOKENS, price: { kind: 'tokens', ratios: plain, thinking } };
      const told = priceRecord(price, used);
      expect(told.thinking_price).toBe(used.reasoning > 0 ? true : undefined);
      const lines = chargeOf(price, used).lines.map(({ item }) => item);
      expect(lines.includes('outputThought')).toBe(used.reasoning > 0 && used.output > 0);
      // Seen, and not told.
      expect(priceRecord({ ...price, thinks: true }, { ...used, reasoning: 0 }).thinking_price).toBe(true);
    }),
  );
});

test('a row without a price, or with counts that cannot be, tells no charge', () => {
  const row = { prompt_tokens: 10, completion_tokens: 0 };
  expect(chargeOfRecord(row, { error: 'upstream_timeout' })).toBeNull();
  const price: Quote = { ...TOKENS, price: { kind: 'call', usd: 1n } };
  expect(
    chargeOfRecord(row, {
      ...priceRecord(price, noUsage()),
      model_price: -1,
      model_ratio: 1,
      cache_tokens: 11,
    }),
  ).toBeNull();
});

test('a row tells which tier was charged, and the charge again', () => {
  const tiers = fc.tuple(quote, quote, fc.integer({ min: 1, max: 5_000_000 }));
  fc.assert(
    fc.property(tiers, usage, ([low, high, upTo], used) => {
      if (low.price.kind === 'call' || high.price.kind === 'call') return;
      const price: Quote = {
        ...low,
        price: {
          kind: 'tokens',
          ratios: low.price.ratios,
          tiers: [
            { upTo, ratios: low.price.ratios },
            { upTo: null, ratios: high.price.ratios },
          ],
        },
      };
      const other = JSON.parse(JSON.stringify(priceRecord(price, used))) as JsonObject;
      const row = { prompt_tokens: promptTokens(used), completion_tokens: completionTokens(used) };
      expect(chargeOfRecord(row, other)).toEqual(chargeOf(price, used));
      const settled = settledQuote(price, used).price;
      expect(tierOfRecord(other)).toEqual(settled.kind === 'tokens' ? (settled.tier ?? null) : null);
      expect(tierOfRecord(other)?.from).toBe(row.prompt_tokens > upTo ? upTo : 0);
    }),
  );
});
