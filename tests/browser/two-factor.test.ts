import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { PASSWORD, type TestUser } from '../support/api.ts';
import { openSite, type Site, type Visitor } from '../support/browser.ts';
import { inLong } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { totpCode, wrongCode } from '../support/totp.ts';

let site: Site;
beforeAll(async () => {
  site = await openSite();
  await site.api.root();
}, patience(120_000));
afterAll(() => site.close());

interface Protected {
  user: TestUser;
  secret: string;
  backupCodes: string[];
}

/** A user with a second factor, turned on with the code of the step before this one. */
async function protectedUser(): Promise<Protected> {
  const user = await site.api.createUser();
  const client = await site.api.as(user);
  const { secret, backup_codes } = (await client.post('/api/user/2fa/setup')).data;
  await client.post('/api/user/2fa/enable', { code: totpCode(secret, -1) });
  return { user, secret, backupCodes: backup_codes };
}

/** The form of the password, filled in and sent, in Chinese with the agreement. */
async function firstStep({ page }: Visitor, user: TestUser): Promise<void> {
  await page.getByRole('textbox', { name: '用户名' }).fill(user.username);
  await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
  await page.getByRole('checkbox', { name: '我已阅读并同意' }).check();
  await page.getByRole('button', { name: '登录', exact: true }).click();
}

describe('the second step of a sign-in', () => {
  it('asks for the code, says what is wrong with it, and leads on to where one wanted to go', async () => {
    const { user, secret } = await protectedUser();
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/login?next=%2Ftoken%3Fp%3D2');
    await firstStep(visitor, user);
    await page.getByRole('heading', { name: '两步验证', level: 1 }).waitFor();
    await visitor.settled();
    const code = page.getByLabel('验证码', { exact: true });
    expect(await code.getAttribute('autocomplete')).toBe('one-time-code');
    expect(await code.evaluate((control) => control === document.activeElement)).toBe(true);
    const submit = page.getByRole('button', { name: '验证' });
    await submit.click();
    expect(await page.getByRole('alert').textContent()).toContain('请输入验证码');
    await code.fill(wrongCode(secret));
    await submit.click();
    await page.getByText('验证码错误或已过期').waitFor();
    await code.fill(totpCode(secret));
    await code.press('Enter');
    await page.waitForURL('**/token?p=2');
    expect(await page.evaluate(() => JSON.parse(localStorage.getItem('user') ?? '{}').id)).toBe(user.id);
    expect(visitor.complaints).toEqual([]);
  });

  it('takes a backup code, and leads back to the beginning when it is over', async () => {
    const { user, secret, backupCodes } = await protectedUser();
    const visitor = await site.visit();
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    await firstStep(visitor, user);
    await page.getByRole('heading', { name: '两步验证', level: 1 }).waitFor();
    await visitor.settled();
    for (let n = 0; n < 5; n++) {
      const answered = page.waitForResponse('**/api/user/login/2fa');
      await page.getByLabel('验证码', { exact: true }).fill(wrongCode(secret));
      await page.getByRole('button', { name: '验证' }).click();
      await answered;
      await page.getByRole('button', { name: '验证', exact: true }).waitFor();
    }
    await page.getByText('登录已超时或验证码错误次数过多，请重新登录').waitFor();
    await page.getByRole('link', { name: '重新登录' }).click();
    await page.getByRole('heading', { name: '登录', level: 1 }).waitFor();
    await firstStep(visitor, user);
    await page.getByRole('link', { name: '使用备用码' }).click();
    await page.getByLabel('备用码', { exact: true }).fill(backupCodes[3] ?? '');
    await page.getByRole('button', { name: '验证' }).click();
    await page.waitForURL('**/log');
  });

  it('works without JavaScript', async () => {
    const { user, secret, backupCodes } = await protectedUser();
    const visitor = await site.visit({ javaScript: false });
    const { page } = visitor;
    await page.goto('/login?next=%2Flog');
    await firstStep(visitor, user);
    await page.waitForURL('**/login?second=code&next=%2Flog');
    await page.getByLabel('验证码', { exact: true }).fill(wrongCode(secret));
    await page.getByRole('button', { name: '验证' }).click();
    expect(await page.getByRole('alert').textContent()).toContain('验证码错误或已过期');
    await page.getByRole('link', { name: '使用备用码' }).click();
    await page.getByLabel('备用码', { exact: true }).fill(backupCodes[0] ?? '');
    await page.getByRole('button', { name: '验证' }).click();
    await page.waitForURL('**/log');
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('日志');
  });

  it('never leads to another site, and takes no form of another site', async () => {
    const { user, backupCodes } = await protectedUser();
    for (const [next, index] of [
      ['//evil.example', 0],
      ['/\\evil.example', 1],
    ] as const) {
      const client = site.api.guest();
      await client.post('/api/user/login', { username: user.username, password: PASSWORD });
      const post = (origin: string) =>
        fetch(`${site.base}/login/2fa`, {
          method: 'POST',
          redirect: 'manual',
          headers: { origin, cookie: `visit=${client.cookies.get('visit')}` },
          body: new URLSearchParams({ code: backupCodes[index] ?? '', next }),
        });
      expect((await post('https://evil.example')).status).toBe(403);
      const answer = await post(site.base);
      expect([answer.status, answer.headers.get('location')]).toEqual([303, '/token']);
      expect(answer.headers.getSetCookie().some((cookie) => cookie.startsWith('session='))).toBe(true);
    }
  });

  describe.each(['code', 'backup'])('with the %s', (second) => {
    looksRight({
      name: `second-step-${second}`,
      async open(locale) {
        const visitor = await site.visit({ locale, stays: true });
        await visitor.goto(`/login?second=${second}`);
        return visitor;
      },
    });
  });
});

