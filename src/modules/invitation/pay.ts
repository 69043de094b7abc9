/**
 * Paying an invitation: once, by a condition on its row, in the transaction of what pays it. Locks go from the
 * invitation to its two users in the order of their ids, which is the order in which the money statements lock users.
 */
import { and, asc, count, eq, gte, isNotNull, isNull } from 'drizzle-orm';
import { adjustQuota, MOVEMENT } from '../../billing/ledger.ts';
import { grantReward, REWARD } from '../../billing/rewards.ts';
import { AppError } from '../../core/errors.ts';
import type { InvitationTrigger } from '../../core/invitations.ts';
import { unitsText } from '../../core/money.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { DAY_SEC, nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import type { Tx } from '../../db/client.ts';
import { invitations, rewards, users } from '../../db/schema/index.ts';
import { GIFT, type GiftDeps, give } from '../gift/service.ts';
import { writeLog } from '../log/service.ts';

export type Invitation = typeof invitations.$inferSelect;

interface Cause {
  userId: number;
  trigger: InvitationTrigger;
  /** The ref of the order that pays, where one does. */
  paidBy?: string;
}

/**
 * Does `work`, and pays what the user's invitation has waited for, both or neither. To be called before anything else in
 * the transaction locks the user's row.
 */
export async function rewarding<T>(tx: Tx, deps: GiftDeps, cause: Cause, work: () => Promise<T>): Promise<T> {
  const claimed = await claim(tx, cause);
  const result = await work();
  if (claimed) await payInvitation(tx, deps, claimed);
  return result;
}

/** The invitation, if it waited for this, locked with both of its users. */
async function claim(tx: Tx, { userId, trigger, paidBy }: Cause): Promise<Invitation | null> {
  const [claimed] = await tx
    .update(invitations)
    .set({ paid_at: nowSec(), paid_by: paidBy ?? null })
    .where(
      and(eq(invitations.invitee_id, userId), eq(invitations.trigger, trigger), isNull(invitations.paid_at)),
    )
    .returning();
  if (!claimed) return null;
  await holdBoth(tx, claimed);
  return claimed;
}

/** Locks the inviter and the invited user, in the order of their ids. */
export async function holdBoth(
  tx: Tx,
  { inviter_id, invitee_id }: Pick<Invitation, 'inviter_id' | 'invitee_id'>,
): Promise<void> {
  await tx
    .select({ id: users.id })
    .from(users)
    .where(among(users.id, [inviter_id, invitee_id]))
    .orderBy(asc(users.id))
    .for('update');
}

/**
 * Pays both, whose rows are locked, and notes what each has got; what a balance cannot hold is not paid, nor what was paid
 * before for somebody with the guest's proofs.
 */
export async function payInvitation(tx: Tx, deps: GiftDeps, invitation: Invitation): Promise<void> {
  const { inviter_id, invitee_id } = invitation;
  const found = await tx
    .select({ id: users.id, username: users.username, group: users.group_name })
    .from(users)
    .where(
      and(
        among(users.id, [inviter_id, invitee_id]),
        isNull(users.deleted_at),
        eq(users.status, USER_STATUS.active),
      ),
    );
  const paid = { inviter_paid: 0, invitee_paid: 0 };
  for (const user of found) {
    if (user.id === invitee_id) paid.invitee_paid = await payInvitee(tx, deps, invitation, user);
    else paid.inviter_paid = await payInviter(tx, deps, invitation, user);
  }
  await tx.update(invitations).set(paid).where(eq(invitations.invitee_id, invitee_id));
}

interface Paid {
  id: number;
  username: string;
  group: string;
}

/** To the balance at once. Answers what was paid. */
async function payInvitee(
  tx: Tx,
  deps: GiftDeps,
  { ref, inviter_id, invitee_quota }: Invitation,
  user: Paid,
): Promise<number> {
  if (invitee_quota === 0) return 0;
  const note = `invitation:${inviter_id}`;
  const gift = { userId: user.id, kind: MOVEMENT.invitation, ref, delta: invitee_quota, note };
  const came = await give(deps, tx, { kind: GIFT.invitee, userId: user.id, quota: invitee_quota }, () =>
    fits(adjustQuota(tx, gift)),
  );
  if (came !== 'given') return 0;
  await writeLog(tx, {
    type: 'system',
    user,
    text: {
      zh: `使用邀请码注册赠送额度 ${unitsText(invitee_quota).zh}`,
      en: `A quota of ${unitsText(invitee_quota).en} for joining by invitation`,
    },
    quota: invitee_quota,
    other: { ref },
  });
  return invitee_quota;
}

/** To the rewards that wait for their transfer, unless he has had his share of today. Answers what was paid. */
async function payInviter(tx: Tx, deps: GiftDeps, invitation: Invitation, user: Paid): Promise<number> {
  const { ref, invitee_id, inviter_quota } = invitation;
  if (inviter_quota === 0) return 0;
  const limit = deps.options.get('aff_quota.daily_limit');
  if (limit > 0 && (await rewardsOfToday(tx, user.id)) >= limit) return 0;
  const grant = { userId: user.id, kind: REWARD.invitation, amount: inviter_quota, ref, causeId: invitee_id };
  const came = await give(deps, tx, { kind: GIFT.inviter, userId: invitee_id, quota: inviter_quota }, () =>
    fits(grantReward(tx, grant)),
  );
  if (came !== 'given') return 0;
  await writeLog(tx, {
    type: 'system',
    user,
    text: {
      zh: `邀请用户赠送奖励额度 ${unitsText(inviter_quota).zh}`,
      en: `A reward of ${unitsText(inviter_quota).en} for an invited user`,
    },
    other: { ref },
  });
  return inviter_quota;
}

/** His row is locked, so that nobody else adds to them meanwhile. */
async function rewardsOfToday(tx: Tx, userId: number): Promise<number> {
  const [today] = await tx
    .select({ n: count() })
    .from(rewards)
    .where(
      and(
        eq(rewards.user_id, userId),
        eq(rewards.kind, REWARD.invitation),
        isNotNull(rewards.cause_id),
        gte(rewards.created_at, nowSec() - DAY_SEC),
      ),
    );
  return today?.n ?? 0;
}

/** False where a balance cannot hold it, or it was given before: no reason to undo what pays the invitation. */
async function fits(movement: Promise<unknown>): Promise<boolean> {
  try {
    return (await movement) !== false;
  } catch (error) {
    if (error instanceof AppError && error.code === 'QUOTA_RANGE') return false;
    throw error;
  }
}
