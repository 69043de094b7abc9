/** Waits that have an end: where something never happens the test says what, and leaves no loop behind it. */
import type { Database } from '../../src/db/client.ts';
import { patience } from './patience.ts';

const LOOK_MS = 5;

/** `what` is to happen, in a moment on a quiet machine. */
export async function until(what: string, happened: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + patience(10_000);
  while (!(await happened())) {
    if (performance.now() > end) throw new Error(`${what}: that does not come`);
    await Bun.sleep(LOOK_MS);
  }
}

/**
 * So many statements wait for locks of others on this database. Whoever holds these meanwhile needs `takeTime`: a transaction
 * that does nothing is ended soon.
 */
export const untilBlocked = (db: Pick<Database, 'query'>, statements: number): Promise<void> =>
  until(`${statements} statements wait for a lock`, async () => {
    const [row] = await db.query<{ n: number }>(
      `select count(*)::int as n from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return row !== undefined && row.n >= statements;
  });

/**
 * Does something once, when the next transaction of callers but `others` has come to its turn: what waits in a line is that
 * long behind the question who asks.
 */
export function beforeTurn({ orm }: Pick<Database, 'orm'>, work: () => Promise<unknown>, others = 0): void {
  const transaction = orm.transaction.bind(orm);
  let left = others;
  orm.transaction = async (perform, config) => {
    if (left-- === 0) {
      orm.transaction = transaction;
      await work();
    }
    return transaction(perform, config);
  };
}
