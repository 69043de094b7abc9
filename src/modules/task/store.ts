/**
 * The rows of tasks, and every step that one may take. Each is one conditional statement, so that a step is taken once
 * however many processes try: a task is over once, and then its row changes no more but for its refund.
 */
import { sql } from 'drizzle-orm';
import type { Settlement } from '../../billing/billing.ts';
import { MOVEMENT } from '../../billing/ledger.ts';
import { refundCharge } from '../../billing/refund.ts';
import { fail } from '../../core/errors.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { TaskFault, TaskNews, TaskPlatform } from '../../core/tasks.ts';
import { filled } from '../../core/text.ts';
import type { Database, Tx } from '../../db/client.ts';
import { rowsOf, storableJson, storableText } from '../../db/statement.ts';
import { writeLog } from '../log/service.ts';

export interface NewTask {
  publicId: string;
  platform: TaskPlatform;
  action: string;
  modelName: string;
  userId: number;
  tokenId: number;
  appId: number | null;
  /** Of the call that submits it. */
  requestId: string;
  /** Quota units. */
  quota: number;
  input: JsonObject;
  /** Where its owner wants to be told of it; empty for nowhere. */
  hook: string;
}

const NOW = 'extract(epoch from clock_timestamp())::bigint';
const NOW_MS = '(extract(epoch from clock_timestamp()) * 1000)::bigint';
const fault = (code: TaskFault): TaskFault => code;
const IS_OPEN = `status not in ('SUCCESS', 'FAILURE')`;
/**
 * Something was said in it, which an upstream has taken, or may have: it stays closed, and MODAL is one more state of it.
 * So it is for what was said itself.
 */
const IS_FILLED = `(action = 'MODAL' or exists (
  select from tasks c where c.public_id = tasks.claimed_by and c.status <> '' and c.fail_code <> '${fault('interrupted')}'))`;
/** Free as long as nothing is said in it; one that costs something is a task like any other. */
const IS_WINDOW = `status = 'MODAL' and quota = 0 and not ${IS_FILLED}`;
/** What is said in it is on its way up, however long that takes. The claim ends with that call, or with its process. */
const IS_CLAIMED = `exists (select from tasks c where c.public_id = tasks.claimed_by and c.status = '')`;

/** Writes down that a task is about to be submitted. False where its user has as many under way as he may. */
export async function openTask(db: Pick<Database, 'query'>, task: NewTask): Promise<boolean> {
  const rows = await db.query(
    `insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, input, hook,
       app_id, submit_time, poll_at)
     select $1, $2, $3, $4, $5::bigint, $6::bigint, $7::uuid, $8::bigint, $9::text::jsonb, $10, $11::bigint, ${NOW_MS},
       ${NOW} + ${limits.taskSubmitSec}
     where (select count(*) from (
       select 1 from tasks where user_id = $5::bigint and ${IS_OPEN} limit ${limits.tasksOpen}
     ) under_way) < ${limits.tasksOpen}
     returning id`,
    [
      task.publicId,
      task.platform,
      task.action,
      task.modelName,
      task.userId,
      task.tokenId,
      task.requestId,
      task.quota,
      plainJson(task.input) ?? '{}',
      // As addresses are written, which leaves no character that a text may not have.
      task.hook && new URL(task.hook).href,
      task.appId ?? 0,
    ],
  );
  return rows.length > 0;
}

export interface Taken {
  channelId: number;
  keyId: number;
  upstreamId: string;
  /** More than that it was submitted, where its upstream has told that at once. */
  status?: 'SUBMITTED' | 'MODAL' | 'SUCCESS';
  data?: Json;
  /** Added to what lists show of it. */
  noted?: JsonObject;
  /** What its call costs. It is charged by this where the process dies before it has done so. */
  charge: Settlement;
  /** The window whose place it takes, by its public id; null for none. */
  window?: string | null;
}

/**
 * An upstream has taken it. False where it was given up meanwhile. What is said in a window is done by proxies under the
 * window's own id (trueai-org/midjourney-proxy, `SubmitController.Modal`: the task that waited goes on). Here it is a task
 * of its own, with its own charge, and the window goes the same way: whoever waits for either sees how it ends. One that was
 * failed because its process seemed dead goes on, as long as what it had held has not been settled.
 */
