/** What holds of forms, questions and drawers: nothing is lost, nothing is done twice, and what is wrong is said. */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Locator } from 'playwright';
import { PASSWORD } from '../support/api.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { type Prover, point } from './point.ts';

let lived: LivedIn;
beforeAll(async () => {
  lived = await openLivedIn();
}, SETTING_UP_MS);
afterAll(() => lived?.close());

const site = () => lived.site;
const asRoot = { site, user: () => lived.root };
const asUser = { site, user: () => lived.user };

const question = ({ page }: Prover) => page.getByRole('alertdialog');
const focused = (locator: Locator) => locator.evaluate((element) => element === document.activeElement);
const submitOf = ({ dialog }: Prover) => dialog.locator('button[type=submit]');
const nameField = ({ dialog }: Prover) => dialog.locator('input[name=name]');

point(21, asUser, async ({ page, goto, dialog, t }) => {
  await goto('/token');
  const opener = page.getByRole('link', { name: t('token.create') }).first();
  await opener.focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await dialog.locator('input').first().waitFor();
  const outside: string[] = [];
  for (let press = 0; press < 40; press++) {
    await page.keyboard.press(press < 30 ? 'Tab' : 'Shift+Tab');
    const where = await page.evaluate(() =>
      document.activeElement?.closest('[role=dialog]')
        ? ''
        : (document.activeElement?.outerHTML.slice(0, 80) ?? 'none'),
    );
    if (where) outside.push(where);
  }
  expect(outside).toEqual([]);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.waitForFunction(() => document.activeElement?.getAttribute('href')?.endsWith('/token/add'));
});

/** Lists whose first row can be deleted by its menu, and what its name is. */
const DELETED: [path: string, name: string, action: Parameters<Prover['t']>[0]][] = [
  ['/token', 'ci', 'token.delete'],
  ['/channel?q=channel-4', 'channel-4', 'channel.delete'],
  ['/oauth-apps', 'Notes', 'oauthApp.delete'],
  ['/aipy-conf/prompts', 'Trip to Lisbon', 'desk.delete'],
  ['/aipy-conf/roles', 'Clerk', 'desk.delete'],
];

point(41, asRoot, async (prover) => {
  const { page, goto, t } = prover;
  for (const [path, name, action] of DELETED) {
    await goto(path);
    await page.getByRole('button', { name: t('table.more', { name }), exact: true }).click();
    await page.getByRole('menuitem', { name: t(action), exact: true }).click();
    const asked = question(prover);
    await asked.waitFor();
    const text = (await asked.textContent()) ?? '';
    expect(text).toContain(name);
    // The name, a consequence, two buttons.
    expect(text.length).toBeGreaterThan(name.length + 20);
    const [safe, verb] = await asked.getByRole('button').all();
    if (!safe || !verb) throw new Error('no two buttons');
    expect({ path, safe: await focused(safe) }).toEqual({ path, safe: true });
    expect(await verb.textContent()).not.toMatch(/^(OK|确定|好)$/);
    await page.keyboard.press('Escape');
    await asked.waitFor({ state: 'detached' });
  }
  return `${DELETED.length} questions`;
});

point(42, asRoot, async (prover) => {
  const { page, goto, t, button } = prover;
  const typed = async (word: string) => {
    const asked = question(prover).or(page.getByRole('dialog')).last();
    await asked.waitFor();
    const act = asked.getByRole('button').last();
    const field = asked.getByRole('textbox');
    const isShut = await act.isDisabled();
    await field.fill(`${word}x`);
    expect([isShut, await act.isDisabled()]).toEqual([true, true]);
    await field.fill(word);
    expect(await act.isEnabled()).toBe(true);
    await page.keyboard.press('Escape');
  };
  for (const action of ['user.delete', 'user.erase'] as const) {
    await goto('/user?q=person-5');
    await page.getByRole('button', { name: t('table.more', { name: 'person-5' }), exact: true }).click();
    await page.getByRole('menuitem', { name: t(action), exact: true }).click();
    await typed('person-5');
  }
  await goto('/channel');
  await page.getByRole('button', { name: t('channel.moreMenu') }).click();
  await page.getByRole('menuitem', { name: t('channel.deleteOff') }).click();
  await typed(t('channel.deleteOffWord'));
  await goto('/setting');
  await button(t('prices.reset')).first().click();
  await typed(t('prices.resetWord'));
  return 'cancel, erase, delete all that is off, reset ratios, delete one’s account';
});

point(42, { ...asUser, mayComplain: (text) => text.includes('500') }, async ({ page, goto, t, dialog }) => {
  let sent = 0;
  await page.route('**/api/user/self', (route) => {
    if (route.request().method() !== 'DELETE') return route.continue();
    sent++;
    return route.fulfill({ json: { success: false, message: 'not now', code: 'X' } });
  });
  // Its anchor unfolds the section on the phone.
  await goto('/personal#account');
  await page.getByRole('button', { name: t('personal.delete'), exact: true }).click();
  const field = dialog.getByRole('textbox');
  const act = dialog.getByRole('button', { name: t('personal.delete'), exact: true });
  await act.click();
  await dialog.getByText(t('personal.deleteNameNeeded')).waitFor();
  await field.fill(`${lived.user.username}x`);
  await act.click();
  await dialog.getByText(t('personal.deleteNameWrong')).waitFor();
  expect(sent).toBe(0);
  await field.fill(lived.user.username);
  await act.click();
  await dialog.getByText('not now').waitFor();
  expect(sent).toBe(1);
  await page.unrouteAll();
});

