/** Work that one of several processes does at a time: a row says which, for how long, by the database's clock. */
import type { Database } from './client.ts';
import { NOW } from './clock.ts';

/** True when the lease is `owner`'s for the next `seconds`: it was free, had run out, or was his already. */
export async function holdLease(
  db: Pick<Database, 'query'>,
  name: string,
  owner: string,
  seconds: number,
): Promise<boolean> {
  const rows = await db.query(
    `insert into leases (name, owner, until) values ($1, $2, ${NOW} + $3::bigint)
     on conflict (name) do update set owner = excluded.owner, until = excluded.until
      where leases.owner = excluded.owner or leases.until <= ${NOW}
     returning name`,
    [name, owner, seconds],
  );
  return rows.length > 0;
}

/** Gives a lease back, so that another process need not wait for its end. */
export async function dropLease(db: Pick<Database, 'query'>, name: string, owner: string): Promise<void> {
  await db.query('delete from leases where name = $1 and owner = $2', [name, owner]);
}
