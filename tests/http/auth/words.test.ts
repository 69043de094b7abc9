/**
 * What people are told when something is refused, word for word and in both languages: one row a rule of the
 * specification about signing in, registering, resetting, and what is done to accounts.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type ErrorCode, fail } from '../../../src/core/errors.ts';
import { isOptionKey } from '../../../src/options/registry.ts';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { HUMAN_SECRET } from '../../support/human-check-server.ts';
import { type SmsServer, startSmsServer } from '../../support/sms-server.ts';

type Who = 'guest' | 'user' | 'admin' | 'root';
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

interface Row {
  who?: Who;
  call: `${Method} /api/${string}`;
  /** Body of a write, query of a GET; `{user}` in it is the id of an ordinary user. */
  input?: Record<string, unknown>;
  options?: Record<string, string>;
  status?: number;
  zh: string;
  en: string;
}

/** The same words for several inputs. */
const rows = (common: Omit<Row, 'input'>, ...inputs: Record<string, unknown>[]): Row[] =>
  inputs.map((input) => ({ ...common, input }));

const REGISTER = { username: 'newcomer', password: PASSWORD, password2: PASSWORD };
const LONG_NAME = 'thirteenchars';
const SIX = '123456';
const NUMBER = '13912345678';
const PHONES = { 'sms.provider': 'http', PhoneLoginEnabled: 'true', PhoneRegisterEnabled: 'true' };

