/** Tests of many channels, and balances of many: background jobs with a result a channel. */

import { and, asc, eq, type SQL } from 'drizzle-orm';
import type { Actor } from '../../core/actor.ts';
import type { AdminActionName } from '../../core/admin-actions.ts';
import { AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Reason, reasonText } from '../../core/reasons.ts';
import { among } from '../../db/among.ts';
import { channels } from '../../db/schema/channel.ts';
import { cancelJob } from '../../jobs/progress.ts';
import { type JobResult, startJob } from '../../jobs/runner.ts';
import { recordDone } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { updateBalance } from './balance.ts';
import type { Scope } from './contract.ts';
import { CHANNEL_STATUS } from './facts.ts';
import { disableKeyAndTell } from './judge.ts';
import { type ChannelProbe, type Tester, testChannel } from './probe.ts';

export const TEST_JOB = 'channel.test';
export const BALANCE_JOB = 'channel.balance';

const AT_ONCE = 4;
/** One dead channel must not hold up the others. */
const TEST_MS = 10_000;

type SurveyDeps = Pick<
  Deps,
  'db' | 'changes' | 'secrets' | 'log' | 'options' | 'env' | 'alerts' | 'metrics' | 'stopping'
>;

interface Surveyed {
  id: number;
  name: string;
  status: number;
  auto_ban: number;
}

/** Begins to test the channels of a scope and answers how many. Throws CHANNEL_JOB_RUNNING. */
export async function testMany(
  deps: SurveyDeps,
  probe: ChannelProbe,
  { scope, tester, actor }: { scope: Scope; tester: Tester; actor: Actor },
): Promise<number> {
  return survey(
    deps,
    { name: TEST_JOB, scope, actor, action: 'channel.test_all' },
    async ({ id, name }, signal) => {
      const wish = { timeoutMs: TEST_MS, signal };
      const { success, reason, timeMs } = await testChannel(deps, probe, {
        id,
        model: undefined,
        tester,
        wish,
        isJudged: true,
      });
      return {
        ok: success,
        detail: { id, name, message: reason && { ...reasonText(reason) }, time: timeMs / 1000 },
      };
    },
  );
}

/** Begins to ask for the balances of a scope and answers how many. Throws CHANNEL_JOB_RUNNING. */
export async function updateBalances(
  deps: SurveyDeps,
  probe: ChannelProbe,
  { scope, actor }: { scope: Scope; actor: Actor },
): Promise<number> {
  return survey(deps, { name: BALANCE_JOB, scope, actor, action: 'channel.balance_all' }, async (channel) => {
    const { id, name } = channel;
    try {
      const { balance, key } = await updateBalance(deps, probe, id);
      const restsNow = key && balance <= 0 && (await restForEmptyAccount(deps, channel, key));
      return { ok: true, detail: { id, name, balance, ...(restsNow ? { disabled: true } : {}) } };
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // Not offered is no failure.
      const offered = error.code !== 'CHANNEL_BALANCE_NONE';
      return {
        ok: !offered,
        detail: { id, name, message: { zh: error.text('zh'), en: error.text('en') }, offered },
      };
    }
  });
}

/**
 * The key whose account is empty is disabled, where that may be; true when its enabled channel went with it.
 */
async function restForEmptyAccount(
  deps: SurveyDeps,
  channel: Surveyed,
  key: { id: number },
): Promise<boolean> {
  const mayRest = deps.options.get('AutomaticDisableChannelEnabled') && channel.auto_ban === 1;
  if (!mayRest || channel.status !== CHANNEL_STATUS.enabled) return false;
  const reason: Reason = { code: 'no-balance' };
  return (await disableKeyAndTell(deps, channel, key, { reason })) === 'disabled';
}

async function survey(
  deps: SurveyDeps,
  { name, scope, actor, action }: { name: string; scope: Scope; actor: Actor; action: AdminActionName },
  work: (channel: Surveyed, signal: AbortSignal) => Promise<JobResult>,
): Promise<number> {
  const items = await surveyed(deps, scope);
  const lost = (channel: Surveyed): JobResult => ({ ok: false, detail: lostDetail(channel) });
  const id = await startJob(deps, { name, items, atOnce: AT_ONCE, lost, work });
  if (id === null) throw fail('CHANNEL_JOB_RUNNING');
  const facts = { job: id, count: items.length };
  await recordDone(deps.db.orm, { actor, action, target: 'channels', facts });
  return items.length;
}

/** Asks the job of a name to stop; false when none is under way. */
export async function cancelSurvey(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  name: typeof TEST_JOB | typeof BALANCE_JOB,
): Promise<boolean> {
  const isAsked = await cancelJob(db, name);
  const action = name === TEST_JOB ? 'channel.test_cancel' : 'channel.balance_cancel';
  if (isAsked) await recordDone(db.orm, { actor, action, target: 'channels' });
  return isAsked;
}

const lostDetail = ({ id, name }: Surveyed): JsonObject => ({
  id,
  name,
  message: { ...reasonText({ code: 'gateway' }) },
});

function surveyed({ db }: SurveyDeps, { status, ids }: Scope): Promise<Surveyed[]> {
  const wanted: SQL[] = [];
  if (status) wanted.push(eq(channels.status, status));
  if (ids) wanted.push(among(channels.id, ids));
  const { id, name, status: held, auto_ban } = channels;
  return db.orm
    .select({ id, name, status: held, auto_ban })
    .from(channels)
    .where(and(...wanted))
    .orderBy(asc(id));
}
