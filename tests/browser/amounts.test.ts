/** One unit short of a dollar, and of what it costs in yuan, is never shown as if it were there. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { grantReward, REWARD } from '../../src/billing/rewards.ts';
import { createOrder, creditOrder } from '../../src/modules/payment/orders.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);
/** $0.999998, ¥7.2999854. */
const SHORT = 499_999;
const SHOWN = { en: { cut: '$0.99', rounded: '$1.00' }, zh: { cut: '¥7.29', rounded: '¥7.30' } } as const;

let site: Site;
let root: TestUser;
let una: TestUser;
let code = '';
beforeAll(async () => {
  site = await openSite();
  const { deps } = site.api;
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una' });
  await deps.options.set({ Price: '7.3' });
  const quote = {
    quota: SHORT,
    money: 1n,
    fullMoney: 1n,
    currency: 'CNY',
    places: 2,
    code: '',
    codeLimit: null,
  };
  const { id } = await createOrder(deps, { userId: una.id, provider: 'epay', method: 'alipay', quote });
  await creditOrder(deps, id, { providerRef: '' });
  await deps.db.orm.transaction((tx) =>
    grantReward(tx, {
      userId: una.id,
      kind: REWARD.activity,
      amount: SHORT,
      causeId: 1,
      ref: crypto.randomUUID(),
    }),
  );
  const client = await site.api.as(root);
  await client.put('/api/user/', { id: root.id, quota: SHORT });
  [code] = (await client.post('/api/redemption/', { name: 'short', quota: SHORT })).data;
}, patience(120_000));
afterAll(() => site.close());

/** A page, who opens it, and how often the amount stands there at the least. */
const PAGES: [page: string, path: string, who: () => TestUser, times: number][] = [
  // The balance and the rewards, and the order.
  ['the wallet', '/topup', () => una, 3],
  ['the statement', '/topup/statement', () => una, 2],
  ['the orders of all', '/payment', () => root, 1],
  ['the redemption codes', '/redemption', () => root, 1],
  ['the personal page', '/personal', () => una, 1],
];

describe.each(usually(['en'], 'zh'))('what is a unit short, in %s', (locale) => {
  const { cut, rounded } = SHOWN[locale];

  it.each(PAGES)(
    'is cut off on %s',
    async (_, path, who, times) => {
      const visitor = await site.visit({ user: who(), locale });
      await visitor.goto(path);
      const main = visitor.page.getByRole('main');
      await main.getByText(cut).first().waitFor();
      const text = (await main.textContent()) ?? '';
      expect(text.split(cut).length - 1).toBeGreaterThanOrEqual(times);
      expect(text).not.toContain(rounded);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

it(
  'what a code has added is cut off too',
  async () => {
    const visitor = await site.visit({ user: await site.api.createUser(), locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/topup');
    await page.getByRole('textbox', { name: 'Code', exact: true }).fill(code);
    await page.getByRole('button', { name: 'Redeem' }).click();
    await page.getByText('Added $0.99').waitFor();
    expect(await page.getByRole('main').textContent()).not.toContain('$1.00');
  },
  PATIENCE_MS,
);
