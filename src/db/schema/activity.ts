import { sql } from 'drizzle-orm';
import { boolean, check, index, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { identity, int8, now } from '../columns.ts';

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
    /** The same of the provider's network around it; empty where none is counted. */
    provider_network: text().notNull().default(''),
    /** Of all claims together. */
    total_quota: int8().notNull(),
  },
  (t) => [
    index('fuel_packs_network').on(t.network, t.claimed_at.desc()),
    index('fuel_packs_provider_network')
      .on(t.provider_network, t.claimed_at.desc())
      .where(sql`${t.provider_network} <> ''`),
    check('fuel_packs_total', sql`${t.total_quota} between 0 and 9007199254740991`),
  ],
);

/** What administrators announce. The rewards of it are rows of `rewards`, whose cause it is. */
export const activities = pgTable(
  'activities',
  {
    id: identity(),
    name: text().notNull(),
    description: text().notNull(),
    /** Of each user's reward. */
    quota: int8().notNull(),
    /** True: in progress; false: ended. */
    status: boolean().notNull().default(true),
    /** Unix seconds; 0 for no limit. */
    start_date: int8().notNull().default(0),
    end_date: int8().notNull().default(0),
    created_at: int8().notNull().default(now),
    updated_at: int8().notNull().default(now),
  },
  (t) => [check('activities_quota', sql`${t.quota} between 0 and 9007199254740991`)],
);
