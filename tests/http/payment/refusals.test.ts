/** Whoever says what does not fit is credited nothing, and one line of the log says what was wrong, and no secret. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { eq } from 'drizzle-orm';
import { createApi } from '../../../src/api.ts';
import { audit } from '../../../src/billing/audit.ts';
import { parseJson } from '../../../src/core/json.ts';
import { limits } from '../../../src/core/limits.ts';
import { topups } from '../../../src/db/schema/index.ts';
import { askAbout } from '../../../src/modules/payment/service.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { type EpayServer, epayOptions, startEpay } from '../../support/payment/epay-server.ts';
import { EPAY, epayPaid, epaySigned } from '../../support/payment/epay-wire.ts';
import { type StripeServer, startStripe, stripeOptions } from '../../support/payment/stripe-server.ts';
import { STRIPE, stripeEvent, stripeSignature } from '../../support/payment/stripe-wire.ts';

const DOLLAR = 500_000;
/** Of no shape that the log would cut out by itself. */
const KEY = 'Zq81mQpLw93xVb';
const SECRETS = [KEY, EPAY.key, STRIPE.key, STRIPE.webhookSecret];
const NOBODYS = 'f'.repeat(32);

let gateway: EpayServer;
let stripe: StripeServer;
beforeAll(async () => {
  [gateway, stripe] = await Promise.all([startEpay(), startStripe()]);
});
afterAll(() => Promise.all([gateway.close(), stripe.close()]));

