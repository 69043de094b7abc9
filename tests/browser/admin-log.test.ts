/** Root reads what administrators changed. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { catalogue } from '../../src/core/errors.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let root: TestUser;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100, quota: 1_000_000 });
  const client = await site.api.as(root, { ip: '203.0.113.9' });
  const una = await site.api.createUser({ username: 'una' });
  await client.put('/api/user/', { id: una.id, add_quota: 500_000, group: 'vip', reason: 'paid by invoice' });
  await client.put('/api/option/', { key: 'ModelRatio', value: '{"gpt-4o": 1.25, "o3": 4}' });
  await client.put('/api/option/', { key: 'SMTPToken', value: 'correct-horse' });
  await client.post('/api/channel/', { name: 'made', type: 1, key: 'sk-x-0123456789', models: 'gpt-4o,o3' });
}, patience(120_000));
afterAll(() => site.close());

const PATIENCE_MS = patience(60_000);

describe('the admin log', () => {
  it(
    'is in root’s menu, filters, and opens a change with both of its sides',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/user');
      await page.getByRole('link', { name: 'Admin log', exact: true }).click();
      await page.getByText('4 changes', { exact: true }).waitFor();
      await page.getByLabel('All actions').selectOption({ label: 'Users' });
      await page.getByText('1 change', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Quota changed' }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('group_name').waitFor();
      const text = (await drawer.textContent()) ?? '';
      for (const part of ['una (user:', '203.0.113.9', 'paid by invoice', 'default', 'vip', '500000'])
        expect(text).toContain(part);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      const download = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const sheet = await download;
      expect(sheet.suggestedFilename()).toBe('admin-actions.csv');
      // Without the mark a spreadsheet reads the Chinese in another encoding.
      expect([...(await Bun.file(await sheet.path()).bytes()).slice(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
      await visitor.goto('/admin-log?q=nothing-says-this');
      await page.getByText('No change matches').waitFor();
      await page.getByRole('link', { name: 'Clear filters' }).click();
      await page.getByText('4 changes', { exact: true }).waitFor();
      await visitor.goto('/admin-log?q=SMTPToken');
      expect(await page.getByRole('main').textContent()).not.toContain('correct-horse');
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'says why a sheet is refused',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/admin-log');
      const message = catalogue.LOG_TIMEOUT.text.en;
      await page.route('**/api/admin_action/export*', (route) =>
        route.fulfill({ status: 503, json: { success: false, message, code: 'LOG_TIMEOUT' } }),
      );
      await page.getByRole('button', { name: 'Export CSV' }).click();
      await page.getByText(message).waitFor();
    },
    PATIENCE_MS,
  );

  inLong.it(
    'is nobody else’s',
    async () => {
      const admin = await site.api.createUser({ role: 10 });
      const visitor = await site.visit({ user: admin, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/user');
      expect(await page.getByRole('link', { name: 'Admin log', exact: true }).count()).toBe(0);
      expect((await page.goto(`${site.base}/admin-log`))?.status()).toBe(403);
    },
    PATIENCE_MS,
  );
});

describe.each(['/admin-log', '/admin-log/2'])('the page %s', (path) => {
  looksRight({
    name: path,
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto(path);
      return visitor;
    },
  });
});
