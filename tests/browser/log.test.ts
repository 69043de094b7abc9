/** The usage log: a row by itself, its filters, its sheet. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { nowSec } from '../../src/core/time.ts';
import { channels, logs } from '../../src/db/schema/index.ts';
import type { TestUser } from '../support/api.ts';
import { openSite, PHONE, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let root: TestUser;
let una: TestUser;
/** The charge of a call. */
let rowOf: (over: object) => typeof logs.$inferInsert;
const called = Bun.randomUUIDv7();

beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 5_000_000 });
  const { db } = site.api.deps;
  const [channel] = await db.orm
    .insert(channels)
    .values({ type: 1, name: 'upstream one', models: ['deepseek-chat'] })
    .returning({ id: channels.id });
  const channelId = channel?.id ?? 0;
  rowOf = (over: object) => ({
    created_at: nowSec() - 5,
    user_id: una.id,
    username: 'una',
    type: 2,
    token_id: 7,
    token_name: 'laptop',
    model_name: 'deepseek-chat',
    group_name: 'default',
    channel_id: channelId,
    quota: 65,
    prompt_tokens: 320,
    completion_tokens: 40,
    use_time: 2,
    is_stream: true,
    ip: '203.0.113.9',
    other: {
      model_price: -1,
      group_ratio: 1,
      user_group_ratio: -1,
      price_source: 'default',
      model_ratio: 0.135,
      completion_ratio: 4.074074074074,
      cache_tokens: 0,
      cache_ratio: 0.259259259259,
      frt: 620,
      held_ms: 12,
      held: 180,
      total_ms: 2_140,
      usage_source: 'upstream',
      stream_end: 'done',
      admin_info: {
        use_channel: ['9', String(channelId)],
        cost_ratio: 0.6,
        attempts: [{ channel: 9, key: 1, status: 502, blame: 'channel', ms: 210, reason: 'status 502' }],
      },
    } as JsonObject,
    ...over,
  });
  const row = rowOf;
  await db.orm.insert(logs).values([
    row({ request_id: called, created_at: nowSec() - 1 }),
    ...Array.from({ length: 12 }, (_, n) =>
      row({
        request_id: Bun.randomUUIDv7(),
        model_name: n % 3 === 0 ? 'gpt-4o' : 'deepseek-chat',
        token_name: 'server',
      }),
    ),
    row({
      type: 6,
      quota: 0,
      request_id: Bun.randomUUIDv7(),
      model_name: 'gpt-4o-mni',
      prompt_tokens: 0,
      completion_tokens: 0,
      content: '模型 gpt-4o-mni 不存在',
      other: {
        error: 'model_not_found',
        status: 404,
        text: { zh: '模型 gpt-4o-mni 不存在', en: 'The model gpt-4o-mni does not exist' },
      },
    }),
    row({
      type: 1,
      quota: 500_000,
      model_name: '',
      token_name: '',
      prompt_tokens: 0,
      completion_tokens: 0,
      content: '充值 1 美元',
      other: { text: { zh: '充值 1 美元', en: 'Topped up 1 dollar' } },
    }),
  ]);
  await db.query(`insert into usage_hourly
    select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*),
      sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint
    from logs where type = 2 group by 1, 2, 3, 4, 5, 6`);
  await db.query(
    `insert into failures_hourly values (${Math.floor(nowSec() / 3600) * 3600}, ${una.id}, 7, 0, '', 'default', 'model_not_found', 1)`,
  );
}, patience(120_000));
afterAll(() => site.close());

