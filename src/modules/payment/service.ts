/** Paying: what it costs, where one goes, what comes back, and what administrators do with orders. */

import { lengthOf } from '../../core/account-rules.ts';
import type { Actor } from '../../core/actor.ts';
import type { Changes } from '../../core/admin-actions.ts';
import { AppError, fail, type Text } from '../../core/errors.ts';
import { canActOn } from '../../core/roles.ts';
import { policyOrigin } from '../../core/web-address.ts';
import { publicAddress } from '../../options/public-address.ts';
import { OutgoingError } from '../../platform/outgoing.ts';
import { recordAction, recordDone } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { attempt, byNetwork, byOwn } from '../failed-attempts/service.ts';
import { moneyText } from './amount.ts';
import type { AdminTopupItem, AmountBody, CallbackTest, PaymentMethods } from './contract.ts';
import { callbackTest } from './epay.ts';
import { TOPUP_REASON_MAX } from './facts.ts';
import { getItem } from './lists.ts';
import { hear, type NoticeDeps, noteRefusal, tellOfReversal } from './notices.ts';
import type { OrderRow } from './order.ts';
import {
  checkUse,
  closeOrder,
  createOrder,
  creditOrder,
  findOrderById,
  noteProviderRef,
  ownerOf,
  voidOrder as voidRow,
} from './orders.ts';
import {
  type Callback,
  type Checkout,
  type Notice,
  PaymentFault,
  type PaymentProvider,
  PaymentRefused,
  type RefusalReason,
} from './provider.ts';
import { openProviders, type ProviderDeps, providerNamed, wayOf } from './providers.ts';
import { amountTerms, codeOf, dollarsOf, type Quote, quote, topupRatio } from './quote.ts';
import { giveOwed, reverseOrder } from './reversals.ts';
import { faultText, refusalText, unknownText } from './words.ts';

export { forgetInOrders, removeUnpaid } from './forget.ts';

export type PaymentDeps = NoticeDeps & ProviderDeps & Pick<Deps, 'env' | 'limiter'>;

export interface Buyer {
  id: number;
  group: string;
  ip: string;
  /** Scheme and host that his browser shows. */
  origin: string;
}

/** Whether anybody can be paid online. */
export const isOnlineTopupOpen = (deps: ProviderDeps): boolean => openProviders(deps).length > 0;

/** Where a page's form may go: the gateway's host, while it is open. Stripe's page is reached by a link. */
export const paymentHosts = (deps: ProviderDeps): string[] =>
  providerNamed(deps, 'epay') ? [policyOrigin(deps.options.get('PayAddress'))].filter(Boolean) : [];

export function readMethods(deps: ProviderDeps, group: string): PaymentMethods {
  const { unit, min, max } = amountTerms(deps.options);
  const methods = openProviders(deps).flatMap(({ name, methods, currency }) =>
    methods.map((method) => ({ method, provider: name, currency })),
  );
  return { methods, unit, min, max, group_ratio: topupRatio(deps.options, group) };
}

/** What `startPayment` would ask for. Throws TOPUP_OFF, PAY_METHOD, TOPUP_MANY, RATE_LIMIT and what `quote` throws. */
export async function readAmount(
  deps: PaymentDeps,
  buyer: Buyer,
  body: AmountBody,
): Promise<{ money: string; currency: string }> {
  const { provider } = wayOf(deps, body.payment_method ?? '');
  const asked = await quoted(deps, buyer, provider, body);
  await checkUse(deps, buyer.id, asked);
  return { money: moneyText(asked.money, asked.places), currency: asked.currency };
}

/** Codes can be guessed: who is wrong too often waits, but pays without one meanwhile. */
async function quoted(
  deps: PaymentDeps,
  buyer: Buyer,
  provider: PaymentProvider,
  body: AmountBody,
): Promise<Quote> {
  const make = () => quote(deps.options, provider, buyer.group, body);
  if (codeOf(body) === '') return make();
  const rules = [...byOwn(deps, 'discount', `user:${buyer.id}`), ...byNetwork(deps, 'discount', buyer.ip)];
  return attempt(deps, rules, async () => make(), 'TOPUP_CODE');
}

/**
 * Makes an order and answers where its payer goes. Throws TOPUP_OFF, PAY_METHOD, TOPUP_MANY, PAY_FAILED, RATE_LIMIT and
 * what `quote` throws.
 */
