/** Entries of the catalogue on the wire: lists are comma texts, numbers may come as text. */

import { z } from 'zod';
import { PRICED_NAME_MAX } from '../../core/bounds.ts';
import { decimalOf } from '../../core/decimal.ts';
import { fail } from '../../core/errors.ts';
import { fieldWords } from '../../core/field-words.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { listOf } from '../../core/wire/lists.ts';
import { wireText } from '../../core/wire/text.ts';
import type { hubModels } from '../../db/schema/index.ts';
import { tieredPrice } from '../../options/tiered-price.ts';
import { DESC_MAX } from './facts.ts';
import type { GivenPrice } from './price-edit.ts';

const LIST_MAX = 1_000;
const ENTRIES_MAX = 2_000;
/** A picture of `ICON_BYTES_MAX` in base64, with its head. */
const ICON_MAX = 90_000;
/** Upstreams call some of theirs by long names, which no entry of ours has. */
const MODEL_MAX = 1_000;
const RATIO_MAX = 1_000_000_000;

const amount = z.union([z.number(), wireText(60), z.null()]).optional();
const flag = z
  .union([z.boolean(), z.literal('true'), z.literal('false'), z.null()])
  .transform((value) => value === true || value === 'true')
  .optional();
const list = z.union([wireText(LIST_MAX), z.array(wireText(100)).max(100), z.null()]).optional();

const entry = z.object({
  name: wireText(PRICED_NAME_MAX).trim().min(1),
  mode: z.enum(['call', 'tokens', 'tiers', 'none']).optional().catch(undefined),
  price: amount,
  ratio: amount,
  completionRatio: amount,
  thinkingRatio: amount,
  cacheRatio: amount,
  tiered: tieredPrice.nullish(),
  model_type: list,
  tags: list,
  multimodal: flag,
  sort: amount,
  desc: wireText(DESC_MAX).nullish(),
  max_token: amount,
  hide: flag,
  icon: wireText(ICON_MAX).nullish(),
});
export type GivenEntry = z.output<typeof entry>;

export const saveBody = z.object({
  update: z.array(entry).max(ENTRIES_MAX).default([]),
  delete: z.array(wireText(PRICED_NAME_MAX)).max(ENTRIES_MAX).default([]),
});

/** As many as a channel may have. */
export const unpricedBody = z.object({
  models: z.array(wireText(MODEL_MAX)).max(limits.modelsPerChannel),
});

type Amount = GivenEntry['price'];

function numberOf(name: string, field: string, value: Amount): number | null | undefined {
  if (value === undefined) return undefined;
  if (value === null || value === '') return null;
  const read = decimalOf(value);
  if (read === null || Number(value) > RATIO_MAX)
    throw fail('HUB_NUMBER', { params: { name: asIs(name), field: fieldWords(field) } });
  return Number(value);
}

function wholeOf(name: string, field: string, value: Amount, most: number): number | undefined {
  const read = numberOf(name, field, value);
  if (read === undefined) return undefined;
  if (read !== null && (!Number.isSafeInteger(read) || read > most))
    throw fail('HUB_NUMBER', { params: { name: asIs(name), field: fieldWords(field) } });
  return read ?? 0;
}

const SORT_MAX = 2_147_483_647;
const TOKENS_MAX = 1_000_000_000;

/** Pictures that a page shows as an image, where no script of theirs runs. */
const ICON = /^data:image\/(png|jpeg|gif|webp|svg\+xml);base64,[A-Za-z0-9+/]+={0,2}$/;

/** Throws HUB_NUMBER. */
export const givenPrice = ({ name, ...given }: GivenEntry): GivenPrice => {
  const price = {
    mode: given.mode,
    price: numberOf(name, 'price', given.price),
    ratio: numberOf(name, 'ratio', given.ratio),
    completionRatio: numberOf(name, 'completionRatio', given.completionRatio),
    thinkingRatio: numberOf(name, 'thinkingRatio', given.thinkingRatio),
    cacheRatio: numberOf(name, 'cacheRatio', given.cacheRatio),
    tiered: given.tiered ?? undefined,
  };
  return Object.fromEntries(Object.entries(price).filter(([, value]) => value !== undefined));
};

type Row = typeof hubModels.$inferInsert;
type Words = Partial<Omit<Row, 'name' | 'created_at' | 'updated_at'>>;

const orUndefined = <T>(value: T | null | undefined): T | undefined => value ?? undefined;

/** What an entry says beside its price; what it does not say is absent. Throws HUB_NUMBER, HUB_ICON. */
export function givenWords({ name, ...given }: GivenEntry): Words {
  if (given.icon && !ICON.test(given.icon)) throw fail('HUB_ICON', { params: { name: asIs(name) } });
  const words = {
    model_type: given.model_type === undefined ? undefined : listOf(given.model_type ?? ''),
    tags: given.tags === undefined ? undefined : listOf(given.tags ?? ''),
    multimodal: given.multimodal,
    sort: wholeOf(name, 'sort', given.sort, SORT_MAX),
    description: orUndefined(given.desc),
    max_token: wholeOf(name, 'max_token', given.max_token, TOKENS_MAX),
    hide: given.hide,
    icon: orUndefined(given.icon),
  };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== undefined));
}
