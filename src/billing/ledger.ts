/**
 * Movements of an account other than calls: gifts, top-ups, edits. Each is one conditional statement that moves the
 * balance and writes its ledger row, inside the caller's transaction, so that the cause and the movement stand or fall
 * together. Call these before anything else that locks the user's row after a token's: the lock order is token, user.
 */
import { type SQL, sql } from 'drizzle-orm';
import { fail } from '../core/errors.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { nowSec } from '../core/time.ts';
import type { Tx } from '../db/client.ts';
import { movementBegins } from '../db/moving.ts';
import { numberList, rowsOf, textList } from '../db/statement.ts';

/**
 * Kinds of ledger rows, as they stand in the database; each is written by something. 6 is kept free: activities reward
 * beside the balance and come to it as transfers.
 */
export const MOVEMENT = {
  charge: 1,
  topUp: 2,
  redemption: 3,
  gift: 4,
  invitation: 5,
  fuelPack: 7,
  transfer: 8,
  adminEdit: 9,
  /**
   * What a call cost, or was taken back, beyond all that the account had; delta 0, the amount in `note`. Below 0 it is
   * one that is undone.
   */
  writeOff: 10,
  /**
   * A charge given back, or a part of it, whose task failed after its call had ended or made less than was paid; what a call
   * itself does not use was never charged.
   */
  refund: 11,
  /** What a payment had added that was taken back; at most what was there. */
  takenBack: 12,
  /** What had been taken back and was given back, because the payment stood after all. */
  reinstated: 13,
} as const;

/** Kinds that do not come from the settlement of a call, and are moved whole or not at all. */
export type MovementKind = Exclude<
  (typeof MOVEMENT)[keyof typeof MOVEMENT],
  typeof MOVEMENT.charge | typeof MOVEMENT.writeOff | typeof MOVEMENT.refund | typeof MOVEMENT.takenBack
>;

interface Movement {
  userId: number;
  /** UUID kept in the row that causes the movement; with the kind it is unique, so that a cause moves quota once. */
  ref: string;
  /** What caused it, as a name and what tells one of it from others, like `redemption:7`; of an edit its reason. */
  note?: string;
}

export interface Moved {
  /** Quota units, with what open reservations hold: what the API calls `quota`. */
  quota: number;
  delta: number;
}

/** The first balance of a new user, whose row was inserted with quota 0. An amount of 0 writes no row. */
export const openAccount = (tx: Tx, movement: Movement & { amount: number }): Promise<Moved> =>
  adjustQuota(tx, { ...movement, kind: MOVEMENT.gift, delta: movement.amount });

/**
 * Adds `delta` quota units. Throws NOT_FOUND, QUOTA_HELD (below what open reservations hold), QUOTA_RANGE, and the
 * database's unique violation when this ref was moved before.
 */
export function adjustQuota(
  tx: Tx,
  movement: Movement & { kind: MovementKind; delta: number },
): Promise<Moved> {
  requireQuota(Math.abs(movement.delta));
  return move(tx, movement, sql`${movement.delta}::bigint`, null);
}

/**
 * Sets the balance, as forms do: the difference under the row's lock becomes the movement, so that calls that are
 * charged meanwhile keep their effect only if they come after. With `quotaBefore` it is set only if it still is that.
 * Throws as `adjustQuota` does, and QUOTA_CHANGED.
 */
export function setQuota(
  tx: Tx,
  movement: Movement & { quota: number; quotaBefore?: number | null },
): Promise<Moved> {
  requireQuota(movement.quota);
  const delta = sql`${movement.quota}::bigint - quota - reserved`;
  return move(tx, { ...movement, kind: MOVEMENT.adminEdit }, delta, movement.quotaBefore ?? null);
}

