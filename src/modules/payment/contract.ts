/** What the payment calls take and answer. */
import { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { timeQuery } from '../../core/wire/query.ts';
import { wireText } from '../../core/wire/text.ts';
import { askedWhole } from '../../core/wire/whole.ts';
import {
  PAYMENT_PROVIDERS,
  type PaymentProviderName,
  TOPUP_ORDERS,
  TOPUP_REASON_MAX,
  TOPUP_STATUSES,
  type TopupStatus,
} from './facts.ts';

const TEXT_MAX = 300;

/** Also as text, as a form field has it. Its rules refuse it, in the specification's words. */
const amount = z
  .union([
    z.number(),
    z
      .string()
      .trim()
      .max(17)
      .regex(/^-?\d{1,16}$/)
      .transform(Number),
  ])
  .nullish();

export const amountBody = z.object({
  /** Whole US dollars, or quota units where amounts are shown as quota. */
  amount,
  /** A discount code; empty or absent for none. */
  top_up_code: wireText(TEXT_MAX).nullish(),
  /** A method as `GET /api/user/topup/methods` names it; decides the currency. */
  payment_method: wireText(TEXT_MAX).nullish(),
});
export type AmountBody = z.output<typeof amountBody>;

/** Longer ones than allowed are refused by their rule. */
export const reasonBody = z.object({ reason: wireText(TOPUP_REASON_MAX * 4).nullish() });

/** A filter that is no such state is no filter, so that an old link still opens. */
const listFilters = {
  status: z.enum(TOPUP_STATUSES).optional().catch(undefined),
  ...timeQuery.shape,
  /** Newest first without one. */
  sort: askedOrder(TOPUP_ORDERS),
};

export const ownQuery = pagingQuery.extend({
  ...listFilters,
  /** One order alone, by its number or its id; 0 for all. */
  trade_no: wireText(TEXT_MAX).optional(),
  id: askedWhole('bigint'),
});

export const searchQuery = pagingQuery.extend({
  ...listFilters,
  /** An order's number, the provider's reference, a user's id, part of his name, or `#` and an order's id. */
  keyword: wireText(TEXT_MAX).optional(),
  provider: z.enum(PAYMENT_PROVIDERS).optional().catch(undefined),
});
export type OwnQuery = z.output<typeof ownQuery>;
export type SearchQuery = z.output<typeof searchQuery>;

/** A way of paying that is open. */
export interface PaymentMethod {
  /** For `payment_method`: `alipay`, `wxpay`. */
  method: string;
  provider: PaymentProviderName;
  /** ISO 4217. */
  currency: string;
}

/** `GET /api/user/topup/methods`. */
export interface PaymentMethods {
  /** None while online payment is off. */
  methods: PaymentMethod[];
  /** What `amount` counts: whole US dollars or quota units. */
  unit: 'usd' | 'quota';
  /** The least `amount`. */
  min: number;
  max: number;
  /** By which the price is multiplied for the caller's group. */
  group_ratio: number;
}

/** `POST /api/user/amount`. */
export interface AmountAnswer {
  success: true;
  message: 'success';
  /** The amount payable with the currency's decimal places: `7.30`. */
  data: string;
  currency: string;
}

/** `POST /api/user/pay`: where the browser goes, by a form that it posts, or by a link. */
export interface PayAnswer {
  success: true;
  message: 'success';
  /** Fields of the form; none with `GET`. */
  data: Record<string, string>;
  url: string;
  method: 'POST' | 'GET';
  trade_no: string;
}

/** An order as its owner sees it. */
export interface TopupItem {
  id: number;
  trade_no: string;
  provider: string;
  method: string;
  /** Quota units that it adds. */
  quota: number;
  /** `7.30` */
  money: string;
  currency: string;
  status: TopupStatus;
  /** The discount code; empty for none. */
  code: string;
  /** It was paid late, when the code could not be used any more: `quota` is what the money buys without it. */
  code_lapsed: boolean;
  /** It was paid so late that its price held no longer: `quota` is what the money bought on that day. */
  price_lapsed: boolean;
  /** Unix seconds; 0 for what has not happened. */
  created_at: number;
  expires_at: number;
  paid_at: number;
  completed_at: number;
  /** Quota units and money that are taken back; what a won dispute gave back is not. Of what was not credited, money alone. */
  reversed_quota: number;
  reversed_money: string;
  /** What refunds came to in all, also where a dispute holds it as well. */
  refunded_money: string;
  /** Why an administrator took it back; empty where the provider did. */
  reversed_reason: string;
  /** Why an administrator voided it; empty where none did. It may be paid, and completed, all the same. */
  void_reason: string;
}

/** The same as administrators see it. */
export interface AdminTopupItem extends TopupItem {
  user_id: number;
  username: string;
  /** What the provider calls the payment. */
  provider_ref: string;
  /** Who completed it by hand and why; 0 and empty where the provider said that it is paid. */
  completed_by: number;
  reason: string;
  /** Who voided it; 0 for nobody. */
  voided_by: number;
}

/** `POST /api/topup/callback_test`. */
export interface CallbackTest {
  /** The address that providers call. */
  url: string;
  /** Whether our own answer came from there. */
  reachable: boolean;
  /** What came instead, in the reader's language; empty when it is reachable. */
  reason: string;
}
