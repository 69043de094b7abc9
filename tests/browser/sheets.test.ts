/** Dialogs on a phone: sheets from below, whose foot stays above the keyboard and whose field is ready to be filled. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import type { TestUser } from '../support/api.ts';
import { openSite, PHONE, quietVisits, type Site } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { tooSmall } from '../support/touch.ts';

/** What a keyboard leaves of a phone's window. */
const ABOVE_KEYBOARD = 420;

let site: Site;
let root: TestUser;
beforeAll(async () => {
  site = await openSite();
  root = await site.api.createUser({ username: 'root', role: 100 });
  await (await site.api.as(root)).post('/api/token/', { name: 'ci', unlimited_quota: true });
}, patience(120_000));
afterAll(() => site.close());

const visit = quietVisits(
  () => site,
  () => ({ user: root, width: PHONE }),
  patience(20_000),
);

const edges = async (what: Locator) => {
  const box = await what.boundingBox();
  if (!box) throw new Error('it is not in sight');
  return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
};

/** The keyboard of Android: the page gets smaller. */
const makeRoom = (page: Page) => page.setViewportSize({ width: PHONE, height: ABOVE_KEYBOARD });

/** The keyboard of iOS, which no machine of ours has: the page stays, and only what is seen of it gets smaller. */
const cover = (page: Page) =>
  page.evaluate((height) => {
    const seen = window.visualViewport;
    if (!seen) throw new Error('the browser does not tell what is seen');
    Object.defineProperty(seen, 'height', { configurable: true, value: height });
    seen.dispatchEvent(new Event('resize'));
  }, ABOVE_KEYBOARD);

it('asks for the code of an authenticator with its field focused and its buttons in sight', async () => {
  const user = await site.api.createUser();
  const { page } = await visit('/personal#two-factor', { user, locale: 'zh', theme: 'dark' });
  await page.getByRole('button', { name: '启用', exact: true }).click();
  const sheet = page.getByRole('dialog');
  const code = sheet.getByLabel('验证码', { exact: true });
  await sheet.locator('input[name=code]:focus').waitFor();
  expect(await edges(sheet)).toMatchObject({ left: 0, right: PHONE, bottom: 844 });
  expect(await tooSmall(page)).toEqual([]);
  const submit = sheet.getByRole('button', { name: '启用', exact: true });

  await code.fill('000000');
  await submit.click();
  await sheet.getByRole('alert').getByText('验证码错误').waitFor();
  expect((await edges(submit)).bottom).toBeLessThanOrEqual(844);

  await makeRoom(page);
  const foot = await edges(submit);
  expect(foot.bottom).toBeLessThanOrEqual(ABOVE_KEYBOARD);
  await code.focus();
  const field = await edges(code);
  expect(field.bottom).toBeLessThanOrEqual(foot.top);
  expect(field.top).toBeGreaterThanOrEqual((await edges(sheet)).top);
});

it('keeps the foot of a form above a keyboard that lies over the page', async () => {
  const { page } = await visit('/token/add');
  const drawer = page.getByRole('dialog', { name: 'Create token' });
  await drawer.locator('input[name=name]:focus').waitFor();
  const create = drawer.getByRole('button', { name: 'Create token' });
  expect((await edges(create)).bottom).toBeGreaterThan(ABOVE_KEYBOARD);
  await cover(page);
  expect((await edges(create)).bottom).toBeLessThanOrEqual(ABOVE_KEYBOARD);
  expect((await edges(drawer)).bottom).toBe(ABOVE_KEYBOARD);
});

it('confirms from below, the safe answer focused, and goes when it is answered', async () => {
  const { page } = await visit('/token');
  await page.getByRole('button', { name: 'More actions: ci' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
  expect(await tooSmall(page)).toEqual([]);
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Cancel' }).and(page.locator(':focus')).waitFor();
  expect(await edges(question)).toMatchObject({ left: 0, right: PHONE, bottom: 844 });
  expect(await tooSmall(page)).toEqual([]);
  await cover(page);
  expect((await edges(question)).bottom).toBe(ABOVE_KEYBOARD);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
});

it.each(usually(['/token'], '/model-hub', '/log'))(
  'the menu and the filters of %s are made for a finger',
  async (path) => {
    const { page } = await visit(path);
    await page.getByRole('button', { name: 'Filters' }).first().click();
    await page.getByRole('dialog').waitFor();
    expect(await tooSmall(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Open menu' }).click();
    await page.getByRole('dialog').waitFor();
    expect(await tooSmall(page)).toEqual([]);
  },
);

it('asks how many only where there is room for what many are', async () => {
  const { page } = await visit('/token/add');
  const count = page.getByRole('textbox', { name: 'How many' });
  await page.getByRole('textbox', { name: 'Name' }).waitFor();
  expect(await count.isVisible()).toBe(false);
  await page.setViewportSize({ width: 1280, height: 850 });
  expect(await count.isVisible()).toBe(true);
});
