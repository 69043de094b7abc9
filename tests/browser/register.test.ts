/** People make an account, and set a password that they forgot. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { catalogue } from '../../src/core/errors.ts';
import { PASSWORD } from '../support/api.ts';
import { DESK, openSite, PHONE, type Site } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { type MailServer, startMailServer } from '../support/mail-server.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let server: MailServer;
beforeAll(async () => {
  [site, server] = await Promise.all([openSite(), startMailServer()]);
  await site.api.root();
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await server.close();
});
beforeEach(() =>
  site.api.deps.options.set({
    RegisterEnabled: 'true',
    EmailVerificationEnabled: 'false',
    PasswordLoginEnabled: 'true',
    SelfUseModeEnabled: 'false',
    SMTPServer: '127.0.0.1',
    SMTPPort: String(server.port),
    ServerAddress: site.base,
  }),
);

let people = 0;
const newName = () => `reg${++people}`;

describe('registering', () => {
  it('is reached from the sign-in page, works by keyboard alone, and leads back to sign in', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    await page.getByRole('main').getByRole('link', { name: 'Create account' }).click();
    await page.getByRole('heading', { name: 'Create account' }).waitFor();
    const name = newName();
    await page.getByRole('textbox', { name: 'Username' }).focus();
    for (const text of [name, PASSWORD]) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    // The button that shows the password stands between the fields.
    await page.getByLabel('Confirm password', { exact: true }).focus();
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/login?next=%2Flog&registered=true');
    await page.getByText('Registered, please sign in').waitFor();
    await page.getByRole('textbox', { name: 'Username' }).fill(name);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/log');
    expect(visitor.complaints).toEqual([]);
  });

  it('shows a refusal that is to be read first in a window', async () => {
    const { page } = await site.visit({ locale: 'en' }).then(async (visitor) => {
      await visitor.goto('/register');
      return visitor;
    });
    await page.getByRole('textbox', { name: 'Username' }).fill(newName());
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
    // Switched on since the page was made: it has no field for a mailbox.
    await site.api.deps.options.set({ EmailVerificationEnabled: 'true' });
    await page.getByRole('button', { name: 'Create account' }).click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(catalogue.EMAIL_NEEDED.text.en).waitFor();
    await dialog.getByRole('button').click();
    await dialog.waitFor({ state: 'detached' });
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe(PASSWORD);
  });

  it('says what is wrong where it is wrong, and ticks the rules off as they are kept', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/register');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Please enter username and password').first().waitFor();
    const rule = page.getByRole('listitem').filter({ hasText: 'Both passwords are the same' });
    await page.getByLabel('Password', { exact: true }).fill('short12');
    await page.getByText('Password length must not be less than 8').waitFor();
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password', { exact: true }).fill('Passw0rd2');
    await page.getByText('The two passwords do not match').waitFor();
    expect(await rule.textContent()).toContain('(to do)');
    await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
    expect(await rule.textContent()).toContain('(done)');
  });

  it('proves a mailbox by the code that went there', async () => {
    await site.api.deps.options.set({ EmailVerificationEnabled: 'true' });
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/register?aff=abcd');
    await page.getByText('Invited with the code').waitFor();
    const name = newName();
    const email = `${name}@example.com`;
    const send = page.getByRole('button', { name: 'Send code' });
    expect(await send.isDisabled()).toBe(true);
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    const at = server.mails.length;
    await send.click();
    await page.getByText('Verification code sent, please check your mailbox').waitFor();
    const code = /\b\d{6}\b/.exec((await server.nth(at + 1)).text ?? '')?.[0] ?? '';
    const waiting = page.getByRole('button', { name: /^\d+ s$/ });
    expect(await waiting.isDisabled()).toBe(true);
    // Whoever reloads goes on waiting.
    await page.reload();
    await visitor.settled();
    await waiting.waitFor();
    await page.getByRole('textbox', { name: 'Email' }).fill(email);
    await page.getByRole('textbox', { name: 'Username' }).fill(name);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByLabel('Confirm password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('Please enter the verification code').waitFor();
    await page.getByRole('textbox', { name: 'Verification code' }).fill(code);
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.waitForURL('**/login?registered=true');
    await site.api.guest().login(email);
    expect(visitor.complaints).toEqual([]);
  });

  it('is offered nowhere when it is closed', async () => {
    await site.api.deps.options.set({ RegisterEnabled: 'false' });
    const { page } = await site.visit({ locale: 'en', javaScript: false });
    await page.goto('/login');
    expect(await page.getByRole('link', { name: 'Create account' }).count()).toBe(0);
    await page.goto('/register');
    expect(await page.getByText('The administrator has turned off registration').isVisible()).toBe(true);
  });

  it.each([
    ['top bar', DESK],
    ['form, for whose top bar there is no room', PHONE],
  ])('in Chinese is linked from the %s', async (where, width) => {
    const { page } = await site.visit({ locale: 'zh', javaScript: false, width });
    await page.goto('/login');
    const links = (part: 'banner' | 'main') =>
      page.getByRole(part).getByRole('link', { name: '注册' }).count();
    expect([await links('banner'), await links('main')]).toEqual(where === 'top bar' ? [1, 0] : [0, 1]);
  });
});

