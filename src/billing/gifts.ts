/**
 * What the site gives away by itself, and may give only so often: each gift once to each proof of who somebody is, and in
 * all only so much a day. What follows are the conditions; the gift itself is a movement or a reward in the same
 * transaction. Locks go from the users to the marks, in their order, and to the day, which comes last.
 */
import { sql } from 'drizzle-orm';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { DAY_SEC } from '../core/time.ts';
import type { Database, Executor, Tx } from '../db/client.ts';
import { now } from '../db/columns.ts';
import { rowsOf, textList } from '../db/statement.ts';
import { MOVEMENT } from './ledger.ts';
import { REWARD } from './rewards.ts';

/** Kinds of gifts, as they stand in the database. */
export const GIFT = {
  newUser: 1,
  /** To who was invited. */
  invitee: 2,
  /** To who invited him; the proofs are those of the guest. */
  inviter: 3,
  fuelPack: 4,
} as const;
export type GiftKind = (typeof GIFT)[keyof typeof GIFT];

const today = sql`${now} / ${DAY_SEC} * ${DAY_SEC}`;
const marked = (proofs: readonly string[]) => sql`unnest(${textList(proofs)}::text[]) as p (proof)`;

export interface Claim {
  gift: GiftKind;
  /** Keyed hashes. */
  proofs: readonly string[];
  /** Seconds after which it may be given again; null for never. */
  againAfterSec: number | null;
}

/** Marks the proofs. False where one of them has had the gift: then the caller undoes what others were marked. */
export async function claimProofs(tx: Tx, { gift, proofs, againAfterSec }: Claim): Promise<boolean> {
  if (proofs.length === 0) return true;
  const rows = rowsOf(
    await tx.execute(sql`
      insert into gift_marks as m (proof, gift, given_at)
      select proof, ${gift}::smallint, ${now} from ${marked(proofs)} order by proof
      on conflict (proof, gift) do update set given_at = excluded.given_at
        where m.given_at <= excluded.given_at - ${againAfterSec}::bigint
      returning proof`),
  );
  return rows.length === proofs.length;
}

/** When one of the proofs had the gift last, unix seconds; null for not within that time. */
export async function lastGiven(
  executor: Executor,
  { gift, proofs, withinSec }: { gift: GiftKind; proofs: readonly string[]; withinSec: number },
): Promise<number | null> {
  const [row] = rowsOf<{ last: number | null }>(
    await executor.execute(sql`
      select max(given_at) as last from gift_marks
      where gift = ${gift}::smallint and proof = any(${textList(proofs)}::text[])
        and given_at > ${now} - ${withinSec}::bigint`),
  );
  return row?.last ?? null;
}

/**
 * Marks proofs that leave an account, whose row is locked, with all that it has had, so that whoever comes with them next
 * has had it too. The books tell what that was, also of a time before there were marks, and of gifts that came before the
 * proof did.
 */
export async function markLeaving(tx: Tx, userId: number, proofs: readonly string[]): Promise<void> {
  if (proofs.length === 0) return;
  const moved = (kind: number) =>
    sql`exists (select from ledger where user_id = ${userId} and kind = ${kind}::smallint and delta > 0)`;
  await tx.execute(sql`
    insert into gift_marks as m (proof, gift, given_at)
    select p.proof, had.gift, had.given_at from ${marked(proofs)} cross join (
      select ${GIFT.newUser}::smallint as gift, ${now} as given_at where ${moved(MOVEMENT.gift)}
      union all
      select ${GIFT.invitee}::smallint, ${now} where ${moved(MOVEMENT.invitation)}
      union all
      select ${GIFT.inviter}::smallint, ${now} where exists (
        select from rewards where kind = ${REWARD.invitation} and cause_id = ${userId})
      union all
      select ${GIFT.fuelPack}::smallint, claimed_at from fuel_packs where user_id = ${userId}
    ) had order by p.proof, had.gift
    on conflict (proof, gift) do update set given_at = greatest(m.given_at, excluded.given_at)`);
}

/** Forgets marks that are older. */
export const forgetMarks = (db: Database, keptSec: number): Promise<unknown> =>
  db.query(`delete from gift_marks where given_at < extract(epoch from now())::bigint - $1::bigint`, [
    keptSec,
  ]);

/** Adds to what was given away today. False where that would be more than `most`, which 0 leaves open. */
export async function spendToday(tx: Tx, quota: number, most: number): Promise<boolean> {
  const sum = sql`d.quota + excluded.quota`;
  const rows = rowsOf(
    await tx.execute(sql`
      insert into gift_days as d (day, quota)
      select ${today}, ${quota}::bigint where ${most}::bigint = 0 or ${quota}::bigint <= ${most}::bigint
      on conflict (day) do update set quota = least(${sum}, ${QUOTA_MAX}::bigint)
        where ${most}::bigint = 0 or ${sum} <= ${most}::bigint
      returning day`),
  );
  return rows.length > 0;
}

/** Notes that root is told of today. True for the first who does. */
export async function noteTold(executor: Executor): Promise<boolean> {
  const rows = rowsOf(
    await executor.execute(sql`
      insert into gift_days as d (day, quota, told) values (${today}, 0, true)
      on conflict (day) do update set told = true where not d.told returning day`),
  );
  return rows.length > 0;
}

/** Forgets days that are over; only the present one is asked for. */
export const forgetDays = (db: Database, keptSec: number): Promise<unknown> =>
  db.query(`delete from gift_days where day < extract(epoch from now())::bigint - $1::bigint`, [keptSec]);
