/** The new option is drawn on its panel in both languages, checked, stored, and told by the status. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Client } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { sentPage } from '../support/pages.ts';

let site: Site;
let root: Client;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.root();
}, 120_000);
afterAll(() => site.close());

it.each([
  ['en', 'Most words of a greeting'],
  ['zh', '问候语的最多字数'],
] as const)('is drawn on its panel in %s', async (locale, label) => {
  const page = await sentPage(site, '/setting?tab=operation', { client: root, locale });
  expect(page.words).toContain(label);
});

it('keeps what fits, refuses what does not, and is typed where it is read', async () => {
  expect((await root.get('/api/status')).data.greeting_words).toBe(20);
  expect(await root.put('/api/option/', { key: 'GreetingWords', value: '0' })).toMatchObject({
    success: false,
  });
  expect(await root.put('/api/option/', { key: 'GreetingWords', value: '7' })).toMatchObject({
    success: true,
  });
  expect((await root.get('/api/status')).data.greeting_words).toBe(7);
  const words: number = site.api.deps.options.get('GreetingWords');
  expect(words).toBe(7);
});
