/** Prices by tiers as they are typed: a row a tier, US dollars per million tokens. */

import { decimalOf } from '@core/decimal.ts';
import type { DataOf } from '@/lib/calls.ts';
import type { TextKey } from '@/lib/text-key.ts';

/** Prices as the catalogue's editor is told of them. */
export type Tiered = NonNullable<DataOf<'get', '/api/model_hub/admin'>[number]['tiered']>;
export type Tier = Tiered['tiers'][number];

/** By the length of one call's input, or by what its user has used this month. */
export const bases = ['input', 'month'] as const satisfies readonly Tiered['by'][];

/** Of the last row `upTo` plays no part. */
export interface TierRow {
  upTo: string;
  input: string;
  output: string;
  /** Output of a call that thinks. */
  thinking: string;
  cacheRead: string;
  cacheWrite: string;
}

export const NO_TIER: TierRow = {
  upTo: '',
  input: '',
  output: '',
  thinking: '',
  cacheRead: '',
  cacheWrite: '',
};

const textOf = (value: number | null | undefined): string => (value == null ? '' : String(value));

export const tierRows = (tiered: Tiered | null): TierRow[] =>
  tiered?.tiers.map(({ up_to, input, output, output_thinking, cache_read, cache_write }) => ({
    upTo: textOf(up_to),
    input: textOf(input),
    output: textOf(output),
    thinking: textOf(output_thinking),
    cacheRead: textOf(cache_read),
    cacheWrite: textOf(cache_write),
  })) ?? [NO_TIER, NO_TIER];

export type TierErrors = Partial<Record<keyof TierRow, TextKey>>;

/** The tiers that rows mean, or what is wrong with each row. */
export function readTiers(
  rows: readonly TierRow[],
): { ok: true; tiers: Tier[] } | { ok: false; errors: TierErrors[] } {
  const errors = rows.map((row, index) => errorsOf(row, rows[index - 1], index === rows.length - 1));
  if (errors.some((one) => Object.keys(one).length > 0)) return { ok: false, errors };
  return {
    ok: true,
    tiers: rows.map((row, index) => ({
      up_to: index === rows.length - 1 ? null : Number(row.upTo),
      input: Number(row.input),
      output: Number(row.output),
      ...(row.thinking.trim() !== '' && { output_thinking: Number(row.thinking) }),
      ...(row.cacheRead.trim() !== '' && { cache_read: Number(row.cacheRead) }),
      ...(row.cacheWrite.trim() !== '' && { cache_write: Number(row.cacheWrite) }),
    })),
  };
}

const PRICES = ['input', 'output', 'thinking', 'cacheRead', 'cacheWrite'] as const;

function errorsOf(row: TierRow, before: TierRow | undefined, isLast: boolean): TierErrors {
  const errors: TierErrors = {};
  for (const field of PRICES) {
    const isOptional = field !== 'input' && field !== 'output';
    const isLeftOut = isOptional && row[field].trim() === '';
    if (!isLeftOut && decimalOf(row[field]) === null) errors[field] = 'prices.notNumber';
  }
  if (decimalOf(row.input) === 0n) {
    for (const field of PRICES) if ((decimalOf(row[field]) ?? 0n) > 0n) errors[field] = 'prices.zeroPrice';
  }
  if (isLast) return errors;
  if (!/^[1-9]\d{0,11}$/.test(row.upTo.trim())) errors.upTo = 'setting.notWhole';
  else if (before && Number(row.upTo) <= Number(before.upTo)) errors.upTo = 'prices.tierMustGrow';
  return errors;
}

/** Whether two prices say the same, in whatever order their fields stand. */
export const sameTiers = (a: Tiered | null | undefined, b: Tiered | null | undefined): boolean =>
  JSON.stringify([a?.by, a && tierRows(a)]) === JSON.stringify([b?.by, b && tierRows(b)]);

/** In one line: input, output, and output of a call that thinks where that is named. */
export const tierList = ({ tiers }: Tiered): string =>
  tiers
    .map(({ up_to, ...tier }) => {
      const prices = [tier.input, tier.output, tier.output_thinking].filter((usd) => usd !== undefined);
      return `${up_to === null ? '∞' : `≤${up_to}`} ${prices.map((usd) => `$${usd}`).join('/')}`;
    })
    .join(', ');

/** For the review. */
export const tiersText = (tiered: Tiered): string => `${tiered.by}: ${tierList(tiered)}`;
