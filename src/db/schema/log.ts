import { boolean, integer, pgTable, smallint, text, uuid } from 'drizzle-orm/pg-core';
import type { JsonObject } from '../../core/json.ts';
import { int8, json } from '../columns.ts';

/**
 * The usage log. In the database it is partitioned by month (migration 0001 is written by hand, because drizzle-kit
 * cannot); here it is described plainly. Its types stand in `src/modules/log/service.ts`.
 */
export const logs = pgTable('logs', {
  id: int8().generatedAlwaysAsIdentity().notNull(),
  created_at: int8().notNull(),
  request_id: uuid(),
  user_id: int8().notNull(),
  token_id: int8().notNull().default(0),
  channel_id: int8().notNull().default(0),
  type: smallint().notNull(),
  username: text().notNull().default(''),
  token_name: text().notNull().default(''),
  model_name: text().notNull().default(''),
  group_name: text().notNull().default(''),
  quota: int8().notNull().default(0),
  prompt_tokens: int8().notNull().default(0),
  completion_tokens: int8().notNull().default(0),
  /** Whole seconds. */
  use_time: integer().notNull().default(0),
  is_stream: boolean().notNull().default(false),
  ip: text().notNull().default(''),
  content: text().notNull().default(''),
  other: json<JsonObject>().notNull().default({}),
});
