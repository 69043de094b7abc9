/**
 * Orders: made before a payer is sent anywhere, credited once, whoever says that they are paid and however often. Each
 * change of state is a condition on the order's row, and the quota moves in the same transaction.
 */
import { and, eq, gt, lte, ne, type SQL, sql } from 'drizzle-orm';
import { fail, type Text } from '../../core/errors.ts';
import { hexText } from '../../core/ids.ts';
import { invariant } from '../../core/invariant.ts';
import { limits } from '../../core/limits.ts';
import { unitsText } from '../../core/money.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import type { Database, Executor, Tx } from '../../db/client.ts';
import { topups, users } from '../../db/schema/index.ts';
import type { Options } from '../../options/store.ts';
import type { GiftDeps } from '../gift/service.ts';
import { creditTopUp } from '../invitation/service.ts';
import { writeLog } from '../log/service.ts';
import { moneyText } from './amount.ts';
import { PAID_STATUSES } from './facts.ts';
import { isUnpaid, isVoided, type OrderRow, UNPAID } from './order.ts';
import { discountOf, moneyNow, type Quote } from './quote.ts';
import { isAllTold, takeWhatWasTold } from './reversals.ts';

interface OrderDeps {
  db: Database;
}

const TRADE_NO_LENGTH = 32;

/** Not paid, and made within the time that orders are open, whatever became of it: each asked its provider once. */
const isYoung = () =>
  and(among(topups.status, [...UNPAID, 'voided']), gt(topups.created_at, nowSec() - limits.topupOpenSec));

