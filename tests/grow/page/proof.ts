/** The new page is in the menu, opens with its data in the first bytes, and nobody else's does. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { openSite, type Site } from '../support/browser.ts';
import { readerOf, sentPage } from '../support/pages.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
  const root = await site.api.root();
  const made = { name: 'c', type: 1, key: 'k', models: 'gpt-4o,o3', group: 'default' };
  expect((await root.post('/api/channel/', made)).message).toBe('');
}, 120_000);
afterAll(() => site.close());

it.each([
  ['en', 'Models'],
  ['zh', '模型'],
] as const)('opens from the menu in %s', async (locale, title) => {
  const reader = await readerOf(site.api, await site.api.createUser(), locale);
  expect((await sentPage(site, '/token', reader)).links).toContain('/my-models');
  const page = await sentPage(site, '/my-models', reader);
  expect(page.status).toBe(200);
  expect(page.html).toMatch(new RegExp(`<h1[^>]*>[^<]*${title}`));
  expect(page.words).toMatch(/gpt-4o.*o3/);
});

it('sends guests to sign in and back', async () => {
  expect(await sentPage(site, '/my-models')).toMatchObject({
    status: 307,
    location: '/login?next=%2Fmy-models',
  });
});
