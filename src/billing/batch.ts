/**
 * Group commit without timers: while a batch is under way, items collect; when it ends, all that waits goes together,
 * up to a bound. One batch at a time is best, because a batch grows while the one before it commits. Items that need a row
 * which others hold are set aside, so that the line goes on without them, and so are batches that run out of time.
 */
import { fail } from '../core/errors.ts';
import { invariant } from '../core/invariant.ts';
import { limits } from '../core/limits.ts';
import { isUnreachable, SQLSTATE, sqlState } from '../db/statement.ts';
import type { Metrics } from '../platform/metrics.ts';
import { Aside, type InLine, type LockedRows, refuse } from './aside.ts';
import { OutOfTime, type TriedApart } from './out-of-time.ts';

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
  /** Absent where nothing is locked. */
  rows?: LockedRows<T>;
  /** Of what is tried on when a statement ran out of time; absent where that is refused as if the database were away. */
  apart?: TriedApart<T>;
}

export interface Batcher<T, R> {
  /**
   * The item's answer. Rejects with OVERLOADED when the line is full, or when others hold a row that it needs for too long,
   * and with `unavailable` when the database is away.
   */
  add(item: T): Promise<R>;
  /** Answers waiting items without a batch. */
  answer(matches: (item: T) => boolean, result: R): void;
  readonly waiting: number;
  /** Resolves when nothing waits and no batch is under way. */
  idle(): Promise<void>;
}

interface Ticket<T, R> extends InLine<T> {
  resolve(result: R): void;
}

/** A statement goes out with so many items: how well the commits are shared is what the speed of all calls hangs on. */
export function countBatch(metrics: Metrics, line: 'reserve' | 'settle', items: number): void {
  metrics.count('tollgate_batches_total', 'Money statements that were sent, by their line.', { line });
  metrics.count('tollgate_batch_items_total', 'Calls that these statements carried.', { line }, items);
}

const isOneOf = (error: unknown, ...states: string[]): boolean =>
  states.some((state) => state === sqlState(error));

/** Two transactions that the database could not line up; the same statement succeeds when sent again. */
const isConflict = (error: unknown): boolean =>
  isOneOf(error, SQLSTATE.deadlock, SQLSTATE.serializationFailure);
const CONFLICT_TRIES = 5;

/** The database gave up waiting, for a row or with the whole statement: nothing of it has happened. */
const isGivenUp = (error: unknown): boolean =>
  isOneOf(error, SQLSTATE.lockNotAvailable, SQLSTATE.queryCanceled);

