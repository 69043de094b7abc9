/** A user sees what his calls came to over time; an administrator everybody's, and follows a bar to its calls. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { reserveAll, settleAll } from '../../src/billing/statements.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { holdOf, makeChannel, makeToken, settlementOf } from '../support/accounts.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);
const MODELS = [
  'gpt-4o',
  'claude-sonnet-4',
  'gemini-2.5-pro',
  'deepseek-chat',
  'qwen-max',
  'gpt-4o-mini',
  'o3',
];

let site: Site;
let root: TestUser;
let una: TestUser;
beforeAll(async () => {
  site = await openSite();
  const { db } = site.api.deps;
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 500_000_000 });
  const otto = await site.api.createUser({ username: 'otto', quota: 500_000_000 });
  const channelId = await makeChannel(db);
  const now = nowSec();
  for (const [n, user] of [una, otto].entries()) {
    const token = await makeToken(db, user.id);
    const holds = Array.from({ length: 120 }, () => holdOf(user.id, token, 900_000));
    await reserveAll(
      db,
      holds.map((hold) => ({ ...hold, extends: false })),
      'test',
    );
    await settleAll(
      db,
      holds.map(({ id }, i) =>
        settlementOf(id, 100_000 + ((i * 7_919) % 800_000), {
          // The newest an hour ago, so that it is whole by any clock.
          at: now - 3_600 - Math.floor((i * (12 + n) * DAY_SEC) / 120),
          modelName: MODELS[(i * 3 + n) % MODELS.length] ?? '',
          username: user.username,
          channelId,
          promptTokens: 900 + i,
          completionTokens: 200 + n,
          other: { frt: 180 + ((i * 37) % 900), cache_tokens: i },
        }),
      ),
    );
  }
}, patience(120_000));
afterAll(() => site.close());
const visit = quietVisits(() => site);

it(
  'shows an administrator who spent what, and leads to the calls',
  async () => {
    const { page } = await visit('/token', { user: root });
    await page.getByRole('link', { name: 'Dashboard' }).click();
    await page.getByRole('heading', { name: 'Data dashboard' }).waitFor();
    await page.locator('.recharts-bar-rectangle').first().waitFor();
    await page.getByRole('combobox', { name: 'Told apart by' }).selectOption({ label: 'User' });
    const table = page.getByRole('table');
    await table.getByRole('link', { name: 'otto' }).waitFor();
    await page.getByRole('button', { name: 'Successful', exact: true }).click();
    await page.waitForURL(/metric=calls/);
    const legend = page.getByRole('list', { name: 'What is shown' });
    await legend.getByRole('button', { name: /^una/ }).click();
    await page.waitForFunction(() => document.querySelectorAll('.recharts-bar').length === 1);
    await table.getByRole('link', { name: 'una' }).click();
    await page.waitForURL(/\/log\?.*user=una/);
    expect(new URL(page.url()).searchParams.get('type')).toBe('2');
  },
  PATIENCE_MS,
);

it(
  'leads from a part of a bar to the calls of its model and time',
  async () => {
    const { page } = await visit('/detail?step=day&user=una&metric=input', { user: root });
    const calls = () =>
      page.getByRole('table').getByRole('row').locator('td:nth-of-type(2)').allTextContents();
    const before = await calls();
    // Downwards, then up.
    for (const direction of ['descending', 'ascending']) {
      await page.getByRole('table').getByRole('link', { name: 'Successful requests' }).click();
      await page.locator(`th[aria-sort="${direction}"]`).waitFor();
    }
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    const sheet = await Bun.file(await download.path()).text();
    const number = (text: string | undefined) => Number(text?.replace(/\D/g, ''));
    const sorted = (await calls()).map(number);
    expect(sorted).toEqual(before.map(number).sort((a, b) => a - b));
    expect(
      sheet
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => number(line.split(',')[1])),
    ).toEqual(sorted);
    const legend = page.getByRole('list', { name: 'What is shown' });
    const first = await legend.getByRole('button').first().locator('span').nth(1).textContent();
    await page.locator('.recharts-bar-rectangle path').first().click();
    await page.waitForURL(/\/log\?/);
    const search = new URL(page.url()).searchParams;
    expect([search.get('user'), search.get('model'), search.get('type')]).toEqual(['una', `"${first}"`, '2']);
    expect(Number(search.get('to')) - Number(search.get('from')) + 1).toBe(DAY_SEC);
  },
  PATIENCE_MS,
);

it(
  'tells failed calls apart by their code, which leads to them',
  async () => {
    const hour = Math.floor(nowSec() / 3_600) * 3_600 - 3_600;
    await site.api.deps.db.query(
      `insert into failures_hourly values (${hour}, ${una.id}, 1, 0, 'o3', 'default', 'upstream_busy', 40)`,
    );
    const { page } = await visit('/detail', { user: una });
    await page.getByRole('combobox', { name: 'Told apart by' }).selectOption({ label: 'Error code' });
    await page.waitForURL(/metric=failed/);
    const row = page.getByRole('table').getByRole('row').filter({ hasText: 'upstream_busy' });
    expect((await row.textContent())?.replace(/\s+/g, ' ')).toContain('40');
    await row.getByRole('link', { name: 'upstream_busy' }).click();
    await page.waitForURL(/\/log\?.*code=upstream_busy/);
    await page.getByText('Error code: upstream_busy', { exact: true }).waitFor();
    // Each of them is known of, though none has a row.
    await page.locator('dl').getByText('40', { exact: true }).waitFor();
  },
  PATIENCE_MS,
);

it(
  'shows users their own without any script, and nothing of others',
  async () => {
    const { page } = await site.visit({ user: una, locale: 'en', javaScript: false });
    await page.goto(`${site.base}/detail?range=30d&by=user`);
    const main = page.getByRole('main');
    expect(await main.getByRole('row').count()).toBe(MODELS.length + 1);
    expect(await main.getByRole('option', { name: 'Channel' }).count()).toBe(0);
    expect(await main.textContent()).toContain('120');
    await site.api.deps.options.set({ DataExportEnabled: 'false' });
    try {
      await page.goto(`${site.base}/token`);
      expect(await page.getByRole('link', { name: 'Dashboard' }).count()).toBe(0);
    } finally {
      await site.api.deps.options.set({ DataExportEnabled: 'true' });
    }
  },
  PATIENCE_MS,
);

looksRight({
  name: 'detail',
  open: async (locale) => {
    const visitor = await site.visit({ user: root, locale, stays: true });
    await visitor.goto('/detail?range=30d&step=day');
    await visitor.page.locator('.recharts-bar-rectangle').first().waitFor();
    // All seven figures in one row at a desk.
    const tops = await visitor.page
      .locator('main dl > div')
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().top));
    expect({ figures: tops.length, rows: new Set(tops).size }).toEqual({ figures: 7, rows: 1 });
    return visitor;
  },
});
