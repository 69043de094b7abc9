/** Invitations: who invited whom, what it earns both, and how rewards come to the balance. */
import { and, count, desc, eq, isNull, sql } from 'drizzle-orm';
import { adjustQuota, MOVEMENT, type Moved } from '../../billing/ledger.ts';
import { type RewardBalances, transferRewards } from '../../billing/rewards.ts';
import { fail } from '../../core/errors.ts';
import type { InvitationState, InvitationTrigger } from '../../core/invitations.ts';
import { limits } from '../../core/limits.ts';
import { unitsText } from '../../core/money.ts';
import { HOUR_SEC, nowSec } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import type { Tx } from '../../db/client.ts';
import { invitations, rewards, users } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import type { GiftDeps } from '../gift/service.ts';
import { writeLog } from '../log/service.ts';
import type { InvitedItem, TermsView } from './contract.ts';
import { payInvitation, rewarding } from './pay.ts';
import { termsOf } from './terms.ts';

export { rewarding } from './pay.ts';
export { reinstateTopUp, takeBackTopUp } from './take-back.ts';

export interface Inviter {
  id: number;
  code: string;
}

/**
 * Who invites with this code, with one more guest; null where nobody has it. His row is locked from then on. To be called
 * before the invited user is inserted, so that his id is the higher one.
 */
export async function countGuest(tx: Tx, affCode: string): Promise<Inviter | null> {
  const code = affCode.trim();
  if (code === '') return null;
  const [row] = await tx
    .update(users)
    .set({ aff_count: sql`${users.aff_count} + 1` })
    .where(and(eq(users.aff_code, code), isNull(users.deleted_at)))
    .returning({ id: users.id });
  return row ? { id: row.id, code } : null;
}

/** Notes what the invitation of a new user is worth, and pays it where nothing is to be waited for. */
export async function recordInvitation(
  tx: Tx,
  deps: GiftDeps,
  inviter: Inviter,
  /** `isVerified`: a mailbox or a phone is proved to be his. */
  invitee: { id: number; isVerified: boolean },
): Promise<void> {
  const { trigger, inviterQuota, inviteeQuota, specialCode } = await termsOf(tx, deps.options, inviter.code);
  const isDue = trigger === 'register' || (trigger === 'verified' && invitee.isVerified);
  const isWorthless = inviterQuota === 0 && inviteeQuota === 0;
  const [invitation] = await tx
    .insert(invitations)
    .values({
      invitee_id: invitee.id,
      inviter_id: inviter.id,
      ref: crypto.randomUUID(),
      trigger,
      special_code: specialCode,
      inviter_quota: inviterQuota,
      invitee_quota: inviteeQuota,
      created_at: nowSec(),
      paid_at: isDue || isWorthless ? nowSec() : null,
    })
    .returning();
  if (invitation && isDue) await payInvitation(tx, deps, invitation);
}

/**
 * Credits what a user has paid for with money; the first time it also pays the invitation that has waited for it. A code
 * does not: whoever makes codes gives them away as well. To be called before anything else in the transaction locks the
 * user's row. Throws as `adjustQuota` does.
 */
export const creditTopUp = (
  tx: Tx,
  deps: GiftDeps,
  movement: { userId: number; ref: string; delta: number; note?: string },
): Promise<Moved> =>
  rewarding(tx, deps, { userId: movement.userId, trigger: 'first_topup', paidBy: movement.ref }, () =>
    adjustQuota(tx, { ...movement, kind: MOVEMENT.topUp }),
  );

/** The code by which a user invites. Throws NOT_FOUND. */
export async function readAffCode({ db }: Pick<Deps, 'db'>, userId: number): Promise<string> {
  const [row] = await db.orm.select({ code: users.aff_code }).from(users).where(eq(users.id, userId));
  if (!row) throw fail('NOT_FOUND');
  return row.code;
}

