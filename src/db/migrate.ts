/** Brings a database to the present schema: drizzle's migrations on one connection under one advisory lock. */

import type { PGlite } from '@electric-sql/pglite';
import { SQL } from 'bun';
import { migrationsFolder, requireServer } from './client.ts';

/** Any fixed number: processes that start together wait here for one another. */
const MIGRATION_LOCK = 7_202_611;

export async function migratePostgres(url: string): Promise<void> {
  const { drizzle } = await import('drizzle-orm/bun-sql');
  const { migrate } = await import('drizzle-orm/bun-sql/migrator');
  // One connection, so that the lock and the migrations share a session.
  const sql = new SQL(url, { max: 1 });
  try {
    await requireServer(sql);
    await sql.unsafe('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await migrate(drizzle(sql), { migrationsFolder });
    await sql.unsafe('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    await sql.close();
  }
}

export async function migrateEmbedded(pg: PGlite): Promise<void> {
  const { drizzle } = await import('drizzle-orm/pglite');
  const { migrate } = await import('drizzle-orm/pglite/migrator');
  await migrate(drizzle(pg), { migrationsFolder });
}
