import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { often } from '../../tests/support/long.ts';
import { decimalOf } from './decimal.ts';
import type { JsonObject } from './json.ts';
import { type Quote, quotaOf, quotesByMonth, type TokenRatios, weighed, withTools } from './price-formula.ts';
import { priceRecord } from './price-record.ts';
import { receiptOf, upstreamCost } from './receipt.ts';
import { completionTokens, noUsage, promptTokens, type Usage } from './usage.ts';

const RUNS = often(1_000, 10_000);

/** Ratios as operators type them and as the default table has them: up to twelve places. */
const ratio = fc
  .oneof(
    fc.constantFrom('0', '1', '0.135', '4.074074074074', '0.000000000001'),
    fc.integer({ min: 0, max: 300_000_000 }).map((n) => String(n / 1_000_000)),
  )
  .map((text) => decimalOf(text) ?? 0n);
const ratios: fc.Arbitrary<TokenRatios> = fc.record({
  model: ratio,
  completion: ratio,
  cacheRead: ratio,
  cacheWrite: ratio,
  cacheWriteHour: ratio,
  audio: ratio,
  audioCompletion: ratio,
  image: ratio,
  imageCompletion: ratio,
});
const tiers = fc.tuple(ratios, ratios, fc.integer({ min: 1, max: 2_000_000 })).map(([low, high, upTo]) => [
  { upTo, ratios: low },
  { upTo: null, ratios: high },
]);
const price: fc.Arbitrary<Quote['price']> = fc.oneof(
  ratios.map((of) => ({ kind: 'tokens' as const, ratios: of })),
  fc.tuple(ratios, tiers).map(([of, steps]) => ({ kind: 'tokens' as const, ratios: of, tiers: steps })),
  fc.tuple(ratios, tiers).map(([of, steps]) => ({ kind: 'tokens' as const, ratios: of, byMonth: steps })),
  ratio.map((usd) => ({ kind: 'call' as const, usd })),
);
const count = fc.oneof(fc.constant(0), fc.nat(1_000_000));
const usage: fc.Arbitrary<Usage> = fc.record({
  input: count,
  cacheRead: count,
  cacheWrite: count,
  cacheWriteHour: count,
  inputAudio: count,
  inputImage: count,
  output: count,
  outputAudio: count,
  outputImage: count,
  reasoning: fc.constant(0),
});
const transcribed = fc.record({
  model: fc.constant('whisper-1'),
  price: fc.oneof(
    ratios.map((of) => ({ kind: 'tokens' as const, ratios: of })),
    ratio.map((usd) => ({ kind: 'call' as const, usd })),
  ),
  usage,
  calls: fc.nat(9),
});
const quote = fc
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
const exact = (text: string): bigint => {
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(PLACES, '0'));
  return text.startsWith('-') ? -value : value;
};
const ONE = 10n ** BigInt(PLACES);

const rowOf = (used: Usage, quota: number) => ({
  id: 7,
  request_id: '01a20138-ba3b-7299-9fae-8e428b93b998',
  created_at: 1_800_000_000,
  username: 'una',
  token_name: 'ci',
  model_name: 'gpt-4o',
  group: 'default',
  is_stream: true,
  quota,
  prompt_tokens: promptTokens(used),
  completion_tokens: completionTokens(used),
});

test('of any call the lines sum to the charge, and the receipt is worked out again from its row', () => {
  fc.assert(
    fc.property(quote, usage, fc.nat(4), fc.nat(9), (asked, used, calls, unpaid) => {
      // Of a price by the month the settlement has chosen a tier.
      const settled = quotesByMonth(asked)[calls % 2]?.quote ?? asked;
      const charged = quotaOf(settled, used, calls);
      const quota = Math.max(charged - unpaid, 0);
      const stored = JSON.stringify(priceRecord(settled, used, calls));
      const receipt = receiptOf(rowOf(used, quota), JSON.parse(stored) as JsonObject);
      if (!receipt) throw new Error('a charged call has a receipt');
      const sum = receipt.lines.reduce((all, line) => all + exact(line.weighted), 0n);
      expect(sum).toBe(exact(receipt.sum));
      expect((sum * exact(receipt.groupRatio)) / ONE).toBe(exact(receipt.exact));
      const rounded = (2n * exact(receipt.exact) + ONE) / (2n * ONE);
      const whole = rounded > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : rounded;
      expect(BigInt(receipt.formula_quota)).toBe(receipt.raisedToOne ? 1n : whole);
      expect(receipt.formula_quota).toBe(charged);
      expect(receipt.quota + receipt.written_off).toBe(charged);
      const again = receiptOf(rowOf(used, quota), JSON.parse(stored) as JsonObject);
      expect(JSON.stringify(again)).toBe(JSON.stringify(receipt));
    }),
    { numRuns: RUNS },
  );
}, 120_000);

test('what the upstream took and what is left make the charge', () => {
  fc.assert(
    fc.property(ratio, fc.nat(10_000_000), fc.integer({ min: 0, max: 2_000 }), (sum, quota, thousandths) => {
      const told = upstreamCost({ sum: `${sum}.125`, quota }, thousandths / 1_000);
      expect(exact(told?.cost ?? '') + exact(told?.margin ?? '')).toBe(exact(String(quota)));
    }),
  );
  expect(upstreamCost({ sum: '2450', quota: 1960 }, 0.5)).toEqual({
    cost_ratio: '0.5',
    cost: '1225',
    margin: '735',
  });
  expect(upstreamCost({ sum: '100', quota: 40 }, 0.6)).toEqual({
    cost_ratio: '0.6',
    cost: '60',
    margin: '-20',
  });
  for (const unknown of [undefined, null, 'x', -1])
    expect(upstreamCost({ sum: '1', quota: 1 }, unknown)).toBeNull();
});

test('a row without a price has no receipt', () => {
  expect(receiptOf(rowOf(noUsage(), 0), { error: 'x' })).toBeNull();
});
