import { afterEach, describe, expect, it } from 'bun:test';
import { join } from 'node:path';
import { createApi } from '../../../src/api.ts';
import { openPostgres } from '../../../src/db/client.ts';
import { setupToken } from '../../../src/modules/setup/service.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { runtimeOver } from '../../../src/runtime.ts';
import {
  Client,
  openApi,
  PASSWORD,
  passwordWork,
  SETUP_TOKEN,
  type TestApi,
  testEnv,
} from '../../support/api.ts';
import { callEngines, freshPostgresUrl } from '../../support/database.ts';

const FORM = {
  username: 'root',
  password: PASSWORD,
  confirmPassword: PASSWORD,
  SelfUseModeEnabled: false,
  DemoSiteEnabled: false,
  setup_token: SETUP_TOKEN,
};

describe.each(callEngines)('the set-up on %s', (engine) => {
  let api: TestApi;
  const open = async (env?: Record<string, string>) => {
    api = await openApi(engine, env);
    return api.guest();
  };
  afterEach(() => api.close());

  const rootsOf = () =>
    api.deps.db.query<{ username: string }>('select username from users where role = 100');

  it('makes root, who is signed in and owns his first balance', async () => {
    const guest = await open();
    expect((await guest.get('/api/setup')).data).toMatchObject({ status: false, root_init: false });
    expect((await guest.get('/api/status')).data.setup).toBe(false);
    const { data: root, headers } = await guest.post('/api/setup', FORM);
    expect(root).toMatchObject({ username: 'root', role: 100, status: 1 });
    expect(headers.getSetCookie().find((one) => one.startsWith('session='))).toContain('HttpOnly');
    expect((await guest.get('/api/setup')).data).toMatchObject({ status: true, root_init: true });
    expect((await guest.get('/api/status')).data.setup).toBe(true);
    guest.userId = root.id;
    expect((await guest.get('/api/user/sessions')).data).toHaveLength(1);
    await guest.login('root');
    const self = (await guest.get('/api/user/self')).data;
    expect(self).toMatchObject({ username: 'root', role: 100, status: 1, quota: 100_000_000 });
    expect(await api.deps.db.query('select user_id, kind, delta from ledger')).toEqual([
      { user_id: self.id, kind: 4, delta: 100_000_000 },
    ]);
  });

  it('stores the mode, and gives root in self-use mode all he will ever need', async () => {
    const guest = await open();
    await guest.post('/api/setup', { ...FORM, SelfUseModeEnabled: true });
    expect((await guest.get('/api/status')).data).toMatchObject({
      self_use_mode_enabled: true,
      demo_site_enabled: false,
    });
    await guest.login('root');
    expect((await guest.get('/api/user/self')).data.quota).toBe(1_000_000_000_000_000);
  });

  it('lets exactly one of 50 racing calls win', async () => {
    await open();
    const calls = Array.from({ length: 50 }, (_, n) =>
      api.guest().post('/api/setup', { ...FORM, username: `root${n}` }),
    );
    const answers = await Promise.all(calls);
    expect(answers.filter((answer) => answer.success)).toHaveLength(1);
    expect(answers.filter(({ headers }) => headers.has('set-cookie'))).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 'SETUP_DONE')).toHaveLength(49);
    expect(await rootsOf()).toHaveLength(1);
    expect(await api.deps.db.query('select 1 from ledger')).toHaveLength(1);
  });

  it('is over once done, whoever asks', async () => {
    const guest = await open();
    await guest.post('/api/setup', FORM);
    expect(await guest.post('/api/setup', { ...FORM, username: 'second' })).toMatchObject({
      status: 200,
      success: false,
      code: 'SETUP_DONE',
    });
    expect(await rootsOf()).toEqual([{ username: 'root' }]);
  });

  it.each([
    [{ username: '  ' }, '请输入管理员用户名', 'Please enter the administrator username'],
    [
      { username: 'thirteenchars' },
      '用户名长度不能超过12个字符',
      'The username may have at most 12 characters',
    ],
    [
      { password: 'short12', confirmPassword: 'short12' },
      '密码长度至少为8个字符',
      'The password needs at least 8 characters',
    ],
    [{ confirmPassword: 'Passw0rd2' }, '两次输入的密码不一致', 'The two passwords do not match'],
    [
      { password: 'a'.repeat(21), confirmPassword: 'a'.repeat(21) },
      '密码长度必须在8-20之间',
      'The password must have 8 to 20 characters',
    ],
    [
      { password: 'Password1', confirmPassword: 'Password1' },
      '该密码过于常见，容易被猜到，请换一个',
      'This password is one of the most common ones and easily guessed, please choose another',
    ],
  ])('refuses %j in both languages', async (wrong, zh, en) => {
    await open();
    const inChinese = await api.guest({ locale: 'zh' }).post('/api/setup', { ...FORM, ...wrong });
    const inEnglish = await api.guest({ locale: 'en' }).post('/api/setup', { ...FORM, ...wrong });
    expect(inChinese).toMatchObject({ status: 200, success: false, message: zh });
    expect(inEnglish).toMatchObject({ status: 200, success: false, message: en });
    expect(await rootsOf()).toEqual([]);
  });

  it('refuses what is no form with 400', async () => {
    const guest = await open();
    expect(await guest.post('/api/setup', '{"username":')).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    expect(await guest.post('/api/setup', { ...FORM, username: 7 })).toMatchObject({
      status: 400,
      code: 'BAD_PARAM',
    });
    expect(await guest.post('/api/setup', { ...FORM, username: 'a\0b' })).toMatchObject({ status: 400 });
  });
});

