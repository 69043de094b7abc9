/** Short messages: they never lie on what one presses, and are never the only record of a failure. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import type { TestUser } from '../support/api.ts';
import { openSite, PHONE, quietVisits, type Site } from '../support/browser.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let rootUser: TestUser;
beforeAll(async () => {
  site = await openSite();
  rootUser = await site.api.createUser({ username: 'root', role: 100 });
  const root = await site.api.as(rootUser);
  await root.post('/api/channel/', { name: 'c', type: 1, key: 'k', models: 'gpt-4o', group: 'default' });
}, patience(120_000));
afterAll(() => site.close());

const visit = quietVisits(
  () => site,
  () => ({ user: rootUser }),
  patience(20_000),
);

const message = (page: Page, text: string): Locator =>
  page.locator('[data-sonner-toast]').filter({ hasText: text });

/** Where the pointer would come down on it. */
const isFree = (what: Locator): Promise<boolean> =>
  what.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    const hit = document.elementFromPoint(left + width / 2, top + height / 2);
    return element.contains(hit);
  });

const toTheEnd = (page: Page) => page.evaluate(() => scrollTo(0, document.body.scrollHeight));

it('says at the bar why prices were not saved, and leaves its buttons free', async () => {
  const visitor = await visit('/setting?tab=visual');
  const { page } = visitor;
  await page.setViewportSize({ width: 1280, height: 850 });
  const prices = page.getByRole('region', { name: 'Model prices' });
  const save = prices.getByRole('button', { name: 'Save prices' });
  await page.getByLabel('Input price of gpt-4o', { exact: true }).fill('3');
  await toTheEnd(page);

  await page.route('**/api/model_hub/admin/', (route) =>
    route.fulfill({ status: 500, json: { success: false, message: 'boom', data: null } }),
  );
  await save.click();
  await prices.getByRole('alert').filter({ hasText: 'Save failed: boom' }).waitFor();
  expect(await isFree(save)).toBe(true);
  await page.unroute('**/api/model_hub/admin/');
  visitor.complaints.splice(0);

  await save.click();
  await message(page, 'Saved').waitFor();
  expect(await prices.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
  await toTheEnd(page);
  expect(await isFree(save)).toBe(true);
});

it('leaves the save button of options free, whatever it said', async () => {
  const { page } = await visit('/setting?tab=ratelimit');
  const save = page.getByRole('button', { name: /^Save:/ }).last();
  for (const height of [850, 500]) {
    await page.setViewportSize({ width: 1280, height });
    await toTheEnd(page);
    await save.click();
    await message(page, 'Nothing').first().waitFor();
    expect(await isFree(save), `${height} px high`).toBe(true);
  }
});

it('lies behind the open menu of a phone', async () => {
  const { page } = await visit('/setting?tab=ratelimit', { width: PHONE });
  await page
    .getByRole('button', { name: /^Save:/ })
    .last()
    .click();
  const told = page.locator('[data-sonner-toast]').first();
  await told.waitFor();
  await page.getByRole('button', { name: 'Open menu' }).click();
  const menu = page.getByRole('dialog');
  await menu.waitFor();
  // Under a menu nothing else can be pressed, so that the pointer does not tell what is in front.
  const level = (what: Locator) => what.evaluate((element) => Number(getComputedStyle(element).zIndex));
  expect(await level(page.locator('[data-sonner-toaster]'))).toBeLessThan(await level(menu));
});
