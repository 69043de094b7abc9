/**
 * Prices that depend on how much is used. The option ModelTieredPrice is JSON, model → tiers:
 *
 *   { "gemini-2.5-pro": [
 *       { "up_to": 200000, "input": 1.25, "output": 10, "cache_read": 0.31 },
 *       { "up_to": null, "input": 2.5, "output": 15, "cache_read": 0.625 } ],
 *     "deepseek-chat": { "by": "month", "tiers": [
 *       { "up_to": 100000000, "input": 0.28, "output": 0.42 },
 *       { "up_to": null, "input": 0.2, "output": 0.3 } ] } }
 *
 * Prices are US dollars per million tokens. A call as a whole costs what its tier says: by `input` (which a plain list
 * means) the tier of its whole prompt, cached parts included; by `month` the tier of the tokens, in and out, that its
 * user has been charged for of the model since the first of the calendar month (UTC) when the call is charged, by whatever
 * names it is sold at this price. `up_to` belongs to its tier. `output_thinking` is the price of all output of a call that
 * thinks. What a tier has no price of its own for, of that or of caches, follows the model's ratios. The tiers of the
 * default table have the same form.
 */

import { z } from 'zod';
import { PRICED_NAME_MAX } from '../core/bounds.ts';
import { DECIMAL_ONE, type Decimal, decimalOf, decimalText } from '../core/decimal.ts';
import { USD_PER_RATIO } from '../core/price-ratio.ts';
import { TIERS_MAX } from '../core/price-tiers.ts';
import { refusal } from './define.ts';

const USD_MAX = 1_000_000;
const COUNT_MAX = 1_000_000_000_000;
/** US dollars per million tokens. */
const usd = z
  .number()
  .min(0)
  .max(USD_MAX)
  .superRefine((price, ctx) => {
    if (decimalOf(price) === null) ctx.addIssue(refusal('最多 12 位小数', 'at most 12 decimal places'));
  });

const tier = z.strictObject({
  /** The most tokens that it is for; null for the last. */
  up_to: z.number().int().min(1).max(COUNT_MAX).nullable(),
  input: usd,
  output: usd,
  /** All output of a call that thinks. */
  output_thinking: usd.optional(),
  cache_read: usd.optional(),
  cache_write: usd.optional(),
});
export type TierPrice = z.infer<typeof tier>;

const tiers = z
  .array(tier)
  .min(1)
  .max(TIERS_MAX)
  .superRefine((list, ctx) => {
    list.forEach(({ up_to, ...prices }, i) => {
      const isLast = i === list.length - 1;
      if (isLast !== (up_to === null)) {
        ctx.addIssue(
          refusal('只有最后一档的 up_to 是 null', 'up_to is null in the last tier, and only there', [
            i,
            'up_to',
          ]),
        );
      }
      const before = list[i - 1]?.up_to;
      if (up_to !== null && before !== null && before !== undefined && up_to <= before) {
        ctx.addIssue(refusal('up_to 必须逐档增大', 'up_to must grow from tier to tier', [i, 'up_to']));
      }
      if (prices.input === 0 && Object.values(prices).some((price) => price > 0)) {
        ctx.addIssue(refusal('模型价格不能为 0', 'model price cannot be 0', [i, 'input']));
      }
    });
  });

const tierBases = ['input', 'month'] as const;
export type TierBasis = (typeof tierBases)[number];

/** Of one model. */
export type TieredPrice = {
  by: TierBasis;
  tiers: TierPrice[];
};

export const tieredPrice: z.ZodType<TieredPrice> = z.preprocess(
  (given) => (Array.isArray(given) ? { by: 'input', tiers: given } : given),
  z.strictObject({ by: z.enum(tierBases), tiers }),
);

export const tieredPrices = z.record(z.string().min(1).max(PRICED_NAME_MAX), tieredPrice);

/** A price as the option holds it, as short as it can be said. */
export const shortTiers = ({ by, tiers }: TieredPrice): TierPrice[] | TieredPrice =>
  by === 'input' ? tiers : { by, tiers };

/** A tier in the factors of the formula; a price that it does not name is absent. */
export interface TierRatios {
  model: Decimal;
  completion: Decimal;
  thinkingCompletion?: Decimal;
  cacheRead?: Decimal;
  cacheWrite?: Decimal;
}

const USD_EXACT = BigInt(USD_PER_RATIO);

const decimal = (price: number): Decimal => decimalOf(price) ?? 0n;

/** Log rows hold ratios as numbers: one that no number says exactly would not be told again as it was charged. */
export const told = (ratio: Decimal): Decimal => decimalOf(Number(decimalText(ratio))) ?? ratio;

/** The quotient to twelve places, half up, as exact as every ratio. What is free has no ratios. */
const over = (price: Decimal, base: Decimal): Decimal =>
  base === 0n ? DECIMAL_ONE : told((2n * price * DECIMAL_ONE + base) / (2n * base));

export function ratiosOfTier(tier: TierPrice): TierRatios {
  const { input, output, output_thinking, cache_read, cache_write } = tier;
  const base = decimal(input);
  return {
    model: told((base + USD_EXACT / 2n) / USD_EXACT),
    completion: over(decimal(output), base),
    ...(output_thinking !== undefined && { thinkingCompletion: over(decimal(output_thinking), base) }),
    ...(cache_read !== undefined && { cacheRead: over(decimal(cache_read), base) }),
    ...(cache_write !== undefined && { cacheWrite: over(decimal(cache_write), base) }),
  };
}
