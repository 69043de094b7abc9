/**
 * Stripe Checkout: the payer follows a link to Stripe's page, and Stripe calls back with signed events. Its package does
 * the wire; its calls go through the guarded dialer. The package is loaded when the first one is made, for its types of
 * everything that Stripe sells are large and most sites have none of it.
 */
import type { Stripe } from 'stripe';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import type { Env } from '../../env.ts';
import type { Options } from '../../options/store.ts';
import { STRIPE_EVENTS } from '../../options/wallet.ts';
import type { Outgoing } from '../../platform/outgoing.ts';
import { CANCEL_FIELD, RETURN_FIELD } from './facts.ts';
import { priceOf } from './price.ts';
import {
  type Callback,
  type Checkout,
  type Notice,
  type OrderToPay,
  PaymentFault,
  type PaymentProvider,
  PaymentRefused,
} from './provider.ts';

const API = 'https://api.stripe.com';
const METHOD = 'stripe';
/** Stripe's own; a page that is open as long as our order needs a little more. */
const SESSION_SLACK_SEC = 120;
/** A payer waits before the page for it. */
const CALL_MS = 10_000;
/** Stripe's packages' own default: an older signature is a replay. */
const SIGNATURE_SEC = 300;
/** Our orders' numbers, among what else is sold through the same account. */
const TRADE_NO = /^[0-9a-f]{32}$/;

/** How the names of payments begin. */
const PAYMENT = 'pi_';

/** Currencies that Stripe counts whole (docs.stripe.com/currencies, "Zero-decimal currencies"). */
const WHOLE = 'BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' ');

interface StripeDeps {
  options: Options;
  outgoing: Outgoing;
  env: Pick<Env, 'STRIPE_API_BASE'>;
}

/** Null unless the secret key and the webhook's secret are both set: with one of them anybody, or nobody, could be paid. */
export function createStripe(deps: StripeDeps): PaymentProvider | null {
  const { options } = deps;
  const key = options.get('StripeSecretKey').trim();
  const webhookSecret = options.get('StripeWebhookSecret').trim();
  if (key === '' || webhookSecret === '') return null;
  const terms = priceOf.stripe(options);
  return {
    name: 'stripe',
    methods: [METHOD],
    ...terms,
    places: WHOLE.includes(terms.currency) ? 0 : 2,
    create: async (order) => openSession(await clientOf(deps, key), order),
    verify: async (callback) => readEvent(await clientOf(deps, key), webhookSecret, callback),
    query: async ({ tradeNo, ref }) =>
      ref === ''
        ? { kind: 'unknown', tradeNo, said: '' }
        : askSession(await clientOf(deps, key), tradeNo, ref),
    close: async ({ ref }) => {
      if (ref !== '') await expireSession(await clientOf(deps, key), ref);
    },
    tradeNoOf: async (ref) => findTradeNo(await clientOf(deps, key), ref),
  };
}

async function clientOf({ outgoing, env }: StripeDeps, key: string): Promise<Stripe> {
  const { Stripe } = await import('stripe');
  return new Stripe(key, {
    httpClient: dialled(outgoing, env.STRIPE_API_BASE),
    maxNetworkRetries: 1,
    timeout: CALL_MS,
    telemetry: false,
  });
}

/** The package's way out: to Stripe, or to the server of the environment. Redirects are not followed: the key goes along. */
function dialled(outgoing: Outgoing, base: string) {
  const makeRequest = async (
    _host: string,
    _port: string,
    path: string,
    method: string,
    headers: object,
    body: string,
    _protocol: string,
    timeoutMs: number,
  ) => {
    const reply = await outgoing.call(`${base || API}${path}`, {
      method: method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)])),
      ...(method !== 'GET' && { body }),
      // The address of the environment is the operator's own.
      allowPrivate: base !== '',
      httpsOnly: base === '',
      redirectsMax: 0,
      timeoutMs,
      maxBytes: limits.paymentAnswerBytes,
    });
    return {
      getStatusCode: () => reply.status,
      getHeaders: () => Object.fromEntries(reply.headers),
      getRawResponse: () => reply,
      toStream: () => null,
      toJSON: async () => JSON.parse(reply.text()),
    };
  };
  return { getClientName: () => 'tollgate', makeRequest };
}

