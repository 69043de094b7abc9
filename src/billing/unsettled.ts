/**
 * Settlements that have not committed in time. Each goes to the spool before its caller goes on, and is sent again
 * until it commits; when none is left, the spool's file is removed. What the database refuses again and again, though it
 * is there, will never commit: then what the call held is given back.
 */
import pTimeout from 'p-timeout';
import { AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import { sqlState } from '../db/statement.ts';
import type { Logger } from '../platform/logger.ts';
import { createBatcher } from './batch.ts';
import type { Settled } from './billing.ts';
import type { Spool } from './spool.ts';
import type { StampedSettlement } from './statements.ts';

interface Entry {
  settlement: StampedSettlement;
  /** A statement that carries it is under way or in line. */
  sent: boolean;
  onDisk: boolean;
  /** How often the database refused its values. The first time is said. */
  refusals: number;
}

export interface Unsettled {
  /** Resolves with the commit, or when the settlement lies on disk; rejects with `unavailable` when neither was possible. */
  guard(settlement: StampedSettlement, committed: Promise<Settled>): Promise<Settled>;
  has(id: string): boolean;
  readonly size: number;
  /** The disk did not take the last line. */
  readonly diskFailed: boolean;
  /** Sends nothing any more; what is on disk stays for the next start. */
  stop(): void;
}

interface Plan {
  spool: Spool;
  settle(settlement: StampedSettlement): Promise<Settled>;
  /** Gives back what the call holds, if it still does. */
  giveUp(settlement: StampedSettlement): Promise<void>;
  log: Logger;
  /** After how long what did not commit is sent again. */
  retryMs?: number;
}

export function createUnsettled({
  spool,
  settle,
  giveUp,
  log,
  retryMs = limits.settleRetryMs,
}: Plan): Unsettled {
  const entries = new Map<string, Entry>();
  let diskFailed = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stopped = false;

  // Lines share a flush: while one is under way, the next lines collect.
  const writer = createBatcher<Entry, true>({
    most: 1_000,
    queue: Number.POSITIVE_INFINITY,
    keysOf: () => [],
    async run(batch) {
      await spool.append(batch.map((entry) => entry.settlement));
      return batch.map(() => true);
    },
  });

  async function write(entry: Entry): Promise<void> {
    try {
      entry.onDisk = await writer.add(entry);
      diskFailed = false;
    } catch (error) {
      diskFailed = true;
      log.error('billing.spool_failed', { error });
      throw fail('unavailable', { cause: error, internal: 'neither database nor disk takes a settlement' });
    }
  }

  async function follow(entry: Entry, committed: Promise<Settled>): Promise<void> {
    entry.sent = true;
    try {
      await committed.catch((error: unknown) => refused(entry, error));
      entries.delete(entry.settlement.id);
      if (entries.size > 0) return;
      log.info('billing.spool_empty');
      diskFailed = false;
      await spool.clearUnless(() => entries.size > 0);
    } catch {
      entry.sent = false;
      sendAgainLater();
    }
  }

  /**
   * Resolves when the settlement is given up. Sure never to give back what is charged: a statement that the database
   * answers with an error has changed nothing, and one that committed before leaves nothing to refuse or to give back.
   */
  async function refused(entry: Entry, error: unknown): Promise<void> {
    if (error instanceof AppError) throw error;
    const { id: requestId } = entry.settlement;
    if (entry.refusals === 0) log.error('billing.settle_refused', { requestId, error });
    // What else is wrong (a table that is missing) may be put right.
    if (isOfValues(error)) entry.refusals++;
    if (entry.refusals < limits.settleRefusals) throw error;
    await giveUp(entry.settlement);
  }

  function sendAgainLater(): void {
    if (timer || stopped) return;
    timer = setTimeout(() => {
      timer = undefined;
      for (const entry of entries.values()) {
        if (!entry.onDisk) write(entry).catch(() => undefined);
        if (!entry.sent) void follow(entry, settle(entry.settlement));
      }
    }, retryMs);
  }

  return {
    async guard(settlement, committed) {
      const inTime = await pTimeout(
        committed.catch(() => null),
        { milliseconds: limits.settleWaitMs, fallback: () => null },
      );
      if (inTime) return inTime;
      if (entries.size === 0) log.warn('billing.spooling');
      const entry: Entry = { settlement, sent: true, onDisk: false, refusals: 0 };
      entries.set(settlement.id, entry);
      void follow(entry, committed);
      await write(entry);
      return { paid: settlement.charge, writtenOff: 0, committed: false };
    },
    has: (id) => entries.has(id),
    get size() {
      return entries.size;
    },
    get diskFailed() {
      return diskFailed;
    },
    stop() {
      stopped = true;
      clearTimeout(timer);
    },
  };
}

/** Classes 22 and 23: data that no column or constraint takes. */
const isOfValues = (error: unknown): boolean => /^2[23]/.test(sqlState(error) ?? '');
