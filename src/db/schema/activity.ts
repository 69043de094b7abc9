import { sql } from 'drizzle-orm';
import { check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { int8 } from '../columns.ts';

/**
 * A user's fuel packs: one row, whose lock makes claims take turns. No reference to the user: it would lock his row, for
 * which the money statements wait.
 */
export const fuelPacks = pgTable(
  'fuel_packs',
  {
    user_id: int8().primaryKey(),
    /** Of the ledger row of the last claim. */
    ref: uuid().notNull(),
    /** Unix seconds, by the database's clock. */
    claimed_at: int8().notNull(),
    /** A keyed hash of the network that claimed last; empty for a user who was erased. */
    network: text().notNull(),
    /** Of all claims together. */
    total_quota: int8().notNull(),
  },
  (t) => [
    index('fuel_packs_network').on(t.network, t.claimed_at.desc()),
    check('fuel_packs_total', sql`${t.total_quota} between 0 and 9007199254740991`),
  ],
);
