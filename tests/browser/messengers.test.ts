/**
 * People sign in with Telegram and WeChat and bind them. The WeChat server is a real one of the test's; Telegram itself
 * cannot be reached from here, so its script is a small one that hands over what Telegram would have signed.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { createHash, createHmac } from 'node:crypto';
import { nowSec } from '../../src/core/time.ts';
import { DESK, openSite, PHONE, type Site, type Visitor } from '../support/browser.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { startWeChatServer, WECHAT_TOKEN, type WeChatServer } from '../support/wechat-server.ts';

const BOT_TOKEN = '4242:AAtest';

let site: Site;
let wechat: WeChatServer;
beforeAll(async () => {
  wechat = startWeChatServer();
  site = await openSite('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
  await site.api.root();
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await wechat.close();
});
const switchOn = () =>
  site.api.deps.options.set({
    RegisterEnabled: 'true',
    TelegramOAuthEnabled: 'true',
    TelegramBotName: 'gate_bot',
    TelegramBotToken: BOT_TOKEN,
    WeChatAuthEnabled: 'true',
    WeChatServerAddress: wechat.base,
    WeChatServerToken: WECHAT_TOKEN,
    WeChatAccountQRCodeImageURL: `${wechat.base}/qr.svg`,
  });
beforeEach(switchOn);

let people = 0;
function telegramFields(): Record<string, string> {
  const fields: Record<string, string> = {
    auth_date: String(nowSec()),
    first_name: 'Ann',
    id: String(8_000_000_000 + ++people),
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}=${value}`);
  const key = createHash('sha256').update(BOT_TOKEN).digest();
  return { ...fields, hash: createHmac('sha256', key).update(text.join('\n')).digest('hex') };
}

/** From now on this visitor's Telegram answers so; null is a window that he closes. */
async function telegramSays({ page }: Visitor, fields: Record<string, string> | null): Promise<void> {
  const body = `window.Telegram = { Login: { auth(options, callback) {
    window.askedOfTelegram = options;
    callback(${JSON.stringify(fields ?? false)});
  } } };`;
  await page.route('https://telegram.org/js/telegram-widget.js?22', (call) =>
    call.fulfill({ contentType: 'text/javascript', body }),
  );
}

function codeFor(openId: string): string {
  const code = `code${++people}`;
  wechat.codes.set(code, openId);
  return code;
}
const selfOf = ({ page }: Visitor) =>
  page.evaluate(async () => (await (await fetch('/api/user/self')).json()).data);

describe('Telegram', () => {
  it('makes an account by one press, and leads on', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    const fields = telegramFields();
    await telegramSays(visitor, fields);
    await visitor.goto('/login?next=%2Flog');
    await page.getByRole('button', { name: 'Sign in with Telegram' }).click();
    await page.waitForURL('**/log');
    expect(await selfOf(visitor)).toMatchObject({ telegram_id: fields.id, display_name: 'Ann' });
    expect(visitor.complaints).toEqual([]);
  });

  it('asks for its bot, in the visitor’s language, once he has agreed to the terms', async () => {
    const visitor = await site.visit({ locale: 'zh' });
    const { page } = visitor;
    await telegramSays(visitor, null);
    await visitor.goto('/login');
    await page.getByRole('button', { name: '通过 Telegram 登录' }).click();
    expect(await page.evaluate(() => 'askedOfTelegram' in window)).toBe(false);
    await page.getByRole('button', { name: '同意' }).click();
    await page.waitForFunction(() => 'askedOfTelegram' in window);
    expect(await page.evaluate(() => Reflect.get(window, 'askedOfTelegram'))).toEqual({
      bot_id: '4242',
      lang: 'zh',
    });
    // He closed the window: nothing has happened, and he may press again.
    await page.getByRole('button', { name: '通过 Telegram 登录' }).and(page.locator(':enabled')).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: /./ }).count()).toBe(0);
  });

  it('says so when its script does not come, and when what it said is refused', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await page.route('https://telegram.org/**', (call) => call.abort());
    await visitor.goto('/login');
    const button = page.getByRole('button', { name: 'Sign in with Telegram' });
    await button.click();
    await page.getByRole('alert').getByText('Telegram cannot be reached').waitFor();
    await page.unroute('https://telegram.org/**');
    await telegramSays(visitor, { ...telegramFields(), id: '1' });
    await button.click();
    await page.getByRole('alert').getByText('The Telegram sign-in is not valid or has expired').waitFor();
  });

  it('lets its script run and call only where it is switched on', async () => {
    const policy = async () =>
      (await site.handle(new Request(`${site.base}/login`))).headers.get('content-security-policy') ?? '';
    expect(await policy()).toContain("connect-src 'self' https://oauth.telegram.org;");
    expect(await policy()).not.toContain('unsafe-eval');
    await site.api.deps.options.set({ TelegramOAuthEnabled: 'false' });
    expect(await policy()).toContain("connect-src 'self';");
    expect(await policy()).not.toContain('telegram');
  });

  it('is bound among one’s own settings', async () => {
    const user = await site.api.createUser();
    const visitor = await site.visit({ locale: 'en', user });
    const { page } = visitor;
    const fields = telegramFields();
    await telegramSays(visitor, fields);
    await visitor.goto('/personal#connections');
    await page.getByRole('button', { name: 'Bind: Telegram' }).click();
    await page.getByRole('button', { name: 'Unbind: Telegram' }).waitFor();
    expect(await selfOf(visitor)).toMatchObject({ telegram_id: fields.id });
    expect(visitor.complaints).toEqual([]);
  });
});

