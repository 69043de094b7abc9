/** What callers ask about tasks of their own: answered from the rows, which the engine keeps up to date. */
import { fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { failText } from '../../core/tasks.ts';
import { sunoMusic } from '../../dialects/plain/suno.ts';
import type { TaskDialect } from '../../dialects/plain/task.ts';
import { ownTasks, type TaskRow } from '../../modules/task/service.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { readBy } from '../../platform/answer-room.ts';
import { answerHeaders } from '../answer/answer-headers.ts';
import type { RelayDeps } from '../deps.ts';
import { bodyRoom } from '../shares.ts';
import { authenticate } from './admit.ts';
import { readRequestBody } from './body.ts';
import { takeOfMinute } from './rate-limit.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';

export interface TaskQuestion {
  request: Request;
  ip: string;
}

/** `POST /suno/fetch` */
export const fetchSunoTasks = (question: TaskQuestion, deps: RelayDeps): Promise<Response> =>
  answerReader(question, sunoMusic, deps, async ({ userId }) => {
    const { body, held } = await readRequestBody(
      question.request,
      bodyRoom({ userId, ip: question.ip }, deps),
    );
    held.release();
    const rows = await ownTasks(deps.db, { userId, platform: 'suno', ids: idsIn(body) });
    return sunoAnswer(rows.map(sunoTask));
  });

/** `GET /suno/fetch/{id}` */
export const fetchSunoTask = (question: TaskQuestion, id: string, deps: RelayDeps): Promise<Response> =>
  answerReader(question, sunoMusic, deps, async ({ userId }) => {
    const [row] = await ownTasks(deps.db, { userId, platform: 'suno', ids: [id] });
    if (!row) throw fail('task_not_exist');
    return sunoAnswer(sunoTask(row));
  });

/** The ids that a body asks for. Throws `invalid_request` for what is no list of them, or too long a one. */
export function idsIn({ ids }: JsonObject): string[] {
  if (!Array.isArray(ids) || ids.length > limits.tasksFetched) throw wrongIds();
  return ids.filter((id): id is string => typeof id === 'string');
}

const wrongIds = () =>
  fail('invalid_request', {
    field: 'ids',
    params: {
      reason: {
        zh: `ids 应为至多 ${limits.tasksFetched} 个任务 ID 的数组`,
        en: `ids must be an array of at most ${limits.tasksFetched} task ids`,
      },
    },
  });

const sunoAnswer = (data: Json): JsonObject => ({ code: 'success', message: '', data });

const seconds = (ms: number): number => Math.floor(ms / 1000);

/** As clients of such services know it. */
const sunoTask = (row: TaskRow): JsonObject => ({
  task_id: row.public_id,
  action: row.action,
  status: row.status,
  fail_reason: failText(row, 'en'),
  submit_time: seconds(row.submit_time),
  start_time: seconds(row.start_time),
  finish_time: seconds(row.finish_time),
  progress: `${row.progress}%`,
  data: row.data,
});

/** Answers a caller who is let in. */
export async function answerReader(
  { request, ip }: TaskQuestion,
  dialect: TaskDialect,
  deps: RelayDeps,
  render: (caller: Caller) => Promise<Json>,
): Promise<Response> {
  const report = startReport(request, ip, deps);
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    const slot = deps.calls.enter(ip);
    report.hold(slot);
    const { caller } = await authenticate({ headers: request.headers, ip }, deps);
    slot.of(caller.userId);
    report.isKnown = true;
    readBy(request, caller.userId);
    await takeOfMinute('tasks:reads', limits.taskReadsAMinute, caller, deps);
    const body = await render(caller);
    report.ended({ status: 200, userId: caller.userId, tokenId: caller.tokenId });
    return Response.json(body, { headers: answerHeaders(report.id, dialect) });
  } catch (thrown) {
    return refusal(thrown, dialect, report, deps);
  }
}
