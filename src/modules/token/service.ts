/** A user's own relay tokens. Every query is bound to the owner: another's token does not exist. */

import {
  and,
  asc,
  type Column,
  count,
  eq,
  gt,
  ilike,
  isNotNull,
  isNull,
  lte,
  ne,
  not,
  or,
  type SQL,
  sql,
} from 'drizzle-orm';
import { setTokenQuota, tokenHolds } from '../../billing/ledger.ts';
import { fail } from '../../core/errors.ts';
import { relayKey } from '../../core/ids.ts';
import { isRelayKey, maskKey } from '../../core/key-text.ts';
import { limits } from '../../core/limits.ts';
import type { Order } from '../../core/order.ts';
import { shareOfApp, shareOfKeys } from '../../core/share.ts';
import { DAY_SEC, NEVER, nowSec } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { among } from '../../db/among.ts';
import type { Touch } from '../../db/changes.ts';
import type { Database, Executor, Tx } from '../../db/client.ts';
import { countAlone } from '../../db/count-alone.ts';
import { requireWayIn } from '../../db/hold-way-in.ts';
import { containing } from '../../db/like.ts';
import { lastWhere, orderBy } from '../../db/order.ts';
import { tokens } from '../../db/schema/user.ts';
import { ownCredential } from '../../platform/own-proof.ts';
import type { Deps } from '../deps.ts';
import { holdConsent } from '../oauth-app/service.ts';
import type { CreateBody, TokenBounds, TokenItem, UpdateBody } from './contract.ts';
import { DEFAULT_QUOTA, type TOKEN_ORDERS, TOKEN_STATUS } from './facts.ts';
import {
  checkGroup,
  checkLists,
  checkOwnKeys,
  hasLists,
  kibOf,
  type Maker,
  readFields,
  readName,
  readQuota,
  type TokenFields,
} from './fields.ts';
import { keyCondition, mayReveal, openKey, sealKey } from './keys.ts';
import { isExhausted, isExpired, statusNow, type TokenFacts } from './state.ts';

type TokenDeps = Pick<Deps, 'db' | 'changes' | 'secrets' | 'options'>;
type KeyDeps = Pick<Deps, 'secrets' | 'options'>;
type Row = typeof tokens.$inferSelect;

export type { Owner as TokenOwner } from './fields.ts';

/** How keys are shown: masked, or whole where the option allows it. */
export interface Shape {
  masked: boolean;
}

/** For the compiler, which does not know that a condition of several is never none: that would be every token. */
const NONE = sql`false`;

/** Whose tokens somebody has: all of his own, or as an application those that it made in his name. */
export type Keeper = Pick<Maker, 'id' | 'appId'>;

const ofKeeper = ({ id, appId }: Keeper): SQL =>
  and(
    eq(tokens.user_id, id),
    appId === undefined ? undefined : eq(tokens.oauth_app_id, appId),
    isNull(tokens.deleted_at),
  ) ?? NONE;

export interface TokenSearch {
  /** Anywhere in the name. */
  keyword?: string;
  /** A whole key or a piece of one. */
  token?: string;
  /** One of TOKEN_STATUS, as it is now. */
  status?: number;
  group?: string;
  sort?: Order<(typeof TOKEN_ORDERS)[number]>;
}

/** In the order asked for, else newest first. */
export async function listTokens(
  deps: TokenDeps,
  keeper: Keeper,
  search: TokenSearch,
  { limit, offset }: Paging,
  shape: Shape,
): Promise<TokenItem[]> {
  const rows = await deps.db.orm
    .select()
    .from(tokens)
    .where(searched(deps, keeper, search))
    .orderBy(...orderBy(search.sort, orderColumns, tokens.id))
    .limit(limit)
    .offset(offset);
  return items(deps, deps.db.orm, rows, shape);
}

export async function countTokens(deps: TokenDeps, keeper: Keeper, search: TokenSearch): Promise<number> {
  const [row] = await deps.db.orm
    .select({ n: count() })
    .from(tokens)
    .where(searched(deps, keeper, search));
  return row?.n ?? 0;
}

function searched({ secrets }: TokenDeps, keeper: Keeper, search: TokenSearch): SQL | undefined {
  const { keyword, token, status, group } = search;
  return and(
    ofKeeper(keeper),
    keyword?.trim() ? ilike(tokens.name, containing(keyword.trim())) : undefined,
    token?.trim() ? keyCondition(secrets, token) : undefined,
    status === undefined ? undefined : inState(status, nowSec()),
    group ? eq(tokens.group_name, group) : undefined,
  );
}

