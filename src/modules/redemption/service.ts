/** Redemption codes as administrators keep them. Every change is recorded, and so is every look at a whole code. */
import { and, asc, count, eq, gt, ilike, isNull, lte, ne, or, type SQL, sql } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor } from '../../core/actor.ts';
import { type AdminActionName, changesBetween } from '../../core/admin-actions.ts';
import { SECONDS_MAX } from '../../core/bounds.ts';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Order } from '../../core/order.ts';
import { QUOTA_MAX } from '../../core/price-formula.ts';
import { NEVER, nowSec } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { among } from '../../db/among.ts';
import type { Executor, Tx } from '../../db/client.ts';
import { containing } from '../../db/like.ts';
import { lastWhere, orderBy } from '../../db/order.ts';
import { redemptions, users } from '../../db/schema/index.ts';
import { numberList } from '../../db/statement.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { hintOf, lookupOf, newCode, openCode, sealCode } from './codes.ts';
import type { CreateBody, RedemptionItem, UpdateBody } from './contract.ts';
import {
  REDEMPTION_COUNT_MAX,
  REDEMPTION_NAME_MAX,
  type REDEMPTION_ORDERS,
  REDEMPTION_QUOTA,
  REDEMPTION_STATUS,
  type RedemptionAction,
  type RedemptionState,
} from './facts.ts';

type CodeDeps = Pick<Deps, 'db' | 'secrets'>;
type Row = typeof redemptions.$inferSelect;

export interface RedemptionSearch {
  /** Part of the name, or an id. */
  keyword?: string | undefined;
  status?: RedemptionState | undefined;
  sort?: Order<(typeof REDEMPTION_ORDERS)[number]> | undefined;
}

/** In the order asked for, else newest first; and how many there are in all. */
export async function listCodes(
  deps: CodeDeps,
  search: RedemptionSearch,
  { limit, offset }: Paging,
): Promise<{ items: RedemptionItem[]; total: number }> {
  const where = searched(search);
  const rows = await selectCodes(deps.db.orm)
    .where(where)
    .orderBy(...orderBy(search.sort, orderColumns, redemptions.id))
    .limit(limit)
    .offset(offset);
  const [total] = await deps.db.orm.select({ n: count() }).from(redemptions).where(where);
  return { items: rows.map(itemOf), total: total?.n ?? 0 };
}

const selectCodes = (executor: Executor) =>
  executor
    .select({ code: redemptions, username: users.username })
    .from(redemptions)
    .leftJoin(users, eq(users.id, redemptions.used_user_id));

const isThere = isNull(redemptions.deleted_at);
const ID_DIGITS = 15;

function searched({ keyword, status }: RedemptionSearch): SQL | undefined {
  const text = keyword?.trim() ?? '';
  const isId = /^\d+$/.test(text) && text.length <= ID_DIGITS;
  return and(
    isThere,
    status && inState(status),
    text === ''
      ? undefined
      : or(ilike(redemptions.name, containing(text)), isId ? eq(redemptions.id, Number(text)) : undefined),
  );
}

const isExpired = () => and(ne(redemptions.expired_time, NEVER), lte(redemptions.expired_time, nowSec()));
const isInTime = () => or(eq(redemptions.expired_time, NEVER), gt(redemptions.expired_time, nowSec()));
const isUnused = eq(redemptions.status, REDEMPTION_STATUS.unused);

/** May be redeemed now. */
export const isRedeemable = () => and(isThere, isUnused, isInTime());

function inState(state: RedemptionState): SQL | undefined {
  if (state === 'unused') return isRedeemable();
  if (state === 'expired') return and(isUnused, isExpired());
  return eq(redemptions.status, REDEMPTION_STATUS[state]);
}

const orderColumns = {
  id: redemptions.id,
  name: redemptions.name,
  quota: redemptions.quota,
  created: redemptions.created_time,
  expires: lastWhere(redemptions.expired_time, NEVER),
  used: lastWhere(redemptions.used_time, 0),
};

const itemOf = ({ code, username }: { code: Row; username: string | null }): RedemptionItem => ({
  id: code.id,
  user_id: code.created_by,
  key: code.code_hint,
  name: code.name,
  status: code.status,
  quota: code.quota,
  created_time: code.created_time,
  expired_time: code.expired_time,
  redeemed_time: code.used_time,
  used_user_id: code.used_user_id,
  used_username: username ?? '',
});

/** Throws NOT_FOUND. */
export async function getCode({ db }: Pick<Deps, 'db'>, id: number): Promise<RedemptionItem> {
  const [row] = await selectCodes(db.orm).where(and(isThere, eq(redemptions.id, id)));
  if (!row) throw fail('NOT_FOUND');
  return itemOf(row);
}

