/**
 * Whatever becomes of orders in whatever order: their states, the money that was given back and the accounts are those of
 * a small reference. Payers pay late or twice, providers speak twice, late and out of order, and are asked; administrators
 * complete and refund; payments are given back in parts, disputed, lost and won.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it, setSystemTime } from 'bun:test';
import fc from 'fast-check';
import { audit } from '../../src/billing/audit.ts';
import { QUOTA_MAX } from '../../src/core/price-formula.ts';
import { nowSec } from '../../src/core/time.ts';
import { startPaymentChecks } from '../../src/modules/payment/checks.ts';
import { createOrder, expireOrders } from '../../src/modules/payment/orders.ts';
import { type Answer, type Client, openApi, type TestApi, type TestUser } from '../support/api.ts';
import { callEngines } from '../support/database.ts';
import { often } from '../support/long.ts';
import { type EpayServer, epayOptions, startEpay } from '../support/payment/epay-server.ts';
import { epayPaid, epaySigned } from '../support/payment/epay-wire.ts';
import { stripeOptions } from '../support/payment/stripe-server.ts';
import { stripeEvent, stripeSignature } from '../support/payment/stripe-wire.ts';
import { Account } from './books.ts';
import { expectBooks } from './expect-books.ts';
import { Order, OrderBook } from './order-books.ts';

const RUNS = often(13, 150);
const STEPS = { minLength: 15, maxLength: 40 };
const DOLLAR = 500_000;
/** What a dollar costs, in cents; half of it with the code, which may be used twice. */
const PRICE = 730;
const CODE = { name: 'HALF', uses: 2 } as const;

interface Buyer {
  user: TestUser;
  client: Client;
  account: Account;
}

/** A step's free choices. */
interface Choice {
  buyer: Buyer;
  /** An order of either provider, where there is one. */
  order: Order | undefined;
  /** From 1 to 1,000. */
  amount: number;
}

let gateway: EpayServer;
/** Stripe, as far as it is asked here: whose payment it is that a dispute has named. */
const stripe = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch(request) {
    const payment = new URL(request.url).searchParams.get('payment_intent') ?? '';
    const metadata = { trade_no: payment.replace(/^pi_/, '') };
    return Response.json({
      object: 'list',
      has_more: false,
      data: [{ object: 'checkout.session', metadata }],
    });
  },
});
beforeAll(async () => {
  gateway = await startEpay();
});
afterAll(async () => {
  await gateway.close();
  await stripe.stop(true);
});

class World {
  readonly book = new OrderBook({ [CODE.name]: CODE.uses });
  readonly stripes = new Set<Order>();

  constructor(
    readonly api: TestApi,
    readonly root: Client,
    readonly buyers: Buyer[],
  ) {}

  isStripe(order: Order): boolean {
    return this.stripes.has(order);
  }

  /** Says something as Stripe; answers the status. */
  async event(type: string, object: object): Promise<number> {
    const payload = stripeEvent(type, object, { created: nowSec() });
    const headers = {
      'content-type': 'application/json',
      'stripe-signature': stripeSignature(payload),
    };
    const url = 'http://localhost/api/user/stripe/notify';
    const answer = await this.api.handle(new Request(url, { method: 'POST', headers, body: payload }));
    return answer.status;
  }

  session({ tradeNo, money }: Order) {
    const paid = { amount_total: money, currency: 'usd', payment_status: 'paid' };
    return { ...paid, metadata: { trade_no: tradeNo }, payment_intent: `pi_${tradeNo}` };
  }

  charge({ tradeNo }: Order) {
    return { payment_intent: `pi_${tradeNo}`, currency: 'usd', metadata: { trade_no: tradeNo } };
  }

  async notify({ tradeNo, money }: Order): Promise<string> {
    const fields = epaySigned(epayPaid({ tradeNo, money: (money / 100).toFixed(2) }));
    const sent = new URLSearchParams(fields);
    const answer = await this.api.handle(new Request(`http://localhost/api/user/epay/notify?${sent}`));
    return answer.text();
  }
}

const isOk = ({ success }: Answer): boolean => success === true;

