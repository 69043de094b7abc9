/**
 * Group commit without timers: while a batch is under way, items collect; when it ends, all that waits goes together,
 * up to a bound. One batch at a time is best, because a batch grows while the one before it commits.
 */
import { fail } from '../core/errors.ts';
import { invariant } from '../core/invariant.ts';
import { isUnreachable, SQLSTATE, sqlState } from '../db/statement.ts';
import type { Metrics } from '../platform/metrics.ts';

/** The answer for an item that is to stand first in line once more. */
export const AGAIN = Symbol('again');

export interface BatchPlan<T, R> {
  /** Most items of a batch. */
  most: number;
  /** Most items that may wait. */
  queue: number;
  /** Two items that share a key never stand in one batch. */
  keysOf(item: T): readonly string[];
  /** Runs a batch; answers in its order. Rejects as a whole: nothing of the batch has happened, or all of it may have. */
  run(items: T[]): Promise<(R | typeof AGAIN)[]>;
}

export interface Batcher<T, R> {
  /** The item's answer. Rejects with OVERLOADED when the line is full, with `unavailable` when the database is away. */
  add(item: T): Promise<R>;
  /** Answers waiting items without a batch. */
  answer(matches: (item: T) => boolean, result: R): void;
  readonly waiting: number;
  /** Resolves when nothing waits and no batch is under way. */
  idle(): Promise<void>;
}

interface Ticket<T, R> {
  item: T;
  resolve(result: R): void;
  reject(error: unknown): void;
}
type Outcome<R> = { ok: true; result: R | typeof AGAIN } | { ok: false; error: unknown };

/** A statement goes out with so many items: how well the commits are shared is what the speed of all calls hangs on. */
export function countBatch(metrics: Metrics, line: 'reserve' | 'settle', items: number): void {
  metrics.count('tollgate_batches_total', 'Money statements that were sent, by their line.', { line });
  metrics.count('tollgate_batch_items_total', 'Calls that these statements carried.', { line }, items);
}

/** Two transactions that the database could not line up; the same statement succeeds when sent again. */
const isConflict = (error: unknown): boolean =>
  [SQLSTATE.deadlock, SQLSTATE.serializationFailure].some((state) => state === sqlState(error));
const CONFLICT_TRIES = 5;

export function createBatcher<T, R>(plan: BatchPlan<T, R>): Batcher<T, R> {
  let queue: Ticket<T, R>[] = [];
  let busy = false;
  const idlers: (() => void)[] = [];

  /** The next batch, from the front; what shares a key with an item already in it keeps its place in line. */
  function take(): Ticket<T, R>[] {
    const keys = new Set<string>();
    const taken: Ticket<T, R>[] = [];
    const left: Ticket<T, R>[] = [];
    let at = 0;
    for (; at < queue.length && taken.length < plan.most; at++) {
      const ticket = queue[at];
      if (!ticket) break;
      const own = plan.keysOf(ticket.item);
      const free = own.every((key) => !keys.has(key));
      if (free) for (const key of own) keys.add(key);
      (free ? taken : left).push(ticket);
    }
    queue = left.length > 0 ? [...left, ...queue.slice(at)] : queue.slice(at);
    return taken;
  }

  async function pump(): Promise<void> {
    while (queue.length > 0) {
      const tickets = take();
      const outcomes = await runSafely(tickets.map((ticket) => ticket.item));
      const again: Ticket<T, R>[] = [];
      tickets.forEach((ticket, i) => {
        const outcome = outcomes[i];
        if (!outcome) return;
        if (!outcome.ok) ticket.reject(outcome.error);
        else if (outcome.result === AGAIN) again.push(ticket);
        else ticket.resolve(outcome.result);
      });
      if (again.length > 0) queue = [...again, ...queue];
    }
    busy = false;
    for (const wake of idlers.splice(0)) wake();
  }

  /** Runs a batch; of a failing one the halves, until the item that cannot be run is alone. */
  async function runSafely(items: T[], tries = 1): Promise<Outcome<R>[]> {
    try {
      const results = await plan.run(items);
      invariant(results.length === items.length, 'a batch answers every item');
      return results.map((result) => ({ ok: true, result }));
    } catch (error) {
      if (isUnreachable(error)) {
        const away = fail('unavailable', { cause: error });
        return items.map(() => ({ ok: false, error: away }));
      }
      if (isConflict(error) && tries < CONFLICT_TRIES) return runSafely(items, tries + 1);
      if (items.length === 1) return [{ ok: false, error }];
      const half = items.length >> 1;
      return [...(await runSafely(items.slice(0, half))), ...(await runSafely(items.slice(half)))];
    }
  }

  return {
    add(item) {
      if (queue.length >= plan.queue) return Promise.reject(fail('OVERLOADED', { retryAfterSec: 1 }));
      return new Promise<R>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        if (busy) return;
        busy = true;
        // A turn later, so that all requests that arrived in this turn share the first batch.
        setImmediate(() => void pump());
      });
    },
    answer(matches, result) {
      const left: Ticket<T, R>[] = [];
      for (const ticket of queue) {
        if (matches(ticket.item)) ticket.resolve(result);
        else left.push(ticket);
      }
      queue = left;
    },
    get waiting() {
      return queue.length;
    },
    idle: () => (busy ? new Promise((resolve) => idlers.push(resolve)) : Promise.resolve()),
  };
}
