/**
 * Stripe's part in a Checkout as a process of its own: it keeps sessions by their idempotency key, shows a page, signs
 * events and sends them as it is told to, and answers queries. It prints its port. What is below `/control` is for tests.
 */
import { type PageMode, STRIPE, type StripeSession, stripeEvent, stripeSignature } from './stripe-wire.ts';

interface Told {
  trade_no: string;
  type: string;
  /** Where the site hears events. */
  to: string;
  times?: number;
  delayMs?: number;
  /** Fields of the event's object that are other than the session's. */
  over?: object;
  secret?: string;
}

const sessions = new Map<string, StripeSession>();
const byKey = new Map<string, { body: string; session: StripeSession }>();
const calls: { method: string; path: string; key: string | null }[] = [];
/** Where events of its own page go, and when, seen from the payer's return; none until a test says so. */
let webhook = '';
let mode: PageMode = 'never';
let delayMs = 0;
let origin = '';

const refusal = (status: number, type: string, message: string) =>
  Response.json({ error: { type, message } }, { status });

function create(body: string, key: string): Response {
  const known = byKey.get(key);
  if (known && known.body !== body) return refusal(400, 'idempotency_error', 'other parameters');
  if (known) return Response.json(known.session);
  const form = new URLSearchParams(body);
  const field = (name: string) => form.get(name) ?? '';
  if (field('mode') !== 'payment') return refusal(400, 'invalid_request_error', 'mode');
  const lasts = Number(field('expires_at')) - Date.now() / 1000;
  if (lasts < 1_800 || lasts > 86_400) return refusal(400, 'invalid_request_error', 'expires_at');
  if (field('payment_intent_data[metadata][trade_no]') !== field('client_reference_id')) {
    return refusal(400, 'invalid_request_error', 'metadata');
  }
  const id = `cs_test_${crypto.randomUUID().replaceAll('-', '')}`;
  const session: StripeSession = {
    id,
    object: 'checkout.session',
    url: `${origin}/page/${id}`,
    client_reference_id: field('client_reference_id'),
    metadata: { trade_no: field('metadata[trade_no]') },
    amount_total:
      Number(field('line_items[0][price_data][unit_amount]')) * Number(field('line_items[0][quantity]')),
    currency: field('line_items[0][price_data][currency]'),
    payment_status: 'unpaid',
    status: 'open',
    payment_intent: null,
    success_url: field('success_url'),
  };
  sessions.set(id, session);
  byKey.set(key, { body, session });
  return Response.json(session);
}

/** By their payment alone: who asks for anything else asks for what nobody here needs. */
function list(asked: URLSearchParams): Response {
  const payment = asked.get('payment_intent');
  if (!payment?.startsWith('pi_')) return refusal(400, 'invalid_request_error', 'payment_intent');
  const data = [...sessions.values()].filter(({ payment_intent }) => payment_intent === payment);
  return Response.json({ object: 'list', url: '/v1/checkout/sessions', has_more: false, data });
}

const ofTrade = (tradeNo: string): StripeSession | undefined =>
  [...sessions.values()].find((session) => session.client_reference_id === tradeNo);

function pay(session: StripeSession): void {
  session.payment_status = 'paid';
  session.status = 'complete';
  session.payment_intent = `pi_${session.id}`;
}

function expire(session: StripeSession): Response {
  if (session.status !== 'open')
    return refusal(400, 'invalid_request_error', 'Only open sessions can be expired');
  session.status = 'expired';
  return Response.json(session);
}

async function send(told: Told, object: object): Promise<number[]> {
  if (told.delayMs) await Bun.sleep(told.delayMs);
  const payload = stripeEvent(told.type, { ...object, ...told.over });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'stripe-signature': stripeSignature(payload, told.secret),
  };
  const once = async () =>
    (await fetch(told.to, { method: 'POST', headers, body: payload }).catch(() => null))?.status ?? 0;
  return Promise.all(Array.from({ length: told.times ?? 1 }, once));
}

async function control(path: string, request: Request): Promise<Response> {
  const told = await request.json();
  const session = ofTrade(told.trade_no);
  switch (path) {
    case '/control/webhook':
      webhook = told.to;
      mode = told.mode;
      delayMs = told.delayMs ?? 0;
      return Response.json({});
    case '/control/pay':
      if (session) pay(session);
      return Response.json(session ?? null);
    case '/control/session':
      return Response.json(session ?? null);
    case '/control/expire':
      if (session) session.status = 'expired';
      return Response.json(session ?? null);
    case '/control/send':
      return Response.json(await send(told, session ?? {}));
    case '/control/calls':
      return Response.json(calls);
    default:
      return new Response('', { status: 404 });
  }
}

const page = (session: StripeSession) =>
  new Response(
    `<!doctype html><html lang="en"><title>Checkout</title><h1>Checkout</h1><p>${session.amount_total} ${session.currency}</p>
    <form method="post"><button>Pay</button></form></html>`,
    { headers: { 'content-type': 'text/html; charset=utf-8' } },
  );

async function payOnPage(session: StripeSession): Promise<Response> {
  pay(session);
  const times = mode === 'twice' ? 2 : 1;
  const event = { trade_no: '', type: 'checkout.session.completed', to: webhook, delayMs, times };
  if (mode === 'before' || mode === 'twice') await send(event, session);
  if (mode === 'after') void send(event, session);
  return Response.redirect(session.success_url, 303);
}

const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  idleTimeout: 120,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname.startsWith('/control/')) return control(pathname, request);
    // Browsers ask for it by themselves, and complain when it is not there.
    if (pathname === '/favicon.ico') return new Response(null, { status: 204 });
    const session = sessions.get(pathname.split('/').find((part) => sessions.has(part)) ?? '');
    if (pathname.startsWith('/page/')) {
      if (!session) return new Response('', { status: 404 });
      return request.method === 'POST' ? payOnPage(session) : page(session);
    }
    const key = request.headers.get('idempotency-key');
    calls.push({ method: request.method, path: pathname, key });
    if (request.headers.get('authorization') !== `Bearer ${STRIPE.key}`) {
      return refusal(401, 'authentication_error', 'Invalid API Key provided: sk_test_****ests');
    }
    if (pathname === '/v1/checkout/sessions' && request.method === 'GET') return list(searchParams);
    if (pathname === '/v1/checkout/sessions') return create(await request.text(), key ?? '');
    if (session && pathname.endsWith('/expire')) return expire(session);
    return session ? Response.json(session) : refusal(404, 'invalid_request_error', 'no such session');
  },
});
origin = `http://127.0.0.1:${server.port}`;
console.log(server.port);
