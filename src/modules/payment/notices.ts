/** What a provider says of an order, held against the order itself; only what fits moves anything. */
import { usdText } from '../../core/money.ts';
import type { AlertType } from '../alert/service.ts';
import type { GiftDeps } from '../gift/service.ts';
import { moneyText } from './amount.ts';
import type { OrderRow } from './order.ts';
import { closeOrder, creditOrder, findOrder, findOrderByRef, notePaidVoided, noteRef } from './orders.ts';
import { type Notice, type PaymentProvider, PaymentRefused } from './provider.ts';
import { failRefund, type Reversed, reverseOrder, winDispute } from './reversals.ts';

export type NoticeDeps = GiftDeps;

/** What came of a notice: `later` wants it once more, when what it is about has become known. */
export type Heard = 'done' | 'later';

/** Throws PaymentRefused for what does not fit its order, and what the database throws. */
export async function hear(deps: NoticeDeps, provider: PaymentProvider, notice: Notice): Promise<Heard> {
  switch (notice.kind) {
    case 'other':
    case 'test':
      return 'done';
    case 'unpaid':
    case 'unknown':
      return 'later';
    case 'failed':
    case 'expired': {
      const order = await ordered(deps, provider, notice.tradeNo);
      await closeOrder(deps, order.id, notice.kind);
      return 'done';
    }
    case 'paid':
      await pay(deps, provider, notice);
      return 'done';
    case 'reversed':
      await reverse(deps, provider, notice);
      return 'done';
    case 'refund-failed':
      await undoRefund(deps, provider, notice);
      return 'done';
    case 'reinstated':
      await reinstate(deps, provider, notice);
      return 'done';
  }
}

/** The order that the provider names; one of another provider is none of his. */
async function ordered(deps: NoticeDeps, { name }: PaymentProvider, tradeNo: string): Promise<OrderRow> {
  const order = await findOrder(deps, tradeNo);
  if (!order) throw new PaymentRefused('order', { trade_no: tradeNo });
  if (order.provider !== name)
    throw new PaymentRefused('provider', { trade_no: tradeNo, of: order.provider });
  return order;
}

async function pay(
  deps: NoticeDeps,
  provider: PaymentProvider,
  notice: Extract<Notice, { kind: 'paid' }>,
): Promise<void> {
  const { tradeNo, money, currency, ref, method } = notice;
  const order = await ordered(deps, provider, tradeNo);
  if (currency !== order.currency) {
    throw new PaymentRefused('currency', { trade_no: tradeNo, paid: currency, asked: order.currency });
  }
  const sums = {
    trade_no: tradeNo,
    paid: moneyText(money, order.places),
    asked: moneyText(BigInt(order.money), order.places),
  };
  if (money < BigInt(order.money)) throw new PaymentRefused('amount', sums);
  // The way of the order itself stays good when the operator has closed it meanwhile.
  if (method !== '' && method !== order.method && !provider.methods.includes(method)) {
    throw new PaymentRefused('method', { trade_no: tradeNo, method });
  }
  const credited = await creditOrder(deps, order.id, { providerRef: ref });
  if (!credited) {
    if (await notePaidVoided(deps, order.id, ref)) tellOfPaidVoided(deps, order, sums.paid);
    else await noteRef(deps, order.id, ref);
    return;
  }
  const { quota, code_lapsed, price_lapsed } = credited;
  deps.log.info('payment.credited', { ...sums, provider: provider.name, quota, code_lapsed, price_lapsed });
  if (money > BigInt(order.money)) deps.log.warn('payment.overpaid', { ...sums, provider: provider.name });
}

/** Also of what is not paid yet: events come in any order, and what was told is taken when it is credited. */
async function reverse(
  deps: NoticeDeps,
  provider: PaymentProvider,
  notice: Extract<Notice, { kind: 'reversed' }>,
): Promise<void> {
  const order = await reversedOrder(deps, provider, notice);
  if (!order) return;
  if (notice.currency !== order.currency) {
    throw new PaymentRefused('currency', { trade_no: order.trade_no, paid: notice.currency });
  }
  const { reversal: kind, cause, money, at } = notice;
  const reversed = await reverseOrder(deps, order.id, { kind, cause, money, at });
  if (reversed) tellOfReversal(deps, order, reversed);
}

async function reinstate(
  deps: NoticeDeps,
  provider: PaymentProvider,
  { ref, cause }: Extract<Notice, { kind: 'reinstated' }>,
): Promise<void> {
  const order = await reversedOrder(deps, provider, { ref, tradeNo: '' });
  if (!order) return;
  noteGiven(deps, order, 'dispute', await winDispute(deps, order.id, cause));
}

/** Also of what is not paid yet, or was not told yet: it takes nothing later. */
async function undoRefund(
  deps: NoticeDeps,
  provider: PaymentProvider,
  { ref, cause, money, currency, at }: Extract<Notice, { kind: 'refund-failed' }>,
): Promise<void> {
  const order = await reversedOrder(deps, provider, { ref, tradeNo: '' });
  if (!order) return;
  if (currency !== order.currency)
    throw new PaymentRefused('currency', { trade_no: order.trade_no, paid: currency });
  noteGiven(deps, order, 'refund', await failRefund(deps, order.id, { cause, money, at }));
}