export function createBatcher<T, R>(plan: BatchPlan<T, R>): Batcher<T, R> {
  let queue: Ticket<T, R>[] = [];
  let busy = false;
  const idlers: (() => void)[] = [];
  const aside = new Aside<T, Ticket<T, R>>(plan.rows, {
    onFree(tickets) {
      queue = [...tickets, ...queue];
      begin();
    },
    onEmpty: wakeIdlers,
  });
  const apart =
    plan.apart && new OutOfTime<T, Ticket<T, R>>(plan.apart, { run: runApart, onEmpty: wakeIdlers });

  /**
   * The next batch, from the front; what shares a key with an item already in it keeps its place in line, and what needs a
   * held row, or ran out of time alone, is set aside.
   */
  function take(): Ticket<T, R>[] {
    const keys = new Set<string>();
    const taken: Ticket<T, R>[] = [];
    const left: Ticket<T, R>[] = [];
    const held: Ticket<T, R>[] = [];
    let at = 0;
    for (; at < queue.length && taken.length < plan.most; at++) {
      const ticket = queue[at];
      if (!ticket) break;
      if (aside.isHeld(ticket)) {
        held.push(ticket);
        continue;
      }
      if (apart?.isAlone(ticket)) {
        apart.comesAgain(ticket);
        continue;
      }
      const own = plan.keysOf(ticket.item);
      const free = own.every((key) => !keys.has(key));
      if (free) for (const key of own) keys.add(key);
      (free ? taken : left).push(ticket);
    }
    queue = left.length > 0 ? [...left, ...queue.slice(at)] : queue.slice(at);
    aside.add(held);
    return taken;
  }

  function begin(): void {
    if (busy) return;
    busy = true;
    // A turn later, so that all requests that arrived in this turn share the first batch.
    setImmediate(() => void pump());
  }

  async function pump(): Promise<void> {
    while (queue.length > 0) {
      const again: Ticket<T, R>[] = [];
      await run(take(), again);
      if (again.length > 0) queue = [...again, ...queue];
    }
    busy = false;
    wakeIdlers();
  }

  /** Beside the line, which goes on meanwhile. */
  async function runApart(tickets: readonly Ticket<T, R>[]): Promise<void> {
    const again: Ticket<T, R>[] = [];
    await run(aside.free(tickets), again);
    if (again.length === 0) return;
    queue = [...again, ...queue];
    begin();
  }

  const besideLine = () => aside.size + (apart?.size ?? 0);

  function wakeIdlers(): void {
    if (!busy && besideLine() === 0) for (const wake of idlers.splice(0)) wake();
  }

  /**
   * Runs a batch and answers its items. Of a failing one the halves, until the item that cannot be run is alone; of one
   * that waited for rows, without those that need them.
   */
  async function run(
    tickets: Ticket<T, R>[],
    again: Ticket<T, R>[],
    { tries = 1, since = performance.now() } = {},
  ): Promise<void> {
    if (tickets.length === 0) return;
    let answers: { ticket: Ticket<T, R>; result: R | typeof AGAIN }[];
    try {
      const results = await plan.run(tickets.map(({ item }) => item));
      answers = tickets.map((ticket, at) => {
        const result = results[at];
        invariant(result !== undefined, 'a batch answers every item');
        return { ticket, result };
      });
    } catch (error) {
      if (plan.rows && isGivenUp(error)) return runBesideHeld(tickets, again, { error, since });
      if (isUnreachable(error)) return refuse(tickets, fail('unavailable', { cause: error }));
      if (isConflict(error) && tries < CONFLICT_TRIES)
        return run(tickets, again, { tries: tries + 1, since });
      if (tickets.length === 1) return refuse(tickets, error);
      const half = tickets.length >> 1;
      await run(tickets.slice(0, half), again, { since });
      return run(aside.free(tickets.slice(half)), again, { since });
    }
    for (const { ticket, result } of answers) {
      if (result === AGAIN) again.push(ticket);
      else {
        apart?.ended(ticket);
        ticket.resolve(result);
      }
    }
  }

  /** What the batch waited for is asked now; what is held by nobody any more, or was no row of an item, is tried again. */
  async function runBesideHeld(
    tickets: Ticket<T, R>[],
    again: Ticket<T, R>[],
    { error, since }: { error: unknown; since: number },
  ): Promise<void> {
    try {
      await aside.look(tickets);
    } catch (cause) {
      return refuse(tickets, fail('unavailable', { cause }));
    }
    const free = aside.free(tickets);
    const ranOut = isOneOf(error, SQLSTATE.queryCanceled);
    if (free.length === tickets.length) {
      if (ranOut && apart) return apart.add(tickets);
      if (ranOut || performance.now() - since >= limits.moneyStatementMs)
        return refuse(tickets, fail('unavailable', { cause: error }));
    }
    await run(free, again, { since });
  }

  return {
    add(item) {
      if (queue.length + besideLine() >= plan.queue)
        return Promise.reject(fail('OVERLOADED', { retryAfterSec: 1 }));
      return new Promise<R>((resolve, reject) => {
        queue.push({ item, resolve, reject });
        begin();
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
      return queue.length + besideLine();
    },
    idle: () =>
      busy || besideLine() > 0 ? new Promise((resolve) => idlers.push(resolve)) : Promise.resolve(),
  };
}
