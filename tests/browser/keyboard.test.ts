/** Coming in without a mouse or a finger: every control is reached by Tab, and every step is made by keys. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import { PASSWORD } from '../support/api.ts';
import { openSite, type Site } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
  await site.api.createUser({ username: 'keys' });
}, patience(120_000));
afterAll(() => site.close());

const STEPS_MAX = 30;

/** Presses Tab until the focus is on what matches, and makes sure that it can be seen there. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let step = 0; step < STEPS_MAX; step++) {
    await page.keyboard.press('Tab');
    const found = await page.evaluate((wanted) => {
      const { activeElement: at } = document;
      if (!at?.matches(wanted)) return null;
      const { outlineStyle, outlineWidth } = getComputedStyle(at);
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 0;
    }, selector);
    if (found === null) continue;
    expect([selector, found]).toEqual([selector, true]);
    return;
  }
  throw new Error(`Tab does not lead to ${selector}`);
}

const inMain = (selector: string) => `main ${selector}`;

describe.each(usually(['zh'], 'en'))('with the keyboard alone, in %s', (locale) => {
  it('one signs in', async () => {
    const visitor = await site.visit({ locale });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    // Past the bars of the page at once.
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.getAttribute('href'))).toBe('#main');
    await page.keyboard.press('Enter');
    await tabTo(page, inMain('input[name=username]'));
    await page.keyboard.type('keys');
    await tabTo(page, inMain('input[name=password]'));
    await page.keyboard.type('Wrong0000');
    if (locale === 'zh') {
      await tabTo(page, inMain('input[name=agreed]'));
      await page.keyboard.press('Space');
    }
    await tabTo(page, inMain('button[type=submit]'));
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(locale === 'zh' ? '用户名或密码错误' : 'Wrong username')
      .waitFor();
    await page.keyboard.press('Shift+Tab');
    while (!(await page.evaluate(() => document.activeElement?.matches('input[name=password]')))) {
      await page.keyboard.press('Shift+Tab');
    }
    await page.keyboard.press('Control+A');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log');
    expect(visitor.complaints).toEqual([]);
  });

  it('one registers, and agrees in the dialog', async () => {
    const visitor = await site.visit({ locale });
    const { page } = visitor;
    await visitor.goto('/register');
    const name = `keys-${locale}`;
    await tabTo(page, inMain('input[name=username]'));
    await page.keyboard.type(name);
    await tabTo(page, inMain('input[name=password]'));
    await page.keyboard.type('short');
    await tabTo(page, inMain('input[name=password2]'));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    // The first field that is wrong has the focus, and says why.
    await page.waitForFunction(() =>
      document.activeElement?.matches('input[name=password][aria-invalid=true]'),
    );
    const why = await page.evaluate(() =>
      (document.activeElement?.getAttribute('aria-describedby') ?? '')
        .split(' ')
        .map((id) => document.getElementById(id)?.textContent ?? '')
        .join(''),
    );
    expect(why).toContain(
      locale === 'zh' ? '密码长度不得小于8位' : 'Password length must not be less than 8',
    );
    await page.keyboard.press('Control+A');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    if (locale === 'zh') {
      const dialog = page.getByRole('alertdialog');
      await dialog.waitFor();
      // The safe answer comes first, and Escape gives it.
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      await tabTo(page, inMain('button[type=submit]'));
      await page.keyboard.press('Enter');
      await dialog.waitFor();
      const agree = dialog.getByRole('button', { name: '同意' });
      for (let step = 0; step < STEPS_MAX; step++) {
        if (await agree.evaluate((button) => button === document.activeElement)) break;
        await page.keyboard.press('Tab');
      }
      await page.keyboard.press('Enter');
    }
    await page.waitForURL('**/login?registered=true');
    await site.api.guest().login(name);
    expect(visitor.complaints).toEqual([]);
  });
});

describe('the waits', () => {
  it('lock the button of a reset mail for 60 seconds', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await page.clock.install();
    await page.route('**/api/reset_password?*', (route) =>
      route.fulfill({ json: { success: true, message: '' } }),
    );
    await visitor.goto('/reset');
    await page.getByRole('textbox', { name: 'Email' }).fill('una@example.com');
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('If una@example.com has an account here').waitFor();
    const waiting = page.getByRole('button', { name: /^\d+ s$/ });
    expect(await waiting.textContent()).toBe('60 s');
    await page.clock.runFor(59_000);
    expect([await waiting.textContent(), await waiting.isDisabled()]).toEqual(['1 s', true]);
    await page.clock.runFor(1_500);
    expect(await page.getByRole('button', { name: 'Send link' }).isEnabled()).toBe(true);
  });

  it('lock the button that sets the new password for 30 seconds', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await page.clock.install();
    await visitor.goto('/user/reset?email=una%40example.com&token=x');
    await page.getByRole('button', { name: 'Confirm reset' }).click();
    await page.getByText('The reset link is invalid or has expired').waitFor();
    await page.reload();
    await visitor.settled();
    const waiting = page.getByRole('button', { name: /^\d+ s$/ });
    expect(Number.parseInt((await waiting.textContent()) ?? '', 10)).toBeWithin(28, 31);
    expect(await waiting.isDisabled()).toBe(true);
    await page.clock.runFor(30_500);
    expect(await page.getByRole('button', { name: 'Confirm reset' }).isEnabled()).toBe(true);
  });
});