point(43, asUser, async (prover) => {
  const { page, goto, dialog, t, phone } = prover;
  await goto('/token');
  await page
    .getByRole('main')
    .getByRole('link', { name: t('token.create') })
    .first()
    .click();
  await nameField(prover).fill('half written');
  const keep = async () => {
    const asked = question(prover);
    await asked.getByText(t('app.discardTitle')).waitFor();
    await asked.getByRole('button', { name: t('app.keepEditing') }).click();
    await asked.waitFor({ state: 'detached' });
    expect(await nameField(prover).inputValue()).toBe('half written');
  };
  // On the phone nothing lies outside.
  if (!phone) {
    await page.mouse.click(20, 400);
    await page.mouse.click(300, 700);
    expect([await dialog.count(), await question(prover).count()]).toEqual([1, 0]);
  }
  await dialog
    .getByRole('button', { name: t('app.close') })
    .first()
    .click();
  await keep();
  await page.keyboard.press('Escape');
  await keep();
  await page.evaluate(() => history.back());
  await keep();
  // The browser itself asks before the tab goes.
  const leaves = page.waitForEvent('dialog');
  const gone = page.reload().catch(() => undefined);
  const asked = await leaves;
  expect(asked.type()).toBe('beforeunload');
  await asked.accept();
  await gone;
});

point(44, asUser, async (prover) => {
  const { page, goto, dialog } = prover;
  await goto('/token/add');
  await nameField(prover).fill('kept');
  await page.route('**/api/token/', (route) =>
    route.fulfill({ json: { success: false, message: 'The moon is in the way', code: 'X' } }),
  );
  await submitOf(prover).click();
  await dialog.getByRole('alert').filter({ hasText: 'The moon is in the way' }).waitFor();
  expect(await nameField(prover).inputValue()).toBe('kept');
  await page.unrouteAll();
});

point(45, asRoot, async (prover) => {
  const { page, goto, dialog, t } = prover;
  await goto('/channel/add');
  await submitOf(prover).click();
  await dialog.getByText(t('channel.modelsNeeded')).waitFor();
  const wrong = await dialog.locator('[aria-invalid=true]').count();
  expect(wrong).toBeGreaterThan(1);
  await page.waitForFunction(() => document.activeElement?.getAttribute('aria-invalid') === 'true');
  const isFirst = await dialog
    .locator('[aria-invalid=true]')
    .first()
    .evaluate((element) => element === document.activeElement);
  expect(isFirst).toBe(true);
  const said = dialog.getByRole('status').filter({ hasText: /\d/ });
  expect(await said.textContent()).toMatch(/\d/);
  // What stands there for a screen reader must not be taken away from it.
  expect(await said.evaluate((element) => element.checkVisibility())).toBe(true);
  return `${wrong} fields, the first focused`;
});

point(46, asRoot, async ({ page, goto, t }) => {
  await goto('/setting?tab=ratelimit');
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') calls.push(request.url());
  });
  await page
    .getByRole('button', { name: new RegExp(`^${t('app.save')}`) })
    .first()
    .click();
  await page.getByText(t('app.nothingChanged')).first().waitFor();
  expect(calls).toEqual([]);
});

/** Forms that make something, what fills them, and the call that they make. */
const MADE: [path: string, call: string, fill: (prover: Prover, n: number) => Promise<void>][] = [
  ['/token/add', '**/api/token/', (prover, n) => nameField(prover).fill(`twice-${n}`)],
  [
    '/user/add',
    '**/api/user/',
    async ({ dialog, t }, n) => {
      await dialog.getByLabel(t('user.username'), { exact: true }).fill(`twice${n}`);
      await dialog.getByLabel(t('user.password'), { exact: true }).fill(PASSWORD);
    },
  ],
  [
    '/redemption/add',
    '**/api/redemption/',
    async ({ dialog, t }) => {
      await dialog.getByLabel(t('redemption.name'), { exact: true }).fill('twice');
    },
  ],
];

let tries = 0;
point(47, asRoot, async (prover) => {
  const { page, goto } = prover;
  tries++;
  for (const [path, call, fill] of MADE) {
    await goto(path);
    await fill(prover, tries);
    let sent = 0;
    await page.route(call, async (route) => {
      if (route.request().method() === 'POST') sent++;
      await route.continue();
    });
    const answered = page.waitForResponse((one) => one.request().method() === 'POST');
    await submitOf(prover).dblclick();
    await answered;
    expect({ path, sent }).toEqual({ path, sent: 1 });
    await page.unrouteAll();
    // What was made is there to be saved first.
    page.removeAllListeners('dialog');
    page.on('dialog', (one) => void one.accept());
  }
  return `${MADE.length} forms`;
});
