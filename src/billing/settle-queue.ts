/** The line of settlements: micro-batches of the settle statement, and the alarms that their answers raise. */

import { limits } from '../core/limits.ts';
import { LOG_TYPE } from '../core/log-types.ts';
import type { Database } from '../db/client.ts';
import { failpointSoon } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { isKnown, type SettleItem, settleAtOnce } from './at-once.ts';
import { countBatch, createBatcher } from './batch.ts';
import type { Hold, Settled } from './billing.ts';
import { beginMonth } from './months.ts';
import {
  heldRows,
  paidBefore,
  type RowName,
  type SettledRow,
  type StampedSettlement,
  settleAll,
} from './statements.ts';

export interface SettleQueue {
  /**
   * Resolves when the settlement has committed, now or before; rejects when it has not, or nobody knows, and with OVERLOADED
   * after waiting for `patienceMs` for a row that others hold, or with `unavailable` where it ran out of time: none given, it
   * waits on. `held`: what is known to be held for the call.
   */
  add(
    settlement: StampedSettlement,
    known?: { held?: Hold | undefined; patienceMs?: number },
  ): Promise<Settled>;
  /** Settlements that wait for a batch. */
  readonly waiting: number;
  idle(): Promise<void>;
}

interface Waiting extends SettleItem {
  patienceMs: number;
}

const rowsOf = ({ settlement, held }: SettleItem): RowName[] => [
  `call ${settlement.id}`,
  ...(held ? ([`token ${held.tokenId}`, `user ${held.userId}`] as const) : []),
  ...(settlement.type === LOG_TYPE.consumption ? [`channel ${settlement.channelId}` as const] : []),
];

export function createSettleQueue(db: Database, log: Logger, metrics: Metrics): SettleQueue {
  /** Users of whom months are kept, as far as they have been met here: a batch at once finds out in vain who is another. */
  const withMonths = new Set<number>();
  const queue = createBatcher<Waiting, Settled>({
    most: db.engine === 'pglite' ? limits.batchEmbedded : limits.batchPostgres,
    // Its bound is that of open reservations: whoever holds quota must be able to settle.
    queue: Number.POSITIVE_INFINITY,
    keysOf: ({ settlement }) => [settlement.id],
    rows: {
      of: rowsOf,
      held: (names) => heldRows(db, names),
      patienceMs: (item) => item.patienceMs,
    },
    apart: {
      nameOf: ({ settlement }) => settlement.id,
      patienceMs: (item) => item.patienceMs,
      alone: ({ settlement }, tries) => tellOutOfTime(settlement, tries),
    },
    async run(items) {
      if (items.every(isKnown)) {
        const hasMonths = items.some(({ held }) => withMonths.has(held.userId));
        const done = await send(items, () => settleAtOnce(db, items, hasMonths));
        if (done)
          return items.map(({ settlement }) => ({ paid: settlement.charge, writtenOff: 0, committed: true }));
      }
      const calls = items.map(({ settlement }) => settlement);
      const rows = await send(items, () => settleAll(db, calls));
      // Before anything else can fail: these have committed, and no later answer tells of them again.
      for (const row of rows.values()) noteWriteOff(row);
      noteMonths(items.filter(({ settlement }) => rows.get(settlement.id)?.has_months));
      const gone = calls.filter(({ id }) => !rows.has(id)).map(({ id }) => id);
      const paid = gone.length > 0 ? await paidBefore(db, gone) : new Map<string, number>();
      return calls.map(({ id }) => {
        const row = rows.get(id);
        return {
          paid: row?.paid ?? paid.get(id) ?? 0,
          writtenOff: row?.written_off ?? 0,
          keyShort: row?.key_short,
          committed: true,
        };
      });
    },
  });

  function noteMonths(items: readonly SettleItem[]): void {
    if (withMonths.size > limits.usersWithMonths) withMonths.clear();
    for (const { held } of items) if (held) withMonths.add(held.userId);
  }

  function send<T>(items: readonly SettleItem[], statement: () => Promise<T>): Promise<T> {
    countBatch(metrics, 'settle', items.length);
    const sent = statement();
    failpointSoon('in_settle_commit');
    return sent;
  }

  /** What may take its time outside the statement, does so now. */
  async function tellOutOfTime(settlement: StampedSettlement, tries: number): Promise<void> {
    const { id: requestId, monthTiers } = settlement;
    log.error('billing.out_of_time', { requestId, tries });
    if (!monthTiers) return;
    await beginMonth(db, settlement).catch((error: unknown) =>
      log.error('billing.begin_month', { requestId, error }),
    );
  }

  /** Quota that nobody pays for: someone should look why the reservation was too small. */
  function noteWriteOff({ id, written_off }: SettledRow): void {
    if (written_off === 0) return;
    log.error('billing.written_off', { requestId: id, quota: written_off });
    metrics.count(
      'tollgate_written_off_quota_total',
      'Quota units that accounts could not pay.',
      {},
      written_off,
    );
  }

  return {
    // Who waits for it goes on without it, once it lies on disk.
    add: (settlement, { held, patienceMs = Number.POSITIVE_INFINITY } = {}) =>
      queue.add({ settlement, held: held ?? null, patienceMs }),
    get waiting() {
      return queue.waiting;
    },
    idle: () => queue.idle(),
  };
}