export async function startPayment(
  deps: PaymentDeps,
  buyer: Buyer,
  body: AmountBody,
  only?: string,
): Promise<Checkout & { tradeNo: string }> {
  const { provider, method } = wayOf(deps, body.payment_method ?? '', only);
  const bought = await quoted(deps, buyer, provider, body);
  const order = await createOrder(deps, {
    userId: buyer.id,
    provider: provider.name,
    method,
    quote: bought,
  });
  const site = siteOf(deps, buyer.origin);
  try {
    const checkout = await provider.create({
      tradeNo: order.trade_no,
      money: bought.money,
      currency: bought.currency,
      places: bought.places,
      method,
      dollars: dollarsOf(bought.quota, deps.options.get('QuotaPerUnit')),
      notifyUrl: notifyUrlOf(deps, provider.name, site),
      returnUrl: `${site}/topup`,
    });
    if (checkout.ref !== undefined) await noteProviderRef(deps, order.id, checkout.ref);
    return { ...checkout, tradeNo: order.trade_no };
  } catch (error) {
    await closeOrder(deps, order.id, 'failed');
    if (error instanceof PaymentFault)
      throw fail('PAY_FAILED', { internal: `${provider.name}: ${error.message}` });
    throw error;
  }
}

const trimmed = (address: string): string => address.replace(/\/+$/, '');

/** This site as payers know it. */
const siteOf = (deps: Pick<PaymentDeps, 'env' | 'options'>, origin: string): string =>
  trimmed(publicAddress(deps) || origin);

const notifyUrlOf = ({ options }: ProviderDeps, provider: string, site: string): string =>
  `${trimmed(options.get('CustomCallbackAddress')) || site}/api/user/${provider}/notify`;

export type CallbackAnswer =
  | { kind: 'done' }
  | { kind: 'again' }
  | { kind: 'refused'; reason: RefusalReason }
  | { kind: 'test'; proof: string };

/**
 * Hears a provider's call. `done` only when what it says is committed, or was before; `refused` for what the log tells,
 * `again` for what cannot be settled yet. Throws UNKNOWN_ROUTE while the provider is off, and what the database throws.
 */
export async function hearCallback(
  deps: PaymentDeps,
  name: string,
  callback: Callback,
): Promise<CallbackAnswer> {
  const provider = providerNamed(deps, name);
  if (!provider) {
    // Of a payer who was let in before it was switched off, the operator learns here.
    noteRefusal(deps, name, new PaymentRefused('off'), 'callback');
    throw fail('UNKNOWN_ROUTE');
  }
  try {
    const notice = await provider.verify(callback);
    if (notice.kind === 'test') return { kind: 'test', proof: notice.proof };
    return { kind: (await hear(deps, provider, notice)) === 'done' ? 'done' : 'again' };
  } catch (error) {
    if (error instanceof PaymentRefused) {
      noteRefusal(deps, name, error, 'callback');
      return { kind: 'refused', reason: error.reason };
    }
    if (error instanceof PaymentFault) {
      deps.log.warn('payment.unasked', { provider: name, error });
      return { kind: 'again' };
    }
    // What the account cannot hold is a fault of the site's, not of the call.
    if (error instanceof AppError && error.apiStatus < 500) {
      deps.log.error('payment.uncredited', { provider: name, error });
    } else throw error;
    return { kind: 'again' };
  }
}

/**
 * Asks the provider about an order and does what follows. Answers what it said, or why that is not believed, which the
 * log tells. Throws PaymentFault and what the database throws.
 */
export async function askAbout(
  deps: NoticeDeps & ProviderDeps,
  { trade_no, provider_ref, provider: name }: OrderRow,
): Promise<Notice | PaymentRefused> {
  const provider = providerNamed(deps, name);
  if (!provider) throw new PaymentFault('off');
  try {
    const notice = await provider.query({ tradeNo: trade_no, ref: provider_ref });
    await hear(deps, provider, notice);
    return notice;
  } catch (error) {
    if (!(error instanceof PaymentRefused)) throw error;
    noteRefusal(deps, name, error, 'query');
    return error;
  }
}

const targetOf = (id: number): string => `topup:${id}`;

/**
 * An administrator asks the provider now, which is recorded whatever comes of it. Throws NOT_FOUND, TOPUP_PROVIDER_OFF,
 * with the reason TOPUP_UNANSWERED and TOPUP_UNFIT, and QUOTA_RANGE where the account cannot hold what was paid.
 */