async function move(
  tx: Tx,
  { userId, kind, ref, note }: Movement & { kind: MovementKind },
  delta: SQL,
  quotaBefore: number | null,
): Promise<Moved> {
  movementBegins(tx);
  const [row] = rowsOf<{ quota: number; reserved: number; wanted: number; delta: number | null }>(
    await tx.execute(sql`
      with held as materialized (
        select id, quota, reserved, ${delta} as delta from users where id = ${userId} for update
      ), fits as (
        select id, quota, delta from held
        where quota + delta >= 0 and quota + reserved + delta <= ${QUOTA_MAX}::bigint
          and (${quotaBefore}::bigint is null or quota + reserved = ${quotaBefore}::bigint)
      ), moved as (
        update users set quota = fits.quota + fits.delta from fits where users.id = fits.id
      ), noted as (
        insert into ledger (ref, kind, user_id, delta, created_at, note)
        select ${ref}::uuid, ${kind}::smallint, id, delta, ${nowSec()}::bigint, ${note ?? null}::text
        from fits where delta <> 0
      )
      select held.quota, held.reserved, held.delta as wanted, fits.delta
      from held left join fits on fits.id = held.id`),
  );
  if (!row) throw fail('NOT_FOUND');
  const total = row.quota + row.reserved;
  if (row.delta !== null) return { quota: total + row.delta, delta: row.delta };
  if (quotaBefore !== null && quotaBefore !== total) throw fail('QUOTA_CHANGED');
  const after = total + row.wanted;
  throw fail(after >= 0 && after < row.reserved ? 'QUOTA_HELD' : 'QUOTA_RANGE');
}

/**
 * CTEs that take an amount of what an account can spend of a balance, or all of that where it is less: `held` tells of the
 * account as it was locked how much was `taken`.
 */
export function takesAtMost(balance: 'quota' | 'aff_quota', userId: number, amount: number): SQL {
  const column = sql.raw(balance);
  return sql`
    held as materialized (
      select id, least(${column}, ${amount}::bigint) as taken from users where id = ${userId} for update
    ), moved as (
      update users set ${column} = ${column} - held.taken from held where users.id = held.id and held.taken > 0
    )`;
}

export interface TakenBack {
  /** Quota units that the account lost. */
  taken: number;
  /** What was not there any more, or is held by calls under way; written off. */
  writtenOff: number;
}

/**
 * Takes back what a payment had added when the payment itself was taken back: as much of it as can be spent, and the
 * rest becomes a write-off of the same ref. Throws NOT_FOUND, QUOTA_RANGE, and the database's unique violation when
 * this ref was moved before.
 */
export async function takeBack(
  tx: Tx,
  { userId, ref, note, amount }: Movement & { amount: number },
): Promise<TakenBack> {
  requireQuota(amount);
  movementBegins(tx);
  const [row] = rowsOf<{ taken: number }>(
    await tx.execute(sql`
      with ${takesAtMost('quota', userId, amount)}, noted as (
        insert into ledger (ref, kind, user_id, delta, created_at, note)
        select ${ref}::uuid, ${MOVEMENT.takenBack}::smallint, id, -taken, ${nowSec()}::bigint, ${note ?? null}::text
        from held where taken > 0
        union all
        select ${ref}::uuid, ${MOVEMENT.writeOff}::smallint, id, 0, ${nowSec()}::bigint,
          (${amount}::bigint - taken)::text
        from held where taken < ${amount}::bigint
      )
      select taken from held`),
  );
  if (!row) throw fail('NOT_FOUND');
  return { taken: row.taken, writtenOff: amount - row.taken };
}

/**
 * Undoes so much of what `takeBack` did under `undone`: what is still written off first, and the rest is added to the
 * account, so that it ends as if that had never been taken. `amount` is no more than they took and have not given back.
 * Throws NOT_FOUND, QUOTA_RANGE, and the database's unique violation when this ref was moved before.
 */
export async function reinstate(
  tx: Tx,
  { userId, ref, note, amount, undone }: Movement & { amount: number; undone: readonly string[] },
): Promise<TakenBack> {
  requireQuota(amount);
  const [off] = rowsOf<{ quota: number }>(
    await tx.execute(sql`
      select coalesce(sum(note::bigint), 0)::bigint as quota from ledger
      where ref = any(${textList(undone)}::uuid[]) and kind = ${MOVEMENT.writeOff}`),
  );
  const writtenOff = Math.min(off?.quota ?? 0, amount);
  const taken = amount - writtenOff;
  await adjustQuota(tx, { userId, ref, note, kind: MOVEMENT.reinstated, delta: taken });
  if (writtenOff > 0) {
    await tx.execute(sql`
      insert into ledger (ref, kind, user_id, delta, created_at, note)
      values (${ref}::uuid, ${MOVEMENT.writeOff}::smallint, ${userId}::bigint, 0, ${nowSec()}::bigint,
        ${String(-writtenOff)}::text)`);
  }
  return { taken, writtenOff };
}

