/** The whole way from signing in to a read log without a pointer. */
import { afterAll, beforeAll, expect } from 'bun:test';
import type { Locator } from 'playwright';
import { PASSWORD } from '../support/api.ts';
import { type LivedIn, openLivedIn, SETTING_UP_MS } from '../support/lived-in.ts';
import { type Prover, point } from './point.ts';

let lived: LivedIn;
beforeAll(async () => {
  lived = await openLivedIn({ rows: 3 });
}, SETTING_UP_MS);
afterAll(() => lived?.close());

const MOST_TABS = 90;

/** Tabs until it has the focus. */
async function tabTo({ page }: Prover, what: Locator): Promise<void> {
  for (let press = 0; press < MOST_TABS; press++) {
    const isThere =
      (await what.count()) > 0 && (await what.first().evaluate((one) => one === document.activeElement));
    if (isThere) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${what}`);
}

/** The address changes before the page does: until its heading is there Tab goes through the page before. */
async function go(prover: Prover, to: 'token' | 'log'): Promise<void> {
  const { page, dialog, t } = prover;
  const path = `/${to}`;
  await page.keyboard.press('Control+k');
  await dialog.getByRole('combobox').waitFor();
  await page.keyboard.type(t(`nav.${to}`));
  await dialog.getByRole('option').filter({ hasText: path }).first().waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(`**${path}`);
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1, name: t(`${to}.title`) }).waitFor();
}

let made = 0;
point(19, { site: () => lived.site }, async (prover) => {
  const { page, goto, t, locale, dialog, visitor } = prover;
  const type = async (what: Locator, text: string) => {
    await tabTo(prover, what);
    await page.keyboard.type(text);
  };
  const press = async (what: Locator) => {
    await tabTo(prover, what);
    await page.keyboard.press('Enter');
  };
  const name = `by-keys-${++made}`;

  await goto('/login?by=password&next=%2Fchannel');
  await type(page.getByLabel(t('login.username'), { exact: true }), 'root');
  await type(page.getByLabel(t('login.password'), { exact: true }), PASSWORD);
  if (locale === 'zh') {
    await tabTo(prover, page.getByRole('checkbox'));
    await page.keyboard.press('Space');
  }
  await press(page.getByRole('button', { name: t('login.submit'), exact: true }));
  await page.waitForURL('**/channel');
  await visitor.settled();

  await press(page.getByRole('main').getByRole('link', { name: t('channel.add') }));
  await dialog.waitFor();
  await type(dialog.getByLabel(t('channel.name'), { exact: true }), name);
  await type(dialog.getByLabel(t('channel.key'), { exact: true }), 'sk-up');
  await type(dialog.getByLabel(t('channel.baseUrl'), { exact: true }), lived.upstream.base);
  await type(dialog.getByRole('combobox', { name: t('channel.models') }), 'gpt-4o');
  await page.keyboard.press('Enter');
  await press(dialog.locator('button[type=submit]'));
  await page.waitForURL('**/channel/edit/*');
  await dialog
    .getByText(t('channel.testOk', { model: 'gpt-4o', time: '' }).trim().slice(0, 8))
    .first()
    .waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await go(prover, 'token');
  await press(
    page
      .getByRole('main')
      .getByRole('link', { name: t('token.create') })
      .first(),
  );
  await dialog.waitFor();
  await type(dialog.locator('input[name=name]'), name);
  await page.keyboard.press('Control+Enter');
  await dialog.getByText(t('token.resultTitle')).waitFor();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await press(dialog.getByRole('button', { name: t('app.copy'), exact: true }).first());
  await page
    .getByRole('status')
    .filter({ hasText: t('app.copied') })
    .first()
    .waitFor();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^sk-[A-Za-z0-9]{48}$/);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });

  await go(prover, 'log');
  await press(page.locator('tbody a[href*="id="]').first());
  await dialog.waitFor();
  expect(page.url()).toMatch(/[?&]id=\d+/);
});
