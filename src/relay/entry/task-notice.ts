/** An upstream says that a task has changed. Nothing that it sends is read: the task is asked after, by whoever may. */
import { fail } from '../../core/errors.ts';
import { imagine } from '../../dialects/plain/midjourney.ts';
import { askSoon } from '../../modules/task/service.ts';
import { giveUp } from '../../platform/given-up.ts';
import { type Secrets, sameSecret } from '../../platform/secrets.ts';
import { answerHeaders } from '../answer/answer-headers.ts';
import type { RelayDeps } from '../deps.ts';
import { takeOfTries } from './rate-limit.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';

/** Of one task alone: an upstream that has it can have that task asked after, and nothing else. */
export const noticeSecret = (taskId: string, secrets: Pick<Secrets, 'lookup'>): string =>
  secrets.lookup(`task-notice:${taskId}`);

/** `POST /mj/notify?task=ID&secret=…` */
export async function hearOfTask(
  { request, ip, query }: { request: Request; ip: string; query: URLSearchParams },
  deps: RelayDeps,
): Promise<Response> {
  const report = startReport(request, ip, deps);
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    await request.body?.cancel();
    report.hold(deps.calls.enterGuest(ip));
    const task = query.get('task') ?? '';
    const secret = query.get('secret') ?? '';
    if (!sameSecret(secret, noticeSecret(task, deps.secrets))) throw await unknown(ip, deps);
    await askSoon(deps.db, task);
    report.ended({ status: 200 });
    return Response.json({ code: 1, description: 'ok' }, { headers: answerHeaders(report.id, imagine) });
  } catch (thrown) {
    // Whoever is refused need not be heard out.
    giveUp(request);
    return refusal(thrown, imagine, report, deps);
  }
}

/** Who tries secrets is slowed down, as who tries keys is. */
async function unknown(ip: string, deps: RelayDeps): Promise<Error> {
  await takeOfTries('tasks:bad-notice', ip, deps);
  return fail('invalid_api_key');
}