export async function taskTaken(
  db: Pick<Database, 'query'>,
  publicId: string,
  {
    channelId,
    keyId,
    upstreamId,
    status = 'SUBMITTED',
    data = null,
    noted = {},
    charge,
    window = null,
  }: Taken,
): Promise<boolean> {
  const kept = data === null ? null : plainJson(data);
  const rows = await db.query(
    `with taken as (update tasks set status = $5, channel_id = $2::bigint, key_id = $3::bigint, upstream_id = $4,
       data = $6::text::jsonb, input = input || $7::text::jsonb,
       progress = case when $5 = 'SUCCESS' then 100 else 0 end,
       start_time = case when $5 = 'SUCCESS' then ${NOW_MS} else 0 end,
       finish_time = case when $5 = 'SUCCESS' then ${NOW_MS} else 0 end,
       hook_tries = case when hook <> '' and $5 = 'SUCCESS' then ${limits.taskHookTries} else 0 end,
       poll_at = ${NOW} + case when $5 = 'MODAL' and quota = 0 then ${limits.taskWindowPollSec} else ${limits.taskPollSec} end,
       updated_at = ${NOW}, charge = $8::text::jsonb, fail_code = '', refund = 0
     where public_id = $1 and (status = '' or (fail_code = '${fault('interrupted')}' and refund = 1)) returning id
     ), filled as (
       update tasks set status = 'SUBMITTED', upstream_id = $4, channel_id = $2::bigint, key_id = $3::bigint,
         submit_time = ${NOW_MS}, poll_at = ${NOW} + ${limits.taskPollSec}, polls = 0, updated_at = ${NOW}
       where public_id = $9 and claimed_by = $1 and ${IS_OPEN} and $4 <> '' and exists (select from taken)
     ) select id from taken`,
    [
      publicId,
      channelId,
      keyId,
      upstreamId,
      status,
      kept !== null && Buffer.byteLength(kept) <= limits.taskDataBytes ? kept : null,
      plainJson(noted) ?? '{}',
      storableJson({ ...charge, monthTiers: charge.monthTiers?.map((tier) => ({ ...tier })) }),
      window,
    ],
  );
  return rows.length > 0;
}

/** No upstream has taken it: its caller was told so, and never heard of it. */
export const taskRefused = (db: Pick<Database, 'query'>, publicId: string): Promise<unknown> =>
  db.query(`delete from tasks where public_id = $1 and status = ''`, [publicId]);

/**
 * Takes a window for the task that is about to be said in it: false where somebody was first, or where it is none. Nobody
 * asks after it while that is being submitted. It is asked after again where that came to nothing and could not reopen it,
 * and is a window as before where its upstream still says so. Once an upstream has taken that, it is none any more.
 */
export async function claimWindow(
  db: Pick<Database, 'query'>,
  publicId: string,
  claimer: string,
): Promise<boolean> {
  const rows = await db.query(
    `update tasks set status = 'SUBMITTED', claimed_by = $2, poll_at = ${NOW} + ${limits.taskSubmitSec},
       updated_at = ${NOW}
     where public_id = $1 and status = 'MODAL' and not ${IS_FILLED} returning id`,
    [publicId, claimer],
  );
  return rows.length > 0;
}

/** No upstream has taken what was said in it: something else may be, unless it is another's already. */
export const reopenWindow = (
  db: Pick<Database, 'query'>,
  publicId: string,
  claimer: string,
): Promise<unknown> =>
  db.query(
    `update tasks set status = 'MODAL', updated_at = ${NOW},
       poll_at = ${NOW} + case when quota = 0 then ${limits.taskWindowPollSec} else ${limits.taskPollSec} end
     where public_id = $1 and claimed_by = $2 and status = 'SUBMITTED'`,
    [publicId, claimer],
  );

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
    `update tasks set deleted_at = ${NOW}, input = '{}', data = null, fail_reason = '', hook = '', hook_tries = 0,
       updated_at = ${NOW}
     where public_id = $1 and ${isOf('$2', '$4')} and platform = $3 and deleted_at = 0
       and status in ('SUCCESS', 'FAILURE') returning id`,
    [publicId, userId, platform, appId],
  );
  return rows.length > 0;
}

