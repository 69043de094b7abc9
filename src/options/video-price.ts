/** What films cost: US dollars a second, by model and, where that differs, by size; and how long they may be. */

import { z } from 'zod';
import { PRICED_NAME_MAX } from '../core/bounds.ts';
import { decimalOf } from '../core/decimal.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import { refusal } from './define.ts';

const USD_MAX = 1_000_000;
const SIZES_MAX = 50;

const usd = z
  .number()
  .min(0)
  .max(USD_MAX)
  .superRefine((price, ctx) => {
    if (decimalOf(price) === null) ctx.addIssue(refusal('最多 12 位小数', 'at most 12 decimal places'));
  });

const sizes = z.record(z.string(), usd).superRefine((map, ctx) => {
  if (Object.keys(map).length > SIZES_MAX)
    ctx.addIssue(refusal(`最多 ${SIZES_MAX} 种尺寸`, `at most ${SIZES_MAX} sizes`));
  if (!Object.keys(map).every((size) => /^[1-9]\d{1,3}x[1-9]\d{1,3}$/.test(size)))
    ctx.addIssue(refusal('尺寸应形如 1280x720', 'a size must look like 1280x720'));
});

/** Lengths that are sold; where none are named, those that the model is known for. */
const seconds = z.array(z.int().min(1).max(limits.videoSecondsMax)).min(1).max(limits.videoSecondsMax);

const videoPrice = z.strictObject({
  per_second: usd,
  sizes: sizes.optional(),
  seconds: seconds.optional(),
});
export type VideoPrice = z.output<typeof videoPrice>;

/** Google makes 1024 lines as 1080. */
const ROUNDED_UP = 1.06;

const linesOf = (size: string): number => Math.min(...size.split('x').map(Number));

/**
 * US dollars for a second of a film of this size, `WIDTHxHEIGHT`: as named, else the dearest of what is named without more
 * lines. Upstreams make the lines that come next, whatever the other side says, so that one pixel more or less must not
 * have a large film at the price of a small one.
 */
export function usdPerSecond({ per_second, sizes = {} }: VideoPrice, size: string): number {
  const most = linesOf(size) * ROUNDED_UP;
  const reached = Object.entries(sizes).flatMap(([named, price]) => (linesOf(named) <= most ? [price] : []));
  return own(sizes, size) ?? Math.max(per_second, ...reached);
}

export const videoPrices = z.record(z.string().min(1).max(PRICED_NAME_MAX), videoPrice);