/** What the package throws of a call, as a fault that names no key: its messages quote the first letters of one. */
const asFault = (error: unknown): never => {
  const told = error instanceof Error && 'type' in error ? String(error.type) : 'unknown';
  const code = error instanceof Error && 'code' in error ? String(error.code ?? '') : '';
  throw new PaymentFault(`${told} ${code}`.trim());
};

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof Error && 'statusCode' in error && error.statusCode === status;
const isMissing = (error: unknown): boolean => hasStatus(error, 404);
const isRefused = (error: unknown): boolean => hasStatus(error, 400) || isMissing(error);

async function openSession(client: Stripe, order: OrderToPay): Promise<Checkout> {
  const back = `${order.returnUrl}?${RETURN_FIELD}=${order.tradeNo}`;
  const metadata = { trade_no: order.tradeNo };
  const session = await client.checkout.sessions
    .create(
      {
        mode: 'payment',
        // Refunds and disputes would else come in the payer's own currency, and fit no order.
        adaptive_pricing: { enabled: false },
        client_reference_id: order.tradeNo,
        metadata,
        // A refund's event tells of the charge alone, which has it from here.
        payment_intent_data: { metadata },
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: order.currency.toLowerCase(),
              unit_amount: Number(order.money),
              product_data: { name: `Top-up $${order.dollars}` },
            },
          },
        ],
        success_url: back,
        cancel_url: `${back}&${CANCEL_FIELD}=1`,
        expires_at: nowSec() + limits.topupOpenSec + SESSION_SLACK_SEC,
      },
      { idempotencyKey: order.tradeNo },
    )
    .catch(asFault);
  if (!session.url) throw new PaymentFault('no address');
  return { url: session.url, method: 'GET', fields: {}, ref: session.id };
}

async function readEvent(client: Stripe, secret: string, { headers, body }: Callback): Promise<Notice> {
  const signature = headers.get('stripe-signature') ?? '';
  const event = await client.webhooks
    .constructEventAsync(Buffer.from(body), signature, secret, SIGNATURE_SEC)
    .catch((error: unknown) => {
      const isSigned = error instanceof SyntaxError;
      throw new PaymentRefused(isSigned ? 'malformed' : 'signature', { bytes: body.byteLength });
    });
  return noticeOf(event);
}

type Known = Extract<Stripe.Event, { type: (typeof STRIPE_EVENTS)[number] }>;
const isKnown = (event: Stripe.Event): event is Known => STRIPE_EVENTS.some((type) => type === event.type);

function noticeOf(event: Stripe.Event): Notice {
  return isKnown(event) ? readKnown(event) : { kind: 'other' };
}

function readKnown(event: Known): Notice {
  switch (event.type) {
    // One that is paid by bank transfer is completed long before it is paid.
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return event.data.object.payment_status === 'paid' ? paidBy(event.data.object) : { kind: 'other' };
    case 'checkout.session.async_payment_failed':
      return closedBy(event.data.object, 'failed');
    case 'checkout.session.expired':
      return closedBy(event.data.object, 'expired');
    case 'charge.refunded': {
      const { payment_intent, amount_refunded, currency, metadata, refunds } = event.data.object;
      // Who is told that one failed need not go by which came first in the same second: the sum is without it.
      const isAfterFailure = refunds?.data.some(hasFailed) ?? false;
      return {
        kind: 'reversed',
        reversal: 'refund',
        tradeNo: metadata.trade_no ?? '',
        ref: idOf(payment_intent),
        cause: '',
        money: BigInt(amount_refunded),
        currency: currency.toUpperCase(),
        at: event.created + (isAfterFailure ? 1 : 0),
      };
    }
    // The bank has sent it back, days after it was told as done. Which of these comes hangs on the way of paying.
    case 'refund.failed':
    case 'refund.updated':
    case 'charge.refund.updated': {
      const { id, payment_intent, amount, currency, status } = event.data.object;
      if (!hasFailed({ status })) return { kind: 'other' };
      return {
        kind: 'refund-failed',
        ref: idOf(payment_intent),
        cause: id,
        money: BigInt(amount),
        currency: currency.toUpperCase(),
        at: event.created,
      };
    }
    case 'charge.dispute.created':
    case 'charge.dispute.funds_withdrawn': {
      const { id, payment_intent, amount, currency, status } = event.data.object;
      // An inquiry takes no money; it may become a dispute, which is an event of its own.
      if (status.startsWith('warning_')) return { kind: 'other' };
      return {
        kind: 'reversed',
        reversal: 'dispute',
        tradeNo: '',
        ref: idOf(payment_intent),
        cause: id,
        money: BigInt(amount),
        currency: currency.toUpperCase(),
        at: event.created,
      };
    }
    // Of one that was won both come, in any order; the money of a lost one may be reinstated in part.
    case 'charge.dispute.closed':
    case 'charge.dispute.funds_reinstated': {
      const { id, payment_intent, status } = event.data.object;
      if (status !== 'won') return { kind: 'other' };
      return { kind: 'reinstated', ref: idOf(payment_intent), cause: id };
    }
  }
}

