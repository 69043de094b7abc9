/**
 * The engine of tasks: asks after those under way, each some seconds after it was submitted and then ever more seldom,
 * fails what takes too long, gives back what failed, and tells owners who want to be told. One of all processes does it.
 * All that it knows is in the rows, so that it goes on where it was when a process dies.
 */
import { limits } from '../../core/limits.ts';
import type { TaskNews } from '../../core/tasks.ts';
import { dropLease, holdLease } from '../../db/lease.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import { deliverHooks } from './hooks.ts';
import { failInterrupted, keepCharged, lostCharges } from './interrupted.ts';
import { noteLength } from './longer.ts';
import { claimDue, type DueTask, failLate, failOrphans, noteNews } from './news.ts';
import type { TaskProbe } from './probe.ts';
import { refundLater, refundsDue, refundTask } from './refunds.ts';

type EngineDeps = Pick<
  Deps,
  'db' | 'bootId' | 'env' | 'options' | 'outgoing' | 'log' | 'billing' | 'metrics' | 'alerts'
>;

const LEASE = 'tasks';
/** Some rounds, each of which renews it: no more, for the lease of a process that was killed runs on. */
const LEASE_SEC = 15;

/** What is being asked. */
interface Asking {
  /** Tasks of which nothing was heard yet, by their ids. */
  unheard: Map<number, DueTask>;
  ends: Set<Promise<void>>;
}

/**
 * A round answers how many tasks it began to ask after. Each channel is asked by itself, and rounds go on meanwhile: one
 * that hangs keeps back its own tasks alone, and those only where it hangs on many. Owners are told, and charges given
 * back, in rounds of their own: one who is slow to hear keeps back nobody's news.
 */
export function startTasks(deps: EngineDeps, probe: TaskProbe): Rounds {
  const { db, bootId, log } = deps;
  const asking: Asking = { unheard: new Map(), ends: new Set() };
  const rounds = (name: string, work: (signal: AbortSignal) => Promise<number>): Rounds =>
    startRounds({
      everyMs: limits.taskRoundMs,
      make: async (signal) => ((await holdLease(db, LEASE, bootId, LEASE_SEC)) ? work(signal) : 0),
      onFault: (error) => log.warn(name, { error }),
    });
  const beginning = rounds('tasks.round', (signal) => beginRound(deps, probe, asking, signal));
  const refunding = rounds('tasks.refunds', (signal) => giveBack(deps, signal));
  const telling = rounds('tasks.hooks', (signal) => deliverHooks(deps, signal));
  const heard = () => Promise.all(asking.ends);
  return {
    /** Also waits for all that is being asked. */
    async round() {
      const asked = await beginning.round();
      await heard();
      await refunding.round();
      await telling.round();
      return asked;
    },
    async stop() {
      await Promise.all([beginning, refunding, telling].map((each) => each.stop()));
      await heard();
      await dropLease(db, LEASE, bootId).catch(() => undefined);
    },
  };
}

async function beginRound(
  deps: EngineDeps,
  probe: TaskProbe,
  asking: Asking,
  signal: AbortSignal,
): Promise<number> {
  const { db, options } = deps;
  const hours = options.get('TaskTimeoutHours');
  await keepCharged(db);
  await failInterrupted(db);
  await failLate(db, hours, 'nameless');
  await chargeLost(deps);
  const due = await claimDue(db, hours, underWay(asking));
  for (const task of due) asking.unheard.set(task.id, task);
  const asked = askAll(deps, probe, due, {
    until: signal,
    heard(task) {
      // It may be due again by now, and be asked after once more.
      if (asking.unheard.get(task.id) === task) asking.unheard.delete(task.id);
    },
  });
  for (const each of asked) {
    asking.ends.add(each);
    void each.finally(() => asking.ends.delete(each));
  }
  return due.length;
}

/** What is not to be asked for now: all of channels that have as many under way as are asked at once, of others those tasks. */
function underWay({ unheard }: Asking): { channels: number[]; tasks: number[] } {
  const byChannel = [...Map.groupBy(unheard.values(), ({ channel_id }) => channel_id)];
  const isBusy = ([, tasks]: readonly [number, readonly DueTask[]]) => tasks.length >= limits.tasksAskedOfOne;
  return {
    channels: byChannel.filter(isBusy).map(([channel]) => channel),
    tasks: byChannel.flatMap((of) => (isBusy(of) ? [] : of[1].map(({ id }) => id))),
  };
}

async function giveBack({ db, log }: EngineDeps, signal: AbortSignal): Promise<number> {
  const due = await refundsDue(db);
  for (const id of due) {
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

interface Told {
  /** Nothing more is asked once it aborts. */
  until: AbortSignal;
  /** Of this task nothing more is to be heard: it was told of, or all of its batch was. */
  heard(task: DueTask): void;
}

/**
 * Those of one key together, as many as are asked after in one call; how many calls there are at once, the probe knows. Each
 * time in another order: an upstream that tells of a few and then refuses would tell of the same ones every time.
 */
function askAll(deps: EngineDeps, probe: TaskProbe, due: readonly DueTask[], told: Told): Promise<void>[] {
  const ofKeys = Map.groupBy(shuffled(due), ({ channel_id, key_id }) => `${channel_id} ${key_id}`);
  const batches = [...ofKeys.values()].flatMap((tasks) =>
    Array.from({ length: Math.ceil(tasks.length / limits.tasksAsked) }, (_, i) =>
      tasks.slice(i * limits.tasksAsked, (i + 1) * limits.tasksAsked),
    ),
  );
  return batches.map((batch) =>
    askAfter(deps, probe, batch, told)
      .catch((error: unknown) => deps.log.warn('tasks.unasked', { error }))
      .finally(() => batch.forEach(told.heard)),
  );
}

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);

async function askAfter(
  deps: EngineDeps,
  probe: TaskProbe,
  batch: readonly DueTask[],
  { until, heard }: Told,
): Promise<void> {
  const { db, log, options } = deps;
  const [first] = batch;
  if (!first) return;
  const note = async (task: DueTask, news: TaskNews): Promise<void> => {
    try {
      const other = await noteNews(db, task, news);
      if (other === null) return;
      const { told, paid, name } = other;
      log.warn('tasks.other_seconds', { task: task.id, channel_id: task.channel_id, told });
      noteLength({ id: task.channel_id, name }, { told: Number(told), paid: Number(paid) }, deps);
    } catch (error) {
      log.warn('tasks.unnoted', { task: task.id, error });
    }
  };
  const left = await probe.ask({
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
        if (!one) continue;
        await note(task, one);
        heard(task);
      }
    },
  });
  if (left === 'gone') {
    await failOrphans(
      db,
      batch.map(({ id }) => id),
    );
    return;
  }
  // What was not asked after has its last time before it.
  if (until.aborted) return;
  const hours = options.get('TaskTimeoutHours');
  const failThose = async (isLeft: boolean, most: number): Promise<void> => {
    const late = batch.filter((task) => task.is_late && left.includes(task.upstream_id) === isLeft);
    if (late.length > 0)
      await failLate(
        db,
        most,
        late.map(({ id }) => id),
      );
  };
  await failThose(false, hours);
  // Their upstream may have made them long ago, which nobody has heard: they are asked after for a while more.
  await failThose(true, hours + limits.taskUnaskedHours);
}
