/** Gives back what tasks cost that came to nothing, and of a film that is shorter than was paid the difference. */
import { sql } from 'drizzle-orm';
import { refundCharge, type Share } from '../../billing/refund.ts';
import { limits } from '../../core/limits.ts';
import { filled } from '../../core/text.ts';
import type { Database } from '../../db/client.ts';
import { NOW } from '../../db/clock.ts';
import { rowsOf } from '../../db/statement.ts';
import { writeLog } from '../log/service.ts';
import type { TaskRow } from './rows.ts';

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

const SHORTER = {
  zh: '任务 {task} 的视频为 {made} 秒，短于付费的 {paid} 秒，已退回差额',
  en: 'The film of the task {task} has {made} of the {paid} seconds that were paid; the difference was given back',
};

/** The lengths of a film that is done; 0 where they are not known. */
interface Lengths {
  paid: number;
  made: number;
}

/** Of other tasks whatever stands in their requests is their callers' own. */
const IS_TOLD = sql.raw(`t.status = 'SUCCESS' and t.platform = 'video' and t.input ? 'told_seconds'`);

const missingOf = ({ paid, made }: Lengths): Share => ({
  part: Math.max(paid - made, 0),
  whole: Math.max(paid, 1),
});

/**
 * Gives a failed task's charge back, or of a film's that is done what its missing seconds cost, once; answers quota units.
 * One whose charge may still come is looked at later.
 */
export const refundTask = (db: Pick<Database, 'orm'>, id: number): Promise<number> =>
  db.orm.transaction(async (tx) => {
    const [task] = rowsOf<
      Pick<TaskRow, 'public_id' | 'user_id' | 'channel_id' | 'request_id' | 'model_name'> & {
        token_id: number;
        username: string;
        group_name: string;
        status: string;
      } & Lengths
    >(
      await tx.execute(sql`
        select t.public_id, t.user_id, t.token_id, t.channel_id, t.request_id::text as request_id, t.model_name,
          coalesce(u.username, '') as username, coalesce(u.group_name, '') as group_name, t.status,
          case when ${IS_TOLD} then (t.input->>'seconds')::int else 0 end as paid,
          case when ${IS_TOLD} then (t.input->>'told_seconds')::int else 0 end as made
        from tasks t left join users u on u.id = t.user_id
        where t.id = ${id}::bigint and t.refund = 1 for update of t skip locked`),
    );
    if (!task) return 0;
    const isDone = task.status === 'SUCCESS';
    const { outcome, amount } = await refundCharge(tx, {
      ref: task.request_id,
      tokenId: task.token_id,
      channelId: task.channel_id,
      note: `task:${id}`,
      ...(isDone && { share: missingOf(task) }),
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
      text: isDone
        ? filled(SHORTER, { task: { asIs: task.public_id }, paid: task.paid, made: task.made })
        : filled(GIVEN_BACK, { task: { asIs: task.public_id } }),
      quota: amount,
      channelId: task.channel_id,
      modelName: task.model_name,
      requestId: task.request_id,
      other: { task_id: task.public_id },
    });
    return amount;
  });
