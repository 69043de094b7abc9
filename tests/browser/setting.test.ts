import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { startMailServer } from '../support/mail-server.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

describe('the settings page', () => {
  let site: Site;
  let rootUser: TestUser;
  let root: Client;

  beforeAll(async () => {
    site = await openSite();
    rootUser = await site.api.createUser({ username: 'root', role: 100 });
    root = await site.api.as(rootUser);
  }, patience(120_000));
  afterAll(() => site.close());

  const visit = quietVisits(
    () => site,
    () => ({ user: rootUser }),
  );
  const open = async (path: string): Promise<Page> => (await visit(path)).page;
  const block = (page: Page, name: string): Locator => page.getByRole('region', { name, exact: true });
  const saveOf = (page: Page, name: string) =>
    page.getByRole('button', { name: `Save: ${name}`, exact: true }).click();
  const told = (page: Page, text: string) => page.getByText(text, { exact: true }).first().waitFor();
  /** All notes that are shown: one that was closed is there until it has faded, and may be gone before it is clicked. */
  const closeNotes = async (page: Page) => {
    const close = page.getByRole('button', { name: 'Close', exact: true });
    while ((await close.count()) > 0)
      await close
        .first()
        .click({ timeout: 1_000 })
        .catch(() => undefined);
  };
  const unfold = (page: Page, option: string) =>
    page.getByRole('button', { name: `Edit as text: ${option}`, exact: true }).click();
  const puts = (page: Page): { key: string; value: string | null }[] => {
    const sent: { key: string; value: string | null }[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().endsWith('/api/option/'))
        sent.push(request.postDataJSON());
    });
    return sent;
  };
  const stored = async (key: string) =>
    (await root.get('/api/option/')).data.find((row: { key: string }) => row.key === key);

  it(
    'carries the active tab in the address, operation when there is none',
    async () => {
      const page = await open('/setting');
      await block(page, 'Quota').waitFor();
      await page.getByRole('link', { name: 'Rate limits' }).click();
      await block(page, 'Console calls').waitFor();
      expect(new URL(page.url()).search).toBe('?tab=ratelimit');
      await page.goBack();
      await block(page, 'Quota').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'leads to the parts of a long tab from its top, and keeps what was typed',
    async () => {
      const short = await open('/setting?tab=ratelimit');
      expect(await short.getByRole('navigation', { name: 'Parts of this page' }).count()).toBe(0);
      const page = await open('/setting');
      await page.getByLabel('Quota of a new user').fill('7');
      const parts = page.getByRole('navigation', { name: 'Parts of this page' });
      const titles = await parts.getByRole('link').allTextContents();
      expect(titles.length).toBeGreaterThan(8);
      expect(titles.at(-1)).toBe('Model prices');
      await parts.getByRole('link', { name: 'Chat links' }).click();
      await page.waitForFunction(() => document.activeElement?.textContent === 'Chat links');
      const top = (await block(page, 'Chat links').boundingBox())?.y ?? -1;
      // Below the bar, which stays.
      expect(top).toBeGreaterThanOrEqual(56);
      expect(top).toBeLessThan(850);
      expect(await page.getByLabel('Quota of a new user').inputValue()).toBe('7');
    },
    PATIENCE_MS,
  );

  inLong.it(
    'shows its options to the super admin only',
    async () => {
      const admin = await site.api.createUser({ role: 10 });
      const visitor = await site.visit({ user: admin, locale: 'en' });
      for (const path of ['/setting', '/setting?tab=operation', '/setting?tab=visual', '/setting?q=quota']) {
        await visitor.goto(path);
        // Whoever is no super admin finds his own settings there, and no option of the site.
        expect(await visitor.page.getByRole('searchbox', { name: 'Search all options' }).count()).toBe(0);
        expect(await visitor.html(path)).not.toContain('QuotaForNewUser');
      }
      expect(await visitor.page.getByRole('link', { name: 'Settings', exact: true }).count()).toBe(0);
      const page = await open('/token');
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await block(page, 'Quota').waitFor();
    },
    PATIENCE_MS,
  );

  inLong.it(
    'says that nothing was changed, and makes no call',
    async () => {
      const page = await open('/setting');
      const sent = puts(page);
      await saveOf(page, 'Quota');
      await told(page, 'You seem to have changed nothing');
      expect(sent).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'makes one call a changed key, with text as value',
    async () => {
      const page = await open('/setting');
      const sent = puts(page);
      await page.getByLabel('Quota of a new user').fill('500000');
      await block(page, 'Quota').getByText('= $1.00').waitFor();
      await page.getByLabel('Price of one US dollar in CNY').fill('7.1');
      await block(page, 'Quota').getByText('2 changes').waitFor();
      await block(page, 'Quota').getByRole('button', { name: 'Review' }).click();
      const review = page.getByRole('dialog');
      expect(await review.textContent()).toMatch(/Price of one US dollar in CNY7\.37\.1/);
      await review.getByRole('button', { name: 'Save' }).click();
      await told(page, 'Saved');
      expect(sent).toEqual([
        { key: 'QuotaForNewUser', value: '500000' },
        { key: 'Price', value: '7.1' },
      ]);
      expect(await stored('Price')).toEqual({ key: 'Price', value: '7.1', is_set: true });
      const row = block(page, 'Quota');
      await row.getByText('Default 7.3').waitFor();
      await row.getByText('Default 7.3').locator('..').getByRole('button').click();
      const answered = page.waitForResponse(
        (answer) => answer.request().method() === 'PUT' && answer.url().endsWith('/api/option/'),
      );
      await saveOf(page, 'Quota');
      await page.getByText('Default 7.3').waitFor({ state: 'detached' });
      await answered;
      expect(await stored('Price')).toEqual({ key: 'Price', value: '7.3', is_set: false });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'judges the JSON of every table of prices and groups when its field is left',
    async () => {
      const page = await open('/setting');
      const sent = puts(page);
      await block(page, 'Groups').getByRole('button', { name: 'Edit as JSON' }).click();
      // What the table of prices edits, too, is folded away.
      const folded = page.getByRole('button', { name: /^Edit as text: / });
      while ((await folded.count()) > 0) await folded.first().click();
      for (const key of [
        'ModelRatio',
        'CompletionRatio',
        'CacheRatio',
        'ModelPrice',
        'ModelTieredPrice',
        'GroupRatio',
        'UserUsableGroups',
      ]) {
        const field = page.locator(`[id="option-${key}"]`);
        await field.fill('{');
        await field.blur();
        expect([key, await field.getAttribute('aria-invalid')]).toEqual([key, 'true']);
      }
      expect(await page.getByText('Not a valid JSON string').count()).toBe(7);
      await saveOf(page, 'Model prices');
      await told(page, 'Please check input');
      expect(sent).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'finds an option of any panel by its name, key or explanation, and changes it there',
    async () => {
      const page = await open('/setting');
      await page.getByRole('searchbox', { name: 'Search all options' }).fill('minutes period');
      await block(page, 'Rate limits · Model calls').getByLabel('Period (minutes)').waitFor();
      expect(new URL(page.url()).searchParams.get('q')).toBe('minutes period');
      expect(await block(page, 'Quota').count()).toBe(0);
      await page.getByRole('searchbox', { name: 'Search all options' }).fill('retrytimes');
      const found = block(page, 'Operation · Retries and deadlines');
      await found.getByLabel('Retries after a failed attempt').fill('3');
      await found.getByRole('button', { name: /^Save/ }).click();
      await told(page, 'Saved');
      expect(await stored('RetryTimes')).toMatchObject({ value: '3' });
      await root.put('/api/option/', { key: 'RetryTimes', value: null });
      await page.getByRole('searchbox', { name: 'Search all options' }).fill('no such thing');
      await told(page, 'No option matches');
      await page.getByRole('link', { name: 'Clear search' }).click();
      await block(page, 'Quota').waitFor();
    },
    PATIENCE_MS,
  );

  it(
    'asks before a group goes that somebody is in, and keeps it unless that is meant',
    async () => {
      await root.put('/api/option/', { key: 'GroupRatio', value: '{"default":1,"night":0.25}' });
      await site.api.createUser({ group: 'night' });
      const page = await open('/setting');
      const groups = block(page, 'Groups');
      const question = page.getByRole('alertdialog', { name: 'Remove groups that are still in use?' });
      await groups.getByRole('button', { name: 'Remove night' }).click();
      await saveOf(page, 'Groups');
      await question.getByText('night (1 users, 0 tokens, 0 channels)').waitFor();
      await question.getByRole('button', { name: 'Cancel' }).click();
      await page.getByText('groups that are still in use were kept').first().waitFor();
      expect(JSON.parse((await stored('GroupRatio')).value)).toEqual({ default: 1, night: 0.25 });
      await saveOf(page, 'Groups');
      await question.getByRole('button', { name: 'Remove anyway' }).click();
      await told(page, 'Saved');
      expect(JSON.parse((await stored('GroupRatio')).value)).toEqual({ default: 1 });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'with the log of calls off shows a dash for what nobody records',
    async () => {
      const figure = (page: Page, name: string) => page.locator('dl > div').filter({ hasText: name });
      await root.put('/api/option/', { key: 'LogConsumeEnabled', value: 'false' });
      const page = await open('/log');
      for (const name of ['RPM', 'TPM'])
        expect(await figure(page, name).textContent()).toBe(`${name}—not recorded`);
      expect(await figure(page, 'Spent').textContent()).toContain('$0.00');
      const byToken = await open('/log?token=ci');
      expect(await figure(byToken, 'Spent').textContent()).toBe('Spent—not recorded');
      await root.put('/api/option/', { key: 'LogConsumeEnabled', value: null });
      expect(await figure(await open('/log'), 'RPM').textContent()).toContain('0');
    },
    PATIENCE_MS,
  );

  it(
    'edits groups as rows over both options, and as JSON',
    async () => {
      await root.put('/api/option/', { key: 'GroupRatio', value: '{"default":1,"vip":0.5}' });
      await root.put('/api/option/', { key: 'UserUsableGroups', value: '{"default":"All"}' });
      const page = await open('/setting');
      const sent = puts(page);
      const groups = block(page, 'Groups');
      expect(await groups.getByRole('button', { name: 'Remove default' }).count()).toBe(0);
      await groups.getByLabel('Ratio of vip').fill('0.7');
      await groups.getByLabel('Ratio of vip').fill('0.5');
      expect(await groups.getByText('change').count()).toBe(0);
      await groups.getByLabel('Users may choose vip').check();
      await groups.getByLabel('Description of vip').fill('Quick ones');
      await groups.getByRole('button', { name: 'Add group' }).click();
      await groups.getByRole('textbox', { name: 'Group', exact: true }).fill('vip');
      await groups.getByText('This group already exists').waitFor();
      await groups.getByRole('textbox', { name: 'Group', exact: true }).fill('night');
      await groups.getByLabel('Ratio of night').fill('cheap');
      await groups.getByText('Please enter a number').waitFor();
      await groups.getByLabel('Ratio of night').fill('0.25');
      await groups.getByText('2 changes').waitFor();
      await saveOf(page, 'Groups');
      await told(page, 'Saved');
      expect(sent.map(({ key, value }) => [key, JSON.parse(value ?? '')])).toEqual([
        ['GroupRatio', { default: 1, vip: 0.5, night: 0.25 }],
        ['UserUsableGroups', { default: 'All', vip: 'Quick ones' }],
      ]);
      await groups.getByRole('button', { name: 'Remove vip' }).click();
      await groups.getByRole('button', { name: 'Undo' }).click();
      await groups.getByLabel('Ratio of vip').waitFor();
      await groups.getByRole('button', { name: 'Remove night' }).click();
      await groups.getByRole('button', { name: 'Edit as JSON' }).click();
      expect(JSON.parse(await groups.getByLabel('Group ratio').inputValue())).toEqual({
        default: 1,
        vip: 0.5,
      });
      await groups.getByLabel('Group ratio').fill('{"default": 1, "own": 3}');
      await groups.getByRole('button', { name: 'Edit as rows' }).click();
      expect(await groups.getByLabel('Ratio of own').inputValue()).toBe('3');
      await groups.getByRole('button', { name: 'Undo' }).click();
      for (const key of ['GroupRatio', 'UserUsableGroups'])
        await root.put('/api/option/', { key, value: null });
    },
    PATIENCE_MS,
  );

  it(
    'judges JSON when the field is left, and saves none that is wrong',
    async () => {
      const page = await open('/setting?tab=models');
      const sent = puts(page);
      const field = page.locator('[id="option-gemini.safety_settings"]');
      expect(await field.count()).toBe(0);
      await unfold(page, 'Gemini safety settings');
      await field.fill('{"default": ');
      expect(await page.getByText('Not a valid JSON string').count()).toBe(0);
      await field.blur();
      await told(page, 'Not a valid JSON string');
      expect(await field.getAttribute('aria-invalid')).toBe('true');
      await saveOf(page, 'Gemini');
      await told(page, 'Please check input');
      expect(sent).toEqual([]);
      await page.getByRole('button', { name: 'Undo' }).click();
      expect(await field.inputValue()).toContain('HARM_CATEGORY_CIVIC_INTEGRITY');
    },
    PATIENCE_MS,
  );

  it(
    'says which of several could not be saved, and keeps what was typed there',
    async () => {
      const page = await open('/setting?tab=models');
      for (const option of ['Gemini safety settings', 'Gemini API version']) await unfold(page, option);
      await page.getByLabel('Gemini safety settings').fill('{"default": "SOMETIMES"}');
      await page.getByLabel('Gemini API version').fill('{"default": "v1"}');
      await saveOf(page, 'Gemini');
      await told(page, 'Partial save failed, please retry');
      expect(await stored('gemini.version_settings')).toMatchObject({ value: '{"default": "v1"}' });
      expect(await page.getByLabel('Gemini safety settings').inputValue()).toBe('{"default": "SOMETIMES"}');
      await page.getByText(/^Invalid value for .*Gemini safety settings/).waitFor();
      await saveOf(page, 'Gemini');
      await told(page, 'Save failed, please retry');
      await page.getByRole('button', { name: 'Undo' }).click();
    },
    PATIENCE_MS,
  );

  it(
    'never shows a secret again, keeps it when left empty, and removes it when told',
    async () => {
      const visitor = await visit('/setting?tab=system');
      const { page } = visitor;
      // From far away: saved is what the page shows as saved.
      await page.route('**/api/option/fields*', async (route) => {
        await Bun.sleep(200);
        await route.continue();
      });
      const field = page.locator('[id="option-SMTPToken"]');
      await field.fill('hunter2-secret');
      await saveOf(page, 'Mail');
      await told(page, 'Saved');
      expect(await field.inputValue()).toBe('');
      expect(await field.getAttribute('placeholder')).toBe('Set; empty keeps it');
      await page.unrouteAll({ behavior: 'wait' });
      expect(await visitor.html('/setting?tab=system')).not.toContain('hunter2');
      expect(await stored('SMTPToken')).toMatchObject({ value: '', is_set: true });
      await closeNotes(page);
      await page.getByLabel('SMTP server', { exact: true }).fill('mail.example.com');
      await saveOf(page, 'Mail');
      await told(page, 'Saved');
      expect(await stored('SMTPToken')).toMatchObject({ is_set: true });
      await closeNotes(page);
      // To another server it goes only when it is given again, in the same save.
      await page.getByLabel('SMTP server', { exact: true }).fill('other.example.com');
      await page.getByLabel('SMTP port').fill('2525');
      await saveOf(page, 'Mail');
      await page.getByText('“SMTP server” leads to another place: “SMTP password” has to').first().waitFor();
      expect(await stored('SMTPServer')).toMatchObject({ value: 'mail.example.com' });
      await field.fill('hunter3-secret');
      await saveOf(page, 'Mail');
      await told(page, 'Saved');
      expect(await stored('SMTPServer')).toMatchObject({ value: 'other.example.com' });
      expect(await stored('SMTPPort')).toMatchObject({ value: '2525' });
      await page.getByRole('button', { name: 'Remove the stored value' }).click();
      await page.getByRole('button', { name: 'Remove the stored value' }).waitFor({ state: 'detached' });
      expect(await stored('SMTPToken')).toMatchObject({ is_set: false });
    },
    PATIENCE_MS,
  );

  it(
    'asks before password sign-in is turned off; cancelling restores the switch',
    async () => {
      const page = await open('/setting?tab=system');
      const toggle = page.getByRole('switch', { name: 'Sign in with a password' });
      await toggle.click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
      expect(await toggle.isChecked()).toBe(true);
      await toggle.click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Turn it off' }).click();
      await saveOf(page, 'Sign-in');
      await told(page, 'Saved');
      expect(await stored('PasswordLoginEnabled')).toMatchObject({ value: 'false' });
      await root.put('/api/option/', { key: 'PasswordLoginEnabled', value: null });
    },
    PATIENCE_MS,
  );

  inLong.it(
    'sends a test mail, and says what came of it',
    async () => {
      const server = await startMailServer();
      await root.put('/api/option/', { key: 'SMTPServer', value: null });
      const page = await open('/setting?tab=system');
      const trying = async () => {
        // By keyboard: what was said of the last save may lie over the button for a moment.
        await page.getByRole('button', { name: 'Send a test mail' }).press('Enter');
        await page.getByRole('dialog').getByLabel('Email').fill('ann@example.com');
        await page.getByRole('dialog').getByRole('button', { name: 'Send', exact: true }).click();
      };
      await trying();
      await told(page, 'The mail could not be sent: no SMTP server is set');
      await page.keyboard.press('Escape');
      await page.getByLabel('SMTP server').fill('127.0.0.1');
      await page.getByLabel('SMTP port').fill(String(server.port));
      await saveOf(page, 'Mail');
      await told(page, 'Saved');
      await trying();
      await told(page, 'The server took a mail to ann@example.com.');
      expect((await server.nth(1)).recipients).toEqual(['ann@example.com']);
      await server.close();
    },
    PATIENCE_MS,
  );

  it(
    'asks before unsaved changes are left',
    async () => {
      const page = await open('/setting?tab=other');
      await page.getByLabel('Name of the site').fill('Mine');
      await page.getByRole('link', { name: 'Rate limits' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Keep editing' }).click();
      expect(await page.getByLabel('Name of the site').inputValue()).toBe('Mine');
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('link', { name: 'Rate limits' }).click();
      await block(page, 'Console calls').waitFor();
    },
    PATIENCE_MS,
  );

  const tabs = [
    'system&q=limit',
    'operation',
    'visual',
    'ratelimit',
    'models',
    'system',
    'other',
    'request_quota',
  ];
  describe.each(tabs)('the panel %s', (tab) => {
    looksRight({
      name: `setting-${tab}`,
      async open(locale) {
        const visitor = await site.visit({ user: rootUser, locale, stays: true });
        await visitor.goto(`/setting?tab=${tab}`);
        return visitor;
      },
    });
  });
});