describe('what goes by mail', () => {
  const offered = async (path: string, role: 'link' | 'button', name: string) => {
    const { page } = await site.visit({ locale: 'en', javaScript: false });
    await page.goto(path);
    return page.getByRole(role, { name }).count();
  };
  const isOffered = async () => [
    await offered('/login', 'link', 'Forgot password'),
    await offered('/register', 'button', 'Send code'),
  ];

  it('is offered where there is a mail server, and a link where the site knows its address', async () => {
    expect(await isOffered()).toEqual([1, 1]);
    await site.api.deps.options.set({ ServerAddress: '' });
    expect(await isOffered()).toEqual([0, 1]);
    await site.api.deps.options.set({ SMTPServer: '' });
    expect(await isOffered()).toEqual([0, 0]);
  });
});

describe('a forgotten password', () => {
  it('is set anew through the link of the mail', async () => {
    const name = newName();
    const user = await site.api.createUser({ username: name });
    await site.api.deps.db.query(`update users set email = '${name}@example.com' where id = ${user.id}`);
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('link', { name: 'Forgot password' }).click();
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('The field cannot be empty').waitFor();
    await page.getByRole('textbox', { name: 'Email' }).fill(`${name}@example.com`);
    const at = server.mails.length;
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText(`If ${name}@example.com has an account here`).waitFor();
    expect(await page.getByRole('button', { name: /^\d+ s$/ }).isDisabled()).toBe(true);
    const link = /https?:\S+/.exec((await server.nth(at + 1)).text ?? '')?.[0] ?? '';
    await visitor.goto(link.replace(site.base, ''));
    await page.getByRole('button', { name: 'Confirm reset' }).click();
    const password = page.getByRole('textbox', { name: 'New password' });
    await password.waitFor();
    await site.api.guest().login(name, await password.inputValue());
    await visitor.goto(link.replace(site.base, ''));
    // The button is locked for half a minute, also for who reloads.
    expect(await page.getByRole('button', { name: /^\d+ s$/ }).isDisabled()).toBe(true);
    await page.evaluate(() => sessionStorage.clear());
    await page.reload();
    await visitor.settled();
    await page.getByRole('button', { name: 'Confirm reset' }).click();
    await page.getByText('The reset link is invalid or has expired').waitFor();
    await page.getByRole('link', { name: 'Request a new link' }).click();
    await page.waitForURL('**/reset');
    expect(visitor.complaints).toEqual([]);
  });
});

describe.each(['/register?aff=abcd', '/reset', '/user/reset', '/user/reset?email=a%40example.com&token=x'])(
  'the page %s',
  (path) => {
    looksRight({
      name: path,
      async open(locale) {
        const visitor = await site.visit({ locale, stays: true });
        await visitor.goto(path);
        return visitor;
      },
    });
  },
);
