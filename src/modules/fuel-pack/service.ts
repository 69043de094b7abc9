/** The fuel pack: quota that every user may claim for free, once in so many days. */
import { and, count, eq, gt, ne, not, sql } from 'drizzle-orm';
import { adjustQuota, MOVEMENT } from '../../billing/ledger.ts';
import { fail } from '../../core/errors.ts';
import { unitsText } from '../../core/money.ts';
import { QUOTA_MAX } from '../../core/price-formula.ts';
import type { Executor, Tx } from '../../db/client.ts';
import { now } from '../../db/columns.ts';
import { fuelPacks, users } from '../../db/schema/index.ts';
import type { Options } from '../../options/store.ts';
import { providerNetwork, turnSubject } from '../../platform/limiter.ts';
import type { Deps } from '../deps.ts';
import { fuelPackIntervalSec, GIFT, type GiftDeps, give, lastGivenTo } from '../gift/service.ts';
import { writeLog } from '../log/service.ts';

type ClaimDeps = GiftDeps;

export interface Claimer {
  id: number;
  username: string;
  group: string;
  ip: string;
}

export interface FuelPackStatus {
  /** Whether it can be claimed now. */
  available: boolean;
  /** Unix seconds from which it can be claimed again; 0 when there is nothing to wait for. */
  next_at: number;
  /** Quota units of the next one; 0 while there are none. */
  quota: number;
  /** Days from one claim to the next. */
  interval_days: number;
}

/** Quota units of a fuel pack; 0 while none are given. */
export const fuelPackQuota = (options: Options): number =>
  options.get('FuelPackEnabled') ? options.get('FuelPackQuota') : 0;

export async function fuelPackStatus(
  deps: Pick<ClaimDeps, 'db' | 'secrets' | 'options'>,
  userId: number,
): Promise<FuelPackStatus> {
  const quota = fuelPackQuota(deps.options);
  const interval_days = deps.options.get('FuelPackLimit');
  if (quota === 0) return { available: false, next_at: 0, quota, interval_days };
  const { orm } = deps.db;
  const next_at = Math.max(await nextOfAccount(orm, deps, userId), await nextOfProofs(orm, deps, userId));
  return { available: next_at === 0, next_at, quota, interval_days };
}

/** Unix seconds; 0 when the account's last claim is long enough ago, by the database's clock. */
async function nextOfAccount(
  executor: Executor,
  { options }: Pick<ClaimDeps, 'options'>,
  userId: number,
): Promise<number> {
  const [waits] = await executor
    .select({ claimed_at: fuelPacks.claimed_at })
    .from(fuelPacks)
    .where(and(eq(fuelPacks.user_id, userId), isRecent(options)));
  return waits ? waits.claimed_at + fuelPackIntervalSec(options) : 0;
}

/** The same of the last claim that any account has made with one of the user's proofs. */
async function nextOfProofs(
  executor: Executor,
  { options, secrets }: Pick<ClaimDeps, 'options' | 'secrets'>,
  userId: number,
): Promise<number> {
  const withinSec = fuelPackIntervalSec(options);
  const last = await lastGivenTo(executor, secrets, { kind: GIFT.fuelPack, userId, withinSec });
  return last === null ? 0 : last + withinSec;
}

const isRecent = (options: Options) =>
  gt(fuelPacks.claimed_at, sql`${now} - ${fuelPackIntervalSec(options)}::bigint`);

/** All that a user ever claimed, in quota units. */
export async function fuelPackHistory({ db }: Pick<Deps, 'db'>, userId: number): Promise<number> {
  const [row] = await db.orm
    .select({ total: fuelPacks.total_quota })
    .from(fuelPacks)
    .where(eq(fuelPacks.user_id, userId));
  return row?.total ?? 0;
}

/**
 * Adds a fuel pack to the balance and answers its quota: exactly once in the interval, however many claims come at once.
 * Throws FUEL_PACK_OFF, FUEL_PACK_CLAIMED (with `next_at`), FUEL_PACK_UNVERIFIED, FUEL_PACK_NETWORK, FUEL_PACK_SPENT,
 * SESSION_EXPIRED when the account was cancelled meanwhile, QUOTA_RANGE.
 */