const steps: readonly { name: string; run(world: World, choice: Choice): Promise<void> }[] = [
  {
    name: 'ordered at the gateway, with the discount code or without',
    async run({ book }, { buyer: { client, account }, amount }) {
      const code = amount % 2 === 0 ? CODE.name : undefined;
      const dollars = 1 + (amount % 3);
      const mayOrder = book.mayOrder(account, code);
      const made = await client.post('/api/user/pay', {
        amount: dollars,
        payment_method: 'alipay',
        top_up_code: code,
      });
      expect(isOk(made)).toBe(mayOrder);
      if (!mayOrder) return;
      const tradeNo = made.data.out_trade_no;
      await gateway.submit(`${gateway.base}/submit.php`, made.data);
      const [row] = (await client.get(`/api/user/topup/self?trade_no=${tradeNo}`)).data.items;
      const fullMoney = book.prices.epay * dollars;
      const money = code ? Math.round(fullMoney / 2) : fullMoney;
      expect([row.quota, row.money]).toEqual([DOLLAR * dollars, (money / 100).toFixed(2)]);
      const discount = code ? { code, fullMoney } : null;
      book.orders.push(new Order(row.id, tradeNo, account, row.quota, money, discount));
    },
  },
  {
    name: 'ordered at Stripe, where a cent is worth no whole number of units',
    async run({ api, book, stripes }, { buyer: { user, account }, amount }) {
      if (!book.mayOrder(account)) return;
      const money = 1 + ((amount * 7) % 311);
      const sums = { quota: amount, money: BigInt(money), fullMoney: BigInt(money) };
      const quote = { ...sums, currency: 'USD', places: 2, code: '', codeLimit: null };
      const row = await createOrder(api.deps, {
        userId: user.id,
        provider: 'stripe',
        method: 'stripe',
        quote,
      });
      const order = new Order(row.id, row.trade_no, account, amount, money, null, 'stripe');
      book.orders.push(order);
      stripes.add(order);
    },
  },
  {
    name: 'prices are changed',
    async run({ api, book }, { amount }) {
      book.prices.epay = [PRICE / 10, PRICE, PRICE * 2][amount % 3] ?? PRICE;
      // At the highest one a thousandth of a dollar costs what some orders were promised for.
      book.prices.stripe = [100, 50_000][amount % 2] ?? 100;
      await api.deps.options.set({
        Price: String(book.prices.epay / 100),
        StripePrice: String(book.prices.stripe / 100),
      });
    },
  },
  {
    name: 'what nobody paid in time is marked',
    async run({ api, book }) {
      await expireOrders(api.deps);
      book.expire();
    },
  },
  {
    name: 'the provider calls back, up to three times at once',
    async run(world, { order, amount }) {
      if (!order) return;
      const times = Array.from({ length: 1 + (amount % 3) });
      if (world.isStripe(order)) {
        const said = () => world.event('checkout.session.completed', world.session(order));
        expect(new Set(await Promise.all(times.map(said)))).toEqual(new Set([200]));
      } else {
        expect(new Set(await Promise.all(times.map(() => world.notify(order))))).toEqual(
          new Set(['success']),
        );
      }
      world.book.credit(order);
    },
  },
  {
    name: 'Stripe gives up',
    async run(world, { order, amount }) {
      if (!order || !world.isStripe(order)) return;
      const status = amount % 2 === 0 ? 'expired' : 'failed';
      const type = status === 'failed' ? 'async_payment_failed' : 'expired';
      expect(await world.event(`checkout.session.${type}`, world.session(order))).toBe(200);
      if (order.status === 'pending' || order.status === 'expired') order.status = status;
    },
  },
  {
    name: 'paid at the gateway, and found by the round of checks',
    async run({ api, book, stripes }, { order }) {
      if (!order || stripes.has(order)) return;
      await gateway.pay(order.tradeNo);
      const checks = startPaymentChecks({ ...api.deps, bootId: crypto.randomUUID() });
      await checks.round();
      await checks.stop();
      book.expire();
      book.credit(order);
    },
  },
  {
    name: 'paid at the gateway, and found by an administrator who asks',
    async run({ root, book, stripes }, { order }) {
      if (!order || stripes.has(order)) return;
      await gateway.pay(order.tradeNo);
      book.credit(order);
      expect((await root.post(`/api/topup/${order.id}/check`)).data.status).toBe(order.status);
    },
  },
  {
    name: 'completed by an administrator',
    async run({ root, book }, { order }) {
      if (!order) return;
      // Two that are given back at once have their lines in one second, in no order that could be known.
      if (order.owed.length > 1) return;
      const isOwed = order.status === 'owed';
      const done = await root.post(`/api/topup/${order.id}/complete`, { reason: 'seen' });
      expect(isOk(done)).toBe(isOwed || book.credit(order, true));
      if (isOwed) order.giveOwed();
    },
  },
  {
    name: 'voided by an administrator',
    async run({ root }, { order }) {
      if (!order) return;
      const done = await root.post(`/api/topup/${order.id}/void`, { reason: 'agreed' });
      expect(isOk(done)).toBe(order.isUnpaid);
      if (order.isUnpaid) order.void();
    },
  },
  {
    name: 'refunded by an administrator',
    async run({ root }, { order }) {
      if (!order) return;
      const isTaken = order.isPaid && order.refund(order.money, true);
      expect(isOk(await root.post(`/api/topup/${order.id}/refund`, { reason: 'asked for' }))).toBe(isTaken);
    },
  },
  {
    name: 'Stripe tells of a refund in part, twice',
    async run(world, { order, amount }) {
      if (!order || !world.isStripe(order)) return;
      const part = 1 + (amount % order.money);
      const say = () => world.event('charge.refunded', { ...world.charge(order), amount_refunded: part });
      expect([await say(), await say()]).toEqual([200, 200]);
      order.refund(part);
    },
  },
  {
    name: 'a refund fails at Stripe, and is told twice',
    async run(world, { order, amount }) {
      if (!order || !world.isStripe(order)) return;
      const [id, part] = [`re_${amount % 2}_${order.tradeNo}`, 1 + (amount % order.money)];
      const refund = { ...world.charge(order), id, amount: part, status: 'failed' };
      for (const event of ['charge.refund.updated', 'refund.failed'])
        expect(await world.event(event, refund)).toBe(200);
      order.failRefund(id, part);
    },
  },
  {
    name: 'disputed at Stripe',
    async run(world, { order, amount }) {
      if (!order || !world.isStripe(order)) return;
      const id = `dp_${amount % 2}_${order.tradeNo}`;
      const part = amount % 3 === 0 ? order.money : 1 + (amount % order.money);
      const dispute = { ...world.charge(order), id, amount: part, status: 'needs_response' };
      expect(await world.event('charge.dispute.created', dispute)).toBe(200);
      expect(await world.event('charge.dispute.funds_withdrawn', dispute)).toBe(200);
      order.dispute(id, part);
    },
  },
  {
    name: 'a dispute is closed, won or lost',
    async run(world, { order, amount }) {
      if (!order || !world.isStripe(order)) return;
      const id = `dp_${amount % 2}_${order.tradeNo}`;
      const status = amount % 5 === 0 ? 'lost' : 'won';
      const dispute = { ...world.charge(order), id, amount: order.money, status };
      expect(await world.event('charge.dispute.closed', dispute)).toBe(200);
      expect(await world.event('charge.dispute.funds_reinstated', dispute)).toBe(200);
      if (status === 'won') order.win(id);
    },
  },
  {
    name: 'a dispute is won while the account is full, and the account has room again',
    async run(world, { order, amount }) {
      const buyer = world.buyers.find(({ account }) => account === order?.account);
      if (!order || !buyer || !world.isStripe(order)) return;
      const { user, account } = buyer;
      const id = `dp_${amount % 2}_${order.tradeNo}`;
      const part = 1 + (amount % order.money);
      const dispute = { ...world.charge(order), id, amount: part };
      const say = async (type: string, status: string) =>
        expect(await world.event(`charge.dispute.${type}`, { ...dispute, status })).toBe(200);
      // Each line in a second of its own, so that their order is known.
      const pass = () => setSystemTime(new Date(Date.now() + 1_000));
      await say('created', 'needs_response');
      order.dispute(id, part);
      pass();
      const filled = QUOTA_MAX - account.balance;
      for (const quota of [filled, -filled]) {
        expect(isOk(await world.root.put('/api/user/', { id: user.id, add_quota: quota }))).toBe(true);
        account.move('adminEdit', quota, nowSec());
        pass();
        if (quota < 0) return;
        for (const type of ['closed', 'funds_reinstated', 'closed']) await say(type, 'won');
        order.win(id);
        pass();
      }
    },
  },
  {
    name: 'some of it is spent',
    async run({ root }, { buyer: { user, account }, amount }) {
      const spent = Math.floor((account.free * amount) / 1_000);
      if (spent === 0) return;
      expect(isOk(await root.put('/api/user/', { id: user.id, add_quota: -spent }))).toBe(true);
      account.move('adminEdit', -spent, nowSec());
    },
  },
];

