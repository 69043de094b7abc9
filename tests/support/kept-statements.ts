/** What a database keeps of statements: their texts, once for each connection that has it by a name. */
import type { Database } from '../../src/db/client.ts';
import { awaited } from '../../src/platform/on-behalf.ts';

/** No more different texts have a name than the server's own: of money, and of who lives. */
export const OWN_TEXTS = 20;

const CONNECTIONS = `
  select pid from pg_stat_activity
   where datname = current_database() and backend_type = 'client backend' and query not ilike 'listen%'`;

/** What the connection that it comes to has kept, but for this text. */
const LOOK = `
  select pg_backend_pid() as pid,
         array(select statement from pg_prepared_statements where statement not like '%pg_prepared_statements%') as texts`;

/** More at once than any pool has connections. */
const AT_ONCE = 32;

/** Of all connections of `db`, which alone is connected to its database. */
export async function keptStatements(db: Database): Promise<string[]> {
  const kept = new Map<number, string[]>();
  const open = await db.query<{ pid: number }>(CONNECTIONS);
  while (!open.every(({ pid }) => kept.has(pid))) {
    const looks = Array.from({ length: AT_ONCE }, () => [
      db.query<{ pid: number; texts: string[] }>(LOOK),
      awaited(() => db.query<{ pid: number; texts: string[] }>(LOOK)),
      db.queryByKey<{ pid: number; texts: string[] }>(LOOK),
    ]);
    for (const { pid, texts } of (await Promise.all(looks.flat())).flat()) kept.set(pid, texts);
  }
  return [...kept.values()].flat();
}
