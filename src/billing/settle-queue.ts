/** The line of settlements: micro-batches of the settle statement, and the alarms that their answers raise. */
import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import { failpointSoon } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import { countBatch, createBatcher } from './batch.ts';
import type { Settled } from './billing.ts';
import { paidBefore, type SettledRow, type StampedSettlement, settleAll } from './statements.ts';

export interface SettleQueue {
  /** Resolves when the settlement has committed, now or before; rejects when it has not, or nobody knows. */
  add(settlement: StampedSettlement): Promise<Settled>;
  /** Settlements that wait for a batch. */
  readonly waiting: number;
  idle(): Promise<void>;
}

export function createSettleQueue(db: Database, log: Logger, metrics: Metrics): SettleQueue {
  const queue = createBatcher<StampedSettlement, Settled>({
    most: db.engine === 'pglite' ? limits.batchEmbedded : limits.batchPostgres,
    // Its bound is that of open reservations: whoever holds quota must be able to settle.
    queue: Number.POSITIVE_INFINITY,
    keysOf: ({ id }) => [id],
    async run(items) {
      countBatch(metrics, 'settle', items.length);
      const sent = settleAll(db, items);
      failpointSoon('in_settle_commit');
      const rows = await sent;
      // Before anything else can fail: these have committed, and no later answer tells of them again.
      for (const row of rows.values()) noteWriteOff(row);
      const gone = items.filter(({ id }) => !rows.has(id)).map(({ id }) => id);
      const paid = gone.length > 0 ? await paidBefore(db, gone) : new Map<string, number>();
      return items.map(({ id }) => {
        const row = rows.get(id);
        return { paid: row?.paid ?? paid.get(id) ?? 0, writtenOff: row?.written_off ?? 0, committed: true };
      });
    },
  });

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

  return queue;
}