const table: Record<string, Row[]> = {
  'signing in': [
    ...rows(
      { call: 'POST /api/user/login', zh: '请输入用户名和密码', en: 'Please enter username and password' },
      {},
      { username: 'una' },
      { username: null, password: null },
      { password: PASSWORD },
      { username: '  ', password: PASSWORD },
      { username: 'una', password: '' },
    ),
    ...rows(
      {
        call: 'POST /api/user/login',
        zh: '用户名或密码错误，或用户已被封禁',
        en: 'Wrong username or password, or the user is banned',
      },
      { username: 'una', password: 'Wrong0000' },
      { username: 'nobody', password: PASSWORD },
      { username: 'banned', password: PASSWORD },
    ),
    {
      call: 'POST /api/user/login',
      input: { username: 'una', password: PASSWORD },
      options: { PasswordLoginEnabled: 'false' },
      zh: '管理员关闭了该登录方式',
      en: 'The administrator has turned off this way to sign in',
    },
    {
      call: 'POST /api/user/login',
      input: { username: 'una', password: PASSWORD },
      options: { TurnstileSiteKey: 'key', TurnstileSecretKey: HUMAN_SECRET, TurnstileCheckEnabled: 'true' },
      zh: '请稍后几秒重试，Turnstile 正在检查用户环境',
      en: 'Retry in a few seconds, Turnstile is checking the user environment',
    },
  ],

  'a phone number': [
    ...['POST /api/sms/code', 'POST /api/user/login/mobile', 'POST /api/user/register/mobile'].flatMap(
      (call) => {
        const name = call.endsWith('code') ? 'mobile' : 'phone_number';
        const given = (phone: string | null) => ({ [name]: phone, code: SIX });
        const common = { call: call as Row['call'], options: PHONES };
        return [
          ...rows(
            { ...common, zh: '请输入手机号', en: 'Please enter phone number' },
            {},
            given(null),
            given(''),
            given('  '),
          ),
          ...rows(
            { ...common, zh: '请输入正确的手机号', en: 'Please enter a correct phone number' },
            given('1391234567'),
            given('139123456789'),
            given('23912345678'),
            given('10912345678'),
            given('12912345678'),
            given('+8613912345678'),
            given('1391234567x'),
            given('１３９１２３４５６７８'),
          ),
        ];
      },
    ),
    ...rows(
      {
        call: 'POST /api/user/login/mobile',
        options: PHONES,
        zh: '请输入验证码',
        en: 'Please enter the verification code',
      },
      { phone_number: NUMBER },
      { phone_number: NUMBER, code: ' ' },
    ),
    {
      call: 'POST /api/user/register/mobile',
      input: { phone_number: NUMBER, code: '' },
      options: PHONES,
      zh: '请输入验证码',
      en: 'Please enter the verification code',
    },
    ...rows(
      {
        call: 'POST /api/user/login/mobile',
        options: PHONES,
        zh: '验证码错误或已过期',
        en: 'The verification code is wrong or has expired',
      },
      { phone_number: NUMBER, code: SIX },
    ),
    {
      call: 'POST /api/user/login/mobile',
      input: { phone_number: NUMBER, code: SIX },
      zh: '管理员关闭了该登录方式',
      en: 'The administrator has turned off this way to sign in',
    },
    {
      call: 'POST /api/user/register/mobile',
      input: { phone_number: NUMBER, code: SIX },
      zh: '管理员关闭了新用户注册',
      en: 'The administrator has turned off registration',
    },
    {
      call: 'POST /api/captcha/check',
      input: { captcha_key: 'unknown', position: { x: 1, y: 1 } },
      zh: '验证失败，请重试',
      en: 'Verification failed, please retry',
    },
  ],

  registering: [
    ...rows(
      { call: 'POST /api/user/register', zh: '请输入用户名和密码', en: 'Please enter username and password' },
      {},
      { ...REGISTER, username: '' },
      { ...REGISTER, username: ' ' },
      { ...REGISTER, password: '' },
    ),
    ...rows(
      {
        call: 'POST /api/user/register',
        zh: '密码长度不得小于8位',
        en: 'Password length must not be less than 8',
      },
      { ...REGISTER, password: 'Short12', password2: 'Short12' },
      { ...REGISTER, password: 'x', password2: 'y' },
    ),
    {
      call: 'POST /api/user/register',
      input: { ...REGISTER, password: 'Passw0rdPassw0rdPassw', password2: 'Passw0rdPassw0rdPassw' },
      zh: '密码长度必须在8-20之间',
      en: 'The password must have 8 to 20 characters',
    },
    {
      call: 'POST /api/user/register',
      input: { ...REGISTER, password: 'Passw0rd', password2: 'Passw0rd' },
      zh: '该密码过于常见，容易被猜到，请换一个',
      en: 'This password is one of the most common ones and easily guessed, please choose another',
    },
    ...rows(
      { call: 'POST /api/user/register', zh: '两次输入的密码不一致', en: 'The two passwords do not match' },
      { ...REGISTER, password2: 'Passw0rd2' },
      { ...REGISTER, password2: null },
    ),
    {
      call: 'POST /api/user/register',
      input: { ...REGISTER, username: LONG_NAME },
      zh: '用户名长度不能超过12个字符',
      en: 'The username may have at most 12 characters',
    },
    {
      call: 'POST /api/user/register',
      input: { ...REGISTER, username: 'UNA' },
      zh: '用户名已存在，或已注销',
      en: 'The username exists already, or was cancelled',
    },
    ...rows(
      {
        call: 'POST /api/user/register',
        options: { EmailVerificationEnabled: 'true' },
        zh: '管理员开启了邮箱验证，请输入邮箱地址和验证码',
        en: 'Registration needs an email address and its verification code',
      },
      REGISTER,
      { ...REGISTER, email: 'new@example.com' },
    ),
    {
      call: 'POST /api/user/register',
      input: { ...REGISTER, email: 'nobody', verification_code: SIX },
      zh: '邮箱格式不正确',
      en: 'The email address is not valid',
    },
    {
      call: 'POST /api/user/register',
      input: { ...REGISTER, email: 'new@example.com', verification_code: SIX },
      zh: '验证码错误或已过期',
      en: 'The verification code is wrong or has expired',
    },
    {
      call: 'POST /api/user/register',
      input: REGISTER,
      options: { RegisterEnabled: 'false' },
      zh: '管理员关闭了新用户注册',
      en: 'The administrator has turned off registration',
    },
    ...rows(
      { call: 'GET /api/verification', zh: '邮箱格式不正确', en: 'The email address is not valid' },
      {},
      { email: '' },
      { email: 'nobody' },
      { email: 'a@b' },
    ),
    {
      call: 'GET /api/verification',
      input: { email: 'new@example.com' },
      zh: '管理员未设置发信服务器，无法发送邮件',
      en: 'The administrator has not set up mail, so none can be sent',
    },
  ],

  'a forgotten password': [
    ...rows(
      { call: 'GET /api/reset_password', zh: '该字段不能为空', en: 'The field cannot be empty' },
      {},
      { email: '' },
      { email: ' ' },
    ),
    ...rows(
      {
        call: 'POST /api/user/reset',
        zh: '重置链接无效或已过期',
        en: 'The reset link is invalid or has expired',
      },
      {},
      { email: 'una@example.com', token: 'x'.repeat(43) },
    ),
  ],

  'adding a user': [
    ...rows(
      {
        who: 'admin',
        call: 'POST /api/user/',
        zh: '用户名和密码不能为空！',
        en: 'Username and password must not be empty!',
      },
      {},
      { username: 'newuser' },
      { password: PASSWORD },
      { username: ' ', password: PASSWORD },
      { username: null, password: null },
    ),
    {
      who: 'admin',
      call: 'POST /api/user/',
      input: { username: LONG_NAME, password: PASSWORD },
      zh: '用户名长度不能超过12个字符',
      en: 'The username may have at most 12 characters',
    },
    ...rows(
      {
        who: 'admin',
        call: 'POST /api/user/',
        zh: '密码长度必须在8-20之间',
        en: 'The password must have 8 to 20 characters',
      },
      { username: 'newuser', password: 'Short12' },
      { username: 'newuser', password: 'x'.repeat(21) },
    ),
    {
      who: 'admin',
      call: 'POST /api/user/',
      input: { username: 'newuser', password: PASSWORD, display_name: 'x'.repeat(21) },
      zh: '显示名称不能超过20个字符',
      en: 'The display name may have at most 20 characters',
    },
    {
      who: 'admin',
      call: 'POST /api/user/',
      input: { username: 'una', password: PASSWORD },
      zh: '用户名已存在，或已注销',
      en: 'The username exists already, or was cancelled',
    },
    {
      who: 'admin',
      call: 'POST /api/user/',
      input: { username: 'newuser', password: PASSWORD, role: 10 },
      zh: '无权操作同级或更高级别的用户',
      en: 'Users of the same or a higher level cannot be viewed or changed',
    },
    {
      who: 'user',
      call: 'POST /api/user/',
      input: { username: 'newuser', password: PASSWORD },
      status: 403,
      zh: '权限不足',
      en: 'Insufficient permissions',
    },
  ],

  'editing a user': [
    {
      who: 'admin',
      call: 'PUT /api/user/',
      input: { id: '{user}', username: LONG_NAME },
      zh: '用户名长度不能超过12个字符',
      en: 'The username may have at most 12 characters',
    },
    ...rows(
      {
        who: 'admin',
        call: 'PUT /api/user/',
        zh: '密码长度必须在8-20之间',
        en: 'The password must have 8 to 20 characters',
      },
      { id: '{user}', password: 'Short12' },
      { id: '{user}', password: 'x'.repeat(21) },
    ),
    {
      who: 'admin',
      call: 'PUT /api/user/',
      input: { id: '{user}', remarks: 'x'.repeat(256) },
      zh: '备注不能超过255个字符',
      en: 'The remarks may have at most 255 characters',
    },
    {
      who: 'admin',
      call: 'PUT /api/user/',
      input: { id: '{user}', group: 'nowhere' },
      zh: '分组不存在：nowhere',
      en: 'There is no such group: nowhere',
    },
    ...rows(
      {
        who: 'admin',
        call: 'PUT /api/user/',
        status: 400,
        zh: '参数错误：额度',
        en: 'Invalid parameter: quota',
      },
      { id: '{user}', quota: 1.5 },
      { id: '{user}', quota: '' },
      { id: '{user}', quota: 'much' },
    ),
    {
      who: 'admin',
      call: 'PUT /api/user/',
      input: { id: '{root}', remarks: 'x' },
      zh: '无权操作同级或更高级别的用户',
      en: 'Users of the same or a higher level cannot be viewed or changed',
    },
    ...rows(
      {
        who: 'root',
        call: 'POST /api/user/manage',
        zh: '无法禁用、删除或降级超级管理员用户',
        en: 'A super admin cannot be disabled, deleted or demoted',
      },
      { id: '{root}', action: 'disable' },
      { id: '{root}', action: 'delete' },
      { id: '{root}', action: 'demote' },
    ),
    {
      who: 'admin',
      call: 'POST /api/user/manage',
      input: { id: '{user}', action: 'promote' },
      zh: '普通管理员无法提升其他用户为管理员',
      en: 'A regular administrator cannot promote other users to administrator',
    },
  ],

  'a new password of one’s own': [
    ...rows(
      {
        who: 'user',
        call: 'PUT /api/user/self',
        zh: '密码必须由英文、数字组成，且长度在8-20之间！',
        en: 'The password must have letters and digits and 8 to 20 characters!',
      },
      { password: 'Short12' },
      { password: 'Passw0rdPassw0rdPassw' },
      { password: 'onlyletters' },
      { password: '12345678' },
      { password: '密码密码密码密码' },
    ),
    {
      who: 'user',
      call: 'PUT /api/user/self',
      input: { password: 'Passw0rd' },
      zh: '该密码过于常见，容易被猜到，请换一个',
      en: 'This password is one of the most common ones and easily guessed, please choose another',
    },
    {
      who: 'user',
      call: 'PUT /api/user/self',
      input: { password: 'Freshly10', original_password: 'Wrong0000' },
      zh: '原密码错误',
      en: 'The current password is wrong',
    },
  ],

  'binding a mailbox': [
    ...rows(
      {
        who: 'user',
        call: 'GET /api/oauth/email/bind',
        zh: '该字段不能为空',
        en: 'The field cannot be empty',
      },
      {},
      { email: ' ', code: SIX },
    ),
    ...rows(
      {
        who: 'user',
        call: 'GET /api/oauth/email/bind',
        zh: '邮箱格式不正确',
        en: 'The email address is not valid',
      },
      { email: 'nobody', code: SIX },
      { email: 'a@b', code: SIX },
    ),
    ...rows(
      {
        who: 'user',
        call: 'GET /api/oauth/email/bind',
        zh: '请输入验证码',
        en: 'Please enter the verification code',
      },
      { email: 'new@example.com' },
      { email: 'new@example.com', code: ' ' },
    ),
    {
      who: 'user',
      call: 'POST /api/oauth/email/bind',
      input: { email: 'new@example.com', code: SIX },
      zh: '验证码错误或已过期',
      en: 'The verification code is wrong or has expired',
    },
  ],

  'deleting one’s account': [
    ...rows(
      {
        who: 'user',
        call: 'DELETE /api/user/self',
        zh: '账户名不正确！',
        en: 'The account name is not right!',
      },
      { username: '' },
      { username: 'una' },
      { username: 'ORDINARY' },
    ),
    {
      who: 'root',
      call: 'DELETE /api/user/self',
      input: { username: 'root' },
      zh: '无法禁用、删除或降级超级管理员用户',
      en: 'A super admin cannot be disabled, deleted or demoted',
    },
  ],

  'what any call may be told': [
    {
      call: 'GET /api/user/self',
      status: 401,
      zh: '未登录或登录已过期，请重新登录',
      en: 'Not logged in or login expired, please log in again',
    },
    { who: 'user', call: 'GET /api/user/', status: 403, zh: '权限不足', en: 'Insufficient permissions' },
    { who: 'root', call: 'GET /api/user/999999', zh: '记录不存在', en: 'The record does not exist' },
    {
      who: 'user',
      call: 'PUT /api/user/self',
      input: { display_name: 'x' },
      options: { DemoSiteEnabled: 'true' },
      status: 405,
      zh: '本站仅作演示之用，无服务端',
      en: 'This site is for demonstration only',
    },
  ],
};

