import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openSite, type Site } from '../support/browser.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite('pglite');
}, 120_000);
afterAll(() => site.close());

describe('the first run', () => {
  it('judges the fields in the words of the specification, then makes root and leads to the sign-in', async () => {
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/');
    expect(page.url()).toEndWith('/setup');

    const next = page.getByRole('button', { name: '继续' });
    const username = page.getByRole('textbox', { name: '用户名' });
    const password = page.getByLabel('密码', { exact: true });
    const confirm = page.getByLabel('确认密码');
    await next.click();
    for (const text of ['请输入管理员用户名', '密码长度至少为8个字符']) {
      expect(await page.getByText(text).isVisible()).toBe(true);
    }
    expect(await username.evaluate((field) => field === document.activeElement)).toBe(true);
    await username.fill('root');
    await password.fill('Passw0rd1');
    await confirm.fill('Passw0rd2');
    await next.click();
    expect(await page.getByText('两次输入的密码不一致').isVisible()).toBe(true);
    await confirm.fill('Passw0rd1');
    await next.click();

    await page.getByRole('radio', { name: /自用/ }).check();
    await page.getByRole('button', { name: '完成初始化' }).click();
    await page.getByText('初始化成功').waitFor();
    await page.waitForURL('**/login');
    expect(site.api.deps.options.get('SelfUseModeEnabled')).toBe(true);
    expect(await page.getByText('自用模式').isVisible()).toBe(true);
    expect(visitor.complaints).toEqual([]);
  });
});
