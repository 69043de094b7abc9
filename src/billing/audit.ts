/**
 * Proves on one snapshot of the database that every unit of quota is accounted for. `./scripts/audit` prints it; while
 * a server holds the embedded database, the server answers it through a socket in its data folder.
 */
import { sql } from 'drizzle-orm';
import { DAY_PART_SEC, DAY_SEC, HOUR_SEC, SPAN_SEC } from '../core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS, FOLDED_PARTS } from '../core/usage-folds.ts';
import type { Database, Tx } from '../db/client.ts';
import { rowsOf, SQLSTATE, sqlState } from '../db/statement.ts';
import { MOVEMENT } from './ledger.ts';
import { REWARD } from './rewards.ts';

/** One thing that does not hold: `id` has `found` where `expected` follows from the rows behind it. */
export interface Finding {
  check: string;
  id: string;
  expected: number;
  found: number;
}

export interface AuditReport {
  findings: Finding[];
  /** Calls whose process died; they cost nothing unless their settlement still comes. */
  orphans: { id: string; user_id: number; orphaned_at: number }[];
  writeOffs: { id: string; user_id: number; created_at: number; quota: number }[];
  /** How much was looked at. */
  users: number;
  openReservations: number;
  ledgerRows: number;
}

/** Findings, orphans and write-offs that are listed at most, each. */
const LIST_MAX = 1_000;

/** Log rows before this second were deleted; the rollup is compared from the next whole hour on. */
const LOGS_FROM = 'logs_from';

/** To be called by whatever deletes log rows, in its transaction. */
export async function noteLogsDeleted(tx: Tx, beforeSec: number): Promise<void> {
  await tx.execute(sql`insert into meta (name, value) values (${LOGS_FROM}, ${String(beforeSec)})
    on conflict (name) do update set value = greatest(meta.value::bigint, excluded.value::bigint)::text`);
}

export const audit = (db: Database): Promise<AuditReport> =>
  db.orm.transaction(
    async (tx) => {
      const findings: Finding[] = [];
      for (const check of [...CHECKS, ...CHECKS_OF_ROWS]) {
        if (findings.length < LIST_MAX) findings.push(...(await select<Finding>(tx, check)));
      }
      const [counts] = await select<Pick<AuditReport, 'users' | 'openReservations' | 'ledgerRows'>>(
        tx,
        `select (select count(*) from users) as users,
           (select count(*) from reservations where orphaned_at is null) as "openReservations",
           (select count(*) from ledger) as "ledgerRows"`,
      );
      return {
        findings,
        orphans: await select(
          tx,
          `select id, user_id, orphaned_at from reservations where orphaned_at is not null
           order by orphaned_at desc limit ${LIST_MAX}`,
        ),
        writeOffs: await select(
          tx,
          `select ref as id, user_id, created_at, note::bigint as quota from ledger
           where kind = ${MOVEMENT.writeOff} order by created_at desc limit ${LIST_MAX}`,
        ),
        users: counts?.users ?? 0,
        openReservations: counts?.openReservations ?? 0,
        ledgerRows: counts?.ledgerRows ?? 0,
      };
    },
    { isolationLevel: 'repeatable read', accessMode: 'read only' },
  );

/** What came of the checks, each made by itself. */
export interface CheckedBooks {
  checks: number;
  findings: Finding[];
  /** Names of checks that took longer than they may. */
  unfinished: string[];
}

/**
 * The same checks beside the work of the server: each is one statement, so that it compares both sides in a snapshot of its
 * own, and none holds on to anything until all are done. One takes a single core and at most `ms` of it; between two the
 * others have their turn. On PGlite, which has no timer, the deadline has no effect. Ends early, with an error, when the
 * signal aborts.
 */
export async function auditInTurns(
  db: Database,
  { ms, pauseMs, signal }: { ms: number; pauseMs: number; signal: AbortSignal },
): Promise<CheckedBooks> {
  const books: CheckedBooks = { checks: CHECKS.length, findings: [], unfinished: [] };
  for (const check of CHECKS) {
    signal.throwIfAborted();
    try {
      books.findings.push(...(await checkAlone(db, check, ms)));
    } catch (error) {
      if (sqlState(error) !== SQLSTATE.queryCanceled) throw error;
      books.unfinished.push(/'([^']+)' as check/.exec(check)?.[1] ?? '');
    }
    await Bun.sleep(pauseMs);
  }
  return books;
}