function noteGiven(
  deps: NoticeDeps,
  order: OrderRow,
  of: 'dispute' | 'refund',
  given: Reversed | 'owed' | null,
): void {
  if (given === 'owed') tellOfOwed(deps, order, of);
  if (given === null || given === 'owed') return;
  const facts = { user_id: order.user_id, of, given: given.taken, written_off: -given.writtenOff };
  deps.log.info('payment.reinstated', { trade_no: order.trade_no, ...facts });
}

/** The order whose payment it is; undefined as a rule for something else that is sold through the same account. */
async function reversedOrder(
  deps: NoticeDeps,
  provider: PaymentProvider,
  { ref, tradeNo }: { ref: string; tradeNo: string },
): Promise<OrderRow | undefined> {
  const known = ref === '' ? undefined : await findOrderByRef(deps, provider.name, ref);
  if (known) return known;
  const number = tradeNo !== '' || ref === '' ? tradeNo : await provider.tradeNoOf(ref);
  const order = number === '' ? undefined : await findOrder(deps, number);
  if (order?.provider === provider.name) {
    await noteRef(deps, order.id, ref);
    return order;
  }
  deps.log.warn('payment.unknown_reversal', {
    provider: provider.name,
    ref: ref.slice(0, FACT_MAX),
    trade_no: number.slice(0, FACT_MAX),
  });
  return undefined;
}

/** The provider has nothing more to tell: root knows whether the account has room again. */
function tellOfOwed(
  { alerts, log }: NoticeDeps,
  { trade_no, user_id, provider }: OrderRow,
  of: 'dispute' | 'refund',
): void {
  log.warn('payment.owed', { trade_no, user_id, provider, of });
  alerts.send({
    type: 'payment_owed',
    subject: trade_no,
    title:
      of === 'dispute'
        ? {
            zh: `订单 ${trade_no} 争议胜诉，额度尚未返还`,
            en: `The dispute over order ${trade_no} was won and its quota is not given back`,
          }
        : {
            zh: `订单 ${trade_no} 退款失败，额度尚未返还`,
            en: `A refund of order ${trade_no} failed and its quota is not given back`,
          },
    content: {
      zh: `用户 ${user_id} 的账户额度已达上限，无法返还。待其有余量后，请在“支付订单”中完成该订单。`,
      en: `The account of user ${user_id} holds as much as it can. Complete the order under Payments when it has room again.`,
    },
  });
}

/** Root decides what becomes of it: nothing was added, and the payer has paid. */
function tellOfPaidVoided({ alerts, log }: NoticeDeps, order: OrderRow, paid: string): void {
  const { trade_no, user_id, currency, provider } = order;
  log.warn('payment.voided_paid', { trade_no, user_id, provider, paid, currency });
  alerts.send({
    type: 'payment_voided',
    subject: trade_no,
    title: {
      zh: `已作废的订单 ${trade_no} 收到了付款`,
      en: `The voided order ${trade_no} was paid`,
    },
    content: {
      zh: `用户 ${user_id} 支付了 ${paid} ${currency}，未增加额度。请在“支付订单”中完成该订单，或在支付渠道退款。`,
      en: `User ${user_id} paid ${paid} ${currency}, and nothing was added. Complete the order under Payments, or refund it at the provider’s.`,
    },
  });
}

const ALERT: AlertType = 'payment_taken_back';

/** Root hears of what was not there any more: it is the site's loss. */
export function tellOfReversal(
  { alerts, log, options }: Pick<NoticeDeps, 'alerts' | 'log' | 'options'>,
  order: OrderRow,
  { taken, writtenOff }: { taken: number; writtenOff: number },
): void {
  const facts = { trade_no: order.trade_no, user_id: order.user_id, taken, written_off: writtenOff };
  log.warn('payment.taken_back', facts);
  if (writtenOff === 0) return;
  const perUnit = options.get('QuotaPerUnit');
  const zh = (quota: number) => `$${usdText(quota, perUnit)}（${quota} 额度）`;
  const en = (quota: number) => `$${usdText(quota, perUnit)} (${quota} units)`;
  alerts.send({
    type: ALERT,
    subject: order.trade_no,
    title: {
      zh: `订单 ${order.trade_no} 的付款被撤回，余额不足`,
      en: `The payment of order ${order.trade_no} was taken back and its quota is spent`,
    },
    content: {
      zh: `用户 ${order.user_id}：扣回 ${zh(taken)}，核销 ${zh(writtenOff)}`,
      en: `User ${order.user_id}: ${en(taken)} taken back, ${en(writtenOff)} written off`,
    },
  });
}

/** What was refused, for the log: never more than the call has said, and cut to a length. */
export function noteRefusal(
  { log }: Pick<NoticeDeps, 'log'>,
  provider: string,
  refused: PaymentRefused,
  via: 'callback' | 'query',
): void {
  const facts = Object.fromEntries(
    Object.entries(refused.facts).map(([name, value]) => [name, String(value).slice(0, FACT_MAX)]),
  );
  log.warn('payment.refused', { provider, via, reason: refused.reason, ...facts });
}

const FACT_MAX = 100;
