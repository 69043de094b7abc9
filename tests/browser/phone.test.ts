/** People sign in and register with a phone number: the slide captcha, the text message, the code. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Page } from 'playwright';
import { figure, isPhone, viewsElsewhere } from '../points/point.ts';
import { PASSWORD, type TestUser } from '../support/api.ts';
import { DESK, openSite, PHONE, type Site, type View, viewName } from '../support/browser.ts';
import { captchaAnswer, type Place } from '../support/captcha.ts';
import { inLong, usually } from '../support/long.ts';
import { looksRight } from '../support/look.ts';
import { patience } from '../support/patience.ts';
import { forgetDay, type SmsServer, startSmsServer } from '../support/sms-server.ts';

let site: Site;
let sms: SmsServer;
let user: TestUser;
const NUMBER = '13800138000';
beforeAll(async () => {
  sms = startSmsServer();
  site = await openSite();
  await site.api.root();
  user = await site.api.createUser({ username: 'phil' });
  await site.api.deps.db.query(`update users set phone = '${NUMBER}' where id = ${user.id}`);
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await sms.close();
});
const switchOn = () =>
  site.api.deps.options.set({
    PhoneLoginEnabled: 'true',
    PasswordLoginEnabled: 'true',
    PhoneRegisterEnabled: 'false',
    RegisterEnabled: 'true',
    'sms.provider': 'http',
    'sms.url': sms.template,
    SMTPServer: '127.0.0.1',
    ServerAddress: site.base,
  });
beforeEach(switchOn);
// More than anybody's network may have sent in a day.
beforeEach(() => forgetDay(site.api));

/** Each number may be sent one code a minute. */
let people = 0;
async function newOwner(): Promise<string> {
  const phone = `137${String(++people).padStart(8, '0')}`;
  const { id } = await site.api.createUser();
  await site.api.deps.db.query(`update users set phone = '${phone}' where id = ${id}`);
  return phone;
}

const words = {
  zh: {
    number: '手机号',
    code: '验证码',
    send: '获取验证码',
    title: '安全验证',
    slider: '拼图的位置',
    failed: '验证失败，请重试',
    sent: '发送成功，请查看短信中的验证码',
    signIn: '登录',
    confirm: '确认',
    agreed: '我已阅读并同意',
  },
  en: {
    number: 'Phone number',
    code: 'Verification code',
    send: 'Send code',
    title: 'Security check',
    slider: 'Position of the piece',
    failed: 'Verification failed, please retry',
    sent: 'Sent, please look for the code in your text messages',
    signIn: 'Sign in',
    confirm: 'Confirm',
    agreed: '',
  },
} as const;

/** Does what brings a puzzle, and answers where its piece begins and belongs: the store of the server says so. */
async function puzzleAfter(page: Page, act: () => Promise<unknown>): Promise<{ start: Place; hole: Place }> {
  const coming = page.waitForResponse((response) => response.url().endsWith('/api/captcha'));
  await act();
  const { data } = await (await coming).json();
  const hole = await captchaAnswer(site.api, data.captcha_key);
  if (!hole) throw new Error('the puzzle is not kept');
  await page.locator('[role=dialog] img[alt=""]').waitFor();
  return { start: { x: data.tile_x, y: data.tile_y }, hole };
}

const slider = (page: Page, locale: 'zh' | 'en') => page.getByRole('slider', { name: words[locale].slider });

async function centreOf(what: ReturnType<Page['locator']>): Promise<Place> {
  const box = await what.boundingBox();
  if (!box) throw new Error('it is not in sight');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

async function dragByMouse(page: Page, what: ReturnType<Page['locator']>, by: number): Promise<void> {
  const { x, y } = await centreOf(what);
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let part = 1; part <= 5; part++) await page.mouse.move(x + (by * part) / 5, y + part);
  await page.mouse.up();
}

async function dragByFinger(page: Page, what: ReturnType<Page['locator']>, by: number): Promise<void> {
  const { x, y } = await centreOf(what);
  const screen = await page.context().newCDPSession(page);
  await screen.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
  for (let part = 1; part <= 5; part++) {
    const touchPoints = [{ x: x + (by * part) / 5, y }];
    await screen.send('Input.dispatchTouchEvent', { type: 'touchMove', touchPoints });
  }
  await screen.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  await screen.detach();
}

/** Presses keys until the piece lies where it belongs. */
async function moveByKeys(page: Page, from: number, to: number): Promise<void> {
  const steps = Math.round((to - from) / 5);
  for (let step = 0; step < steps; step++) await page.keyboard.press('ArrowRight');
}

/** Tabs until the control has the focus. */
async function tabTo(page: Page, what: ReturnType<Page['locator']>): Promise<void> {
  for (let press = 0; press < 25; press++) {
    await page.keyboard.press('Tab');
    if (await what.evaluate((control) => control === document.activeElement)) return;
  }
  throw new Error('Tab does not lead there');
}

