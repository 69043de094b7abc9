import { sql } from 'drizzle-orm';
import { check, pgTable, smallint, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
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
