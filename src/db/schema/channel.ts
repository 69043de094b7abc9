import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  doublePrecision,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  unique,
} from 'drizzle-orm/pg-core';
import type { JsonObject } from '../../core/json.ts';
import { identity, int8, json, now } from '../columns.ts';

/** An operator's connection to an upstream. The keys stand in `channel_keys`, sealed. */
export const channels = pgTable(
  'channels',
  {
    id: identity(),
    type: integer().notNull(),
    name: text().notNull(),
    status: smallint().notNull().default(1),
    openai_organization: text().notNull().default(''),
    max_input_tokens: int8().notNull().default(0),
    base_url: text().notNull().default(''),
    /** Root lets calls into the private network: he wrote the address, or said so of it. */
    private_allowed: boolean().notNull().default(false),
    other: text().notNull().default(''),
    models: text().array().notNull().default([]),
    groups: text().array().notNull().default(['default']),
    model_mapping: json<Record<string, string>>().notNull().default({}),
    status_code_mapping: json<Record<string, string>>().notNull().default({}),
    setting: json<JsonObject>().notNull().default({}),
    param_override: json<JsonObject>().notNull().default({}),
    auto_ban: smallint().notNull().default(1),
    test_model: text().notNull().default(''),
    priority: int8().notNull().default(0),
    weight: int8().notNull().default(0),
    tag: text().notNull().default(''),
    /** status_reason and status_time of the last automatic change. */
    other_info: json<JsonObject>().notNull().default({}),
    /** Milliseconds of the last test, 0 when untested. */
    response_time: int8().notNull().default(0),
    test_time: int8().notNull().default(0),
    /** US dollars as the upstream reports them. */
    balance: doublePrecision().notNull().default(0),
    balance_updated_time: int8().notNull().default(0),
    used_quota: int8().notNull().default(0),
    /** `random` or `polling`: which of several keys is asked next. */
    multi_key_mode: text().notNull().default('random'),
    /** The second from which on it is not chosen; 0 or less for never. */
    expired_time: int8().notNull().default(-1),
    created_time: int8().notNull().default(now),
    updated_at: int8().notNull().default(now),
  },
  (t) => [
    index('channels_tag').on(t.tag).where(sql`${t.tag} <> ''`),
    check('channels_weight', sql`${t.weight} >= 0`),
    check('channels_used', sql`${t.used_quota} between 0 and 9007199254740991`),
  ],
);

/** The upstream keys of a channel; one that is refused is disabled on its own. */
export const channelKeys = pgTable(
  'channel_keys',
  {
    id: identity(),
    channel_id: int8()
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    position: integer().notNull(),
    sealed: text().notNull(),
    /** Finds the key by what it is; null of one that was stored before there was this column. */
    key_lookup: text(),
    hint: text().notNull(),
    status: smallint().notNull().default(1),
    reason: text().notNull().default(''),
    disabled_at: int8().notNull().default(0),
  },
  (t) => [
    unique('channel_keys_position').on(t.channel_id, t.position),
    index('channel_keys_lookup').on(t.key_lookup),
  ],
);

/** How each channel has answered, by the quarter of an hour; what is told of a day is made of it. */
export const channelQuarters = pgTable(
  'channel_quarters',
  {
    /** Unix seconds at which it begins. */
    quarter: int8().notNull(),
    channel_id: int8().notNull(),
    ok: int8().notNull(),
    slow: int8().notNull(),
    failed: int8().notNull(),
    /** Milliseconds that the answers took, of those that are ok or slow. */
    answer_ms: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.quarter, t.channel_id] })],
);

/**
 * Which channel serves which model to which group, for lists and prices. It follows the channel in its transaction; the
 * relay's view in memory is made from the channels' own rows and says the same.
 */
export const abilities = pgTable(
  'abilities',
  {
    group_name: text().notNull(),
    model_name: text().notNull(),
    channel_id: int8()
      .notNull()
      .references(() => channels.id, { onDelete: 'cascade' }),
    enabled: boolean().notNull(),
    priority: int8().notNull(),
    weight: int8().notNull(),
    tag: text().notNull().default(''),
  },
  (t) => [
    primaryKey({ columns: [t.group_name, t.model_name, t.channel_id] }),
    index('abilities_channel').on(t.channel_id),
  ],
);