const checkAlone = (db: Database, check: string, ms: number): Promise<Finding[]> =>
  db.orm.transaction(
    async (tx) => {
      await tx.execute(sql`select set_config('statement_timeout', ${String(ms)}, true),
        set_config('max_parallel_workers_per_gather', '0', true)`);
      return select<Finding>(tx, check);
    },
    { accessMode: 'read only' },
  );

const select = async <T>(tx: Tx, text: string): Promise<T[]> => rowsOf<T>(await tx.execute(sql.raw(text)));

/** Compares a number of each user with a sum of rows that belong to users, in both directions. */
const perUser = (check: string, column: string, rows: string): string =>
  `select '${check}' as check, coalesce(u.id, s.user_id)::text as id, coalesce(s.total, 0)::bigint as expected,
     coalesce(u.value, 0)::bigint as found
   from (select id, ${column} as value from users) u full join (${rows}) s on s.user_id = u.id
   where coalesce(u.value, 0) <> coalesce(s.total, 0) order by 2, 3 limit ${LIST_MAX}`;

const negative = (table: string, column: string, where = 'true'): string =>
  `select '${table}.${column} below 0' as check, id::text as id, 0::bigint as expected, ${column} as found
   from ${table} where ${column} < 0 and ${where} limit ${LIST_MAX}`;

/** The first hour of which the log has every row. */
const KEPT = `
  select coalesce(max((value::bigint + ${HOUR_SEC - 1}) / ${HOUR_SEC} * ${HOUR_SEC}), 0) as hour from meta
  where name = '${LOGS_FROM}'`;

/** Hour by hour, over all that the rollup distinguishes; what was not to be logged is no part of the log. */
const rollup = (column: string, ofLog: string): string => `
  with kept as (${KEPT}), l as (
    select created_at / ${HOUR_SEC} * ${HOUR_SEC} as hour, user_id, token_id, channel_id, model_name, group_name,
      ${ofLog} as total
    from logs where type = 2 and created_at >= (select hour from kept) group by 1, 2, 3, 4, 5, 6
  ), h as (
    select hour, user_id, token_id, channel_id, model_name, group_name, a.${column} - coalesce(u.${column}, 0) as value
    from usage_hourly a left join usage_unlogged u
      using (hour, user_id, token_id, channel_id, model_name, group_name)
    where hour >= (select hour from kept)
  )
  select 'usage_hourly.${column} = logs' as check,
    concat_ws(' ', 'hour', hour, 'user', user_id, 'token', token_id, 'channel', channel_id, model_name, group_name) as id,
    coalesce(l.total, 0)::bigint as expected, coalesce(h.value, 0)::bigint as found
  from l full join h using (hour, user_id, token_id, channel_id, model_name, group_name)
  where coalesce(l.total, 0) <> coalesce(h.value, 0) order by 2, 3 limit ${LIST_MAX}`;

/** A number that a row tells beside its columns, as a settlement takes it. */
const told = (name: string, none: number): string =>
  `case when jsonb_typeof(other -> '${name}') = 'number' and (other ->> '${name}')::numeric >= 0
     then least((other ->> '${name}')::numeric, ${Number.MAX_SAFE_INTEGER})::bigint else ${none} end`;

const KEY = 'hour, user_id, token_id, channel_id, model_name, group_name';

/** The same of what the rows tell beside their columns. Of figures with calls that have no row nothing is compared. */
const READINGS = `
  with kept as (${KEPT}), r as (
    select created_at / ${HOUR_SEC} * ${HOUR_SEC} as hour, user_id, token_id, channel_id, model_name, group_name,
      ${told('cache_tokens', 0)} as cached, ${told('frt', -1)} as first
    from logs where type = 2 and created_at >= (select hour from kept)
  ), l as (
    select ${KEY}, sum(cached) as cached_tokens, sum(greatest(first, 0)) as first_ms,
      count(*) filter (where first >= 0) as first_calls
    from r group by ${KEY}
  ), h as (
    select ${KEY}, cached_tokens, first_ms, first_calls from usage_hourly where hour >= (select hour from kept)
  )
  select 'readings of usage_hourly = logs' as check,
    concat_ws(' ', name, 'hour', hour, 'user', user_id, 'token', token_id, 'channel', channel_id, model_name, group_name)
      as id, expected::bigint, found::bigint
  from l full join h using (${KEY}) left join usage_unlogged u using (${KEY})
    cross join lateral (values
      (1, 'cached_tokens', coalesce(l.cached_tokens, 0), coalesce(h.cached_tokens, 0)),
      (2, 'first_ms', coalesce(l.first_ms, 0), coalesce(h.first_ms, 0)),
      (3, 'first_calls', coalesce(l.first_calls, 0), coalesce(h.first_calls, 0))
    ) c(n, name, expected, found)
  where u.hour is null and expected <> found order by n, 2 limit ${LIST_MAX}`;