let api: TestApi;
let sms: SmsServer;
let una: TestUser;
const users: Partial<Record<Who, TestUser>> = {};
beforeAll(async () => {
  sms = startSmsServer();
  api = await openApi('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
  users.root = { id: (await api.root()).userId ?? 0, username: 'root', role: 100 };
  users.admin = await api.createUser({ username: 'manager', role: 10 });
  users.user = await api.createUser({ username: 'ordinary' });
  una = await api.createUser({ username: 'una' });
  await api.createUser({ username: 'banned', status: 2 });
});
afterAll(async () => {
  await api.close();
  await sms.close();
});

const changed = Object.values(table)
  .flat()
  .flatMap(({ options = {} }) => Object.keys(options).filter(isOptionKey));
beforeEach(() => api.deps.options.reset(changed));

let people = 0;
/** From an address of his own: what is refused here must not count there. */
async function clientOf(who: Who, locale: 'zh' | 'en'): Promise<Client> {
  const options = { ip: `198.51.${100 + Math.floor(++people / 250)}.${people % 250}`, locale };
  const user = users[who];
  return user ? api.as(user, options) : api.guest(options);
}

const idsIn = (input: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]) => {
      if (value === '{user}') return [name, una.id];
      return [name, value === '{root}' ? users.root?.id : value];
    }),
  );

