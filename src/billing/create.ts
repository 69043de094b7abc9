/**
 * Billing over one database and one data folder. Each call passes here in order: reserve, perhaps extend, settle. A
 * call has at most one statement under way, and none but its settlement once that was asked for.
 */

import { AppError, fail } from '../core/errors.ts';
import { invariant } from '../core/invariant.ts';
import { limits } from '../core/limits.ts';
import { LOG_TYPE } from '../core/log-types.ts';
import { inPieces } from '../core/pieces.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Billing, Hold, ReserveResult, Settled } from './billing.ts';
import { createReserveQueue } from './reserve-queue.ts';
import { createSettleQueue } from './settle-queue.ts';
import { openSpool } from './spool.ts';
import { heldRows, holdsOf, releaseAll, type StampedSettlement } from './statements.ts';
import { createUnsettled } from './unsettled.ts';

export interface BillingDeps {
  db: Database;
  /** Owner of this process's reservations and of its spool. */
  bootId: string;
  dataDir: string;
  log: Logger;
  metrics: Metrics;
  /** Milliseconds after which a settlement that did not commit is sent again; shorter in tests. */
  settleRetryMs?: number;
}

/** What recovery needs beside the calls' own part. */
export interface RunningBilling extends Billing {
  /**
   * Settles what dead processes left on disk. Idempotent. Returns the calls that could not be charged now, because somebody
   * holds a row of theirs or the database is slow: they stay on disk, and are to keep what they hold. Throws `unavailable`
   * while the database is away.
   */
  replay(livingBoots: readonly string[]): Promise<string[]>;
  /**
   * Frees reservations of this process that no call stands behind (their answer was lost with a connection); those of which
   * somebody holds a row stay as they are.
   */
  releaseStrays(): Promise<void>;
  /** Looks whether the disk has room for a spool. */
  checkDisk(): Promise<void>;
  close(): Promise<void>;
}

