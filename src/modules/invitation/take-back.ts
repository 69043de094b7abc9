/**
 * What becomes of an invitation's reward and gift when the payment that set them off is taken back: the same share of each
 * goes, as far as the reward still waits and the gift is not spent, and comes back with the payment. Locks go from the caller's order to the two users in the order of their ids.
 */
import { and, eq, gt, or } from 'drizzle-orm';
import {
  adjustQuota,
  giftTakenOf,
  MOVEMENT,
  reinstate,
  type TakenBack,
  takeBack,
  takeBackGift,
} from '../../billing/ledger.ts';
import { reinstateReward, takeBackReward, takenOf } from '../../billing/rewards.ts';
import type { Text } from '../../core/errors.ts';
import { unitsText } from '../../core/money.ts';
import type { Tx } from '../../db/client.ts';
import { invitations, users } from '../../db/schema/index.ts';
import { writeLog } from '../log/service.ts';
import { holdBoth, type Invitation } from './pay.ts';

interface Reversed {
  userId: number;
  /** Of the order that was paid. */
  topUpRef: string;
  /** UUID kept in the row that causes this. */
  ref: string;
  note: string;
}

/** How much of a payment is taken back, in the smallest unit of its currency: before this and with it, of what was paid. */
interface Part {
  before: bigint;
  total: bigint;
  paid: bigint;
}

/**
 * Takes back what a top-up has added, and of the reward and the gift that it set off the share of this part. What of
 * them is not there any more stays, and no later part makes up for it. To be called before anything else in the transaction locks the
 * user's row. Throws as `takeBack` does.
 */
export async function takeBackTopUp(
  tx: Tx,
  { amount, part, ...reversed }: Reversed & { amount: number; part: Part },
): Promise<TakenBack> {
  const invitation = await holdPaid(tx, reversed);
  const taken = await takeBack(tx, { ...reversed, amount });
  if (invitation) {
    await takeFromInviter(tx, invitation, reversed.ref, part);
    await takeFromInvitee(tx, invitation, reversed, part);
  }
  return taken;
}

/**
 * Gives back so much of what was taken of a top-up under `undone`, and what of the reward and the gift that it set off is more than the
 * share of what is still taken. To be called before anything else in the transaction locks the user's row. Throws as
 * `reinstate` does.
 */
export async function reinstateTopUp(
  tx: Tx,
  { amount, undone, part, ...reversed }: Reversed & { amount: number; undone: readonly string[]; part: Part },
): Promise<TakenBack> {
  const invitation = await holdPaid(tx, reversed);
  const given = await reinstate(tx, { ...reversed, amount, undone });
  if (invitation) {
    await giveToInviter(tx, invitation, reversed.ref, part);
    await giveToInvitee(tx, invitation, reversed, part);
  }
  return given;
}

/** The invitation that this top-up paid, with both users locked. Nothing changes it any more. */
async function holdPaid(
  tx: Tx,
  { userId, topUpRef }: Pick<Reversed, 'userId' | 'topUpRef'>,
): Promise<Invitation | undefined> {
  const [paid] = await tx
    .select()
    .from(invitations)
    .where(
      and(
        eq(invitations.invitee_id, userId),
        eq(invitations.paid_by, topUpRef),
        or(gt(invitations.inviter_paid, 0), gt(invitations.invitee_paid, 0)),
      ),
    );
  if (paid) await holdBoth(tx, paid);
  return paid;
}

const shareOf = (whole: number, money: bigint, { paid }: Part): number =>
  Number((BigInt(whole) * money) / paid);

/**
 * What of a reward or a gift goes with this part. Where a won dispute gave nothing back, for nothing had been taken, the
 * whole may be there already.
 */
const dueOf = (whole: number, taken: number, part: Part): number => {
  const share = shareOf(whole, part.total, part);
  return Math.min(share - shareOf(whole, part.before, part), share - taken);
};

async function takeFromInviter(tx: Tx, invitation: Invitation, ref: string, part: Part): Promise<void> {
  const { ref: grantRef, inviter_id: userId, inviter_paid } = invitation;
  const amount = dueOf(inviter_paid, await takenOf(tx, grantRef), part);
  if (amount <= 0) return;
  const taken = await takeBackReward(tx, { userId, grantRef, ref, amount });
  if (taken === 0) return;
  await tell(tx, userId, ref, {
    zh: `受邀用户的付款被撤回，扣回奖励额度 ${unitsText(taken).zh}`,
    en: `A reward of ${unitsText(taken).en} taken back: the invited user’s payment was`,
  });
}

async function giveToInviter(tx: Tx, invitation: Invitation, ref: string, part: Part): Promise<void> {
  const { ref: grantRef, inviter_id: userId, inviter_paid } = invitation;
  const amount = (await takenOf(tx, grantRef)) - shareOf(inviter_paid, part.total, part);
  if (amount <= 0) return;
  await reinstateReward(tx, { userId, grantRef, ref, amount });
  await tell(tx, userId, ref, {
    zh: `受邀用户的付款已恢复，返还奖励额度 ${unitsText(amount).zh}`,
    en: `A reward of ${unitsText(amount).en} given back: the invited user’s payment stood after all`,
  });
}

type Moving = Pick<Reversed, 'userId' | 'ref' | 'note'>;

async function takeFromInvitee(
  tx: Tx,
  { ref: grantRef, invitee_paid }: Invitation,
  { userId, ref, note }: Moving,
  part: Part,
): Promise<void> {
  const amount = dueOf(invitee_paid, await giftTakenOf(tx, { userId, grantRef }), part);
  if (amount <= 0) return;
  const taken = await takeBackGift(tx, { userId, ref, note, amount });
  if (taken === 0) return;
  await tell(tx, userId, ref, {
    zh: `付款被撤回，扣回邀请赠送额度 ${unitsText(taken).zh}`,
    en: `A gift of ${unitsText(taken).en} for joining by invitation taken back: the payment was`,
  });
}

async function giveToInvitee(
  tx: Tx,
  { ref: grantRef, invitee_paid }: Invitation,
  { userId, ref, note }: Moving,
  part: Part,
): Promise<void> {
  const amount = (await giftTakenOf(tx, { userId, grantRef })) - shareOf(invitee_paid, part.total, part);
  if (amount <= 0) return;
  await adjustQuota(tx, { userId, kind: MOVEMENT.invitation, ref, delta: amount, note });
  await tell(tx, userId, ref, {
    zh: `付款已恢复，返还邀请赠送额度 ${unitsText(amount).zh}`,
    en: `A gift of ${unitsText(amount).en} for joining by invitation given back: the payment stood after all`,
  });
}

async function tell(tx: Tx, userId: number, ref: string, text: Text): Promise<void> {
  const [user] = await tx
    .select({ id: users.id, username: users.username, group: users.group_name })
    .from(users)
    .where(eq(users.id, userId));
  if (user) await writeLog(tx, { type: 'system', user, text, other: { ref } });
}
