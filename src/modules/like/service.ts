/** What users thought of their tasks: told by their clients, read by administrators. */
import { and, count, desc, eq, ilike, ne, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { MINUTE_SEC } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import type { Tx } from '../../db/client.ts';
import { now } from '../../db/columns.ts';
import { containing } from '../../db/like.ts';
import { orderBy } from '../../db/order.ts';
import { taskLikes, users } from '../../db/schema/index.ts';
import { requireFit } from '../../platform/limiter.ts';
import type { Deps } from '../deps.ts';
import type { LikeBody, LikeFilter, LikePage } from './contract.ts';
import { MARK } from './facts.ts';

type LikeDeps = Pick<Deps, 'db'>;

const saidNow = sql`(${taskLikes.title}, ${taskLikes.mark}, ${taskLikes.note}, ${taskLikes.task})`;
const saidAnew = sql`(excluded.title, excluded.mark, excluded.note, excluded.task)`;

/**
 * Keeps a user's word on a task in the place of his last one on it, where it says something else. His oldest give way to
 * it when there are many, or much is written in them. Throws RATE_LIMIT.
 */
export async function keepLike(
  { db, limiter }: LikeDeps & Pick<Deps, 'limiter'>,
  userId: number,
  like: LikeBody,
): Promise<void> {
  await requireFit(limiter, [{ key: `likes:${userId}`, limit: limits.likesAMinute, windowSec: MINUTE_SEC }]);
  const said = { ...like, created_at: now };
  await db.orm.transaction(async (tx) => {
    await tx
      .insert(taskLikes)
      .values({ ...said, user_id: userId })
      .onConflictDoUpdate({
        target: [taskLikes.user_id, taskLikes.task_id],
        set: said,
        setWhere: sql`${saidNow} is distinct from ${saidAnew}`,
      });
    await tx.execute(sql`
      delete from task_likes where id in (
        select id from (
          select id, row_number() over newest as place,
                 sum(octet_length(title) + octet_length(note) + octet_length(task)) over newest as bytes
            from task_likes where user_id = ${userId}::bigint
          window newest as (order by task_id = ${like.task_id} desc, created_at desc, id desc)
        ) his where place > ${limits.likesOfOne}::int or bytes > ${limits.likesOfOneBytes}::int
      )`);
  });
}

/** In the order asked for, else newest first. */
export async function listLikes(
  { db }: LikeDeps,
  { username, mark, sort }: LikeFilter,
  { page, pageSize, limit, offset }: Paging,
): Promise<LikePage> {
  const where = and(
    username ? ilike(users.username, containing(username)) : undefined,
    mark ? (mark === MARK.like ? eq(taskLikes.mark, MARK.like) : ne(taskLikes.mark, MARK.like)) : undefined,
  );
  const rows = await db.orm
    .select({ ...LISTED, username: sql<string>`coalesce(${users.username}, '')` })
    .from(taskLikes)
    .leftJoin(users, eq(users.id, taskLikes.user_id))
    .where(where)
    .orderBy(...orderBy(sort, orderColumns, taskLikes.id, [desc(taskLikes.created_at), desc(taskLikes.id)]))
    .limit(limit)
    .offset(offset);
  const [all] = await db.orm
    .select({ n: count() })
    .from(taskLikes)
    .leftJoin(users, eq(users.id, taskLikes.user_id))
    .where(where);
  return { items: rows, total: all?.n ?? 0, page, page_size: pageSize };
}

const orderColumns = {
  id: taskLikes.id,
  title: taskLikes.title,
  user: users.username,
  mark: taskLikes.mark,
  time: taskLikes.created_at,
};

const LISTED = {
  id: taskLikes.id,
  title: taskLikes.title,
  task_id: taskLikes.task_id,
  mark: taskLikes.mark,
  note: taskLikes.note,
  created_at: taskLikes.created_at,
};

/** The task of a like as its client told it. Throws NOT_FOUND. */
export async function likedTask({ db }: LikeDeps, id: number): Promise<{ task: string }> {
  const [row] = await db.orm.select({ task: taskLikes.task }).from(taskLikes).where(eq(taskLikes.id, id));
  if (!row) throw fail('NOT_FOUND');
  return row;
}

/** Of a user who is erased: what he wrote and what his tasks were about. */
export const forgetLikes = async (tx: Tx, userId: number): Promise<void> => {
  await tx.delete(taskLikes).where(eq(taskLikes.user_id, userId));
};
