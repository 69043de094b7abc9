/** The tokens of a user's month of what is sold, which choose the tier of a price by the month. */
import { sql } from 'drizzle-orm';
import { limits } from '../core/limits.ts';
import { nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { inSlices } from '../db/slices.ts';
import { behindAnswer } from '../platform/on-behalf.ts';
import type { StampedSettlement } from './statements.ts';

/**
 * Adds up the month of a call, as its settlement does where no such price has asked for it before: outside the money
 * statements, for of a user with millions of figures it takes longer than these may. Only his own calls wait meanwhile.
 */
export async function beginMonth(db: Database, { id, sold, at }: StampedSettlement): Promise<void> {
  await behindAnswer(() =>
    db.orm.transaction((tx) =>
      tx.execute(sql`
        with us as materialized (
          select id, month_models from users
          where id in (select user_id from reservations where id = ${id}::uuid) for update
        ), begun as materialized (
          select id, month_models, month_tokens(id, ${sold}::text, month_begin(${at}::bigint)) as tokens from us
        )
        update users u set month_models = array(select unnest(b.month_models) union select ${sold}::text order by 1)
        from begun b where u.id = b.id`),
    ),
  );
}

/** Months before the last, which may still be settled late; one that is asked for once more is added up again. */
export async function forgetMonths(db: Database, signal: AbortSignal): Promise<void> {
  const most = limits.monthsForgottenAtOnce;
  await inSlices(
    most,
    () =>
      db.orm.execute(sql`
        with gone as (
          delete from usage_months where ctid = any(array(
            select ctid from usage_months where month < month_begin(month_begin(${nowSec()}::bigint) - 1)
            limit ${most} for update skip locked
          )) returning 1
        )
        select count(*)::bigint as n from gone`),
    signal,
  );
}
