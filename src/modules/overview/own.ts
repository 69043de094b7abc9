/** How things stand for one who is signed in: his balance, what he used, what he has not done yet. */
import { sql } from 'drizzle-orm';
import { dayStarts } from '../../core/days.ts';
import { fail } from '../../core/errors.ts';
import { can } from '../../core/roles.ts';
import { DAY_SEC, nowSec } from '../../core/time.ts';
import { knownZone } from '../../core/time-text.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { OwnOverview } from './contract.ts';
import { OWN_DAYS, STEPS, type StepName } from './facts.ts';
import { overviewUsage } from './usage.ts';

type Reads = Pick<Deps, 'db' | 'options'>;

interface Asking {
  id: number;
  role: number;
}

/** `unpriced` tells the models that channels serve and nothing prices. Throws LOG_TIMEOUT. */
export async function ownOverview(
  deps: Reads,
  viewer: Asking,
  { timeZone, unpriced }: { timeZone: string | undefined; unpriced: () => Promise<readonly string[]> },
): Promise<OwnOverview> {
  const to = nowSec();
  const [from = to] = dayStarts(to - (OWN_DAYS - 1) * DAY_SEC, to, knownZone(timeZone));
  const reader = { id: viewer.id, ownerId: viewer.id };
  const [usage, own] = await Promise.all([
    overviewUsage(deps, reader, { from, to, step: 'day', timeZone }),
    ownState(deps, viewer.id),
  ]);
  const { quota, reserved } = own;
  const done = can(viewer.role, 'canManageChannels')
    ? { ...(await siteSteps(deps, unpriced)), token: own.has_token, call: own.has_called }
    : { balance: quota > 0 || own.has_called, token: own.has_token, call: own.has_called };
  return { quota, reserved, usage, steps: inOrder(done) };
}

const inOrder = (done: Partial<Record<StepName, boolean>>): OwnOverview['steps'] =>
  STEPS.flatMap((name) => {
    const isDone = done[name];
    return isDone === undefined ? [] : [{ name, done: isDone }];
  });

interface OwnState {
  quota: number;
  reserved: number;
  has_token: boolean;
  has_called: boolean;
}

async function ownState({ db }: Reads, userId: number): Promise<OwnState> {
  const [row] = rowsOf<OwnState>(
    await db.orm.execute(sql`
      select quota, reserved, request_count > 0 as has_called,
        exists (select 1 from tokens where user_id = users.id and deleted_at is null) as has_token
      from users where id = ${userId}::bigint`),
  );
  if (!row) throw fail('NOT_FOUND');
  return row;
}

/** What must be there before anybody can call: a channel, one that answers, a price for what it serves. */
async function siteSteps({ db, options }: Reads, unpriced: () => Promise<readonly string[]>) {
  const [row] = rowsOf<{ channel: boolean; test: boolean; serves: boolean }>(
    await db.orm.execute(sql`
      select exists (select 1 from channels) as channel,
        exists (select 1 from channels where response_time > 0 or used_quota > 0) as test,
        exists (select 1 from abilities where enabled) as serves`),
  );
  const { channel = false, test = false, serves = false } = row ?? {};
  // Who uses the site alone needs no prices.
  if (options.get('SelfUseModeEnabled')) return { channel, test };
  return { channel, test, price: serves && (await unpriced()).length === 0 };
}
