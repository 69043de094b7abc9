/**
 * The faults that were seen when people first looked at the console, each at the place, the width, the language and the
 * theme where it was seen. `./scripts/test long` opens them all, and keeps a picture of each as it is now where
 * SCREENSHOT_DIR says; what every other run proves of a fault stands beside it.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright';
import type { TestUser } from '../support/api.ts';
import { DESK, heightOf, PHONE, type View, type Visitor } from '../support/browser.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { inLong } from '../support/long.ts';
import { patience } from '../support/patience.ts';

const PLACE_MS = patience(60_000);
const STEP_MS = patience(10_000);
const LONG = 'my-private-model-with-a-very-long-name-2026-11-22-preview';

type Who = 'guest' | 'user' | 'poor' | 'root';

interface Place {
  /** What was wrong there. */
  fault: string;
  view: View;
  who: Who;
  /** What every run proves of it: a file, and the words of its test. */
  proof?: readonly [file: string, test: string];
  /** Goes there, finds that it is gone, and leaves the place in sight. */
  look: (visitor: Visitor, page: Page) => Promise<unknown>;
}

const en = { locale: 'en', theme: 'light', width: DESK } as const;
const enPhone = { locale: 'en', theme: 'light', width: PHONE } as const;
const enDark = { locale: 'en', theme: 'dark', width: DESK } as const;
const zh = { locale: 'zh', theme: 'light', width: DESK } as const;
const zhPhone = { locale: 'zh', theme: 'light', width: PHONE } as const;
const zhDark = { locale: 'zh', theme: 'dark', width: DESK } as const;
const zhDarkPhone = { locale: 'zh', theme: 'dark', width: PHONE } as const;

const SHEETS = 'tests/browser/sheets.test.ts';
const TABLES = 'tests/browser/tables.test.ts';
const LOG = 'tests/browser/log.test.ts';
const BUDGETED = [TABLES, 'every list shows at first what fits, under heads of words'] as const;

const regionOf = (page: Page): Locator => page.locator('section:has(> table.data-table)');
const cards = (page: Page): Locator => page.locator('main tbody > tr:not([data-detail])');
const bottomOf = async (what: Locator): Promise<number> => {
  const box = await what.boundingBox();
  if (!box) throw new Error('it is not in sight');
  return box.y + box.height;
};
const cutOff = (region: Locator): Promise<number> =>
  region.evaluate((element) => element.scrollWidth - element.clientWidth);

/** Opens the bill of the newest call under its row. */
async function openBill(visitor: Visitor, page: Page): Promise<Locator> {
  await visitor.goto('/log?range=7d&type=2');
  await page.locator('tbody button[aria-expanded]').first().click();
  const bill = page.locator('[data-detail] .bill-table');
  await bill.waitFor();
  return bill;
}

