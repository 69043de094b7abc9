import { sql } from 'drizzle-orm';
import { check, index, pgTable, primaryKey, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { identity, int8, now } from '../columns.ts';

/**
 * Codes that add quota, once. The code itself stands here as a keyed hash, which finds it, and sealed, for those who may
 * see it again. No reference to a user: it would lock his row, for which the money statements wait.
 */
export const redemptions = pgTable(
  'redemptions',
  {
    id: identity(),
    /** Of the ledger row that it becomes when it is used. */
    ref: uuid().notNull(),
    name: text().notNull(),
    code_lookup: text().notNull(),
    code_sealed: text().notNull(),
    code_hint: text().notNull(),
    /** 1 unused, 2 disabled, 3 used. */
    status: smallint().notNull().default(1),
    quota: int8().notNull(),
    created_by: int8().notNull(),
    created_time: int8().notNull().default(now),
    /** Unix seconds; -1 for never. */
    expired_time: int8().notNull().default(-1),
    /** 0 for nobody. */
    used_user_id: int8().notNull().default(0),
    used_time: int8().notNull().default(0),
    deleted_at: int8(),
  },
  (t) => [
    // Of a removed code too: what was used once is never another code.
    uniqueIndex('redemptions_code').on(t.code_lookup),
    check('redemptions_quota', sql`${t.quota} between 1 and 9007199254740991`),
  ],
);

/**
 * One row a movement of `users.aff_quota` (kind 1) and `users.activity_quota` (kind 2): what was granted is above 0, what
 * was transferred to the balance below. A transfer has the ref of its ledger row, and a row for each balance that it
 * took from. Only `src/billing` writes it.
 */
export const rewards = pgTable(
  'rewards',
  {
    ref: uuid().notNull(),
    kind: smallint().notNull(),
    user_id: int8().notNull(),
    amount: int8().notNull(),
    /** What it was granted for: the invited user, or the activity. Null of a transfer. */
    cause_id: int8(),
    created_at: int8().notNull(),
    note: text(),
  },
  (t) => [
    primaryKey({ columns: [t.ref, t.kind] }),
    // An invited user is rewarded for once, whoever invited him; an activity rewards each user once.
    uniqueIndex('rewards_invited').on(t.cause_id).where(sql`${t.kind} = 1`),
    uniqueIndex('rewards_activity').on(t.cause_id, t.user_id).where(sql`${t.kind} = 2`),
    index('rewards_user').on(t.user_id, t.created_at.desc()),
    check('rewards_amount', sql`${t.amount} between -9007199254740991 and 9007199254740991`),
    check('rewards_cause', sql`(${t.amount} > 0) = (${t.cause_id} is not null) and ${t.amount} <> 0`),
  ],
);
