import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  index,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { identity, int8, now } from '../columns.ts';

/**
 * Codes that add quota, once. The code itself stands here as a keyed hash, which finds it, and sealed, for those who may
 * see it again. No reference to a user: it would lock his row, for which the money statements wait.
 */
export const redemptions = pgTable(
  'redemptions',
  {
    id: identity(),
    /** Of the ledger row that it becomes when it is used. */
    ref: uuid().notNull(),
    name: text().notNull(),
    code_lookup: text().notNull(),
    code_sealed: text().notNull(),
    code_hint: text().notNull(),
    /** 1 unused, 2 disabled, 3 used. */
    status: smallint().notNull().default(1),
    quota: int8().notNull(),
    created_by: int8().notNull(),
    created_time: int8().notNull().default(now),
    /** Unix seconds; -1 for never. */
    expired_time: int8().notNull().default(-1),
    /** 0 for nobody. */
    used_user_id: int8().notNull().default(0),
    used_time: int8().notNull().default(0),
    deleted_at: int8(),
  },
  (t) => [
    // Of a removed code too: what was used once is never another code.
    uniqueIndex('redemptions_code').on(t.code_lookup),
    check('redemptions_quota', sql`${t.quota} between 1 and 9007199254740991`),
  ],
);

/**
 * What an invitation is worth, as it was promised when the invited user registered, and what was paid of it. Who
 * registered before there were such rows has none. No reference to a user, as above.
 */
export const invitations = pgTable(
  'invitations',
  {
    invitee_id: int8().primaryKey(),
    inviter_id: int8().notNull(),
    /** Of the reward's row and of the ledger's. */
    ref: uuid().notNull(),
    /** What of the invited user pays it, one of `INVITATION_TRIGGERS`. */
    trigger: text().notNull(),
    /** The inviter's code where it had terms of its own. */
    special_code: text(),
    inviter_quota: int8().notNull(),
    invitee_quota: int8().notNull(),
    inviter_paid: int8().notNull().default(0),
    invitee_paid: int8().notNull().default(0),
    created_at: int8().notNull(),
    /** When it was paid; null while it waits for its trigger. */
    paid_at: int8(),
    /** The `ref` of the order whose credit paid it: what is taken back of that payment is taken from the reward too. */
    paid_by: uuid(),
  },
  (t) => [
    index('invitations_waiting').on(t.trigger, t.invitee_id).where(sql`${t.paid_at} is null`),
    index('invitations_special').on(t.special_code).where(sql`${t.special_code} is not null`),
    // Whoever invites was there before: nobody invites himself, and no chain of invitations closes.
    check('invitations_order', sql`${t.inviter_id} < ${t.invitee_id}`),
    check('invitations_promised', sql`${t.inviter_quota} >= 0 and ${t.invitee_quota} >= 0`),
    check(
      'invitations_paid',
      sql`${t.inviter_paid} between 0 and ${t.inviter_quota} and ${t.invitee_paid} between 0 and ${t.invitee_quota}`,
    ),
  ],
);

/**
 * One row a movement of `users.aff_quota` (kind 1) and `users.activity_quota` (kind 2): what was granted is above 0, what
 * was transferred to the balance below. A transfer has the ref of its ledger row, and a row for each balance that it
 * took from. What is taken back of a grant, below 0, or given back, above 0, names it and has the ref of what was done
 * to its payment. Only `src/billing` writes it.
 */
export const rewards = pgTable(
  'rewards',
  {
    ref: uuid().notNull(),
    kind: smallint().notNull(),
    user_id: int8().notNull(),
    amount: int8().notNull(),
    /** What it was granted for: the invited user, or the activity. Null of all but grants. */
    cause_id: int8(),
    created_at: int8().notNull(),
    note: text(),
    /** The `ref` of the grant that is taken back, or given back. Null of grants and transfers. */
    grant_ref: uuid(),
  },
  (t) => [
    primaryKey({ columns: [t.ref, t.kind] }),
    // An invited user is rewarded for once, whoever invited him; an activity rewards each user once.
    uniqueIndex('rewards_invited').on(t.cause_id).where(sql`${t.kind} = 1`),
    uniqueIndex('rewards_activity').on(t.cause_id, t.user_id).where(sql`${t.kind} = 2`),
    index('rewards_user').on(t.user_id, t.created_at.desc()),
    index('rewards_taken_back').on(t.grant_ref).where(sql`${t.grant_ref} is not null`),
    check('rewards_amount', sql`${t.amount} between -9007199254740991 and 9007199254740991`),
    check(
      'rewards_cause',
      sql`(${t.amount} > 0 and ${t.grant_ref} is null) = (${t.cause_id} is not null) and ${t.amount} <> 0`,
    ),
  ],
);

/**
 * Which proofs of who somebody is have had which gift: a mailbox, a phone number, an account of a third party, each as a
 * keyed hash and with nothing that leads to a user, for these rows outlive him (decision 015).
 */
export const giftMarks = pgTable(
  'gift_marks',
  {
    proof: text().notNull(),
    /** One of `GIFT` in `src/billing/gifts.ts`. */
    gift: smallint().notNull(),
    /** Unix seconds, by the database's clock: of a fuel pack its last claim, of all others the last that is known of them. */
    given_at: int8().notNull(),
  },
  (t) => [primaryKey({ columns: [t.proof, t.gift] }), index('gift_marks_time').on(t.given_at)],
);

