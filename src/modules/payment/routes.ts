/** The payment calls: of buyers, of the providers that call back, and of administrators. */
import { Elysia } from 'elysia';
import { AppError, fail } from '../../core/errors.ts';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import type { RequestContext, Viewer } from '../../http/context.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import {
  type AmountAnswer,
  type AmountBody,
  amountBody,
  type CallbackTest,
  ownQuery,
  type PayAnswer,
  reasonBody,
  searchQuery,
} from './contract.ts';
import type { PaymentProviderName } from './facts.ts';
import { listAll, listOwn } from './lists.ts';
import {
  type Buyer,
  type CallbackAnswer,
  checkOrder,
  completeOrder,
  hearCallback,
  readAmount,
  readMethods,
  refundOrder,
  startPayment,
  testCallback,
  voidOrder,
} from './service.ts';
import { faultText } from './words.ts';

type PaymentRouteDeps = Deps & GuardDeps;

const buyerOf = (viewer: Viewer, context: RequestContext): Buyer => ({
  id: viewer.id,
  group: viewer.group,
  ip: context.clientIp,
  origin: context.origin,
});

/** Clients of these calls read the reason of a refusal in `data`. */
async function withReason<T>(context: RequestContext, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof AppError) || error.apiStatus !== 200) throw error;
    throw fail(error.code, { ...error.detail, data: error.text(context.locale) });
  }
}

const buyerRoutes = (deps: PaymentRouteDeps) => {
  const pay = async (
    buyer: Buyer,
    body: AmountBody,
    context: RequestContext,
    only?: PaymentProviderName,
  ): Promise<PayAnswer> => {
    const { url, method, fields, tradeNo } = await withReason(context, startPayment(deps, buyer, body, only));
    return { success: true, message: 'success', data: fields, url, method, trade_no: tradeNo };
  };
  return new Elysia({ name: 'payment-buyers', prefix: '/api/user' })
    .use(guard(deps))
    .get('/topup/methods', ({ viewer }) => ok(readMethods(deps, viewer.group)), { auth: 'user' })
    .get(
      '/topup/self',
      async ({ query, viewer }) => {
        const paging = readPaging(query);
        const list = await listOwn(deps, viewer.id, query, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'user', query: ownQuery },
    )
    .post(
      '/amount',
      async ({ body, viewer, context }): Promise<AmountAnswer> => {
        const { money, currency } = await withReason(
          context,
          readAmount(deps, buyerOf(viewer, context), body),
        );
        return { success: true, message: 'success', data: money, currency };
      },
      { auth: 'user', body: amountBody },
    )
    .post('/pay', ({ body, viewer, context }) => pay(buyerOf(viewer, context), body, context), {
      auth: 'user',
      body: amountBody,
    })
    .post(
      '/pay/alipay',
      ({ body, viewer, context }) => {
        const method = body.payment_method || 'alipay';
        return pay(buyerOf(viewer, context), { ...body, payment_method: method }, context, 'epay');
      },
      { auth: 'user', body: amountBody },
    )
    .post(
      '/pay/stripe',
      ({ body, viewer, context }) => pay(buyerOf(viewer, context), body, context, 'stripe'),
      { auth: 'user', body: amountBody },
    );
};

/** A gateway repeats its call until it reads exactly this. */
const TAKEN = 'success';
const REFUSED = 'fail';

const text = (answer: string) =>
  new Response(answer, { headers: { 'content-type': 'text/plain; charset=utf-8' } });

/**
 * Stripe repeats an event until it is answered with 2xx, for days. What does not fit its order never will, and the log
 * tells it; what is not signed is none of Stripe's.
 */
function stripeStatus(heard: CallbackAnswer): number {
  if (heard.kind === 'again') return 503;
  if (heard.kind !== 'refused') return 200;
  return heard.reason === 'signature' || heard.reason === 'malformed' ? 400 : 200;
}

/** What the gateways call, by GET or with a form, whose bytes some of them sign. */
export const paymentCallbackRoutes = (deps: PaymentRouteDeps) => {
  const epay = async (request: Request, body: Uint8Array): Promise<Response> => {
    const { searchParams: query } = new URL(request.url);
    const heard = await hearCallback(deps, 'epay', { query, headers: request.headers, body });
    if (heard.kind === 'test') return text(heard.proof);
    return text(heard.kind === 'done' ? TAKEN : REFUSED);
  };
  const stripe = async (request: Request, body: Uint8Array): Promise<Response> => {
    const { searchParams: query } = new URL(request.url);
    const heard = await hearCallback(deps, 'stripe', { query, headers: request.headers, body });
    return new Response(null, { status: stripeStatus(heard) });
  };
  return (
    new Elysia({ name: 'payment-callbacks', prefix: '/api/user' })
      .use(guard(deps))
      // Gateways are no browsers, whatever some call themselves: no page makes it, and no link of one.
      .get('/epay/notify', ({ request }) => epay(request, new Uint8Array()), {
        guest: true,
        acts: 'in-demo',
        ownSite: 'or-silent',
      })
      .post('/epay/notify', ({ request, bytes }) => epay(request, bytes), { guestBytes: true })
      .post('/stripe/notify', ({ request, bytes }) => stripe(request, bytes), { guestBytes: true })
  );
};

const topupRoutes = (deps: PaymentRouteDeps) =>
  new Elysia({ name: 'topup', prefix: '/api/topup' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer }) => {
        const paging = readPaging(query);
        const list = await listAll(deps, viewer.id, query, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'admin', query: searchQuery },
    )
    .post('/:id/check', async ({ params, actor }) => ok(await checkOrder(deps, actor, params.id)), {
      auth: 'admin',
      params: idParam,
    })
    .post(
      '/:id/complete',
      async ({ params, body, actor }) => ok(await completeOrder(deps, actor, params.id, body.reason ?? '')),
      { auth: 'admin', params: idParam, body: reasonBody },
    )
    .post(
      '/:id/void',
      async ({ params, body, actor }) => ok(await voidOrder(deps, actor, params.id, body.reason ?? '')),
      { auth: 'admin', params: idParam, body: reasonBody },
    )
    .post(
      '/:id/refund',
      async ({ params, body, actor }) => ok(await refundOrder(deps, actor, params.id, body.reason ?? '')),
      { auth: 'admin', params: idParam, body: reasonBody },
    )
    .post(
      '/callback_test',
      async ({ context }) => {
        const { fault, ...test } = await testCallback(deps, context.origin);
        return ok<CallbackTest>({ ...test, reason: fault === '' ? '' : faultText(fault)[context.locale] });
      },
      { auth: 'root' },
    );

export const paymentRoutes = (deps: PaymentRouteDeps) =>
  new Elysia({ name: 'payment' }).use(buyerRoutes(deps)).use(topupRoutes(deps));
