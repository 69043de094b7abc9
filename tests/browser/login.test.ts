import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createPasswords } from '../../src/platform/passwords.ts';
import { PASSWORD, passwordWork, type TestUser } from '../support/api.ts';
import { openSite, type Site, type Visitor } from '../support/browser.ts';
import { patience } from '../support/patience.ts';

let site: Site;
let user: TestUser;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
  user = await site.api.createUser({ username: 'una', quota: 1_000 });
}, patience(120_000));
afterAll(() => site.close());

const fields = (page: Awaited<ReturnType<Site['visit']>>['page']) => ({
  username: page.getByRole('textbox', { name: '用户名' }),
  password: page.getByLabel('密码', { exact: true }),
  agreed: page.getByRole('checkbox', { name: '我已阅读并同意' }),
  submit: page.getByRole('button', { name: '登录' }),
});

describe('the first account by the password that everybody knows', () => {
  const arrive = async (password: string): Promise<Visitor> => {
    const hash = await createPasswords(undefined, passwordWork).hash(password);
    await site.api.deps.db.query(`update users set password_hash = '${hash}' where username = 'root'`);
    const visitor = await site.visit({ locale: 'en' });
    await visitor.goto('/login');
    await visitor.page.getByRole('textbox', { name: 'Username' }).fill('root');
    await visitor.page.getByLabel('Password', { exact: true }).fill(password);
    await visitor.page.getByRole('button', { name: 'Sign in' }).click();
    await visitor.page.waitForURL('**/token');
    return visitor;
  };

  it('is asked once to change it, and told on every page until it is changed', async () => {
    const words = 'You are using the default password! Please change it immediately!';
    const visitor = await arrive('123456');
    const { page } = visitor;
    const dialog = page.getByRole('alertdialog');
    await dialog.getByText(words).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    const banner = page.getByRole('status').filter({ hasText: words });
    await visitor.goto('/log');
    expect([await banner.count(), await dialog.count()]).toEqual([1, 0]);
    await banner.getByRole('link', { name: 'Change now' }).click();
    await page.waitForURL('**/personal#account');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByLabel('New password', { exact: true }).fill('N0bodyKn0wsIt');
    await page.getByLabel('New password again').fill('N0bodyKn0wsIt');
    await page.keyboard.press('Enter');
    await banner.waitFor({ state: 'detached' });
    expect(visitor.complaints).toEqual([]);
  });

  it('is told nothing by any other', async () => {
    const { page } = await arrive(PASSWORD);
    await page.getByText('Login succeeded').waitFor();
    expect(await page.getByRole('alertdialog').count()).toBe(0);
  });
});