/**
 * Of calls that came to nothing not all have a row, but none has one that is not counted: by hour, user and code, and by
 * the group, which alone is kept of those who fail in too many ways.
 */
const FAILED_ROWS = `
  with kept as (${KEPT}), l as (
    select created_at / ${HOUR_SEC} * ${HOUR_SEC} as hour, user_id, group_name,
      coalesce(other ->> 'reason', other ->> 'error') as code, count(*) as rows
    from logs where type = 6 and created_at >= (select hour from kept) group by 1, 2, 3, 4
  ), f as (
    select hour, user_id, group_name, code, sum(calls) as calls from failures_hourly group by 1, 2, 3, 4
  )
  select 'failures_hourly >= logs' as check, concat_ws(' ', 'hour', hour, 'user', user_id, group_name, code) as id,
    rows as expected, coalesce(calls, 0)::bigint as found
  from l left join f using (hour, user_id, group_name, code)
  where rows > coalesce(calls, 0) order by 2 limit ${LIST_MAX}`;

/** Part by part of a day, by codes, as `folded` does. Older hours are no longer kept than those of which the log is. */
const FOLDED_FAILURES = `
  with kept as (${KEPT}), parts as (
    select part from (${FOLDED_PARTS}) folded where part >= (select hour from kept)
  ), f as (
    select part, user_id, value as code, sum(failed) as failed from usage_folded
    where dimension = ${FOLDED_DIMENSIONS.code} and hours = ${FOLDED_HOURS.part} and part in (select part from parts) group by 1, 2, 3
  ), w as (
    select hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} as part, coalesce(user_id, -1) as user_id, code, sum(calls) as failed
    from failures_hourly where hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (select part from parts)
    group by 1, grouping sets ((failures_hourly.user_id), ()), code
  )
  select 'usage_folded.failed = failures_hourly' as check, concat_ws(' ', 'part', part, 'user', user_id, code) as id,
    coalesce(w.failed, 0)::bigint as expected, coalesce(f.failed, 0)::bigint as found
  from w full join f using (part, user_id, code)
  where coalesce(w.failed, 0) <> coalesce(f.failed, 0) order by 2 limit ${LIST_MAX}`;

/**
 * Part by part of a day that was folded, of each user and of everybody (-1), against its hours, and in the same way
 * everybody's hours and spans of days, and the hours of users who have them; by groups, the fewest.
 */
