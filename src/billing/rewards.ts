/**
 * Rewards for invitations and activities. What is granted waits beside the balance, in a column for each kind, until its
 * owner transfers it; each grant and each transfer is a row of `rewards`, and a transfer one of the ledger too. What is
 * taken back of a grant is a row as well, and so is what of that is given back; neither changes what was ever granted.
 * Each is one conditional statement inside the caller's transaction, and locks the user's row: of several users in one
 * transaction the one with the lower id comes first.
 */
import { sql } from 'drizzle-orm';
import { fail } from '../core/errors.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { nowSec } from '../core/time.ts';
import type { Tx } from '../db/client.ts';
import { movementBegins } from '../db/moving.ts';
import { rowsOf } from '../db/statement.ts';
import { MOVEMENT, takesAtMost } from './ledger.ts';

/** Kinds of rewards, as they stand in the database. */
export const REWARD = { invitation: 1, activity: 2 } as const;

/** Where each kind waits, and where all that was ever granted of it is summed up. */
const COLUMNS = {
  [REWARD.invitation]: { balance: sql.raw('aff_quota'), history: sql.raw('aff_history_quota') },
  [REWARD.activity]: { balance: sql.raw('activity_quota'), history: sql.raw('activity_history_quota') },
};

export interface Grant {
  userId: number;
  kind: (typeof REWARD)[keyof typeof REWARD];
  /** Quota units, at least 1. */
  amount: number;
  /** UUID kept in the row that causes the reward. */
  ref: string;
  /** What it is for: the invited user's id, or the activity's. An invited user earns once, an activity once a user. */
  causeId: number;
  note?: string;
}

/**
 * Adds a reward to those that wait. Answers whether it did: false when the cause was rewarded before, by whomever.
 * Throws NOT_FOUND (no such user, or cancelled), QUOTA_RANGE.
 */
export async function grantReward(
  tx: Tx,
  { userId, kind, amount, ref, causeId, note }: Grant,
): Promise<boolean> {
  requireAmount(amount);
  const { balance, history } = COLUMNS[kind];
  movementBegins(tx);
  const [row] = rowsOf<{ fits: boolean; granted: boolean }>(
    await tx.execute(sql`
      with held as materialized (
        select id, ${balance} as balance, ${history} as history from users
        where id = ${userId} and deleted_at is null for update
      ), fits as (
        select * from held where greatest(balance, history) + ${amount}::bigint <= ${QUOTA_MAX}::bigint
      ), noted as (
        insert into rewards (ref, kind, user_id, amount, cause_id, created_at, note)
        select ${ref}::uuid, ${kind}::smallint, id, ${amount}::bigint, ${causeId}::bigint, ${nowSec()}::bigint,
          ${note ?? null}::text
        from fits on conflict do nothing returning user_id
      ), moved as (
        update users set ${balance} = fits.balance + ${amount}::bigint, ${history} = fits.history + ${amount}::bigint
        from fits join noted on noted.user_id = fits.id where users.id = fits.id
      )
      select exists (select from fits) as fits, exists (select from noted) as granted from held`),
  );
  if (!row) throw fail('NOT_FOUND');
  if (!row.fits) throw fail('QUOTA_RANGE');
  return row.granted;
}

/** What of a grant is taken back now, quota units. */
export async function takenOf(executor: Pick<Tx, 'execute'>, grantRef: string): Promise<number> {
  const [row] = rowsOf<{ taken: number }>(
    await executor.execute(
      sql`select coalesce(-sum(amount), 0)::bigint as taken from rewards where grant_ref = ${grantRef}::uuid`,
    ),
  );
  return row?.taken ?? 0;
}

interface Correction {
  userId: number;
  /** UUID of the grant of an invitation. */
  grantRef: string;
  /** UUID kept in the row that causes it. */
  ref: string;
}

