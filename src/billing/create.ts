/**
 * Billing over one database and one data folder. Each call passes here in order: reserve, perhaps extend, settle. A
 * call has at most one statement under way, and none but its settlement once that was asked for.
 */

import { fail } from '../core/errors.ts';
import { invariant } from '../core/invariant.ts';
import { limits } from '../core/limits.ts';
import { LOG_TYPE } from '../core/log-types.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { failpoint } from '../platform/failpoint.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';
import type { Billing, FirstHold, ReserveResult, Settled } from './billing.ts';
import { replay } from './replay.ts';
import { createReserveQueue } from './reserve-queue.ts';
import { createSettleQueue } from './settle-queue.ts';
import { Shortfalls } from './shortfalls.ts';
import { openSpool } from './spool.ts';
import { type ReserveItem, releaseAll, type StampedSettlement } from './statements.ts';
import { releaseStrays } from './strays.ts';
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
  const open = new Map<string, OpenHold>();
  const shortfalls = new Shortfalls();
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

  /** Sends what is to be held; `granted` notes it. */
  async function send(item: ReserveItem, granted: () => void): Promise<ReserveResult> {
    invariant(!underWay.has(item.id), 'a call has one statement under way');
    const answer = reserveQueue.add(item);
    underWay.set(
      item.id,
      answer.catch(() => undefined),
    );
    try {
      const result = await answer;
      if (result === 'granted') granted();
      return result;
    } finally {
      underWay.delete(item.id);
    }
  }

  const isKnown = (id: string): boolean =>
    open.has(id) || underWay.has(id) || settling.has(id) || unsettled.has(id);
  const releaseBefore = (sec: number) => releaseStrays({ db, bootId, log }, sec, isKnown);

  async function settleOnce(settlement: StampedSettlement, held: OpenHold | undefined): Promise<Settled> {
    const started = underWay.get(settlement.id);
    const add = () => settleQueue.add(settlement, { held });
    const committed = started ? started.then(add) : add();
    const settled = await unsettled.guard(settlement, committed);
    if (held) shortfalls.settled(held, settled);
    failpoint('after_settle');
    return settled;
  }

  return {
    async reserve(item) {
      failpoint('before_reserve');
      if (diskLow || unsettled.diskFailed) throw fail('unavailable', { internal: 'no room for the spool' });
      if (open.size >= limits.openReservations) throw fail('OVERLOADED', { retryAfterSec: 1 });
      invariant(!open.has(item.id), 'an id is reserved once');
      requireAmount(item.amount);
      const amount = shortfalls.covering(item);
      const { sold, amount: asked, ...hold } = item;
      return send({ ...hold, amount, extends: false }, () => {
        open.set(item.id, { ...hold, sold, amount, asked });
      });
    },

    async extend(item) {
      const held = open.get(item.id);
      if (!held) return 'refused';
      requireAmount(item.amount);
      return send({ ...item, extends: true }, () => {
        held.amount += item.amount;
        held.asked += item.amount;
      });
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

    replay: (livingBoots) => replay({ db, log, spool, settleQueue }, livingBoots),

    releaseStrays: () => releaseBefore(nowSec() - STRAY_AFTER_SEC),

    async checkDisk() {
      diskLow = !(await spool.hasRoom());
    },

    async close() {
      unsettled.stop();
      // Nothing is under way any more, however young: what a lost answer left behind need not wait for the next start.
      await releaseBefore(Number.MAX_SAFE_INTEGER).catch((error: unknown) =>
        log.warn('billing.release', { error }),
      );
      await spool.clearUnless(() => unsettled.size > 0);
    },
  };
}

interface OpenHold extends FirstHold {
  /** What the call was to hold, without what shortfalls have added. */
  asked: number;
}

const STRAY_AFTER_SEC = (3 * limits.moneyStatementEmbeddedMs) / 1000;

const requireAmount = (amount: number): void =>
  invariant(
    Number.isSafeInteger(amount) && amount >= 0 && amount <= QUOTA_MAX,
    `${amount} is no amount of quota`,
  );
