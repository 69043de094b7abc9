/** Activities: what administrators announce, and what users see of it. Every change is recorded. */
import { and, count, desc, eq, gte, ilike, lte, not, or, type SQL, sql } from 'drizzle-orm';
import { REWARD } from '../../billing/rewards.ts';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor, LastingActor } from '../../core/actor.ts';
import { changesBetween } from '../../core/admin-actions.ts';
import { SECONDS_MAX } from '../../core/bounds.ts';
import { eachRow } from '../../core/each-row.ts';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { Order } from '../../core/order.ts';
import { QUOTA_MAX } from '../../core/price-formula.ts';
import { nowSec } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { among } from '../../db/among.ts';
import type { Executor, Tx } from '../../db/client.ts';
import { containing } from '../../db/like.ts';
import { orderBy } from '../../db/order.ts';
import { activities, rewards } from '../../db/schema/index.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import type { Activity, ActivityBody, ActivityItem, OpenActivity } from './contract.ts';
import {
  ACTIVITY_DESC_MAX,
  ACTIVITY_NAME_MAX,
  type ACTIVITY_ORDERS,
  type ActivityAction,
  type ActivityState,
  NO_LIMIT,
} from './facts.ts';

type ActivityDeps = Pick<Deps, 'db'>;
type Row = typeof activities.$inferSelect;

export interface ActivitySearch {
  q?: string | undefined;
  status?: 'true' | 'false' | undefined;
  state?: ActivityState | undefined;
  sort?: Order<(typeof ACTIVITY_ORDERS)[number]> | undefined;
}

const orderColumns = {
  id: activities.id,
  name: activities.name,
  quota: activities.quota,
  begins: activities.start_date,
  created: activities.created_at,
};

const viewOf = ({ description, ...row }: Row): Activity => ({ ...row, desc: description });

/** In the order asked for, else newest first; and how many there are in all. */
export async function listActivities(
  { db }: ActivityDeps,
  { q = '', status, state, sort }: ActivitySearch,
  { limit, offset }: Paging,
): Promise<{ items: ActivityItem[]; total: number }> {
  const where = and(
    q.trim() === '' ? undefined : ilike(activities.name, containing(q.trim())),
    status && eq(activities.status, status === 'true'),
    state && isNow(state),
  );
  const rows = await db.orm
    .select()
    .from(activities)
    .where(where)
    .orderBy(...orderBy(sort, orderColumns, activities.id))
    .limit(limit)
    .offset(offset);
  const [total] = await db.orm.select({ n: count() }).from(activities).where(where);
  return { items: await withRewarded(db.orm, rows), total: total?.n ?? 0 };
}

async function withRewarded(executor: Executor, rows: readonly Row[]): Promise<ActivityItem[]> {
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => id);
  const counted = await executor
    .select({ id: rewards.cause_id, n: count() })
    .from(rewards)
    .where(and(eq(rewards.kind, REWARD.activity), among(rewards.cause_id, ids)))
    .groupBy(rewards.cause_id);
  const rewarded = new Map(counted.map(({ id, n }) => [id, n]));
  return rows.map((row) => ({ ...viewOf(row), rewarded: rewarded.get(row.id) ?? 0 }));
}

/** Throws NOT_FOUND. */
export async function getActivity({ db }: ActivityDeps, id: number): Promise<ActivityItem> {
  const [item] = await withRewarded(
    db.orm,
    await db.orm.select().from(activities).where(eq(activities.id, id)),
  );
  if (!item) throw fail('NOT_FOUND');
  return item;
}

/** What activities are called, by their ids. */
export const activityNames = (
  { db }: ActivityDeps,
  ids: readonly number[],
): Promise<Pick<Activity, 'id' | 'name'>[]> =>
  db.orm
    .select({ id: activities.id, name: activities.name })
    .from(activities)
    .where(among(activities.id, ids));

/** Whether it is in a state now; the end is the last second of it. */
function isNow(state: ActivityState): SQL | undefined {
  if (state === 'ended') return not(activities.status);
  const now = nowSec();
  const begun = lte(activities.start_date, now);
  const lasting = or(eq(activities.end_date, NO_LIMIT), gte(activities.end_date, now)) ?? sql`true`;
  if (state === 'early') return and(activities.status, not(begun));
  return and(activities.status, begun, state === 'open' ? lasting : not(lasting));
}

export const isOpen = (): SQL | undefined => isNow('open');

