import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { int8 } from '../columns.ts';

/** Quota held for a call under way. Open: a row; settled: gone; orphaned: `amount` 0 with `orphaned_at`, given back because its process died. */
export const reservations = pgTable(
  'reservations',
  {
    id: uuid().primaryKey(),
    user_id: int8().notNull(),
    token_id: int8().notNull(),
    amount: int8().notNull(),
    /** Boot id of the process that settles it. */
    owner: text().notNull(),
    created_at: int8().notNull(),
    orphaned_at: int8(),
  },
  (t) => [check('reservations_amount', sql`${t.amount} between 0 and 9007199254740991`)],
);

/** One row a movement of `quota + reserved`; kinds stand in `src/billing/ledger.ts`. */
export const ledger = pgTable(
  'ledger',
  {
    ref: uuid().notNull(),
    kind: smallint().notNull(),
    user_id: int8().notNull(),
    delta: int8().notNull(),
    created_at: int8().notNull(),
    note: text(),
  },
  (t) => [
    primaryKey({ columns: [t.ref, t.kind] }),
    index('ledger_user').on(t.user_id, t.created_at.desc()),
    // What an account's statement lists one by one, which is a handful beside its charges.
    index('ledger_movements')
      .on(t.user_id, t.created_at.desc().nullsFirst(), t.ref.desc().nullsFirst(), t.kind.desc().nullsFirst())
      .where(sql`${t.kind} <> 1`),
  ],
);

const usageColumns = () => ({
  hour: int8().notNull(),
  user_id: int8().notNull(),
  token_id: int8().notNull(),
  channel_id: int8().notNull(),
  model_name: text().notNull(),
  group_name: text().notNull(),
  calls: int8().notNull(),
  prompt_tokens: int8().notNull(),
  completion_tokens: int8().notNull(),
  quota: int8().notNull(),
});

/** Beside them: how much of the prompts was cached, and how long the first content took, of as many calls as tell it. */
const readingColumns = () => ({
  cached_tokens: int8().notNull().default(0),
  first_ms: int8().notNull().default(0),
  first_calls: int8().notNull().default(0),
});

/** Charged calls by hour: what totals and the dashboard read instead of the log. */
export const usageHourly = pgTable(
  'usage_hourly',
  {
    ...usageColumns(),
    ...readingColumns(),
    /**
     * What was sold: the month of that counts it. Null for nearly all: the name itself; empty where it was no model, or where
     * prices changed within the hour, so that it was sold as more than one.
     */
    sold_name: text(),
  },
  (t) => [
    primaryKey({ columns: [t.hour, t.user_id, t.token_id, t.channel_id, t.model_name, t.group_name] }),
    index('usage_hourly_user').on(t.user_id, t.hour.desc()),
  ],
);

/**
 * Tokens in and out that a user was charged for of what is sold in a calendar month (UTC): what chooses the tier of a price
 * by the month. There is a row from when such a price first asks for it, and everything that is charged later is added.
 */
export const usageMonths = pgTable(
  'usage_months',
  {
    user_id: int8().notNull(),
    sold_name: text().notNull(),
    /** Unix seconds at which it begins. */
    month: int8().notNull(),
    tokens: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.sold_name, t.month] })],
);

/**
 * The hourly figures once more, by one dimension at a time: what the dashboard reads of long times. Of each user and of
 * everybody by parts of days; of everybody by spans of days too, and by hours where a dimension has few values, or a user many figures. A job
 * writes a part when it is over; `usage_parts` says which are written, and `usage_late` which of them are not whole.
 */
export const usageFolded = pgTable(
  'usage_folded',
  {
    /** -1 for everybody. */
    user_id: int8().notNull(),
    /** A place in `FOLDED_DIMENSIONS`. */
    dimension: smallint().notNull(),
    /** How many it holds: one of `FOLDED_HOURS`. */
    hours: smallint().notNull(),
    /** Unix seconds at which they begin. */
    part: int8().notNull(),
    value: text().notNull(),
    calls: int8().notNull(),
    prompt_tokens: int8().notNull(),
    completion_tokens: int8().notNull(),
    quota: int8().notNull(),
    ...readingColumns(),
    /** Calls that came to nothing. */
    failed: int8().notNull().default(0),
  },
  (t) => [primaryKey({ columns: [t.user_id, t.dimension, t.hours, t.part, t.value] })],
);

/** Parts of days that were folded, with their hours. */
export const usageParts = pgTable('usage_parts', { part: int8().primaryKey() });

/** Spans of which parts were folded; whole where the span is the sum of all its parts as they were folded last. */
export const usageSpans = pgTable('usage_spans', {
  span: int8().primaryKey(),
  is_whole: boolean().notNull(),
});

/**
 * Parts of days to which a settlement has come so late that they may have been folded: until they are folded again, they
 * count as if they were not. A part may stand here many times, so that nobody waits for who writes or removes it.
 */
export const usageLate = pgTable('usage_late', { part: int8().notNull() }, (t) => [index().on(t.part)]);

/** That part of the hourly figures which has no rows in the log, because the operator wants none written. */
export const usageUnlogged = pgTable('usage_unlogged', usageColumns(), (t) => [
  primaryKey({ columns: [t.hour, t.user_id, t.token_id, t.channel_id, t.model_name, t.group_name] }),
  index('usage_unlogged_user').on(t.user_id, t.hour.desc()),
]);

/** Refused and failed calls by hour and code, also those that have no row: what success rates are made of. */
export const failuresHourly = pgTable(
  'failures_hourly',
  {
    hour: int8().notNull(),
    user_id: int8().notNull(),
    token_id: int8().notNull(),
    channel_id: int8().notNull(),
    /** Empty for names that no channel has. */
    model_name: text().notNull(),
    group_name: text().notNull(),
    code: text().notNull(),
    calls: int8().notNull(),
  },
  (t) => [
    primaryKey({
      columns: [t.hour, t.user_id, t.token_id, t.channel_id, t.model_name, t.group_name, t.code],
    }),
    index('failures_hourly_user').on(t.user_id, t.hour.desc()),
  ],
);
