import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

describe('the price editor', () => {
  let site: Site;
  let rootUser: TestUser;
  let root: Client;

  beforeAll(async () => {
    site = await openSite();
    rootUser = await site.api.createUser({ username: 'root', role: 100 });
    root = await site.api.as(rootUser);
    const models = [
      'gpt-4o',
      'gpt-4o-own',
      'gemini-2.5-pro-own',
      'qwen-own',
      'zzz-own',
      ...Array.from({ length: 12 }, (_, i) => `bulk-${i}`),
    ];
    await root.post('/api/channel/', {
      name: 'c',
      type: 1,
      key: 'k',
      models: models.join(),
      group: 'default',
    });
  }, patience(120_000));
  afterAll(() => site.close());
  beforeEach(async () => {
    await site.api.deps.db.query('delete from hub_models');
    const tables = [
      'ModelPrice',
      'CompletionRatio',
      'ThinkingCompletionRatio',
      'CacheRatio',
      'ModelTieredPrice',
    ];
    for (const key of tables) await root.put('/api/option/', { key, value: null });
    await root.put('/api/option/', { key: 'ModelRatio', value: '{"test-a": 1, "test-b": 2, "test-c": 3}' });
    await root.put('/api/option/', { key: 'GroupRatio', value: '{"default": 1, "vip": 0.8}' });
  });

  const visit = quietVisits(
    () => site,
    () => ({ user: rootUser }),
  );
  const open = async (path: string): Promise<Page> => (await visit(path)).page;
  const told = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
  const find = async (page: Page, text: string) => {
    await page.getByRole('searchbox', { name: 'Search models' }).fill(text);
    await page.getByRole('rowheader', { name: text }).first().waitFor();
  };
  const cell = (page: Page, column: string, model: string) =>
    page.getByLabel(`${column} of ${model}`, { exact: true });
  const row = (page: Page, model: string) =>
    page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: model }) });
  const save = (page: Page) => page.getByRole('button', { name: 'Save prices' }).click();
  const entry = async (name: string) =>
    (await root.get('/api/model_hub/admin/')).data.find((one: { name: string }) => one.name === name);

  it(
    'is reached from the operation tab by its three sub-tabs, kept in the address',
    async () => {
      const page = await open('/setting');
      await page.getByRole('region', { name: 'Model prices' }).getByLabel('Model ratio').waitFor();
      await page.getByRole('link', { name: 'Visual editor' }).click();
      await page.getByRole('button', { name: 'Save prices' }).waitFor();
      expect(new URL(page.url()).search).toBe('?sub=visual');
      await page.getByRole('link', { name: 'Models without a ratio' }).click();
      await page.getByText('only users who accept').waitFor();
      await page.goto(`${site.base}/setting?tab=visual`);
      await page.getByRole('button', { name: 'Save prices' }).waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'is read page by page, which the address and the reader’s preferences keep, also with a price half typed',
    async () => {
      const visitor = await visit('/setting?tab=visual');
      const { page } = visitor;
      await find(page, 'test-a');
      await cell(page, 'Input price', 'test-a').fill('7');
      await page.getByRole('searchbox', { name: 'Search models' }).fill('');
      await page.getByRole('link', { name: 'Page 2', exact: true }).click();
      await page.getByText(/^11–20 of \d+$/).waitFor();
      await page.getByLabel('Per page').selectOption('20');
      await page.getByText(/^1–20 of \d+$/).waitFor();
      await page.getByLabel('Show').selectOption({ label: 'Other than the default' });
      await page.getByText('1–3 of 3').waitFor();
      await find(page, 'test-a');
      await page.waitForURL(/model=test-a/);
      const kept = Object.fromEntries(new URL(page.url()).searchParams);
      expect(kept).toEqual({ tab: 'visual', size: '20', show: 'own', model: 'test-a' });
      expect(await cell(page, 'Input price', 'test-a').inputValue()).toBe('7');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.reload();
      await page.getByText('1–1 of 1').waitFor();
      await visitor.goto('/setting?tab=visual');
      await page.getByText(/^1–20 of \d+$/).waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'has room at a desk for what a group pays, and marks what is priced here',
    async () => {
      const page = await open('/setting?tab=visual');
      const table = page.getByRole('region', { name: 'Model prices' }).getByRole('region');
      // The longest names, and prices of six digits.
      for (const text of ['claude', '360gpt']) {
        await find(page, text);
        expect(await table.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      }
      await page.getByRole('searchbox', { name: 'Search models' }).fill('');
      await page.getByLabel('Show').selectOption({ label: 'Other than the default' });
      await page.getByText('1–3 of 3').waitFor();
      expect(await row(page, 'test-a').textContent()).toContain('own');
    },
    PATIENCE_MS,
  );

  it(
    'computes ratios from prices, shows what a group pays, and saves what was changed after a review',
    async () => {
      const page = await open('/setting?tab=visual');
      // From far away: what was saved stays in its cell until it comes back as stored.
      await page.route('**/api/model_hub/admin/*', async (route) => {
        if (route.request().method() === 'GET') await Bun.sleep(200);
        await route.continue();
      });
      await find(page, 'test-a');
      await cell(page, 'Input price', 'test-a').fill('5');
      await cell(page, 'Output price', 'test-a').fill('20');
      await cell(page, 'Thinking price', 'test-a').fill('40');
      expect(await row(page, 'test-a').textContent()).toContain('2.5 / 4');
      await page.getByLabel('Preview for').selectOption('vip');
      expect(await row(page, 'test-a').textContent()).toContain('$4.00 / $16.00');
      await page.getByText('1 model not saved').waitFor();
      await page.getByRole('button', { name: 'Review' }).click();
      const review = page.getByRole('dialog');
      expect(await review.textContent()).toMatch(/test-a.*Input price2.*5/);
      await review.getByRole('button', { name: 'Save' }).click();
      await told(page, 'Saved');
      expect(await entry('test-a')).toMatchObject({ ratio: 2.5, completionRatio: 4, thinkingRatio: 8 });
      expect(await entry('test-b')).toMatchObject({ ratio: 2, thinkingRatio: null });
      await page.getByText('not saved').waitFor({ state: 'detached' });
      expect(await cell(page, 'Input price', 'test-a').inputValue()).toBe('5');
      await page.unrouteAll({ behavior: 'wait' });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'edits by ratio too, with the dollars worked out',
    async () => {
      const page = await open('/setting?tab=visual');
      await page.getByRole('button', { name: 'By ratio' }).click();
      await find(page, 'test-b');
      await cell(page, 'Model ratio', 'test-b').fill('1.5');
      await cell(page, 'Completion ratio', 'test-b').fill('5');
      expect(await row(page, 'test-b').textContent()).toContain('$3 / $15');
      await save(page);
      await told(page, 'Saved');
      expect(await entry('test-b')).toMatchObject({ ratio: 1.5, completionRatio: 5 });
    },
    PATIENCE_MS,
  );

  it(
    'asks before a price changes more than tenfold',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'test-a');
      await cell(page, 'Input price', 'test-a').fill('200');
      await save(page);
      const dialog = page.getByRole('alertdialog');
      expect(await dialog.textContent()).toContain('1 price changes more than tenfold');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(await entry('test-a')).toMatchObject({ ratio: 1 });
      await save(page);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await told(page, 'Saved');
      expect(await entry('test-a')).toMatchObject({ ratio: 100 });
    },
    PATIENCE_MS,
  );

  it(
    'says that nothing was changed, wants numbers, and computes nothing from a price of 0',
    async () => {
      const page = await open('/setting?tab=visual');
      await save(page);
      await told(page, 'You seem to have changed nothing');
      await find(page, 'test-a');
      await cell(page, 'Input price', 'test-a').fill('cheap');
      await told(page, 'Please enter a number');
      await save(page);
      await told(page, 'Please check input');
      await cell(page, 'Input price', 'test-a').fill('0');
      await cell(page, 'Output price', 'test-a').fill('3');
      await told(page, 'Model price cannot be 0');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('not saved').waitFor({ state: 'detached' });
      expect(await entry('test-a')).toMatchObject({ ratio: 1 });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'setting a fixed price disables the ratios',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'test-c');
      await page.getByLabel('Billing of test-c').selectOption('call');
      expect(await cell(page, 'Output price', 'test-c').count()).toBe(0);
      await cell(page, 'Input price', 'test-c').fill('0.04');
      await save(page);
      await told(page, 'Saved');
      expect(await entry('test-c')).toMatchObject({ mode: 'call', price: 0.04, ratio: null });
    },
    PATIENCE_MS,
  );

  it(
    'prices a model by tiers, row by row, and edits them again',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'test-b');
      await page.getByLabel('Billing of test-b').selectOption('tiers');
      const dialog = page.getByRole('dialog', { name: 'Tiers of test-b' });
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await dialog.getByText('Please enter a whole number').waitFor();
      await dialog.getByLabel('Up to (tokens), tier 1').fill('200000');
      await dialog.getByLabel('Input price, tier 1').fill('1.25');
      await dialog.getByLabel('Output price, tier 1').fill('10');
      await dialog.getByLabel('Cache read price, tier 1').fill('0.31');
      await dialog.getByLabel('Input price, tier 2').fill('2.5');
      await dialog.getByLabel('Output price, tier 2').fill('15');
      await dialog.getByLabel('Thinking price, tier 2').fill('30');
      await dialog.getByRole('button', { name: 'Add tier' }).click();
      await dialog.getByRole('button', { name: 'Remove tier 2' }).click();
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('1 model not saved').waitFor();
      await page.getByRole('button', { name: 'Review' }).click();
      const review = page.getByRole('dialog');
      expect(await review.textContent()).toContain('input: ≤200000 $1.25/$10, ∞ $2.5/$15');
      await review.getByRole('button', { name: 'Save' }).click();
      await told(page, 'Saved');
      const tiers = [
        { up_to: 200_000, input: 1.25, output: 10, cache_read: 0.31 },
        { up_to: null, input: 2.5, output: 15, output_thinking: 30 },
      ];
      expect(await entry('test-b')).toMatchObject({ mode: 'tiers', tiered: { by: 'input', tiers } });
      await page.getByRole('button', { name: 'Edit the tiers of test-b' }).click();
      await dialog.getByRole('button', { name: 'Use this month' }).click();
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await save(page);
      await page.getByText('not saved').waitFor({ state: 'detached' });
      expect(await entry('test-b')).toMatchObject({ mode: 'tiers', tiered: { by: 'month', tiers } });
      await page.getByLabel('Billing of test-b').selectOption('tokens');
      await save(page);
      await page.getByText('not saved').waitFor({ state: 'detached' });
      expect(await entry('test-b')).toMatchObject({ mode: 'tokens', tiered: null, ratio: 0.625 });
    },
    PATIENCE_MS,
  );

  it(
    'adds a model under a name that no other has, with an entry for the catalogue',
    async () => {
      const page = await open('/setting?tab=visual');
      await page.getByRole('button', { name: 'Add model' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Model name').fill('test-a');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await told(page, 'Model name already exists');
      await dialog.getByLabel('Model name').fill('brand-new');
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await cell(page, 'Input price', 'brand-new').fill('1');
      await page.getByRole('button', { name: 'Edit the entry of brand-new' }).click();
      await dialog.getByLabel('Description').fill('Fresh');
      await dialog.getByLabel('Choose a picture').setInputFiles({
        name: 'icon.png',
        mimeType: 'image/png',
        buffer: Buffer.alloc(70_000),
      });
      await told(page, 'The picture may have at most 64 KB');
      await dialog.getByLabel('Choose a picture').setInputFiles({
        name: 'icon.svg',
        mimeType: 'image/svg+xml',
        buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>'),
      });
      await dialog.getByRole('button', { name: 'Remove icon' }).waitFor();
      await dialog.getByLabel('Context').fill('many');
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await told(page, 'Please enter a number');
      await dialog.getByLabel('Context').fill('128000');
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await save(page);
      await told(page, 'Saved');
      expect(await entry('brand-new')).toMatchObject({ ratio: 0.5, desc: 'Fresh', max_token: 128_000 });
      expect((await entry('brand-new')).icon).toStartWith('data:image/svg+xml;base64,');
    },
    PATIENCE_MS,
  );

  it(
    'takes a block that was copied from a spreadsheet, by place and by name',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'test-');
      const paste = (text: string, column: string, model: string) =>
        cell(page, column, model).evaluate((input, data) => {
          const clipboardData = new DataTransfer();
          clipboardData.setData('text', data);
          input.dispatchEvent(
            new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }),
          );
        }, text);
      await paste('$4\t$8\n6\t6', 'Input price', 'test-a');
      await page.getByText('2 models not saved').waitFor();
      await paste('test-c\t10\t20\t1\npasted-model\t1\t2', 'Input price', 'test-a');
      await page.getByText('4 models not saved').waitFor();
      await save(page);
      await told(page, 'Saved');
      expect(await entry('test-a')).toMatchObject({ ratio: 2, completionRatio: 2 });
      expect(await entry('test-b')).toMatchObject({ ratio: 3, completionRatio: 1 });
      expect(await entry('test-c')).toMatchObject({ ratio: 5, completionRatio: 2, cacheRatio: 0.1 });
      expect(await entry('pasted-model')).toMatchObject({ ratio: 0.5, completionRatio: 2 });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'deletes an entry with its price, after saving only',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'test-a');
      await page.getByRole('button', { name: 'Edit the entry of test-a' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete entry and price' }).click();
      await page.getByText('1 model not saved').waitFor();
      expect(await entry('test-a')).toMatchObject({ ratio: 1 });
      await save(page);
      await told(page, 'Saved');
      expect(await entry('test-a')).toBeUndefined();
    },
    PATIENCE_MS,
  );

  inLong.it(
    'takes a model of the default table out of sale, and says so of no model that had no price',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'gpt-4o');
      await page.getByLabel('Billing of gpt-4o', { exact: true }).selectOption('none');
      await find(page, 'zzz-own');
      await page.getByRole('button', { name: 'Edit the entry of zzz-own' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('Description').fill('Not for sale yet');
      await dialog.getByRole('button', { name: 'Apply' }).click();
      await save(page);
      await told(page, 'gpt-4o: out of sale, nothing prices it.');
      expect(await entry('gpt-4o')).toMatchObject({ mode: 'none', ratio: null });
      expect(await entry('zzz-own')).toMatchObject({ mode: 'none', desc: 'Not for sale yet' });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'keeps what was typed, and the page, when the connection is away',
    async () => {
      const visitor = await visit('/setting?tab=visual');
      const { page } = visitor;
      await find(page, 'test-a');
      await cell(page, 'Input price', 'test-a').fill('9');
      // Refused here and not by the network, so that no cache answers for what draws messages and menus.
      const anything = /\/(api|_a)\//;
      await page.route(anything, (route) => route.abort('internetdisconnected'));
      await save(page);
      await page.getByRole('alert').filter({ hasText: 'Unable to connect to server' }).waitFor();
      await page.getByRole('button', { name: 'Account' }).click();
      await page.getByText('This part of the page could not be loaded').waitFor();
      await page.unroute(anything);
      expect(visitor.complaints.splice(0).every((text) => text.includes('ERR_INTERNET_DISCONNECTED'))).toBe(
        true,
      );
      expect(await cell(page, 'Input price', 'test-a').inputValue()).toBe('9');
      await save(page);
      await told(page, 'Saved');
      expect(await entry('test-a')).toMatchObject({ ratio: 4.5 });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'asks before unsaved prices are left',
    async () => {
      const page = await open('/setting?tab=visual');
      await find(page, 'test-a');
      await cell(page, 'Input price', 'test-a').fill('9');
      await page.getByRole('link', { name: 'Rate limits' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
      expect(await cell(page, 'Input price', 'test-a').inputValue()).toBe('9');
      await page.getByRole('button', { name: 'Undo' }).click();
    },
    PATIENCE_MS,
  );

  it(
    'sets many models without a ratio at once, but only when some are selected and the values are numbers',
    async () => {
      const page = await open('/setting?sub=unpriced');
      await page.getByRole('button', { name: /^Set 0 models/ }).click();
      await told(page, 'Select models to batch set first');
      expect(await page.locator('tbody tr').count()).toBe(10);
      await page.getByLabel('Per page').selectOption('20');
      await page.getByLabel('Select qwen-own').check();
      await page.getByLabel('Select zzz-own').check();
      await page.getByRole('button', { name: 'Set 2 models' }).click();
      await told(page, 'Please enter a number');
      await page.getByLabel('Input price').fill('2');
      await page.getByLabel('Output price').fill('6');
      await page.getByRole('button', { name: 'Set 2 models' }).click();
      await told(page, 'Saved');
      expect(await entry('qwen-own')).toMatchObject({ ratio: 1, completionRatio: 3, source: 'option' });
      expect(await entry('zzz-own')).toMatchObject({ ratio: 1, completionRatio: 3 });
      await page.getByText('zzz-own').waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'suggests the price of a model of the same family, and sets it only when asked',
    async () => {
      const page = await open('/setting?sub=unpriced');
      await page.getByLabel('Per page').selectOption('20');
      const line = page.getByRole('row').filter({ hasText: 'gpt-4o-own' });
      expect(await line.textContent()).toMatch(/gpt-4o.*input \$/);
      await page.getByRole('button', { name: 'Use the suggestion for gpt-4o-own' }).click();
      expect(await page.getByLabel('Input price').inputValue()).not.toBe('');
      expect(await entry('gpt-4o-own')).toMatchObject({ mode: 'none' });
      await page.getByRole('button', { name: 'Set 1 model', exact: true }).click();
      await told(page, 'Saved');
      expect(await entry('gpt-4o-own')).toMatchObject({ mode: 'tokens' });
      // One that has tiers gives those, too.
      await page.getByRole('button', { name: 'Use the suggestion for gemini-2.5-pro-own' }).click();
      await page.getByText('With its tiers (Input length): ≤200000 $1.25/$10, ∞ $2.5/$15').waitFor();
      await page.getByRole('button', { name: 'Set 1 model', exact: true }).click();
      await page.getByLabel('Select gemini-2.5-pro-own').waitFor({ state: 'detached' });
      const { tiered } = await entry('gemini-2.5-pro');
      expect(await entry('gemini-2.5-pro-own')).toMatchObject({ mode: 'tiers', tiered });
    },
    PATIENCE_MS,
  );

  it(
    'resets the ratios of all models when the word has been typed',
    async () => {
      const page = await open('/setting');
      await page.getByRole('button', { name: 'Reset model ratios' }).click();
      const dialog = page.getByRole('alertdialog');
      await dialog.getByRole('textbox').fill('reset');
      await dialog.getByRole('button', { name: 'Reset model ratios' }).click();
      await told(page, 'Model ratios were reset');
      expect(await entry('test-a')).toBeUndefined();
    },
    PATIENCE_MS,
  );

  describe('the form of tiers', () => {
    looksRight({
      name: 'prices-tiers',
      async open(locale) {
        await root.put('/api/option/', {
          key: 'ModelTieredPrice',
          value:
            '{"test-a": [{"up_to": 1000, "input": 1, "output": 2}, {"up_to": null, "input": 2, "output": 3}]}',
        });
        await root.put('/api/option/', { key: 'ModelRatio', value: '{"test-a": 1}' });
        const visitor = await site.visit({ user: rootUser, locale, stays: true });
        await visitor.goto('/setting?tab=visual');
        const { page } = visitor;
        await page.getByRole('searchbox').last().fill('test-a');
        await page.getByRole('button', { name: /the tiers of test-a|test-a 的阶梯/ }).click();
        await page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });

  describe.each(['/setting?tab=visual', '/setting?sub=unpriced'])('the view %s', (path) => {
    looksRight({
      name: `prices${path}`,
      async open(locale) {
        const visitor = await site.visit({ user: rootUser, locale, stays: true });
        await visitor.goto(path);
        return visitor;
      },
    });
  });
});
