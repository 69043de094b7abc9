import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { secretText } from '../../../src/core/ids.ts';
import { issueCode } from '../../../src/modules/auth/codes.ts';
import { openApi, type TestApi } from '../../support/api.ts';
import { passCaptcha } from '../../support/captcha.ts';
import { callEngines } from '../../support/database.ts';
import { forgetMinute, type SmsServer, startSmsServer } from '../../support/sms-server.ts';
import { totpCode } from '../../support/totp.ts';

let sms: SmsServer;
beforeAll(() => {
  sms = startSmsServer();
});
afterAll(() => sms.close());

let people = 0;
/** Someone at an address of his own, so that tests do not share their budgets. */
const strangerOf = (api: TestApi, locale: 'zh' | 'en' = 'en') =>
  api.guest({ ip: `198.51.${100 + Math.floor(++people / 250)}.${people % 250}`, locale });
const newNumber = () => `139${String(++people).padStart(8, '0')}`;

const SWITCHES = {
  PhoneLoginEnabled: 'true',
  PhoneRegisterEnabled: 'true',
  RegisterEnabled: 'true',
  SelfUseModeEnabled: 'false',
  QuotaForNewUser: '0',
  'sms.provider': 'http',
};

describe.each(callEngines)('a phone number and its code on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());
  beforeEach(() => api.deps.options.set({ ...SWITCHES, 'sms.url': sms.template }));

  /** The sign-in flow of the browser that asks for codes here. */
  let flowId = '';
  beforeEach(() => {
    flowId = secretText(256);
  });
  /** A code as the text message brings it, without the captcha before. */
  const codeFor = (phone: string) => issueCode(api.deps, { channel: 'phone', subject: phone, flowId });
  /** The browser that asks for codes here, from an address that it had not before. */
  const owning = (client = strangerOf(api)) => {
    if (!client.cookies.has('visit')) client.cookies.set('visit', flowId);
    return client;
  };
  const login = (phone: unknown, code: unknown, client = strangerOf(api), aff?: string) =>
    owning(client).post('/api/user/login/mobile', { phone_number: phone, code, aff });
  const register = (phone: unknown, code: unknown, client = strangerOf(api), aff_code?: string) =>
    owning(client).post('/api/user/register/mobile', { phone_number: phone, code, aff_code });
  /** A browser that asked for nothing here. */
  const otherBrowser = () => {
    const client = strangerOf(api);
    client.cookies.set('visit', secretText(256));
    return client;
  };
  const accountsOf = async (phone: string) =>
    api.deps.db.query(
      `select username, role, status, quota, inviter_id from users where phone = '${phone}' and deleted_at is null`,
    );

  /** An account with a number of its own. */
  async function owner(role = 1) {
    const phone = newNumber();
    const user = await api.createUser({ role });
    await api.deps.db.query(`update users set phone = '${phone}' where id = ${user.id}`);
    return { phone, user };
  }

  it('sign their owner in, all the way from the captcha', async () => {
    const { phone, user } = await owner();
    const client = strangerOf(api);
    await passCaptcha(api, client);
    expect((await client.post('/api/sms/code', { mobile: phone })).success).toBe(true);
    const answer = await login(` ${phone} `, ` ${sms.codeOf(phone)} `, client);
    expect(answer.data).toEqual({
      id: user.id,
      username: user.username,
      display_name: user.username,
      role: 1,
      status: 1,
      group: 'default',
    });
    client.userId = user.id;
    expect((await client.get('/api/user/self')).data).toMatchObject({ id: user.id, phone });
  });

  it('stay good when the address has made too many accounts', async () => {
    const client = strangerOf(api);
    for (let n = 0; n < 20; n++) {
      const phone = newNumber();
      expect((await register(phone, await codeFor(phone), client)).success).toBe(true);
    }
    const phone = newNumber();
    const code = await codeFor(phone);
    expect((await register(phone, code, client)).status).toBe(429);
    expect((await login(phone, code, client)).status).toBe(429);
    expect((await register(phone, code)).success).toBe(true);
  });

  it('make an account on the fly for who has none, with the gift and the one who invited', async () => {
    const inviter = await api.createUser();
    await api.deps.db.query(`update users set aff_code = 'invite1' where id = ${inviter.id}`);
    await api.deps.options.set({ QuotaForNewUser: '700' });
    const phone = newNumber();
    const client = strangerOf(api);
    const answer = await login(phone, await codeFor(phone), client, 'invite1');
    expect(answer.success).toBe(true);
    expect(answer.data).toMatchObject({ role: 1, status: 1, group: 'default' });
    expect(answer.data.username).toMatch(/^user_[a-z\d]{7}$/i);
    client.userId = answer.data.id;
    expect((await client.get('/api/user/self')).data).toMatchObject({
      phone,
      quota: 700,
      inviter_id: inviter.id,
    });
    // The next time it is the same account.
    await forgetMinute(api, phone);
    expect((await login(phone, await codeFor(phone))).data.id).toBe(answer.data.id);
  });

  it('register without signing in, and once', async () => {
    const phone = newNumber();
    const answer = await register(phone, await codeFor(phone));
    expect([answer.success, answer.message, answer.data]).toEqual([true, '', undefined]);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await accountsOf(phone)).toHaveLength(1);
    const { phone: taken } = await owner();
    const again = await register(taken, await codeFor(taken));
    expect([again.code, again.message]).toEqual([
      'PHONE_TAKEN',
      'The phone number belongs to another account',
    ]);
  });

  it('say that a number has an account only to who has its code', async () => {
    const { phone } = await owner();
    const unknown = newNumber();
    for (const call of [login, register]) {
      const one = await call(phone, '000000');
      const other = await call(unknown, '000000');
      expect(one.code).toBe('CODE_WRONG');
      expect({ ...one, headers: null }).toEqual({ ...other, headers: null });
    }
    await api.deps.options.set({ PhoneRegisterEnabled: 'false' });
    const refused = await login(unknown, '000000');
    expect({ ...refused, headers: null }).toEqual({ ...(await login(phone, '000000')), headers: null });
  });

  it('refuse clearly who has no account while registration is closed, and make none', async () => {
    for (const closed of [
      { PhoneRegisterEnabled: 'false' },
      { RegisterEnabled: 'false' },
      { SelfUseModeEnabled: 'true' },
    ]) {
      await api.deps.options.set({ ...SWITCHES, ...closed });
      const phone = newNumber();
      const answer = await login(phone, await codeFor(phone));
      expect([answer.code, answer.message]).toEqual([
        'PHONE_UNKNOWN',
        'No account has this phone number, and registration by phone is not open',
      ]);
      expect((await register(phone, '000000')).code).toBe('REGISTER_CLOSED');
      expect(await accountsOf(phone)).toHaveLength(0);
    }
    const phone = newNumber();
    const answer = await login(phone, await codeFor(phone), strangerOf(api, 'zh'));
    expect(answer.message).toBe('该手机号尚未注册，管理员未开放手机注册');
  });

  it('are closed by their switches and while there is no service, and open the account of root as any', async () => {
    const { phone } = await owner();
    await api.deps.options.set({ PhoneLoginEnabled: 'false' });
    expect((await login(phone, await codeFor(phone))).code).toBe('LOGIN_METHOD_CLOSED');
    await api.deps.options.set({ PhoneLoginEnabled: 'true', 'sms.provider': 'none' });
    expect((await login(phone, '000000')).code).toBe('LOGIN_METHOD_CLOSED');
    expect((await register(newNumber(), '000000')).code).toBe('REGISTER_CLOSED');
    await api.deps.options.set({ 'sms.provider': 'http' });
    await api.root();
    const own = newNumber();
    await api.deps.db.query(`update users set phone = '${own}' where role = 100`);
    expect((await login(own, await codeFor(own))).data).toMatchObject({ role: 100 });
  });

  it('are the first of two steps for who has a second factor', async () => {
    const { phone, user } = await owner();
    const own = await api.as(user, { ip: '203.0.113.77' });
    const { data } = await own.post('/api/user/2fa/setup');
    await own.post('/api/user/2fa/enable', { code: totpCode(data.secret, -1) });
    const client = strangerOf(api);
    expect((await login(phone, await codeFor(phone), client)).data).toEqual({ require_2fa: true });
    client.userId = user.id;
    expect((await client.get('/api/user/self')).status).toBe(401);
    expect((await client.post('/api/user/login/2fa', { code: totpCode(data.secret) })).data.id).toBe(user.id);
  });

  it('do not let a banned or cancelled user in', async () => {
    const { phone, user } = await owner();
    await api.deps.db.query(`update users set status = 2 where id = ${user.id}`);
    const answer = await login(phone, await codeFor(phone));
    expect([answer.code, answer.headers.getSetCookie()]).toEqual(['USER_DISABLED', []]);
  });

  it('need both fields, in the words of the specification', async () => {
    for (const call of [login, register]) {
      expect((await call('', '123456')).message).toBe('Please enter phone number');
      expect((await call('12345', '123456')).message).toBe('Please enter a correct phone number');
      expect((await call(newNumber(), ' ')).message).toBe('Please enter the verification code');
      const zh = () => strangerOf(api, 'zh');
      expect((await call(undefined, '123456', zh())).message).toBe('请输入手机号');
      expect((await call('12345', '123456', zh())).message).toBe('请输入正确的手机号');
      expect((await call(newNumber(), undefined, zh())).message).toBe('请输入验证码');
      expect((await call(newNumber(), '000000', zh())).message).toBe('验证码错误或已过期');
    }
  });

  it('work once, for one of many who bring them at once', async () => {
    const { phone } = await owner();
    const code = await codeFor(phone);
    const racing = await Promise.all(Array.from({ length: 5 }, () => login(phone, code)));
    expect(racing.filter(({ success }) => success)).toHaveLength(1);
    expect((await login(phone, code)).code).toBe('CODE_WRONG');
  });

  it('make one account, however many ask for it at once', async () => {
    const phone = newNumber();
    const code = await codeFor(phone);
    const racing = await Promise.all([
      ...Array.from({ length: 3 }, () => login(phone, code)),
      ...Array.from({ length: 2 }, () => register(phone, code)),
    ]);
    expect(racing.filter(({ success }) => success)).toHaveLength(1);
    expect(await accountsOf(phone)).toHaveLength(1);
  });

  it('belong together: the code of one number opens no other', async () => {
    const { phone } = await owner();
    const own = newNumber();
    const code = await codeFor(own);
    expect((await login(phone, code)).code).toBe('CODE_WRONG');
    expect((await login(own, code)).success).toBe(true);
  });

  it('cannot be guessed: five wrong codes of the browser that asked void it there, from wherever', async () => {
    const { phone } = await owner();
    const code = await codeFor(phone);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++) expect((await login(phone, wrong)).code).toBe('CODE_WRONG');
    expect((await login(phone, code)).code).toBe('CODE_WRONG');
    // Another one, which its message brings.
    await forgetMinute(api, phone);
    expect((await login(phone, await codeFor(phone))).success).toBe(true);
  });

  it('cannot be guessed by who asked for none, and stay good whatever those try', async () => {
    const { phone } = await owner();
    const code = await codeFor(phone);
    const wrong = code === '000000' ? '000001' : '000000';
    for (const call of [login, register]) {
      for (const client of [otherBrowser(), otherBrowser()]) {
        expect((await call(phone, code, client)).code).toBe('CODE_WRONG');
      }
    }
    const cookieless = { phone_number: phone, code };
    expect((await strangerOf(api).post('/api/user/login/mobile', cookieless)).code).toBe('CODE_WRONG');
    for (let n = 0; n < 51; n++) await login(phone, wrong, otherBrowser());
    expect((await login(phone, code)).success).toBe(true);
  });

  it('are five tries for a stranger who asks in another’s name, who makes none void', async () => {
    const { phone, user } = await owner();
    const [own, thief] = [strangerOf(api), strangerOf(api)];
    const ask = async (client: typeof own) => {
      await passCaptcha(api, client);
      const answer = await client.post('/api/sms/code', { mobile: phone });
      expect(answer.success).toBe(true);
      return sms.codeOf(phone);
    };
    const code = await ask(own);
    expect(await ask(thief)).toBe(code);
    const wrong = code === '000000' ? '000001' : '000000';
    for (let n = 0; n < 5; n++) expect((await login(phone, wrong, thief)).code).toBe('CODE_WRONG');
    expect((await login(phone, code, thief)).code).toBe('CODE_WRONG');
    await forgetMinute(api, phone, thief.headers['x-forwarded-for']);
    expect(await ask(thief)).not.toBe(code);
    expect((await login(phone, code, own)).data.id).toBe(user.id);
  });

  it('let one network make twenty accounts an hour', async () => {
    const client = strangerOf(api);
    const answers = [];
    for (let n = 0; n < 21; n++) {
      const phone = newNumber();
      answers.push((await login(phone, await codeFor(phone), client)).status);
    }
    expect(answers).toEqual([...Array(20).fill(200), 429]);
  });

  it('are offered by the status object only where they work', async () => {
    const flags = async (options: Record<string, string>) => {
      await api.deps.options.set({ ...SWITCHES, ...options });
      const { data } = await api.guest().get('/api/status');
      return [data.enabled_phone_login, data.enabled_phone_register];
    };
    expect(await flags({})).toEqual([true, true]);
    expect(await flags({ 'sms.provider': 'none' })).toEqual([false, false]);
    expect(await flags({ PhoneLoginEnabled: 'false' })).toEqual([false, true]);
    expect(await flags({ PhoneRegisterEnabled: 'false' })).toEqual([true, false]);
    expect(await flags({ RegisterEnabled: 'false' })).toEqual([true, false]);
    expect(await flags({ SelfUseModeEnabled: 'true' })).toEqual([true, false]);
  });
});