/** `statusNow` as a condition; what calls under way hold counts as spent. */
function inState(status: number, now: number): SQL | undefined {
  const expired = and(ne(tokens.expired_time, NEVER), lte(tokens.expired_time, now)) ?? sql`false`;
  const exhausted = and(eq(tokens.unlimited_quota, false), lte(tokens.remain_quota, 0)) ?? sql`false`;
  const enabled = eq(tokens.status, TOKEN_STATUS.enabled);
  if (status === TOKEN_STATUS.expired) return and(enabled, expired);
  if (status === TOKEN_STATUS.exhausted) return and(enabled, not(expired), exhausted);
  if (status === TOKEN_STATUS.enabled) return and(enabled, not(expired), not(exhausted));
  return eq(tokens.status, status);
}

const orderColumns = {
  name: tokens.name,
  used: tokens.used_quota,
  left: { groups: tokens.unlimited_quota, column: tokens.remain_quota },
  group: tokens.group_name,
  expires: lastWhere(tokens.expired_time, NEVER),
  created: tokens.created_time,
};

/** Throws NOT_FOUND. */
export async function getToken(
  deps: TokenDeps,
  keeper: Keeper,
  id: number,
  shape: Shape,
): Promise<TokenItem> {
  return item(deps, deps.db.orm, await readRow(deps.db.orm, keeper, id), shape);
}

/** The whole key. Throws NOT_FOUND, TOKEN_KEY_HIDDEN. */
export async function revealKey(deps: TokenDeps, keeper: Keeper, id: number): Promise<string> {
  const row = await readRow(deps.db.orm, keeper, id);
  const key = mayReveal(deps.options) ? openKey(deps.secrets, row) : null;
  if (key === null) throw fail('TOKEN_KEY_HIDDEN');
  return key;
}

/**
 * Makes a token; the answer carries its key in every case. Throws TOKEN_TOO_MANY, TOKEN_TOO_MANY_DELETED,
 * TOKEN_LISTS_OF_ALL, SCOPE_MISSING, SESSION_EXPIRED and what the fields' rules refuse.
 */
export async function createToken(deps: TokenDeps, maker: Maker, body: CreateBody): Promise<TokenItem> {
  const { row, key } = await deps.db.orm.transaction((tx) => insertToken(deps, tx, maker, body));
  return { ...(await item(deps, deps.db.orm, row, { masked: true })), key };
}

/**
 * It goes with what the application is allowed, or begins in what lets its owner in, also where either is just being
 * ended. Throws SCOPE_MISSING, SESSION_EXPIRED.
 */
async function holdRight(tx: Tx, maker: Maker): Promise<void> {
  if (maker.appId === undefined) {
    await requireWayIn(tx, maker);
  } else if (!(await holdConsent(tx, maker.id, maker.appId))) throw fail('SCOPE_MISSING');
}

/** The same within a transaction of the caller's: the row, and the key that is told this once. */
export async function insertToken(
  deps: KeyDeps,
  tx: Tx,
  owner: Maker,
  body: CreateBody,
): Promise<{ row: Row; key: string }> {
  const name = readName(body.name ?? '');
  const fields = readFields(body);
  checkLists(fields);
  checkOwnKeys(owner, fields);
  if (isExpired({ expired_time: fields.expired_time ?? NEVER })) throw fail('TOKEN_EXPIRY');
  checkGroup(deps.options, owner, fields.group_name ?? '');
  const remainQuota = readQuota(body.remain_quota ?? DEFAULT_QUOTA);
  const appId = owner.appId ?? null;
  const holder = appId === null ? shareOfKeys(owner.id) : shareOfApp(appId, owner.id);
  const key = ownCredential(deps.secrets, 'relay-key', holder, relayKey());
  await holdRight(tx, owner);
  await countAlone(tx, 'tokens', owner.id);
  await requireRoom(tx, owner.id, appId);
  const [made] = await tx
    .insert(tokens)
    .values({
      own_keys: owner.isHimself,
      oauth_app_id: appId,
      ...fields,
      name,
      user_id: owner.id,
      key_lookup: deps.secrets.lookup(key),
      key_hint: maskKey(key),
      remain_quota: remainQuota,
      unlimited_quota: body.unlimited_quota ?? false,
      accessed_time: nowSec(),
    })
    .returning();
  if (!made) throw new Error('the token was not inserted');
  if (hasLists(fields)) await requireListsFit(tx, owner.id, appId);
  // Where keys are shown once, nothing is kept that could show them again.
  if (!mayReveal(deps.options)) return { row: made, key };
  const key_sealed = sealKey(deps.secrets, made.id, key);
  await tx.update(tokens).set({ key_sealed }).where(eq(tokens.id, made.id));
  return { row: { ...made, key_sealed }, key };
}