const folded = (column: string): string => `
  with parts as (${FOLDED_PARTS}), spans as (
    select span from usage_spans
    where is_whole and span not in (select part / ${SPAN_SEC} * ${SPAN_SEC} from usage_late)
  ), busy as (
    select distinct user_id, part / ${DAY_PART_SEC} * ${DAY_PART_SEC} as part from usage_folded
    where dimension = ${FOLDED_DIMENSIONS.group} and hours = ${FOLDED_HOURS.hour} and user_id <> -1
  ), wanted as (
    select ${FOLDED_HOURS.part} as hours, hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} as part,
      coalesce(user_id, -1) as user_id, sum(${column}) as total
    from usage_hourly where hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (select part from parts)
    group by grouping sets ((2, usage_hourly.user_id), (2))
    union all
    select ${FOLDED_HOURS.hour}, hour, -1, sum(${column}) from usage_hourly
    where hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (select part from parts) group by 2
    union all
    select ${FOLDED_HOURS.hour}, hour, user_id, sum(${column}) from usage_hourly
    where hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (select part from parts)
      and (user_id, hour / ${DAY_PART_SEC} * ${DAY_PART_SEC}) in (select user_id, part from busy)
    group by 2, 3
    union all
    select ${FOLDED_HOURS.span}, hour / ${SPAN_SEC} * ${SPAN_SEC}, -1, sum(${column}) from usage_hourly
    where hour / ${SPAN_SEC} * ${SPAN_SEC} in (select span from spans) group by 2
  ), f as (
    select hours, part, user_id, sum(${column}) as total from usage_folded
    where dimension = ${FOLDED_DIMENSIONS.group} and case when hours = ${FOLDED_HOURS.span} then part in (select span from spans)
      else part / ${DAY_PART_SEC} * ${DAY_PART_SEC} in (select part from parts) end
    group by 1, 2, 3
  )
  select 'usage_folded.${column} = usage_hourly' as check, concat_ws(' ', 'part', part, 'hours', hours, 'user', user_id) as id,
    coalesce(w.total, 0)::bigint as expected, coalesce(f.total, 0)::bigint as found
  from wanted w full join f using (hours, part, user_id)
  where coalesce(w.total, 0) <> coalesce(f.total, 0) order by 2, 3 limit ${LIST_MAX}`;

/**
 * What chooses the tiers of prices by the month, against the figures of these months. What a name was used for in an hour
 * in which its price became another's stands in one figure, and was counted as it was sold, call by call.
 */
const MONTHS = `
  with asked as (
    select distinct user_id, month as since, month_begin(month + ${32 * DAY_SEC}) as until from usage_months
  ), h as (
    select user_id, since as month, coalesce(sold_name, model_name) as sold_name, channel_id <> 0 as is_ours,
      sum(prompt_tokens + completion_tokens) as tokens
    from asked join usage_hourly using (user_id) where hour >= since and hour < until group by 1, 2, 3, 4
  ), figures as (
    select user_id, month, sold_name, sum(tokens) as tokens from h group by 1, 2, 3
  ), mixed as (
    select user_id, month, tokens from h where sold_name = '' and is_ours
  )
  select 'usage_months = usage_hourly' as check, concat_ws(' ', 'user', user_id, 'month', month, sold_name) as id,
    coalesce(f.tokens, 0)::bigint as expected, m.tokens as found
  from usage_months m left join figures f using (user_id, month, sold_name) left join mixed x using (user_id, month)
  where m.tokens not between coalesce(f.tokens, 0) and coalesce(f.tokens, 0) + coalesce(x.tokens, 0)
  order by 2 limit ${LIST_MAX}`;

/** What waits is what was granted without what was transferred or taken back; the history is what was granted. */
const rewardChecks = (name: 'aff' | 'activity', kind: number): string[] => [
  perUser(
    `${name}_quota = rewards - transfers`,
    `${name}_quota`,
    `select user_id, sum(amount) as total from rewards where kind = ${kind} group by user_id`,
  ),
  perUser(
    `${name}_history_quota = rewards`,
    `${name}_history_quota`,
    `select user_id, sum(amount) as total from rewards where kind = ${kind} and cause_id is not null group by user_id`,
  ),
];

/** Compares what rows say that they moved with what the ledger moved for them, by their refs, in both directions. */
const perCause = (check: string, causes: string, moved: string): string =>
  `select '${check}' as check, ref::text as id, coalesce(c.quota, 0)::bigint as expected,
     coalesce(m.quota, 0)::bigint as found
   from (${causes}) c full join (${moved}) m using (ref, user_id)
   where coalesce(c.quota, 0) <> coalesce(m.quota, 0) order by 2, 3 limit ${LIST_MAX}`;