export async function checkOrder(deps: PaymentDeps, actor: Actor, id: number): Promise<AdminTopupItem> {
  const order = required(await findOrderById(deps, id));
  const before = await getItem(deps, id);
  const obstacle = providerNamed(deps, order.provider)
    ? await obstacleOf(askAbout(deps, order), before)
    : fail('TOPUP_PROVIDER_OFF');
  const after = await getItem(deps, id);
  await recordDone(deps.db.orm, {
    actor,
    action: 'topup.check',
    target: targetOf(id),
    changes: statusChange(before, after),
    facts: { trade_no: order.trade_no, ...(obstacle && { answer: obstacle.code }) },
  });
  if (obstacle) throw obstacle;
  return after;
}

/** Why what came of asking is no answer to go by; null when it is one. */
async function obstacleOf(
  asked: ReturnType<typeof askAbout>,
  order: AdminTopupItem,
): Promise<AppError | null> {
  try {
    const answer = await asked;
    if (answer instanceof PaymentRefused) return unfit(refusalText(answer, order));
    return answer.kind === 'unknown' ? unfit(unknownText(answer.said)) : null;
  } catch (error) {
    if (error instanceof AppError) return error;
    if (!(error instanceof PaymentFault)) throw error;
    const params = { reason: faultText(error.message) };
    return fail('TOPUP_UNANSWERED', { params, internal: error.message });
  }
}

const unfit = (reason: Text): AppError => fail('TOPUP_UNFIT', { params: { reason } });

const statusChange = (before: { status: string }, after: { status: string }): Changes =>
  before.status === after.status ? {} : { status: { before: before.status, after: after.status } };

/**
 * An administrator says that an order is paid: it is credited as if its provider had said so, also when it was voided. One
 * that owes what a won dispute had taken gives that back.
 * Throws NOT_FOUND, TOPUP_REASON, TOPUP_DONE, TOPUP_REFUNDED, USER_LEVEL, QUOTA_RANGE.
 */
export async function completeOrder(
  deps: PaymentDeps,
  actor: Actor,
  id: number,
  given: string,
): Promise<AdminTopupItem> {
  const reason = readReason(given);
  required(await findOrderById(deps, id));
  const before = await getItem(deps, id);
  const byHand = { by: actor.id, reason };
  if (before.status === 'owed') {
    await completeOwed(deps, actor, before, byHand);
    return getItem(deps, id);
  }
  const credited = await creditOrder(deps, id, { providerRef: '', byHand }, async (tx, row) => {
    const owner = await ownerOf(tx, row.user_id);
    if (!canActOn(actor, owner)) throw fail('USER_LEVEL');
    await recordAction(tx, {
      actor,
      action: 'topup.complete',
      target: targetOf(id),
      changes: statusChange(before, row),
      facts: {
        trade_no: row.trade_no,
        quota: row.quota,
        code_lapsed: row.code_lapsed,
        price_lapsed: row.price_lapsed,
        reason,
      },
      concerns: {
        userId: owner.id,
        username: owner.username,
        group: owner.group,
        text: {
          zh: `管理员完成了订单 ${row.trade_no}`,
          en: `An administrator completed the order ${row.trade_no}`,
        },
      },
    });
  });
  if (!credited) throw fail('TOPUP_DONE');
  return getItem(deps, id);
}

/** Throws TOPUP_DONE when somebody else has done it meanwhile, USER_LEVEL, QUOTA_RANGE. */
async function completeOwed(
  deps: PaymentDeps,
  actor: Actor,
  before: AdminTopupItem,
  byHand: { by: number; reason: string },
): Promise<void> {
  const given = await giveOwed(deps, before.id, byHand, async (tx, row, { taken, writtenOff }) => {
    const owner = await ownerOf(tx, row.user_id);
    if (!canActOn(actor, owner)) throw fail('USER_LEVEL');
    await recordAction(tx, {
      actor,
      action: 'topup.complete',
      target: targetOf(row.id),
      changes: statusChange(before, row),
      facts: { trade_no: row.trade_no, given: taken, written_off: -writtenOff, reason: byHand.reason },
      concerns: {
        userId: owner.id,
        username: owner.username,
        group: owner.group,
        text: {
          zh: `订单 ${row.trade_no} 的付款未被撤回，管理员返还了 ${taken}`,
          en: `The payment of order ${row.trade_no} stands after all, and an administrator gave back ${taken}`,
        },
      },
    });
  });
  if (!given) throw fail('TOPUP_DONE');
}

/**
 * An administrator settles that an unpaid order is not credited by itself any more, as he has agreed with its payer. Throws
 * NOT_FOUND, TOPUP_REASON, TOPUP_VOIDED, TOPUP_DONE, USER_LEVEL.
 */