/**
 * A token of the owner's that works now, by its id or its whole key, for somebody whom he gives it to. Throws
 * TOKEN_REQUEST_TOKEN for every other, TOKEN_KEY_HIDDEN where it is named by its id and its key is not kept.
 */
export async function usableKey(
  { secrets, options }: KeyDeps,
  tx: Tx,
  ownerId: number,
  given: number | string,
): Promise<{ id: number; key: string }> {
  const key = String(given).trim().replace(/^sk-/, '');
  const isKey = isRelayKey(key);
  if (!isKey && !/^[1-9]\d{0,14}$/.test(key)) throw fail('TOKEN_REQUEST_TOKEN');
  const named = isKey ? eq(tokens.key_lookup, secrets.lookup(key)) : eq(tokens.id, Number(key));
  const [row] = await tx
    .select()
    .from(tokens)
    .where(and(ofKeeper({ id: ownerId }), named));
  const isUsable =
    row && statusNow({ ...row, remain_quota: await shownQuota(tx, row) }) === TOKEN_STATUS.enabled;
  if (!row || !isUsable) throw fail('TOKEN_REQUEST_TOKEN');
  if (isKey) return { id: row.id, key };
  const kept = mayReveal(options) ? openKey(secrets, row) : null;
  if (kept === null) throw fail('TOKEN_KEY_HIDDEN');
  return { id: row.id, key: kept };
}

/** Whether somebody has one; without a name whether anybody has. */
export async function hasToken({ orm }: Pick<Database, 'orm'>, ownerId?: number): Promise<boolean> {
  const found = await orm
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(ownerId === undefined ? undefined : eq(tokens.user_id, ownerId), isNull(tokens.deleted_at)))
    .limit(1);
  return found.length > 0;
}

/** Tokens of a user that are counted together, and how many of them there may be. */
interface Room {
  which: SQL;
  live: number;
  ofADay: number;
  listsBytes: number;
}

/**
 * Where a token is counted, by the application that made it. What somebody let in keeps nothing from himself: his own are
 * counted without what applications made, which have as much together, and each of them a part of that.
 */
function roomsOf(appId: number | null): Room[] {
  const { tokensPerUser: live, tokensOfADay: ofADay, userListsBytes: listsBytes } = limits;
  if (appId === null) return [{ which: isNull(tokens.oauth_app_id), live, ofADay, listsBytes }];
  const own = { live: limits.tokensOfApp, ofADay: limits.tokensOfAppADay, listsBytes: limits.appListsBytes };
  return [
    { which: eq(tokens.oauth_app_id, appId), ...own },
    { which: isNotNull(tokens.oauth_app_id), live, ofADay, listsBytes },
  ];
}

/** Deleted ones count for a day. Must have its turn. */
async function requireRoom(tx: Tx, ownerId: number, appId: number | null): Promise<void> {
  const lately = or(isNull(tokens.deleted_at), gt(tokens.deleted_at, nowSec() - DAY_SEC));
  for (const room of roomsOf(appId)) {
    const [row] = await tx
      .select({
        n: count(),
        live: sql<number>`count(*) filter (where ${isNull(tokens.deleted_at)})`.mapWith(Number),
      })
      .from(tokens)
      .where(and(eq(tokens.user_id, ownerId), room.which, lately));
    if ((row?.live ?? 0) >= room.live) throw fail('TOKEN_TOO_MANY');
    if ((row?.n ?? 0) >= room.ofADay) throw fail('TOKEN_TOO_MANY_DELETED');
  }
}

const bytesOf = (list: Column): SQL => sql`octet_length(array_to_string(${list}, ','))`;
const LISTS_BYTES = sql<number>`coalesce(sum(${bytesOf(tokens.model_limits)} + ${bytesOf(tokens.allow_ips)}), 0)`;

