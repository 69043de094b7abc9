/** Stripe's signature scheme, written a second time from its description (docs.stripe.com/webhooks, "Verify manually"). */

export const STRIPE = { key: 'sk_test_of-the-tests', webhookSecret: 'whsec_of-the-tests' };

export function stripeSignature(
  payload: string,
  secret = STRIPE.webhookSecret,
  at = Math.floor(Date.now() / 1000),
): string {
  const hmac = new Bun.CryptoHasher('sha256', secret).update(`${at}.${payload}`).digest('hex');
  return `t=${at},v1=${hmac}`;
}

/** When the events of its own page go, seen from the payer's return. */
export type PageMode = 'before' | 'after' | 'twice' | 'never';

export interface StripeSession {
  id: string;
  object: 'checkout.session';
  url: string;
  client_reference_id: string;
  metadata: Record<string, string>;
  amount_total: number;
  currency: string;
  payment_status: 'paid' | 'unpaid';
  status: 'open' | 'complete' | 'expired';
  payment_intent: string | null;
  success_url: string;
}

/** An event as Stripe sends it; `created`: when it happened there. */
export const stripeEvent = (
  type: string,
  object: object,
  { id = `evt_${crypto.randomUUID()}`, created = 1 } = {},
): string => JSON.stringify({ id, object: 'event', type, created, livemode: false, data: { object } });
