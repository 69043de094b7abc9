/**
 * How many rows a read may look at. An embedded database has the process's one thread, which serves nobody else meanwhile,
 * and nothing breaks it off: it looks at a part of what a server does.
 */
import { sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import type { Orm, Tx } from './orm.ts';

const embedded = new WeakSet<Tx>();

/** The same, with transactions that are known to run in this process. */
export function asEmbedded(orm: Orm): Orm {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = (work, config) =>
    transaction((tx) => {
      embedded.add(tx);
      return work(tx);
    }, config);
  return orm;
}

/** Whether it runs in this process. */
export const isEmbedded = (tx: Tx): boolean => embedded.has(tx);

/** So many rows of a server's, or what there may be of them here. */
export const looksAt = (tx: Tx, rows: number): number =>
  isEmbedded(tx) ? Math.floor(rows * limits.embeddedLooks) : rows;

/**
 * Reads in the order of an index, so that no more rows are touched than are looked at: without figures about a table, which
 * nothing gathers in an embedded database, the planner takes it to be quicker to sort all that a condition has.
 */
export async function inOrderOfIndex<T>(tx: Tx, read: () => Promise<T>): Promise<T> {
  const set = (to: 'on' | 'off') =>
    tx.execute(
      sql`select set_config('enable_sort', ${to}, true), set_config('enable_bitmapscan', ${to}, true)`,
    );
  await set('off');
  const answer = await read();
  await set('on');
  return answer;
}