/** What `publicId` looks like; anything else is nobody's. */
export const PUBLIC_ID = /^[0-9a-f]{32}$/;

// ---- The engine --------------------------------------------------------------------------------------------------

/** There is no charge without an upstream that has taken it, though none could be written down: nobody can ask after it. */
const IS_CHARGED = `exists (select from ledger l where l.ref = t.request_id and l.kind = ${MOVEMENT.charge})`;

/** Keeps what was charged, and could not be noted as taken. */
export const keepCharged = (db: Pick<Database, 'query'>): Promise<unknown> =>
  db.query(
    `update tasks t set status = 'SUBMITTED', updated_at = ${NOW}
     where t.id in (
       select id from tasks where status = '' and poll_at <= ${NOW} order by poll_at
       limit ${limits.tasksARound} for update skip locked
     ) and ${IS_CHARGED}`,
  );

/**
 * Fails what was being submitted by a process that is gone: its reservation was given back, so that nothing was or will
 * be charged but by a spool, which the refund waits for.
 */
export const failInterrupted = (db: Pick<Database, 'query'>): Promise<unknown> =>
  db.query(
    `update tasks t set ${failed(`'${fault('interrupted')}'`)}
     where t.id in (
       select id from tasks where status = '' order by poll_at limit ${limits.tasksARound} for update skip locked
     ) and (exists (select from reservations r where r.id = t.request_id and r.orphaned_at is not null)
       or (t.poll_at <= ${NOW} and not exists (select from reservations r where r.id = t.request_id)
         and not ${IS_CHARGED}))`,
  );

/** Hours in $1. */
const IS_LATE = `${IS_OPEN} and status <> '' and submit_time < ${NOW_MS}
  - case when ${IS_WINDOW} then ${limits.taskWindowSec * 1000}::bigint else $1::bigint * 3600000 end`;

/** Fails what has taken longer than it may: of tasks that were just asked after, or of those that nobody can ask after. */
export const failLate = (
  db: Pick<Database, 'query'>,
  hours: number,
  asked: readonly number[] | 'nameless',
): Promise<unknown> =>
  db.query(
    `update tasks set ${failed(`case when ${IS_WINDOW} then '${fault('window_closed')}' else '${fault('timeout')}' end`)}
     where id in (
       select id from tasks where ${IS_LATE} and
         case when $2 = '' then upstream_id = '' else id = any(string_to_array($2, ',')::bigint[]) end
       order by submit_time limit ${limits.tasksARound} for update skip locked
     )`,
    [hours, asked === 'nameless' ? '' : asked.join(',')],
  );

/** Fails tasks whose channel is gone. */
export const failOrphans = (db: Pick<Database, 'query'>, ids: readonly number[]): Promise<unknown> =>
  db.query(
    `update tasks set ${failed(`'${fault('channel_gone')}'`)}
     where id = any(string_to_array($1, ',')::bigint[]) and ${IS_OPEN}`,
    [ids.join(',')],
  );

/** What was taken without a name is charged though nobody can ask what became of it. */
const failed = (code: string): string =>
  `status = 'FAILURE', fail_code = ${code}, data = null, finish_time = ${NOW_MS},
   refund = case when status <> '' and upstream_id = '' then 0 else 1 end, poll_at = ${NOW}, updated_at = ${NOW},
   hook_tries = case when hook <> '' then ${limits.taskHookTries} else 0 end, hook_at = ${NOW}`;

/** A task that is due to be asked after. */
export interface DueTask {
  id: number;
  platform: string;
  channel_id: number;
  key_id: number;
  upstream_id: string;
  /** What is told of it is of that time: once something else was said in it, no more. */
  claimed_by: string;
  /** It has taken longer than it may: this is the last time. */
  is_late: boolean;
}

/**
 * Those that are due, each for this process alone until its next time, which is further away with every time. What has
 * taken longer than it may is always due.
 */