/** The row of a whole code; null when there is none. */
export async function findCode(deps: CodeDeps, code: string): Promise<RedemptionItem | null> {
  const [row] = await selectCodes(deps.db.orm).where(
    and(isThere, eq(redemptions.code_lookup, lookupOf(deps.secrets, code))),
  );
  return row ? itemOf(row) : null;
}

/** Whole codes, in the order of their ids, for those of the ids that are there. Recorded. */
export async function revealCodes(
  deps: CodeDeps,
  actor: Actor,
  ids: readonly number[],
): Promise<{ id: number; key: string }[]> {
  return deps.db.orm.transaction(async (tx) => {
    const rows = await tx
      .select()
      .from(redemptions)
      .where(and(isThere, among(redemptions.id, ids)))
      .orderBy(asc(redemptions.id));
    const shown = rows.map((row) => row.id);
    if (shown.length > 0) {
      const target = targetOf(shown);
      await recordAction(tx, { actor, action: 'redemption.reveal', target, facts: { ids: shown } });
    }
    return rows.map((row) => ({ id: row.id, key: openCode(deps.secrets, row) }));
  });
}

/** Makes codes of one name and worth; answers them. Throws what the fields' rules refuse. */
export async function createCodes(deps: CodeDeps, actor: Actor, body: CreateBody): Promise<string[]> {
  const name = readName(body.name ?? '');
  const quota = readQuota(body.quota ?? REDEMPTION_QUOTA);
  const expired_time = readExpiry(body.expired_time ?? NEVER);
  const codes = Array.from({ length: readCount(body.count ?? 1) }, newCode);
  await deps.db.orm.transaction(async (tx) => {
    const rows = await tx
      .insert(redemptions)
      .values(
        codes.map((code) => {
          const ref = crypto.randomUUID();
          return {
            ref,
            name,
            quota,
            expired_time,
            created_by: actor.id,
            code_lookup: lookupOf(deps.secrets, code),
            code_sealed: sealCode(deps.secrets, ref, code),
            code_hint: hintOf(code),
          };
        }),
      )
      .returning();
    await record(
      tx,
      actor,
      'redemption.create',
      rows.map((row) => ({ id: row.id, before: null, after: told(row) })),
    );
  });
  return codes;
}

/**
 * Changes what the body names of a code that is unused; a used or disabled one stays as it is. Throws NOT_FOUND,
 * REDEMPTION_USED, REDEMPTION_DISABLED and what the fields' rules refuse.
 */
export async function updateCode(deps: CodeDeps, actor: Actor, body: UpdateBody): Promise<RedemptionItem> {
  const given = {
    ...(body.name != null && { name: readName(body.name) }),
    ...(body.quota != null && { quota: readQuota(body.quota) }),
    ...(body.expired_time != null && { expired_time: body.expired_time }),
  };
  await deps.db.orm.transaction(async (tx) => {
    const row = await lockCode(tx, body.id);
    if (row.status === REDEMPTION_STATUS.used) throw fail('REDEMPTION_USED');
    if (row.status === REDEMPTION_STATUS.disabled) throw fail('REDEMPTION_DISABLED');
    const { name, quota, expired_time } = { ...row, ...given };
    // A row that comes back with an expiry that has passed says nothing new.
    if (expired_time !== row.expired_time) readExpiry(expired_time);
    const before = { name: row.name, quota: row.quota, expired_time: row.expired_time };
    const changes = changesBetween(before, { name, quota, expired_time });
    if (Object.keys(changes).length === 0) return;
    await tx.update(redemptions).set({ name, quota, expired_time }).where(eq(redemptions.id, row.id));
    await recordAction(tx, { actor, action: 'redemption.update', target: `redemption:${row.id}`, changes });
  });
  return getCode(deps, body.id);
}

