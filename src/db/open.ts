import type { Env } from '../env.ts';
import { type Database, openPostgres } from './client.ts';
import { migratePostgres } from './migrate.ts';

/** Opens the database that the environment names. Migrations of Postgres run only where `migrate` says so: in the parent, before its workers. */
export async function openDatabase(
  env: Pick<Env, 'DATABASE_URL' | 'DATA_DIR'>,
  migrate: boolean,
): Promise<Database> {
  if (!env.DATABASE_URL) {
    const { openEmbedded } = await import('./embedded.ts');
    return openEmbedded(env.DATA_DIR);
  }
  if (migrate) await migratePostgres(env.DATABASE_URL);
  return openPostgres(env.DATABASE_URL);
}
