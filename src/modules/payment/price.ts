/** What one US dollar of quota costs at each provider now, by the options; also while the provider is off. */
import { type Decimal, decimalOf } from '../../core/decimal.ts';
import type { Options } from '../../options/store.ts';
import type { PaymentProviderName } from './facts.ts';

export interface Price {
  price: Decimal;
  /** ISO 4217. */
  currency: string;
}

/** The wire of epay knows one currency and never names it. */
export const EPAY_CURRENCY = 'CNY';

export const priceOf: Readonly<Record<PaymentProviderName, (options: Options) => Price>> = {
  epay: (options) => ({ price: decimalOf(options.get('Price')) ?? 0n, currency: EPAY_CURRENCY }),
  stripe: (options) => ({
    price: decimalOf(options.get('StripePrice')) ?? 0n,
    currency: options.get('StripeCurrency').trim().toUpperCase(),
  }),
};