/**
 * Takes back of a granted reward for an invitation, at most what waits; answers how much. What was transferred stays, and
 * so does what was ever granted. `amount` is at least 1 and no more than is left of the grant. Throws the database's
 * unique violation when this ref took before.
 */
export async function takeBackReward(
  tx: Tx,
  { userId, grantRef, ref, amount }: Correction & { amount: number },
): Promise<number> {
  requireAmount(amount);
  movementBegins(tx);
  const [row] = rowsOf<{ taken: number }>(
    await tx.execute(sql`
      with ${takesAtMost('aff_quota', userId, amount)}, noted as (
        insert into rewards (ref, kind, user_id, amount, created_at, grant_ref)
        select ${ref}::uuid, ${REWARD.invitation}::smallint, id, -taken, ${nowSec()}::bigint, ${grantRef}::uuid
        from held where taken > 0
      )
      select taken from held`),
  );
  return row?.taken ?? 0;
}

/**
 * Gives back of what `takeBackReward` took of the grant. `amount` is at least 1 and no more than is taken of it, so that it
 * always fits: no more waits than was ever granted. Throws the database's unique violation when this ref gave before.
 */
export async function reinstateReward(
  tx: Tx,
  { userId, grantRef, ref, amount }: Correction & { amount: number },
): Promise<void> {
  requireAmount(amount);
  movementBegins(tx);
  await tx.execute(sql`
    with held as materialized (
      select id from users where id = ${userId} for update
    ), moved as (
      update users set aff_quota = aff_quota + ${amount}::bigint from held where users.id = held.id
    )
    insert into rewards (ref, kind, user_id, amount, created_at, grant_ref)
    select ${ref}::uuid, ${REWARD.invitation}::smallint, id, ${amount}::bigint, ${nowSec()}::bigint, ${grantRef}::uuid
    from held`);
}

export interface RewardBalances {
  /** Quota units, with what open reservations hold: what the API calls `quota`. */
  quota: number;
  affQuota: number;
  activityQuota: number;
}

/**
 * Moves rewards to the balance, those of invitations before those of activities; answers what there is after it. `ref`
 * is a new UUID, which the ledger's row and those of the rewards share. Each transfer is a line of the books for ever:
 * `least` is the smallest, unless it takes all that waits, so that no rest is left behind.
 * Throws NOT_FOUND, TRANSFER_SHORT (not above 0, or more than waits), TRANSFER_LEAST, QUOTA_RANGE.
 */
export async function transferRewards(
  tx: Tx,
  { userId, amount, ref, least = 1 }: { userId: number; amount: number; ref: string; least?: number },
): Promise<RewardBalances> {
  if (!Number.isSafeInteger(amount) || amount < 1) throw fail('TRANSFER_SHORT');
  movementBegins(tx);
  const [row] = rowsOf<{
    enough: boolean;
    large: boolean;
    quota: number | null;
    invitation: number;
    activity: number;
  }>(
    await tx.execute(sql`
      with held as materialized (
        select id, quota, reserved, aff_quota, activity_quota, least(aff_quota, ${amount}::bigint) as invitation,
          ${amount}::bigint >= least(${least}::bigint, aff_quota + activity_quota) as large
        from users where id = ${userId} and deleted_at is null for update
      ), fits as (
        select id, quota + ${amount}::bigint as quota, reserved, invitation, ${amount}::bigint - invitation as activity,
          aff_quota - invitation as aff_left, activity_quota - (${amount}::bigint - invitation) as activity_left
        from held
        where aff_quota + activity_quota >= ${amount}::bigint and large
          and quota + reserved + ${amount}::bigint <= ${QUOTA_MAX}::bigint
      ), moved as (
        update users set quota = fits.quota, aff_quota = fits.aff_left, activity_quota = fits.activity_left
        from fits where users.id = fits.id
      ), taken as (
        insert into rewards (ref, kind, user_id, amount, created_at)
        select ${ref}::uuid, part.kind, fits.id, -part.amount, ${nowSec()}::bigint
        from fits cross join lateral (
          values (${REWARD.invitation}::smallint, invitation), (${REWARD.activity}::smallint, activity)
        ) part (kind, amount) where part.amount > 0
      ), noted as (
        insert into ledger (ref, kind, user_id, delta, created_at)
        select ${ref}::uuid, ${MOVEMENT.transfer}::smallint, id, ${amount}::bigint, ${nowSec()}::bigint from fits
      )
      select held.aff_quota + held.activity_quota >= ${amount}::bigint as enough, large, fits.quota + fits.reserved as quota,
        fits.aff_left as invitation, fits.activity_left as activity
      from held left join fits on fits.id = held.id`),
  );
  if (!row) throw fail('NOT_FOUND');
  if (!row.enough) throw fail('TRANSFER_SHORT');
  if (!row.large) throw fail('TRANSFER_LEAST', { params: { least } });
  if (row.quota === null) throw fail('QUOTA_RANGE');
  return { quota: row.quota, affQuota: row.invitation, activityQuota: row.activity };
}