describe('signing in without JavaScript', () => {
  it('works, and leads to where one came from', async () => {
    const { page } = await site.visit({ javaScript: false });
    await page.goto('/login?expired=true&next=%2Ftoken%3Fp%3D2');
    expect(await page.getByText('登录已过期').isVisible()).toBe(true);
    const { username, password, agreed, submit } = fields(page);
    await username.fill('una');
    await password.fill(PASSWORD);
    // The browser itself sends nothing before the box is ticked.
    await submit.click();
    expect(await page.locator('input[name=agreed]:invalid').count()).toBe(1);
    expect(page.url()).toContain('/login?');
    await agreed.check();
    await submit.click();
    await page.waitForURL('**/token?p=2');
    expect(await page.getByRole('heading', { name: '令牌', level: 1 }).isVisible()).toBe(true);
  });

  it('brings the form back with the reason, the name and the way back', async () => {
    const { page } = await site.visit({ javaScript: false });
    await page.goto('/login?next=%2Flog');
    const { username, password, agreed, submit } = fields(page);
    await username.fill('una');
    await password.fill('wrong');
    await agreed.check();
    await submit.click();
    expect(await page.getByRole('alert').textContent()).toContain('用户名或密码错误');
    expect(await username.inputValue()).toBe('una');
    expect(await password.inputValue()).toBe('');
    expect(await page.locator('input[name=next]').last().inputValue()).toBe('/log');
  });

  it('never leads to another site', async () => {
    for (const next of ['//evil.example', '/\\evil.example', '/\t/evil.example']) {
      const body = new URLSearchParams({ username: 'una', password: PASSWORD, agreed: 'true', next });
      const answer = await fetch(`${site.base}/login`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: site.base },
        body,
      });
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/token']);
    }
  });

  it.each(['zh', 'en'] as const)('asks for agreement in Chinese alone; here in %s', async (locale) => {
    const answer = await fetch(`${site.base}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: site.base, cookie: `lang=${locale}` },
      body: new URLSearchParams({ username: 'una', password: PASSWORD }),
    });
    expect([answer.status, answer.headers.has('set-cookie')]).toEqual(
      locale === 'zh' ? [200, false] : [303, true],
    );
    if (locale === 'zh')
      expect(await answer.text()).toContain('登录或注册需要同意《用户协议》和《隐私协议》');
  });

  it('is refused to a form of another site', async () => {
    const answer = await fetch(`${site.base}/login`, {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ username: 'una', password: PASSWORD, agreed: 'true' }),
    });
    expect(answer.status).toBe(403);
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('switches language and theme by forms, too', async () => {
    const { page } = await site.visit({ javaScript: false });
    await page.goto('/login?next=%2Flog');
    await page.getByRole('button', { name: 'English' }).click();
    expect(await page.getByRole('heading', { name: 'Sign in' }).isVisible()).toBe(true);
    expect(page.url()).toEndWith('/login?next=%2Flog');
    await page.getByRole('button', { name: 'Switch to dark' }).click();
    expect(await page.getAttribute('html', 'class')).toBe('dark');
  });
});

describe('signing in', () => {
  it('asks for both fields, says what was wrong, then leads on', async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/login?next=%2Ftoken%3Fstatus%3D1');
    const { username, password, agreed, submit } = fields(page);
    await submit.click();
    expect(await page.getByRole('alert').textContent()).toContain('请输入用户名和密码');
    await agreed.check();
    await username.fill('una');
    await password.fill('wrong');
    await submit.click();
    await page.getByText('用户名或密码错误').waitFor();
    await password.fill(PASSWORD);
    await submit.click();
    await page.waitForURL('**/token?status=1');
    expect(await page.evaluate(() => localStorage.getItem('user'))).toBe(
      JSON.stringify({ id: user.id, username: 'una', role: 1 }),
    );
    expect(visitor.complaints).toEqual([]);
  });

  it('leads back to the sign-in page when the session ends meanwhile', async () => {
    const visitor = await site.visit({ user });
    const { page } = visitor;
    await visitor.goto('/token?sort=name');
    await page.context().clearCookies({ name: 'session' });
    await page.getByRole('button', { name: '刷新' }).click();
    await page.waitForURL('**/login?expired=true&next=%2Ftoken%3Fsort%3Dname');
  });

  it('ends with the session on the server, its cookie and what the browser kept', async () => {
    const visitor = await site.visit({ user });
    const { page } = visitor;
    await visitor.goto('/token');
    const cookies = await page.context().cookies();
    await page.getByRole('button', { name: '账户菜单：' }).click();
    expect(await page.getByRole('menu').textContent()).toContain('余额');
    await page.getByRole('menuitem', { name: '退出登录' }).click();
    await page.waitForURL('**/login?left=true');
    expect(await page.getByText('注销成功!').isVisible()).toBe(true);
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
    expect((await fetch(`${site.base}/api/user/self`, { headers: { cookie } })).status).toBe(401);
    expect(await page.evaluate(() => localStorage.getItem('user'))).toBeNull();
  });
});

describe('agreeing to the terms', () => {
  const agreementOf = (page: Visitor['page']) => page.getByRole('alertdialog');

  it('is asked for in Chinese: cancelling stays, agreeing goes on', async () => {
    const visitor = await site.visit({ locale: 'zh' });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    const { username, password, agreed, submit } = fields(page);
    await username.fill('una');
    await password.fill(PASSWORD);
    await submit.click();
    await agreementOf(page).waitFor();
    expect(await agreementOf(page).textContent()).toContain('登录或注册需要同意《用户协议》和《隐私协议》');
    expect(await visitor.findings()).toEqual([]);
    await visitor.shot('agreement-dialog');
    await agreementOf(page).getByRole('button', { name: '取消' }).click();
    expect([await agreed.isChecked(), await password.inputValue()]).toEqual([false, PASSWORD]);
    await submit.click();
    await agreementOf(page).getByRole('button', { name: '同意' }).click();
    await page.waitForURL('**/log');
    expect(visitor.complaints).toEqual([]);
  });

  it('leads from the box to both documents, beside the form', async () => {
    const visitor = await site.visit({ locale: 'zh' });
    const { page } = visitor;
    await visitor.goto('/login');
    for (const [name, file] of [
      ['用户协议', 'terms-of-service'],
      ['隐私协议', 'privacy-policy'],
    ] as const) {
      const opened = page.waitForEvent('popup');
      await page.getByRole('main').getByRole('link', { name }).click();
      const document = await opened;
      await document.waitForURL(`**/terms/${file}.html`);
      await document.getByRole('heading', { level: 1, name }).waitFor();
    }
    expect(await fields(page).agreed.isChecked()).toBe(false);
  });

  it('is said once for all forms of a visit', async () => {
    const visitor = await site.visit({ locale: 'zh' });
    const { page } = visitor;
    await visitor.goto('/login');
    await fields(page).agreed.check();
    await page.getByRole('banner').getByRole('link', { name: '注册' }).click();
    await page.getByLabel('确认密码', { exact: true }).waitFor();
    expect(await fields(page).agreed.isChecked()).toBe(true);
    expect(visitor.complaints).toEqual([]);
  });

  it('is asked of new accounts too, and in English of nobody', async () => {
    const visitor = await site.visit({ locale: 'zh' });
    const { page } = visitor;
    await visitor.goto('/register');
    await page.getByRole('textbox', { name: '用户名' }).fill('agreeable');
    await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
    await page.getByLabel('确认密码', { exact: true }).fill(PASSWORD);
    await page.getByRole('main').getByRole('button', { name: '注册' }).click();
    await agreementOf(page).getByRole('button', { name: '取消' }).click();
    expect(
      (await site.api.guest().post('/api/user/login', { username: 'agreeable', password: PASSWORD })).success,
    ).toBe(false);
    await page.getByRole('checkbox', { name: '我已阅读并同意' }).check();
    await page.getByRole('main').getByRole('button', { name: '注册' }).click();
    await page.waitForURL('**/login?registered=true');
    await site.api.guest().login('agreeable');
    const english = await site.visit({ locale: 'en' });
    for (const path of ['/login', '/register']) {
      await english.goto(path);
      expect(await english.page.getByRole('checkbox').count()).toBe(0);
    }
  });
});
