import { sql } from 'drizzle-orm';
import { boolean, integer, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import type { JsonObject } from '../../core/json.ts';
import { int8, json, now } from '../columns.ts';

/** Settings that differ from their default, as the spec's strings. */
export const options = pgTable('options', {
  key: text().primaryKey(),
  value: text().notNull(),
  updated_at: int8().notNull().default(now),
});

/** Facts about this database: the sealed check value of the secret key, the time of the set-up. */
export const meta = pgTable('meta', { name: text().primaryKey(), value: text().notNull() });

/** A number a kind of configuration, raised with every write of it; processes compare it with what they hold. */
export const versions = pgTable('versions', { name: text().primaryKey(), n: int8().notNull() });

/** Living processes: `seen_at` is renewed every 5 s by the database's clock. */
export const instances = pgTable('instances', {
  boot_id: text().primaryKey(),
  host_id: text().notNull(),
  seen_at: int8().notNull(),
});

/** Work that one process at a time does. */
export const leases = pgTable('leases', {
  name: text().primaryKey(),
  owner: text().notNull(),
  until: int8().notNull(),
});

/** Background work with progress, so that any process can answer for it. A name is under way at most once. */
export const jobs = pgTable(
  'jobs',
  {
    id: text().primaryKey(),
    name: text().notNull(),
    /** running, cancelling, done, cancelled; lost when its process went away. */
    state: text().notNull(),
    done: integer().notNull().default(0),
    failed: integer().notNull().default(0),
    total: integer().notNull().default(0),
    detail: json<JsonObject>().notNull().default({}),
    created_at: int8().notNull().default(now),
    updated_at: int8().notNull().default(now),
  },
  (t) => [uniqueIndex('jobs_under_way').on(t.name).where(sql`${t.state} in ('running', 'cancelling')`)],
);

/** What came of each thing that a job did, in the order in which they ended. */
export const jobResults = pgTable(
  'job_results',
  {
    job_id: text()
      .notNull()
      .references(() => jobs.id, { onDelete: 'cascade' }),
    seq: integer().notNull(),
    ok: boolean().notNull(),
    detail: json<JsonObject>().notNull(),
  },
  (t) => [primaryKey({ columns: [t.job_id, t.seq] })],
);