/** One of the rewards that a transfer moved: `causeId` is the invited user's id, or the activity's. */
export interface TransferCause {
  ref: string;
  kind: number;
  causeId: number;
  /** How many there are of this transfer in all. */
  all: number;
}

/**
 * What the `count` transfers from one backwards were earned by, invitations first, each kind from its oldest; of each
 * transfer no more than the first `most`. Rewards of a kind wait together and are moved in any amount: the oldest are
 * taken to go first, so that a reward may belong to two transfers in part. What was taken back of a reward has earned none.
 * Laid end to end, rewards and transfers cut each other into pieces, each of one reward and one transfer; so nothing is
 * compared with all the others, however many the account has.
 */
export async function transferCauses(
  tx: Tx,
  given: { userId: number; newest: { created_at: number; ref: string }; count: number; most: number },
): Promise<TransferCause[]> {
  const { userId, newest, count, most } = given;
  return rowsOf<TransferCause>(
    await tx.execute(sql`
      with asked as (
        select ref from ledger
        where user_id = ${userId}::bigint and kind = ${MOVEMENT.transfer}::smallint
          and (created_at, ref) <= (${newest.created_at}::bigint, ${newest.ref}::uuid)
        order by created_at desc, ref desc limit ${count}::bigint
      ), taken as (
        select grant_ref, kind, sum(amount) as amount from rewards
        where user_id = ${userId}::bigint and grant_ref is not null group by grant_ref, kind
      ), kept as (
        select r.ref, r.kind, r.cause_id, r.created_at, r.amount + coalesce(t.amount, 0) as amount
        from rewards r left join taken t on t.grant_ref = r.ref and t.kind = r.kind
        where r.user_id = ${userId}::bigint and r.grant_ref is null
      ), ends as (
        select ref, kind, cause_id, sum(abs(amount)) over (
          partition by kind, cause_id is null order by created_at, ref rows unbounded preceding
        ) as sum
        from kept where amount <> 0
      ), cuts as (
        select kind, sum, max(cause_id) as cause_id, max(ref::text) filter (where cause_id is null) as ref
        from ends group by kind, sum
      ), pieces as (
        select *, count(cause_id) over earlier as grants, count(ref) over earlier as transfers
        from cuts window earlier as (partition by kind order by sum rows between unbounded preceding and 1 preceding)
      ), named as (
        select kind, sum, max(cause_id) over (partition by kind, grants) as cause_id,
          max(ref) over (partition by kind, transfers) as ref
        from pieces
      ), causes as (
        select *, row_number() over (partition by ref order by kind, sum) as place,
          count(*) over (partition by ref) as "all"
        from named where ref in (select ref::text from asked)
      )
      select ref, kind, cause_id as "causeId", "all" from causes where place <= ${most}::bigint order by ref, place`),
  );
}

function requireAmount(amount: number): void {
  if (!Number.isSafeInteger(amount) || amount < 1) throw fail('QUOTA_RANGE');
}
