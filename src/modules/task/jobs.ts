/**
 * The engine of tasks: asks after those under way, each some seconds after it was submitted and then ever more seldom,
 * fails what takes too long, gives back what failed, and tells owners who want to be told. One of all processes does it.
 * All that it knows is in the rows, so that it goes on where it was when a process dies.
 */
import { limits } from '../../core/limits.ts';
import { dropLease, holdLease } from '../../db/lease.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import { deliverHooks } from './hooks.ts';
import { failInterrupted, keepCharged, lostCharges } from './interrupted.ts';
import { claimDue, type DueTask, failLate, failOrphans, noteNews } from './news.ts';
import type { TaskProbe } from './probe.ts';
import { refundLater, refundsDue, refundTask } from './refunds.ts';

type EngineDeps = Pick<Deps, 'db' | 'bootId' | 'env' | 'options' | 'outgoing' | 'log' | 'billing'>;

const LEASE = 'tasks';
/** Some rounds, each of which renews it: no more, for the lease of a process that was killed runs on. */
const LEASE_SEC = 15;

/** A round answers how many tasks were asked after. Owners are told in rounds of their own: one who is slow to hear keeps back nobody's news. */
export function startTasks(deps: EngineDeps, probe: TaskProbe): Rounds {
  const { db, bootId, log } = deps;
  const leading = (work: (signal: AbortSignal) => Promise<number>) => async (signal: AbortSignal) =>
    (await holdLease(db, LEASE, bootId, LEASE_SEC)) ? work(signal) : 0;
  const asking = startRounds({
    everyMs: limits.taskRoundMs,
    make: leading((signal) => makeRound(deps, probe, signal)),
    onFault: (error) => log.warn('tasks.round', { error }),
  });
  const telling = startRounds({
    everyMs: limits.taskRoundMs,
    make: leading((signal) => deliverHooks(deps, signal)),
    onFault: (error) => log.warn('tasks.hooks', { error }),
  });
  return {
    async round() {
      const asked = await asking.round();
      await telling.round();
      return asked;
    },
    async stop() {
      await Promise.all([asking.stop(), telling.stop()]);
      await dropLease(db, LEASE, bootId).catch(() => undefined);
    },
  };
}

async function makeRound(deps: EngineDeps, probe: TaskProbe, signal: AbortSignal): Promise<number> {
  const { db, options, log } = deps;
  const hours = options.get('TaskTimeoutHours');
  await keepCharged(db);
  await failInterrupted(db);
  await failLate(db, hours, 'nameless');
  await chargeLost(deps);
  const due = await claimDue(db, hours);
  const asked = batchesOf(due).map((batch) =>
    askAfter(deps, probe, batch, signal).catch((error: unknown) => log.warn('tasks.unasked', { error })),
  );
  await Promise.all(asked);
  for (const id of await refundsDue(db)) {
    if (signal.aborted) break;
    await refundTask(db, id).catch(async (error: unknown) => {
      log.error('tasks.refund', { task: id, error });
      // Those that fail must not stand before the others again and again.
      await refundLater(db, id);
    });
  }
  return due.length;
}

/** A settlement that comes late charges like any other; one that a spool brings as well finds nothing to settle. */
async function chargeLost({ db, billing, log }: EngineDeps): Promise<void> {
  for (const charge of await lostCharges(db)) {
    await billing
      .settle(charge)
      .catch((error: unknown) => log.error('tasks.charge', { request_id: charge.id, error }));
  }
}

/** Those of one key together, as many as are asked after in one call; channels by turns, so that none keeps back the others. */
function batchesOf(due: readonly DueTask[]): DueTask[][] {
  const byKey = Map.groupBy(due, ({ channel_id, key_id }) => `${channel_id} ${key_id}`);
  const batches = [...byKey.values()].flatMap((tasks) =>
    Array.from({ length: Math.ceil(tasks.length / limits.tasksAsked) }, (_, i) =>
      tasks.slice(i * limits.tasksAsked, (i + 1) * limits.tasksAsked),
    ),
  );
  const byChannel = Map.groupBy(batches, ([first]) => first?.channel_id);
  return [...byChannel.values()]
    .flatMap((own) => own.map((batch, turn) => ({ batch, turn })))
    .sort((a, b) => a.turn - b.turn)
    .map(({ batch }) => batch);
}

async function askAfter(
  { db, log, options }: EngineDeps,
  probe: TaskProbe,
  batch: readonly DueTask[],
  until: AbortSignal,
): Promise<void> {
  const [first] = batch;
  if (!first) return;
  const place = await probe.ask({
    channelId: first.channel_id,
    keyId: first.key_id,
    // A window and what was said in it may be one task there.
    ids: [...new Set(batch.map(({ upstream_id }) => upstream_id))],
    until,
    async hear(news) {
      const told = new Map(news.map((one) => [one.id, one]));
      for (const task of batch) {
        const one = told.get(task.upstream_id);
        // What one upstream says of one task must not keep back what it says of the others.
        if (one)
          await noteNews(db, task, one).catch((error: unknown) =>
            log.warn('tasks.unnoted', { task: task.id, error }),
          );
      }
    },
  });
  if (place === 'gone') {
    await failOrphans(
      db,
      batch.map(({ id }) => id),
    );
    return;
  }
  // What was not asked after has its last time before it.
  if (until.aborted) return;
  const late = batch.filter(({ is_late }) => is_late).map(({ id }) => id);
  if (late.length > 0) await failLate(db, options.get('TaskTimeoutHours'), late);
}
