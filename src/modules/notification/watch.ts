/**
 * Warns users whose balance runs low. Nothing of it stands in the way of a call: the money statements know no
 * threshold, and no call asks a question more. Once a minute one of all processes looks at who has used anything of
 * late, which the hourly figures say, and what he has left. That costs one statement a minute however many calls there
 * are; a question with each settlement would cost thousands, to tell somebody a minute earlier.
 *
 * A user is warned once when he falls below his threshold, again when he was above it and fell once more, and once a
 * day while he goes on below it; never twice within two hours. His own row is not locked for it: what was told to
 * whom stands in a table of its own.
 */
import { limits } from '../../core/limits.ts';
import { HOUR_SEC, nowSec } from '../../core/time.ts';
import { dropLease, holdLease } from '../../db/lease.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import { type NotifyDeps, notifyPatiently, notifySetting, type Told } from './service.ts';

type WatchDeps = NotifyDeps & Pick<Deps, 'db' | 'bootId' | 'log'>;

const LEASE = 'quota.watch';
/** Longer than from one round to the next, which renews it. */
const LEASE_SEC = 150;

export interface QuotaWatch extends Rounds {
  /** Resolves when all that was to be told has arrived, or was given up. */
  delivered(): Promise<void>;
}

/** Warns whom it is time for, and answers how many. None while another process does it. */
export function startQuotaWatch(deps: WatchDeps): QuotaWatch {
  const { db, bootId, log } = deps;
  /** Told beside the rounds, so that nobody waits for another's webhook. */
  const underWay = new Set<Promise<void>>();
  const warn = ({ threshold, left, ...user }: Due, signal: AbortSignal): void => {
    // Told once too seldom is better than a mailbox that is told again and again: what was claimed stays claimed.
    const told = notifyPatiently(deps, user, { type: 'quota_exceed', quota: left, threshold }, signal)
      .catch((error: unknown) => log.warn('quota.warning', { user_id: user.id, error }))
      .finally(() => underWay.delete(told));
    underWay.add(told);
  };
  const rounds = startRounds({
    everyMs: limits.quotaWatchMs,
    async make(signal) {
      if (!(await holdLease(db, LEASE, bootId, LEASE_SEC))) return 0;
      await noteRisen(deps);
      const room = limits.warningsUnderWay - underWay.size;
      const due = await claimDue(deps, Math.min(room, limits.warningsARound));
      for (const one of due) warn(one, signal);
      return due.length;
    },
    onFault: (error) => log.warn('quota.watch', { error }),
  });
  const delivered = async () => void (await Promise.all(underWay));
  return {
    round: rounds.round,
    delivered,
    async stop() {
      await rounds.stop();
      await delivered();
      await dropLease(db, LEASE, bootId).catch(() => undefined);
    },
  };
}

/** What the user owns, calls under way included, as the console shows it: what they hold may come back. */
const LEFT = 'u.quota + u.reserved';
/** $1 is the operator's threshold. */
const THRESHOLD = `case when jsonb_typeof(u.setting->'quota_warning_threshold') = 'number'
  then (u.setting->>'quota_warning_threshold')::numeric else $1::bigint end`;

/** Who is above his threshold again may be warned of his next fall. */
const noteRisen = ({ db, options }: WatchDeps) =>
  db.query(
    `update quota_warnings w set is_below = false
       from users u where w.is_below and u.id = w.user_id and ${LEFT} >= ${THRESHOLD}`,
    [options.get('QuotaRemindThreshold')],
  );

interface Due extends Told {
  left: number;
  threshold: number;
}

/** $2 is now. */
const WAITED = `w.warned_at <= $2::bigint - case when w.is_below then ${limits.warnedBelowSec} else ${limits.warnedSec} end`;
/** $4: mail can be sent. Who has named no place is not warned, and keeps his turn for when he has. */
const HAS_PLACE = `case when u.setting->>'notify_type' = 'webhook' then coalesce(u.setting->>'webhook_url', '') <> ''
  else $4::boolean and (coalesce(u.setting->>'notification_email', '') <> '' or u.email <> '') end`;

/**
 * Takes on itself to warn those who are below and whose time has come, at most so many a round, that a site's mail
 * server is not flooded. Of several who claim at once one gets each user.
 */
export async function claimDue(
  { db, options, mailer }: WatchDeps,
  most: number = limits.warningsARound,
): Promise<Due[]> {
  const now = nowSec();
  const since = now - (now % HOUR_SEC) - HOUR_SEC;
  const claimed = await db.query<{ user_id: number }>(
    `with low as (
       select u.id from (select distinct user_id from usage_hourly where hour >= $3::bigint) used
         join users u on u.id = used.user_id
         left join quota_warnings w on w.user_id = u.id
        where u.status = 1 and u.deleted_at is null and ${LEFT} < ${THRESHOLD} and ${HAS_PLACE}
          and (w.user_id is null or ${WAITED})
        order by u.id limit ${most}
     )
     insert into quota_warnings as w (user_id, warned_at, is_below) select id, $2::bigint, true from low
     on conflict (user_id) do update set warned_at = excluded.warned_at, is_below = true where ${WAITED}
     returning user_id`,
    [options.get('QuotaRemindThreshold'), now, since, mailer.isSet()],
  );
  if (claimed.length === 0) return [];
  const rows = await db.query<Omit<Due, 'threshold' | 'setting'> & { setting: string }>(
    `select u.id, u.language, u.email, u.setting::text as setting, ${LEFT} as "left"
       from users u where u.id = any($1::bigint[])`,
    [`{${claimed.map(({ user_id }) => user_id).join(',')}}`],
  );
  return rows.map(({ setting: text, ...row }) => {
    const setting: Told['setting'] = JSON.parse(text);
    return { ...row, setting, threshold: notifySetting(setting, options).quota_warning_threshold };
  });
}