async function answerOf({ who = 'guest', call, input }: Row, locale: 'zh' | 'en') {
  const [method = '', path = ''] = call.split(' ');
  const client = await clientOf(who, locale);
  const given = input && idsIn(input);
  if (method !== 'GET') return client.call(method, path, given ?? {});
  const query = new URLSearchParams(
    Object.entries(given ?? {}).map(([name, value]) => [name, String(value)]),
  );
  return client.get(query.size > 0 ? `${path}?${query}` : path);
}

describe.each(Object.entries(table))('%s', (_about, about) => {
  it.each(about.map((row) => [`${row.call} ${JSON.stringify(row.input ?? {})}`, row.en, row] as const))(
    '%s is told: %s',
    async (_call, _en, row) => {
      if (row.options) await api.deps.options.set({ 'sms.url': sms.template, ...row.options });
      for (const locale of ['zh', 'en'] as const) {
        const { status, success, message } = await answerOf(row, locale);
        expect({ status, success, message }).toEqual({
          status: row.status ?? 200,
          success: false,
          message: row[locale],
        });
      }
    },
  );
});

describe('the bounds', () => {
  it('let names and passwords of just the right length pass', async () => {
    for (const [username, password] of [
      ['twelve__char', `${PASSWORD.slice(0, 7)}x`],
      ['一二三四五六七八九十十二', `${'Passw0rd'.repeat(2)}abcd`],
    ] as const) {
      const client = await clientOf('guest', 'en');
      const answer = await client.post('/api/user/register', { username, password, password2: password });
      expect([username, answer.message]).toEqual([username, '']);
      await (await clientOf('guest', 'en')).login(username, password);
    }
  });

  it('know every number of eleven digits that begins with 1 and 3 to 9', async () => {
    await api.deps.options.set({ ...PHONES, 'sms.url': sms.template });
    const refusals: (string | undefined)[] = [];
    for (let second = 0; second <= 9; second++) {
      const client = await clientOf('guest', 'en');
      refusals.push((await client.post('/api/sms/code', { mobile: ` 1${second}912345678 ` })).code);
    }
    expect(refusals).toEqual([
      ...Array<string>(3).fill('PHONE_INVALID'),
      ...Array<string>(7).fill('CAPTCHA_NEEDED'),
    ]);
  });

  it('take a quota as text for the number that it is', async () => {
    const client = await clientOf('root', 'en');
    expect((await client.put('/api/user/', { id: una.id, quota: ' 700 ' })).message).toBe('');
    expect((await client.get(`/api/user/${una.id}`)).data.quota).toBe(700);
  });
});