const CHECKS: readonly string[] = [
  perUser(
    'quota + reserved = ledger',
    'quota + reserved',
    'select user_id, sum(delta) as total from ledger group by user_id',
  ),
  perUser(
    'reserved = open reservations',
    'reserved',
    'select user_id, sum(amount) as total from reservations group by user_id',
  ),
  perUser(
    'used_quota = charges - refunds',
    'used_quota',
    `select user_id, -sum(delta) as total from ledger
     where kind in (${MOVEMENT.charge}, ${MOVEMENT.refund}) group by user_id`,
  ),
  ...rewardChecks('aff', REWARD.invitation),
  ...rewardChecks('activity', REWARD.activity),
  perCause(
    'transfers of rewards = ledger',
    `select ref, user_id, -sum(amount) as quota from rewards
     where cause_id is null and grant_ref is null group by ref, user_id`,
    `select ref, user_id, delta as quota from ledger where kind = ${MOVEMENT.transfer}`,
  ),
  // Nothing is taken of a reward but with the payment that set it off, and nothing given back but with a dispute won.
  `select 'rewards taken back = payments taken back' as check, r.ref::text as id, 0::bigint as expected,
     r.amount as found
   from rewards r where r.grant_ref is not null and not exists (
     select from topup_reversals v join topups t on t.id = v.topup_id
       join invitations i on i.invitee_id = t.user_id and i.paid_by = t.ref
       join rewards g on g.ref = i.ref and g.kind = r.kind and g.cause_id = i.invitee_id
     where v.ref = r.ref and g.ref = r.grant_ref and g.user_id = r.user_id and (v.kind = 'won') = (r.amount > 0)
   ) order by 2 limit ${LIST_MAX}`,
  `select 'rewards taken back within their grant' as check, g.ref::text as id, g.amount as expected,
     t.taken::bigint as found
   from (
     select grant_ref, kind, -sum(amount) as taken from rewards where grant_ref is not null group by grant_ref, kind
   ) t join rewards g on g.ref = t.grant_ref and g.kind = t.kind
   where t.taken not between 0 and g.amount order by 2 limit ${LIST_MAX}`,
  // With what is gone of its payment, no more than that share of it.
  `select 'rewards taken back within their share' as check, t.grant_ref::text as id, s.share::bigint as expected,
     t.taken::bigint as found
   from (
     select grant_ref, -sum(amount) as taken from rewards where grant_ref is not null group by grant_ref
   ) t join invitations i on i.ref = t.grant_ref join topups o on o.ref = i.paid_by
   cross join lateral (
     select floor(i.inviter_paid::numeric * coalesce(sum(case when v.kind = 'won' then -v.money else v.money end), 0)
       / o.money) as share
     from topup_reversals v where v.topup_id = o.id
   ) s where t.taken > s.share order by 2 limit ${LIST_MAX}`,
  perCause(
    'codes redeemed = codes used',
    'select ref, used_user_id as user_id, quota from redemptions where status = 3',
    `select ref, user_id, delta as quota from ledger where kind = ${MOVEMENT.redemption}`,
  ),
  perCause(
    'gifts to invited users = invitations',
    'select ref, invitee_id as user_id, invitee_paid as quota from invitations where invitee_paid > 0',
    `select ref, user_id, delta as quota from ledger
     where kind = ${MOVEMENT.invitation} and ref not in (select ref from topup_reversals)`,
  ),
  // Of a gift as of a reward: it goes and comes back with the payment that set it off, and no more than that share of it.
  `select 'gifts taken back = payments taken back' as check, l.ref::text as id, 0::bigint as expected, l.delta as found
   from ledger l join topup_reversals v on v.ref = l.ref join topups t on t.id = v.topup_id
   where l.kind = ${MOVEMENT.invitation} and not (t.user_id = l.user_id and (v.kind = 'won') = (l.delta > 0)
     and exists (select from invitations i where i.invitee_id = t.user_id and i.paid_by = t.ref))
   order by 2 limit ${LIST_MAX}`,
  `select 'gifts taken back within their share' as check, i.ref::text as id, s.share::bigint as expected,
     g.taken::bigint as found
   from (
     select user_id, -sum(delta) as taken from ledger
     where kind = ${MOVEMENT.invitation} and ref in (select ref from topup_reversals) group by user_id
   ) g join invitations i on i.invitee_id = g.user_id join topups o on o.ref = i.paid_by
   cross join lateral (
     select floor(i.invitee_paid::numeric * coalesce(sum(case when v.kind = 'won' then -v.money else v.money end), 0)
       / o.money) as share
     from topup_reversals v where v.topup_id = o.id
   ) s where g.taken not between 0 and s.share order by 2 limit ${LIST_MAX}`,
  // Of a user's claims the row has the sum, and the last one by its ref.
  `select 'fuel packs = ledger' as check, coalesce(f.user_id, l.user_id)::text as id,
     coalesce(l.total, 0)::bigint as expected, coalesce(f.total_quota, 0)::bigint as found
   from fuel_packs f
   full join (
     select user_id, sum(delta) as total from ledger where kind = ${MOVEMENT.fuelPack} group by user_id
   ) l on l.user_id = f.user_id
   where coalesce(f.total_quota, 0) <> coalesce(l.total, 0) order by 2, 3 limit ${LIST_MAX}`,
  `select 'last fuel pack = ledger' as check, f.ref::text as id, 1::bigint as expected, 0::bigint as found
   from fuel_packs f where not exists (
     select from ledger l where l.ref = f.ref and l.kind = ${MOVEMENT.fuelPack} and l.user_id = f.user_id
   ) order by 2 limit ${LIST_MAX}`,
  perCause(
    'top-ups = paid orders',
    `select ref, user_id, quota from topups where status in ('success', 'refunded', 'disputed', 'owed', 'reinstated')`,
    `select ref, user_id, delta as quota from ledger where kind = ${MOVEMENT.topUp}`,
  ),
  perCause(
    'taken back + written off = payments taken back',
    `select r.ref, t.user_id, case when r.kind = 'won' then -r.quota else r.quota end as quota
     from topup_reversals r join topups t on t.id = r.topup_id`,
    `select ref, user_id,
       sum(case when kind = ${MOVEMENT.writeOff} then note::bigint else -delta end) as quota
     from ledger where kind in (${MOVEMENT.takenBack}, ${MOVEMENT.reinstated})
       or (kind = ${MOVEMENT.writeOff} and ref in (select ref from topup_reversals))
     group by ref, user_id`,
  ),
  perCause(
    'refunds = tasks given back',
    'select request_id as ref, user_id, refunded as quota from tasks where refunded > 0',
    `select ref, user_id, delta as quota from ledger where kind = ${MOVEMENT.refund}`,
  ),
  // What statements read in the place of a million charges.
  `select 'charges = usage_hourly' as check, coalesce(l.user_id, h.user_id)::text as id,
     coalesce(l.total, 0)::bigint as expected, coalesce(h.total, 0)::bigint as found
   from (select user_id, -sum(delta) as total from ledger where kind = ${MOVEMENT.charge} group by user_id) l
   full join (select user_id, sum(quota) as total from usage_hourly group by user_id) h on h.user_id = l.user_id
   where coalesce(l.total, 0) <> coalesce(h.total, 0) order by 2, 3 limit ${LIST_MAX}`,
  rollup('calls', 'count(*)'),
  rollup('quota', 'sum(quota)'),
  rollup('prompt_tokens', 'sum(prompt_tokens)'),
  rollup('completion_tokens', 'sum(completion_tokens)'),
  folded('calls'),
  folded('quota'),
  FOLDED_FAILURES,
  MONTHS,
  negative('users', 'quota'),
  negative('users', 'reserved'),
  negative('users', 'used_quota'),
  negative('users', 'aff_quota'),
  negative('users', 'activity_quota'),
  negative('tokens', 'remain_quota', 'not unlimited_quota'),
  negative('reservations', 'amount'),
];

/** They read what every row tells beside its columns: the server's own audit leaves them to `./scripts/audit`. */
const CHECKS_OF_ROWS: readonly string[] = [READINGS, FAILED_ROWS];

/** The report as lines for a terminal. */
export function auditText({ findings, orphans, writeOffs, ...seen }: AuditReport): string {
  const time = (sec: number) => new Date(sec * 1000).toISOString();
  const shown = (n: number) => (n >= LIST_MAX ? `${n} or more` : String(n));
  return [
    `${seen.users} users, ${seen.ledgerRows} ledger rows, ${seen.openReservations} open reservations`,
    ...findings.map((f) => `WRONG  ${f.check}: ${f.id} has ${f.found}, expected ${f.expected}`),
    ...orphans.map((o) => `orphan     ${o.id} user ${o.user_id} ${time(o.orphaned_at)}`),
    ...writeOffs.map((w) => `write-off  ${w.id} user ${w.user_id} ${w.quota} units ${time(w.created_at)}`),
    `${shown(orphans.length)} orphans, ${shown(writeOffs.length)} write-offs`,
    findings.length === 0 ? 'Every unit is accounted for.' : `${shown(findings.length)} sums do not hold.`,
  ].join('\n');
}