describe('signing in with a phone code', () => {
  it.each(
    usually<View>([{ width: DESK, locale: 'zh', theme: 'light' }], {
      width: PHONE,
      locale: 'en',
      theme: 'dark',
    }),
  )('works with the mouse at $width px in $locale', async (view) => {
    const text = words[view.locale];
    const phone = await newOwner();
    const visitor = await site.visit(view);
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    await page.getByRole('textbox', { name: text.number }).fill(phone);
    const send = page.getByRole('button', { name: text.send });
    const first = await puzzleAfter(page, () => send.click());
    await visitor.shot(`captcha-${viewName(view)}`.replaceAll(/\W+/g, '-'));

    // A wrong place says so and brings another picture.
    const second = await puzzleAfter(page, () =>
      dragByMouse(
        page,
        slider(page, view.locale),
        first.hole.x - first.start.x + (first.hole.x > 150 ? -60 : 60),
      ),
    );
    expect(await page.getByRole('alert').filter({ hasText: text.failed }).isVisible()).toBe(true);
    expect(await slider(page, view.locale).getAttribute('aria-valuenow')).toBe(String(second.start.x));
    await visitor.shot(`captcha-failed-${viewName(view)}`.replaceAll(/\W+/g, '-'));

    // The piece itself can be dragged too.
    await dragByMouse(page, page.locator('[role=dialog] img[alt=""]'), second.hole.x - second.start.x);
    await page.getByRole('status').filter({ hasText: text.sent }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    const code = page.getByRole('textbox', { name: text.code });
    expect(await code.evaluate((control) => control === document.activeElement)).toBe(true);

    // Whoever reloads goes on waiting.
    const waiting = page.getByRole('button', { name: view.locale === 'zh' ? /^\d+ 秒$/ : /^\d+ s$/ });
    expect(await waiting.isDisabled()).toBe(true);
    await page.reload();
    await visitor.settled();
    await waiting.waitFor();

    await page.getByRole('textbox', { name: text.number }).fill(phone);
    await code.fill(sms.codeOf(phone));
    if (text.agreed) await page.getByRole('checkbox', { name: text.agreed }).check();
    await page.getByRole('button', { name: text.signIn, exact: true }).click();
    await page.waitForURL('**/log');
    expect(visitor.complaints).toEqual([]);
  });

  it.each(
    viewsElsewhere(
      ...usually<View>([{ width: PHONE, locale: 'zh', theme: 'light' }], {
        width: DESK,
        locale: 'en',
        theme: 'light',
      }),
    ),
  )('works with the keyboard alone at $width px in $locale, $theme', async (view) => {
    const text = words[view.locale];
    const phone = await newOwner();
    const visitor = await site.visit(view);
    const { page } = visitor;
    await visitor.goto('/login');
    await tabTo(page, page.getByRole('textbox', { name: text.number }));
    await page.keyboard.type(phone);
    await tabTo(page, page.getByRole('button', { name: text.send }));
    const { start, hole } = await puzzleAfter(page, () => page.keyboard.press('Enter'));
    const handle = slider(page, view.locale);
    expect(await handle.evaluate((control) => control === document.activeElement)).toBe(true);
    await moveByKeys(page, start.x, hole.x);
    const at = Number(await handle.getAttribute('aria-valuenow'));
    expect(Math.abs(at - hole.x)).toBeLessThanOrEqual(3);
    expect(await handle.getAttribute('aria-valuetext')).toBe(
      `${at} ${view.locale === 'zh' ? '像素' : 'pixels'}`,
    );
    await page.keyboard.press('Enter');
    await page.getByRole('status').filter({ hasText: text.sent }).waitFor();
    // The focus stands in the field of the code.
    await page.keyboard.type(sms.codeOf(phone));
    if (text.agreed) {
      await tabTo(page, page.getByRole('checkbox', { name: text.agreed }));
      await page.keyboard.press('Space');
      await tabTo(page, page.getByRole('button', { name: text.signIn, exact: true }));
    }
    await page.keyboard.press('Enter');
    await page.waitForURL('**/token');
    expect(visitor.complaints).toEqual([]);
    figure(28, 'by the keyboard alone, by a finger and by taps');
  });

  it.each(viewsElsewhere({ width: PHONE, locale: 'zh', theme: 'light' }).filter(isPhone))(
    'works with a finger, and with taps for who cannot drag, in $locale, $theme',
    async (view) => {
      const visitor = await site.visit(view);
      const { page } = visitor;
      const text = words[view.locale];
      await visitor.goto('/login');
      const send = page.getByRole('button', { name: text.send });
      await page.getByRole('textbox', { name: text.number }).fill(await newOwner());
      const dragged = await puzzleAfter(page, () => send.tap());
      await dragByFinger(page, slider(page, view.locale), dragged.hole.x - dragged.start.x);
      await page.getByRole('status').filter({ hasText: text.sent }).waitFor();

      await page.evaluate(() => sessionStorage.clear());
      await page.reload();
      await visitor.settled();
      await page.getByRole('textbox', { name: text.number }).fill(await newOwner());
      const tapped = await puzzleAfter(page, () => send.tap());
      const track = await page.locator('[data-captcha-track]').boundingBox();
      if (!track) throw new Error('the track is not in sight');
      const place = ((tapped.hole.x + 30) / 300) * track.width;
      await page.touchscreen.tap(track.x + place, track.y + track.height / 2);
      await page.getByRole('button', { name: text.confirm }).tap();
      await page.getByRole('status').filter({ hasText: text.sent }).waitFor();
      expect(visitor.complaints).toEqual([]);
    },
  );

  inLong.it('brings another picture when asked to, and goes back to the form when closed', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('textbox', { name: 'Phone number' }).fill(await newOwner());
    const send = page.getByRole('button', { name: 'Send code' });
    const first = await puzzleAfter(page, () => send.click());
    const picture = page.getByRole('img', { name: /two gaps/ });
    const shown = await picture.getAttribute('src');
    const second = await puzzleAfter(page, () => page.getByRole('button', { name: 'New picture' }).click());
    expect(await picture.getAttribute('src')).not.toBe(shown);
    expect(second).not.toEqual(first);
    const messages = sms.messages.length;
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.waitForFunction(() => document.activeElement?.textContent === 'Send code');
    expect(sms.messages).toHaveLength(messages);
  });

  it('asks for a right number before it shows a captcha, and for the code before it signs in', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('Please enter phone number').waitFor();
    await page.getByRole('textbox', { name: 'Phone number' }).fill('12345678901');
    await page.getByRole('button', { name: 'Send code' }).click();
    await page.getByText('Please enter a correct phone number').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await page.getByRole('textbox', { name: 'Phone number' }).fill(NUMBER);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.getByText('Please enter the verification code').waitFor();
    await page.getByRole('textbox', { name: 'Verification code' }).fill('000000');
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: 'The verification code is wrong or has expired' })
      .waitFor();
  });

  it('says that the message could not be sent, and lets one try again', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login');
    await page.getByRole('textbox', { name: 'Phone number' }).fill(await newOwner());
    const send = page.getByRole('button', { name: 'Send code' });
    const { start, hole } = await puzzleAfter(page, () => send.click());
    sms.isBroken = true;
    await dragByMouse(page, slider(page, 'en'), hole.x - start.x);
    await page.getByText('The text message could not be sent, please try again later').waitFor();
    sms.isBroken = false;
    expect(await send.isEnabled()).toBe(true);
  });
});

