import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openSite, type Site, type Visitor } from '../support/browser.ts';
import { patience } from '../support/patience.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite('pglite', { SETUP_TOKEN: 'let-me-in' });
}, patience(120_000));
afterAll(() => site.close());

const controls = ({ page }: Visitor) => ({
  username: page.getByRole('textbox', { name: '用户名' }),
  password: page.getByLabel('密码', { exact: true }),
  confirm: page.getByLabel('确认密码'),
  next: page.getByRole('button', { name: '继续' }),
  finish: page.getByRole('button', { name: '完成初始化' }),
});

async function fillIn(visitor: Visitor): Promise<void> {
  const { password, confirm, next } = controls(visitor);
  await password.fill('Passw0rd1');
  await confirm.fill('Passw0rd1');
  await next.click();
}

describe('the first run', () => {
  it('judges the fields in the words of the specification', async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/');
    expect(page.url()).toEndWith('/setup');
    // Nothing leads away from it, but to itself.
    const links = await page.locator('header a').evaluateAll((all) => all.map((a) => a.getAttribute('href')));
    expect(links).toEqual(['/']);
    const { username, password, confirm, next } = controls(visitor);
    await username.fill('');
    await next.click();
    for (const text of ['请输入管理员用户名', '密码长度至少为8个字符', '请输入初始化令牌']) {
      expect(await page.getByText(text).isVisible()).toBe(true);
    }
    expect(await username.evaluate((field) => field === document.activeElement)).toBe(true);
    await username.fill('boss');
    await password.fill('Passw0rd1');
    await confirm.fill('Passw0rd2');
    await next.click();
    expect(await page.getByText('两次输入的密码不一致').isVisible()).toBe(true);
  });

  it('needs the printed token, makes root with it, and lets him in', async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/setup');
    await page.getByRole('textbox', { name: '初始化令牌' }).fill('let-me-out');
    await fillIn(visitor);
    await controls(visitor).finish.click();
    await page.getByText('初始化令牌无效').waitFor();

    // A link with a wrong one asks for another, and keeps what was typed.
    await visitor.goto('/setup?token=let-me-out');
    expect(await page.getByRole('textbox', { name: '初始化令牌' }).count()).toBe(0);
    await fillIn(visitor);
    await controls(visitor).finish.click();
    await page.getByText('初始化令牌无效').waitFor();
    const token = page.getByRole('textbox', { name: '初始化令牌' });
    expect(await token.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(await controls(visitor).username.inputValue()).toBe('root');
    await token.fill('let-me-in');
    await controls(visitor).next.click();
    await controls(visitor).finish.waitFor();

    await visitor.goto('/setup?token=let-me-in');
    expect(await page.getByRole('textbox', { name: '初始化令牌' }).count()).toBe(0);
    await fillIn(visitor);
    await page.getByRole('radio', { name: /自用/ }).check();
    await controls(visitor).finish.click();
    await page.getByText('初始化成功').waitFor();
    await page.waitForURL((url) => url.pathname === '/');
    await page.getByRole('heading', { name: '开始使用' }).waitFor();
    expect(site.api.deps.options.get('SelfUseModeEnabled')).toBe(true);
    await page.getByText('自用模式').first().waitFor();
    await page.getByText('root').first().waitFor();
    expect(visitor.complaints.filter((text) => !text.includes('403'))).toEqual([]);
  });
});
