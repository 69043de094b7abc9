/** What the forms themselves say before anything is sent, word for word and in both languages. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { Locator, Page } from 'playwright';
import { PASSWORD, type TestUser } from '../support/api.ts';
import { type Language, openSite, type Site, type Visitor } from '../support/browser.ts';
import { usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';
import { type SmsServer, startSmsServer } from '../support/sms-server.ts';

let site: Site;
let sms: SmsServer;
let root: TestUser;
let user: TestUser;
beforeAll(async () => {
  sms = startSmsServer();
  site = await openSite();
  root = { id: (await site.api.root()).userId ?? 0, username: 'root', role: 100 };
  user = await site.api.createUser({ username: 'ordinary' });
}, patience(120_000));
afterAll(async () => {
  await site.close();
  await sms.close();
});

/** Picks the text of the page's language. */
type Pick = (zh: string, en: string) => string;

interface Given {
  page: Page;
  pick: Pick;
  field(zh: string, en: string): Locator;
  press(zh: string, en: string): Promise<void>;
  /** Waits until the page says so. */
  says(zh: string, en: string): Promise<void>;
}

interface Case {
  path: string;
  who?: 'user' | 'root';
  options?: Record<string, string>;
  steps: (given: Given) => Promise<void>;
}

const cases: Record<string, Case> = {
  'signing in': {
    path: '/login',
    async steps({ page, press, field, says, pick }) {
      await press('登录', 'Sign in');
      await says('请输入用户名和密码', 'Please enter username and password');
      await field('用户名', 'Username').fill('una');
      // What comes back without words of the server's.
      await page.route('**/api/user/login', (route) => route.abort());
      await field('密码', 'Password').fill(PASSWORD);
      await press('登录', 'Sign in');
      if (pick('zh', '') === 'zh') {
        await page
          .getByRole('alertdialog')
          .getByText('登录或注册需要同意《用户协议》和《隐私协议》')
          .waitFor();
        await page.getByRole('alertdialog').getByRole('button', { name: '同意' }).click();
      }
      await says('登录失败，请重试', 'Login failed, please retry');
    },
  },
  'signing in with a phone': {
    path: '/login?by=phone',
    options: { PhoneLoginEnabled: 'true', 'sms.provider': 'http' },
    async steps({ press, field, says }) {
      await press('登录', 'Sign in');
      await says('请输入手机号', 'Please enter phone number');
      await says('请输入验证码', 'Please enter the verification code');
      await field('手机号', 'Phone number').fill('12345678901');
      await says('请输入正确的手机号', 'Please enter a correct phone number');
      await press('获取验证码', 'Send code');
      await says('请输入正确的手机号', 'Please enter a correct phone number');
    },
  },
  registering: {
    path: '/register',
    options: { EmailVerificationEnabled: 'true' },
    async steps({ page, press, field, says, pick }) {
      const send = page.getByRole('button', { name: pick('获取验证码', 'Send code') });
      expect(await send.isDisabled()).toBe(true);
      await press('注册', 'Create account');
      await says('请输入用户名和密码', 'Please enter username and password');
      await says('请输入邮箱地址', 'Please enter your email address');
      await says('请输入验证码', 'Please enter the verification code');
      await field('用户名', 'Username').fill('thirteenchars');
      await says('用户名长度不能超过12个字符', 'The username may have at most 12 characters');
      const placeholder = await field('密码', 'Password').getAttribute('placeholder');
      expect(placeholder).toBe(pick('8 到 20 个字符', '8 to 20 characters'));
      await field('密码', 'Password').fill('short12');
      await says('密码长度不得小于8位', 'Password length must not be less than 8');
      await says('两次输入的密码不一致', 'The two passwords do not match');
      await field('密码', 'Password').fill('x'.repeat(21));
      await says('密码长度必须在8-20之间', 'The password must have 8 to 20 characters');
      await field('邮箱', 'Email').fill('a@example.com');
      expect(await send.isEnabled()).toBe(true);
    },
  },
  'a forgotten password': {
    path: '/reset',
    async steps({ press, says }) {
      await press('发送链接', 'Send link');
      await says('该字段不能为空', 'The field cannot be empty');
    },
  },
  'a link that is not whole': {
    path: '/user/reset?email=una%40example.com',
    async steps({ page, pick }) {
      const words = pick('链接不完整。请重新从邮件中打开，或重新获取。', 'This link is not whole.');
      expect(await page.getByRole('alert').filter({ hasText: words }).isVisible()).toBe(true);
    },
  },
  'adding a user': {
    path: '/user/add',
    who: 'root',
    async steps({ page, field, says }) {
      const save = () => page.getByRole('dialog').locator('button[type=submit]').click();
      await save();
      await says('用户名和密码不能为空！', 'Username and password must not be empty!');
      await field('用户名', 'Username').fill('thirteenchars');
      await says('用户名长度不能超过12个字符', 'The username may have at most 12 characters');
      await field('密码', 'Password').fill('short12');
      await says('密码长度必须在8-20之间', 'The password must have 8 to 20 characters');
    },
  },
  'a new password in one’s profile': {
    path: '/user/edit',
    who: 'root',
    async steps({ page, field, says }) {
      await field('新密码', 'New password').fill('onlyletters');
      await page.getByRole('dialog').locator('button[type=submit]').click();
      await says(
        '密码必须由英文、数字组成，且长度在8-20之间！',
        'The password must have letters and digits and 8 to 20 characters!',
      );
    },
  },
  'a new password': {
    path: '/personal',
    who: 'user',
    async steps({ page, press, field, says, pick }) {
      await press('修改密码', 'Change password');
      // It is fetched when it is opened, and the page has a button of that name too.
      await page.getByRole('dialog').waitFor();
      await press('保存', 'Save');
      await says('请输入新密码', 'Please enter a new password');
      await says('请再次输入新密码', 'Please enter the new password again');
      for (const bad of ['Short12', 'Passw0rdPassw0rdPassw', 'onlyletters', '12345678']) {
        await field('新密码', 'New password').fill(bad);
        await says(
          '密码必须由英文、数字组成，且长度在8-20之间！',
          'The password must have letters and digits and 8 to 20 characters!',
        );
        await field('新密码', 'New password').fill('Freshly10');
        await page.getByText(pick('密码必须由英文', 'The password must have')).waitFor({ state: 'detached' });
      }
      await field('确认新密码', 'New password again').fill('Freshly11');
      await says('两次输入的密码不一致！', 'The two passwords do not match!');
    },
  },
  'binding a mailbox': {
    path: '/personal',
    who: 'user',
    async steps({ page, press, field, says, pick }) {
      await press('绑定邮箱', 'Bind email');
      const send = page.getByRole('button', { name: pick('获取验证码', 'Send code') });
      expect(await send.isDisabled()).toBe(true);
      await press('绑定', 'Bind');
      await says('请输入邮箱地址', 'Please enter an email address');
      await says('请输入验证码', 'Please enter the verification code');
      await field('邮箱', 'Email').fill('nobody');
      await says('邮箱格式不正确', 'The email address is not valid');
      expect(await send.isEnabled()).toBe(true);
    },
  },
  'deleting one’s account': {
    path: '/personal',
    who: 'user',
    async steps({ page, says, pick }) {
      const name = pick('注销账户', 'Delete account');
      await page.getByRole('button', { name, exact: true }).click();
      await says(
        '账户的所有数据将被清除，此操作不可撤销：',
        'All data of the account is erased. This cannot be undone:',
      );
      const dialog = page.getByRole('dialog');
      await dialog.getByRole('button', { name, exact: true }).click();
      await says('请输入账户名', 'Please enter the account name');
      await dialog.getByRole('textbox').fill('Ordinary');
      await says('账户名不正确！', 'The account name is not right!');
    },
  },
  'searching users': {
    path: '/user?aff=abcd',
    who: 'root',
    async steps({ says, press }) {
      await says(
        '按邀请码查询时请勿与其他条件同时使用。',
        'An invitation code is searched for alone; do not combine it with other conditions.',
      );
      await press('按令牌查找', 'Find by token');
      await says('查找令牌所属的账号，请勿与其他条件同时使用。', 'Do not combine with other conditions.');
    },
  },
};