describe('the set-up token', () => {
  let api: TestApi;
  afterEach(() => api.close());
  const open = async (env?: Record<string, string>) => {
    api = await openApi('postgres', env);
  };

  it.each([
    ['at this machine', undefined],
    ['from afar', '203.0.113.9'],
  ])('is asked of everyone, %s', async (_where, ip) => {
    await open({ SETUP_TOKEN: '' });
    const token = await setupToken(api.deps);
    const { setup_token: _, ...bare } = FORM;
    const guest = api.guest({ ip });
    const refused = { status: 403, code: 'SETUP_TOKEN' };
    expect(await guest.post('/api/setup', bare)).toMatchObject(refused);
    expect(await guest.post('/api/setup', { ...FORM, setup_token: '' })).toMatchObject(refused);
    expect(await guest.post('/api/setup', { ...FORM, setup_token: `${token}x` })).toMatchObject(refused);
    expect((await guest.post('/api/setup', { ...FORM, setup_token: token })).success).toBe(true);
  });

  it('is what the environment says', async () => {
    await open({ SETUP_TOKEN: 'let-me-in' });
    expect(await setupToken(api.deps)).toBe('let-me-in');
    const far = api.guest({ ip: '203.0.113.9' });
    expect((await far.post('/api/setup', { ...FORM, setup_token: 'let-me-in' })).success).toBe(true);
  });

  it('is made once, kept in the data folder, and none when the system is set up', async () => {
    await open({ SETUP_TOKEN: '' });
    const token = await setupToken(api.deps);
    expect(token).toMatch(/^[\w-]{22}$/);
    expect(await setupToken(api.deps)).toBe(token);
    expect((await Bun.file(join(api.deps.env.DATA_DIR, 'setup-token')).text()).trim()).toBe(token ?? '');
    await api.guest().post('/api/setup', { ...FORM, setup_token: token });
    expect(await setupToken(api.deps)).toBeNull();
  });
});

describe('two processes on one Postgres', () => {
  it('make one root, whichever of their callers is first', async () => {
    const url = await freshPostgresUrl();
    const log = createLogger('error', () => undefined);
    const processes = await Promise.all(
      [0, 1].map(async () =>
        runtimeOver(await testEnv({ DATABASE_URL: url }), await openPostgres(url), log, { passwordWork }),
      ),
    );
    const answers = await Promise.all(
      processes.flatMap((deps, which) => {
        const handle = createApi(deps).handle;
        return Array.from({ length: 10 }, (_, n) =>
          new Client(async (request) => handle(request)).post('/api/setup', {
            ...FORM,
            username: `r${which}x${n}`,
          }),
        );
      }),
    );
    expect(answers.filter((answer) => answer.success)).toHaveLength(1);
    expect(answers.filter((answer) => answer.code === 'SETUP_DONE')).toHaveLength(19);
    expect(await processes[0]?.db.query('select 1 from users')).toHaveLength(1);
    for (const deps of processes) await deps.close();
  });
});