export async function claimFuelPack(deps: ClaimDeps, claimer: Claimer): Promise<number> {
  const { db, options } = deps;
  const quota = fuelPackQuota(options);
  if (quota === 0) throw fail('FUEL_PACK_OFF');
  return db.orm.transaction(async (tx) => {
    if (options.get('fuel_pack.verified_only')) await requireVerified(tx, claimer.id);
    const networks = await requireRoom(deps, tx, claimer);
    const ref = crypto.randomUUID();
    // The row's lock makes claims take turns, and each but the first finds that it is not due.
    const [claimed] = await tx
      .insert(fuelPacks)
      .values({ user_id: claimer.id, ref, ...networks, claimed_at: now, total_quota: quota })
      .onConflictDoUpdate({
        target: fuelPacks.user_id,
        set: {
          ref,
          ...networks,
          claimed_at: sql`excluded.claimed_at`,
          total_quota: sql`least(${fuelPacks.total_quota} + excluded.total_quota, ${QUOTA_MAX}::bigint)`,
        },
        setWhere: not(isRecent(options)),
      })
      .returning({ claimed_at: fuelPacks.claimed_at });
    if (!claimed) {
      throw fail('FUEL_PACK_CLAIMED', { data: { next_at: await nextOfAccount(tx, deps, claimer.id) } });
    }
    const note = `fuel_pack:${options.get('FuelPackLimit')}`;
    const gift = { kind: GIFT.fuelPack, userId: claimer.id, quota };
    const came = await give(deps, tx, gift, async () => {
      await adjustQuota(tx, { userId: claimer.id, kind: MOVEMENT.fuelPack, ref, delta: quota, note });
      return true;
    });
    if (came === 'spent') throw fail('FUEL_PACK_SPENT');
    if (came === 'unfit') throw fail('SESSION_EXPIRED');
    if (came === 'had') {
      throw fail('FUEL_PACK_CLAIMED', { data: { next_at: await nextOfProofs(tx, deps, claimer.id) } });
    }
    await writeLog(tx, {
      type: 'activity',
      user: claimer,
      text: {
        zh: `领取加油包 ${unitsText(quota).zh}`,
        en: `Claimed a fuel pack worth ${unitsText(quota).en}`,
      },
      quota,
      ip: claimer.ip,
      other: { ref },
    });
    return quota;
  });
}

async function requireVerified(tx: Tx, userId: number): Promise<void> {
  const [user] = await tx
    .select({ email: users.email, phone: users.phone })
    .from(users)
    .where(eq(users.id, userId));
  if (!user?.email && !user?.phone) throw fail('FUEL_PACK_UNVERIFIED');
}

/** Classes of the advisory locks that count the claims of a network: always in this order, so that nobody waits in a circle. */
const NETWORK_LOCK = 7_202_614;
const PROVIDER_LOCK = 7_202_615;

interface Networks {
  network: string;
  provider_network: string;
}

/** Answers the networks of a claim, as they are stored. Claims from one network wait for one another. */
async function requireRoom(
  { options, secrets }: Pick<ClaimDeps, 'options' | 'secrets'>,
  tx: Tx,
  { id, ip }: Claimer,
): Promise<Networks> {
  const hashOf = (subject: string) => secrets.lookup(`fuel_pack:${subject}`);
  const network = hashOf(turnSubject(ip));
  const provider = providerNetwork(ip);
  const networks: Networks = { network, provider_network: provider ? hashOf(provider.subject) : '' };
  const most = options.get('fuel_pack.accounts_per_network');
  if (most === 0) return networks;
  const requireFewer = async (column: keyof Networks, lock: number, limit: number) => {
    await tx.execute(sql`select pg_advisory_xact_lock(${lock}::int, hashtext(${networks[column]}))`);
    const [others] = await tx
      .select({ n: count() })
      .from(fuelPacks)
      .where(and(eq(fuelPacks[column], networks[column]), ne(fuelPacks.user_id, id), isRecent(options)));
    if ((others?.n ?? 0) >= limit) throw fail('FUEL_PACK_NETWORK');
  };
  await requireFewer('network', NETWORK_LOCK, most);
  if (provider) await requireFewer('provider_network', PROVIDER_LOCK, most * provider.times);
  return networks;
}