const hasFailed = ({ status }: Pick<Stripe.Refund, 'status'>): boolean =>
  status === 'failed' || status === 'canceled';

const idOf = (thing: string | { id: string } | null): string =>
  typeof thing === 'string' ? thing : (thing?.id ?? '');

/** From where no buyer can write: he may set `client_reference_id` of a payment link of the same account. */
const tradeNoOf = ({ metadata }: Stripe.Checkout.Session): string => {
  const given = metadata?.trade_no ?? '';
  return TRADE_NO.test(given) ? given : '';
};

function paidBy(session: Stripe.Checkout.Session): Notice {
  const tradeNo = tradeNoOf(session);
  if (tradeNo === '') return { kind: 'other' };
  return {
    kind: 'paid',
    tradeNo,
    money: BigInt(session.amount_total ?? 0),
    currency: (session.currency ?? '').toUpperCase(),
    ref: idOf(session.payment_intent),
    method: METHOD,
  };
}

function closedBy(session: Stripe.Checkout.Session, kind: 'failed' | 'expired'): Notice {
  const tradeNo = tradeNoOf(session);
  return tradeNo === '' ? { kind: 'other' } : { kind, tradeNo };
}

async function askSession(client: Stripe, tradeNo: string, ref: string): Promise<Notice> {
  const session = await sessionOf(client, ref);
  if (!session) return { kind: 'unknown', tradeNo, said: '' };
  if (tradeNoOf(session) !== tradeNo) throw new PaymentRefused('order', { trade_no: tradeNo });
  if (session.payment_status === 'paid') return paidBy(session);
  return session.status === 'expired' ? { kind: 'expired', tradeNo } : { kind: 'unpaid', tradeNo };
}

/** Only an open session can be expired (docs.stripe.com/api/checkout/sessions/expire); another is refused with status 400. */
async function expireSession(client: Stripe, ref: string): Promise<void> {
  await client.checkout.sessions.expire(ref).catch((error: unknown) => {
    if (!isRefused(error)) asFault(error);
  });
}

/** A dispute names its payment alone, and of one whose session's event was not heard nobody here knows the name. */
async function findTradeNo(client: Stripe, payment: string): Promise<string> {
  const session = await sessionOf(client, payment);
  return session ? tradeNoOf(session) : '';
}

/**
 * A session by its own name, or by that of its payment, which an order goes by once it is paid. Sessions can be listed by
 * their payment intent (docs.stripe.com/api/checkout/sessions/list) with the same right to read them.
 */
async function sessionOf(client: Stripe, ref: string): Promise<Stripe.Checkout.Session | null> {
  const { sessions } = client.checkout;
  const asked = ref.startsWith(PAYMENT)
    ? sessions.list({ payment_intent: ref, limit: 1 }).then(({ data: [session] }) => session ?? null)
    : sessions.retrieve(ref);
  return asked.catch((error: unknown) => (isMissing(error) ? null : asFault(error)));
}
