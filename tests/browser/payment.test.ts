/** A user pays at the cashier of a gateway and comes back; an administrator sees his order and what to do about it. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import { startPaymentChecks } from '../../src/modules/payment/checks.ts';
import { reverseOrder } from '../../src/modules/payment/reversals.ts';
import type { Client, TestUser } from '../support/api.ts';
import { DESK, openSite, PHONE, type Site, type Visitor } from '../support/browser.ts';
import { inLong, isLong, usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { type EpayServer, epayOptions, startEpay } from '../support/payment/epay-server.ts';
import { type StripeServer, startStripe, stripeOptions } from '../support/payment/stripe-server.ts';

const PATIENCE_MS = patience(60_000);
const DOLLAR = 500_000;

let site: Site;
let gateway: EpayServer;
let stripe: StripeServer;
let root: TestUser;
let made = 0;
beforeAll(async () => {
  [gateway, stripe] = await Promise.all([startEpay(), startStripe()]);
  site = await openSite('postgres', { STRIPE_API_BASE: stripe.base });
  root = await site.api.createUser({ username: 'root', role: 100 });
  await site.api.deps.options.set({
    ...epayOptions(gateway),
    ...stripeOptions,
    ServerAddress: site.base,
    Price: '7.3',
    TopupGroupRatio: '{"vip":0.95}',
    TopupCodes: '{"HALF":{"ratio":0.5}}',
  });
}, patience(120_000));
afterAll(async () => {
  await Promise.all([gateway.close(), stripe.close()]);
  await site.close();
});

const buyer = async (): Promise<{ user: TestUser; client: Client }> => {
  const user = await site.api.createUser({ username: `buyer${++made}`, group: 'vip' });
  return { user, client: await site.api.as(user, { ip: `10.7.${made}.1` }) };
};
/** An order, as the form for the cashier. */
const orderOf = async (client: Client, amount: number, method = 'alipay'): Promise<Record<string, string>> =>
  (await client.post('/api/user/pay', { amount, payment_method: method })).data;
const quotaOf = async (client: Client): Promise<number> => (await client.get('/api/user/self')).data.quota;
const payButton = (page: Page) => page.getByRole('button', { name: /^Pay ¥/ });

/** A way of paying twenty dollars: what its payer sees and does, and when its provider speaks. */
interface Way {
  name: string;
  choose(page: Page): Promise<void>;
  pay: string;
  /** Of the provider's page. */
  heading: string;
  method: string;
  mode(when: 'before' | 'twice' | 'never'): Promise<void>;
  /** Has the provider call back; whether it was told that this is heard. */
  tell(tradeNo: string): Promise<boolean>;
  width: number;
}

const notifyUrl = () => `${site.base}/api/user/stripe/notify`;
const WAYS: Way[] = [
  {
    name: 'an epay gateway',
    choose: async () => undefined,
    pay: 'Pay ¥138.70 with Alipay',
    heading: 'Cashier',
    method: 'Alipay',
    mode: (when) => gateway.mode(when),
    tell: async (tradeNo) => (await gateway.tell(tradeNo)).every(({ text }) => text === 'success'),
    width: DESK,
  },
  {
    name: 'Stripe',
    choose: (page) => page.getByRole('button', { name: 'Card', exact: true }).click(),
    pay: 'Pay $19.00 with Card',
    heading: 'Checkout',
    method: 'Card',
    mode: (when) => stripe.webhook(notifyUrl(), when),
    tell: async (tradeNo) =>
      (await stripe.send(tradeNo, 'checkout.session.completed', notifyUrl())).every((code) => code === 200),
    width: PHONE,
  },
];

/** From the wallet to the provider's page, and back. Answers the order's number. */
async function pay({ page }: Visitor, way: Way): Promise<string> {
  await way.choose(page);
  await page.getByRole('button', { name: '$20', exact: true }).click();
  await page.getByRole('button', { name: way.pay }).click();
  await page.getByRole('heading', { name: way.heading }).waitFor();
  await page.getByRole('button', { name: 'Pay' }).click();
  await page.waitForURL(/\/topup\?/);
  return new URL(page.url()).searchParams.get('out_trade_no') ?? '';
}

/** One round of the job that asks providers, when an order is old enough for it. */
async function roundOfChecks(tradeNo: string): Promise<void> {
  await site.api.deps.db.query('update topups set created_at = created_at - 60 where trade_no = $1', [
    tradeNo,
  ]);
  const checks = startPaymentChecks({ ...site.api.deps, bootId: crypto.randomUUID() });
  await checks.round();
  await checks.stop();
}

