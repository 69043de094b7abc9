/** What holds of lists: what the address keeps, what stays in sight, what is said when there is nothing to show. */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Page } from 'playwright';
import type { TestUser } from '../support/api.ts';
import { PHONE } from '../support/browser.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { isPhone, type Prover, point, views } from './point.ts';

let lived: LivedIn;
let newcomer: TestUser;
beforeAll(async () => {
  lived = await openLivedIn();
  newcomer = await lived.site.api.createUser({ username: 'newcomer' });
}, SETTING_UP_MS);
afterAll(() => lived?.close());

const site = () => lived.site;
const root = () => lived.root;
const asRoot = { site, user: root };

const LISTS = ['/token', '/channel', '/user', '/redemption', '/log?range=7d', '/model-hub', '/admin-log'];

/** What stands in the rows, but how long ago something was. */
const rowsOf = (page: Page): Promise<string[]> =>
  page.locator('tbody > tr').evaluateAll((rows) =>
    rows.map((row) => {
      const still = row.cloneNode(true) as Element;
      for (const time of still.querySelectorAll('time')) time.replaceWith(time.dateTime);
      return still.textContent ?? '';
    }),
  );
const pathOf = (page: Page): string => page.url().replace(/^https?:\/\/[^/]+/, '');
const perPage = ({ page, t }: Prover) => page.getByLabel(t('table.perPage'));

point(13, { ...asRoot, views: views().filter(isPhone) }, async ({ page, goto, t }) => {
  for (const path of LISTS) {
    await goto(path);
    const row = page.locator('tbody > tr').first();
    const { display, right } = await row.evaluate((one) => ({
      display: getComputedStyle(one).display,
      right: one.getBoundingClientRect().right,
    }));
    expect({ path, isCard: display !== 'table-row', fits: right <= PHONE }).toEqual({
      path,
      isCard: true,
      fits: true,
    });
    // Every control of a card can be seen without a pointer over it.
    const hidden = await row.evaluate((one) =>
      [...one.querySelectorAll('a[href], button')]
        .filter((control) => getComputedStyle(control).opacity === '0')
        .map((control) => control.outerHTML.slice(0, 80)),
    );
    expect({ path, hidden }).toEqual({ path, hidden: [] });
  }
  for (const [path, name] of [
    ['/token', 'ci'],
    ['/channel', 'channel-1'],
    ['/user', 'una'],
  ]) {
    await goto(`${path}?q=${name}`);
    await page.getByRole('button', { name: t('table.more', { name }), exact: true }).tap();
    await page.getByRole('menuitem').first().waitFor();
    expect(await page.getByRole('menuitem').count()).toBeGreaterThan(2);
  }
  return `${LISTS.length} lists as cards`;
});

point(23, asRoot, async ({ page, goto, t, phone }) => {
  let heads = 0;
  for (const path of LISTS) {
    await goto(path);
    const sorts = await page
      .locator('th:has(a)')
      .evaluateAll((all) => all.map((head) => head.getAttribute('aria-sort') ?? 'missing'));
    expect({ path, missing: sorts.filter((one) => one === 'missing') }).toEqual({ path, missing: [] });
    heads += sorts.length;
  }
  if (!phone) {
    await goto('/user');
    await page
      .getByRole('columnheader', { name: t('user.username') })
      .getByRole('link')
      .click();
    await page.locator('th[aria-sort=descending]').waitFor();
  }
  await goto('/log?range=7d&type=2');
  const open = page.locator('tbody button[aria-expanded]').first();
  expect(await open.getAttribute('aria-expanded')).toBe('false');
  await open.click();
  await page.locator('tbody button[aria-expanded=true]').waitFor();
  await goto('/channel');
  await page.getByRole('button', { name: t('channel.testMenu') }).click();
  await page.getByRole('menuitem', { name: t('channel.scopeAll') }).click();
  const bar = page.getByRole('progressbar').first();
  await bar.waitFor();
  expect(await bar.getAttribute('aria-valuetext')).toMatch(/\d+/);
  return `${heads} heads that sort`;
});