/** Judges what has just been written in this transaction, which must have its turn. */
async function requireListsFit(tx: Tx, ownerId: number, appId: number | null): Promise<void> {
  for (const { which, listsBytes } of roomsOf(appId)) {
    const [row] = await tx
      .select({ bytes: LISTS_BYTES.mapWith(Number) })
      .from(tokens)
      .where(and(eq(tokens.user_id, ownerId), which, isNull(tokens.deleted_at)));
    if ((row?.bytes ?? 0) > listsBytes) {
      throw fail('TOKEN_LISTS_OF_ALL', { params: { kib: kibOf(listsBytes) } });
    }
  }
}

/**
 * Changes what the body names and nothing else; answers with what bounded it before. Throws NOT_FOUND,
 * TOKEN_ENABLE_EXPIRED, TOKEN_ENABLE_EXHAUSTED, QUOTA_HELD, QUOTA_CHANGED, TOKEN_LISTS_OF_ALL, SCOPE_MISSING and what the
 * fields' rules refuse.
 */
export async function updateToken(
  deps: TokenDeps,
  owner: Maker,
  body: UpdateBody,
  shape: Shape,
): Promise<{ token: TokenItem; before: TokenBounds }> {
  const { id } = body;
  const given = readFields(body);
  if (body.remain_quota !== null && body.remain_quota !== undefined) readQuota(body.remain_quota);
  return deps.changes.commit(async (tx, touch) => {
    const row = await readRow(tx, owner, id, 'locked');
    const before = { ...row, remain_quota: await shownQuota(tx, row) };
    const changed = changedFields(row, given);
    checkOwnKeys(owner, changed);
    if (changed.group_name !== undefined) checkGroup(deps.options, owner, changed.group_name);
    const quota = {
      unlimited_quota: body.unlimited_quota ?? before.unlimited_quota,
      remain_quota: body.remain_quota ?? before.remain_quota,
    };
    const status = statusAfter(before, { ...before, ...changed, ...quota }, body.status);
    const columns = { ...changed, ...(status !== row.status && { status }) };
    const quotaChanges =
      quota.unlimited_quota !== before.unlimited_quota || quota.remain_quota !== before.remain_quota;
    if (quotaChanges) {
      await setTokenQuota(tx, {
        tokenId: id,
        unlimited: quota.unlimited_quota,
        remainQuota: quota.remain_quota,
        quotaBefore: body.quota_before,
      });
    }
    if (Object.keys(columns).length > 0) await tx.update(tokens).set(columns).where(eq(tokens.id, id));
    if (hasLists(changed)) {
      checkLists({ ...row, ...changed });
      await countAlone(tx, 'tokens', owner.id);
      await requireListsFit(tx, owner.id, row.oauth_app_id);
    }
    if (Object.keys(columns).length > 0 || quotaChanges) touch('tokens', id);
    return { token: await item(deps, tx, await readRow(tx, owner, id), shape), before: boundsOf(before) };
  });
}

function changedFields(row: Row, given: TokenFields): TokenFields {
  const held: Record<string, unknown> = { ...row };
  return Object.fromEntries(
    Object.entries(given).filter(([name, value]) => !Bun.deepEquals(value, held[name])),
  );
}

/** The status to store. A token that is expired or exhausted is not enabled by saying so: what made it so must change. */
function statusAfter(before: TokenFacts, after: TokenFacts, asked: number | null | undefined): number {
  if (asked === TOKEN_STATUS.disabled) return TOKEN_STATUS.disabled;
  if (asked !== TOKEN_STATUS.enabled) return before.status;
  if (statusNow(before) !== TOKEN_STATUS.enabled) {
    if (isExpired(after)) throw fail('TOKEN_ENABLE_EXPIRED');
    if (isExhausted(after)) throw fail('TOKEN_ENABLE_EXHAUSTED');
  }
  return TOKEN_STATUS.enabled;
}

/** Removes one token. Throws NOT_FOUND. */
export async function removeToken(deps: TokenDeps, keeper: Keeper, id: number): Promise<void> {
  if ((await removeTokens(deps, keeper, [id])) === 0) throw fail('NOT_FOUND');
}

/** More ids than this are told to the other processes as one change of each owner. */
const TOUCHES_MAX = 20;

/** Removes those of the tokens that are the keeper's and still there; answers how many. Calls under way still settle. */
export async function removeTokens(deps: TokenDeps, keeper: Keeper, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  return deps.changes.commit((tx, touch) =>
    remove(tx, touch, and(ofKeeper(keeper), among(tokens.id, ids)) ?? NONE),
  );
}

