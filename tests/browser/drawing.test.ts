/** What was drawn: its owner sees the pictures, an administrator everybody's. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { PNG } from '../support/drawing-server.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';

const PATIENCE_MS = patience(60_000);

/** A browser keeps a picture for a day, and may have come from another site of the same address: ids are used once. */
const idOf = (letter: string): string => letter + crypto.randomUUID().replaceAll('-', '').slice(1);
const FIRST = idOf('a');
const FILMS = idOf('d');

let site: Site;
let root: TestUser;
let una: TestUser;
let pictures: Bun.Server<undefined>;

beforeAll(async () => {
  pictures = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: () => new Response(PNG, { headers: { 'content-type': 'image/png' } }),
  });
  site = await openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
  root = await site.api.createUser({ username: 'root', role: 100 });
  una = await site.api.createUser({ username: 'una', quota: 50_000_000 });
  const { db, options } = site.api.deps;
  await options.set({ EgressPorts: String(pictures.port) });
  const now = Date.now();
  const add = (id: string, more: object) => {
    const row = {
      ...{
        public_id: id,
        platform: 'mj',
        action: 'IMAGINE',
        model_name: 'mj_imagine',
        user_id: una.id,
        token_id: 0,
      },
      ...{
        channel_id: 3,
        request_id: crypto.randomUUID(),
        upstream_id: id,
        quota: 50_000,
        poll_at: 9_000_000_000,
      },
      ...{
        submit_time: now - 90_000,
        start_time: 0,
        finish_time: now,
        progress: 100,
        refund: 0,
        refunded: 0,
      },
      ...{
        status: 'SUCCESS',
        fail_reason: '',
        fail_code: '',
        hook: '',
        hook_tries: 0,
        hook_at: 0,
        polls: 0,
        updated_at: 1,
      },
      input: { prompt: `drawing ${id[0]}`, state: '', code: 1 },
      data: { imageUrl: `${pictures.url}x.png`, promptEn: `in English ${id[0]}` },
      ...more,
    };
    const names = Object.keys(row);
    return db.query(
      `insert into tasks (${names}) select ${names} from jsonb_populate_record(null::tasks, $1::text::jsonb)`,
      [JSON.stringify(row)],
    );
  };
  await add(FIRST, {});
  await add(idOf('b'), { action: 'UPSCALE', submit_time: now - 30_000 });
  await add(idOf('c'), {
    ...{
      status: 'FAILURE',
      progress: 10,
      fail_reason: 'banned prompt',
      data: null,
      refund: 2,
      refunded: 50_000,
    },
  });
  await add(FILMS, {
    action: 'VIDEO',
    submit_time: now - 120_000,
    data: { videoUrls: [`${pictures.url}1.mp4`, `${pictures.url}2.mp4`, `${pictures.url}3.mp4`] },
  });
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await pictures.stop(true);
});

describe('the drawing log', () => {
  it(
    'shows pictures one after the other, and prompts in both languages',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.getByRole('link', { name: 'Drawing log', exact: true }).click();
      await page.getByText('4 drawings', { exact: true }).waitFor();
      expect(await page.getByText('Callbacks of drawing tasks are off').count()).toBe(0);
      const films = page.getByRole('link', { name: 'Video ' });
      expect(await films.evaluateAll((links) => links.map((link) => link.getAttribute('href')))).toEqual(
        [0, 1, 2].map((piece) => `/mj/video/${FILMS}?piece=${piece}`),
      );
      await page.getByRole('button', { name: 'drawing b', exact: true }).first().click();
      const dialog = page.getByRole('dialog');
      const shown = dialog.getByRole('img');
      await shown.waitFor();
      expect(await shown.evaluate((image) => (image as HTMLImageElement).naturalWidth)).toBe(1);
      await dialog.getByRole('button', { name: 'Next' }).click();
      await dialog.getByRole('img', { name: 'drawing a' }).waitFor();
      expect(await dialog.getByRole('link', { name: 'Download' }).getAttribute('href')).toBe(
        `/mj/image/${FIRST}`,
      );
      await page.keyboard.press('ArrowLeft');
      await dialog.getByRole('img', { name: 'drawing b' }).waitFor();
      await dialog.getByRole('button', { name: 'Full size' }).click();
      await dialog.getByRole('button', { name: 'Fit the window' }).waitFor();
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.getByRole('button', { name: 'drawing a', exact: true }).last().click();
      await dialog.getByText('in English a').waitFor();
      await page.keyboard.press('Escape');
      await visitor.goto('/midjourney?state=FAILURE');
      await page.getByText('banned prompt').waitFor();
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );

  inLong.it(
    'tells administrators that callbacks are off, until they have heard it',
    async () => {
      const visitor = await site.visit({ user: root, locale: 'zh' });
      const { page } = visitor;
      await visitor.goto('/midjourney');
      const notice = page.getByText('当前未开启Midjourney回调');
      await notice.waitFor();
      // The first bytes hold it, or do not: nothing moves when the browser takes over.
      expect(await visitor.html('/midjourney')).toContain('当前未开启Midjourney回调');
      await page.getByRole('button', { name: '不再提示' }).click();
      expect(await visitor.html('/midjourney')).not.toContain('当前未开启Midjourney回调');
      await visitor.goto('/midjourney');
      await page.getByText('共 4 个绘图任务').waitFor();
      expect(await notice.count()).toBe(0);
      await page.getByLabel('用户名').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByText('没有符合条件的绘图任务').waitFor();
      expect(await page.evaluate(() => localStorage.getItem('mj_notify_enabled'))).toBe('true');
    },
    PATIENCE_MS,
  );
});

describe('the page /midjourney', () => {
  looksRight({
    name: '/midjourney',
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto('/midjourney');
      return visitor;
    },
  });
});
