/** What everybody is told of the site: the operator's words, ready to be shown, and the models that are called most. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { nowSec } from '../../../src/core/time.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';

let api: TestApi;
let root: Client;
let guest: Client;
beforeAll(async () => {
  api = await openApi('postgres');
  root = await api.root();
  guest = api.guest({ locale: 'en' });
});
afterAll(() => api.close());

describe('the operator’s words', () => {
  it.each([
    ['Notice', '/api/notice'],
    ['About', '/api/about'],
    ['HomePageContent', '/api/home_page_content'],
  ])('%s is told to guests: nothing, Markdown, an address', async (key, path) => {
    expect(await guest.get(path)).toMatchObject({ status: 200, success: true, data: '' });
    const texts = [
      ['**Hi** <script>alert(1)</script>', '<p><strong>Hi</strong> </p>'],
      ['https://a.example/home', 'https://a.example/home'],
    ] as const;
    for (const [value, data] of texts) {
      expect((await root.put('/api/option/', { key, value })).success).toBe(true);
      expect((await guest.get(path)).data).toBe(data);
      // Root edits what he wrote, not what is made of it.
      const stored = (await root.get('/api/option/')).data;
      expect(stored.find((one: { key: string }) => one.key === key).value).toBe(value);
    }
  });
});

describe('the models that are called most', () => {
  it('are those that guests may see, by calls, and others after them', async () => {
    const channel = (models: string, group: string) =>
      root.post('/api/channel/', { name: group, type: 1, key: 'k', models, group });
    await channel('often,seldom,never,hidden', 'default');
    await channel('inner', 'svip');
    await root.put('/api/model_hub/admin/', {
      update: [
        { name: 'hidden', hide: true },
        { name: 'often', ratio: 1 },
      ],
    });
    const hour = Math.floor(nowSec() / 3600) * 3600;
    const calls = { inner: 90, hidden: 80, gone: 70, often: 60, seldom: 5 };
    for (const [model, n] of Object.entries(calls)) {
      await api.deps.db.query(
        `insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls, prompt_tokens,
           completion_tokens, quota) values ($1, 1, 1, 1, $2, 'default', $3, 0, 0, 0)`,
        [hour, model, n],
      );
    }
    const { data } = await guest.get('/api/pricing/popular');
    expect(data.items.map((one: { model_name: string }) => one.model_name)).toEqual([
      'often',
      'seldom',
      'never',
    ]);
    expect(data).toMatchObject({ called: 2, total: 3, group_ratio: { default: 1 } });
    expect(data.items[0]).toMatchObject({ model_ratio: 1, price_source: 'option' });
    // A picture may have 64 KiB, and nobody sees it here.
    expect(data.items[0]).not.toHaveProperty('icon');
    // A price that changes is shown at once, whoever was called.
    await root.put('/api/model_hub/admin/', { update: [{ name: 'often', ratio: 3 }] });
    expect((await guest.get('/api/pricing/popular')).data.items[0].model_ratio).toBe(3);
  });
});
