/** Users bring keys of their own, and an administrator says for which suppliers. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { readerOf, sentPage } from '../support/pages.ts';
import { patience } from '../support/patience.ts';
import { type SupplierServer, startSupplier } from '../support/supplier-server.ts';

const PATIENCE_MS = patience(60_000);
const KEY = 'sk-very-secret-0123456789';

let site: Site;
let over: TestUser;
let amy: TestUser;
let una: TestUser;
let root: Client;
let admin: Client;
let own: Client;
let upstream: SupplierServer;
beforeAll(async () => {
  site = await openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
  upstream = startSupplier();
  over = await site.api.createUser({ username: 'over', role: 100 });
  root = await site.api.as(over);
  amy = await site.api.createUser({ username: 'amy', role: 10 });
  una = await site.api.createUser({ username: 'una' });
  admin = await site.api.as(amy);
  own = await site.api.as(una);
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await upstream.close();
});
const visit = quietVisits(() => site);

it('suppliers are kept by administrators alone, and keys by whoever is signed in', async () => {
  const asUser = await readerOf(site.api, una);
  expect((await sentPage(site, '/aipy-conf/suppliers', asUser)).status).toBe(403);
  expect((await sentPage(site, '/custom-models')).location).toStartWith('/login');
  const sent = await sentPage(site, '/custom-models', await readerOf(site.api, una, 'zh'));
  expect(sent).toMatchObject({ status: 200 });
  expect(sent.words).toContain('站点尚未提供供应商');
});

it(
  'a supplier is added, and a key for it, which is seen no more',
  async () => {
    const { page: desk } = await visit('/aipy-conf', { user: amy });
    await desk.getByText('No suppliers yet').waitFor();
    await desk.getByRole('link', { name: 'Add supplier' }).first().click();
    const drawer = desk.getByRole('dialog');
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.getByText('The name needs 1 to 50 characters, without a slash').waitFor();
    await drawer.getByText('This is no address; it begins with https://').waitFor();
    await drawer.getByRole('textbox', { name: 'Name' }).fill('Deep');
    const type = drawer.getByRole('combobox', { name: 'API type' });
    const chosen = (label: string) => drawer.locator(`[role=combobox][value="${label}"]`);
    await type.fill('nothing like it');
    await drawer.getByText('Nothing found').waitFor();
    await desk.keyboard.press('Tab');
    await chosen('OpenAI').waitFor();
    await drawer.getByRole('combobox', { name: 'Client SDK' }).and(desk.locator(':focus')).waitFor();
    await type.fill('deeps');
    await desk.keyboard.press('Enter');
    await chosen('DeepSeek').waitFor();
    await drawer.getByRole('textbox', { name: 'Base URL' }).fill(upstream.base);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    const disable = desk.getByRole('switch', { name: 'Disable Deep' });
    await disable.waitFor();

    const { page } = await visit('/custom-models', { user: una });
    await page.getByRole('link', { name: 'Add service' }).first().click();
    const form = page.getByRole('dialog');
    await form.getByRole('button', { name: 'Load available models' }).click();
    await form.getByText('Please select a provider').waitFor();
    await form.getByText('Please enter Key').waitFor();
    await form.getByRole('combobox', { name: 'Supplier' }).selectOption('Deep');
    await form.getByLabel('Key', { exact: true }).fill(KEY);
    await form.getByRole('button', { name: 'Load available models' }).click();
    await form.getByText('The supplier lists 2 models.').waitFor();
    await form.getByRole('button', { name: 'Select all' }).click();
    await form.getByRole('combobox', { name: 'Models' }).fill('my-own');
    await page.keyboard.press('Enter');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    const card = page.getByRole('article', { name: 'Deep' });
    await card.getByText('my-own').waitFor();
    expect(await own.get('/api/user/custom-models/conf')).toMatchObject({
      data: [{ key: 'sk-v…789', models: ['m-1', 'm-2', 'my-own'] }],
    });
    expect(await page.content()).not.toContain(KEY);
    await card.getByRole('button', { name: 'Balance of Deep: Get' }).click();
    await card.getByRole('button', { name: 'Balance of Deep: $12.50' }).waitFor();

    // Configured once, it is not to be chosen again.
    await page.getByRole('link', { name: 'Add service' }).first().click();
    const again = form.getByRole('option', { name: 'Deep (configured already)' });
    expect(await again.isDisabled()).toBe(true);
    await form.getByRole('button', { name: 'Close' }).click();
    await form.waitFor({ state: 'detached' });

    // The administrator sees whose it is, and disables the supplier where it stands.
    await desk.getByRole('link', { name: 'View all user configs' }).click();
    const row = desk.getByRole('row').filter({ hasText: 'una' });
    await row.getByText('sk-v…789').waitFor();
    upstream.balance = 3;
    await row.getByRole('button', { name: 'Balance of una · Deep: $12.50' }).click();
    await row.getByRole('button', { name: 'Balance of una · Deep: $3.00' }).waitFor();
    const sought = desk.getByRole('searchbox', { name: 'Username or supplier' });
    await sought.fill('nobody');
    await desk.getByText('No configuration matches').waitFor();
    await sought.fill('dee');
    await row.getByText('Ready').waitFor();
    await desk.getByRole('link', { name: 'View suppliers' }).click();
    // What the page before it loaded may still stand there: it is looked at once it is saved.
    await disable.click();
    await desk.getByText('Updated').first().waitFor();
    expect((await own.get('/api/supplier')).data).toEqual([]);
    await desk.getByRole('link', { name: 'View all user configs' }).click();
    await row.getByText('Disabled by the operator').waitFor();

    await page.reload();
    await card.getByText('Disabled by the operator').waitFor();
    await card.getByRole('button', { name: 'Delete Deep' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No services yet').waitFor();
    expect((await own.get('/api/user/custom-models/conf')).data).toEqual([]);
  },
  PATIENCE_MS,
);

it(
  'a supplier’s drawer shows whether calls may go into the private network, where root alone says so',
  async () => {
    const { data } = await root.post('/api/supplier/admin/', { name: 'House', base_url: 'http://10.0.0.5' });
    const boxFor = async (user: TestUser) => {
      const { page } = await visit(`/aipy-conf/suppliers?edit=${data.id}`, { user });
      const drawer = page.getByRole('dialog');
      const box = drawer.getByLabel('Calls may go into the private network');
      await box.waitFor();
      return { drawer, box };
    };
    const { box: seen } = await boxFor(amy);
    expect([await seen.isChecked(), await seen.isDisabled()]).toEqual([true, true]);
    const { drawer, box } = await boxFor(over);
    await box.setChecked(false);
    await drawer.getByRole('button', { name: 'Save' }).click();
    await drawer.waitFor({ state: 'detached' });
    const [held] = await site.api.deps.db.query('select private_allowed from suppliers where id = $1', [
      data.id,
    ]);
    expect(held).toEqual({ private_allowed: false });
    await site.api.deps.db.query('delete from suppliers where id = $1', [data.id]);
  },
  PATIENCE_MS,
);

describe('with several', () => {
  beforeAll(async () => {
    const names = [
      'Open AI 官方',
      'Anthropic',
      'DeepSeek',
      'A supplier whose name is rather long for a card',
    ];
    for (const [n, name] of names.entries()) {
      const { data } = await admin.post('/api/supplier/admin/', {
        name,
        base_url: `https://api${n}.example/v1`,
        ...(n === 1 && { type: 14, sdk: 'claude' }),
      });
      const models = Array.from({ length: n * 5 }, (_, i) => `model-of-some-length-${i + 1}`);
      if (n < 3) await own.post('/api/user/custom-models/conf', { supplier_id: data.id, key: KEY, models });
      if (n === 2) await admin.put(`/api/supplier/admin/${data.id}`, { base_url: 'https://moved.example' });
    }
  });
  const open = (path: string, user: () => TestUser) => async (locale: 'zh' | 'en') => {
    const visitor = await site.visit({ user: user(), locale, stays: true });
    await visitor.goto(path);
    return visitor;
  };
  const ofAmy = () => amy;
  const ofUna = () => una;

  looksRight({ name: 'aipy-conf-suppliers', open: open('/aipy-conf/suppliers', ofAmy) });
  describe('configurations of all', () => {
    looksRight({ name: 'aipy-conf-configs', open: open('/aipy-conf/suppliers?view=configs', ofAmy) });
  });
  describe('as their user sees them', () => {
    looksRight({ name: 'custom-models', open: open('/custom-models', ofUna) });
  });
  describe('in the drawer of a new one', () => {
    looksRight({
      name: 'custom-models-new',
      open: async (locale) => {
        const visitor = await open('/custom-models?edit=new', ofUna)(locale);
        await visitor.page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });
});