export const claimDue = (db: Pick<Database, 'query'>, hours: number): Promise<DueTask[]> =>
  db.query<DueTask>(
    `update tasks set polls = polls + 1,
       poll_at = ${NOW} + case when ${IS_WINDOW} then ${limits.taskWindowPollSec}
         else least(${limits.taskPollMostSec}, ceil(${limits.taskPollSec} * power(1.25, least(polls, 30))))::bigint end
     where id in (
       select id from tasks where ${IS_OPEN} and upstream_id <> '' and (poll_at <= ${NOW} or (${IS_LATE}))
         and not ${IS_CLAIMED}
       order by poll_at limit ${limits.tasksARound} for update skip locked
     ) returning id, platform, channel_id, key_id, upstream_id, claimed_by, (${IS_LATE}) as is_late`,
    [hours],
  );

/** Charges of calls whose process died between what an upstream took and the charge: nobody holds anything for them now. */
export async function lostCharges(db: Pick<Database, 'query'>): Promise<Settlement[]> {
  const rows = await db.query<{ charge: string }>(
    `select t.charge::text as charge from reservations r join tasks t on t.request_id = r.id
     where r.orphaned_at is not null and t.status <> '' and t.charge is not null
     limit ${limits.tasksARound}`,
  );
  return rows.map(({ charge }) => JSON.parse(charge) as Settlement);
}

/** What an upstream says of a task that is not over. Its result is kept up to a bound: beyond it nothing of it is. */
export async function noteNews(
  db: Pick<Database, 'query'>,
  { id, claimed_by }: Pick<DueTask, 'id' | 'claimed_by'>,
  news: TaskNews,
): Promise<void> {
  const data = news.data === null ? null : plainJson(news.data);
  await db.query(
    `update tasks set status = $2, progress = greatest(progress, $3::smallint), fail_reason = $4, fail_code = $9,
       start_time = case when $5::bigint > 0 then $5::bigint else start_time end,
       finish_time = case when not $6::boolean then finish_time when $7::bigint > 0 then $7::bigint else ${NOW_MS} end,
       -- Of a user who was erased meanwhile nothing is kept, and of what failed its reason alone.
       data = case when $2 = 'FAILURE' or exists (select from users u where u.id = user_id and u.erased_at is not null) then null
         else coalesce($8::text::jsonb, data) end,
       refund = case when $2 = 'FAILURE' then 1 else refund end,
       hook_tries = case when hook <> '' and status <> $2 then ${limits.taskHookTries} else hook_tries end,
       hook_at = case when status <> $2 then ${NOW} else hook_at end,
       poll_at = case when $6::boolean then ${NOW} else poll_at end, updated_at = ${NOW}
     where id = $1::bigint and ${IS_OPEN} and claimed_by = $10 and not ${IS_CLAIMED}`,
    [
      id,
      news.status,
      news.status === 'SUCCESS' ? 100 : (news.progress ?? 0),
      storableText(news.failReason.slice(0, limits.taskReasonChars)),
      timeOf(news.startTime),
      news.status === 'SUCCESS' || news.status === 'FAILURE',
      timeOf(news.finishTime),
      data !== null && Buffer.byteLength(data) <= limits.taskDataBytes ? data : null,
      faultOf(news),
      claimed_by,
    ],
  );
}

/** Words of the upstream's say more than we do. */
const faultOf = ({ status, failReason, fault: told }: TaskNews): TaskFault | '' =>
  status === 'FAILURE' && failReason === '' ? (told ?? 'upstream') : '';

/** The latest time that a Date can be; what is later, in whatever unit it was told, is no time. */
const TIME_MOST_MS = 8.64e15;
const timeOf = (ms: number): number => (ms <= TIME_MOST_MS ? ms : 0);

/** The JSON text of a value that jsonb takes; null where the value is too deep, of which nothing is kept. */
function plainJson(value: Json): string | null {
  const plain = plainOf(value, limits.jsonDepthMax);
  return plain === undefined ? null : JSON.stringify(plain);
}

/** The names in it are an upstream's or a caller's as much as its texts. Undefined where it is deeper than `depth`. */
function plainOf(value: Json, depth: number): Json | undefined {
  if (typeof value === 'string') return storableText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return undefined;
  const entries: [string, Json][] = [];
  for (const [name, held] of Object.entries(value)) {
    if (held === undefined) continue;
    const plain = plainOf(held, depth - 1);
    if (plain === undefined) return undefined;
    entries.push([storableText(name), plain]);
  }
  return Array.isArray(value) ? entries.map(([, held]) => held) : Object.fromEntries(entries);
}