/** What his next guest would be worth. Throws NOT_FOUND. */
export async function readTerms(deps: Pick<Deps, 'db' | 'options'>, userId: number): Promise<TermsView> {
  const code = await readAffCode(deps, userId);
  const { trigger, inviterQuota, inviteeQuota } = await termsOf(deps.db.orm, deps.options, code);
  return {
    trigger,
    inviter_quota: inviterQuota,
    invitee_quota: inviteeQuota,
    daily_limit: deps.options.get('aff_quota.daily_limit'),
  };
}

/** Whom a user has invited, latest first. */
export async function listInvited(
  { db }: Pick<Deps, 'db'>,
  userId: number,
  { limit, offset }: Paging,
): Promise<{ items: InvitedItem[]; total: number }> {
  const where = eq(users.inviter_id, userId);
  const rows = await db.orm
    .select({
      username: users.username,
      joined: users.created_at,
      deleted_at: users.deleted_at,
      trigger: invitations.trigger,
      paid_at: invitations.paid_at,
      promised: invitations.inviter_quota,
      paid: invitations.inviter_paid,
      taken: sql<number>`(select coalesce(-sum(${rewards.amount}), 0)::bigint from ${rewards}
        where ${rewards.grant_ref} = ${invitations.ref})`.mapWith(Number),
    })
    .from(users)
    .leftJoin(invitations, eq(invitations.invitee_id, users.id))
    .where(where)
    .orderBy(desc(users.id))
    .limit(limit)
    .offset(offset);
  const [total] = await db.orm.select({ n: count() }).from(users).where(where);
  const items = rows.map(
    (row): InvitedItem => ({
      username: row.deleted_at === null ? maskedName(row.username) : '',
      created_at: row.joined,
      state: stateOf(row),
      trigger: row.trigger as InvitationTrigger | null,
      quota: (row.paid ?? 0) - row.taken,
    }),
  );
  return { items, total: total?.n ?? 0 };
}

/** Enough for who invited him to know him by, no name to sign in with. */
const maskedName = (name: string): string => `${[...name].slice(0, 2).join('')}***`;

function stateOf(row: {
  deleted_at: number | null;
  paid_at: number | null;
  promised: number | null;
  paid: number | null;
  taken: number;
}): InvitationState {
  const paid = row.paid ?? 0;
  if (row.taken > 0) return row.taken < paid ? 'reduced' : 'taken_back';
  if (paid > 0) return 'paid';
  const waits = row.paid_at === null && (row.promised ?? 0) > 0 && row.deleted_at === null;
  return waits ? 'waiting' : 'unpaid';
}

export interface Owner {
  id: number;
  username: string;
  group: string;
  ip: string;
}

/** Counts a transfer that a user asks for. Throws RATE_LIMIT. */
export async function spendTransfer({ limiter }: Pick<Deps, 'limiter'>, userId: number): Promise<void> {
  const rule = { key: `transfers:${userId}`, limit: limits.transfersAnHour, windowSec: HOUR_SEC };
  const { ok, retryAfterSec } = await limiter.take(rule);
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}

/** Moves rewards to the balance; answers what there is after it. Throws TRANSFER_SHORT, TRANSFER_LEAST, QUOTA_RANGE. */
export async function transfer(
  { db, options }: Pick<Deps, 'db' | 'options'>,
  owner: Owner,
  amount: number,
): Promise<RewardBalances> {
  const least = options.get('aff_quota.min_transfer');
  const ref = crypto.randomUUID();
  return db.orm.transaction(async (tx) => {
    const after = await transferRewards(tx, { userId: owner.id, amount, ref, least });
    await writeLog(tx, {
      type: 'system',
      user: owner,
      text: {
        zh: `奖励额度划转到余额 ${unitsText(amount).zh}`,
        en: `Moved a reward of ${unitsText(amount).en} to the balance`,
      },
      quota: amount,
      ip: owner.ip,
      other: { ref },
    });
    return after;
  });
}
