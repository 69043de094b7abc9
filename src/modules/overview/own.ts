/** How things stand for one who is signed in: his balance, what he used, what he has not done yet. */
import { dayStarts } from '../../core/days.ts';
import { can, hasRole } from '../../core/roles.ts';
import { DAY_SEC, nowSec } from '../../core/time.ts';
import { knownZone } from '../../core/time-text.ts';
import { publicAddress } from '../../options/public-address.ts';
import { rootPassword } from '../auth/service.ts';
import { channelReadiness } from '../channel/service.ts';
import type { Deps } from '../deps.ts';
import { hasToken } from '../token/service.ts';
import { hasCalls } from '../usage/service.ts';
import { accountState } from '../user/service.ts';
import type { OverviewUsage, OwnOverview } from './contract.ts';
import { OWN_DAYS, STEPS, type StepName } from './facts.ts';
import { unlessBusy } from './unless-busy.ts';
import { overviewUsage } from './usage.ts';

type Reads = Pick<Deps, 'db' | 'options' | 'env'>;

interface Asking {
  id: number;
  role: number;
}

type Steps = Partial<Record<StepName, boolean>>;

/** `unpriced` tells the models that channels serve and nothing prices. Throws NOT_FOUND. */
export async function ownOverview(
  deps: Reads,
  viewer: Asking,
  { timeZone, unpriced }: { timeZone: string | undefined; unpriced: () => Promise<readonly string[]> },
): Promise<OwnOverview> {
  const [usage, { quota, reserved, has_called: call }, site, password] = await Promise.all([
    ownUsage(deps, viewer.id, timeZone),
    accountState(deps.db, viewer.id),
    can(viewer.role, 'canManageChannels') ? siteSteps(deps, unpriced) : null,
    hasRole(viewer.role, 'root') ? rootPassword(deps.db) : null,
  ]);
  const done: Steps = {
    ...(site ? site.done : { balance: quota > 0 || call, token: await hasToken(deps.db, viewer.id), call }),
    ...(password && { password: password === 'changed' }),
    ...(can(viewer.role, 'canManageOptions') && { address: publicAddress(deps) !== '' }),
  };
  return { quota, reserved, usage, steps: inOrder(done), untested: site?.untested ?? null };
}

async function ownUsage(
  deps: Reads,
  id: number,
  timeZone: string | undefined,
): Promise<OverviewUsage | 'busy' | null> {
  const to = nowSec();
  const [from = to] = dayStarts(to - (OWN_DAYS - 1) * DAY_SEC, to, knownZone(timeZone));
  return unlessBusy(overviewUsage(deps, { id, ownerId: id }, { from, to, step: 'day', timeZone }));
}

const inOrder = (done: Steps): OwnOverview['steps'] =>
  STEPS.flatMap((name) => {
    const isDone = done[name];
    return isDone === undefined ? [] : [{ name, done: isDone }];
  });

/**
 * What must be there before anybody can call, whoever made it: a channel, one that was tested, a price for what it serves, a
 * token; and whether anybody has.
 */
async function siteSteps(
  { db, options }: Reads,
  unpriced: () => Promise<readonly string[]>,
): Promise<{ done: Steps; untested: OwnOverview['untested'] }> {
  const [{ newest, has_passed: test, serves }, token, call] = await Promise.all([
    channelReadiness(db),
    hasToken(db),
    hasCalls(db),
  ]);
  const done = { channel: newest !== null, test, token, call };
  const untested = test ? null : newest;
  // Who uses the site alone needs no prices.
  if (options.get('SelfUseModeEnabled')) return { done, untested };
  return { done: { ...done, price: serves && (await unpriced()).length === 0 }, untested };
}
