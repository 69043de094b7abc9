/**
 * How many rows a read may look at. An embedded database has the process's one thread, which serves nobody else meanwhile,
 * and nothing breaks it off: it looks at a part of what a server does.
 */
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

/** So many rows of a server's, or what there may be of them here. */
export const looksAt = (tx: Tx, rows: number): number =>
  embedded.has(tx) ? Math.floor(rows * limits.embeddedLooks) : rows;