describe('paying', () => {
  it(
    'works out the price, and says what is wrong with an amount',
    async () => {
      const { user } = await buyer();
      const visitor = await site.visit({ user, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/topup');
      await payButton(page).waitFor();
      await page.getByText(/ · top-up × 0\.95$/).waitFor();
      const amount = page.getByRole('textbox', { name: 'Amount in US dollars' });
      const price = page.getByRole('main').locator('output');
      await amount.fill('100');
      await price.getByText('¥693.50').waitFor();
      const code = page.getByRole('textbox', { name: 'Discount code' });
      const leave = (typed: string) => code.fill(typed).then(() => code.blur());
      await leave('HALF');
      await price.getByText('¥346.75').waitFor();
      await leave('NONE');
      await page.getByText('This discount code is not valid').waitFor();
      await leave('');
      await amount.fill('0');
      await page.getByRole('button', { name: 'Pay with Alipay' }).click();
      await page.getByText('Top-up amount cannot be less than 1').waitFor();
      await amount.fill('1.5');
      await page.getByText('The amount must be a whole number of at least 1').waitFor();
      await page.getByRole('button', { name: 'WeChat Pay', exact: true }).click();
      await amount.fill('10');
      await page.getByRole('button', { name: 'Pay ¥69.35 with WeChat Pay' }).waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  describe.each(WAYS)('twenty dollars by $name', (way) => {
    /** A buyer who has paid on the provider's page, and his order. */
    const payer = async (when: 'before' | 'twice' | 'never') => {
      await way.mode(when);
      const { user, client } = await buyer();
      const visitor = await site.visit({ user, locale: 'en', width: way.width });
      await visitor.goto('/topup');
      const tradeNo = await pay(visitor, way);
      const { page } = visitor;
      const says = (text: string) => page.getByRole('status').getByText(text).waitFor();
      return {
        ...{ visitor, client, page, tradeNo },
        waits: () => says('Waiting until the payment provider confirms your payment'),
        expires: () => says('This order was not paid in time.'),
        isTold: () => says('Paid: $20.00 was added to your balance.'),
        row: (state: string) =>
          page.getByRole('row').filter({ hasText: way.method }).getByText(state).waitFor(),
      };
    };

    it.each(usually(['before'], 'twice'))(
      'are added once when the provider calls back: %s',
      async (when) => {
        const { visitor, client, page, isTold, row } = await payer(when);
        await isTold();
        expect(await quotaOf(client)).toBe(20 * DOLLAR);
        await row('Paid');
        await page.getByRole('link', { name: 'Got it' }).click();
        await page.waitForURL((url) => !url.searchParams.has('out_trade_no'));
        expect(visitor.complaints).toEqual([]);
      },
      PATIENCE_MS,
    );

    // The page says the same of an order that stays open, whichever way it is paid.
    if (way !== WAYS[0] && !isLong) return;

    it(
      'are waited for when the provider calls back after the return',
      async () => {
        const { visitor, client, page, tradeNo, waits, isTold } = await payer('never');
        await waits();
        expect(await quotaOf(client)).toBe(0);
        expect(await way.tell(tradeNo)).toBe(true);
        await isTold();
        await page.getByText('10,000,000 units').waitFor();
        expect(visitor.complaints).toEqual([]);
      },
      PATIENCE_MS,
    );

    it(
      'are added late too, to an order that is shown as expired by then',
      async () => {
        const { visitor, client, tradeNo, waits, expires, isTold, row } = await payer('never');
        await waits();
        await site.api.deps.db.query('update topups set expires_at = 1 where trade_no = $1', [tradeNo]);
        await expires();
        await row('Expired');
        expect(await quotaOf(client)).toBe(0);
        expect(await way.tell(tradeNo)).toBe(true);
        await isTold();
        await row('Paid');
        expect(await quotaOf(client)).toBe(20 * DOLLAR);
        expect(visitor.complaints).toEqual([]);
      },
      PATIENCE_MS,
    );

    it(
      'are found by asking when the provider never calls back',
      async () => {
        const { visitor, client, tradeNo, waits, isTold, row } = await payer('never');
        await waits();
        expect(await quotaOf(client)).toBe(0);
        await roundOfChecks(tradeNo);
        await isTold();
        await row('Paid');
        expect(await quotaOf(client)).toBe(20 * DOLLAR);
        expect(visitor.complaints).toEqual([]);
      },
      PATIENCE_MS,
    );
  });

  it(
    'says nothing of the order of somebody else',
    async () => {
      const other = await buyer();
      const { out_trade_no: number } = await orderOf(other.client, 10);
      const { user } = await buyer();
      const visitor = await site.visit({ user, locale: 'en' });
      await visitor.goto(`/topup?out_trade_no=${number}`);
      await visitor.page.getByText('This order is not one of yours.').waitFor();
      expect(await visitor.page.getByText('No orders yet').count()).toBe(1);
    },
    PATIENCE_MS,
  );
});

it(
  'a page that is older than the gateway’s address says so',
  async () => {
    const { user } = await buyer();
    const visitor = await site.visit({ user, locale: 'en' });
    await visitor.goto('/topup');
    const { options } = site.api.deps;
    await options.set({ PayAddress: gateway.base.replace('127.0.0.1', 'localhost') });
    try {
      // The browser's driver may take the refused submission for a navigation that goes on: a click would wait for its end,
      // and no locator is looked for in the meantime.
      await payButton(visitor.page).click({ noWaitAfter: true });
      await visitor.page.waitForFunction(() =>
        document.body.textContent.includes('The payment address has changed: reload the page'),
      );
      await visitor.goto('/topup');
      await payButton(visitor.page).click();
      await visitor.page.getByRole('heading', { name: 'Cashier' }).waitFor();
    } finally {
      await options.set({ PayAddress: gateway.base });
    }
  },
  PATIENCE_MS,
);

describe('the orders of all', () => {
  it(
    'are asked about, completed by hand and taken back, with a reason',
    async () => {
      const { user, client } = await buyer();
      const fields = await orderOf(client, 30);
      const { out_trade_no: number = '' } = fields;
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/topup');
      await page.getByRole('link', { name: 'Payments' }).click();
      await page.getByRole('searchbox', { name: 'Order, number or user' }).fill(user.username);
      const row = page.getByRole('row').filter({ hasText: user.username });
      await row.getByText('Waiting for payment').waitFor();
      const menu = async (item: string) => {
        await row.getByRole('button', { name: `More actions: ${number}` }).click();
        await page.getByRole('menuitem', { name: item }).click();
      };
      await menu('Ask the provider');
      await page.getByText('it does not know this order (“no such order”)').waitFor();
      await gateway.submit(`${gateway.base}/submit.php`, fields);
      await menu('Ask the provider');
      await page.getByText('The provider was asked. Status: Waiting for payment').waitFor();
      await menu('Void');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('nothing is added by itself').waitFor();
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('paid in cash');
      await dialog.getByRole('button', { name: 'Void' }).click();
      await dialog.waitFor({ state: 'detached' });
      await row.getByText('Voided', { exact: true }).waitFor();
      await gateway.tell(number);
      expect(await quotaOf(client)).toBe(0);
      const payer = await site.visit({ user, locale: 'en' });
      await payer.goto(`/topup?out_trade_no=${number}`);
      await payer.page.getByText('Your payment is noted').waitFor();
      await payer.page.getByText('Voided, but paid').waitFor();
      await payer.page.getByText('paid in cash').waitFor();
      await menu('Complete by hand');
      await dialog.getByText('Adds $30.00 to the balance').waitFor();
      await dialog.getByRole('button', { name: 'Complete' }).click();
      await dialog.getByText('The reason needs 1 to 300 characters').waitFor();
      expect(await quotaOf(client)).toBe(0);
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('seen on the account');
      await dialog.getByRole('button', { name: 'Complete' }).click();
      await dialog.waitFor({ state: 'detached' });
      await row.getByText('seen on the account').waitFor();
      expect(await quotaOf(client)).toBe(30 * DOLLAR);
      await menu('Take back');
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('paid twice');
      await dialog.getByRole('button', { name: 'Take back' }).click();
      await dialog.waitFor({ state: 'detached' });
      await row.getByText('Refunded').waitFor();
      expect(await quotaOf(client)).toBe(0);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'are refunded for the rest where a part was, and tell the payer why',
    async () => {
      const { user, client } = await buyer();
      const { out_trade_no: number = '' } = await orderOf(client, 100);
      const { db } = site.api.deps;
      const { items } = (await client.get(`/api/user/topup/self?trade_no=${number}`)).data;
      const [{ id }] = items;
      const admin = await site.api.as(root);
      expect((await admin.post(`/api/topup/${id}/complete`, { reason: 'seen' })).success).toBe(true);
      // As the provider tells it: 200 of 693.50 yuan.
      await reverseOrder({ db }, id, { kind: 'refund', cause: '', money: 20_000n });

      const payer = await site.visit({ user, locale: 'en' });
      await payer.goto('/topup/statement');
      await payer.page
        .getByRole('link', { name: `Order ${id}` })
        .first()
        .click();
      await payer.page.waitForURL((url) => url.searchParams.get('order') === String(id));
      await payer.page.getByText('¥200.00 · taken back $28.83').waitFor();
      await payer.page.getByRole('link', { name: 'Show all' }).click();
      await payer.page.waitForURL((url) => !url.searchParams.has('order'));

      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(`/topup/statement?user=${user.id}`);
      await page
        .getByRole('link', { name: `Order ${id}` })
        .first()
        .click();
      const row = page.getByRole('row').filter({ hasText: user.username });
      await row.getByText('¥200.00 · taken back $28.83').waitFor();
      await row.getByRole('button', { name: `More actions: ${number}` }).click();
      await page.getByRole('menuitem', { name: 'Take back' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Takes $71.16 from the balance').waitFor();
      await dialog.getByText('The ¥493.50 must be given back').waitFor();
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('wrong account');
      await dialog.getByRole('button', { name: 'Take back' }).click();
      await dialog.waitFor({ state: 'detached' });
      await row.getByText('seen · wrong account').waitFor();
      await row.getByRole('button', { name: `More actions: ${number}` }).click();
      await page.getByRole('menuitem', { name: 'Take back' }).waitFor();
      expect(await page.getByRole('menuitem', { name: 'Take back' }).getAttribute('aria-disabled')).toBe(
        'true',
      );
      expect(await quotaOf(client)).toBe(0);
      await payer.goto('/topup');
      await payer.page.getByText('wrong account').waitFor();
      expect([...visitor.complaints, ...payer.complaints]).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'are for administrators',
    async () => {
      const { user } = await buyer();
      const visitor = await site.visit({ user, locale: 'en' });
      const answer = await visitor.page.goto(`${site.base}/payment`);
      expect(answer?.status()).toBe(403);
    },
    PATIENCE_MS,
  );
});

it(
  'the settings tell whether the gateway reaches the site',
  async () => {
    const visitor = await site.visit({ user: root, locale: 'en' });
    await visitor.goto('/setting?tab=operation');
    await visitor.page.getByRole('button', { name: 'Test the callback' }).click();
    await visitor.page.getByText(`This site answers at ${site.base}/api/user/epay/notify`).waitFor();
    expect(visitor.complaints).toEqual([]);
  },
  PATIENCE_MS,
);

describe('a wallet with orders', () => {
  let rich: TestUser;
  beforeAll(async () => {
    const { user, client } = await buyer();
    rich = user;
    const paid = await orderOf(client, 100);
    await gateway.submit(`${gateway.base}/submit.php`, paid);
    await gateway.tell(paid.out_trade_no ?? '');
    await orderOf(client, 20, 'wxpay');
    const { data } = await client.post('/api/user/pay', { amount: 10, top_up_code: 'HALF' });
    const { db, options } = site.api.deps;
    // Paid when its code was gone, and refunded in part with a long reason.
    await db.query(`update topups set status = 'expired' where trade_no = $1`, [data.out_trade_no]);
    const TopupCodes = options.text('TopupCodes');
    await options.set({ TopupCodes: '{}' });
    await gateway.submit(`${gateway.base}/submit.php`, data);
    await gateway.tell(data.out_trade_no);
    await options.set({ TopupCodes });
    const [order] = await db.query<{ id: number }>('select id from topups where trade_no = $1', [
      data.out_trade_no,
    ]);
    const reason = 'Paid from an account that is not the payer’s own, so half of it went back';
    const byHand = { by: root.id, reason };
    await reverseOrder({ db }, order?.id ?? 0, { kind: 'refund', cause: '', money: 1_000n, byHand });
  });
  looksRight({
    name: 'wallet-orders',
    open: async (locale) => {
      const visitor = await site.visit({ user: rich, locale, stays: true });
      await visitor.goto('/topup');
      await visitor.page.getByRole('button', { name: /¥/ }).last().waitFor();
      return visitor;
    },
  });
});

describe('all payments', () => {
  looksRight({
    name: 'payments',
    open: async (locale) => {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/payment');
      await visitor.page.getByRole('row').nth(1).waitFor();
      return visitor;
    },
  });
});