describe.each(callEngines)('what does not fit an order, on %s', (engine) => {
  let api: TestApi;
  let handle: TestApi['handle'];
  let lines: string[] = [];
  const log = createLogger('info', (line) => void lines.push(line));
  let una: Client;
  beforeAll(async () => {
    api = await openApi(engine, { STRIPE_API_BASE: stripe.base });
    const app = createApi({ ...api.deps, log });
    handle = async (request) => app.handle(request);
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    await api.deps.options.set({
      ...epayOptions(gateway),
      EpayKey: KEY,
      ...stripeOptions,
      StripeCurrency: 'USD',
      StripePrice: '1.1',
      ServerAddress: 'https://site.example',
    });
    una = await api.as(await api.createUser());
    lines = [];
  });
  afterEach(async () => {
    for (const secret of SECRETS) expect(lines.join()).not.toContain(secret);
    expect((await audit(api.deps.db)).findings).toEqual([]);
  });

  const order = async (payment_method: 'alipay' | 'stripe'): Promise<string> => {
    const answer = await una.post('/api/user/pay', { amount: 1, payment_method });
    return JSON.parse(answer.text).trade_no;
  };
  const ownOrder = async (tradeNo: string) =>
    (await una.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items[0];
  const change = (tradeNo: string, set: string) =>
    api.deps.db.query(`update topups set ${set} where trade_no = '${tradeNo}'`);
  /** The lines about payments, without their time. */
  const told = () =>
    lines
      .map((line) => parseJson(line) as Record<string, unknown>)
      .filter(({ event }) => String(event).startsWith('payment.'))
      .map(({ time, ...said }) => said);
  const refused = (provider: string, facts: object) => [
    { level: 'warn', event: 'payment.refused', provider, via: 'callback', ...facts },
  ];

  /** Nothing has moved, and the order waits as before. */
  const isUnpaid = async (tradeNo: string) => {
    expect((await una.get('/api/user/self')).data.quota).toBe(0);
    expect((await ownOrder(tradeNo)).status).toBe('pending');
  };

  const MANY_FIELDS = Object.fromEntries(Array.from({ length: limits.formNames }, (_, n) => [`a${n}`, '1']));

  describe('by epay', () => {
    const tell = async (fields: Record<string, string>, key = KEY) => {
      const sent = new URLSearchParams(epaySigned(fields, key));
      const answer = await handle(new Request(`http://localhost/api/user/epay/notify?${sent}`));
      return [answer.status, await answer.text()];
    };

    it.each<[what: string, over: Record<string, string>, key: string, set: string, facts: object]>([
      ['another signature', {}, 'another', '', { reason: 'signature' }],
      ['the signature of an empty secret', {}, '', '', { reason: 'signature' }],
      ['another amount', { money: '7.29' }, KEY, '', { reason: 'amount', paid: '7.29', asked: '7.30' }],
      [
        'an order in another currency',
        {},
        KEY,
        `currency = 'USD'`,
        { reason: 'currency', paid: 'CNY', asked: 'USD' },
      ],
      [
        'an order that nobody has made',
        { out_trade_no: NOBODYS },
        KEY,
        '',
        { reason: 'order', trade_no: NOBODYS },
      ],
      ['another merchant', { pid: '1002' }, KEY, '', { reason: 'merchant' }],
      ['an order of another provider', {}, KEY, `provider = 'stripe'`, { reason: 'provider', of: 'stripe' }],
      ['more fields than a form has', MANY_FIELDS, KEY, '', { reason: 'malformed' }],
      ['a way that is not open', { type: 'usdt' }, KEY, '', { reason: 'method', method: 'usdt' }],
    ])('%s', async (_, over, key, set, facts) => {
      const tradeNo = await order('alipay');
      if (set) await change(tradeNo, set);
      expect(await tell(epayPaid({ tradeNo, money: '7.30' }, over), key)).toEqual([200, 'fail']);
      expect(told()).toEqual(refused('epay', { trade_no: tradeNo, ...facts }));
      await isUnpaid(tradeNo);
      await change(tradeNo, `currency = 'CNY', provider = 'epay'`);
      expect(await tell(epayPaid({ tradeNo, money: '7.30' }))).toEqual([200, 'success']);
      expect((await una.get('/api/user/self')).data.quota).toBe(DOLLAR);
    });

    it.each(['EpayKey', 'EpayId', 'PayAddress'] as const)('a site without %s', async (option) => {
      const tradeNo = await order('alipay');
      await api.deps.options.reset([option]);
      for (const key of ['', KEY]) {
        lines = [];
        const [status] = await tell(epayPaid({ tradeNo, money: '7.30' }), key);
        expect(status).toBe(404);
        expect(told()).toEqual(refused('epay', { reason: 'off' }));
      }
      await isUnpaid(tradeNo);
    });

    it('another amount, which the gateway answers when it is asked', async () => {
      await api.deps.options.set(epayOptions(gateway));
      const { data } = await una.post('/api/user/pay', { amount: 1, payment_method: 'alipay' });
      const tradeNo = data.out_trade_no;
      await gateway.submit(`${gateway.base}/submit.php`, data);
      await gateway.pay(tradeNo, '0.01');
      const [row] = await api.deps.db.orm.select().from(topups).where(eq(topups.trade_no, tradeNo));
      if (!row) throw new Error('the order was not made');
      await askAbout({ ...api.deps, log }, row);
      const [line] = refused('epay', { reason: 'amount', trade_no: tradeNo, paid: '0.01', asked: '7.30' });
      expect(told()).toEqual([{ ...line, via: 'query' }]);
      await isUnpaid(tradeNo);
    });
  });

  describe('by Stripe', () => {
    const tell = async (object: object, secret = STRIPE.webhookSecret) => {
      const payload = stripeEvent('checkout.session.completed', object);
      const headers = {
        'content-type': 'application/json',
        'stripe-signature': stripeSignature(payload, secret),
      };
      const request = new Request('http://localhost/api/user/stripe/notify', {
        method: 'POST',
        headers,
        body: payload,
      });
      return { status: (await handle(request)).status, bytes: String(payload.length) };
    };

    it.each<[what: string, secret: string]>([
      ['another signature', 'whsec_another'],
      ['the signature of an empty secret', ''],
    ])('%s', async (_, secret) => {
      const tradeNo = await order('stripe');
      const paid = await stripe.pay(tradeNo);
      const { status, bytes } = await tell(paid, secret);
      expect(status).toBe(400);
      // What is not signed may name any order.
      expect(told()).toEqual(refused('stripe', { reason: 'signature', bytes }));
      await isUnpaid(tradeNo);
      expect((await tell(paid)).status).toBe(200);
      expect((await una.get('/api/user/self')).data.quota).toBe(DOLLAR);
    });

    it.each<[what: string, over: object, set: string, facts: object]>([
      ['another amount', { amount_total: 109 }, '', { reason: 'amount', paid: '1.09', asked: '1.10' }],
      ['another currency', { currency: 'jpy' }, '', { reason: 'currency', paid: 'JPY', asked: 'USD' }],
      [
        'an order that nobody has made',
        { metadata: { trade_no: NOBODYS } },
        '',
        { reason: 'order', trade_no: NOBODYS },
      ],
      ['an order of another provider', {}, `provider = 'epay'`, { reason: 'provider', of: 'epay' }],
    ])('%s', async (_, over, set, facts) => {
      const tradeNo = await order('stripe');
      if (set) await change(tradeNo, set);
      const paid = await stripe.pay(tradeNo);
      expect((await tell({ ...paid, ...over })).status).toBe(200);
      expect(told()).toEqual(refused('stripe', { trade_no: tradeNo, ...facts }));
      await isUnpaid(tradeNo);
      await change(tradeNo, `provider = 'stripe'`);
      expect((await tell(paid)).status).toBe(200);
      expect((await una.get('/api/user/self')).data.quota).toBe(DOLLAR);
    });

    it.each(['StripeSecretKey', 'StripeWebhookSecret'] as const)('a site without %s', async (option) => {
      const tradeNo = await order('stripe');
      const paid = await stripe.pay(tradeNo);
      await api.deps.options.reset([option]);
      for (const secret of ['', STRIPE.webhookSecret]) {
        lines = [];
        expect((await tell(paid, secret)).status).toBe(404);
        expect(told()).toEqual(refused('stripe', { reason: 'off' }));
      }
      await isUnpaid(tradeNo);
    });
  });
});
