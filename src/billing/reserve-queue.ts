/**
 * The line of reservations. A request that was refused behind others of its account or token might fit on its own: it
 * stands first in line once more, before anything else of its account, and then the answer is final.
 */

import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Metrics } from '../platform/metrics.ts';
import { reserveAtOnce } from './at-once.ts';
import { AGAIN, type Batcher, countBatch, createBatcher } from './batch.ts';
import type { ReserveResult } from './billing.ts';
import { heldRows, type ReserveItem, type RowName, reserveAll } from './statements.ts';

interface Waiting extends ReserveItem {
  /** It was refused once and now stands before all others of its account and token. */
  again: boolean;
}

export interface ReserveQueue {
  add(item: ReserveItem): Promise<ReserveResult>;
  readonly waiting: number;
  idle(): Promise<void>;
}

/**
 * So many batches go one by one after one in which somebody did not fit: who is refused asks again, and to find out once
 * more each time that not all fit would cost the others more than it gains them.
 */
const ONE_BY_ONE = 16;

const rowsOf = ({ id, userId, tokenId, extends: isOpen }: Waiting): RowName[] => [
  ...(isOpen ? [`call ${id}` as const] : []),
  `token ${tokenId}`,
  `user ${userId}`,
];

export function createReserveQueue(db: Database, owner: string, metrics: Metrics): ReserveQueue {
  let oneByOne = 0;
  const queue: Batcher<Waiting, ReserveResult> = createBatcher({
    most: db.engine === 'pglite' ? limits.batchEmbedded : limits.batchPostgres,
    queue: limits.reserveQueue,
    keysOf: ({ id, userId, tokenId, again }) => (again ? [id, `user ${userId}`, `token ${tokenId}`] : [id]),
    rows: {
      of: rowsOf,
      held: (names) => heldRows(db, names),
      patienceMs: () => limits.moneyStatementMs,
    },
    async run(items) {
      const granted = await reserveOf(items);
      failpoint('after_reserve');
      const users = new Set<number>();
      const tokens = new Set<number>();
      return items.map((item) => {
        const first = !users.has(item.userId) && !tokens.has(item.tokenId);
        users.add(item.userId);
        tokens.add(item.tokenId);
        if (granted.has(item.id)) return 'granted';
        if (!first) {
          item.again = true;
          return AGAIN;
        }
        refuseLarger(item);
        return 'refused';
      });
    },
  });

  /** The ids of the calls that were granted. */
  async function reserveOf(items: readonly Waiting[]): Promise<ReadonlySet<string>> {
    if (oneByOne === 0 && !items.some((item) => item.extends)) {
      countBatch(metrics, 'reserve', items.length);
      if (await reserveAtOnce(db, items, owner)) return new Set(items.map(({ id }) => id));
    }
    countBatch(metrics, 'reserve', items.length);
    const granted = await reserveAll(db, items, owner);
    oneByOne = granted.size < items.length ? ONE_BY_ONE : Math.max(oneByOne - 1, 0);
    return granted;
  }

  /** What did not fit on its own does not fit when it is larger either: two hundred of one account need not be tried one by one. */
  function refuseLarger({ userId, tokenId, amount }: Waiting): void {
    queue.answer(
      (other) =>
        other.again && other.userId === userId && other.tokenId === tokenId && other.amount >= amount,
      'refused',
    );
  }

  return {
    add: (item) => queue.add({ ...item, again: false }),
    get waiting() {
      return queue.waiting;
    },
    idle: () => queue.idle(),
  };
}