const PLACES: readonly Place[] = [
  {
    fault: '01 the dialog of the second factor: its buttons are cut off under a wrong code',
    view: zhDarkPhone,
    who: 'user',
    proof: [SHEETS, 'asks for the code of an authenticator with its field focused and its buttons in sight'],
    async look(visitor, page) {
      await visitor.goto('/personal#two-factor');
      await page.getByRole('button', { name: '启用', exact: true }).click();
      const sheet = page.getByRole('dialog');
      await sheet.getByLabel('验证码', { exact: true }).fill('000000');
      const submit = sheet.getByRole('button', { name: '启用', exact: true });
      await submit.click();
      await sheet.getByRole('alert').getByText('验证码错误').waitFor();
      expect(await bottomOf(submit)).toBeLessThanOrEqual(heightOf(PHONE));
    },
  },
  {
    fault: '02 the log scrolled: the first of its heads goes away',
    view: en,
    who: 'root',
    proof: [TABLES, 'keep all of their heads in sight when the rows are scrolled'],
    async look(visitor, page) {
      await openBill(visitor, page);
      await page.setViewportSize({ width: DESK, height: 500 });
      const tops = await regionOf(page).evaluate((element) => {
        element.scrollIntoView();
        element.scrollTop = 80;
        const { top } = element.getBoundingClientRect();
        return [...element.querySelectorAll(':scope > table > thead th')].map((th) => {
          const box = th.getBoundingClientRect();
          const seen = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
          return { top: Math.round(box.top - top), isInFront: seen !== null && th.contains(seen) };
        });
      });
      expect(tops.length).toBeGreaterThan(8);
      expect(tops.filter(({ top, isInFront }) => top !== 0 || !isInFront)).toEqual([]);
    },
  },
  {
    fault: '03 the log on paper: squeezed into 200 px',
    view: en,
    who: 'root',
    proof: [
      'tests/browser/print.test.ts',
      'is a table with its heads on every page, also from a dark screen',
    ],
    async look(visitor, page) {
      await openBill(visitor, page);
      await page.emulateMedia({ media: 'print' });
      const { width = 0 } = (await page.locator('main .data-table').boundingBox()) ?? {};
      expect(width).toBeGreaterThan(DESK * 0.9);
    },
  },
  {
    fault: '04 cards of the log: Chinese in English, and nothing in them',
    view: enPhone,
    who: 'user',
    proof: [LOG, 'tells in the reader’s language, what to do about a failed call'],
    async look(visitor, page) {
      await visitor.goto('/log?range=7d&type=3');
      const told = await cards(page).allInnerTexts();
      expect(told.length).toBeGreaterThan(0);
      expect(told.filter((text) => /[\u4e00-\u9fff]/.test(text))).toEqual([]);
      // What was done, what kind of row it is, when.
      expect(told.filter((text) => !/\d\d:\d\d/.test(text) || text.length < 40)).toEqual([]);
    },
  },
  {
    fault: '05 a bill: tails of floating numbers',
    view: en,
    who: 'root',
    proof: [LOG, 'opens a row by itself under an address that can be sent on, with exact figures'],
    async look(visitor, page) {
      const bill = await openBill(visitor, page);
      expect(await bill.textContent()).not.toMatch(/\.\d*(?:9{5}|0{5}\d|\d{11})/);
    },
  },
  {
    fault: '06 a bill on the phone: no counts, and no rate of exchange',
    view: zhDarkPhone,
    who: 'user',
    async look(visitor, page) {
      const bill = await openBill(visitor, page);
      expect(await bill.locator('tbody tr').first().textContent()).toMatch(/\d+ × 0\.135/);
      await page
        .locator('[data-detail]')
        .getByText(/÷ 500,000 = \$\S+ × 7\.3 = ¥/)
        .waitFor();
    },
  },
  {
    fault: '07 the models: columns cut off',
    view: enDark,
    who: 'root',
    proof: BUDGETED,
    async look(visitor, page) {
      await visitor.goto('/model-hub');
      await page.getByText(LONG).first().waitFor();
      expect(await cutOff(regionOf(page))).toBe(0);
    },
  },
  {
    fault: '08 the users: fourteen columns, the last of them cut off',
    view: zh,
    who: 'root',
    proof: BUDGETED,
    async look(visitor, page) {
      await visitor.goto('/user');
      expect(await page.locator('th').count()).toBeLessThan(14);
      expect(await cutOff(regionOf(page))).toBe(0);
    },
  },
  {
    fault: '09 after a test of all channels, the row of one that failed says that it is untested',
    view: en,
    who: 'root',
    proof: [
      'tests/browser/channel-many.test.ts',
      'tests all channels in the background, with progress, a result a row, and what failed again',
    ],
    async look(visitor, page) {
      await visitor.goto('/channel');
      await page.getByRole('button', { name: 'Test many' }).click();
      await page.getByRole('menuitem', { name: 'All channels', exact: true }).click();
      const panel = page.getByRole('dialog', { name: 'Channel tests' });
      await panel
        .getByText(/ failed · done$/)
        .first()
        .waitFor();
      await panel.getByRole('button', { name: 'Close' }).click();
      const row = page.getByRole('row').filter({ hasText: 'broken' });
      await row.getByText(/^failed /).waitFor();
      expect(await cards(page).filter({ hasText: 'Untested' }).count()).toBe(0);
    },
  },
  {
    fault: '10 the filters of channels: a button alone in a second line',
    view: zhDark,
    who: 'root',
    proof: [TABLES, 'the filters of channels stand in one line'],
    async look(visitor, page) {
      await visitor.goto('/channel');
      const tops = await page
        .locator('search')
        .locator('input:not([type=checkbox]), select, button')
        .evaluateAll((all) => [
          ...new Set(all.flatMap((one) => (one.checkVisibility() ? [one.getBoundingClientRect().top] : []))),
        ]);
      expect(tops).toHaveLength(1);
    },
  },
  {
    fault: '11 the prices: what a group pays is cut off',
    view: en,
    who: 'root',
    async look(visitor, page) {
      await visitor.goto('/setting?tab=visual');
      const table = page.getByRole('region', { name: 'Model prices' }).getByRole('region');
      await table.getByRole('row').nth(1).waitFor();
      expect(await cutOff(table)).toBe(0);
    },
  },
  {
    fault: '12 a refused call of the playground: the id of the request twice',
    view: enPhone,
    who: 'poor',
    proof: [
      'tests/browser/playground.test.ts',
      'leads whoever has nothing left to his wallet, and names the request once',
    ],
    async look(visitor, page) {
      await visitor.goto('/token/chat');
      await page.getByRole('textbox', { name: 'Message' }).fill('Hello');
      await page.keyboard.press('Enter');
      const told = page.getByRole('log', { name: 'Conversation' }).getByText(/The call failed: /);
      await told.waitFor();
      const ids = (await page.getByRole('log').textContent())?.match(
        /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g,
      );
      expect(ids).toHaveLength(1);
    },
  },
  {
    fault: '13 a new token: it expires at −1',
    view: en,
    who: 'user',
    proof: [TABLES, 'say of a token without an end that it never expires'],
    async look(visitor, page) {
      await visitor.goto('/token/add');
      const field = page.getByRole('textbox', { name: 'Expires' });
      expect([await field.inputValue(), await field.getAttribute('placeholder')]).toEqual(['', 'Never']);
      expect(await page.getByRole('dialog').textContent()).not.toContain('-1');
    },
  },
  {
    fault: '14 the log: flooded by tests of channels',
    view: en,
    who: 'root',
    proof: ['tests/http/log/logs.test.ts', 'leaves tests of channels out'],
    async look(visitor, page) {
      await visitor.goto('/log?range=7d&type=7');
      expect(await cards(page).count()).toBeGreaterThan(1);
      await visitor.goto('/log');
      expect(await cards(page).count()).toBeGreaterThan(1);
      expect(await cards(page).filter({ hasText: 'Channel test' }).count()).toBe(0);
      // What was refused, and says why, has room too.
      expect(await cards(page).filter({ hasText: 'Failed' }).count()).toBeGreaterThan(1);
      expect(await cutOff(regionOf(page))).toBe(0);
    },
  },
  {
    fault: '15 a token is made: half of the page is empty, and no word of how it is used',
    view: enPhone,
    who: 'user',
    proof: [
      'tests/browser/walk.test.ts',
      'leads from the set-up over a channel and a token to an answer and its cost',
    ],
    async look(visitor, page) {
      await visitor.goto('/token/add');
      await page.locator('input[name=name]:focus').waitFor();
      await page.locator('input[name=name]').fill('my phone');
      await page.keyboard.press('Control+Enter');
      const key = await page.getByRole('textbox', { name: 'Key' }).inputValue();
      await page.getByRole('tab', { name: 'curl' }).click();
      const sample = page.getByRole('region', { name: 'curl' });
      expect(await sample.textContent()).toContain(`Bearer ${key}`);
      expect(await bottomOf(sample)).toBeGreaterThan(heightOf(PHONE) / 2);
    },
  },
  {
    fault: '16 the sign-in page in Chinese: no way to register',
    view: zhPhone,
    who: 'guest',
    proof: ['tests/browser/home.test.ts', 'leads to registration by its menu on the phone, in Chinese too'],
    async look(visitor, page) {
      await visitor.goto('/');
      await page.getByRole('main').getByRole('link', { name: '注册' }).first().waitFor();
      await visitor.goto('/login');
      await page.getByRole('button', { name: '打开菜单' }).click();
      await page.getByRole('dialog').getByRole('link', { name: '注册' }).waitFor();
    },
  },
  {
    fault: '17 the settings: one long page without parts',
    view: en,
    who: 'root',
    proof: ['tests/browser/setting.test.ts', 'leads to the parts of a long tab from its top'],
    async look(visitor, page) {
      await visitor.goto('/setting');
      const parts = page.getByRole('navigation', { name: 'Parts of this page' }).getByRole('link');
      expect(await parts.count()).toBeGreaterThan(8);
      await page.getByRole('link', { name: 'Visual ratios' }).waitFor();
      // Where search stands on every page.
      const search = await page.getByRole('searchbox', { name: 'Search all options' }).boundingBox();
      expect(search && search.x < DESK / 2 && search.y < 200).toBe(true);
    },
  },
  {
    fault: '18 cards of the log: no token, no time that it took, no channel',
    view: enPhone,
    who: 'root',
    async look(visitor, page) {
      await visitor.goto('/log?range=7d&type=2');
      const told = await cards(page).allInnerTexts();
      expect(told.length).toBeGreaterThan(2);
      const isTold = (text: string) =>
        [/laptop\s+3\d\d → 40/, /1\.0\s\/ 0\.6/, /Channel \d/].every((part) => part.test(text));
      expect(told.filter((text) => !isTold(text))).toEqual([]);
    },
  },
  {
    fault: '19 the models on the phone: what copies a name stands in a line of its own',
    view: enPhone,
    who: 'root',
    proof: [TABLES, 'the way to copy a name stands behind it'],
    async look(visitor, page) {
      await visitor.goto('/model-hub');
      const buttons = page.getByRole('button', { name: /^Copy the name / });
      expect(await buttons.count()).toBeGreaterThan(3);
      const wrapped = await buttons.evaluateAll((all) =>
        all
          .filter((button) => {
            const name = button.previousElementSibling?.getBoundingClientRect();
            return !name || button.getBoundingClientRect().top >= name.bottom;
          })
          .map((button) => button.getAttribute('aria-label')),
      );
      expect(wrapped).toEqual([]);
    },
  },
  {
    fault: '20 the log refreshed without a network: its rows are lost',
    view: en,
    who: 'root',
    proof: [TABLES, '%s keeps its rows, says so, and tries again'],
    async look(visitor, page) {
      await visitor.goto('/log');
      const rows = await cards(page).count();
      await page.context().setOffline(true);
      await page.getByRole('button', { name: 'Refresh', exact: true }).click();
      await page.getByRole('alert').filter({ hasText: 'Refresh failed' }).waitFor();
      expect(rows).toBeGreaterThan(1);
      expect(await cards(page).count()).toBe(rows);
    },
  },
  {
    fault: '21 a key to be copied by hand: its dialog cannot be closed',
    view: en,
    who: 'user',
    proof: [
      'tests/browser/token.test.ts',
      'is copied by the older command where the clipboard is closed, and by hand where both are',
    ],
    async look(visitor, page) {
      await visitor.goto('/token');
      await page.evaluate(() => {
        Object.defineProperty(navigator, 'clipboard', { value: undefined });
        document.execCommand = () => false;
      });
      await page.getByRole('button', { name: 'Copy the key of laptop' }).click();
      const byHand = page.getByRole('dialog', { name: /please copy by hand/ });
      await byHand.getByRole('button', { name: 'Close' }).first().waitFor();
    },
  },
];