point(34, asRoot, async ({ page, goto, visitor, t }) => {
  await goto('/user?group=default&sort=username');
  await page.getByRole('link', { name: t('table.next') }).click();
  await page.waitForURL(/[?&]p=2/);
  const address = pathOf(page);
  expect(new URL(page.url()).searchParams.toString().split('&').sort()).toEqual([
    'group=default',
    'p=2',
    'sort=username',
  ]);
  await page.locator('tbody > tr').nth(9).waitFor({ state: 'detached' });
  const rows = await rowsOf(page);
  await page.reload();
  await visitor.settled();
  expect(await rowsOf(page)).toEqual(rows);
  const tab = await page.context().newPage();
  await tab.goto(address);
  expect(await rowsOf(tab)).toEqual(rows);
  await tab.goto('/setting?tab=ratelimit');
  const panel = await tab.locator('main h2, main h3').allTextContents();
  await tab.reload();
  expect(await tab.locator('main h2, main h3').allTextContents()).toEqual(panel);
  await tab.close();
});

point(35, asRoot, async ({ page, goto, dialog }) => {
  const { width = 0 } = page.viewportSize() ?? {};
  await page.setViewportSize({ width, height: 420 });
  await goto('/channel?p=2');
  const last = page.locator('tbody > tr').last();
  await last.scrollIntoViewIfNeeded();
  const before = { address: pathOf(page), top: await page.evaluate(() => scrollY) };
  expect(before.top).toBeGreaterThan(0);
  await last.locator('a[href*="/edit/"]').first().click();
  await dialog.waitFor();
  const drawer = pathOf(page);
  expect(drawer).toContain('/channel/edit/');
  await page.goBack();
  await dialog.waitFor({ state: 'detached' });
  expect({ address: pathOf(page), top: await page.evaluate(() => scrollY) }).toEqual(before);
  await page.goForward();
  await dialog.waitFor();
  await page.reload();
  await dialog.waitFor();
  expect(pathOf(page)).toBe(drawer);
});

point(36, asRoot, async (prover) => {
  const { page, goto } = prover;
  await goto('/channel');
  await perPage(prover).selectOption('20');
  await page.waitForURL(/size=20/);
  await goto('/user');
  expect(await perPage(prover).inputValue()).toBe('20');
  expect((await rowsOf(page)).length).toBeGreaterThan(10);
  const offered = await perPage(prover).locator('option').allTextContents();
  expect(offered).toEqual(['10', '20', '50', '100']);
  // It outlives the session: a cookie of a year.
  const [kept] = (await page.context().cookies()).filter(({ name }) => name === 'page-size');
  expect((kept?.expires ?? 0) - Date.now() / 1000).toBeGreaterThan(300 * 86_400);
  return 'offers 10, 20, 50, 100';
});

point(38, asRoot, async ({ page, goto, refresh }) => {
  let asked: URL[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.pathname.startsWith('/api/')) asked.push(url);
  });
  let most = 0;
  for (const path of LISTS) {
    asked = [];
    await goto(`${path}${path.includes('?') ? '&' : '?'}size=100000`);
    expect((await rowsOf(page)).length).toBeLessThanOrEqual(200);
    await refresh();
    await page.locator('section[aria-busy=false]:has(.data-table)').first().waitFor();
    const sizes = asked.flatMap(({ searchParams }) =>
      ['size', 'page_size', 'limit'].map((name) => Number(searchParams.get(name) ?? 0)),
    );
    most = Math.max(most, ...sizes);
    const perCall = Object.values(Object.groupBy(asked, ({ pathname }) => pathname)).map(
      (calls) => calls?.length ?? 0,
    );
    expect({ path, most: Math.max(0, ...sizes) <= 100, loops: perCall.filter((calls) => calls > 3) }).toEqual(
      {
        path,
        most: true,
        loops: [],
      },
    );
  }
  return `at most ${most} rows asked for`;
});

point(39, asRoot, async ({ page, goto, t }) => {
  await goto('/user');
  const first = await rowsOf(page);
  const gate = Promise.withResolvers<void>();
  await page.route('**/api/user/search?*', async (route) => {
    await gate.promise;
    await route.continue();
  });
  const asked = page.waitForRequest('**/api/user/search?*');
  await page.getByRole('link', { name: t('table.next') }).click();
  await asked;
  await page.locator('section[aria-busy=true]').first().waitFor();
  expect(await rowsOf(page)).toEqual(first);
  expect(await page.locator('[data-skeleton], .animate-pulse').count()).toBe(0);
  gate.resolve();
  await page.locator('section[aria-busy=false]').first().waitFor();
  await page.waitForFunction((old) => document.querySelector('tbody > tr')?.textContent !== old, first[0]);
  await page.unrouteAll();
});

