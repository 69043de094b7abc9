/** Tasks as those have them whose they are. */
import { sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskPlatform } from '../../core/tasks.ts';
import type { Database, Tx } from '../../db/client.ts';
import { NOW } from '../../db/clock.ts';

/** A task as its caller may have it. */
export interface TaskRow {
  id: number;
  public_id: string;
  platform: string;
  action: string;
  model_name: string;
  user_id: number;
  channel_id: number;
  key_id: number;
  request_id: string;
  upstream_id: string;
  status: string;
  progress: number;
  fail_code: string;
  fail_reason: string;
  quota: number;
  refunded: number;
  submit_time: number;
  start_time: number;
  finish_time: number;
  updated_at: number;
  input: JsonObject;
  data: Json;
}

export const TASK_COLUMNS = `id, public_id, platform, action, model_name, user_id, channel_id, key_id, request_id::text as request_id,
  upstream_id, status, progress, fail_code, fail_reason, quota, refunded, submit_time, start_time, finish_time, updated_at,
  input::text as input, data::text as data`;

/** As the drivers give it: JSON comes as text from both alike. */
export type RawTask = Omit<TaskRow, 'input' | 'data'> & { input: string; data: string | null };

export const taskOf = ({ input, data, ...row }: RawTask): TaskRow => ({
  ...row,
  input: JSON.parse(input) as JsonObject,
  data: data === null ? null : (JSON.parse(data) as Json),
});

/** What `publicId` looks like; anything else is nobody's. */
export const PUBLIC_ID = /^[0-9a-f]{32}$/;

/** Whose tasks somebody has: a user all of his, an application those that it submitted for him. */
export interface TaskOwner {
  userId: number;
  appId: number | null;
}

/** By the numbers of the user and the application among the values of a statement. */
const isOf = (user: string, app: string): string =>
  `user_id = ${user}::bigint and (${app}::bigint is null or app_id = ${app}::bigint)`;

const IS_WANTED = `public_id = any(string_to_array($1, ',')) and ${isOf('$2', '$4')} and platform = $3 and status <> ''
  and deleted_at = 0`;

const tooHeavy = () =>
  fail('invalid_request', {
    field: 'ids',
    params: {
      reason: {
        zh: '这些任务的内容合计过大，请减少一次查询的 ids',
        en: 'These tasks are too large together: ask for fewer ids at once.',
      },
    },
  });

/** Bytes of what is kept of a task, and of what was asked for alone. */
export const INPUT_BYTES = 'octet_length(input::text)';
export const TASK_BYTES = `${INPUT_BYTES} + coalesce(octet_length(data::text), 0)`;

/**
 * Those of an owner's tasks that are asked for; what is another's is not among them. Throws `invalid_request` where they are
 * too large together, of which nothing is read.
 */
export async function ownTasks(
  db: Pick<Database, 'query'>,
  { userId, appId }: TaskOwner,
  { platform, ids }: { platform: TaskPlatform; ids: readonly string[] },
): Promise<TaskRow[]> {
  const wanted = [ids.filter((id) => PUBLIC_ID.test(id)).join(','), userId, platform, appId];
  const [sum] =
    ids.length === 1
      ? []
      : await db.query<{ bytes: number }>(
          `select coalesce(sum(${TASK_BYTES}), 0)::int8 as bytes from tasks where ${IS_WANTED}`,
          wanted,
        );
  if (sum && sum.bytes > limits.tasksFetchedBytes) throw tooHeavy();
  const rows = await db.query<RawTask>(
    `select ${TASK_COLUMNS} from tasks where ${IS_WANTED} order by submit_time desc, id desc`,
    wanted,
  );
  return rows.map(taskOf);
}

export interface TaskPage {
  platform: TaskPlatform;
  /** The public id of the last one before; empty for none. What is no task of the owner's begins at the beginning. */
  after: string;
  limit: number;
  isAscending: boolean;
}

/** A page of an owner's tasks, by the time of their submission; one more than `limit` where there are more. */
export async function pageOfTasks(
  db: Pick<Database, 'query'>,
  { userId, appId }: TaskOwner,
  { platform, after, limit, isAscending }: TaskPage,
): Promise<TaskRow[]> {
  const [way, beyond] = isAscending ? ['asc', '>'] : ['desc', '<'];
  const rows = await db.query<RawTask>(
    `select ${TASK_COLUMNS} from tasks
     where ${isOf('$1', '$5')} and platform = $2 and status <> '' and deleted_at = 0
       and ($3 = '' or (submit_time, id) ${beyond} (
         select submit_time, id from tasks where public_id = $3 and ${isOf('$1', '$5')} and platform = $2))
     order by submit_time ${way}, id ${way} limit $4::bigint`,
    [userId, platform, PUBLIC_ID.test(after) ? after : '', limit + 1, appId],
  );
  return rows.map(taskOf);
}

/** Takes a task that is over out of its owner's sight, with all that was asked for and came of it. False for any other. */
export async function deleteTask(
  db: Pick<Database, 'query'>,
  { userId, appId }: TaskOwner,
  { platform, publicId }: { platform: TaskPlatform; publicId: string },
): Promise<boolean> {
  const rows = await db.query(
    `update tasks set deleted_at = ${NOW}, data = null, fail_reason = '', hook = '', hook_tries = 0,
       -- Its lengths say what is still to be given back.
       input = case when refund = 1 and input ? 'told_seconds'
         then jsonb_build_object('seconds', input->'seconds', 'told_seconds', input->'told_seconds') else '{}' end,
       updated_at = ${NOW}
     where public_id = $1 and ${isOf('$2', '$4')} and platform = $3 and deleted_at = 0
       and status in ('SUCCESS', 'FAILURE') returning id`,
    [publicId, userId, platform, appId],
  );
  return rows.length > 0;
}

/** A task by its id alone, of whoever it is: for what is open to all who know the id. */
export async function taskById(db: Pick<Database, 'query'>, publicId: string): Promise<TaskRow | null> {
  if (!PUBLIC_ID.test(publicId)) return null;
  const [row] = await db.query<RawTask>(`select ${TASK_COLUMNS} from tasks where public_id = $1`, [publicId]);
  return row ? taskOf(row) : null;
}

/** Takes out of a user's tasks what he had asked for and what came of it. To be called before his tokens are locked. */
export const forgetTasks = (tx: Tx, userId: number): Promise<unknown> =>
  tx.execute(
    sql`update tasks set input = '{}', data = null, fail_reason = '', hook = '', hook_tries = 0, charge = null where user_id = ${userId}::bigint`,
  );