const step = fc.record({
  step: fc.nat(steps.length - 1),
  /** The first of all orders, or some of them would live through little. */
  which: fc.nat(4),
  who: fc.nat(1),
  amount: fc.integer({ min: 1, max: 1_000 }),
  /** Seconds until then: an order is old enough to be asked about, and some expire. */
  after: fc.integer({ min: 61, max: 1_500 }),
});

const named = (name: string, amount: number, which = 0, after = 61) => ({
  step: steps.findIndex((each) => each.name.startsWith(name)),
  which,
  who: 0,
  amount,
  after,
});

/** Its money comes and goes in every way, and comes late in the end. */
const THROUGH_ALL = [
  named('ordered at Stripe', 903),
  named('Stripe gives up', 1),
  named('Stripe tells of a refund', 100),
  named('completed', 1),
  named('disputed', 40),
  named('the provider calls back', 2),
  named('Stripe tells of a refund', 100),
  named('disputed', 40),
  named('some of it is spent', 900),
  named('disputed', 81),
  named('Stripe tells of a refund', 217),
  named('a dispute is closed', 41),
  named('a dispute is closed', 82),
  named('Stripe tells of a refund', 50),
  named('refunded', 1),
  named('disputed', 42),
  named('the provider calls back', 2),
];

/** A refund fails whose quota was spent, and the next one is told; another fails before it is told of. */
const REFUNDS_FAIL = [
  named('ordered at Stripe', 1_000),
  named('the provider calls back', 2),
  named('some of it is spent', 700),
  named('Stripe tells of a refund', 120),
  named('a refund fails', 120),
  named('Stripe tells of a refund', 60),
  named('a refund fails', 41),
  named('Stripe tells of a refund', 30),
  named('refunded', 1),
];

