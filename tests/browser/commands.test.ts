/** What leads everywhere and follows along: the palette, the keys with their sheet, long work, short messages. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, PHONE, quietVisits, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);
/** One step of a flow; a control that never comes shall say so before the test ends. */
const STEP_MS = patience(10_000);

describe('the console', () => {
  let site: Site;
  let rootUser: TestUser;
  let user: TestUser;
  let root: Client;
  let channelId: number;

  beforeAll(async () => {
    site = await openSite();
    rootUser = await site.api.createUser({ username: 'root', role: 100 });
    user = await site.api.createUser({ username: 'una' });
    root = await site.api.as(rootUser);
    const channel = { name: 'azure-east', type: 1, key: 'sk-x', models: 'gpt-4o' };
    channelId = (await root.post('/api/channel/', channel)).data.ids[0];
    for (const name of ['ci', 'laptop', 'azure-key'])
      await root.post('/api/token/', { name, unlimited_quota: true });
  }, patience(120_000));
  afterAll(() => site.close());

  const visit = quietVisits(
    () => site,
    () => ({ user: rootUser }),
    STEP_MS,
  );
  const palette = (page: Page) => page.getByRole('dialog', { name: 'Go to or do' });
  const options = (page: Page) => palette(page).getByRole('option');
  const chosen = (page: Page) => palette(page).getByRole('option', { selected: true });
  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

  /** By its button, which works as soon as the page has been taken over; keys are listened to a moment later. */
  const openPalette = async (page: Page) => {
    await page.getByRole('button', { name: /^(Search|搜索)$/ }).click();
    await page.getByRole('dialog').getByRole('combobox').waitFor();
  };

  /** Types in one go, however long the machine takes from key to key: what a pause of typing begins comes after it. */
  const typeAtOnce = async (page: Page, text: string) => {
    await page.clock.install();
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
    await page.keyboard.type(text);
    await page.clock.resume();
  };

  /** Presses keys that belong together in one go: what lies too far apart is no shortcut, and a full machine may take so long. */
  const pressAtOnce = (page: Page, ...keys: string[]) =>
    page.evaluate((pressed) => {
      for (const key of pressed)
        document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
    }, keys);

  it(
    'goes by the palette to pages, records and actions, by keys alone',
    async () => {
      const { page } = await visit('/token');
      const asked: string[] = [];
      page.on('request', (request) => asked.push(request.url()));
      const scripts = () => asked.filter((address) => address.endsWith('.js'));
      expect(scripts()).toEqual([]);
      await page.getByRole('button', { name: 'Search', exact: true }).focus();
      await page.keyboard.press('Control+k');
      await palette(page).getByRole('combobox').waitFor();
      // Nothing of it was there before.
      expect(scripts().length).toBeGreaterThan(0);
      expect(await page.evaluate(() => document.activeElement?.getAttribute('role'))).toBe('combobox');
      expect(await options(page).filter({ hasText: '/setting' }).count()).toBe(1);

      // Escape gives the focus back.
      await page.keyboard.press('Escape');
      await palette(page).waitFor({ state: 'detached' });
      await page.waitForFunction(() => document.activeElement?.textContent === 'Search');

      // A record, found by the server.
      await page.keyboard.press('Meta+k');
      await page.keyboard.type('azure');
      await options(page).filter({ hasText: 'azure-key' }).waitFor();
      expect(await options(page).allTextContents()).toEqual([
        `azure-east#${channelId}`,
        expect.stringContaining('azure-key#'),
        'Search the settings for “azure”',
      ]);
      expect(await palette(page).getByRole('group').allTextContents()).toHaveLength(3);
      expect(await palette(page).getByRole('status').textContent()).toBe('3 results');
      await page.keyboard.press('ArrowDown');
      expect(await chosen(page).textContent()).toContain('azure-key');
      await page.keyboard.press('ArrowUp');
      expect(await chosen(page).textContent()).toContain('azure-east');
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/channel/edit/${channelId}`);
      await page.getByRole('dialog').getByRole('heading', { name: 'azure-east' }).waitFor();
      await page.getByRole('button', { name: 'Close' }).click();
      await heading(page, 'Channels');

      // A page.
      await page.keyboard.press('Control+k');
      await page.keyboard.type('usage');
      expect(await chosen(page).textContent()).toContain('Usage log');
      await page.keyboard.press('Enter');
      await heading(page, 'Usage log');
      await page.waitForFunction(() => document.activeElement?.textContent === 'Usage log');

      // An action.
      await page.keyboard.press('Control+k');
      await page.keyboard.type('theme');
      await page.keyboard.press('Enter');
      await page.waitForFunction(() => document.documentElement.classList.contains('dark'));
      await palette(page).waitFor({ state: 'detached' });

      // Only the last text that was typed is asked for, and a key no further than it is shown.
      await page.keyboard.press('Control+k');
      await palette(page).getByRole('combobox').waitFor();
      asked.length = 0;
      await typeAtOnce(page, `sk-Ab3d${'x'.repeat(41)}9f2`);
      await palette(page).getByText('Nothing found').waitFor();
      expect(asked.filter((address) => address.includes('/api/')).map(decodeURIComponent)).toEqual([
        expect.stringMatching(/\/api\/token\/page\?token=sk-Ab3d…9f2&/),
      ]);

      // A list that cannot be searched is said, and takes nothing else away.
      await page.route('**/api/user/search?*', (route) =>
        route.fulfill({ json: { success: false, message: 'not now', code: 'X' } }),
      );
      await palette(page).getByRole('combobox').fill('azure');
      await palette(page).getByRole('alert').getByText('Could not search Users: not now').waitFor();
      expect(await options(page).count()).toBe(3);
      await page.keyboard.press('Escape');
    },
    PATIENCE_MS,
  );

  it(
    'opens what is fetched when it is first asked for as soon as it is there',
    async () => {
      const visitor = await visit('/token');
      const { page } = visitor;
      // No time passes, nor for what keeps its own way to the clock from the begin: whatever waits for some never comes.
      await page.clock.install();
      await visitor.goto('/token');
      await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 1_000);
      await page.getByRole('button', { name: 'Account menu' }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await page.keyboard.press('Escape');
      await openPalette(page);
    },
    PATIENCE_MS,
  );

  it(
    'does what the page offers at its head, each by its own words and once',
    async () => {
      const { page } = await visit('/channel');
      await openPalette(page);
      const here = palette(page).getByRole('group', { name: 'On this page' });
      const offered = (await here.getByRole('option').allTextContents()).map((text) => text.trim());
      expect(offered).toContain('Add channel');
      expect(offered.length).toBeGreaterThan(2);
      expect(await options(page).filter({ hasText: 'Add channel' }).count()).toBe(1);
      // A menu, before and after it was loaded.
      for (const _time of ['first', 'second']) {
        await page.keyboard.type('more');
        await page.keyboard.press('Enter');
        await palette(page).waitFor({ state: 'detached' });
        await page.getByRole('menuitem', { name: 'Export as CSV' }).waitFor();
        await page.keyboard.press('Escape');
        await page.getByRole('menu').waitFor({ state: 'detached' });
        await openPalette(page);
      }
      await page.keyboard.type('add channel');
      await page.keyboard.press('Enter');
      await page.waitForURL('**/channel/add');
    },
    PATIENCE_MS,
  );

  it(
    'offers a user his own pages and actions',
    async () => {
      const { page } = await visit('/token', { user });
      await openPalette(page);
      await options(page).first().waitFor();
      const all = (await options(page).allTextContents()).join('\n');
      expect(all).toContain('/token');
      expect(all).toContain('Create token');
      expect(all).not.toMatch(/\/channel|\/user|\/setting|Add channel|Add user/);
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await typeAtOnce(page, 'azure');
      await palette(page).getByText('Nothing found').waitFor();
      expect(asked).toEqual(['/api/token/page']);
    },
    PATIENCE_MS,
  );

  it(
    'takes keys by themselves, tells of them, and lets them be switched off',
    async () => {
      const { page } = await visit('/token');
      const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
      await openPalette(page);
      await page.keyboard.press('Escape');
      await palette(page).waitFor({ state: 'detached' });
      await page.keyboard.press('?');
      await sheet.waitFor();
      expect(await sheet.getByRole('term').allTextContents()).toContain('Next row');
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'detached' });

      // From row to row, and one of them chosen and opened.
      await page.keyboard.press('j');
      await page.keyboard.press('j');
      await page.waitForFunction(() => document.activeElement?.closest('tbody > tr:nth-child(2)'));
      await page.keyboard.press('x');
      await page.getByText('1 selected').waitFor();
      await page.keyboard.press('k');
      await page.waitForFunction(() => document.activeElement?.closest('tbody > tr:nth-child(1)'));

      // Its id, and its form.
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      const id = await page.locator('tbody > tr:nth-child(1)').getAttribute('data-id');
      await page.keyboard.press('y');
      await page.getByText(`Copied the id ${id}`).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(id ?? '');
      await page.keyboard.press('e');
      await page.waitForURL(`**/token/edit/${id}`);
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });

      // What is typed is typed.
      await page.keyboard.press('/');
      await page.waitForFunction(() => document.activeElement?.matches('input[type=search]'));
      await page.keyboard.type('c?g');
      expect(await page.evaluate(() => (document.activeElement as HTMLInputElement).value)).toBe('c?g');
      expect(await page.getByRole('dialog').count()).toBe(0);
      await page.waitForURL((url) => url.searchParams.get('q') === 'c?g');
      await page.getByRole('heading', { level: 1 }).focus();

      await page.keyboard.press('c');
      await page.getByRole('dialog').getByRole('heading', { name: 'Create token' }).waitFor();
      // What stands for it until it is there has the same head; a key pressed then goes into the first field of what comes.
      await page.waitForFunction(() => document.activeElement?.matches('[role=dialog] input'));
      // In a dialog they are off.
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
      await page.keyboard.press('?');
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await sheet.count()).toBe(0);

      await pressAtOnce(page, 'g', 'p');
      await heading(page, 'Personal settings');
      const group = page.getByRole('group', { name: 'Single-key shortcuts' });
      await group.getByRole('button', { name: 'Off' }).click();
      await page.keyboard.press('?');
      await pressAtOnce(page, 'g', 'l');
      // The palette stays, and proves that the keys before it were heard.
      await page.keyboard.press('Control+k');
      await palette(page).waitFor();
      expect([new URL(page.url()).pathname, await sheet.count()]).toEqual(['/personal', 0]);
      await page.keyboard.press('Escape');
      await page.reload();
      await group.getByRole('button', { name: 'Off', pressed: true }).waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'fetches a sheet beyond the page that began it, gives it up, and tells what came of it while one is there',
    async () => {
      const visitor = await visit('/log');
      const { page } = visitor;
      const gate: { open?: () => void } = {};
      await page.route('**/api/log/export*', async (route) => {
        await new Promise<void>((open) => Object.assign(gate, { open }));
        await route
          .fulfill({
            headers: { 'content-type': 'text/csv', 'x-total-rows': '2' },
            body: 'time,cost\r\n1,2\r\n3,4\r\n',
          })
          .catch(() => undefined);
      });
      const bar = page.getByRole('progressbar', { name: 'Export of the usage log' });
      const begin = async () => {
        const asked = page.waitForRequest('**/api/log/export*');
        await page.getByRole('button', { name: 'Export CSV' }).click();
        await asked;
        await bar.waitFor();
      };
      await begin();
      await page.getByRole('button', { name: 'Cancel: Export of the usage log' }).click();
      await page.getByText('Cancelled: Export of the usage log').waitFor();
      await bar.waitFor({ state: 'detached' });
      gate.open?.();

      await begin();
      await page.getByRole('navigation').getByRole('link', { name: 'Tokens' }).click();
      await heading(page, 'API tokens');
      expect(await bar.count()).toBe(1);
      await visitor.shot('work-pill');
      expect(await visitor.findings()).toEqual([]);
      await page.clock.install();
      const saved = page.waitForEvent('download');
      gate.open?.();
      expect((await saved).suggestedFilename()).toMatch(/^usage-.*csv$/);
      const told = page.getByRole('region', { name: /Notices/ }).getByText(/^Saved usage-.*, 2 rows$/);
      await told.waitFor();
      await bar.waitFor({ state: 'detached' });

      // It stays while somebody is at it.
      const close = page.getByRole('listitem').filter({ hasText: 'Saved' }).getByRole('button');
      await close.focus();
      await page.clock.runFor(30_000);
      expect(await told.count()).toBe(1);
      await page.getByRole('heading', { level: 1 }).focus();
      await page.clock.runFor(5_000);
      await told.waitFor({ state: 'detached' });
    },
    PATIENCE_MS,
  );

  describe('the palette', () => {
    looksRight({
      name: 'palette',
      async open(locale) {
        const visitor = await site.visit({ locale, user: rootUser, stays: true });
        await visitor.goto('/token');
        await openPalette(visitor.page);
        await visitor.page.keyboard.type('azure');
        await visitor.page.getByRole('option').filter({ hasText: 'azure-key' }).waitFor();
        return visitor;
      },
    });
  });

  describe('the sheet of keys', () => {
    looksRight({
      name: 'shortcuts',
      async open(locale) {
        const visitor = await site.visit({ locale, user: rootUser, stays: true });
        await visitor.goto('/token');
        await openPalette(visitor.page);
        await visitor.page.keyboard.type('help');
        await visitor.page.keyboard.press('Enter');
        await visitor.page.getByRole('term').first().waitFor();
        return visitor;
      },
    });
  });

  it('opens the palette on a phone by its button, over the whole screen', async () => {
    const visitor = await visit('/token', { width: PHONE, locale: 'zh' });
    const { page } = visitor;
    await page.getByRole('button', { name: '搜索', exact: true }).tap();
    const sheet = page.getByRole('dialog', { name: '前往或执行' });
    await sheet.getByRole('option').first().waitFor();
    expect(await sheet.boundingBox()).toMatchObject({ x: 0, y: 0, width: PHONE });
    await visitor.shot('palette-phone-zh');
    await sheet.getByRole('option').filter({ hasText: '/log' }).first().tap();
    await heading(page, '用量日志');
    expect(await visitor.overflow()).toBe(0);
  });
});
