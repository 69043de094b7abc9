/** What a process that is gone has left of tasks that it was submitting. */
import { readSettlement, type Settlement, type WrittenSettlement } from '../../billing/billing.ts';
import { MOVEMENT } from '../../billing/ledger.ts';
import { limits } from '../../core/limits.ts';
import type { Database } from '../../db/client.ts';
import { NOW } from '../../db/clock.ts';
import { failed, fault } from './sql-parts.ts';

/** There is no charge without an upstream that has taken it, though none could be written down: nobody can ask after it. */
const IS_CHARGED = `exists (select from ledger l where l.ref = t.request_id and l.kind = ${MOVEMENT.charge})`;

/** Keeps what was charged, and could not be noted as taken. */
export const keepCharged = (db: Pick<Database, 'query'>): Promise<unknown> =>
  db.query(
    `update tasks t set status = 'SUBMITTED', updated_at = ${NOW}
     where t.id in (
       select id from tasks where status = '' and poll_at <= ${NOW} order by poll_at
       limit ${limits.tasksARound} for update skip locked
     ) and ${IS_CHARGED}`,
  );

/**
 * Fails what was being submitted by a process that is gone: its reservation was given back, so that nothing was or will
 * be charged but by a spool, which the refund waits for.
 */
export const failInterrupted = (db: Pick<Database, 'query'>): Promise<unknown> =>
  db.query(
    `update tasks t set ${failed(`'${fault('interrupted')}'`)}
     where t.id in (
       select id from tasks where status = '' order by poll_at limit ${limits.tasksARound} for update skip locked
     ) and (exists (select from reservations r where r.id = t.request_id and r.orphaned_at is not null)
       or (t.poll_at <= ${NOW} and not exists (select from reservations r where r.id = t.request_id)
         and not ${IS_CHARGED}))`,
  );

/** Charges of calls whose process died between what an upstream took and the charge: nobody holds anything for them now. */
export async function lostCharges(db: Pick<Database, 'query'>): Promise<Settlement[]> {
  const rows = await db.query<{ charge: string }>(
    `select t.charge::text as charge from reservations r join tasks t on t.request_id = r.id
     where r.orphaned_at is not null and t.status <> '' and t.charge is not null
     limit ${limits.tasksARound}`,
  );
  return rows.map(({ charge }) => readSettlement(JSON.parse(charge) as WrittenSettlement));
}
