/**
 * Gives back what a call was charged whose work came to nothing after the call had ended: a task. The charge's own row
 * of the ledger says how much, and with its reference a call is refunded once, whoever asks how often.
 */
import { sql } from 'drizzle-orm';
import { invariant } from '../core/invariant.ts';
import { nowSec } from '../core/time.ts';
import type { Tx } from '../db/client.ts';
import { movementBegins } from '../db/moving.ts';
import { rowsOf } from '../db/statement.ts';
import { MOVEMENT } from './ledger.ts';

export interface Refund {
  /** Id of the call, which is the reference of its charge. */
  ref: string;
  tokenId: number;
  channelId: number;
  /** What caused it, as in every movement: `task:ID`. */
  note: string;
  /** What of it; all where this is absent. */
  share?: Share;
}

/** So many of so many. */
export interface Share {
  part: number;
  whole: number;
}

const ALL: Share = { part: 1, whole: 1 };

export interface Refunded {
  /** `waits`: its charge may still come, from a spool; ask again. `nothing`: it was never charged, or was free. */
  outcome: 'given' | 'given-before' | 'nothing' | 'waits';
  /** Quota units that the account got back now. */
  amount: number;
}

/**
 * In the caller's transaction. A share is rounded down, and nothing moves where that leaves nothing. Neither an account nor a
 * token gets more than it can have, so that who has filled his own to the brim has no refund fail. Locks token, user and
 * channel, in the order of all money statements.
 */
export async function refundCharge(
  tx: Tx,
  { ref, tokenId, channelId, note, share: { part, whole } = ALL }: Refund,
): Promise<Refunded> {
  movementBegins(tx);
  // New values come from the rows as they were locked (sql/reserve.sql says why).
  const [row] = rowsOf<{ paid: number | null; given: number | null; held: boolean }>(
    await tx.execute(sql`
      with charge as materialized (
        select ref, user_id, -delta as paid, -delta * ${part}::bigint / ${whole}::bigint as due
        from ledger where ref = ${ref}::uuid and kind = ${MOVEMENT.charge}::smallint
      ), tk as materialized (
        select id, remain_quota, unlimited_quota, used_quota from tokens
        where id = ${tokenId}::bigint and exists (select from charge) for update
      ), us as materialized (
        select id, quota, used_quota from users
        where id in (select user_id from charge) and (select count(*) from tk) >= 0 for update
      ), ch as materialized (
        select id, used_quota from channels where id = ${channelId}::bigint and (select count(*) from us) > 0 for update
      ), noted as (
        insert into ledger (ref, kind, user_id, delta, created_at, note)
        select charge.ref, ${MOVEMENT.refund}::smallint, us.id,
          least(charge.due, ${Number.MAX_SAFE_INTEGER}::bigint - us.quota), ${nowSec()}::bigint, ${note}::text
        from charge join us on us.id = charge.user_id where (select count(*) from ch) >= 0
          and (charge.due > 0 or charge.paid = 0)
        on conflict (ref, kind) do nothing returning user_id, delta
      ), uu as (
        update users u set quota = us.quota + n.delta, used_quota = us.used_quota - n.delta
        from us join noted n on n.user_id = us.id where u.id = us.id
      ), ut as (
        update tokens t set
          remain_quota = case when tk.unlimited_quota then tk.remain_quota
            else least(tk.remain_quota + n.delta, ${Number.MAX_SAFE_INTEGER}::bigint) end,
          used_quota = greatest(tk.used_quota - n.delta, 0)
        from tk cross join noted n where t.id = tk.id
      ), uc as (
        update channels c set used_quota = greatest(ch.used_quota - n.delta, 0)
        from ch cross join noted n where c.id = ch.id
      )
      select (select paid from charge) as paid, (select delta from noted) as given,
        exists (select from reservations where id = ${ref}::uuid) as held`),
  );
  invariant(row !== undefined, 'the statement answers one row');
  if (row.given !== null) return { outcome: 'given', amount: row.given };
  if (row.paid !== null) return { outcome: 'given-before', amount: 0 };
  return { outcome: row.held ? 'waits' : 'nothing', amount: 0 };
}