/** What the site has given away by itself, by days of UTC. */
export const giftDays = pgTable('gift_days', {
  /** Its first second. */
  day: int8().primaryKey(),
  /** Quota units. */
  quota: int8().notNull(),
  /** Root was told that no more could be given. */
  told: boolean().notNull().default(false),
});

/**
 * Orders: quota that somebody wants to pay for. No reference to a user, for the reason above. What is asked for is
 * settled when the order is made; no later change of prices touches it.
 */
export const topups = pgTable(
  'topups',
  {
    id: identity(),
    /** How providers and payers call it: 128 random bits, so that nobody can name another's. */
    trade_no: text().notNull(),
    /** Of the ledger row that it becomes when it is paid. */
    ref: uuid().notNull(),
    user_id: int8().notNull(),
    provider: text().notNull(),
    /** The way of paying, as the provider calls it. */
    method: text().notNull(),
    /** Quota units that are credited. */
    quota: int8().notNull(),
    /** What is asked for, in the smallest unit of the currency. */
    money: int8().notNull(),
    /** What would have been asked for without the code; 0 of orders that are older than this column. */
    full_money: int8().notNull().default(0),
    currency: text().notNull(),
    /** Decimal places of the currency. */
    places: smallint().notNull(),
    /** pending, success, expired, failed, refunded, disputed, owed, reinstated or voided. */
    status: text().notNull().default('pending'),
    /** What the provider calls the payment; empty until it says so. */
    provider_ref: text().notNull().default(''),
    /** The discount code that was used; empty for none. */
    code: text().notNull().default(''),
    /** It was paid when the code could not be used any more: `quota` is what the money buys without it. */
    code_lapsed: boolean().notNull().default(false),
    /** It was paid so late that its price held no longer: `quota` is what the money bought on that day. */
    price_lapsed: boolean().notNull().default(false),
    /** Unix seconds; 0 for what has not happened. */
    created_at: int8().notNull().default(now),
    expires_at: int8().notNull(),
    /** When the provider was last asked about it. */
    asked_at: int8().notNull().default(0),
    paid_at: int8().notNull().default(0),
    completed_at: int8().notNull().default(0),
    /** The administrator who completed it by hand, and why; 0 and empty where the provider did. */
    completed_by: int8().notNull().default(0),
    reason: text().notNull().default(''),
    /** The administrator who voided it, and why; it stays when the order is completed all the same. */
    voided_by: int8().notNull().default(0),
    void_reason: text().notNull().default(''),
  },
  (t) => [
    uniqueIndex('topups_trade_no').on(t.trade_no),
    uniqueIndex('topups_ref').on(t.ref),
    index('topups_user').on(t.user_id, t.id.desc()),
    index('topups_unpaid').on(t.asked_at, t.id).where(sql`${t.status} in ('pending', 'expired', 'voided')`),
    index('topups_provider_ref').on(t.provider_ref).where(sql`${t.provider_ref} <> ''`),
    index('topups_code').on(t.code).where(sql`${t.code} <> ''`),
    check('topups_quota', sql`${t.quota} between 1 and 9007199254740991`),
    check('topups_money', sql`${t.money} between 1 and 9007199254740991`),
    check(
      'topups_status',
      sql`${t.status} in ('pending', 'success', 'expired', 'failed', 'refunded', 'disputed', 'owed', 'reinstated', 'voided')`,
    ),
  ],
);

/**
 * What was told of payments that were taken back, whole or in part, and what of their quota that took; and disputes that
 * were won, with what they gave back. All that is taken follows from all that was told, in whatever order it came.
 */
export const topupReversals = pgTable(
  'topup_reversals',
  {
    id: identity(),
    /** Of the ledger rows: what was taken or given back, and what was not there any more. The order's own where it was taken with the credit. */
    ref: uuid().notNull(),
    topup_id: int8().notNull(),
    /**
     * refund, dispute, won (what it took is given back: of a dispute that was won, or a refund that failed), or owed: that,
     * and not given back yet, for the account has no room.
     */
    kind: text().notNull(),
    /** What the provider calls the dispute, or the refund that failed; empty of refunds, which it tells as a sum. */
    cause: text().notNull().default(''),
    /** All that this cause came to when it was told, in the smallest unit of the order's currency; 0 of a dispute won or owed. */
    told: int8().notNull(),
    /** How much more of the payment is gone by it, or less; 0 where other causes have all of it. */
    money: int8().notNull(),
    /** Quota units that moved with it. */
    quota: int8().notNull(),
    created_at: int8().notNull().default(now),
    /** The administrator who did it, and why; 0 and empty where the provider did. */
    created_by: int8().notNull().default(0),
    reason: text().notNull().default(''),
  },
  (t) => [
    uniqueIndex('topup_reversals_ref').on(t.ref),
    index('topup_reversals_topup').on(t.topup_id),
    uniqueIndex('topup_reversals_won').on(t.topup_id, t.cause).where(sql`${t.kind} = 'won'`),
    check('topup_reversals_kind', sql`${t.kind} in ('refund', 'dispute', 'owed', 'won')`),
    check('topup_reversals_quota', sql`${t.quota} between 0 and 9007199254740991`),
    check(
      'topup_reversals_money',
      sql`${t.money} between 0 and 9007199254740991 and ${t.told} between 0 and 9007199254740991
        and (${t.told} > 0 or ${t.kind} in ('owed', 'won'))`,
    ),
  ],
);
