/** Tasks on their way to an upstream, until one has taken them or none has, and the windows that they may be said in. */
import { sql } from 'drizzle-orm';
import type { Settlement } from '../../billing/billing.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { onceOf } from '../../core/once-of.ts';
import type { TaskPlatform } from '../../core/tasks.ts';
import { urlOf } from '../../core/url.ts';
import type { Database } from '../../db/client.ts';
import { NOW, NOW_MS } from '../../db/clock.ts';
import { countAlone } from '../../db/count-alone.ts';
import { rowsOf, storableJson } from '../../db/statement.ts';
import { createFairGate, type FairGate } from '../../platform/fair-gate.ts';
import { keptResult, plainJson } from './kept-json.ts';
import { fault, IS_FILLED, IS_OPEN } from './sql-parts.ts';

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

/** Whoever waits for another task of the same user has no connection meanwhile, and some stay for all else. */
const gateOf = onceOf(
  (_: Database['orm']): FairGate =>
    createFairGate({
      atOnce: limits.taskSubmissionsAtOnce,
      ofOneAtOnce: 1,
      waitingMax: Number.POSITIVE_INFINITY,
      ofOneWaitingMax: Number.POSITIVE_INFINITY,
    }),
);

/** Writes down that a task is about to be submitted. False where its user has as many under way as he may. */
export const openTask = ({ orm }: Pick<Database, 'orm'>, task: NewTask): Promise<boolean> =>
  gateOf(orm).run({ who: String(task.userId) }, () => openCounted(orm, task));

const openCounted = (orm: Database['orm'], task: NewTask): Promise<boolean> =>
  orm.transaction(async (tx) => {
    await countAlone(tx, 'tasks', task.userId);
    // As addresses are written, which leaves no character that a text may not have.
    const hook = urlOf(task.hook)?.href ?? '';
    const rows = rowsOf(
      await tx.execute(sql`
        insert into tasks (public_id, platform, action, model_name, user_id, token_id, request_id, quota, input, hook,
          app_id, submit_time, poll_at)
        select ${task.publicId}, ${task.platform}, ${task.action}, ${task.modelName}, ${task.userId}::bigint,
          ${task.tokenId}::bigint, ${task.requestId}::uuid, ${task.quota}::bigint,
          ${plainJson(task.input) ?? '{}'}::text::jsonb,
          ${hook},
          ${task.appId ?? 0}::bigint, ${sql.raw(NOW_MS)}, ${sql.raw(NOW)} + ${limits.taskSubmitSec}::bigint
        where (select count(*) from (
          select 1 from tasks where user_id = ${task.userId}::bigint and ${sql.raw(IS_OPEN)} limit ${limits.tasksOpen}
        ) under_way) < ${limits.tasksOpen}
        returning id`),
    );
    return rows.length > 0;
  });

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
      keptResult(data),
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