it('each is proven by a test that is there', async () => {
  expect(PLACES).toHaveLength(21);
  for (const { fault, proof } of PLACES) {
    if (!proof) continue;
    const [file, test] = proof;
    const [before, after] = (await Bun.file(join(import.meta.dir, '../..', file)).text()).split(test);
    const isThere = after !== undefined;
    expect({ fault, isThere, isLong: /inLong\.it\(\s*'[^'\n]*$/.test(before ?? '') }).toEqual({
      fault,
      isThere: true,
      isLong: false,
    });
  }
});

inLong.describe('where it was seen', () => {
  let lived: LivedIn;
  let people: Record<Exclude<Who, 'guest'>, TestUser>;
  beforeAll(async () => {
    lived = await openLivedIn();
    const { site, upstream, root, user } = lived;
    people = { root, user, poor: await site.api.createUser({ username: 'poor', quota: 0 }) };
    const client = await site.api.as(root);
    const channel = { type: 1, key: 'sk-up', base_url: upstream.base, priority: 9 };
    for (const more of [
      { name: 'broken', models: 'gpt-4o@401' },
      { name: 'private', models: `${LONG},mock-a` },
    ])
      expect((await client.post('/api/channel/', { ...channel, ...more })).message).toBe('');
  }, SETTING_UP_MS);
  afterAll(() => lived?.close());

  it.each(PLACES.map((place) => [place.fault, place] as const))(
    '%s',
    async (fault, { view, who, look }) => {
      const visitor = await lived.site.visit({ ...view, ...(who !== 'guest' && { user: people[who] }) });
      visitor.page.setDefaultTimeout(STEP_MS);
      await look(visitor, visitor.page);
      await visitor.shot(fault.replaceAll(/\W+/g, '-'));
    },
    PLACE_MS,
  );
});