async function open(given: Case, locale: Language): Promise<Visitor> {
  const people = { user, root };
  await site.api.deps.options.set({ 'sms.url': sms.template, ...given.options });
  const visitor = await site.visit({ locale, ...(given.who && { user: people[given.who] }) });
  await visitor.goto(given.path);
  return visitor;
}

describe.each(usually(['zh'], 'en'))('in %s', (locale) => {
  it.each(Object.entries(cases))('%s', async (_name, given) => {
    const { page } = await open(given, locale);
    const pick: Pick = (zh, en) => (locale === 'zh' ? zh : en);
    const field = (zh: string, en: string) => page.getByLabel(pick(zh, en), { exact: true });
    // The innermost of what is open: a dialog over its page, else the page without its bars.
    const part = async () => {
      const dialog = page.getByRole('dialog');
      return (await dialog.count()) > 0 ? dialog : page.getByRole('main');
    };
    await given.steps({
      page,
      pick,
      field,
      press: async (zh, en) =>
        (await part())
          .getByRole('button', { name: pick(zh, en), exact: true })
          .first()
          .click(),
      says: (zh, en) => page.getByText(pick(zh, en)).first().waitFor(),
    });
    await site.api.deps.options.reset(['PhoneLoginEnabled', 'EmailVerificationEnabled', 'sms.provider']);
  });
});
