/** An order as the calls answer it, and what follows from its fields. */
import { isCredited, type TopupStatus } from '@modules/payment/facts.ts';
import type { StateLook } from '@/components/status.tsx';
import type { DataOf } from '@/lib/calls.ts';
import type { TFunction } from '@/lib/i18n.ts';
import type { TextKey } from '@/lib/text-key.ts';

export type Order = DataOf<'get', '/api/user/topup/self'>['items'][number];
export type AnyOrder = DataOf<'get', '/api/topup/'>['items'][number];

export const orderStates: Record<TopupStatus, StateLook> = {
  pending: { tone: 'auto', label: 'payment.state.pending' },
  success: { tone: 'on', label: 'payment.state.success' },
  expired: { tone: 'gone', label: 'state.expired' },
  failed: { tone: 'gone', label: 'payment.state.failed' },
  refunded: { tone: 'off', label: 'payment.state.refunded' },
  disputed: { tone: 'bad', label: 'payment.state.disputed' },
  owed: { tone: 'bad', label: 'payment.state.owed' },
  reinstated: { tone: 'on', label: 'payment.state.reinstated' },
  voided: { tone: 'gone', label: 'payment.state.voided' },
};

const isAll = (part: string, order: Pick<Order, 'money'>): boolean => part === order.money;
export const isNone = (money: string): boolean => Number(money) === 0;

/** Its state as a list tells it: also how much was refunded, and that a voided one was paid all the same. */
export function stateOf(order: Order): StateLook {
  const { status, paid_at, refunded_money, reversed_money } = order;
  if (status === 'refunded' && !isAll(reversed_money, order)) {
    return { tone: 'off', label: 'payment.state.partlyRefunded' };
  }
  if (status !== 'voided') return orderStates[status];
  if (isAll(refunded_money, order)) return { tone: 'off', label: 'payment.state.voidedRefunded' };
  return paid_at > 0 ? { tone: 'bad', label: 'payment.state.voidedPaid' } : orderStates.voided;
}

/** Methods that have a name of their own; of others their word is shown. */
const METHODS: Readonly<Record<string, TextKey>> = {
  alipay: 'payment.method.alipay',
  wxpay: 'payment.method.wxpay',
  qqpay: 'payment.method.qqpay',
  bank: 'payment.method.bank',
  card: 'payment.method.card',
  stripe: 'payment.method.card',
};

export const methodText = (method: string, t: TFunction): string => {
  const key = Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
  return key ? t(key) : method;
};

/** `7.30` and `CNY` as people read them: `¥7.30`. Every decimal stays as it came: nothing is rounded. */
export function priceText(money: string, currency: string, locale: 'zh' | 'en'): string {
  const places = money.split('.')[1]?.length ?? 0;
  try {
    return new Intl.NumberFormat(locale, {
      style: 'currency',
      currency,
      currencyDisplay: 'narrowSymbol',
      minimumFractionDigits: places,
      maximumFractionDigits: places,
    }).format(Number(money));
  } catch {
    // No code that the browser knows.
    return `${money} ${currency}`;
  }
}

/** Why it cannot be credited by hand, or given back what it owes; undefined when it can. */
export function completeObstacle(order: Order): TextKey | undefined {
  if (order.status === 'owed') return undefined;
  if (isCredited(order)) return 'payment.isPaid';
  return isAll(order.reversed_money, order) ? 'payment.isRefunded' : undefined;
}

/** Why it cannot be voided; undefined when it can. */
export function voidObstacle(order: Order): TextKey | undefined {
  if (isCredited(order)) return 'payment.isPaid';
  return order.status === 'voided' ? 'payment.isVoided' : undefined;
}

/** Why its quota cannot be taken back; undefined when it can. */
export function refundObstacle(order: Order): TextKey | undefined {
  if (!isCredited(order) && !(order.status === 'voided' && order.paid_at > 0)) return 'payment.isUnpaid';
  return isAll(order.refunded_money, order) ? 'payment.isRefunded' : undefined;
}

/** What is left of an order's quota when what was taken back is off, and of its money to be refunded. */
export function leftOf(order: Pick<Order, 'quota' | 'money' | 'reversed_quota' | 'refunded_money'>): {
  quota: number;
  money: string;
} {
  const places = order.money.split('.')[1]?.length ?? 0;
  const minor = (money: string) => BigInt(money.replace('.', ''));
  const digits = String(minor(order.money) - minor(order.refunded_money)).padStart(places + 1, '0');
  const money = places === 0 ? digits : `${digits.slice(0, -places)}.${digits.slice(-places)}`;
  return { quota: order.quota - order.reversed_quota, money };
}

/** What an administrator is about to do, and says why. */
export interface ReasonAsked {
  deed: 'complete' | 'void' | 'refund';
  order: AnyOrder;
}
