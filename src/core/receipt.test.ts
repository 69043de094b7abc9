import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { often } from '../../tests/support/long.ts';
import { patience } from '../../tests/support/patience.ts';
import { exact, ONE, quote, ratio, usage } from '../../tests/support/quotes.ts';
import type { JsonObject } from './json.ts';
import { quotaOf, quotesByMonth } from './price-formula.ts';
import { priceRecord } from './price-record.ts';
import { receiptOf, upstreamCost } from './receipt.ts';
import { completionTokens, noUsage, promptTokens, type Usage } from './usage.ts';

const RUNS = often(1_000, 10_000);

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

test(
  'of any call the lines sum to the charge, and the receipt is worked out again from its row',
  () => {
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
  },
  patience(120_000),
);

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
