/** Paying through Stripe Checkout: what it is asked for, and that what it says is believed only as far as it is signed and fits. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createApi } from '../../../src/api.ts';
import { audit } from '../../../src/billing/audit.ts';
import { QUOTA_MAX } from '../../../src/core/price-formula.ts';
import type { Alert } from '../../../src/modules/alert/service.ts';
import { startPaymentChecks } from '../../../src/modules/payment/checks.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { type StripeServer, startStripe, stripeOptions } from '../../support/payment/stripe-server.ts';
import { STRIPE, stripeEvent, stripeSignature } from '../../support/payment/stripe-wire.ts';

const DOLLAR = 500_000;
const COMPLETED = 'checkout.session.completed';
const PATH = '/api/user/stripe/notify';

let stripe: StripeServer;
beforeAll(async () => {
  stripe = await startStripe();
});
afterAll(() => stripe.close());

it('signs as Stripe does', () => {
  // printf '%s' '1614556800.{"id":"evt_1"}' | openssl dgst -sha256 -hmac whsec_test
  expect(stripeSignature('{"id":"evt_1"}', 'whsec_test', 1_614_556_800)).toBe(
    't=1614556800,v1=e326b9127f526dab808bd39e79a44ab61b0dc0517386b06a7abf563ce203409b',
  );
});

describe.each(callEngines)('paying by Stripe, on %s', (engine) => {
  let api: TestApi;
  let handle: TestApi['handle'];
  let lines: string[] = [];
  const alerts: Alert[] = [];
  beforeAll(async () => {
    api = await openApi(engine, { STRIPE_API_BASE: stripe.base });
    const log = createLogger('info', (line) => void lines.push(line));
    const app = createApi({ ...api.deps, log, alerts: { send: (alert) => void alerts.push(alert) } });
    handle = async (request) => app.handle(request);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    lines = [];
    alerts.length = 0;
    await api.deps.options.set({
      ...stripeOptions,
      StripeCurrency: 'USD',
      StripePrice: '1.1',
      ServerAddress: 'https://site.example',
    });
  });
  afterEach(async () => {
    expect((await audit(api.deps.db)).findings).toEqual([]);
    expect(lines.join()).not.toMatch(/sk_test_|whsec_/);
  });

  const someone = async (): Promise<Client> => api.as(await api.createUser());
  const quotaOf = async (client: Client): Promise<number> => (await client.get('/api/user/self')).data.quota;
  const order = async (client: Client, amount = 1): Promise<string> => {
    const answer = await client.post('/api/user/pay/stripe', { amount });
    if (!answer.success) throw new Error(answer.message);
    return JSON.parse(answer.text).trade_no;
  };
  const statusOf = async (client: Client, tradeNo: string): Promise<string> =>
    (await client.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items[0].status;
  const post = async (payload: string, signature: string): Promise<number> => {
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    const answer = await handle(
      new Request(`http://localhost${PATH}`, { method: 'POST', headers, body: payload }),
    );
    return answer.status;
  };
  const say = (type: string, object: object, created = 1) => {
    const payload = stripeEvent(type, object, { created });
    return post(payload, stripeSignature(payload));
  };

  it('leads to a page that asks for the exact amount, once an order', async () => {
    const una = await someone();
    const before = (await stripe.calls()).length;
    const answer = await una.post('/api/user/pay', { amount: 10, payment_method: 'stripe' });
    const { trade_no, url, method, data, message } = JSON.parse(answer.text);
    expect([message, method, data]).toEqual(['success', 'GET', {}]);
    expect(url).toStartWith(`${stripe.base}/page/cs_test_`);
    expect((await stripe.calls()).slice(before)).toEqual([
      { method: 'POST', path: '/v1/checkout/sessions', key: trade_no },
    ]);
    const session = await stripe.pay(trade_no);
    expect(session).toMatchObject({
      amount_total: 1_100,
      currency: 'usd',
      success_url: `https://site.example/topup?out_trade_no=${trade_no}`,
    });
    const amount = await una.post('/api/user/amount', { amount: 10, payment_method: 'stripe' });
    expect(JSON.parse(amount.text)).toMatchObject({ data: '11.00', currency: 'USD' });
    expect((await una.get('/api/user/topup/methods')).data.methods).toEqual([
      { method: 'stripe', provider: 'stripe', currency: 'USD' },
    ]);
    expect((await api.guest().get('/api/status')).data.enable_online_topup).toBe(true);
  });

  it('asks for whole units of a currency that has no smaller ones', async () => {
    await api.deps.options.set({ StripeCurrency: 'jpy', StripePrice: '150.5' });
    const una = await someone();
    const tradeNo = await order(una);
    expect(await stripe.pay(tradeNo)).toMatchObject({ amount_total: 151, currency: 'jpy' });
    expect(await say(COMPLETED, await stripe.pay(tradeNo))).toBe(200);
    expect(await quotaOf(una)).toBe(DOLLAR);
    const { items } = (await una.get('/api/user/topup/self')).data;
    expect(items[0]).toMatchObject({ money: '151', currency: 'JPY', status: 'success' });
    const root = await api.root();
    for (const value of ['KWD', 'ISK', 'EURO', '', 'U$D']) {
      expect((await root.put('/api/option/', { key: 'StripeCurrency', value })).success).toBe(false);
    }
  });

  it.each(['StripeSecretKey', 'StripeWebhookSecret'] as const)('is off without %s', async (key) => {
    const una = await someone();
    const tradeNo = await order(una);
    const session = await stripe.pay(tradeNo);
    await api.deps.options.reset([key]);
    expect((await una.post('/api/user/pay/stripe', { amount: 1 })).code).toBe('TOPUP_OFF');
    const payload = stripeEvent(COMPLETED, session);
    for (const secret of [STRIPE.webhookSecret, ''])
      expect(await post(payload, secret === '' ? '' : stripeSignature(payload, secret))).toBe(404);
    expect(await quotaOf(una)).toBe(0);
  });

  it('is credited once by fifty events at once, and by one a day later', async () => {
    const una = await someone();
    const [first, second] = [await order(una, 1), await order(una, 2)];
    const paid = [await stripe.pay(first), await stripe.pay(second)];
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, at) =>
        say(at % 3 ? COMPLETED : 'checkout.session.async_payment_succeeded', paid[at % 2] ?? {}),
      ),
    );
    expect(new Set(answers)).toEqual(new Set([200]));
    expect(await quotaOf(una)).toBe(3 * DOLLAR);
    await api.deps.db.query('update topups set created_at = created_at - 86400, expires_at = 1, paid_at = 1');
    expect(await say(COMPLETED, paid[0] ?? {})).toBe(200);
    expect(await quotaOf(una)).toBe(3 * DOLLAR);
  });

  it('is heard from the server itself, whose signature is over the very bytes', async () => {
    const una = await someone();
    const tradeNo = await order(una);
    await stripe.pay(tradeNo);
    const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => handle(request) });
    const to = `http://127.0.0.1:${site.port}${PATH}`;
    try {
      expect(await stripe.send(tradeNo, COMPLETED, to, { secret: 'whsec_another' })).toEqual([400]);
      expect(await quotaOf(una)).toBe(0);
      expect(await stripe.send(tradeNo, COMPLETED, to, { times: 5 })).toEqual(Array(5).fill(200));
      expect(await quotaOf(una)).toBe(DOLLAR);
    } finally {
      await site.stop(true);
    }
  });

  it('is credited when it is paid, not when the form is completed', async () => {
    const una = await someone();
    const tradeNo = await order(una);
    const paid = await stripe.pay(tradeNo);
    expect(await say(COMPLETED, { ...paid, payment_status: 'unpaid' })).toBe(200);
    expect(await statusOf(una, tradeNo)).toBe('pending');
    expect(await say('checkout.session.async_payment_failed', { ...paid, payment_status: 'unpaid' })).toBe(
      200,
    );
    expect(await statusOf(una, tradeNo)).toBe('failed');
    expect(await say('checkout.session.async_payment_succeeded', paid)).toBe(200);
    expect(await quotaOf(una)).toBe(DOLLAR);
    // What is paid neither fails nor expires.
    for (const type of ['checkout.session.async_payment_failed', 'checkout.session.expired'])
      expect(await say(type, paid)).toBe(200);
    expect(await statusOf(una, tradeNo)).toBe('success');
    const other = await order(una);
    expect(
      await say('checkout.session.expired', { ...(await stripe.pay(other)), payment_status: 'unpaid' }),
    ).toBe(200);
    expect(await statusOf(una, other)).toBe('expired');
  });

  it.each<[what: string, over: object, reason: string | null]>([
    ['less by a cent', { amount_total: 109 }, 'amount'],
    ['no amount', { amount_total: null }, 'amount'],
    ['another currency', { currency: 'jpy' }, 'currency'],
    ['an unknown order', { metadata: { trade_no: 'f'.repeat(32) } }, 'order'],
    ['what a payment link sold, whose buyer names the order', { metadata: {} }, null],
    ['something that is not sold here', { client_reference_id: 'cart-7', metadata: {} }, null],
  ])('credits nothing for %s, and the log says why', async (_, over, reason) => {
    const una = await someone();
    const tradeNo = await order(una);
    const paid = await stripe.pay(tradeNo);
    expect(await say(COMPLETED, { ...paid, ...over })).toBe(200);
    expect(await quotaOf(una)).toBe(0);
    const refused = lines.filter((line) => line.includes('payment.refused'));
    expect(refused.map((line) => JSON.parse(line).reason)).toEqual(reason === null ? [] : [reason]);
  });

  it('credits nothing to an order of another provider', async () => {
    const una = await someone();
    const tradeNo = await order(una);
    await api.deps.db.query(`update topups set provider = 'epay' where trade_no = '${tradeNo}'`);
    expect(await say(COMPLETED, await stripe.pay(tradeNo))).toBe(200);
    expect(await quotaOf(una)).toBe(0);
    expect(lines.join()).toContain('"reason":"provider"');
  });

  it('believes no event that is not signed, or was signed long ago, and takes none beyond 64 KiB', async () => {
    const una = await someone();
    const tradeNo = await order(una);
    const payload = stripeEvent(COMPLETED, await stripe.pay(tradeNo));
    const old = Math.floor(Date.now() / 1000) - 301;
    const wrong = [
      '',
      't=1,v1=',
      stripeSignature(payload, ''),
      stripeSignature(payload, 'whsec_other'),
      stripeSignature(`${payload} `),
      stripeSignature(payload, STRIPE.webhookSecret, old),
    ];
    for (const signature of wrong) expect(await post(payload, signature)).toBe(400);
    expect(await quotaOf(una)).toBe(0);
    expect(lines.filter((line) => line.includes('"reason":"signature"'))).toHaveLength(wrong.length);
    const large = stripeEvent(COMPLETED, { text: 'x'.repeat(64 * 1024) });
    expect(await post(large, stripeSignature(large))).toBe(413);
  });

  it('answers 200 to events that it knows nothing of', async () => {
    for (const type of ['customer.created', 'payment_intent.succeeded', 'made.up'])
      expect(await say(type, { id: 'x' })).toBe(200);
  });

  describe('what is taken back', () => {
    const paidOrder = async (
      amount = 10,
      before: (tradeNo: string) => Promise<unknown> = async () => null,
    ) => {
      const una = await someone();
      const tradeNo = await order(una, amount);
      const session = await stripe.pay(tradeNo);
      await before(tradeNo);
      expect(await say(COMPLETED, session)).toBe(200);
      const intent = session.payment_intent ?? '';
      const charge = (amount_refunded: number) => ({
        id: `ch_${intent}`,
        payment_intent: intent,
        amount: session.amount_total,
        amount_refunded,
        currency: 'usd',
        metadata: { trade_no: tradeNo },
      });
      const dispute = (status: string) => ({
        id: `dp_${intent}`,
        payment_intent: intent,
        amount: session.amount_total,
        currency: 'usd',
        status,
      });
      const failed = (id: string, refunded: number, status = 'failed') => ({
        id,
        object: 'refund',
        charge: `ch_${intent}`,
        payment_intent: intent,
        amount: refunded,
        currency: 'usd',
        metadata: {},
        status,
      });
      return { una, tradeNo, charge, dispute, failed };
    };

    it('by parts goes by parts, whatever comes twice or late, and ends at nothing', async () => {
      const { una, tradeNo, charge } = await paidOrder();
      expect(await say('charge.refunded', charge(367))).toBe(200);
      // 367 of 1,100 cents, rounded down.
      expect(await quotaOf(una)).toBe(10 * DOLLAR - Math.floor((10 * DOLLAR * 367) / 1_100));
      await Promise.all(Array.from({ length: 10 }, () => say('charge.refunded', charge(733))));
      expect(await quotaOf(una)).toBe(10 * DOLLAR - Math.floor((10 * DOLLAR * 733) / 1_100));
      expect(await say('charge.refunded', charge(367))).toBe(200);
      expect(await quotaOf(una)).toBe(10 * DOLLAR - Math.floor((10 * DOLLAR * 733) / 1_100));
      expect(await say('charge.refunded', charge(1_100))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await statusOf(una, tradeNo)).toBe('refunded');
      expect(alerts).toEqual([]);
    });

    describe('by a refund that fails days later', () => {
      const FULL = 10 * DOLLAR;
      const gone = (cents: number) => FULL - Math.floor((FULL * cents) / 1_100);
      type Paid = Awaited<ReturnType<typeof paidOrder>>;
      const told = ({ charge }: Paid, refunded: number, at: number) =>
        say('charge.refunded', charge(refunded), at);
      const fails = async ({ failed }: Paid, id: string, refunded: number, at: number) => {
        const events = ['charge.refund.updated', 'refund.updated', 'refund.failed'];
        const said = await Promise.all(events.map((event) => say(event, failed(id, refunded), at)));
        expect(new Set(said)).toEqual(new Set([200]));
      };
      const seen = async ({ una, tradeNo }: Paid) => {
        const [item] = (await una.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items;
        const { status, refunded_money, reversed_quota } = item;
        return { quota: await quotaOf(una), status, refunded_money, reversed_quota };
      };
      const WHOLE = { quota: FULL, status: 'success', refunded_money: '0.00', reversed_quota: 0 };

      it('comes back once, and the next refund goes as the first one did', async () => {
        const paid = await paidOrder();
        await told(paid, 1_100, 100);
        expect(await quotaOf(paid.una)).toBe(0);
        await say('charge.refund.updated', paid.failed('re_1', 1_100, 'succeeded'), 150);
        expect(await quotaOf(paid.una)).toBe(0);
        await fails(paid, 're_1', 1_100, 200);
        await fails(paid, 're_1', 1_100, 201);
        expect(await seen(paid)).toEqual(WHOLE);
        expect((await movesOf(paid.una)).map(({ kind, delta }) => [kind, delta])).toEqual([
          [12, -FULL],
          [13, FULL],
        ]);
        // Once more, as it was told first, and another one of a part.
        await told(paid, 1_100, 100);
        expect(await seen(paid)).toEqual(WHOLE);
        await told(paid, 400, 300);
        const parted = { status: 'refunded', refunded_money: '4.00', reversed_quota: FULL - gone(400) };
        expect(await seen(paid)).toEqual({ quota: gone(400), ...parted });
        await told(paid, 1_100, 400);
        expect(await quotaOf(paid.una)).toBe(0);
      });

      it.each([
        ['before it is told of', ['fails', 'told', 'next']],
        ['after the next one is told of', ['told', 'next', 'fails']],
        ['behind all others', ['next', 'told', 'fails']],
      ] as const)('leaves the same of it %s', async (_, order) => {
        const paid = await paidOrder();
        const steps = {
          told: () => told(paid, 700, 100),
          fails: () => fails(paid, 're_1', 700, 200),
          next: () => told(paid, 500, 300),
        };
        for (const step of order) await steps[step]();
        expect(await seen(paid)).toMatchObject({ quota: gone(500), refunded_money: '5.00' });
      });

      it.each([
        ['after the failure is told of', ['fails', 'next']],
        ['before it', ['next', 'fails']],
      ] as const)('and is made again in the same second, takes as much again %s', async (_, order) => {
        const paid = await paidOrder();
        await told(paid, 1_100, 100);
        const refund = (status: string, amount: number) => ({ object: 'refund', amount, status });
        const data = [refund('pending', 1_100), refund('failed', 1_100)];
        const steps = {
          fails: () => fails(paid, 're_1', 1_100, 200),
          next: () => say('charge.refunded', { ...paid.charge(1_100), refunds: { data } }, 200),
        };
        for (const step of order) await steps[step]();
        expect(await seen(paid)).toMatchObject({ quota: 0, refunded_money: '11.00', reversed_quota: FULL });
      });

      it('is noted before the payment is heard of', async () => {
        const una = await someone();
        const tradeNo = await order(una, 10);
        const session = await stripe.pay(tradeNo);
        const sums = {
          payment_intent: session.payment_intent,
          currency: 'usd',
          metadata: { trade_no: tradeNo },
        };
        await say('charge.refunded', { ...sums, amount_refunded: 1_100 }, 100);
        await say('refund.failed', { ...sums, id: 're_1', amount: 600, status: 'failed' }, 200);
        expect(await say(COMPLETED, session)).toBe(200);
        expect(await quotaOf(una)).toBe(gone(500));
        expect(await statusOf(una, tradeNo)).toBe('refunded');
      });

      it('is owed while the account has no room, and given back by an administrator', async () => {
        const paid = await paidOrder();
        await told(paid, 1_100, 100);
        await give(paid.una, QUOTA_MAX);
        await fails(paid, 're_1', 1_100, 200);
        expect(await seen(paid)).toMatchObject({ status: 'owed', reversed_quota: FULL });
        expect(alerts).toMatchObject([
          { type: 'payment_owed', title: { en: expect.stringContaining('A refund of order') } },
        ]);
        await give(paid.una, -QUOTA_MAX);
        const root = await api.root();
        const [item] = (await root.get(`/api/topup/?status=owed&keyword=${paid.tradeNo}`)).data.items;
        await root.post(`/api/topup/${item.id}/complete`, { reason: 'he has room' });
        expect(await seen(paid)).toEqual(WHOLE);
      });
    });

    it('by a dispute goes too where somebody had completed the order before Stripe did', async () => {
      const root = await api.root();
      const { una, tradeNo, dispute } = await paidOrder(1, async (number) => {
        const found = await root.get(`/api/topup/?keyword=${number}`);
        await root.post(`/api/topup/${found.data.items[0].id}/complete`, { reason: 'seen' });
      });
      expect(await quotaOf(una)).toBe(DOLLAR);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await statusOf(una, tradeNo)).toBe('disputed');
    });

    it('by a dispute goes once, and root hears what was spent', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      await spend(una, 200_000);
      expect(await say('charge.dispute.created', dispute('warning_needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(300_000);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      expect(await say('charge.dispute.funds_withdrawn', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await statusOf(una, tradeNo)).toBe('disputed');
      expect(alerts).toMatchObject([{ type: 'payment_taken_back', subject: tradeNo }]);
      expect(alerts[0]?.content).toEqual({
        zh: `用户 ${una.userId}：扣回 $0.6（300000 额度），核销 $0.4（200000 额度）`,
        en: `User ${una.userId}: $0.6 (300000 units) taken back, $0.4 (200000 units) written off`,
      });
      // The payment's own event, told once more, brings nothing back.
      expect(await say(COMPLETED, await stripe.pay(tradeNo))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
    });

    const spend = (client: Client, quota: number) =>
      api.deps.db.query(
        `with spent as (update users set quota = quota - ${quota} where id = ${client.userId})
         insert into ledger values ('${crypto.randomUUID()}', 9, ${client.userId}, -${quota}, 1, null)`,
      );
    const give = (client: Client, quota: number) =>
      api.deps.db.query(
        `with given as (update users set quota = quota + (${quota}) where id = ${client.userId})
         insert into ledger values ('${crypto.randomUUID()}', 9, ${client.userId}, ${quota}, 1, null)`,
      );
    const movesOf = (client: Client) =>
      api.deps.db.query(
        `select kind, delta, note from ledger where user_id = ${client.userId} and kind >= 10
         order by kind, note`,
      );

    it('by a dispute comes back once when it is won, and what was written off is so no longer', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      await spend(una, 200_000);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      const won = ['charge.dispute.closed', 'charge.dispute.funds_reinstated'];
      expect(await say('charge.dispute.closed', dispute('lost'))).toBe(200);
      expect(await say('charge.dispute.funds_reinstated', dispute('lost'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      const told = await Promise.all(
        Array.from({ length: 10 }, (_, at) => say(won[at % 2] ?? '', dispute('won'))),
      );
      expect(new Set(told)).toEqual(new Set([200]));
      expect(await quotaOf(una)).toBe(300_000);
      const [item] = (await una.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items;
      expect(item).toMatchObject({ status: 'reinstated', reversed_quota: 0, reversed_money: '0.00' });
      expect(await movesOf(una)).toEqual([
        { kind: 10, delta: 0, note: '-200000' },
        { kind: 10, delta: 0, note: '200000' },
        { kind: 12, delta: -300_000, note: `topup:${item.id}` },
        { kind: 13, delta: 300_000, note: `topup:${item.id}` },
      ]);
      // What was told of it before is told again, and takes nothing.
      expect(await say('charge.dispute.funds_withdrawn', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(300_000);
      const { items } = (await una.get('/api/user/statement?kind=13')).data;
      expect(items).toMatchObject([{ kind: 13, delta: 300_000, reference: `topup:${item.id}` }]);
    });

    it('by a dispute waits for an administrator when it is won and the account has no room', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      const root = await api.root();
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      // Somebody has given him all that an account holds.
      await give(una, QUOTA_MAX);
      const won = ['charge.dispute.closed', 'charge.dispute.funds_reinstated'];
      expect(new Set(await Promise.all(won.concat(won).map((event) => say(event, dispute('won')))))).toEqual(
        new Set([200]),
      );
      const asked = `/api/user/topup/self?trade_no=${tradeNo}`;
      const [item] = (await una.get(asked)).data.items;
      expect(item).toMatchObject({ status: 'owed', reversed_quota: DOLLAR, reversed_money: '1.10' });
      const listed = await root.get(`/api/topup/?status=owed&keyword=${tradeNo}`);
      expect(listed.data).toMatchObject({ total: 1, items: [{ id: item.id, status: 'owed' }] });
      expect(alerts).toMatchObject([{ type: 'payment_owed', subject: tradeNo }]);
      expect(lines.filter((line) => line.includes('payment.owed'))).toHaveLength(1);
      // It is won, whatever is told of it late.
      expect(await say('charge.dispute.funds_withdrawn', dispute('needs_response'))).toBe(200);
      expect((await una.get(asked)).data.items[0].status).toBe('owed');

      const complete = (reason: string) => root.post(`/api/topup/${item.id}/complete`, { reason });
      expect(await complete('')).toMatchObject({ success: false, code: 'TOPUP_REASON' });
      expect(await complete('he has room?')).toMatchObject({ success: false, code: 'QUOTA_RANGE' });
      expect((await una.get(asked)).data.items[0].status).toBe('owed');
      await give(una, 7 - QUOTA_MAX);
      const answers = await Promise.all(['he has room', 'he has room'].map(complete));
      expect(answers.map(({ code, data }) => code ?? data.status).sort()).toEqual([
        'TOPUP_DONE',
        'reinstated',
      ]);
      expect(await quotaOf(una)).toBe(DOLLAR + 7);
      const [mended] = (await una.get(asked)).data.items;
      // Why it was given back is the administrators' own.
      expect(mended).toMatchObject({ status: 'reinstated', reversed_quota: 0, reversed_reason: '' });
      expect((await movesOf(una)).map(({ kind, delta }) => [kind, delta])).toEqual([
        [12, -DOLLAR],
        [13, DOLLAR],
      ]);
      const [recorded] = (await root.get('/api/admin_action/?action=topup.complete')).data.items;
      expect(recorded).toMatchObject({ target: `topup:${item.id}` });
      expect(await say('charge.dispute.closed', dispute('won'))).toBe(200);
      expect(await quotaOf(una)).toBe(DOLLAR + 7);
    });

    it('by a dispute comes back by itself when the provider tells again and the account has room', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      await give(una, QUOTA_MAX);
      expect(await say('charge.dispute.closed', dispute('won'))).toBe(200);
      await give(una, -QUOTA_MAX);
      expect(await say('charge.dispute.funds_reinstated', dispute('won'))).toBe(200);
      expect([await statusOf(una, tradeNo), await quotaOf(una)]).toEqual(['reinstated', DOLLAR]);
    });

    it('by a dispute that is heard of after it was won is not', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      expect(await say('charge.dispute.closed', dispute('won'))).toBe(200);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(DOLLAR);
      expect(await statusOf(una, tradeNo)).toBe('success');
      // Another dispute of the same payment is another matter.
      expect(await say('charge.dispute.created', { ...dispute('needs_response'), id: 'dp_more' })).toBe(200);
      expect(await statusOf(una, tradeNo)).toBe('disputed');
      expect(await quotaOf(una)).toBe(0);
      expect(await say('charge.dispute.closed', { ...dispute('won'), id: 'dp_more' })).toBe(200);
      expect(await quotaOf(una)).toBe(DOLLAR);
    });

    it('in part and disputed for the rest keeps what was refunded, and can be refunded for the rest', async () => {
      const { una, tradeNo, charge, dispute } = await paidOrder();
      const rounded = Math.floor((10 * DOLLAR * 367) / 1_100);
      const rest = { ...dispute('needs_response'), amount: 733 };
      expect(await say('charge.refunded', charge(367))).toBe(200);
      expect(await say('charge.dispute.created', rest)).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await say('charge.dispute.closed', { ...rest, status: 'won' })).toBe(200);
      expect(await quotaOf(una)).toBe(10 * DOLLAR - rounded);
      const root = await api.root();
      const find = async () => (await root.get(`/api/topup/?keyword=${tradeNo}`)).data.items[0];
      const item = await find();
      // What was refunded is, though the dispute over the rest was won.
      expect(item).toMatchObject({
        status: 'refunded',
        money: '11.00',
        reversed_money: '3.67',
        reversed_quota: rounded,
      });
      expect((await root.post(`/api/topup/${item.id}/refund`, { reason: 'the rest' })).data).toMatchObject({
        status: 'refunded',
        reversed_money: '11.00',
        reversed_quota: 10 * DOLLAR,
        reversed_reason: 'the rest',
      });
      expect(await quotaOf(una)).toBe(0);
      expect((await root.post(`/api/topup/${item.id}/refund`, { reason: 'x' })).code).toBe('TOPUP_REFUNDED');
      const own = (await una.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items[0];
      expect(own.reversed_reason).toBe('the rest');
    });

    it('by a refund while a dispute has it all stays gone when the dispute is won', async () => {
      const { una, tradeNo, charge, dispute } = await paidOrder();
      await spend(una, 2 * DOLLAR);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await say('charge.refunded', charge(367))).toBe(200);
      expect(await statusOf(una, tradeNo)).toBe('disputed');
      expect(await say('charge.dispute.closed', dispute('won'))).toBe(200);
      // As if there had been the refund alone, and the two dollars that were spent.
      const refunded = Math.floor((10 * DOLLAR * 367) / 1_100);
      expect(await quotaOf(una)).toBe(8 * DOLLAR - refunded);
      const item = (await una.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items[0];
      expect(item).toMatchObject({
        status: 'refunded',
        reversed_quota: refunded,
        reversed_money: '3.67',
        refunded_money: '3.67',
      });
      const writeOffs = (await movesOf(una)).filter(({ kind }) => kind === 10);
      expect(writeOffs.map(({ note }) => note)).toEqual([String(-2 * DOLLAR), String(2 * DOLLAR)]);
    });

    it('by hand while a dispute has it all stays gone when the dispute is won', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      const root = await api.root();
      const [{ id }] = (await root.get(`/api/topup/?keyword=${tradeNo}`)).data.items;
      const byHand = () => root.post(`/api/topup/${id}/refund`, { reason: 'agreed' });
      expect((await byHand()).data).toMatchObject({ status: 'disputed', refunded_money: '1.10' });
      expect((await byHand()).code).toBe('TOPUP_REFUNDED');
      expect(await say('charge.dispute.closed', dispute('won'))).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await statusOf(una, tradeNo)).toBe('refunded');
    });

    it('by a dispute that was kept without its name comes back when it is won', async () => {
      const { una, tradeNo, dispute } = await paidOrder(1);
      expect(await say('charge.dispute.created', dispute('needs_response'))).toBe(200);
      const unnamed = `update topup_reversals set cause = '' where topup_id = (
        select id from topups where trade_no = '${tradeNo}')`;
      await api.deps.db.query(unnamed);
      // It is told once more, and is no other one.
      expect(await say('charge.dispute.funds_withdrawn', dispute('needs_response'))).toBe(200);
      await api.deps.db.query(unnamed);
      expect(await say('charge.dispute.closed', dispute('won'))).toBe(200);
      expect(await say('charge.dispute.funds_reinstated', dispute('won'))).toBe(200);
      expect(await quotaOf(una)).toBe(DOLLAR);
      expect(await statusOf(una, tradeNo)).toBe('reinstated');
    });

    it('by a dispute over a payment whose name nobody had heard is found by asking', async () => {
      const una = await someone();
      const tradeNo = await order(una);
      const { payment_intent } = await stripe.pay(tradeNo);
      const root = await api.root();
      const [{ id }] = (await root.get(`/api/topup/?keyword=${tradeNo}`)).data.items;
      expect((await root.post(`/api/topup/${id}/complete`, { reason: 'seen' })).success).toBe(true);
      const dispute = { id: 'dp_unnamed', payment_intent, amount: 110, currency: 'usd', status: 'lost' };
      // Nothing is lost while it cannot be asked.
      await api.deps.options.set({ StripeSecretKey: 'sk_test_wrong-one' });
      expect(await say('charge.dispute.created', dispute)).toBe(503);
      expect(await quotaOf(una)).toBe(DOLLAR);
      await api.deps.options.set(stripeOptions);
      expect(await say('charge.dispute.created', dispute)).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await statusOf(una, tradeNo)).toBe('disputed');
      // From here on its name is known.
      const before = (await stripe.calls()).length;
      expect(await say('charge.dispute.closed', { ...dispute, status: 'won' })).toBe(200);
      expect(await quotaOf(una)).toBe(DOLLAR);
      expect(await stripe.calls()).toHaveLength(before);
    });

    it('closes the page of an order that is voided, where it can be', async () => {
      const una = await someone();
      const root = await api.root();
      const voided = async (tradeNo: string) => {
        const [{ id }] = (await root.get(`/api/topup/?keyword=${tradeNo}`)).data.items;
        return (await root.post(`/api/topup/${id}/void`, { reason: 'agreed' })).data.status;
      };
      const statusOfPage = async (tradeNo: string) => (await stripe.sessionOf(tradeNo)).status;
      const [open, paid, unreached] = [await order(una), await order(una), await order(una)];
      expect([await voided(open), await statusOfPage(open)]).toEqual(['voided', 'expired']);
      await stripe.pay(paid);
      expect([await voided(paid), await statusOfPage(paid)]).toEqual(['voided', 'complete']);
      await api.deps.options.set({ StripeSecretKey: 'sk_test_of_another' });
      expect([await voided(unreached), await statusOfPage(unreached)]).toEqual(['voided', 'open']);
    });

    it('of a voided order is noted, and takes nothing that was never added', async () => {
      const una = await someone();
      const tradeNo = await order(una);
      const session = await stripe.pay(tradeNo);
      const root = await api.root();
      const [{ id }] = (await root.get(`/api/topup/?keyword=${tradeNo}`)).data.items;
      expect((await root.post(`/api/topup/${id}/void`, { reason: 'agreed' })).success).toBe(true);
      expect(await say(COMPLETED, session)).toBe(200);
      expect(alerts).toMatchObject([{ type: 'payment_voided', subject: tradeNo }]);
      const charge = {
        payment_intent: session.payment_intent,
        currency: 'usd',
        metadata: { trade_no: tradeNo },
      };
      expect(await say('charge.refunded', { ...charge, amount_refunded: 110 })).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      const item = (await una.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items[0];
      expect(item).toMatchObject({ status: 'voided', reversed_quota: 0, refunded_money: '1.10' });
      expect((await root.post(`/api/topup/${id}/complete`, { reason: 'x' })).code).toBe('TOPUP_REFUNDED');
      expect(await movesOf(una)).toEqual([]);
    });

    it('before the payment was heard is taken when it is', async () => {
      const una = await someone();
      const tradeNo = await order(una);
      const session = await stripe.pay(tradeNo);
      const charge = {
        payment_intent: session.payment_intent,
        amount_refunded: 110,
        currency: 'usd',
        metadata: { trade_no: tradeNo },
      };
      expect(await say('charge.refunded', { ...charge, amount_refunded: 55 })).toBe(200);
      const dispute = { ...charge, id: `dp_early_${tradeNo}`, amount: 55, status: 'needs_response' };
      expect(await say('charge.dispute.created', dispute)).toBe(200);
      expect(await statusOf(una, tradeNo)).toBe('pending');
      expect(await say(COMPLETED, session)).toBe(200);
      expect(await quotaOf(una)).toBe(0);
      expect(await statusOf(una, tradeNo)).toBe('disputed');
      const { items } = (await una.get('/api/user/statement')).data;
      expect(items.map(({ kind, delta, balance }: Record<string, number>) => [kind, delta, balance])).toEqual(
        [
          [12, -DOLLAR, 0],
          [2, DOLLAR, DOLLAR],
        ],
      );
      expect(await say('charge.dispute.closed', { ...dispute, status: 'won' })).toBe(200);
      expect(await quotaOf(una)).toBe(DOLLAR / 2);
      expect(await statusOf(una, tradeNo)).toBe('refunded');
      expect(await say('charge.refunded', charge)).toBe(200);
      expect(await quotaOf(una)).toBe(0);
    });

    it('of other sales is none of ours', async () => {
      const charge = { payment_intent: 'pi_of_a_shop', amount_refunded: 5, currency: 'usd', metadata: {} };
      expect(await say('charge.refunded', charge)).toBe(200);
      expect(await say('charge.dispute.created', { ...charge, amount: 5, status: 'lost' })).toBe(200);
    });
  });

  it('is asked about, and says what was paid and never told, and what has expired', async () => {
    await api.deps.db.query(`delete from topups where status in ('pending', 'expired')`);
    const una = await someone();
    const [paid, closed, open] = [await order(una), await order(una), await order(una)];
    await stripe.pay(paid);
    await stripe.expire(closed);
    await api.deps.db.query(`update topups set created_at = created_at - 60 where status = 'pending'`);
    const rounds = startPaymentChecks({ ...api.deps, bootId: crypto.randomUUID() });
    expect(await rounds.round()).toBe(3);
    await rounds.stop();
    expect(await quotaOf(una)).toBe(DOLLAR);
    // The time of none of them is over here.
    const states = [await statusOf(una, paid), await statusOf(una, closed), await statusOf(una, open)];
    expect(states).toEqual(['success', 'expired', 'pending']);
    // Of what is paid already it says the same, though it goes by another name now.
    const root = await api.root();
    const [{ id }] = (await root.get(`/api/topup/?keyword=${paid}`)).data.items;
    const asked = await root.post(`/api/topup/${id}/check`);
    expect([asked.code, asked.data?.status]).toEqual([undefined, 'success']);
    expect(await quotaOf(una)).toBe(DOLLAR);
  });

  it('says so when Stripe takes no order, and names no key', async () => {
    await api.deps.options.set({ StripeSecretKey: 'sk_test_wrong-one' });
    const una = await someone();
    const answer = await una.post('/api/user/pay/stripe', { amount: 1 });
    expect([answer.code, answer.message, answer.data]).toEqual(['PAY_FAILED', '请求失败', '请求失败']);
    expect(answer.text).not.toContain('sk_test');
    expect((await una.get('/api/user/topup/self')).data.items[0].status).toBe('failed');
  });
});