describe('WeChat', () => {
  it('signs in by a code in its frame, where a wrong one may be typed again', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    await page.getByRole('button', { name: 'Sign in with WeChat' }).click();
    const frame = page.getByRole('dialog', { name: 'Sign in with WeChat' }).frameLocator('iframe');
    const picture = frame.getByRole('img', { name: 'QR code of the public account' });
    await picture.waitFor();
    expect(await picture.evaluate((image) => (image as HTMLImageElement).naturalWidth > 0)).toBe(true);
    const box = frame.getByLabel('Code', { exact: true });
    await box.press('Enter');
    await frame.getByText('Please enter the verification code').waitFor();
    await box.fill('0000');
    await box.press('Enter');
    await frame.getByText('The verification code is wrong or has expired').waitFor();
    const openId = `open-${++people}`;
    await box.fill(codeFor(openId));
    await frame.getByRole('button', { name: 'OK' }).click();
    await page.waitForURL('**/log');
    expect(await selfOf(visitor)).toMatchObject({ wechat_id: openId });
    expect(visitor.complaints).toEqual([]);
  });

  it('leads to the second step where there is one', async () => {
    const user = await site.api.createUser();
    const openId = `open-${++people}`;
    await site.api.deps.db.query(
      `insert into identities (user_id, provider, subject) values ($1, 'wechat', $2)`,
      [user.id, openId],
    );
    await site.api.deps.db.query(
      `insert into second_factors (user_id, secret_sealed, enabled_at) values ($1, 'x', 1)`,
      [user.id],
    );
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    await page.getByRole('button', { name: 'Sign in with WeChat' }).click();
    const frame = page.frameLocator('iframe');
    await frame.getByLabel('Code', { exact: true }).fill(codeFor(openId));
    await frame.getByRole('button', { name: 'OK' }).click();
    await page.waitForURL('**/login?second=code&next=*');
  });

  it('is bound by who proves himself, without typing the code again', async () => {
    const user = await site.api.createUser();
    const visitor = await site.visit({ locale: 'en', user });
    const { page } = visitor;
    await site.api.deps.db.query('update sessions set confirmed_at = confirmed_at - 700 where user_id = $1', [
      user.id,
    ]);
    await visitor.goto('/personal#connections');
    await page.getByRole('button', { name: 'Bind: WeChat' }).click();
    const frame = page.frameLocator('iframe');
    const openId = `open-${++people}`;
    await frame.getByLabel('Code', { exact: true }).fill(codeFor(openId));
    await frame.getByRole('button', { name: 'OK' }).click();
    const proof = page.getByRole('dialog').filter({ has: page.locator('input[type="password"]') });
    await proof.locator('input[type="password"]').fill('Passw0rd1');
    await proof.locator('input[type="password"]').press('Enter');
    await page.getByRole('button', { name: 'Unbind: WeChat' }).waitFor();
    expect(await selfOf(visitor)).toMatchObject({ wechat_id: openId });
    expect(visitor.complaints).toEqual([]);
  });

  it('is not offered on a phone', async () => {
    const user = await site.api.createUser();
    for (const [width, isVisible] of [
      [DESK, true],
      [PHONE, false],
    ] as const) {
      const guest = await site.visit({ locale: 'en', width });
      await guest.goto('/login');
      await guest.page.getByRole('button', { name: 'Sign in with Telegram' }).waitFor();
      expect(await guest.page.getByRole('button', { name: 'Sign in with WeChat' }).isVisible()).toBe(
        isVisible,
      );
      const member = await site.visit({ locale: 'en', width, user });
      await member.goto('/personal#connections');
      // Both come late, in one file.
      await member.page.getByRole('button', { name: 'Bind: Telegram' }).waitFor();
      expect(await member.page.getByRole('button', { name: 'Bind: WeChat' }).isVisible()).toBe(isVisible);
    }
  });
});

describe('both among the ways in', () => {
  looksRight({
    name: 'messengers-login',
    async open(locale) {
      await switchOn();
      const visitor = await site.visit({ locale, stays: true });
      await visitor.goto('/login');
      await visitor.page.getByRole('button', { name: /Telegram/ }).waitFor();
      return visitor;
    },
  });
});

describe('both among one’s connections', () => {
  looksRight({
    name: 'messengers-connections',
    async open(locale) {
      await switchOn();
      const visitor = await site.visit({ locale, user: await site.api.createUser(), stays: true });
      await visitor.goto('/personal#connections');
      const bind = locale === 'zh' ? '绑定: Telegram' : 'Bind: Telegram';
      await visitor.page.getByRole('button', { name: bind }).scrollIntoViewIfNeeded();
      return visitor;
    },
  });
});

describe('the frame of WeChat', () => {
  looksRight({
    name: 'messengers-wechat',
    async open(locale) {
      await switchOn();
      const visitor = await site.visit({ locale, stays: true });
      const { page } = visitor;
      await visitor.goto('/login');
      const name = locale === 'zh' ? '通过 微信 登录' : 'Sign in with WeChat';
      await page.getByRole('button', { name }).click();
      if (locale === 'zh') await page.getByRole('button', { name: '同意' }).click();
      await page.frameLocator('iframe').getByRole('img').waitFor();
      return visitor;
    },
  });
});
