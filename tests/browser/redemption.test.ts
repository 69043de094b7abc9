/** An administrator makes codes and hands them out; a user turns one into quota. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { DESK, openSite, PHONE, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
let client: Client;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  client = await site.api.as(root);
}, patience(120_000));
afterAll(() => site.close());

const make = async (name: string, more: object = {}): Promise<string[]> =>
  (await client.post('/api/redemption/', { name, ...more })).data;
const wholeCodes = async (name: string) => {
  const ids = (await listed(name)).map(({ id }: { id: number }) => id);
  const shown = (await client.post('/api/redemption/keys', { ids })).data;
  return shown.map(({ key }: { key: string }) => key);
};
const listed = async (name: string) =>
  (await client.get(`/api/redemption/search?page_size=100&keyword=${name}`)).data.items;

describe('making codes', () => {
  it(
    'offers them as a file and to copy, and asks before they are left behind',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.getByRole('link', { name: 'Redemption codes' }).click();
      await page.getByText('No codes yet').waitFor();
      await page.getByRole('link', { name: 'Create codes' }).first().click();
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('button', { name: 'Create codes' }).click();
      await drawer.getByText('The name needs 1 to 20 characters').waitFor();
      await drawer.getByRole('textbox', { name: 'Name' }).fill('spring');
      await drawer.getByRole('textbox', { name: 'How many' }).fill('101');
      await drawer.getByText('From 1 to 100 codes can be made at once').waitFor();
      await drawer.getByRole('textbox', { name: 'How many' }).fill('3');
      await drawer.getByRole('button', { name: 'Create codes' }).click();
      await drawer.getByText('3 codes made').waitFor();
      const codes = await wholeCodes('spring');
      expect(codes).toHaveLength(3);
      await drawer.getByRole('button', { name: 'Close' }).last().click();
      const question = page.getByRole('alertdialog');
      await question.getByText('These codes are not saved yet').waitFor();
      await question.getByRole('button', { name: 'Go back and save' }).click();
      await question.waitFor({ state: 'detached' });
      await page.evaluate(() => history.back());
      await question.getByRole('button', { name: 'Go back and save' }).click();
      await question.waitFor({ state: 'detached' });
      await page.setViewportSize({ width: PHONE, height: 844 });
      const save = await drawer.getByRole('button', { name: 'Download text file' }).boundingBox();
      expect((save?.x ?? 0) + (save?.width ?? PHONE)).toBeLessThan(PHONE);
      await page.setViewportSize({ width: DESK, height: 850 });
      const download = page.waitForEvent('download');
      await drawer.getByRole('button', { name: 'Download text file' }).click();
      const file = await download;
      expect(file.suggestedFilename()).toBe('spring.txt');
      expect((await Bun.file(await file.path()).text()).trim().split('\n').sort()).toEqual(codes.sort());
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await page.getByText('3 codes', { exact: true }).waitFor();
      // Whole codes stand nowhere in the list; they are asked for when somebody copies one.
      const main = (await page.getByRole('main').innerHTML()) ?? '';
      for (const code of codes) expect(main).not.toContain(code);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'edits an unused one, switches it, finds it by its code and removes it',
    async () => {
      const [code = ''] = await make('single', { quota: 500_000 });
      await make('another');
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/redemption');
      await page.getByRole('button', { name: 'Find by code' }).click();
      await page.getByRole('textbox', { name: 'Code' }).fill(code);
      await page.getByRole('button', { name: 'Find', exact: true }).click();
      await page.getByText('1 code', { exact: true }).waitFor();
      expect(page.url()).not.toContain(code);
      await page.getByRole('link', { name: 'single' }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByRole('textbox', { name: 'Name' }).fill('renamed');
      await drawer.getByRole('button', { name: 'Save' }).click();
      await drawer.waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'renamed' });
      await row.getByText('Unused').waitFor();
      const menu = async (item: string) => {
        await row.getByRole('button', { name: 'More actions: renamed' }).click();
        await page.getByRole('menuitem', { name: item, exact: true }).click();
      };
      await menu('Disable');
      await row.getByText('Disabled').waitFor();
      await menu('Enable');
      await row.getByText('Unused').waitFor();
      await menu('Delete');
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      // While the question is open, the rows behind it have no role: they would seem to be gone at once.
      await page.getByRole('alertdialog').waitFor({ state: 'detached' });
      await row.waitFor({ state: 'detached' });
      expect(await listed('renamed')).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('the wallet', () => {
  it(
    'turns a code into quota, once',
    async () => {
      const [code = ''] = await make('for una', { quota: 5_000_000 });
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.getByRole('main').getByRole('link', { name: 'See what is left in the wallet' }).click();
      const main = page.getByRole('main');
      await main.getByText('5,000,000 units').waitFor();
      const field = page.getByRole('textbox', { name: 'Code' });
      const redeem = () => page.getByRole('button', { name: 'Redeem', exact: true }).click();
      await redeem();
      await main.getByText('Please enter redemption code').waitFor();
      await field.fill(code);
      await redeem();
      await page.getByText(/^Added \$10/).waitFor();
      await main.getByText('10,000,000 units').waitFor();
      expect(await field.inputValue()).toBe('');
      await field.fill(code);
      await redeem();
      await main.getByText('This code is not valid').waitFor();
      await main.getByText('10,000,000 units').waitFor();
      await page.getByRole('button', { name: 'Get a code' }).click();
      await page.getByText('Super admin has not set top-up link').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'leads to where codes are sold',
    async () => {
      await site.api.deps.options.set({ TopUpLink: 'https://shop.example.com/codes' });
      const visitor = await site.visit({ user: una, locale: 'en' });
      await visitor.goto('/topup');
      const link = visitor.page.getByRole('link', { name: 'Get a code' });
      expect(await link.getAttribute('href')).toBe('https://shop.example.com/codes');
    },
    PATIENCE_MS,
  );
});

describe('the list', () => {
  beforeAll(async () => {
    await make('looked at', { count: 3 });
    const [first, second] = await listed('looked');
    await site.api.deps.db.query(
      `update redemptions set status = 3, used_user_id = ${una.id}, used_time = created_time where id = ${first.id}`,
    );
    await client.put('/api/redemption/?status_only=true', { id: second.id, status: 2 });
  });
  looksRight({
    name: 'redemption',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/redemption');
      return visitor;
    },
  });
});

describe('the form', () => {
  looksRight({
    name: 'redemption-add',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/redemption/add');
      await visitor.page.getByRole('dialog').waitFor();
      return visitor;
    },
  });
});

describe('the wallet', () => {
  looksRight({
    name: 'topup',
    async open(locale) {
      const visitor = await site.visit({ user: una, locale, stays: true });
      await visitor.goto('/topup');
      return visitor;
    },
  });
});
