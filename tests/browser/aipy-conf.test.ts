/** An administrator keeps what companion clients are served, tab by tab. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { openSite, quietVisits, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { readerOf, sentPage } from '../support/pages.ts';

const PATIENCE_MS = 60_000;

let site: Site;
let amy: TestUser;
let una: TestUser;
let client: Client;
beforeAll(async () => {
  site = await openSite();
  amy = await site.api.createUser({ username: 'amy', role: 10 });
  una = await site.api.createUser({ username: 'una' });
  client = await site.api.as(amy);
}, 120_000);
afterAll(() => site.close());
const visit = quietVisits(() => site);

it('opens at its first tab, and for administrators alone', async () => {
  expect((await sentPage(site, '/aipy-conf', await readerOf(site.api, amy))).location).toBe(
    '/aipy-conf/prompts',
  );
  const sent = await sentPage(site, '/aipy-conf/prompts', await readerOf(site.api, amy, 'zh'));
  expect(sent).toMatchObject({ status: 200 });
  expect(sent.words).toContain('推荐提示词');
  expect((await sentPage(site, '/aipy-conf/prompts', await readerOf(site.api, una))).status).toBe(403);
});

describe('recommended prompts', () => {
  const released = async () => (await site.api.guest().get('/api/prompt/suggest')).data;

  it(
    'are written, sorted and released where they stand, and deleted',
    async () => {
      const { page } = await visit('/token', { user: amy });
      await page.getByRole('link', { name: 'AiPy config' }).click();
      await page.getByText('No recommended prompts yet').waitFor();
      await page.getByRole('link', { name: 'Add prompt' }).first().click();
      const drawer = page.getByRole('dialog');
      const field = (name: string) => drawer.getByRole('textbox', { name, exact: true });
      const save = () => drawer.getByRole('button', { name: 'Save' }).click();
      await field('Client version').fill('newest');
      await drawer.getByRole('button', { name: 'Add path' }).click();
      await field('Demo path 1').fill('../secret');
      await save();
      await drawer.getByText('The instruction needs 1 to 10,000 characters').waitFor();
      await drawer.getByText('The client version is not valid; 1.2.0 is one').waitFor();
      await drawer.getByText('The demo path is not valid; demo/report.xlsx is one').waitFor();
      await field('Title').fill('Trip to Lisbon');
      await drawer.getByRole('checkbox', { name: 'Mac' }).check();
      await field('Client version').fill('1.2.0');
      await drawer.getByRole('checkbox', { name: 'Web search' }).check();
      await field('Demo path 1').fill('demo/trip.md');
      await field('Instruction').fill('Plan three days in Lisbon.');
      await drawer.getByRole('combobox', { name: 'Tags' }).fill('travel');
      await page.keyboard.press('Enter');
      await field('Result link').fill('https://example.com/trip');
      await save();
      await drawer.waitFor({ state: 'detached' });
      const row = page.getByRole('row').filter({ hasText: 'Trip to Lisbon' });
      await row.getByText('Web search').waitFor();
      const sort = row.getByRole('textbox', { name: 'Sort of Trip to Lisbon' });
      await sort.fill('7');
      // Leaving it saves nothing; its check does, and goes.
      await sort.blur();
      const check = row.getByRole('button', { name: 'Save the sort of Trip to Lisbon' });
      await check.click();
      await check.waitFor({ state: 'detached' });
      await row.getByRole('switch', { name: 'Release Trip to Lisbon' }).check();
      await page.getByText('Updated').first().waitFor();
      expect(await released()).toEqual([
        {
          id: expect.any(Number),
          title: 'Trip to Lisbon',
          mcp: ['tollgate-search'],
          instruction: 'Plan three days in Lisbon.',
          version: '1.2.0',
          sort: 7,
          platform: ['darwin'],
          release: true,
          facets: [{ type: 'demo-file', path: 'demo/trip.md' }],
          tags: ['travel'],
          result_link: 'https://example.com/trip',
        },
      ]);
      await row.getByRole('link', { name: 'Trip to Lisbon' }).click();
      await field('Title').fill('Trip to Porto');
      await save();
      await drawer.waitFor({ state: 'detached' });
      const renamed = page.getByRole('row').filter({ hasText: 'Trip to Porto' });
      await renamed.getByRole('button', { name: 'More actions: Trip to Porto' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Delete' }).click();
      await page.getByText('No recommended prompts yet').waitFor();
      expect(await released()).toEqual([]);
    },
    PATIENCE_MS,
  );
});

describe('its list of prompts', () => {
  beforeAll(async () => {
    for (const [n, title] of ['A letter to the bank', 'Trip to Lisbon', ''].entries()) {
      await client.post('/api/prompt/suggest', {
        title,
        instruction: 'Read what is there, say what is missing, and write the rest as I would.',
        mcp: ['tollgate-search', 'tollgate-map'].slice(n),
        platform: n === 1 ? ['win32', 'darwin'] : [],
        version: n === 0 ? '1.2.0' : '',
        facets: [{ path: 'demo/letter.docx' }],
        tags: ['travel', '出行'],
        sort: n,
        release: n < 2,
      });
    }
  });

  looksRight({
    name: 'aipy-conf-prompts',
    open: async (locale) => {
      const visitor = await site.visit({ user: amy, locale, stays: true });
      await visitor.goto('/aipy-conf/prompts');
      return visitor;
    },
  });

  describe('with its drawer', () => {
    looksRight({
      name: 'aipy-conf-prompt',
      open: async (locale) => {
        const [first] = (await client.get('/api/prompt/suggest/admin')).data;
        const visitor = await site.visit({ user: amy, locale, stays: true });
        await visitor.goto(`/aipy-conf/prompts?edit=${first.id}`);
        await visitor.page.getByRole('dialog').waitFor();
        return visitor;
      },
    });
  });
});