export function createBilling({
  db,
  bootId,
  dataDir,
  log,
  metrics,
  settleRetryMs,
}: BillingDeps): RunningBilling {
  const spool = openSpool(dataDir, bootId);
  const reserveQueue = createReserveQueue(db, bootId, metrics);
  const settleQueue = createSettleQueue(db, log, metrics);
  const settleAgain = (settlement: StampedSettlement) => settleQueue.add(settlement);
  const unsettled = createUnsettled({ spool, settle: settleAgain, giveUp, log, retryMs: settleRetryMs });
  /** Calls that hold quota and were not asked to settle, and what was granted to each; where an extension's answer was lost, more may be held. */
  const open = new Map<string, Hold>();
  /** Calls with a reservation or extension under way; it never rejects. */
  const underWay = new Map<string, Promise<unknown>>();
  const settling = new Map<string, Promise<Settled>>();
  let diskLow = false;

  metrics.gauge('tollgate_reservations_open', 'Calls that hold quota.', () => open.size);
  metrics.gauge('tollgate_settlements_spooled', 'Settlements on disk.', () => unsettled.size);
  metrics.gauge(
    'tollgate_reserve_waiting',
    'Requests waiting for a reservation.',
    () => reserveQueue.waiting,
  );
  metrics.gauge('tollgate_settle_waiting', 'Settlements waiting for a batch.', () => settleQueue.waiting);

  /** Nobody pays for the call, and someone should look why. */
  async function giveUp({ id, charge, modelName }: StampedSettlement): Promise<void> {
    if ((await releaseAll(db, [id])) === 0) return;
    log.error('billing.given_up', { requestId: id, quota: charge, model: modelName });
    metrics.count('tollgate_given_up_quota_total', 'Charges that the database would not take.', {}, charge);
  }

  async function hold(item: Hold, extending: boolean): Promise<ReserveResult> {
    requireAmount(item.amount);
    invariant(!underWay.has(item.id), 'a call has one statement under way');
    const held = open.get(item.id);
    const answer = reserveQueue.add({ ...item, extends: extending });
    underWay.set(
      item.id,
      answer.catch(() => undefined),
    );
    try {
      const result = await answer;
      // An extension belongs to a call that is open, or that was settled while it was under way.
      if (result === 'granted' && held) held.amount += item.amount;
      else if (result === 'granted' && !extending) open.set(item.id, { ...item });
      return result;
    } finally {
      underWay.delete(item.id);
    }
  }

  /** Younger ones than `beforeSec` may be under way in ways that the sets cannot tell yet. */
  async function releaseStrays(beforeSec: number): Promise<void> {
    const rows = await db.query<{ id: string }>(
      'select id from reservations where owner = $1 and orphaned_at is null and created_at < $2',
      [bootId, beforeSec],
    );
    const strays = rows
      .map((row) => row.id)
      .filter((id) => !open.has(id) && !underWay.has(id) && !settling.has(id) && !unsettled.has(id));
    for (const some of inPieces(strays, limits.batchEmbedded)) {
      const held = new Set(await heldRows(db, some.map(callName)));
      const released = await releaseAll(
        db,
        some.filter((id) => !held.has(callName(id))),
      );
      if (released > 0) log.warn('billing.released', { released });
    }
  }

  /** Waits no longer for a row than who reserves. */
  async function settleLeft(settlements: readonly StampedSettlement[]): Promise<LeftOnDisk> {
    const heldFor = await holdsOf(
      db,
      settlements.map(({ id }) => id),
    ).catch((cause: unknown) => {
      throw fail('unavailable', { cause });
    });
    const left: LeftOnDisk = { waiting: [], refused: 0 };
    const sent = settlements.map(async (settlement) => {
      const held = heldFor.get(settlement.id);
      // What is gone was settled before.
      if (!held) return;
      try {
        await settleQueue.add(settlement, { held, patienceMs: limits.moneyStatementMs });
      } catch (error) {
        if (error instanceof AppError) left.waiting.push(settlement.id);
        else {
          left.refused++;
          log.error('billing.replay', { requestId: settlement.id, error });
        }
      }
    });
    await Promise.all(sent);
    return left;
  }

  async function settleOnce(settlement: StampedSettlement, held: Hold | undefined): Promise<Settled> {
    const started = underWay.get(settlement.id);
    const add = () => settleQueue.add(settlement, { held });
    const committed = started ? started.then(add) : add();
    const settled = await unsettled.guard(settlement, committed);
    failpoint('after_settle');
    return settled;
  }

  return {
    async reserve(item) {
      failpoint('before_reserve');
      if (diskLow || unsettled.diskFailed) throw fail('unavailable', { internal: 'no room for the spool' });
      if (open.size >= limits.openReservations) throw fail('OVERLOADED', { retryAfterSec: 1 });
      invariant(!open.has(item.id), 'an id is reserved once');
      return hold(item, false);
    },

    async extend(item) {
      if (!open.has(item.id)) return 'refused';
      return hold(item, true);
    },

    settle(settlement) {
      const known = settling.get(settlement.id);
      if (known) return known;
      requireAmount(settlement.charge);
      invariant(
        settlement.type === LOG_TYPE.consumption || settlement.charge === 0,
        'a failed call is charged nothing',
      );
      const held = open.get(settlement.id);
      open.delete(settlement.id);
      const work = settleOnce({ ...settlement, at: nowSec() }, held).finally(() =>
        settling.delete(settlement.id),
      );
      settling.set(settlement.id, work);
      return work;
    },

    async drain() {
      while (underWay.size + settling.size > 0) {
        await Promise.allSettled([...underWay.values(), ...settling.values()]);
      }
    },

    get refusing() {
      return diskLow || unsettled.diskFailed;
    },

    async replay(livingBoots) {
      const stillWaiting: string[] = [];
      for (const leftover of await spool.leftovers(livingBoots)) {
        const { settlements, unreadable } = leftover;
        const { waiting, refused } = await settleLeft(settlements);
        stillWaiting.push(...waiting);
        if (waiting.length > 0) log.warn('billing.replay_waits', { settlements: waiting.length });
        if (waiting.length + refused > 0) continue;
        await spool.remove(leftover);
        log.info('billing.replayed', { settlements: settlements.length, unreadable });
      }
      return stillWaiting;
    },

    releaseStrays: () => releaseStrays(nowSec() - STRAY_AFTER_SEC),

    async checkDisk() {
      diskLow = !(await spool.hasRoom());
    },

    async close() {
      unsettled.stop();
      // Nothing is under way any more, however young: what a lost answer left behind need not wait for the next start.
      await releaseStrays(Number.MAX_SAFE_INTEGER).catch((error: unknown) =>
        log.warn('billing.release', { error }),
      );
      await spool.clearUnless(() => unsettled.size > 0);
    },
  };
}

/** What of a dead process stays on disk: calls that are charged later, and those whose values the database refused. */
interface LeftOnDisk {
  waiting: string[];
  refused: number;
}

const callName = (id: string) => `call ${id}` as const;

const STRAY_AFTER_SEC = (3 * limits.moneyStatementEmbeddedMs) / 1000;

const requireAmount = (amount: number): void =>
  invariant(
    Number.isSafeInteger(amount) && amount >= 0 && amount <= QUOTA_MAX,
    `${amount} is no amount of quota`,
  );