/** What a user may take part in now, newest first. */
export async function openActivities({ db }: ActivityDeps, userId: number): Promise<OpenActivity[]> {
  const rows = await db.orm
    .select({
      activity: activities,
      joined: sql<boolean>`exists (select from ${rewards} where ${rewards.kind} = ${REWARD.activity}
        and ${rewards.cause_id} = ${activities.id} and ${rewards.user_id} = ${userId}::bigint)`,
    })
    .from(activities)
    .where(isOpen())
    .orderBy(desc(activities.id))
    .limit(limits.activitiesShown);
  return rows.map(({ activity, joined }) => ({ ...viewOf(activity), joined }));
}

/** Throws what the fields' rules refuse. */
export async function createActivity(
  deps: ActivityDeps,
  actor: Actor,
  body: ActivityBody,
): Promise<ActivityItem> {
  const fields = readFields({
    name: body.name ?? '',
    description: body.desc ?? '',
    quota: body.quota ?? null,
    status: body.status ?? true,
    start_date: body.start_date ?? NO_LIMIT,
    end_date: body.end_date ?? NO_LIMIT,
  });
  const id = await deps.db.orm.transaction(async (tx) => {
    const [row] = await tx.insert(activities).values(fields).returning({ id: activities.id });
    if (!row) throw fail('INTERNAL');
    const changes = changesBetween({}, told(fields));
    await recordAction(tx, { actor, action: 'activity.create', target: `activity:${row.id}`, changes });
    return row.id;
  });
  return getActivity(deps, id);
}

/** Changes what the body names. Throws NOT_FOUND and what the fields' rules refuse. */
export async function updateActivity(
  deps: ActivityDeps,
  actor: Actor,
  id: number,
  body: ActivityBody,
): Promise<ActivityItem> {
  await deps.db.orm.transaction(async (tx) => {
    const row = await lockActivity(tx, id);
    const fields = readFields({
      name: body.name ?? row.name,
      description: body.desc ?? row.description,
      quota: body.quota ?? row.quota,
      status: body.status ?? row.status,
      start_date: body.start_date ?? row.start_date,
      end_date: body.end_date ?? row.end_date,
    });
    const changes = changesBetween(told(row), told(fields));
    if (Object.keys(changes).length === 0) return;
    await tx
      .update(activities)
      .set({ ...fields, updated_at: nowSec() })
      .where(eq(activities.id, id));
    await recordAction(tx, { actor, action: 'activity.update', target: `activity:${id}`, changes });
  });
  return getActivity(deps, id);
}

/** Does the same to several; answers to how many. Throws BATCH_STOPPED. */
export const changeActivities = (
  deps: ActivityDeps,
  actor: LastingActor,
  action: ActivityAction,
  ids: readonly number[],
): Promise<number> =>
  eachRow(actor, ids, (id) => updateActivity(deps, actor, id, { status: action === 'resume' }));

async function lockActivity(tx: Tx, id: number): Promise<Row> {
  const [row] = await tx.select().from(activities).where(eq(activities.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

type Fields = Pick<Row, 'name' | 'description' | 'quota' | 'status' | 'start_date' | 'end_date'>;

/** As the record of actions tells an activity. */
const told = ({ name, description, quota, status, start_date, end_date }: Fields): JsonObject => ({
  name,
  desc: description,
  quota,
  status,
  start_date,
  end_date,
});

function readFields(given: Omit<Fields, 'quota'> & { quota: number | null }): Fields {
  const name = readText(given.name, ACTIVITY_NAME_MAX);
  if (name === null) throw fail('ACTIVITY_NAME');
  const description = readText(given.description, ACTIVITY_DESC_MAX);
  if (description === null) throw fail('ACTIVITY_DESC');
  const { quota, status, start_date, end_date } = given;
  if (quota === null || !Number.isSafeInteger(quota) || quota < 0 || quota > QUOTA_MAX)
    throw fail('ACTIVITY_QUOTA');
  if (!isDate(start_date) || !isDate(end_date)) throw fail('ACTIVITY_DATE');
  if (end_date !== NO_LIMIT && end_date < start_date) throw fail('ACTIVITY_DATES');
  return { name, description, quota, status, start_date, end_date };
}

function readText(given: string, max: number): string | null {
  const text = given.trim();
  return text === '' || lengthOf(text) > max ? null : text;
}

const isDate = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 0 && seconds <= SECONDS_MAX;
