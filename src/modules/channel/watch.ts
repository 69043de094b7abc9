/**
 * Tests that nobody asks for: channels that were disabled by themselves are probed until they are well, less and less
 * often; the enabled ones are tested on a schedule where that is switched on. Of several processes one does it.
 */

import { limits } from '../../core/limits.ts';
import { probeAfterSec } from '../../core/probe-times.ts';
import { MINUTE_SEC, nowSec } from '../../core/time.ts';
import { dropLease, holdLease } from '../../db/lease.ts';
import { type Rounds, startRounds } from '../../jobs/rounds.ts';
import type { Deps } from '../deps.ts';
import { CHANNEL_STATUS } from './facts.ts';
import { noteProbe } from './health.ts';
import { type ChannelProbe, type Tester, testChannel } from './probe.ts';

const LEASE = 'channel.watch';
/** Longer than a test takes: the lease is renewed before each. */
const LEASE_SEC = 90;
const AT_ONCE = 4;
const TEST_MS_LEAST = 10_000;

type WatchDeps = Pick<
  Deps,
  'db' | 'bootId' | 'changes' | 'secrets' | 'options' | 'env' | 'alerts' | 'log' | 'stopping'
>;

/** Makes the tests that are due, and answers how many. None while another process does it. */
export const startWatch = (deps: WatchDeps, probe: ChannelProbe): Rounds =>
  startRounds({
    everyMs: limits.watchMs,
    make: async (signal) => (deps.stopping.begun ? 0 : makeRound(deps, probe, signal)),
    onFault: (error) => deps.log.warn('channel.watch', { error }),
  });

async function makeRound(deps: WatchDeps, probe: ChannelProbe, signal: AbortSignal): Promise<number> {
  const { db, bootId } = deps;
  const tester = await rootTester(deps);
  const hold = () => holdLease(db, LEASE, bootId, LEASE_SEC);
  if (!tester || !isOn(deps) || !(await hold())) return 0;
  let tests = 0;
  const due = (await dueChannels(deps)).values();
  const worker = async () => {
    for (const { id, status } of due) {
      if (signal.aborted || !(await hold())) return;
      // Counted before the test, so that one which brings the process down is not made again and again.
      if (status === CHANNEL_STATUS.autoDisabled) await noteProbe(deps, id);
      await testByItself(deps, probe, { id, tester, signal });
      tests++;
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
  } finally {
    await dropLease(db, LEASE, bootId);
  }
  return tests;
}

const isOn = ({ options }: WatchDeps): boolean =>
  options.get('AutomaticEnableChannelEnabled') || options.get('monitor_setting.enabled');

async function testByItself(
  deps: WatchDeps,
  probe: ChannelProbe,
  { id, tester, signal }: { id: number; tester: Tester; signal: AbortSignal },
): Promise<void> {
  const timeoutMs = Math.max(deps.options.get('ChannelDisableThreshold') * 2_000, TEST_MS_LEAST);
  const wish = { timeoutMs, signal };
  await testChannel(deps, probe, { id, model: undefined, tester, wish, isJudged: true }).catch(
    // The channel was removed meanwhile, or the database is away: the next round sees.
    (error: unknown) => deps.log.warn('channel.watch', { channel_id: id, error }),
  );
}

interface Due {
  id: number;
  status: number;
}

/** Channels of both kinds whose time has come, the longest waiting first. */
async function dueChannels(deps: WatchDeps): Promise<Due[]> {
  const { db, options } = deps;
  const rows = await db.query<Due & { test_time: number; probes: number; since: number; last_ok: boolean }>(
    `select id, status, test_time,
            coalesce((other_info->>'probes')::int, 0) as probes,
            coalesce((other_info->>'probed_at')::bigint, (other_info->>'status_time')::bigint, 0) as since,
            other_info->'tests'->-1 is distinct from 'null'::jsonb as last_ok
       from channels where status = any($1::int[]) and not expired_time between 1 and $2 order by test_time, id`,
    [`{${wantedStatuses(options).join(',')}}`, nowSec()],
  );
  const now = nowSec();
  const everySec = options.get('monitor_setting.minutes') * MINUTE_SEC;
  const busy = await answeredSince(deps, now - everySec);
  return rows.filter(({ id, status, test_time, probes, since, last_ok }) =>
    status === CHANNEL_STATUS.autoDisabled
      ? since + probeAfterSec(probes) <= now
      : // A failure is looked at again soon: two of three decide.
        (last_ok && test_time + everySec <= now && !busy.has(id)) ||
        (!last_ok && test_time + MINUTE_SEC <= now),
  );
}

const wantedStatuses = (options: Deps['options']): number[] => [
  ...(options.get('AutomaticEnableChannelEnabled') ? [CHANNEL_STATUS.autoDisabled] : []),
  ...(options.get('monitor_setting.enabled') ? [CHANNEL_STATUS.enabled] : []),
];

/** Channels that real calls have found well: to test them costs tokens and says nothing new. */
async function answeredSince({ db }: WatchDeps, sinceSec: number): Promise<Set<number>> {
  const rows = await db.query<{ channel_id: number }>(
    `select channel_id from logs where type = 2 and created_at >= $1
     union select channel_id from usage_unlogged where hour >= $1 / 3600 * 3600`,
    [sinceSec],
  );
  return new Set(rows.map(({ channel_id }) => channel_id));
}

/** Tests stand in root's name; null before the set-up. */
async function rootTester({ db }: WatchDeps): Promise<Tester | null> {
  const [root] = await db.query<Omit<Tester, 'ip'>>(
    `select id, username, group_name as "group" from users where role = 100 and deleted_at is null order by id limit 1`,
  );
  return root ? { ...root, ip: '' } : null;
}