describe('the two ways of signing in', () => {
  it('are switched by a link in Chinese, which works without JavaScript', async () => {
    const { page } = await site.visit({ locale: 'zh', javaScript: false });
    await page.goto('/login?next=%2Flog');
    expect(await page.getByRole('textbox', { name: '手机号', exact: true }).isVisible()).toBe(true);
    expect(await page.getByRole('tablist').count()).toBe(0);
    expect(await page.getByRole('link', { name: '忘记密码' }).count()).toBe(0);
    await page.getByRole('link', { name: '使用账号密码登录' }).click();
    await page.getByRole('textbox', { name: '用户名' }).fill('phil');
    expect(await page.getByRole('link', { name: '忘记密码' }).isVisible()).toBe(true);
    await page.getByLabel('密码', { exact: true }).fill('wrong');
    await page.getByRole('checkbox', { name: '我已阅读并同意' }).check();
    await page.getByRole('button', { name: '登录', exact: true }).click();
    // The form that failed is the one that comes back.
    expect(await page.getByRole('alert').textContent()).toContain('用户名或密码错误');
    await page.getByLabel('密码', { exact: true }).fill(PASSWORD);
    await page.getByRole('checkbox', { name: '我已阅读并同意' }).check();
    await page.getByRole('button', { name: '登录', exact: true }).click();
    await page.waitForURL('**/log');
  });

  it('are tabs in English, which the arrow keys switch', async () => {
    const visitor = await site.visit({ locale: 'en' });
    const { page } = visitor;
    await visitor.goto('/login?next=%2Flog');
    const tab = (name: string) =>
      page.getByRole('tablist', { name: 'Ways to sign in' }).getByRole('tab', { name });
    expect(await tab('Phone code').getAttribute('aria-selected')).toBe('true');
    await tab('Phone code').focus();
    await page.keyboard.press('ArrowRight');
    await page.getByRole('textbox', { name: 'Username' }).waitFor();
    expect(await tab('Password').getAttribute('aria-selected')).toBe('true');
    expect(page.url()).toContain('next=%2Flog');
    expect(await page.getByRole('link', { name: 'Forgot password' }).isVisible()).toBe(true);
    await tab('Phone code').click();
    await page.getByRole('textbox', { name: 'Phone number' }).waitFor();
    expect(await page.getByRole('link', { name: 'Forgot password' }).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it.each([
    ['phone alone', { PasswordLoginEnabled: 'false' }, ['Phone number', 'Verification code']],
    ['password alone', { PhoneLoginEnabled: 'false' }, ['Username']],
    ['password alone, while no service sends messages', { 'sms.provider': 'none' }, ['Username']],
  ] as const)('are one where the switches say %s', async (_name, options, fields) => {
    await site.api.deps.options.set(options);
    const { page } = await site.visit({ locale: 'en', javaScript: false });
    await page.goto('/login');
    const names = page
      .getByRole('main')
      .getByRole('textbox')
      .and(page.locator('[type=text], [type=tel], :not([type])'));
    expect(await names.count()).toBe(fields.length);
    for (const name of fields) expect(await page.getByRole('textbox', { name }).isVisible()).toBe(true);
    expect(await page.getByRole('tab').count()).toBe(0);
  });
});

describe('a site without sign-in by password', () => {
  it('has a form for the super admin, to which nothing leads', async () => {
    await site.api.deps.options.set({ PasswordLoginEnabled: 'false', 'sms.provider': 'none' });
    const { page } = await site.visit({ locale: 'en', javaScript: false });
    await page.goto('/login');
    expect(await page.getByText('The administrator has turned password sign-in off.').isVisible()).toBe(true);
    expect(await page.getByRole('textbox').count()).toBe(0);
    await page.goto('/login?by=password');
    const submit = async (name: string) => {
      await page.getByRole('textbox', { name: 'Username' }).fill(name);
      await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    };
    await submit('phil');
    expect(await page.getByRole('alert').textContent()).toContain('turned off this way to sign in');
    await submit('root');
    await page.waitForURL('**/token');
  });
});

describe('registering by phone', () => {
  it.each(usually<Omit<View, 'theme'>>([{ width: DESK, locale: 'en' }], { width: PHONE, locale: 'zh' }))(
    'takes the place of the other form, and leads back to sign in, at $width px in $locale',
    async (view) => {
      await site.api.deps.options.set({ PhoneRegisterEnabled: 'true' });
      const text = words[view.locale];
      const phone = `136${String(++people).padStart(8, '0')}`;
      const visitor = await site.visit(view);
      const { page } = visitor;
      await visitor.goto('/register?aff=abcd&next=%2Flog');
      expect(await page.getByRole('textbox', { name: /Username|用户名/ }).count()).toBe(0);
      expect(await page.getByText('abcd').isVisible()).toBe(true);
      await page.getByRole('textbox', { name: text.number }).fill(phone);
      const { start, hole } = await puzzleAfter(page, () =>
        page.getByRole('button', { name: text.send }).click(),
      );
      await dragByMouse(page, slider(page, view.locale), hole.x - start.x);
      await page.getByRole('status').filter({ hasText: text.sent }).waitFor();
      await page.getByRole('textbox', { name: text.code }).fill(sms.codeOf(phone));
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(Create account|注册)$/ })
        .click();
      // In Chinese the terms are asked for when the box was left open.
      if (view.locale === 'zh') await page.getByRole('alertdialog').getByRole('button').last().click();
      await page.waitForURL(/\/login\?.*registered=true/);
      expect(page.url()).toContain('next=%2Flog');
      const rows = await site.api.deps.db.query(`select id from users where phone = '${phone}'`);
      expect(rows).toHaveLength(1);
      expect(visitor.complaints).toEqual([]);
    },
  );
});

describe.each([
  ['/login?by=password', 'password'],
  ['/register', 'register'],
  ['/login', 'login'],
] as const)('the page %s with a phone form', (path, name) => {
  looksRight({
    name: `phone-${name}`,
    async open(locale) {
      await switchOn();
      await site.api.deps.options.set({ PhoneRegisterEnabled: 'true' });
      const visitor = await site.visit({ locale, stays: true });
      await visitor.goto(path);
      return visitor;
    },
  });
});

describe('the puzzle over a phone form', () => {
  looksRight({
    name: 'phone-captcha',
    async open(locale) {
      await switchOn();
      const visitor = await site.visit({ locale, stays: true });
      const { page } = visitor;
      await visitor.goto('/login');
      await page.getByRole('textbox', { name: words[locale].number }).fill(NUMBER);
      await puzzleAfter(page, () => page.getByRole('button', { name: words[locale].send }).click());
      await page.getByRole('dialog').waitFor();
      return visitor;
    },
  });
});