point(40, { site, user: () => newcomer, mayComplain: (text) => text.includes('500') }, async (prover) => {
  const { page, goto, button, t, refresh } = prover;
  const main = page.getByRole('main');
  // Never any.
  await goto('/token');
  await main.getByText(t('token.emptyTitle')).waitFor();
  await main
    .getByRole('link', { name: t('token.create') })
    .last()
    .waitFor();
  // Where nothing is, nothing is offered to be chosen or put in order.
  expect(await button(t('table.select')).count()).toBe(0);
  expect(await page.getByRole('combobox', { name: t('table.sort'), includeHidden: true }).count()).toBe(0);
  // None that matches.
  await goto('/token?q=nobody-has-this');
  await main.getByText(t('token.noMatchTitle')).waitFor();
  expect(await main.getByText(t('token.emptyTitle')).count()).toBe(0);
  await main
    .getByRole('link', { name: t('table.clearFilters') })
    .or(button(t('table.clearFilters')))
    .last()
    .click();
  await main.getByText(t('token.emptyTitle')).waitFor();
  // None that could be fetched.
  const json = { success: false, code: 'INTERNAL', message: 'no luck' };
  await page.route('**/api/token/page*', (route) =>
    route.fulfill({ status: 500, json, headers: { 'x-request-id': 'req-7' } }),
  );
  await refresh();
  const bar = page.getByRole('alert').filter({ hasText: t('table.refreshFailed') });
  await bar.waitFor();
  expect(await bar.textContent()).toContain('req-7');
  await page.unrouteAll();
  await bar.getByRole('button', { name: t('app.retry') }).click();
  await bar.waitFor({ state: 'detached' });
});

point(33, asRoot, async ({ page, goto }) => {
  await goto('/channel?q=channel-1');
  // What nobody has asked for yet is not known; what is nought is nought.
  const row = page.getByRole('row').filter({ hasText: 'channel-1' }).first();
  expect(await row.textContent()).toContain('—');
  const weight = row.locator('input').last();
  expect(await weight.inputValue()).toBe('0');
  await goto('/log?range=15m&model=nobody-calls-this');
  expect(await page.locator('main dl').first().textContent()).toMatch(/\b0\b/);
});

point(48, asRoot, async ({ page, goto, t }) => {
  await goto('/channel?q=channel-3');
  const label = t('channel.priorityOf', { name: 'channel-3' });
  const field = page.getByLabel(label, { exact: true });
  const old = await field.inputValue();
  const next = String(Number(old) + 1);
  await field.fill('55');
  await field.press('Escape');
  expect(await field.inputValue()).toBe(old);
  const saved = page.waitForResponse((one) => one.request().method() === 'PUT');
  await field.fill(next);
  await field.press('Enter');
  await saved;
  expect(await field.inputValue()).toBe(next);
  await page.route('**/api/channel/', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ json: { success: false, message: 'not now', code: 'X' } })
      : route.continue(),
  );
  await field.fill('77');
  await field.press('Enter');
  await page
    .getByText(/not now/)
    .first()
    .waitFor();
  expect(await field.inputValue()).toBe(next);
  await page.unrouteAll();
});

const KEY = `sk-Ab3d${'x'.repeat(41)}9f2`;
const SEARCHED = ['/token', '/channel', '/user', '/redemption', '/payment', '/admin-log', '/log?range=7d'];

point(50, asRoot, async ({ page, goto }) => {
  for (const path of SEARCHED) {
    await goto(path);
    const before = page.url();
    const field = page.locator('main input[type=search]').first();
    await field.fill(KEY);
    await field.press('Enter');
    await page.waitForURL((url) => url.href !== before);
    expect({ path, address: decodeURIComponent(page.url()).includes(KEY.slice(3, 20)) }).toEqual({
      path,
      address: false,
    });
  }
  return `typed into ${SEARCHED.length} search fields`;
});