/** Somebody says that a task has changed: it is asked after with the next round. */
export const askSoon = (db: Pick<Database, 'query'>, publicId: string): Promise<unknown> =>
  db.query(
    `update tasks set poll_at = ${NOW} where public_id = $1 and ${IS_OPEN} and upstream_id <> '' and poll_at > ${NOW}`,
    [publicId],
  );

export interface HookedTask extends TaskRow {
  hook: string;
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
export const hookHeard = (db: Pick<Database, 'query'>, { id, status }: HookedTask): Promise<unknown> =>
  db.query('update tasks set hook_tries = 0 where id = $1::bigint and status = $2', [id, status]);

/** A task by its id alone, of whoever it is: for what is open to all who know the id. */
export async function taskById(db: Pick<Database, 'query'>, publicId: string): Promise<TaskRow | null> {
  if (!PUBLIC_ID.test(publicId)) return null;
  const [row] = await db.query<RawTask>(`select ${TASK_COLUMNS} from tasks where public_id = $1`, [publicId]);
  return row ? taskOf(row) : null;
}

/** A refund that cannot be given yet is tried again after the others. */
export const refundLater = (db: Pick<Database, 'query'>, id: number): Promise<unknown> =>
  db.query(
    `update tasks set poll_at = ${NOW} + ${limits.taskRefundAgainSec} where id = $1::bigint and refund = 1`,
    [id],
  );

/** Tasks whose charge is to be given back now. */
export const refundsDue = async (db: Pick<Database, 'query'>): Promise<number[]> => {
  const rows = await db.query<{ id: number }>(
    `select id from tasks where refund = 1 and poll_at <= ${NOW} order by poll_at limit ${limits.tasksARound}`,
  );
  return rows.map(({ id }) => id);
};

const GIVEN_BACK = {
  zh: '任务 {task} 未成功，已退回费用',
  en: 'The task {task} came to nothing; what it cost was given back',
};

/** Gives a failed task's charge back, once; answers quota units. One whose charge may still come is looked at later. */
export const refundTask = (db: Pick<Database, 'orm'>, id: number): Promise<number> =>
  db.orm.transaction(async (tx) => {
    const [task] = rowsOf<
      Pick<TaskRow, 'public_id' | 'user_id' | 'channel_id' | 'request_id' | 'model_name'> & {
        token_id: number;
        username: string;
        group_name: string;
      }
    >(
      await tx.execute(sql`
        select t.public_id, t.user_id, t.token_id, t.channel_id, t.request_id::text as request_id, t.model_name,
          coalesce(u.username, '') as username, coalesce(u.group_name, '') as group_name
        from tasks t left join users u on u.id = t.user_id
        where t.id = ${id}::bigint and t.refund = 1 for update of t skip locked`),
    );
    if (!task) return 0;
    const { outcome, amount } = await refundCharge(tx, {
      ref: task.request_id,
      tokenId: task.token_id,
      channelId: task.channel_id,
      note: `task:${id}`,
    });
    if (outcome === 'waits') {
      await tx.execute(
        sql`update tasks set poll_at = ${sql.raw(NOW)} + ${limits.taskRefundAgainSec}::bigint where id = ${id}::bigint`,
      );
      return 0;
    }
    await tx.execute(
      sql`update tasks set refund = 2, refunded = ${amount}::bigint, updated_at = ${sql.raw(NOW)} where id = ${id}::bigint`,
    );
    if (amount === 0) return 0;
    await writeLog(tx, {
      type: 'system',
      user: { id: task.user_id, username: task.username, group: task.group_name },
      text: filled(GIVEN_BACK, { task: { asIs: task.public_id } }),
      quota: amount,
      channelId: task.channel_id,
      modelName: task.model_name,
      requestId: task.request_id,
      other: { task_id: task.public_id },
    });
    return amount;
  });

/** Takes out of a user's tasks what he had asked for and what came of it. To be called before his tokens are locked. */
export const forgetTasks = (tx: Tx, userId: number): Promise<unknown> =>
  tx.execute(
    sql`update tasks set input = '{}', data = null, fail_reason = '', hook = '', hook_tries = 0, charge = null where user_id = ${userId}::bigint`,
  );
