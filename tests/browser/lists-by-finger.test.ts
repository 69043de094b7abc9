/** The main lists under a finger at 390 px: the way to them, making, changing, switching off, filtering and deleting. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, PHONE, quietVisits, type Site } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { sticksOut, tooSmall } from '../support/touch.ts';

const PATIENCE_MS = patience(60_000);
/** One step of a flow; a control that never comes shall say so before the test ends. */
const STEP_MS = patience(10_000);

let site: Site;
let root: TestUser;
let client: Client;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100, quota: 5_000_000 });
  client = await site.api.as(root);
}, patience(120_000));
afterAll(() => site.close());

const visit = quietVisits(
  () => site,
  () => ({ user: root, width: PHONE }),
  STEP_MS,
);

const rowOf = (page: Page, name: string): Locator => page.getByRole('row').filter({ hasText: name });
const tap = (at: Page | Locator, name: string): Promise<void> =>
  at.getByRole('button', { name, exact: true }).last().tap();

/** By the menu, whose sheet a link to the page that is there closes as well. */
async function comeBy(page: Page, link: string): Promise<void> {
  const sheet = page.getByRole('dialog', { name: 'Main menu' });
  for (const name of ['Wallet', link]) {
    await tap(page, 'Open menu');
    expect(await sheet.textContent()).toContain('root');
    await sheet.getByRole('link', { name, exact: true }).tap();
    await sheet.waitFor({ state: 'detached' });
  }
}

interface List {
  /** As the menu calls it. */
  link: string;
  make: string;
  /** The field of the form to be made that says what it is called, and the one that is changed later. */
  named: string;
  changed?: string;
  /** What else the form needs. */
  fill?: (drawer: Locator) => Promise<void>;
  submit?: string;
  /** From what was made back to the list. */
  back?: (page: Page) => Promise<void>;
  off: string;
  /** The name of a filter's control, and what is chosen there. */
  filter: [name: string, choice: string];
  remove?: string;
}

/** With the most to press, and to choose from. */
const CHANNELS: List = {
  link: 'Channels',
  make: 'Add channel',
  named: 'Name',
  fill: async (drawer) => {
    await drawer.getByLabel('Key', { exact: true }).fill('sk-of-the-provider');
    await drawer.getByRole('combobox', { name: 'Models', exact: true }).fill('gpt-4o');
  },
  submit: 'Save',
  off: 'Off',
  filter: ['All statuses', 'Off'],
};

const OTHERS: readonly List[] = [
  {
    link: 'Users',
    make: 'Add user',
    named: 'Username',
    changed: 'Display name',
    fill: (drawer) => drawer.getByLabel('Password', { exact: true }).fill('Passw0rd1'),
    off: 'Banned',
    filter: ['All groups', 'default'],
    remove: 'Cancel account',
  },
  {
    link: 'Tokens',
    make: 'Create token',
    named: 'Name',
    back: (page) => tap(page, 'Back to the list'),
    off: 'Off',
    filter: ['All statuses', 'Off'],
  },
  {
    link: 'Redemption codes',
    make: 'Create codes',
    named: 'Name',
    back: async (page) => {
      await tap(page, 'Download text file');
      await tap(page, 'Close');
    },
    off: 'Disabled',
    filter: ['All states', 'Disabled'],
  },
];

