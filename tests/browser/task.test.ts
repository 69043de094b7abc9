/** What came of tasks: their owner reads it, an administrator everybody's. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { TestUser } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { SONGS } from '../support/suno-server.ts';
import { until } from '../support/waits.ts';

const PATIENCE_MS = patience(60_000);

let site: Site;
let songs: Bun.Server<undefined>;
/** What became of the file that never ends. */
const endless = { asked: 0, givenUp: 0 };
let root: TestUser;
let una: TestUser;
const ID = 'a'.repeat(32);
const FILM = 'd'.repeat(32);
/** A film of days ago. */
const OLD = 'e'.repeat(32);

function openEndless(): ReadableStream<Uint8Array> {
  endless.asked += 1;
  return new ReadableStream({
    start: (controller) => controller.enqueue(new Uint8Array(1_000)),
    cancel() {
      endless.givenUp += 1;
    },
  });
}

beforeAll(async () => {
  const song = Bun.file(join(import.meta.dir, '../support/sounds/speech.mp3'));
  songs = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ url }) =>
      new Response(url.endsWith('/endless.mp3') ? openEndless() : song, {
        headers: { 'content-type': 'audio/mpeg' },
      }),
  });
  site = await openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
  root = await site.api.createUser({ username: 'root', role: 100 });
  const admin = await site.api.as(root);
  const base_url = songs.url.href.replace(/\/$/, '');
  await admin.post('/api/channel/', {
    ...{ name: 'suno', type: 36, key: 'sk-suno', base_url, models: 'suno_music', group: 'default' },
  });
  una = await site.api.createUser({ username: 'una', quota: 50_000_000 });
  const { db } = site.api.deps;
  const add = (id: string, more: Record<string, string | number>) => {
    const row = {
      ...{
        public_id: id,
        platform: 'suno',
        action: 'MUSIC',
        model_name: 'suno_music',
        user_id: una.id,
        token_id: 0,
      },
      ...{
        channel_id: 1,
        request_id: crypto.randomUUID(),
        upstream_id: id,
        quota: 50_000,
        poll_at: 9_000_000_000,
      },
      ...{
        submit_time: Date.now() - 90_000,
        start_time: 0,
        finish_time: 0,
        progress: 0,
        refund: 0,
        refunded: 0,
      },
      ...{
        status: 'SUBMITTED',
        fail_reason: '',
        fail_code: '',
        input: '{"input":"a song of rain"}',
        data: 'null',
      },
      ...more,
    };
    const names = Object.keys(row);
    return db.query(
      `insert into tasks (${names}) select ${names} from jsonb_populate_record(null::tasks, $1::text::jsonb)`,
      [JSON.stringify({ ...row, input: JSON.parse(row.input), data: JSON.parse(row.data) })],
    );
  };
  const now = Date.now();
  await add(ID, {
    status: 'SUCCESS',
    progress: 100,
    finish_time: now,
    data: JSON.stringify([
      { ...SONGS[0], audio_url: `${base_url}/song.mp3`, video_url: `${base_url}/song.mp4` },
      { ...SONGS[1], audio_url: `${base_url}/endless.mp3` },
    ]),
  });
  await add('b'.repeat(32), {
    action: 'LYRICS',
    model_name: 'suno_lyrics',
    status: 'IN_PROGRESS',
    progress: 40,
  });
  await add(FILM, {
    ...{ platform: 'video', action: 'VIDEO', model_name: 'veo-3.1', status: 'SUCCESS', progress: 100 },
    ...{ submit_time: now - 120_000, finish_time: now - 30_000, quota: 400_000 },
    input: JSON.stringify({ prompt: 'a cat on a roof in the rain', seconds: '8', size: '1280x720' }),
    data: JSON.stringify({ url: 'https://upstream.example/film.mp4', expires_at: 1_700_000_000 }),
  });
  await add(OLD, {
    ...{ platform: 'video', action: 'VIDEO', model_name: 'veo-3.1', status: 'FAILURE', fail_code: 'timeout' },
    submit_time: now - 5 * 86_400_000,
  });
  await add('c'.repeat(32), {
    ...{ status: 'FAILURE', finish_time: now - 60_000, fail_code: 'timeout', refund: 2, refunded: 50_000 },
  });
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await songs.stop(true);
});

