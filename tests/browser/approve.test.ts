/** An application asks for a relay key, and its user decides in the console. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, PASSWORD, type TestUser } from '../support/api.ts';
import { openSite, type Site, type Visitor } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let una: TestUser;
let client: Client;
beforeAll(async () => {
  // The calls themselves are tried on Postgres.
  site = await openSite('pglite');
  await site.api.root();
  una = await site.api.createUser({ username: 'una' });
  client = await site.api.as(una);
  await client.post('/api/token/', { name: 'laptop', remain_quota: 1_500_000 });
  await client.post('/api/token/', { name: 'server', unlimited_quota: true, group: 'default' });
  const { data } = await client.post('/api/token/', { name: 'old' });
  await client.put('/api/token/?status_only=true', { id: data.id, status: 2 });
}, patience(120_000));
afterAll(() => site.close());

let networks = 0;
async function asked(name = 'AiPy', ip = `198.51.100.${++networks}`) {
  const app = site.api.guest({ ip });
  const { data } = await app.post('/api/request_bind', { name });
  const code = new URL(data.approval_url).searchParams.get('code') ?? '';
  return {
    path: `/approve?code=${code}`,
    code,
    number: data.user_code as string,
    poll: async () => (await app.get(`/api/check_status?request_id=${data.request_id}`)).data,
  };
}

const step = ({ page }: Visitor, name: string) => page.locator(`[data-step=${name}]`).waitFor();

describe('somebody without an account', () => {
  it(
    'makes one on the way, and gives the application a token of its own',
    async () => {
      await site.api.deps.options.set({ RegisterEnabled: 'true' });
      const { path, code, number, poll } = await asked();
      const visitor = await site.visit({ locale: 'en' });
      const { page } = visitor;
      await visitor.goto(path);
      await page.getByRole('heading', { name: 'Sign in', level: 1 }).waitFor();
      // A way that keeps no path: the code is remembered all the same.
      await visitor.goto('/register');
      await page.getByRole('textbox', { name: 'Username' }).fill('newcomer');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Create account' }).click();
      await page.getByText('Registered, please sign in').waitFor();
      await page.getByRole('textbox', { name: 'Username' }).fill('newcomer');
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.keyboard.press('Enter');
      await step(visitor, 'no-token');
      const main = page.getByRole('main');
      await main.getByText('“AiPy” asks for an API token').waitFor();
      await main.getByText(number, { exact: true }).waitFor();
      await main.getByText('The request comes from another network').waitFor();
      await page.waitForURL((url) => url.pathname === '/approve' && url.search === '');
      expect(await page.content()).not.toContain(code);
      await main.getByRole('textbox', { name: 'Quota' }).fill('x');
      await main.getByRole('button', { name: 'Approve' }).click();
      await main.getByText('The token quota must be a non-negative integer').waitFor();
      await main.getByRole('textbox', { name: 'Quota' }).fill('250000');
      await main.getByRole('button', { name: 'Approve' }).click();
      await step(visitor, 'approved');
      const { status, secret_token } = await poll();
      expect([status, secret_token.length]).toEqual(['approved', 51]);
      // By itself, after three seconds.
      await page.waitForURL('**/token');
      await page.getByRole('row').filter({ hasText: 'AiPy' }).waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('somebody with tokens', () => {
  it(
    'chooses one, and stays',
    async () => {
      const { path, poll } = await asked();
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(path);
      await step(visitor, 'choose-token');
      expect(await page.getByRole('radio', { name: /^A new token/ }).isChecked()).toBe(true);
      expect(await page.getByRole('radio', { name: /^old/ }).isDisabled()).toBe(true);
      await page.getByRole('radio', { name: /^laptop/ }).check();
      await page.getByRole('textbox', { name: 'Quota' }).waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.getByRole('button', { name: 'Stay' }).click();
      await page.getByText('Going to the tokens').waitFor({ state: 'detached' });
      const laptop = (await client.get('/api/token/page?keyword=laptop')).data.items[0];
      expect(await poll()).toEqual({ status: 'approved', secret_token: `sk-${laptop.key}` });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'is offered the one that he can give, gives none, and finds nothing more to decide',
    async () => {
      const one = await site.api.createUser();
      await (await site.api.as(one)).post('/api/token/', { name: 'only' });
      // From where he himself sits.
      const { path, poll } = await asked('', '127.0.0.1');
      const visitor = await site.visit({ user: one, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(path);
      await step(visitor, 'confirm');
      await page.getByText('An application without a name asks').waitFor();
      // It is what Approve gives; a token for the application alone is offered before it.
      const offered = page.getByRole('radio');
      expect(await offered.count()).toBe(2);
      expect(await page.getByRole('radio', { name: /^only/ }).isChecked()).toBe(true);
      expect(await offered.first().isChecked()).toBe(false);
      await offered.first().check();
      await page.getByRole('textbox', { name: 'Quota' }).waitFor();
      await page.getByRole('radio', { name: /^only/ }).check();
      await page.getByRole('textbox', { name: 'Quota' }).waitFor({ state: 'detached' });
      expect(await page.getByText('The request comes from another network').count()).toBe(0);
      // The address has lost the code; the page finds it all the same.
      await page.waitForURL((url) => url.search === '');
      await page.reload();
      await step(visitor, 'confirm');
      await page.getByRole('button', { name: 'Reject' }).click();
      await step(visitor, 'rejected');
      expect(await poll()).toEqual({ status: 'rejected' });
      await page.reload();
      await step(visitor, 'failed');
      await page.getByText('No request is waiting here').waitFor();
      await visitor.goto(path);
      await page.getByText('This request was decided on already').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('the page', () => {
  looksRight({
    name: 'approve',
    async open(locale) {
      const { path } = await asked('AiPy Desktop');
      const visitor = await site.visit({ user: una, locale, stays: true });
      await visitor.goto(path);
      await step(visitor, 'choose-token');
      return visitor;
    },
  });
});
