/** Settles what dead processes left on disk. */
import { AppError, fail } from '../core/errors.ts';
import { limits } from '../core/limits.ts';
import type { Database } from '../db/client.ts';
import type { Logger } from '../platform/logger.ts';
import type { SettleQueue } from './settle-queue.ts';
import type { Spool } from './spool.ts';
import { holdsOf, type StampedSettlement } from './statements.ts';

interface ReplayDeps {
  db: Database;
  log: Logger;
  spool: Spool;
  settleQueue: SettleQueue;
}

/** Answers the calls that stay on disk, because they could not be charged now. Throws `unavailable`. */
export async function replay(deps: ReplayDeps, livingBoots: readonly string[]): Promise<string[]> {
  const { log, spool } = deps;
  const stillWaiting: string[] = [];
  for (const leftover of await spool.leftovers(livingBoots)) {
    const { settlements, unreadable } = leftover;
    const { waiting, refused } = await settleLeft(deps, settlements);
    stillWaiting.push(...waiting);
    if (waiting.length > 0) log.warn('billing.replay_waits', { settlements: waiting.length });
    if (waiting.length + refused > 0) continue;
    await spool.remove(leftover);
    log.info('billing.replayed', { settlements: settlements.length, unreadable });
  }
  return stillWaiting;
}

/** What of a dead process stays on disk: calls that are charged later, and those whose values the database refused. */
interface LeftOnDisk {
  waiting: string[];
  refused: number;
}

/** Waits no longer for a row than who reserves. */
async function settleLeft(
  { db, log, settleQueue }: ReplayDeps,
  settlements: readonly StampedSettlement[],
): Promise<LeftOnDisk> {
  const ids = settlements.map(({ id }) => id);
  const heldFor = await holdsOf(db, ids).catch((cause: unknown) => {
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