it('who tries too often is told so, in both languages', async () => {
  await api.deps.options.set({ CriticalRateLimitCount: '1' });
  const client = api.guest({ ip: '203.0.113.9' });
  const login = (locale: string) =>
    client.call(
      'POST',
      '/api/user/login',
      { username: 'nobody', password: 'Wrong0000' },
      { 'accept-language': locale },
    );
  await login('zh');
  const told = [await login('zh'), await login('en')].map(({ status, message }) => ({ status, message }));
  await api.deps.options.reset(['CriticalRateLimitCount']);
  expect(told).toEqual([
    { status: 429, message: '请求次数过多，请稍后再试' },
    { status: 429, message: 'Too many requests, please try again later' },
  ]);
});

it.each<[ErrorCode, string, string]>([
  ['INTERNAL', '服务器内部错误，请联系管理员', 'Internal server error, please contact the administrator'],
  ['token_quota_exhausted', '令牌额度已用尽', 'The quota of this API key is exhausted'],
  ['insufficient_user_quota', '用户额度不足', 'The quota of this account is not enough for the request'],
  ['upstream_busy', '当前分组负载已饱和，请稍后再试', 'The group is saturated, please try again later'],
])('%s, which no call here can cause, says: %s', (code, zh, en) => {
  expect([fail(code).text('zh'), fail(code).text('en')]).toEqual([zh, en]);
});
