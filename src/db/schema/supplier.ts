import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  doublePrecision,
  integer,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import { identity, int8, now } from '../columns.ts';

/** Places that users may bring their own keys for: what the companion client offers, and the relay may call for them. */
export const suppliers = pgTable(
  'suppliers',
  {
    id: identity(),
    name: text().notNull(),
    base_url: text().notNull(),
    /** Root lets calls into the private network: he wrote the address, or said so of it. */
    private_allowed: boolean().notNull().default(false),
    /** A channel type: the wire that the address speaks. */
    type: integer().notNull().default(1),
    /** The client's library: `openai` or `claude`. */
    sdk: text().notNull().default('openai'),
    disable: boolean().notNull().default(false),
    created_at: int8().notNull().default(now),
    updated_at: int8().notNull().default(now),
  },
  (t) => [
    // Model names begin with it.
    uniqueIndex('suppliers_name').on(sql`lower(${t.name})`),
    check('suppliers_sdk', sql`${t.sdk} in ('openai', 'claude')`),
  ],
);

/**
 * A user's own key at a supplier. No reference to the user: it would lock his row, for which the money statements wait.
 */
export const customModels = pgTable(
  'custom_models',
  {
    id: identity(),
    user_id: int8().notNull(),
    supplier_id: int8()
      .notNull()
      .references(() => suppliers.id),
    key_sealed: text().notNull(),
    key_hint: text().notNull(),
    /** The address that the key was given for, and where alone it goes. */
    key_base_url: text().notNull(),
    models: text().array().notNull().default([]),
    /** US dollars as the supplier reported them; null while nobody asked. */
    balance: doublePrecision(),
    balance_at: int8().notNull().default(0),
    /** Unix seconds since when the supplier refuses the key; 0 while it does not. */
    refused_at: int8().notNull().default(0),
    created_at: int8().notNull().default(now),
    updated_at: int8().notNull().default(now),
  },
  (t) => [unique('custom_models_supplier').on(t.user_id, t.supplier_id)],
);
