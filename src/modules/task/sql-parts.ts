/**
 * What the statements have in common that take tasks a step further. Each is one conditional statement, so that a step is
 * taken once however many processes try: a task is over once, and then its row changes no more but for its refund.
 */
import { limits } from '../../core/limits.ts';
import type { TaskFault } from '../../core/tasks.ts';
import { NOW, NOW_MS } from '../../db/clock.ts';

export const IS_OPEN = `status not in ('SUCCESS', 'FAILURE')`;

export const fault = (code: TaskFault): TaskFault => code;

/**
 * Something was said in it, which an upstream has taken, or may have: it stays closed, and MODAL is one more state of it.
 * So it is for what was said itself.
 */
export const IS_FILLED = `(action = 'MODAL' or exists (
  select from tasks c where c.public_id = tasks.claimed_by and c.status <> '' and c.fail_code <> '${fault('interrupted')}'))`;

/** What was taken without a name is charged though nobody can ask what became of it. */
export const failed = (code: string): string =>
  `status = 'FAILURE', fail_code = ${code}, data = null, finish_time = ${NOW_MS},
   refund = case when status <> '' and upstream_id = '' then 0 else 1 end, poll_at = ${NOW}, updated_at = ${NOW},
   hook_tries = case when hook <> '' then ${limits.taskHookTries} else 0 end, hook_at = ${NOW}`;
