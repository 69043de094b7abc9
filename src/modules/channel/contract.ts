/** What the channel calls take and answer. Field names are the wire's, odd ones included. */

import { z } from 'zod';
import { COLUMN_MAX } from '../../core/bounds.ts';
import { limits } from '../../core/limits.ts';
import type { Text } from '../../core/text.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { askedWhole, rowId, storedSeconds, whole } from '../../core/wire/whole.ts';
import { CHANNEL_NAME_MAX, CHANNEL_ORDERS, CHANNEL_TESTS, KEY_MODES, type KeyMode } from './facts.ts';

const TEXT_MAX = 2_000;
/** Characters of a JSON field, and of a comma list. */
export const JSON_MAX = 100_000;
const KEYS_MAX = 1_000_000;

const text = (max = TEXT_MAX) => wireText(max).nullish();
/** A comma list on the wire, an array in the form. */
const list = z.union([wireText(JSON_MAX), z.array(wireText(300)).max(5_000)]).nullish();
/** JSON text on the wire; an object is taken as well. */
const jsonText = z.union([wireText(JSON_MAX), z.record(z.string(), z.unknown())]).nullish();
const number = z.number().nullish();
const id = rowId;

/** A field that is absent or null stays as it is, so that a row may come back as GET gave it. Others are ignored. */
const channelBody = z.object({
  id: id.nullish(),
  type: whole('integer').nullish(),
  name: text(CHANNEL_NAME_MAX),
  key: wireText(KEYS_MAX).nullish(),
  status: z.union([z.literal(1), z.literal(2), z.literal(3)]).nullish(),
  /** Travels in a header. */
  openai_organization: z
    .string()
    .max(200)
    .regex(/^[\x20-\x7e]*$/)
    .nullish(),
  max_input_tokens: whole('bigint').nullish(),
  base_url: text(),
  other: text(10_000),
  models: list,
  group: list,
  model_mapping: jsonText,
  status_code_mapping: jsonText,
  setting: jsonText,
  param_override: jsonText,
  auto_ban: z.union([z.literal(0), z.literal(1), z.boolean()]).nullish(),
  test_model: text(300),
  priority: number,
  weight: number,
  tag: text(100),
  /** The second from which on it is not chosen; -1 or 0 for never. */
  expired_time: storedSeconds.nullish(),
  /** On a new channel `split`, the default, makes one channel a line of keys; the others are how one chooses among its keys. */
  multi_key_mode: z.enum(['split', ...KEY_MODES]).nullish(),
});

export const createBody = channelBody;

export const updateBody = channelBody.extend({
  id,
  multi_key_mode: z.enum(KEY_MODES).nullish(),
  /** Whether calls may go into the private network by the `base_url` beside it. Root's alone, who says so of a new one by writing it. */
  private_allowed: z.boolean().nullish(),
});

export type ChannelBody = z.output<typeof channelBody>;
export type CreateBody = z.output<typeof createBody>;
export type UpdateBody = z.output<typeof updateBody>;

/** Below 0 is no status and no type, and says so by finding nothing. */
const choice = askedWhole('integer', -COLUMN_MAX.integer);
const flag = z
  .enum(['true', 'false', '1', '0', ''])
  .transform((value) => value === 'true' || value === '1')
  .optional();

export const listQuery = pagingQuery.extend({
  id_sort: flag,
  tag_mode: flag,
  keyword: wireText(300).optional(),
  group: wireText(100).optional(),
  model: wireText(300).optional(),
  status: choice,
  type: choice,
  tag: wireText(100).optional(),
  /** How the last test ended. */
  test: z.union([z.enum(CHANNEL_TESTS), z.literal('')]).optional(),
  /** Goes before `id_sort`. Highest priority first without both. */
  sort: askedOrder(CHANNEL_ORDERS),
  /** Leaves models, mappings and settings out of the rows: 100 channels of 200 models are a quarter of a megabyte. */
  brief: flag,
});

export type ListQuery = z.output<typeof listQuery>;

export const testQuery = z.object({
  model: wireText(300).optional(),
  /** Asks for a stream, and is content with its beginning. */
  stream: flag,
});

const ids = z.array(id).max(limits.channelsAtOnce);
export const idsBody = z.object({ ids });
export const keyIdsBody = z.object({ ids: z.array(id).min(1).max(limits.channelKeys) });
export const batchTagBody = z.object({ ids, tag: text(100) });
export const batchStatusBody = z.object({ ids, status: z.union([z.literal(1), z.literal(2)]) });
export const tagBody = z.object({
  tag: wireText(100),
  /** Gives rested keys another chance, too. */
  reset_keys: z.boolean().nullish(),
});
/** Every field overrides that of all channels under the tag; empty keeps. An empty `new_tag` dissolves the tag. */
export const tagEditBody = z.object({
  tag: wireText(100),
  new_tag: text(100),
  model_mapping: jsonText,
  groups: list,
  models: list,
  priority: z.union([number, z.literal('')]),
  weight: z.union([number, z.literal('')]),
});
export type TagEditBody = z.output<typeof tagEditBody>;
export const copyQuery = z.object({ suffix: wireText(100).optional() });

/** Which channels a test or a balance is asked of: all, those of a status, or those that are named. */
export const scopeQuery = z.object({
  status: choice,
  /** A comma list. */
  ids: wireText(100_000)
    .regex(/^\d{1,15}(,\d{1,15})*$/)
    .transform((text) => text.split(',').map(Number))
    .optional(),
});
export type Scope = z.output<typeof scopeQuery>;
export const progressQuery = z.object({ after: askedWhole('integer') });
export const usableQuery = z.object({
  group: wireText(64).optional(),
  /** `true`: without those that would be refused for want of a price. */
  sold: wireText(8).optional(),
});
export const fetchModelsBody = z.object({
  base_url: text(),
  type: whole('integer'),
  key: text(20_000),
  other: text(10_000),
});

/** A channel as its list and its form see it. Its keys never come back; an empty `key` in a PUT keeps them. */
export interface ChannelRow {
  id: number;
  type: number;
  name: string;
  channel_name: string;
  key: '';
  /** Masked first key, and how many there are. */
  key_hint: string;
  key_count: number;
  keys_disabled: number;
  status: number;
  openai_organization: string;
  max_input_tokens: number;
  base_url: string;
  /** Root lets its calls into the private network. */
  private_allowed: boolean;
  other: string;
  models: string;
  model_count: number;
  group: string;
  model_mapping: string;
  status_code_mapping: string;
  setting: string;
  param_override: string;
  /** Names in it that are not sent: rows may be older than the rule that refuses them. */
  override_ignored: string[];
  auto_ban: number;
  test_model: string;
  priority: number;
  weight: number;
  tag: string;
  other_info: string;
  response_time: number;
  test_time: number;
  balance: number;
  balance_updated_time: number;
  used_quota: number;
  multi_key_mode: KeyMode;
  expired_time: number;
  created_time: number;
}

/** What came of one channel in a test of many, or when the balances of many were asked for. */
export interface SurveyDetail {
  id: number;
  name: string;
  /** Why not, in both languages; of jobs before there were two, in one. */
  message?: Text | string | null;
  /** Seconds that a test took. */
  time?: number;
  /** US dollars. */
  balance?: number;
  /** False where there is nothing to ask for. */
  offered?: boolean;
  /** It was switched off for what came of it. */
  disabled?: boolean;
}