async function lockCode(tx: Tx, id: number): Promise<Row> {
  const [row] = await tx
    .select()
    .from(redemptions)
    .where(and(isThere, eq(redemptions.id, id)))
    .for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

/** Enables or disables one code. Throws NOT_FOUND, REDEMPTION_USED. */
export async function setStatus(
  deps: CodeDeps,
  actor: Actor,
  id: number,
  status: number,
): Promise<RedemptionItem> {
  const action = status === REDEMPTION_STATUS.unused ? 'enable' : 'disable';
  if (status !== REDEMPTION_STATUS.unused && status !== REDEMPTION_STATUS.disabled)
    throw fail('REDEMPTION_STATUS');
  await deps.db.orm.transaction(async (tx) => {
    const row = await lockCode(tx, id);
    if (row.status === REDEMPTION_STATUS.used) throw fail('REDEMPTION_USED');
    await change(tx, actor, action, [id]);
  });
  return getCode(deps, id);
}

/** Does the same to many; those to which it cannot be done stay as they are. Answers how many were changed. */
export const changeCodes = (
  deps: CodeDeps,
  actor: Actor,
  action: RedemptionAction,
  ids: readonly number[],
): Promise<number> => deps.db.orm.transaction((tx) => change(tx, actor, action, ids));

/** Removes one code. What it added stays. Throws NOT_FOUND. */
export async function removeCode(deps: CodeDeps, actor: Actor, id: number): Promise<void> {
  if ((await changeCodes(deps, actor, 'delete', [id])) === 0) throw fail('NOT_FOUND');
}

const { unused, disabled } = REDEMPTION_STATUS;

/** Which codes an action changes, and to what. */
const EFFECTS = {
  enable: { on: (row: Row) => row.status === disabled, set: () => ({ status: unused }) },
  disable: { on: (row: Row) => row.status === unused, set: () => ({ status: disabled }) },
  delete: { on: () => true, set: () => ({ deleted_at: nowSec() }) },
} satisfies Record<RedemptionAction, { on: (row: Row) => boolean; set: () => Partial<Row> }>;

async function change(
  tx: Tx,
  actor: Actor,
  action: RedemptionAction,
  ids: readonly number[],
): Promise<number> {
  const rows = await lockCodes(tx, among(redemptions.id, ids));
  const { on, set } = EFFECTS[action];
  const changed = rows.filter(on);
  if (changed.length === 0) return 0;
  const changedIds = changed.map((row) => row.id);
  const after = set();
  await tx.update(redemptions).set(after).where(among(redemptions.id, changedIds));
  await record(
    tx,
    actor,
    `redemption.${action}`,
    changed.map((row) => ({
      id: row.id,
      before: told(row),
      after: action === 'delete' ? null : told({ ...row, ...after }),
    })),
  );
  return changed.length;
}

/** Locked in one order, so that two who change the same codes wait for one another and never both forever. */
const lockCodes = (tx: Tx, which: SQL | undefined): Promise<Row[]> =>
  tx.select().from(redemptions).where(and(isThere, which)).orderBy(asc(redemptions.id)).for('update');

/** Removes all that can be redeemed no more: used, disabled and expired ones. Answers how many. */
export async function removeInvalid(deps: CodeDeps, actor: Actor): Promise<number> {
  return deps.db.orm.transaction(async (tx) => {
    const rows = await lockCodes(tx, or(ne(redemptions.status, unused), isExpired()));
    if (rows.length === 0) return 0;
    // In one parameter, however many there are.
    const ids = numberList(rows.map(({ id }) => id));
    await tx
      .update(redemptions)
      .set({ deleted_at: nowSec() })
      .where(sql`${redemptions.id} = any(${ids}::bigint[])`);
    const removed = rows.map((row) => ({ id: row.id, before: told(row), after: null }));
    await record(tx, actor, 'redemption.delete_invalid', removed, { removed: rows.length });
    return rows.length;
  });
}

/** A code as the record of actions tells it: never the code itself. */
const told = ({ name, quota, expired_time, status }: Row): JsonObject => ({
  name,
  quota,
  expired_time,
  status,
});

interface Change {
  id: number;
  /** Null where there was, or is, none. */
  before: JsonObject | null;
  after: JsonObject | null;
}

/** One code is named as the target; of several each is named in the changes. */
function record(
  tx: Tx,
  actor: Actor,
  action: AdminActionName,
  changes: readonly Change[],
  facts: JsonObject = {},
): Promise<void> {
  const target = targetOf(changes.map(({ id }) => id));
  const all = (side: 'before' | 'after'): JsonObject =>
    Object.fromEntries(changes.flatMap((one) => (one[side] ? [[`#${one.id}`, one[side]]] : [])));
  const [only] = changes.length === 1 ? changes : [];
  const differing = only
    ? changesBetween(only.before ?? {}, only.after ?? {})
    : changesBetween(all('before'), all('after'));
  return recordAction(tx, { actor, action, target, changes: differing, facts });
}

const targetOf = (ids: readonly number[]): string =>
  ids.length === 1 ? `redemption:${ids[0]}` : 'redemptions';

function readName(text: string): string {
  const name = text.trim();
  if (name === '' || lengthOf(name) > REDEMPTION_NAME_MAX) throw fail('REDEMPTION_NAME');
  return name;
}

function readQuota(quota: number): number {
  if (!Number.isSafeInteger(quota) || quota < 1 || quota > QUOTA_MAX) throw fail('REDEMPTION_QUOTA');
  return quota;
}

function readCount(made: number): number {
  if (!Number.isInteger(made) || made < 1 || made > REDEMPTION_COUNT_MAX) throw fail('REDEMPTION_COUNT');
  return made;
}

/** A time that is yet to come, or never. */
function readExpiry(seconds: number): number {
  const isTime = Number.isInteger(seconds) && seconds > nowSec() && seconds <= SECONDS_MAX;
  if (seconds !== NEVER && !isTime) throw fail('REDEMPTION_EXPIRY');
  return seconds;
}
