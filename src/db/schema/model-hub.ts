import { boolean, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { int8, now } from '../columns.ts';

/** What the catalogue says of a model beside its price. A model needs no row to be priced or called. */
export const hubModels = pgTable('hub_models', {
  name: text().primaryKey(),
  /** Codes of what goes in and comes out: `iti`, `ttv`. */
  model_type: text().array().notNull().default([]),
  tags: text().array().notNull().default([]),
  multimodal: boolean().notNull().default(false),
  /** Lower ones come first. */
  sort: integer().notNull().default(0),
  description: text().notNull().default(''),
  /** The longest context in tokens, 0 when it is not told. */
  max_token: int8().notNull().default(0),
  hide: boolean().notNull().default(false),
  /** A picture as a data URL, or empty. */
  icon: text().notNull().default(''),
  created_at: int8().notNull().default(now),
  updated_at: int8().notNull().default(now),
});