/** A refund is told while a dispute has all of it, and the dispute is won; all of it before the payment is heard of. */
const IN_ANY_ORDER = [
  named('ordered at Stripe', 1_000),
  named('disputed', 999),
  named('the provider calls back', 2),
  named('some of it is spent', 500),
  named('Stripe tells of a refund', 30),
  named('some of it is spent', 1_000),
  named('a dispute is closed', 1),
  named('refunded', 1),
  named('disputed', 40),
];

/** Won when the account is full: one is given back by hand while the other is refunded, and the other when it is told again. */
const OWED = [
  named('ordered at Stripe', 1_000),
  named('the provider calls back', 2),
  named('disputed', 40),
  named('a dispute is won while', 40),
  named('disputed', 42),
  named('disputed', 81),
  named('completed', 1),
  named('Stripe tells of a refund', 100),
  named('a dispute is won while', 81),
  named('a dispute is closed', 81),
  named('completed', 1),
  named('a dispute is won while', 81),
  named('completed', 1),
];

/** What is owed was spent before, and the rest is refunded. */
const OWED_OF_THE_SPENT = [
  named('ordered at Stripe', 1_000),
  named('the provider calls back', 2),
  named('some of it is spent', 700),
  named('disputed', 999),
  named('a dispute is won while', 1),
  named('refunded', 1),
  named('completed', 1),
  named('a dispute is closed', 1),
];

/** All of a dispute is told, and its end, before the payment is heard of. */
const WON_BEFORE_IT_IS_PAID = [
  named('ordered at Stripe', 1_000),
  named('disputed', 40),
  named('a dispute is closed', 42),
  named('the provider calls back', 2),
];

/** Voided, paid all the same, refunded in part, and completed in the end. */
const VOIDED = [
  named('ordered at Stripe', 902),
  named('voided', 1),
  named('the provider calls back', 2),
  named('Stripe tells of a refund', 100),
  named('voided', 1),
  named('completed', 1),
  named('ordered at the gateway', 1),
  named('voided', 1, 1),
  named('paid at the gateway, and found by the round', 1, 1),
  named('refunded', 1, 1),
  named('completed', 1, 1),
];

/** Three with a code that may be used twice: of those that are paid late one has lost its use. */
const LATE = [
  named('ordered at the gateway', 2),
  named('ordered at the gateway', 4),
  named('ordered at the gateway', 6),
  named('what nobody paid', 1, 0, 1_500),
  named('what nobody paid', 1, 0, 1_500),
  named('ordered at the gateway', 8),
  named('the provider calls back', 3, 0),
  named('paid at the gateway, and found by the round', 1, 1),
  named('paid at the gateway, and found by an administrator', 1, 2),
  named('refunded', 1, 1),
  named('completed', 1, 2),
];