describe('the personal settings', () => {
  it('turn it on with a QR code and a code, show the backup codes once, make new ones and turn it off', async () => {
    const user = await site.api.createUser();
    const other = await site.api.as(user);
    const visitor = await site.visit({ user, locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/personal#two-factor');
    const part = page.getByRole('region', { name: 'Two-factor authentication' });
    await part.getByRole('button', { name: 'Turn on' }).click();
    const dialog = page.getByRole('dialog');
    const picture = dialog.getByRole('img', { name: 'QR code for your authenticator' });
    await picture.waitFor();
    expect(await picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(20);
    const secret = await dialog.getByLabel('Key', { exact: true }).inputValue();
    expect(await dialog.getByRole('link').getAttribute('href')).toContain(`secret=${secret}`);
    expect(await visitor.findings()).toEqual([]);
    await visitor.shot('two-factor-setup');
    const code = dialog.getByLabel('Verification code', { exact: true });
    await code.fill(wrongCode(secret));
    await dialog.getByRole('button', { name: 'Turn on' }).click();
    await dialog.getByText('The verification code is wrong or has expired').waitFor();
    await code.fill(totpCode(secret, -1));
    await code.press('Enter');
    await dialog.getByRole('heading', { name: 'Backup codes' }).waitFor();
    const codes = await dialog.getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    expect(await visitor.findings()).toEqual([]);
    await visitor.shot('two-factor-codes');
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download' }).click();
    expect(await Bun.file(await (await saving).path()).text()).toBe(`${codes.join('\n')}\n`);
    await dialog.getByRole('button', { name: 'I have kept them' }).click();
    await part.getByText('On', { exact: true }).waitFor();
    await part.getByText('10 left').waitFor();
    expect((await other.get('/api/user/self')).status).toBe(401);
    expect(await page.content()).not.toContain(codes[0] ?? '');

    await part.getByRole('button', { name: 'Make new codes' }).click();
    await dialog.getByLabel('Verification code', { exact: true }).fill(codes[0] ?? '');
    await dialog.getByRole('button', { name: 'Make new codes' }).click();
    await dialog.getByRole('heading', { name: 'Backup codes' }).waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).not.toContain(codes[1]);
    await dialog.getByRole('button', { name: 'I have kept them' }).click();

    await part.getByRole('button', { name: 'Turn off' }).click();
    await dialog.getByLabel('Verification code', { exact: true }).fill(totpCode(secret));
    await dialog.getByRole('button', { name: 'Turn off' }).click();
    await part.getByText('Off', { exact: true }).waitFor();
    await site.api.guest().login(user.username);
    expect(visitor.complaints).toEqual([]);
  });

  looksRight({
    name: 'two-factor-section',
    async open(locale) {
      const { user } = await protectedUser();
      const visitor = await site.visit({ user, locale, stays: true });
      await visitor.goto('/personal#two-factor');
      return visitor;
    },
  });
});

describe('the drawer of a user', () => {
  inLong.it('says whether the second factor is on, and turns it off for who has lost it', async () => {
    const { user } = await protectedUser();
    const admin = await site.api.createUser({ role: 10 });
    const visitor = await site.visit({ user: admin, locale: 'en' });
    const { page } = visitor;
    await visitor.goto(`/user/edit/${user.id}`);
    const part = page.getByRole('region', { name: 'Two-factor authentication' });
    await part.getByText('On', { exact: true }).waitFor();
    expect(await visitor.findings()).toEqual([]);
    await part.getByRole('button', { name: 'Turn off two-factor authentication' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: 'Turn off two-factor authentication' })
      .click();
    await part.getByText('Off', { exact: true }).waitFor();
    expect(await part.getByRole('button').count()).toBe(0);
    await site.api.guest().login(user.username);
    expect(visitor.complaints).toEqual([]);
  });
});