/** An invited user, what he was given for joining, and what takes of it. */
interface GiftOfJoining {
  userId: number;
  /** UUID of the movement that gave it: one is invited once. */
  grantRef: string;
}

/** What of it is taken back now, quota units. */
export async function giftTakenOf(
  executor: Pick<Tx, 'execute'>,
  { userId, grantRef }: GiftOfJoining,
): Promise<number> {
  const [row] = rowsOf<{ taken: number }>(
    await executor.execute(sql`
      select coalesce(-sum(delta), 0)::bigint as taken from ledger
      where user_id = ${userId}::bigint and kind = ${sql.raw(String(MOVEMENT.invitation))} and ref <> ${grantRef}::uuid`),
  );
  return row?.taken ?? 0;
}

/**
 * Takes back of what an invited user was given, at most what he can spend; answers how much. What is spent stays so: nobody
 * owes a gift. `amount` is no more than is left of the gift. Throws QUOTA_RANGE, and the database's unique violation when
 * this ref took or gave of a gift before.
 */
export async function takeBackGift(
  tx: Tx,
  { userId, ref, note, amount }: Movement & { amount: number },
): Promise<number> {
  requireQuota(amount);
  movementBegins(tx);
  const [row] = rowsOf<{ taken: number }>(
    await tx.execute(sql`
      with ${takesAtMost('quota', userId, amount)}, noted as (
        insert into ledger (ref, kind, user_id, delta, created_at, note)
        select ${ref}::uuid, ${MOVEMENT.invitation}::smallint, id, -taken, ${nowSec()}::bigint, ${note ?? null}::text
        from held where taken > 0
      )
      select taken from held`),
  );
  return row?.taken ?? 0;
}

function requireQuota(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 0) throw fail('QUOTA_RANGE');
}

export interface TokenQuota {
  tokenId: number;
  unlimited: boolean;
  /** What the token may still spend, with what its open reservations hold. */
  remainQuota: number;
  /** Set only if the token's quota, with what is held, still is this. */
  quotaBefore?: number | null;
}

/**
 * Sets a token's own limit. The column holds what is left beside open reservations while the token is limited, and
 * stands still while it is not; so what they hold is taken off or not by the kind of limit that the token gets, and
 * their settlements come out right whichever kind they were reserved under.
 * Throws NOT_FOUND, QUOTA_HELD, QUOTA_CHANGED, QUOTA_RANGE.
 */
export async function setTokenQuota(tx: Tx, given: TokenQuota): Promise<void> {
  const { tokenId, unlimited, remainQuota, quotaBefore = null } = given;
  requireQuota(remainQuota);
  const [token] = rowsOf<{ unlimited_quota: boolean; remain_quota: number }>(
    await tx.execute(sql`select unlimited_quota, remain_quota from tokens where id = ${tokenId} for update`),
  );
  if (!token) throw fail('NOT_FOUND');
  // A statement of its own: no reservation of this token is made while its row is locked, and only a snapshot taken
  // after the lock sees all that were made before.
  const held = (await tokenHolds(tx, [tokenId])).get(tokenId) ?? 0;
  const before = token.unlimited_quota ? token.remain_quota : token.remain_quota + held;
  if (quotaBefore !== null && quotaBefore !== before) throw fail('QUOTA_CHANGED');
  const remain = unlimited ? remainQuota : remainQuota - held;
  if (remain < 0) throw fail('QUOTA_HELD');
  await tx.execute(
    sql`update tokens set unlimited_quota = ${unlimited}, remain_quota = ${remain}::bigint where id = ${tokenId}`,
  );
}

/** What open reservations hold of each token; tokens without any are absent. A limited token's quota is its column and this. */
export async function tokenHolds(
  executor: Pick<Tx, 'execute'>,
  tokenIds: readonly number[],
): Promise<Map<number, number>> {
  const rows = rowsOf<{ token_id: number; held: number }>(
    await executor.execute(sql`
      select token_id, sum(amount)::bigint as held from reservations
      where token_id = any(${numberList(tokenIds)}::bigint[]) group by token_id having sum(amount) > 0`),
  );
  return new Map(rows.map(({ token_id, held }) => [token_id, held]));
}
