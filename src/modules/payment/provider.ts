/**
 * What a payment provider is to the orders: it says where a payer goes, proves who calls back and what he says, and
 * answers what has become of an order. It never touches an order or a balance.
 */
import type { Decimal } from '../../core/decimal.ts';
import type { PaymentProviderName, ReversalKind } from './facts.ts';

/** An order as a provider is told of it. */
export interface OrderToPay {
  tradeNo: string;
  /** In the smallest unit of the currency. */
  money: bigint;
  currency: string;
  places: number;
  method: string;
  /** What the payer reads: `10` for ten US dollars of quota. */
  dollars: string;
  /** Addresses of this site. */
  notifyUrl: string;
  returnUrl: string;
}

/** An order that a provider is asked about. */
export interface AskedOrder {
  tradeNo: string;
  /** What the provider calls it; empty where it has not said so. */
  ref: string;
}

/** Where a payer's browser goes: by a form that the page posts, or by a link. */
export interface Checkout {
  url: string;
  method: 'POST' | 'GET';
  fields: Record<string, string>;
  /** What the provider calls the order until it is paid; absent where it goes by our number. */
  ref?: string;
}

/** A call to one of our callback addresses, as it came. */
export interface Callback {
  query: URLSearchParams;
  headers: Headers;
  body: Uint8Array;
}

/** What a provider says, proven to be its own words. */
export type Notice =
  | {
      kind: 'paid';
      tradeNo: string;
      money: bigint;
      currency: string;
      /** What the provider calls the payment. */
      ref: string;
      /** The way that was paid; empty where the provider does not say. */
      method: string;
    }
  | { kind: 'unpaid'; tradeNo: string }
  /** The provider does not know the order, as it is before its payer has come; or will not speak of it. */
  | {
      kind: 'unknown';
      tradeNo: string;
      /** Its own words, which hold no key; empty for none. */
      said: string;
    }
  | { kind: 'failed' | 'expired'; tradeNo: string }
  | {
      kind: 'reversed';
      reversal: ReversalKind;
      /** Empty where the provider only tells what it calls the payment. */
      tradeNo: string;
      /** What the provider calls the payment. */
      ref: string;
      /** What it calls the dispute; empty of refunds. */
      cause: string;
      /** All refunds so far, or all of this dispute, in the smallest unit of the order's currency. */
      money: bigint;
      currency: string;
      /** When it was so, in unix seconds. */
      at: number;
    }
  /** A refund that was told of and did not reach the payer. */
  | {
      kind: 'refund-failed';
      /** What the provider calls the payment, and the refund. */
      ref: string;
      cause: string;
      money: bigint;
      currency: string;
      /** When it failed, in unix seconds. */
      at: number;
    }
  /** A dispute that was won: the payment stands. */
  | { kind: 'reinstated'; ref: string; cause: string }
  /** Nothing that concerns an order. */
  | { kind: 'other' }
  /** The callback's self-test, and what proves that we have answered it. */
  | { kind: 'test'; proof: string };

export interface PaymentProvider {
  readonly name: PaymentProviderName;
  /** Ways of paying that are open, as the wire calls them. */
  readonly methods: readonly string[];
  /** ISO 4217, and its decimal places. */
  readonly currency: string;
  readonly places: number;
  /** Units of the currency for one US dollar of quota. */
  readonly price: Decimal;
  /** Throws PaymentFault when the provider does not take the order. */
  create(order: OrderToPay): Promise<Checkout>;
  /** Throws PaymentRefused when the call is not the provider's, or not for us. */
  verify(callback: Callback): Promise<Notice>;
  /** What has become of an order. Throws PaymentFault, PaymentRefused. */
  query(order: AskedOrder): Promise<Notice>;
  /**
   * Closes the page on which an order could still be paid, where there is one of its own; one that is closed or paid
   * already stays as it is. Throws PaymentFault.
   */
  close?(order: AskedOrder): Promise<void>;
  /** The order that a payment is of, by what the provider calls the payment; empty for something else. Throws PaymentFault. */
  tradeNoOf(ref: string): Promise<string>;
}

/** Why nothing is credited for what somebody says of a payment; `off` where the provider is not complete. */
export type RefusalReason =
  | 'off'
  | 'signature'
  | 'merchant'
  | 'order'
  | 'provider'
  | 'amount'
  | 'currency'
  | 'method'
  | 'malformed';

/** What was said is not believed. Its texts never hold a key; `facts` are for the log. */
export class PaymentRefused extends Error {
  override readonly name = 'PaymentRefused';
  constructor(
    readonly reason: RefusalReason,
    readonly facts: Record<string, string | number> = {},
  ) {
    super(reason);
  }
}

/** The provider could not be asked, or answered what is none. */
export class PaymentFault extends Error {
  override readonly name = 'PaymentFault';
}