export async function voidOrder(
  deps: PaymentDeps,
  actor: Actor,
  id: number,
  given: string,
): Promise<AdminTopupItem> {
  const reason = readReason(given);
  required(await findOrderById(deps, id));
  const before = await getItem(deps, id);
  const voided = await voidRow(deps, id, { by: actor.id, reason }, async (tx, row) => {
    const owner = await ownerOf(tx, row.user_id);
    if (!canActOn(actor, owner)) throw fail('USER_LEVEL');
    await recordAction(tx, {
      actor,
      action: 'topup.void',
      target: targetOf(id),
      changes: statusChange(before, { status: 'voided' }),
      facts: { trade_no: row.trade_no, reason },
      concerns: {
        userId: owner.id,
        username: owner.username,
        group: owner.group,
        text: {
          zh: `管理员作废了订单 ${row.trade_no}`,
          en: `An administrator voided the order ${row.trade_no}`,
        },
      },
    });
  });
  const after = await getItem(deps, id);
  if (!voided) throw fail(after.status === 'voided' ? 'TOPUP_VOIDED' : 'TOPUP_DONE');
  await closePage(deps, voided);
  return after;
}

/** Its payer may have the page open. Where that cannot be closed, a payment is noted and told as of any voided order. */
async function closePage(
  deps: PaymentDeps,
  { provider: name, trade_no: tradeNo, provider_ref: ref }: OrderRow,
) {
  try {
    await providerNamed(deps, name)?.close?.({ tradeNo, ref });
  } catch (error) {
    if (!(error instanceof PaymentFault)) throw error;
    deps.log.warn('payment.page_open', { trade_no: tradeNo, reason: error.message });
  }
}

/**
 * An administrator has given a payment back, or gives it back at the provider's: its quota goes, or what refunds in part
 * have left of it; of a voided order nothing was added, and it is noted. Throws NOT_FOUND, TOPUP_REASON, TOPUP_NOT_PAID, TOPUP_REFUNDED, USER_LEVEL.
 */
export async function refundOrder(
  deps: PaymentDeps,
  actor: Actor,
  id: number,
  given: string,
): Promise<AdminTopupItem> {
  const reason = readReason(given);
  const order = required(await findOrderById(deps, id));
  const whole = { kind: 'refund', cause: '', money: BigInt(order.money) } as const;
  const byHand = { by: actor.id, reason };
  const reversed = await reverseOrder(
    deps,
    id,
    { ...whole, byHand },
    async (tx, row, { taken, writtenOff }) => {
      const owner = await ownerOf(tx, row.user_id);
      if (!canActOn(actor, owner)) throw fail('USER_LEVEL');
      await recordAction(tx, {
        actor,
        action: 'topup.refund',
        target: targetOf(id),
        changes: statusChange(order, row),
        facts: { trade_no: row.trade_no, taken, written_off: writtenOff, reason },
        concerns: {
          userId: owner.id,
          username: owner.username,
          group: owner.group,
          text: {
            zh: `订单 ${row.trade_no} 已退款，扣回 ${taken}`,
            en: `The order ${row.trade_no} was refunded and ${taken} taken back`,
          },
        },
      });
    },
  );
  if (!reversed) throw fail('TOPUP_REFUNDED');
  tellOfReversal(deps, order, reversed);
  return getItem(deps, id);
}

/** Throws NOT_FOUND. */
function required<T>(row: T | undefined): T {
  if (row === undefined) throw fail('NOT_FOUND');
  return row;
}

function readReason(given: string): string {
  const reason = given.trim();
  if (reason === '' || lengthOf(reason) > TOPUP_REASON_MAX) throw fail('TOPUP_REASON');
  return reason;
}

/** Calls our own callback as the gateway would, over the address that the gateway is given. Throws TOPUP_PROVIDER_OFF. */
export async function testCallback(
  deps: PaymentDeps & Pick<Deps, 'outgoing'>,
  origin: string,
): Promise<Omit<CallbackTest, 'reason'> & { fault: string }> {
  if (!providerNamed(deps, 'epay')) throw fail('TOPUP_PROVIDER_OFF');
  const notifyUrl = notifyUrlOf(deps, 'epay', siteOf(deps, origin));
  const { url, proof } = callbackTest(deps.options, notifyUrl);
  const fault = await deps.outgoing
    .call(url, { allowPrivate: true, redirectsMax: 0, maxBytes: 64 * 1024 })
    .then(({ status, text }) => {
      if (text().trim() === proof) return '';
      return status === 200 ? 'stranger' : `status ${status}`;
    })
    .catch((error: unknown) => (error instanceof OutgoingError ? error.fault : 'unreachable'));
  return { url: notifyUrl, reachable: fault === '', fault };
}