describe('the usage log', () => {
  it(
    'opens a row by itself under an address that can be sent on, with exact figures, and proves them',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/log?range=7d');
      await page.getByText('92.8 % successful, 1 failed').waitFor();
      const asked: string[] = [];
      page.on('request', (request) => asked.push(new URL(request.url()).pathname));
      await page
        .getByRole('row')
        .filter({ hasText: 'laptop' })
        .filter({ hasText: 'deepseek-chat' })
        .getByRole('link', { name: /^Open the row of/ })
        .click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText(called).waitFor();
      expect(page.url()).toMatch(/[?&]id=\d+/);
      // The list stays as it is.
      const id = new URL(page.url()).searchParams.get('id');
      expect(asked.filter((path) => path.startsWith('/api/'))).toEqual([`/api/log/${id}`]);
      const bill = await drawer.getByRole('table').textContent();
      expect(bill).toContain('43.2');
      expect(bill).toContain('65.2');
      expect(bill).not.toContain('999999');
      await drawer.getByRole('button', { name: 'Work it out again' }).click();
      await drawer.getByText(/^Gives 65 units again/).waitFor();
      const told = await drawer.textContent();
      expect(told).toContain('reserved 180, returned 115');
      expect(told).not.toContain('upstream takes');
      expect(told).not.toContain('Route');
      const admin = await site.visit({ user: root, locale: 'en' });
      await admin.goto(new URL(page.url()).pathname + new URL(page.url()).search);
      await admin.page
        .getByRole('dialog')
        .getByText('in units: upstream takes × 0.6 = 39.12, margin 25.88')
        .waitFor();
      const route = admin.page.getByRole('dialog').getByRole('listitem').filter({ hasText: 'channel' });
      expect(await route.allTextContents()).toEqual([
        expect.stringMatching(/^1 failedchannel 9 · status 502/),
        expect.stringMatching(/^2 okchannel \d+ · /),
      ]);
      expect([...visitor.complaints, ...admin.complaints]).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'tells in the reader’s language, what to do about a failed call, and of another’s row that there is none',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/log?range=7d&type=6');
      await page.getByRole('button', { name: 'Details of gpt-4o-mni' }).click();
      await page.locator('[data-detail]').getByText('Check the name of the model').waitFor();
      await page.goto(`${site.base}/log?range=7d&type=1`);
      await page.getByText('Topped up 1 dollar').waitFor();
      const other = await site.api.createUser({ username: 'stranger' });
      const stranger = await site.visit({ user: other, locale: 'en' });
      await stranger.goto(`/log?id=${called}`);
      await stranger.page.getByRole('dialog').getByRole('heading', { name: 'No such row' }).first().waitFor();
      expect([...visitor.complaints, ...stranger.complaints]).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'offers names, shows what is applied, and gives the rows as a sheet',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/log?range=7d');
      const model = page.getByRole('combobox', { name: 'Model' }).first();
      await model.focus();
      await page.waitForFunction(() => document.querySelector('datalist option[value="gpt-4o"]'));
      await model.fill('gpt-4o');
      await model.press('Enter');
      await page.getByText('Model: gpt-4o', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'More filters' }).click();
      await page.getByRole('combobox', { name: 'HTTP status' }).first().fill('404');
      await page.getByRole('combobox', { name: 'HTTP status' }).first().press('Enter');
      await page.getByText('HTTP status: 404', { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Remove HTTP status: 404' }).click();
      await page.getByText('HTTP status: 404', { exact: true }).waitFor({ state: 'detached' });
      await page.getByRole('combobox', { name: 'User' }).first().fill('una');
      await page.getByRole('combobox', { name: 'User' }).first().press('Enter');
      await page.getByText('Balance', { exact: true }).first().waitFor();
      const saved = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Export CSV' }).click();
      const file = await saved;
      expect(file.suggestedFilename()).toMatch(/^usage-\d{4}-\d\d-\d\d\.csv$/);
      const text = await Bun.file(await file.path()).text();
      expect(text.trim().split('\r\n')).toHaveLength(6);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'says how far it looked, and leads to what is older',
    async () => {
      const { db } = site.api.deps;
      const { countCap } = limits;
      const [{ n } = { n: 0 }] = await db.query<{ n: number }>(
        'select count(*)::int as n from logs where user_id = $1',
        [una.id],
      );
      const request_id = Bun.randomUUIDv7();
      await db.orm
        .insert(logs)
        .values(rowOf({ created_at: nowSec() - 100_000, token_name: 'old', model_name: 'o3', request_id }));
      Object.assign(limits, { countCap: n });
      try {
        const visitor = await site.visit({ user: una, locale: 'en' });
        const { page } = visitor;
        await visitor.goto('/log?range=7d&model=gpt');
        await page.getByText(`Only the newest ${n} rows of this time were searched`).waitFor();
        await visitor.goto('/log?range=7d&token=old');
        await page.getByRole('heading', { name: `No match among the newest ${n} rows` }).waitFor();
        await page.getByRole('link', { name: 'Look further back' }).click();
        await page.getByRole('row').filter({ hasText: 'old' }).waitFor();
        expect(await page.getByRole('link', { name: 'Look further back' }).count()).toBe(0);
        // A request is of no day.
        await visitor.goto(`/log?request=${request_id}`);
        await page.getByRole('row').filter({ hasText: 'old' }).waitFor();
        const time = page.getByRole('combobox', { name: 'Time range' });
        expect(await time.inputValue()).toBe('all');
        await page.getByRole('link', { name: `Remove Request id: ${request_id}` }).click();
        await page.getByRole('row').filter({ hasText: 'old' }).waitFor({ state: 'detached' });
        expect(await time.inputValue()).toBe('today');
        expect(visitor.complaints).toEqual([]);
      } finally {
        Object.assign(limits, { countCap });
        await db.query(`delete from logs where token_name = 'old'`);
      }
    },
    PATIENCE_MS,
  );

  it(
    'says how many rows came while older ones are read, and marks them',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en', width: PHONE });
      const { page } = visitor;
      await page.clock.install();
      await visitor.goto('/log?range=7d');
      await page.getByRole('button', { name: 'Live' }).click();
      await page.evaluate(() => window.scrollTo(0, 1_000));
      await site.api.deps.db.orm
        .insert(logs)
        .values(rowOf({ created_at: nowSec() + 1, token_name: 'fresh', request_id: Bun.randomUUIDv7() }));
      await page.clock.fastForward(10_000);
      await page.getByRole('button', { name: '1 new row' }).click();
      await page.locator('tr[data-new]').filter({ hasText: 'fresh' }).waitFor();
      expect(await page.locator('tr[data-new]').count()).toBe(1);
      expect(await page.evaluate(() => window.scrollY)).toBe(0);
      await page.getByLabel('Per page').selectOption('50');
      await page.waitForURL(/size=50/);
      await page.locator('tr[data-new]').waitFor({ state: 'detached' });
      await site.api.deps.db.query(`delete from logs where token_name = 'fresh'`);
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'says on the phone why a call was refused, and how the list is ordered, without an end cut off',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en', width: PHONE });
      const { page } = visitor;
      await visitor.goto('/log?range=7d&type=6');
      const why = page.locator('tbody').getByText('The model gpt-4o-mni does not exist');
      const over = await why.evaluate((element) => {
        const cell = element.closest('td')?.getBoundingClientRect();
        return element.getBoundingClientRect().right - (cell?.right ?? 0);
      });
      expect(over).toBeLessThanOrEqual(0);
      await visitor.goto('/log?range=7d');
      const room = await page.getByRole('combobox', { name: 'Order' }).evaluate((select) => {
        const { font, paddingLeft, paddingRight, width } = getComputedStyle(select);
        const pen = document.createElement('canvas').getContext('2d');
        if (!pen) throw new Error('nothing to measure with');
        pen.font = font;
        const words = pen.measureText('Default order').width;
        return (
          Number.parseFloat(width) - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) - words
        );
      });
      expect(room).toBeGreaterThanOrEqual(0);
    },
    PATIENCE_MS,
  );

  it(
    'rules a bill off on the phone by one line',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en', width: PHONE });
      const { page } = visitor;
      await visitor.goto('/log?range=7d&type=2');
      await page.locator('tbody button[aria-expanded]').first().click();
      const rule = page.locator('.bill-table tr[data-rule]');
      await rule.waitFor();
      const lines = await rule.evaluate((row) =>
        [row, ...row.children]
          .filter((one) => one.checkVisibility())
          .map((one) => Number.parseFloat(getComputedStyle(one).borderTopWidth)),
      );
      expect(lines).toEqual([1, 0, 0, 0]);
    },
    PATIENCE_MS,
  );

  it(
    'keeps its rows when a refresh finds no connection, and prints a row as a sheet',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto(`/log?range=7d&id=${called}`);
      await page.getByRole('dialog').waitFor();
      await page.emulateMedia({ media: 'print' });
      await visitor.shot('log-print');
      expect(await page.getByRole('dialog').getByText(called).isVisible()).toBeTrue();
      expect(await page.locator('.data-table').first().isVisible()).toBeFalse();
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.emulateMedia({ media: 'print' });
      await visitor.shot('log-print-list');
      await page.emulateMedia({ media: 'screen' });
      await page.route('**/api/log/**', (route) => route.abort());
      await page.getByRole('button', { name: 'Refresh' }).click();
      await page.getByRole('alert').filter({ hasText: 'Refresh failed' }).waitFor();
      expect(await page.getByRole('row').count()).toBeGreaterThan(5);
    },
    PATIENCE_MS,
  );
});

looksRight({
  name: 'log',
  async open(locale) {
    const visitor = await site.visit({ user: root, locale, stays: true });
    await visitor.goto('/log?range=7d&model=deepseek&user=una');
    return visitor;
  },
});

looksRight({
  name: 'log-row',
  async open(locale) {
    const visitor = await site.visit({ user: root, locale, stays: true });
    await visitor.goto(`/log?range=7d&id=${called}`);
    await visitor.page.getByRole('dialog').waitFor();
    return visitor;
  },
});
