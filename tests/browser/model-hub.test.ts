import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site, type VisitOptions } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);
const MODELS = Array.from({ length: 24 }, (_, i) => `filler-${String(i).padStart(2, '0')}`);

describe('the model hub', () => {
  let site: Site;
  let root: Client;
  let rootUser: TestUser;
  let user: TestUser;

  beforeAll(async () => {
    site = await openSite();
    rootUser = await site.api.createUser({ username: 'root', role: 100 });
    root = await site.api.as(rootUser);
    user = await site.api.createUser();
    const channel = (models: string, group: string) =>
      root.post('/api/channel/', { name: group, type: 1, key: 'k', models, group });
    await channel(`gpt-4o,dall-e-3,tiered,nobody-priced,${MODELS.join()}`, 'default,vip');
    await channel('inner', 'svip');
    const set = (key: string, value: unknown) =>
      root.put('/api/option/', { key, value: JSON.stringify(value) });
    await set('GroupRatio', { default: 1, vip: 0.8, svip: 0.5 });
    await set('ModelTieredPrice', {
      tiered: [
        // With every price that one can have, as the widest table.
        { up_to: 200_000, input: 1.25, output: 10, output_thinking: 20, cache_read: 0.25, cache_write: 1.5 },
        { up_to: null, input: 2.5, output: 15, output_thinking: 30, cache_read: 0.5, cache_write: 3 },
      ],
    });
    await root.put('/api/model_hub/admin/', {
      update: [
        { name: 'gpt-4o', tags: 'Hot', max_token: 128_000, desc: 'A model of many talents', sort: 0 },
        ...['dall-e-3', 'tiered', 'nobody-priced', 'inner'].map((name, i) => ({ name, sort: i + 1 })),
        ...MODELS.map((name) => ({ name, sort: 10, ratio: 1 })),
      ],
    });
  }, patience(120_000));
  afterAll(() => site.close());

  const visit = quietVisits(() => site);
  const open = async (path: string, options: VisitOptions = {}): Promise<Page> =>
    (await visit(path, options)).page;
  const row = (page: Page, model: string) => page.getByRole('row').filter({ hasText: model }).first();
  const rows = (page: Page) => page.locator('tbody tr:not([data-detail])').count();

  it(
    'shows guests prices of the default group, and no availability',
    async () => {
      const page = await open('/model-hub');
      expect(await row(page, 'gpt-4o').textContent()).toMatch(/\$2\.50.*\$10\.00.*128K/);
      expect(await page.getByRole('columnheader', { name: 'Available' }).count()).toBe(0);
      expect(await page.getByText('inner').count()).toBe(0);
      await page.getByRole('link', { name: 'Sign in to see your price' }).waitFor();
      expect(await rows(page)).toBe(20);
    },
    PATIENCE_MS,
  );

  it(
    'tells what a second of film costs, by its size and in each group',
    async () => {
      const price = { per_second: 0.1, sizes: { '1280x720': 0.25 }, seconds: [5, 10] };
      await root.put('/api/option/', { key: 'VideoPrice', value: JSON.stringify({ 'filler-07': price }) });
      await root.put('/api/model_hub/admin/', { update: [{ name: 'filler-07', sort: 10, ratio: null }] });
      const page = await open('/model-hub?billing=video&open=filler-07&group=vip');
      expect(await row(page, 'filler-07').textContent()).toMatch(/per second.*\$0\.08.*\/ second/);
      await page.getByRole('row', { name: '1280x720 $0.20', exact: true }).waitFor();
      await page.getByRole('row', { name: 'other sizes $0.08', exact: true }).waitFor();
      await page.getByText('Lengths in seconds: 5, 10', { exact: true }).waitFor();
      expect(await page.getByText('filler-08').count()).toBe(0);
      await root.put('/api/option/', { key: 'VideoPrice', value: null });
      await root.put('/api/model_hub/admin/', { update: [{ name: 'filler-07', sort: 10, ratio: 1 }] });
    },
    PATIENCE_MS,
  );

  it(
    'shows who is signed in what is available to him',
    async () => {
      const page = await open('/model-hub', { user });
      expect(await row(page, 'gpt-4o').textContent()).toContain('available');
      expect(await row(page, 'inner').textContent()).toContain('needs group svip');
      expect(await page.getByRole('link', { name: 'Edit prices' }).count()).toBe(0);
      await page.getByRole('link', { name: 'Models' }).first().waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'recalculates every price by the group that is chosen',
    async () => {
      const page = await open('/model-hub');
      await page.getByRole('link', { name: 'vip × 0.8' }).click();
      await page.getByText('$2.00', { exact: false }).filter({ visible: true }).first().waitFor();
      expect(await row(page, 'gpt-4o').textContent()).toMatch(/\$2\.00.*\$8\.00/);
      expect(new URL(page.url()).searchParams.get('group')).toBe('vip');
    },
    PATIENCE_MS,
  );

  it(
    'searches when typing pauses, filters, and keeps both in the address',
    async () => {
      const page = await open('/model-hub');
      await page.getByLabel('Search models').fill('talents');
      await page.waitForURL(/q=talents/);
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
      await page.getByLabel('All billing').selectOption('call');
      await page.getByText('No model matches').waitFor();
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await row(page, 'dall-e-3').waitFor();
      await page.getByLabel('All billing').selectOption('tiers');
      await page.waitForURL(/billing=tiers/);
      await page.waitForFunction(() => document.querySelectorAll('tbody tr').length === 1);
      expect(await row(page, 'tiered').textContent()).toContain('$1.25 up');
    },
    PATIENCE_MS,
  );

  it(
    'opens a row with the price in each group, its tiers, and how to call it',
    async () => {
      const page = await open('/model-hub', { user });
      await page.getByRole('link', { name: 'Open tiered' }).click();
      await page.getByText('Tiers by the input tokens of a call').waitFor();
      const detail = page.locator('tr[data-detail]');
      expect(await detail.textContent()).toMatch(/vip.*× 0\.8.*\$1\.00.*\$8\.00/);
      expect(await detail.textContent()).toMatch(/vip.*Thinking.*over 200,000.*\$2\.50.*\$15\.00.*\$30\.00/);
      expect(await detail.textContent()).toContain('model="tiered"');
      await page.reload();
      await page.getByText('Tiers by the input tokens of a call').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'is readable and usable without JavaScript',
    async () => {
      const visitor = await site.visit({ locale: 'zh', javaScript: false });
      const { page } = visitor;
      await page.goto('/model-hub');
      expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('模型广场');
      expect(await row(page, 'gpt-4o').textContent()).toMatch(/¥18\.25.*¥73\.00/);
      await page.getByLabel('搜索模型').fill('talents');
      await page.getByRole('button', { name: '搜索' }).click();
      expect(await page.locator('tbody tr').count()).toBe(1);
      await page.getByRole('link', { name: '展开 gpt-4o' }).click();
      await page.getByText('各分组价格，每 1M 词元').waitFor();
      await page.goto('/model-hub');
      await page.getByRole('navigation', { name: '分页' }).getByRole('link', { name: /2/ }).first().click();
      expect(await page.locator('tbody tr').count()).toBe(8);
    },
    PATIENCE_MS,
  );

  describe.each(['guest', 'user'])('to a %s', (who) => {
    looksRight({
      name: `hub-${who}`,
      async open(locale) {
        const visitor = await site.visit({ ...(who === 'user' && { user: rootUser }), locale, stays: true });
        await visitor.goto('/model-hub?open=tiered');
        return visitor;
      },
    });
  });
});