/** Ordered at a low price and with the code, and paid when the price is a high one: soon, late, and by hand. */
const AT_A_LOW_PRICE = [
  named('prices are changed', 3),
  named('ordered at the gateway', 1),
  named('ordered at the gateway', 3),
  named('ordered at the gateway', 4),
  named('ordered at Stripe', 1_000),
  named('prices are changed', 5, 0, 1_300),
  named('what nobody paid', 1, 0, 700),
  named('the provider calls back', 3, 0),
  named('what nobody paid', 1, 0, 1_500),
  named('the provider calls back', 2, 1),
  named('completed', 1, 2),
  named('the provider calls back', 1, 3),
  named('refunded', 1, 1),
];

describe.each(callEngines)('orders in any order, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine, { STRIPE_API_BASE: `http://127.0.0.1:${stripe.port}` });
    root = await api.root();
  });
  afterEach(() => {
    setSystemTime();
  });
  afterAll(() => api.close());

  let networks = 0;
  const newBuyer = async (): Promise<Buyer> => {
    networks++;
    const user = await api.createUser();
    const ip = `10.${networks >> 8}.${networks & 255}.1`;
    return { user, client: await api.as(user, { ip }), account: new Account() };
  };

  const check = async ({ book, buyers }: World): Promise<void> => {
    for (const order of book.orders) {
      const [row] = await api.deps.db.query(
        `select status, quota, money, code_lapsed, price_lapsed, paid_at > 0 as paid,
           (select coalesce(sum(case kind when 'won' then -quota else quota end), 0)::bigint
            from topup_reversals where topup_id = topups.id) as reversed_quota,
           (select coalesce(sum(case kind when 'won' then -money else money end), 0)::bigint
            from topup_reversals where topup_id = topups.id) as reversed_money
         from topups where id = $1`,
        [order.id],
      );
      const { status, quota, money, lapsed, isRepriced, reversed, isPaid } = order;
      const given = { reversed_quota: reversed.quota, reversed_money: reversed.money };
      expect(row).toEqual({
        ...{ status, quota, money, code_lapsed: lapsed, price_lapsed: isRepriced, paid: isPaid },
        ...given,
      });
      for (const [part, all] of [
        [reversed.money, money],
        [reversed.quota, quota],
      ] as const) {
        expect(part).toBeGreaterThanOrEqual(0);
        expect(part).toBeLessThanOrEqual(all);
      }
      // What was credited and is all given back has left nothing.
      if (reversed.money === money && order.isCredited) expect(reversed.quota).toBe(quota);
    }
    for (const buyer of buyers) await expectBooks(api, root, buyer, 'UTC');
    expect((await audit(api.deps.db)).findings).toEqual([]);
  };

  it(
    'keep the books of the reference',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(step, STEPS), async (taken) => {
          setSystemTime();
          // Each run has the uses of its code, and the rounds of checks, to itself.
          await api.deps.db.query("update topups set code = ''");
          await api.deps.db.query(
            "update topups set status = 'failed' where status in ('pending', 'expired')",
          );
          await api.deps.options.set({
            ...epayOptions(gateway),
            ...stripeOptions,
            Price: String(PRICE / 100),
            StripePrice: '1',
            TopupCodes: JSON.stringify({ [CODE.name]: { ratio: 0.5, limit: CODE.uses } }),
            ServerAddress: 'https://site.example',
            // Windows that began in the days ahead of one run count in all that come after it.
            ApiRateLimitAddress: '1000000',
          });
          let clock = Date.now();
          const world = new World(api, root, [await newBuyer(), await newBuyer()]);
          for (const { step, which, who, amount, after } of taken) {
            clock += after * 1000;
            setSystemTime(new Date(clock));
            const buyer = world.buyers[who];
            const order = world.book.orders[which % world.book.orders.length];
            if (buyer) await steps[step]?.run(world, { buyer, order, amount });
          }
          await check(world);
        }),
        {
          numRuns: RUNS,
          endOnFailure: true,
          examples: [
            [THROUGH_ALL],
            [IN_ANY_ORDER],
            [REFUNDS_FAIL],
            [OWED],
            [OWED_OF_THE_SPENT],
            [WON_BEFORE_IT_IS_PAID],
            [VOIDED],
            [LATE],
            [AT_A_LOW_PRICE],
          ],
        },
      );
    },
    often(120_000, 1_800_000),
  );
});