describe('the task log', () => {
  it(
    'is in the menu while tasks are on, filters, and opens a task with what came of it',
    async () => {
      const visitor = await site.visit({ user: una, locale: 'en' });
      const { page } = visitor;
      await visitor.goto('/token');
      await page.getByRole('link', { name: 'Task log', exact: true }).click();
      await page.getByText('4 tasks', { exact: true }).waitFor();
      expect(await page.getByRole('columnheader', { name: 'Channel' }).count()).toBe(0);
      await page.getByLabel('All states').selectOption({ label: 'Failed' });
      await page.getByText('1 task', { exact: true }).waitFor();
      await page.getByText('The task took too long').waitFor();
      // An id says which task is meant, whenever it was, also as the wire of films writes it.
      for (const id of [OLD, `video_${OLD}`]) {
        await visitor.goto(`/task?id=${id}`);
        await page.getByText('1 task', { exact: true }).waitFor();
      }
      await visitor.goto('/task?range=yesterday');
      await page.getByText('No task matches', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: 'Clear filters' }).count()).toBe(1);
      await visitor.goto('/task?state=SUCCESS');
      await page.getByRole('main').getByRole('link', { name: 'Music', exact: true }).click();
      const drawer = page.getByRole('dialog');
      await drawer.getByText('a song of rain', { exact: true }).waitFor();
      await drawer.getByRole('button', { name: 'Listen' }).first().click();
      const played = drawer.locator('audio');
      await played.waitFor();
      await until('it is played', () =>
        played.evaluate((audio) => (audio as HTMLAudioElement).currentTime > 0),
      );
      expect(await played.evaluate((audio) => audio === document.activeElement)).toBe(true);
      await page.getByText('It rains', { exact: true }).waitFor();
      expect(await drawer.getByText('"upstream_id"').count()).toBe(0);
      await drawer.getByRole('link', { name: 'See it in the usage log' }).waitFor();
      await drawer.getByRole('button', { name: 'Watch', exact: true }).waitFor();
      expect(await drawer.locator('a[href$=".mp4"]').count()).toBe(0);
      await drawer.getByRole('button', { name: 'Listen' }).click();
      await drawer.getByRole('button', { name: 'Download' }).last().click();
      await until('it is asked for', () => endless.asked > 0);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await until('it is given up', () => endless.givenUp > 0);
      expect(endless).toEqual({ asked: 1, givenUp: 1 });
      await page.getByRole('main').getByRole('link', { name: 'Video', exact: true }).click();
      await drawer.getByText('a cat on a roof in the rain', { exact: true }).waitFor();
      await drawer.getByText('8 s · 1280x720', { exact: true }).waitFor();
      await drawer.getByText(`GET /v1/videos/video_${FILM}/content`, { exact: true }).waitFor();
      expect(await drawer.getByText('upstream.example').count()).toBe(0);
      await drawer.getByText('It expired at 2023-11-1').waitFor();
      expect(await drawer.getByRole('button', { name: 'Watch' }).count()).toBe(0);
      await page.keyboard.press('Escape');
      await drawer.waitFor({ state: 'detached' });
      await site.api.deps.options.set({ TaskEnabled: 'false' });
      await visitor.goto('/token');
      expect(await page.getByRole('link', { name: 'Task log', exact: true }).count()).toBe(0);
      await site.api.deps.options.set({ TaskEnabled: 'true' });
      expect(visitor.complaints).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe.each([
  ['/task', '/task'],
  ['/task/one', `/task/${ID}`],
  ['/task/film', `/task/${FILM}`],
])('the page %s', (name, path) => {
  looksRight({
    name,
    async open(locale) {
      const visitor = await site.visit({ user: root, locale, stays: true });
      await visitor.goto(path);
      return visitor;
    },
  });
});
