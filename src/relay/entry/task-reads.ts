/** What callers ask about tasks of their own: answered from the rows, which the engine keeps up to date. */
import { fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { failText } from '../../core/tasks.ts';
import { secOf } from '../../core/time.ts';
import { sunoMusic } from '../../dialects/plain/suno.ts';
import type { TaskDialect } from '../../dialects/plain/task.ts';
import { ownTasks, type TaskRow } from '../../modules/task/service.ts';
import type { Caller } from '../../modules/token/callers.ts';
import type { RelayDeps } from '../deps.ts';
import { type Asking, answerReader, type Pace, type Question } from './reader.ts';

/** `POST /suno/fetch` */
export const fetchSunoTasks = (question: Question, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, sunoMusic, deps, async (caller, body) => {
    const rows = await ownTasks(deps.db, caller, { platform: 'suno', ids: idsIn(await body()) });
    return sunoAnswer(rows.map(sunoTask));
  });

/** `GET /suno/fetch/{id}` */
export const fetchSunoTask = (question: Question, id: string, deps: RelayDeps): Promise<Response> =>
  answerTasks(question, sunoMusic, deps, async (caller) => {
    const [row] = await ownTasks(deps.db, caller, { platform: 'suno', ids: [id] });
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

/** As clients of such services know it. */
const sunoTask = (row: TaskRow): JsonObject => ({
  task_id: row.public_id,
  action: row.action,
  status: row.status,
  fail_reason: failText(row, 'en'),
  submit_time: secOf(row.submit_time),
  start_time: secOf(row.start_time),
  finish_time: secOf(row.finish_time),
  progress: `${row.progress}%`,
  data: row.data,
});

const PACE: Pace = { name: 'tasks:reads', aMinute: limits.taskReadsAMinute };

/** Answers what a caller asks about tasks of his own. */
export const answerTasks = (
  question: Question,
  dialect: TaskDialect,
  deps: RelayDeps,
  render: (caller: Caller, body: Asking['body']) => Promise<object>,
): Promise<Response> =>
  answerReader(question, { dialect, pace: PACE }, deps, ({ caller, body }) => render(caller, body));