describe.each(usually([CHANNELS], ...OTHERS))('$link', (list) => {
  it(
    'are made, changed, switched off, filtered and deleted',
    async () => {
      const visitor = await visit('/topup');
      const { page } = visitor;
      const drawer = page.getByRole('dialog');
      await comeBy(page, list.link);

      await page.getByRole('link', { name: list.make }).last().tap();
      await drawer.getByRole('textbox', { name: list.named, exact: true }).fill('lamp');
      await list.fill?.(drawer);
      await tap(drawer, list.submit ?? list.make);
      await list.back?.(page);
      await drawer.waitFor({ state: 'detached' });

      await rowOf(page, 'lamp').getByRole('link', { name: 'lamp' }).tap();
      await drawer
        .getByRole('textbox', { name: list.changed ?? list.named, exact: true })
        .fill(list.changed ? 'A lamp' : 'lamp-2');
      await tap(drawer, 'Save');
      await drawer.waitFor({ state: 'detached' });

      const row = rowOf(page, 'lamp');
      const before = await row.boundingBox();
      await tap(page, 'Select');
      await row.getByRole('checkbox').tap();
      await page.getByText('1 selected').waitFor();
      // What is pressed next lies where it lay.
      expect((await row.boundingBox())?.y).toBe(before?.y);
      expect(await sticksOut(page)).toEqual([]);
      expect(await visitor.overflow()).toBe(0);
      await tap(page, 'Disable');
      await row.getByText(list.off, { exact: true }).waitFor();

      const [filter, choice] = list.filter;
      await tap(page, 'Filters');
      await drawer.getByRole('combobox', { name: filter }).selectOption({ label: choice });
      await tap(drawer, 'Show results');
      await page.waitForURL('**?*');
      await row.waitFor();

      await row.getByRole('button', { name: /^More actions/ }).tap();
      const remove = list.remove ?? 'Delete';
      await page.getByRole('menuitem', { name: remove }).tap();
      const question = page.getByRole('alertdialog');
      if (list.remove) await question.getByRole('textbox').fill('lamp');
      await tap(question, remove);
      await question.waitFor({ state: 'detached' });
      if (list.remove) await row.getByText('Cancelled').waitFor();
      else await row.waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );
});

describe('all that match', () => {
  const count = async (status: string): Promise<number> =>
    (await client.get(`/api/redemption/search?keyword=spring&status=${status}`)).data.total;

  /** Whether the page asks before its document is left. */
  const asksToStay = (page: Page): Promise<boolean> =>
    page.evaluate(() => !window.dispatchEvent(new Event('beforeunload', { cancelable: true })));

  it(
    'are chosen from one page, and done to in parts that can be given up between',
    async () => {
      for (const part of [100, 100, 5])
        await client.post('/api/redemption/', { name: 'spring', count: part });
      await client.post('/api/redemption/', { name: 'other', count: 1 });
      const visitor = await visit('/redemption?q=spring');
      const { page } = visitor;
      const chooseAll = async () => {
        await tap(page, 'Select');
        await tap(page, 'Select this page');
        await page.getByText('10 selected').waitFor();
        await tap(page, 'Select all 205 that match');
        await page.getByText('205 selected').waitFor();
      };
      await chooseAll();
      expect([...(await tooSmall(page)), ...(await sticksOut(page))]).toEqual([]);
      expect(await visitor.findings()).toEqual([]);
      // One row less, and it is the page again.
      const box = page.getByRole('checkbox', { name: /^Select spring/ }).first();
      await box.tap();
      await page.getByText('9 selected').waitFor();
      await box.tap();
      await page.getByText('10 selected').waitFor();
      await tap(page, 'Clear');

      const held = Promise.withResolvers<void>();
      await page.route('**/api/redemption/batch', async (route) => {
        await held.promise;
        await route.continue();
      });
      await chooseAll();
      await tap(page, 'Disable');
      await tap(page.getByRole('alertdialog', { name: 'Disable all 205 that are selected?' }), 'Disable');
      await page.getByRole('progressbar', { name: 'Disable' }).waitFor();
      expect(await asksToStay(page)).toBe(true);
      await tap(page, 'Cancel: Disable');
      held.resolve();
      await page.getByText('Stopped: 100 of 205 done').waitFor();
      expect(await asksToStay(page)).toBe(false);
      expect(await count('disabled')).toBe(100);

      await chooseAll();
      await tap(page, 'Delete');
      await tap(page.getByRole('alertdialog'), 'Delete');
      await page.getByText('Operation completed: 205 rows').waitFor();
      await page.getByText('No code matches').waitFor();
      expect((await client.get('/api/redemption/search?keyword=other')).data.total).toBe(1);
    },
    PATIENCE_MS,
  );

  it(
    'are switched once that has been confirmed, and the focus stays with them',
    async () => {
      for (let at = 0; at < 12; at++) await client.post('/api/token/', { name: `many${at}` });
      const { page } = await visit('/token?q=many');
      const off = async (): Promise<number> =>
        (await client.get('/api/token/page?keyword=many&status=2&page_size=1')).data.total;
      await tap(page, 'Select');
      await tap(page, 'Select this page');
      await tap(page, 'Select all 12 that match');
      await page.getByText('12 selected').waitFor();
      expect(await page.evaluate(() => document.activeElement?.textContent)).toBe('Clear');
      const question = page.getByRole('alertdialog', { name: 'Disable all 12 that are selected?' });
      await tap(page, 'Disable');
      expect(await question.textContent()).toContain('many3');
      await tap(question, 'Cancel');
      await page.getByText('12 selected').waitFor();
      expect(await off()).toBe(0);
      await tap(page, 'Disable');
      await tap(question, 'Disable');
      await page.getByText('Operation completed: 12 tokens').waitFor();
      expect(await off()).toBe(12);
    },
    PATIENCE_MS,
  );
});