/** Those that an application made, or with null any of them: in one user's name, or in everybody's. */
const ofApp = (appId: number | null, ownerId?: number): SQL =>
  and(
    appId === null ? isNotNull(tokens.oauth_app_id) : eq(tokens.oauth_app_id, appId),
    ownerId === undefined ? undefined : eq(tokens.user_id, ownerId),
    isNull(tokens.deleted_at),
  ) ?? NONE;

/** For who removes them in a moment, and has other rows to lock before that. */
export const lockTokensOfApp = (tx: Tx, appId: number | null, ownerId?: number): Promise<unknown> =>
  tx
    .select({ id: tokens.id })
    .from(tokens)
    .where(ofApp(appId, ownerId))
    .orderBy(asc(tokens.id))
    .for('update');

/** Removes those that an application made, within the caller's transaction; answers how many. */
export const removeTokensOfApp = (
  tx: Tx,
  touch: Touch,
  appId: number | null,
  ownerId?: number,
): Promise<number> => remove(tx, touch, ofApp(appId, ownerId));

async function remove(tx: Tx, touch: Touch, which: SQL): Promise<number> {
  const rows = await tx
    .update(tokens)
    // Reservations ask for the status alone, and nobody reads the lists any more.
    .set({ deleted_at: nowSec(), status: TOKEN_STATUS.disabled, model_limits: [], allow_ips: [] })
    .where(which)
    .returning({ id: tokens.id, of: tokens.user_id });
  if (rows.length > TOUCHES_MAX)
    for (const userId of new Set(rows.map(({ of }) => of))) touch('users', userId);
  else for (const { id } of rows) touch('tokens', id);
  return rows.length;
}

/**
 * Forgets tokens that were deleted long ago without a call ever charged to them, so that who makes and deletes them day by
 * day leaves nothing. Of the others the name is kept, for the figures of what they used.
 */
export async function deleteForgotten(db: Pick<Database, 'query'>, signal: AbortSignal): Promise<void> {
  const bounds = [nowSec() - limits.deletedTokenSec, limits.deletedTokens];
  let deleted: number;
  do {
    const rows = await db.query(
      `delete from tokens where id in (
         select id from tokens where deleted_at <= $1::bigint and used_quota = 0 limit $2::int for update skip locked)
       returning 1`,
      bounds,
    );
    deleted = rows.length;
  } while (deleted === limits.deletedTokens && !signal.aborted);
}

async function readRow(executor: Executor, keeper: Keeper, id: number, lock?: 'locked'): Promise<Row> {
  const query = executor
    .select()
    .from(tokens)
    .where(and(ofKeeper(keeper), eq(tokens.id, id)));
  const [row] = await (lock ? query.for('update') : query);
  if (!row) throw fail('NOT_FOUND');
  return row;
}

async function shownQuota(executor: Executor, row: Row): Promise<number> {
  if (row.unlimited_quota) return row.remain_quota;
  return row.remain_quota + ((await tokenHolds(executor, [row.id])).get(row.id) ?? 0);
}

const item = async (deps: TokenDeps, executor: Executor, row: Row, shape: Shape): Promise<TokenItem> => {
  const [only] = await items(deps, executor, [row], shape);
  if (!only) throw fail('NOT_FOUND');
  return only;
};

/** Of a row whose quota is what is shown of it. */
const boundsOf = (row: Row): TokenBounds => ({
  status: statusNow(row),
  remain_quota: row.remain_quota,
  unlimited_quota: row.unlimited_quota,
  expired_time: row.expired_time,
  model_limits_enabled: row.model_limits_enabled,
  model_limits: row.model_limits.join(','),
  allow_ips: row.allow_ips.join('\n'),
  own_keys: row.own_keys,
});

async function items(
  { secrets, options }: TokenDeps,
  executor: Executor,
  rows: readonly Row[],
  { masked }: Shape,
): Promise<TokenItem[]> {
  const limited = rows.filter((row) => !row.unlimited_quota).map((row) => row.id);
  const holds = limited.length > 0 ? await tokenHolds(executor, limited) : new Map<number, number>();
  const whole = !masked && mayReveal(options);
  return rows.map((row) => {
    const remain_quota = row.remain_quota + (holds.get(row.id) ?? 0);
    return {
      id: row.id,
      user_id: row.user_id,
      key: (whole ? openKey(secrets, row) : null) ?? row.key_hint,
      name: row.name,
      ...boundsOf({ ...row, remain_quota }),
      used_quota: row.used_quota,
      group: row.group_name,
      created_time: row.created_time,
      accessed_time: row.accessed_time,
    };
  });
}
