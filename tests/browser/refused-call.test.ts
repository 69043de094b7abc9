/** A call that was refused for lack of quota stands in the log, and leads to the wallet from there. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let poor: TestUser;
let rich: TestUser;
const call = (key: string) =>
  site.handle(
    new Request(`${site.base}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer sk-${key}` },
      body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }),
    }),
  );
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  poor = await site.api.createUser({ username: 'poor', quota: 1 });
  const channel = await (await site.api.as(root)).post('/api/channel/', {
    ...{ name: 'never asked', type: 1, key: 'k', base_url: 'http://127.0.0.1:9', models: 'gpt-4o' },
    group: 'default',
  });
  expect(channel.success).toBe(true);
  const mine = await site.api.as(poor);
  const token = { name: 'ci', unlimited_quota: true, remain_quota: 0, expired_time: -1 };
  const { key } = (await mine.post('/api/token/', token)).data;
  const limited = { ...token, name: 'small', unlimited_quota: false };
  rich = await site.api.createUser({ username: 'rich', quota: 5_000_000 });
  const small = (await (await site.api.as(rich)).post('/api/token/', limited)).data.key;
  for (const each of [key, key, small]) expect((await call(each)).status).toBe(403);
}, patience(120_000));
afterAll(() => site.close());

it(
  'leads to the wallet from its row and from its details',
  async () => {
    const visitor = await site.visit({ user: poor, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/log');
    const row = page.getByRole('row').filter({ hasText: 'gpt-4o' });
    await row
      .getByRole('link', { name: 'The quota of this account is not enough for the request' })
      .first()
      .click();
    await page.waitForURL('**/topup');
    await page.getByRole('heading', { name: 'Wallet' }).first().waitFor();
    await page.goBack();
    await row.first().waitFor();
    expect(await row.count()).toBe(2);
    await row.getByRole('button', { name: 'Details of gpt-4o' }).first().click();
    const details = page.locator('[data-detail]');
    await details.getByText('insufficient_user_quota').waitFor();
    await details.getByRole('link', { name: 'To the wallet' }).click();
    await page.waitForURL('**/topup');
    expect(visitor.complaints).toEqual([]);
  },
  PATIENCE_MS,
);

it(
  'leads to the tokens where the limit was the token’s, and nobody to his own wallet from the call of another',
  async () => {
    const visitor = await site.visit({ user: root, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/log');
    const rows = page.getByRole('row').filter({ hasText: 'gpt-4o' });
    await rows.first().waitFor();
    expect(await rows.count()).toBe(3);
    // Each leads to its own bill, and none to a wallet.
    const away = rows.getByRole('link').filter({ hasNotText: /^\d\d:\d\d:\d\d$/ });
    expect(await away.count()).toBe(0);
    const owner = await site.visit({ user: rich, locale: 'en' });
    await owner.goto('/log');
    const row = owner.page.getByRole('row').filter({ hasText: 'small' });
    await row.getByRole('link', { name: 'The quota of this API key is exhausted' }).click();
    await owner.page.waitForURL('**/token');
    expect([...visitor.complaints, ...owner.complaints]).toEqual([]);
  },
  PATIENCE_MS,
);

looksRight({
  name: 'refused-call',
  async open(locale) {
    const visitor = await site.visit({ user: poor, locale, stays: true });
    await visitor.goto('/log');
    await visitor.page.locator('.opens-row').getByRole('button').first().click();
    return visitor;
  },
});
