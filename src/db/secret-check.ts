import { sql } from 'drizzle-orm';
import { StartError } from '../env.ts';
import type { Secrets } from '../platform/secrets.ts';
import type { Database } from './client.ts';

const NAME = 'secret_check';
const KNOWN = 'tollgate';

/** Refuses to start with another SECRET_KEY than the one that sealed this database: every stored key would be lost in silence. */
export async function checkSecret(db: Database, secrets: Secrets): Promise<void> {
  await db.orm.execute(
    sql`insert into meta (name, value) values (${NAME}, ${secrets.seal(KNOWN, NAME)}) on conflict (name) do nothing`,
  );
  const [row] = await db.query<{ value: string }>('select value from meta where name = $1', [NAME]);
  try {
    if (row && secrets.open(row.value, NAME) === KNOWN) return;
  } catch {
    // Falls through to the message: a text that does not open is what this check is for.
  }
  throw new StartError(
    'SECRET_KEY: this database was sealed with another secret key. Put the old SECRET_KEY (or DATA_DIR/secret-key) back; it belongs to the backup of the database.',
  );
}
