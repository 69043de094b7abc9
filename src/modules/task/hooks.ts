/** Tells owners of tasks of their progress where they want to be told: by us, with our id, through the guarded dialer. */
import { limits } from '../../core/limits.ts';
import { shareOfUser } from '../../core/share.ts';
import type { Database } from '../../db/client.ts';
import { NOW } from '../../db/clock.ts';
import { publicAddress } from '../../options/public-address.ts';
import type { Deps } from '../deps.ts';
import { drawingAnswer } from './drawing.ts';
import { type RawTask, TASK_COLUMNS, type TaskRow, taskOf } from './rows.ts';

type HookDeps = Pick<Deps, 'db' | 'env' | 'options' | 'outgoing' | 'log'>;

interface HookedTask extends TaskRow {
  hook: string;
}

/** Each is tried some times, and keeps no other back for longer than its deadline; answers how many owners were to be told. */
export async function deliverHooks(deps: HookDeps, signal: AbortSignal): Promise<number> {
  const tasks = await claimHooks(deps.db);
  const waiting = tasks.values();
  const worker = async () => {
    for (const task of waiting) {
      if (signal.aborted) return;
      await deliver(deps, task, signal);
    }
  };
  await Promise.all(Array.from({ length: limits.taskHooksAtOnce }, worker));
  return tasks.length;
}

async function deliver(deps: HookDeps, task: HookedTask, signal: AbortSignal): Promise<void> {
  const { db, options, outgoing, log } = deps;
  const place = { forwards: options.get('MjForwardUrlEnabled'), address: publicAddress(deps) };
  try {
    const { status } = await outgoing.call(task.hook, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(drawingAnswer(task, place)),
      asker: { who: shareOfUser(task.user_id), network: 'hooks' },
      signal,
      timeoutMs: limits.taskHookMs,
      maxBytes: limits.webhookAnswerBytes,
      redirectsMax: 0,
    });
    if (status < 300) await hookHeard(db, task);
  } catch (error) {
    log.info('tasks.hook', { task: task.id, error });
  }
}

/** Tasks of which their owners are to be told now, owners by turns, each for this process alone until it is tried again. */
export async function claimHooks(db: Pick<Database, 'query'>): Promise<HookedTask[]> {
  const rows = await db.query<RawTask & { hook: string }>(
    `update tasks set hook_tries = hook_tries - 1, hook_at = ${NOW} + ${limits.taskHookAgainSec}
     where id in (
       select id from tasks join (
         select id, row_number() over (partition by user_id order by hook_at) as turn
         from tasks where hook_tries > 0 and hook_at <= ${NOW}
       ) due using (id) where hook_tries > 0 and hook_at <= ${NOW}
       order by turn, hook_at limit ${limits.taskHooksARound} for update of tasks skip locked
     ) returning hook, ${TASK_COLUMNS}`,
  );
  return rows.map(({ hook, ...row }) => ({ ...taskOf(row), hook }));
}

/** Its owner has heard of it as it was; of what has changed meanwhile he is still to be told. */
const hookHeard = (db: Pick<Database, 'query'>, { id, status }: HookedTask): Promise<unknown> =>
  db.query('update tasks set hook_tries = 0 where id = $1::bigint and status = $2', [id, status]);