/** Two who do the same at once do it one after the other, so that what was counted still holds when the order is there. */
const alone = (tx: Tx, what: string) =>
  tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${what}, 0))`);

const countOf = async (tx: Tx, where: SQL | undefined): Promise<number> => {
  const [row] = await tx.select({ n: sql<number>`count(*)::int` }).from(topups).where(where);
  return row?.n ?? 0;
};

/** Throws TOPUP_MANY, also for its code alone, and TOPUP_CODE when that has been used as often as it may be. */
export function createOrder(
  { db }: OrderDeps,
  order: { userId: number; provider: string; method: string; quote: Quote },
): Promise<OrderRow> {
  const { userId, provider, method, quote } = order;
  return db.orm.transaction(async (tx) => {
    await alone(tx, `topup user ${userId}`);
    if ((await countOf(tx, and(eq(topups.user_id, userId), isYoung()))) >= limits.topupsOpen) {
      throw fail('TOPUP_MANY');
    }
    await requireUse(tx, userId, quote);
    const [row] = await tx
      .insert(topups)
      .values({
        trade_no: hexText(TRADE_NO_LENGTH),
        ref: crypto.randomUUID(),
        user_id: userId,
        provider,
        method,
        quota: quote.quota,
        money: Number(quote.money),
        full_money: Number(quote.fullMoney),
        currency: quote.currency,
        places: quote.places,
        code: quote.code,
        created_at: nowSec(),
        expires_at: nowSec() + limits.topupOpenSec,
      })
      .returning();
    invariant(row, 'an inserted order is answered');
    return row;
  });
}

/**
 * A use of a code is an order that is paid at its price, or waits for its payment. Whose time is over has lost it, which
 * is marked before anything is counted: so an order that is paid knows by its own state whether it has its use still. Few
 * wait for one user, who would else keep all of them from the others and pay none.
 */
async function requireUse(tx: Tx, userId: number, { code, codeLimit }: Quote): Promise<void> {
  if (codeLimit === null) return;
  await alone(tx, `topup code ${code}`);
  await markExpired(tx, eq(topups.code, code));
  if (!(await hasUse(tx, code, codeLimit))) throw fail('TOPUP_CODE');
  const isHisOpen = and(eq(topups.user_id, userId), eq(topups.code, code), eq(topups.status, 'pending'));
  if ((await countOf(tx, isHisOpen)) >= limits.topupsOpenOfCode) throw fail('TOPUP_MANY');
}

/**
 * Whether his code could be used for an order now. Throws TOPUP_CODE when it has been used as often as it may be, and
 * TOPUP_MANY when too many of his own orders with it wait.
 */
export const checkUse = ({ db }: OrderDeps, userId: number, quote: Quote): Promise<void> =>
  db.orm.transaction((tx) => requireUse(tx, userId, quote));

async function hasUse(tx: Tx, code: string, limit: number): Promise<boolean> {
  const isUse = and(
    eq(topups.code, code),
    eq(topups.code_lapsed, false),
    among(topups.status, [...PAID_STATUSES, 'pending']),
  );
  return (await countOf(tx, isUse)) < limit;
}

/**
 * What an order that is paid now is credited as. Its price was promised for as long as it was open: who may pay when he
 * likes would else keep the price of a sale, of a group that he has left or of a slip for as long as orders are kept, and
 * a code with as many orders as he likes. So one that is paid late costs what it would cost if it were made now, and what
 * its money is short of that it is credited less; never more than was promised. Its code counts as one that is brought now;
 * where it is gone, an order that is hardly late pays the price of its own day without it.
 */
async function termsWhenPaid(
  tx: Tx,
  options: Options,
  order: OrderRow,
  group: string,
): Promise<{ quota: number; code_lapsed: boolean; price_lapsed: boolean }> {
  const { status, code, quota, money, full_money, expires_at } = order;
  const isLate = expires_at + limits.topupLateSec < nowSec();
  const discount = code === '' ? null : discountOf(options, code);
  const holdsUse = status === 'pending';
  const keepsCode =
    code === '' ||
    (holdsUse && !isLate) ||
    (discount !== null && (holdsUse || discount.limit === null || (await hasUse(tx, code, discount.limit))));
  const promised = BigInt(keepsCode ? money : full_money);
  const now = isLate ? moneyNow(options, order, group, keepsCode ? discount : null) : null;
  const asked = now ?? promised;
  if (asked <= BigInt(money)) return { quota, code_lapsed: false, price_lapsed: false };
  const bought = Number((BigInt(quota) * BigInt(money)) / asked);
  return { quota: Math.max(bought, 1), code_lapsed: !keepsCode, price_lapsed: asked > promised };
}

/** An order, held until the transaction ends, and with it the count of its code's uses; undefined where it is none. */
async function holdWithCode(tx: Tx, id: number): Promise<OrderRow | undefined> {
  const [seen] = await tx.select({ code: topups.code }).from(topups).where(eq(topups.id, id));
  // Before the order's row, as where orders are made.
  if (seen && seen.code !== '') await alone(tx, `topup code ${seen.code}`);
  const [row] = await tx.select().from(topups).where(eq(topups.id, id)).for('update');
  return row;
}

/** Keeps what the provider calls an order that is not paid yet, so that it can be asked about. */
export async function noteProviderRef({ db }: OrderDeps, id: number, ref: string): Promise<void> {
  await db.orm
    .update(topups)
    .set({ provider_ref: ref })
    .where(and(eq(topups.id, id), eq(topups.provider_ref, '')));
}

export const findOrder = async ({ db }: OrderDeps, tradeNo: string): Promise<OrderRow | undefined> =>
  (await db.orm.select().from(topups).where(eq(topups.trade_no, tradeNo)))[0];

export const findOrderById = async ({ db }: OrderDeps, id: number): Promise<OrderRow | undefined> =>
  (await db.orm.select().from(topups).where(eq(topups.id, id)))[0];

export const findOrderByRef = async (
  { db }: OrderDeps,
  provider: string,
  ref: string,
): Promise<OrderRow | undefined> =>
  (
    await db.orm
      .select()
      .from(topups)
      .where(and(eq(topups.provider, provider), eq(topups.provider_ref, ref)))
  )[0];

export interface Credit {
  /** What the provider calls the payment; empty where somebody else says that it is paid. */
  providerRef: string;
  /** The administrator who says so, and why. */
  byHand?: { by: number; reason: string };
}

const CODE_LAPSED: Text = {
  zh: '；逾期支付时优惠码已不可用，按原价计入',
  en: '; paid late, when the discount code could not be used any more, so credited at the full price',
};
const PRICE_LAPSED: Text = {
  zh: '；逾期支付，按支付时的价格计入',
  en: '; paid late, so credited at the price of that day',
};

/**
 * Turns an unpaid order into quota, and by hand one that was voided; null when that was done before. What was told of its
 * payment already is taken at once. What `also` does stands or falls with it. Throws QUOTA_RANGE when the account cannot
 * hold more, NOT_FOUND when it is gone, and by hand TOPUP_REFUNDED when nothing is left of the payment.
 */
export function creditOrder(
  deps: GiftDeps,
  id: number,
  { providerRef, byHand }: Credit,
  also: (tx: Tx, row: OrderRow) => Promise<void> = async () => undefined,
): Promise<OrderRow | null> {
  return deps.db.orm.transaction(async (tx) => {
    const order = await holdWithCode(tx, id);
    if (!order || !(isUnpaid(order) || (byHand && isVoided(order)))) return null;
    if (byHand && (await isAllTold(tx, order))) throw fail('TOPUP_REFUNDED');
    const user = await ownerOf(tx, order.user_id);
    const now = nowSec();
    const [row] = await tx
      .update(topups)
      .set({
        status: 'success',
        paid_at: order.paid_at || now,
        completed_at: now,
        ...(await termsWhenPaid(tx, deps.options, order, user.group)),
        ...(providerRef !== '' && { provider_ref: providerRef }),
        ...(byHand && { completed_by: byHand.by, reason: byHand.reason }),
      })
      .where(eq(topups.id, id))
      .returning();
    invariant(row, 'an order that is held is answered');
    const { user_id: userId, ref, quota } = row;
    const note = `topup:${row.id}`;
    await creditTopUp(tx, deps, { userId, ref, delta: quota, note });
    const paid = `${moneyText(BigInt(row.money), row.places)} ${row.currency}`;
    const lapsed = [...(row.code_lapsed ? [CODE_LAPSED] : []), ...(row.price_lapsed ? [PRICE_LAPSED] : [])];
    await writeLog(tx, {
      type: 'topUp',
      user,
      text: {
        zh: `在线充值 ${unitsText(quota).zh}，支付金额 ${paid}${lapsed.map(({ zh }) => zh).join('')}`,
        en: `Topped up ${unitsText(quota).en} by paying ${paid}${lapsed.map(({ en }) => en).join('')}`,
      },
      quota,
      other: { ref, trade_no: row.trade_no },
    });
    const settled = await takeWhatWasTold(tx, row);
    await also(tx, settled);
    return settled;
  });
}

/**
 * Settles that an unpaid order is never credited by itself, whatever its payer still does; null when it is none. What
 * `also` does stands or falls with it.
 */
export function voidOrder(
  { db }: OrderDeps,
  id: number,
  { by, reason }: { by: number; reason: string },
  also: (tx: Tx, before: OrderRow) => Promise<void>,
): Promise<OrderRow | null> {
  return db.orm.transaction(async (tx) => {
    const order = await holdWithCode(tx, id);
    if (!order || !isUnpaid(order)) return null;
    await tx
      .update(topups)
      .set({ status: 'voided', voided_by: by, void_reason: reason })
      .where(eq(topups.id, id));
    await also(tx, order);
    return order;
  });
}

/** Keeps that a voided order was paid all the same. True for the first who says so. */
export async function notePaidVoided({ db }: OrderDeps, id: number, ref: string): Promise<boolean> {
  const rows = await db.orm
    .update(topups)
    .set({ paid_at: nowSec(), ...(ref !== '' && { provider_ref: ref }) })
    .where(and(eq(topups.id, id), eq(topups.status, 'voided'), eq(topups.paid_at, 0)))
    .returning({ id: topups.id });
  return rows.length > 0;
}

/** By which name the provider will speak of a payment that somebody had confirmed before it did. */
export async function noteRef({ db }: Pick<OrderDeps, 'db'>, id: number, ref: string): Promise<void> {
  if (ref === '') return;
  await db.orm
    .update(topups)
    .set({ provider_ref: ref })
    .where(and(eq(topups.id, id), among(topups.status, PAID_STATUSES), ne(topups.provider_ref, ref)));
}

/** Whose log tells of an order. */
export async function ownerOf(
  tx: Tx,
  userId: number,
): Promise<{ id: number; username: string; group: string; role: number }> {
  const [user] = await tx
    .select({ id: users.id, username: users.username, group: users.group_name, role: users.role })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw fail('NOT_FOUND');
  return user;
}

/** An order that the provider has given up; what is paid or past already stays. */
export async function closeOrder({ db }: OrderDeps, id: number, status: 'failed' | 'expired'): Promise<void> {
  await db.orm
    .update(topups)
    .set({ status })
    .where(and(eq(topups.id, id), among(topups.status, ['pending', 'expired'])));
}

/** Marks what nobody paid in time; answers how many. */
export const expireOrders = ({ db }: OrderDeps): Promise<number> => markExpired(db.orm);

async function markExpired(executor: Executor, which?: SQL): Promise<number> {
  const due = and(eq(topups.status, 'pending'), lte(topups.expires_at, nowSec()), which);
  const rows = await executor
    .update(topups)
    .set({ status: 'expired' })
    .where(and(among(topups.id, heldInOrder(executor, due)), eq(topups.status, 'pending')))
    .returning({ id: topups.id });
  return rows.length;
}

/** In the order of their ids, so that two who change several at once wait for each other and not in a circle. */
const heldInOrder = (executor: Executor, which: SQL | undefined) =>
  executor.select({ id: topups.id }).from(topups).where(which).orderBy(topups.id).for('update');

/**
 * The unpaid orders that it is time to ask about, those longest unasked first, noted as asked now; voided ones too, for
 * they may be paid all the same.
 */
export async function claimUnpaid({ db }: OrderDeps): Promise<OrderRow[]> {
  const now = nowSec();
  const due = db.orm
    .select({ id: topups.id })
    .from(topups)
    .where(
      and(
        among(topups.status, ['pending', 'expired', 'voided']),
        // Of a voided one.
        eq(topups.paid_at, 0),
        lte(topups.created_at, now - limits.topupAskAfterSec),
        gt(topups.created_at, now - limits.topupAskForSec),
      ),
    )
    .orderBy(topups.asked_at, topups.id)
    .limit(limits.topupsAsked);
  return db.orm
    .update(topups)
    .set({ asked_at: now })
    .where(among(topups.id, heldInOrder(db.orm, among(topups.id, due))))
    .returning();
}
