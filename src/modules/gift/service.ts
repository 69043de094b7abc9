/**
 * Gifts that nobody dispatches: to new users, for invitations, fuel packs. Each goes once to each proof of who somebody is
 * (a mailbox, a phone number, an account of a third party), whichever accounts carry it one after the other, and all of
 * them together stay within what the site gives away a day. What administrators give is none of these.
 */
import { and, eq, isNull } from 'drizzle-orm';
import {
  claimProofs,
  forgetDays,
  forgetMarks,
  GIFT,
  type GiftKind,
  lastGiven,
  markLeaving,
  noteTold,
  spendToday,
} from '../../billing/gifts.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC } from '../../core/time.ts';
import type { Database, Executor, Tx } from '../../db/client.ts';
import { identities, users } from '../../db/schema/index.ts';
import type { Options } from '../../options/store.ts';
import type { Secrets } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { mailboxOf } from './mailbox.ts';

export { GIFT, type GiftKind } from '../../billing/gifts.ts';

export type GiftDeps = Pick<Deps, 'db' | 'options' | 'secrets' | 'alerts' | 'log' | 'stopping'>;

export interface Gift {
  kind: GiftKind;
  /** Whose proofs count. */
  userId: number;
  /** Quota units, above 0. */
  quota: number;
}

/** `had`: one of his proofs has had it. `spent`: the day's quota does not hold it. `unfit`: the account does not, or is cancelled. */
export type Withheld = 'had' | 'spent' | 'unfit';

class WithheldError extends Error {
  constructor(readonly reason: Withheld) {
    super(reason);
  }
}

/**
 * Gives by `move`, in the same transaction, which answers whether the account could take it, and says what came of it: all
 * of it or nothing is written. The user's row is locked from then on. Throws what `move` throws.
 */
export async function give(
  deps: GiftDeps,
  tx: Tx,
  gift: Gift,
  move: () => Promise<boolean>,
): Promise<'given' | Withheld> {
  const { kind, userId, quota } = gift;
  try {
    await tx.transaction(async (part) => {
      // Locked, so that a proof that leaves the account meanwhile leaves it before or after; with the account all have left.
      const living = and(eq(users.id, userId), isNull(users.deleted_at));
      const [user] = await part.select({ id: users.id }).from(users).where(living).for('update');
      if (!user) throw new WithheldError('unfit');
      const proofs = await proofsOf(part, deps.secrets, userId);
      const againAfterSec = kind === GIFT.fuelPack ? fuelPackIntervalSec(deps.options) : null;
      if (!(await claimProofs(part, { gift: kind, proofs, againAfterSec }))) throw new WithheldError('had');
      if (!(await spendToday(part, quota, deps.options.get('gift.daily_quota'))))
        throw new WithheldError('spent');
      if (!(await move())) throw new WithheldError('unfit');
    });
    return 'given';
  } catch (error) {
    if (!(error instanceof WithheldError)) throw error;
    deps.log.info('gift.withheld', { user_id: userId, gift: kind, quota, reason: error.reason });
    if (error.reason === 'spent') tellOnce(deps);
    return error.reason;
  }
}

export const fuelPackIntervalSec = (options: Options): number => options.get('FuelPackLimit') * DAY_SEC;

/** When somebody with one of the user's proofs had the gift last, unix seconds; null for not within that time. */
export async function lastGivenTo(
  executor: Executor,
  secrets: Secrets,
  { kind, userId, withinSec }: Pick<Gift, 'kind' | 'userId'> & { withinSec: number },
): Promise<number | null> {
  const proofs = await proofsOf(executor, secrets, userId);
  return lastGiven(executor, { gift: kind, proofs, withinSec });
}

/** What an account is shown by, as it is typed or told. */
export type Proof = { provider: string; subject: string } | { email: string } | { phone: string };

/**
 * To be called before a proof leaves an account that stays, whose row is locked: whoever has it next has had what the
 * account has had.
 */
export const markGivenUp = (tx: Tx, secrets: Secrets, userId: number, proof: Proof): Promise<void> =>
  markLeaving(tx, userId, hashesOf(secrets, proof));

/** To be called before all of them leave an account, whose row is locked. */
export const markAllGivenUp = async (tx: Tx, secrets: Secrets, userId: number): Promise<void> =>
  markLeaving(tx, userId, await proofsOf(tx, secrets, userId));

async function proofsOf(executor: Executor, secrets: Secrets, userId: number): Promise<string[]> {
  const [user] = await executor
    .select({ email: users.email, phone: users.phone })
    .from(users)
    .where(eq(users.id, userId));
  const parties = await executor
    .select({ provider: identities.provider, subject: identities.subject })
    .from(identities)
    .where(eq(identities.user_id, userId));
  const proofs: Proof[] = [...parties];
  if (user?.email) proofs.push({ email: user.email });
  if (user?.phone) proofs.push({ phone: user.phone });
  return proofs.flatMap((proof) => hashesOf(secrets, proof));
}

/**
 * What a proof is marked by and looked up by. A mailbox is the one that receives the mail, whatever accounts may be called;
 * beside it stands the address as it is written, by which mailboxes were marked before. Of a third party the issuer is left
 * out: it may be known by another name later, under which nobody shall be new.
 */
function hashesOf(secrets: Secrets, proof: Proof): string[] {
  if ('email' in proof) {
    const written = proof.email.toLowerCase();
    const mailboxes = new Set([mailboxOf(written), written]);
    return [...mailboxes].map((mailbox) => secrets.lookup(`gift:mail:${mailbox}`));
  }
  if ('phone' in proof) return [secrets.lookup(`gift:phone:${proof.phone}`)];
  return [secrets.lookup(`gift:party:${proof.provider}:${proof.subject}`)];
}

/**
 * Tells root that nothing more is given away today: once, whichever process is the first. The transaction that saw it holds
 * the day's row and may be undone, so that this waits for its end beside it.
 */
function tellOnce({ db, alerts, options, log, stopping }: GiftDeps): void {
  const most = options.get('gift.daily_quota');
  const telling = noteTold(db.orm)
    .then((isFirst) => {
      if (!isFirst) return;
      alerts.send({
        type: 'gifts_spent',
        subject: 'day',
        title: { zh: '今日赠送额度已发完', en: 'Today’s free quota has been given away' },
        content: {
          zh: `每日赠送总额度 ${most}：到 UTC 零点前，新用户、邀请和加油包不再赠送`,
          en: `All gifts of a day: ${most}. Until midnight UTC new users, invitations and fuel packs get nothing more.`,
        },
      });
    })
    .catch((error: unknown) => log.warn('gift.alert', { error }));
  void stopping.track(telling);
}

/** Forgets what no gift depends on any more. */
export async function forgetGifts(db: Database, options: Options): Promise<void> {
  await forgetMarks(db, Math.max(limits.giftMarkSec, fuelPackIntervalSec(options)));
  await forgetDays(db, limits.giftDaySec);
}
