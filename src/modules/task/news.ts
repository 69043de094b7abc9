/** What becomes of tasks that an upstream has taken: when they are asked after, what is said of them, how they end. */
import { limits } from '../../core/limits.ts';
import type { TaskFault, TaskNews } from '../../core/tasks.ts';
import type { Database } from '../../db/client.ts';
import { NOW, NOW_MS } from '../../db/clock.ts';
import { storableText } from '../../db/statement.ts';
import { keptResult } from './kept-json.ts';
import { failed, fault, IS_FILLED, IS_OPEN } from './sql-parts.ts';

/** Free as long as nothing is said in it; one that costs something is a task like any other. */
const IS_WINDOW = `status = 'MODAL' and quota = 0 and not ${IS_FILLED}`;
/** What is said in it is on its way up, however long that takes. The claim ends with that call, or with its process. */
const IS_CLAIMED = `exists (select from tasks c where c.public_id = tasks.claimed_by and c.status = '')`;

/** Hours in $1. */
const IS_LATE = `${IS_OPEN} and status <> '' and submit_time < ${NOW_MS}
  - case when ${IS_WINDOW} then ${limits.taskWindowSec * 1000}::bigint else $1::bigint * 3600000 end`;

/** A task that is due to be asked after. */
export interface DueTask {
  id: number;
  platform: string;
  channel_id: number;
  key_id: number;
  upstream_id: string;
  /** What is told of it is of that time: once something else was said in it, no more. */
  claimed_by: string;
  /** It has taken longer than it may: this is the last time, if it is asked after. */
  is_late: boolean;
}

/**
 * Those that are due, each for this process alone until its next time, which is further away with every time. What has
 * taken longer than it may does not wait for a time that is further away than any task's. Those that are under way, or
 * whose channels are busy, stay as they are.
 */
export const claimDue = (
  db: Pick<Database, 'query'>,
  hours: number,
  underWay: { channels: readonly number[]; tasks: readonly number[] },
): Promise<DueTask[]> =>
  db.query<DueTask>(
    `update tasks set polls = polls + 1,
       poll_at = ${NOW} + case when ${IS_WINDOW} then ${limits.taskWindowPollSec}
         else least(${limits.taskPollMostSec}, ceil(${limits.taskPollSec} * power(1.25, least(polls, 30))))::bigint end
     where id in (
       select id from tasks where ${IS_OPEN} and upstream_id <> '' and (poll_at <= ${NOW} or (poll_at > ${NOW} + ${limits.taskPollMostSec} and ${IS_LATE}))
         and not ${IS_CLAIMED} and channel_id <> all(string_to_array($2, ',')::bigint[])
         and id <> all(string_to_array($3, ',')::bigint[])
       order by poll_at limit ${limits.tasksARound} for update skip locked
     ) returning id, platform, channel_id, key_id, upstream_id, claimed_by, (${IS_LATE}) as is_late`,
    [hours, underWay.channels.join(','), underWay.tasks.join(',')],
  );

/** Somebody says that a task has changed: it is asked after with the next round. */
export const askSoon = (db: Pick<Database, 'query'>, publicId: string): Promise<unknown> =>
  db.query(
    `update tasks set poll_at = ${NOW} where public_id = $1 and ${IS_OPEN} and upstream_id <> '' and poll_at > ${NOW}`,
    [publicId],
  );

/** What came, whose seconds stand in $11, is shorter than what was asked for and paid: the difference is to be given back. */
const IS_SHORTER = `case when $11 <> '' and input->>'seconds' ~ '^[0-9]{1,6}$'
  then $11::text::int < (input->>'seconds')::int else false end`;

/** What came out has other seconds than were asked for and paid. */
interface OtherSeconds {
  told: string;
  paid: string;
  /** The channel's name. */
  name: string;
}

/**
 * What an upstream says of a task that is not over. Its result is kept up to a bound: beyond it nothing of it is. Answers
 * null where that says nothing of other seconds than were paid.
 */
export async function noteNews(
  db: Pick<Database, 'query'>,
  { id, claimed_by }: Pick<DueTask, 'id' | 'claimed_by'>,
  news: TaskNews,
): Promise<OtherSeconds | null> {
  const [noted] = await db.query<OtherSeconds | { told: null }>(
    `update tasks set status = $2, progress = greatest(progress, $3::smallint), fail_reason = $4, fail_code = $9,
       start_time = case when $5::bigint > 0 then $5::bigint else start_time end,
       finish_time = case when not $6::boolean then finish_time when $7::bigint > 0 then $7::bigint else ${NOW_MS} end,
       -- Of a user who was erased meanwhile nothing is kept, and of what failed its reason alone.
       data = case when $2 = 'FAILURE' or exists (select from users u where u.id = user_id and u.erased_at is not null) then null
         else coalesce($8::text::jsonb, data) end,
       refund = case when $2 = 'FAILURE' or ${IS_SHORTER} then 1 else refund end,
       hook_tries = case when hook <> '' and status <> $2 then ${limits.taskHookTries} else hook_tries end,
       hook_at = case when status <> $2 then ${NOW} else hook_at end,
       input = case when $11 <> '' and input->>'seconds' <> $11
         then input || jsonb_build_object('told_seconds', $11::text) else input end,
       poll_at = case when $6::boolean then ${NOW} else poll_at end, updated_at = ${NOW}
     where id = $1::bigint and ${IS_OPEN} and claimed_by = $10 and not ${IS_CLAIMED}
     returning input->>'told_seconds' as told, input->>'seconds' as paid,
       coalesce((select c.name from channels c where c.id = channel_id), '') as name`,
    [
      id,
      news.status,
      news.status === 'SUCCESS' ? 100 : (news.progress ?? 0),
      storableText(news.failReason.slice(0, limits.taskReasonChars)),
      timeOf(news.startTime),
      news.status === 'SUCCESS' || news.status === 'FAILURE',
      timeOf(news.finishTime),
      keptResult(news.data),
      faultOf(news),
      claimed_by,
      String(news.seconds ?? ''),
    ],
  );
  return noted && noted.told !== null ? noted : null;
}

/** Words of the upstream's say more than we do. */
const faultOf = ({ status, failReason, fault: told }: TaskNews): TaskFault | '' =>
  status === 'FAILURE' && failReason === '' ? (told ?? 'upstream') : '';

/** The latest time that a Date can be; what is later, in whatever unit it was told, is no time. */
const TIME_MOST_MS = 8.64e15;
const timeOf = (ms: number): number => (ms <= TIME_MOST_MS ? ms : 0);

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
