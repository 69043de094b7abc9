/** Tells owners of tasks of their progress where they want to be told: by us, with our id, through the guarded dialer. */
import { limits } from '../../core/limits.ts';
import { publicAddress } from '../../options/public-address.ts';
import type { Deps } from '../deps.ts';
import { drawingAnswer } from './drawing.ts';
import { claimHooks, type HookedTask, hookHeard } from './store.ts';

type HookDeps = Pick<Deps, 'db' | 'env' | 'options' | 'outgoing' | 'log'>;

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
