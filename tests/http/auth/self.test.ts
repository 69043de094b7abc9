import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('one’s own account on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  let addresses = 0;
  const signedIn = async (given = {}): Promise<[Client, TestUser]> => {
    const user = await api.createUser(given);
    return [await api.as(user, { ip: `198.51.100.${++addresses}` }), user];
  };
  /** The password was typed long ago. */
  const forgetPassword = (user: TestUser) =>
    api.deps.db.query(`update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`);

  it('is shown with what calls under way hold, and without any secret', async () => {
    const [client, user] = await signedIn({ quota: 500 });
    await api.deps.db.query(`update users set quota = 300, reserved = 200 where id = ${user.id}`);
    const answer = await client.get('/api/user/self');
    expect(answer.data).toMatchObject({
      id: user.id,
      username: user.username,
      password: '',
      role: 1,
      status: 1,
      group: 'default',
      quota: 500,
      used_quota: 0,
      request_count: 0,
      aff_count: 0,
      github_id: '',
      bound: {},
      has_password: true,
    });
    expect(answer.text).not.toContain('argon2');
    expect(answer.data).not.toHaveProperty('remarks');
  });

  it('has every field that the personal view of the specification names', async () => {
    const [client] = await signedIn();
    const { data } = await client.get('/api/user/self');
    const fields =
      `username id group email wechat_id google_id github_id oidc_id telegram_id linux_do_id quota aff_quota
      aff_history_quota aff_count aff_code activity_quota activity_history_quota history_fuel_pack_quota role
      setting`.split(/\s+/);
    expect(fields.filter((field) => !(field in data))).toEqual([]);
    expect(data).toMatchObject({ activity_quota: 0, activity_history_quota: 0, history_fuel_pack_quota: 0 });
    expect(JSON.parse(data.setting)).toMatchObject({ notify_type: 'email' });
  });

  it('names the accounts of third parties that are bound to it', async () => {
    const [client, user] = await signedIn();
    await api.deps.db.query(`insert into identities (user_id, provider, subject, login_name)
      values (${user.id}, 'github', '583231', 'octocat'), (${user.id}, 'oidc', 'sub-of-${user.id}', '')`);
    expect((await client.get('/api/user/self')).data).toMatchObject({
      github_id: '583231',
      oidc_id: `sub-of-${user.id}`,
      bound: { github: 'octocat', oidc: `sub-of-${user.id}` },
    });
  });

  it('takes a row back as GET gave it, ends no session and raises no right', async () => {
    const [client, user] = await signedIn({ quota: 100 });
    const before = (await client.get('/api/user/self')).data;
    const wishes = {
      role: 100,
      status: 2,
      quota: 1_000_000,
      used_quota: 5,
      group: 'vip',
      aff_quota: 9,
      id: 1,
    };
    expect((await client.put('/api/user/self', { ...before, ...wishes, language: null })).success).toBe(true);
    expect((await client.get('/api/user/self')).data).toEqual(before);
    expect(before.id).toBe(user.id);
  });

  it('can be renamed, within the rules and to a free name', async () => {
    const [client] = await signedIn();
    const other = await api.createUser();
    expect(
      (await client.put('/api/user/self', { username: 'renamed', display_name: 'Re Named' })).success,
    ).toBe(true);
    expect((await client.get('/api/user/self')).data).toMatchObject({
      username: 'renamed',
      display_name: 'Re Named',
    });
    const taken = await client.put('/api/user/self', { username: other.username.toUpperCase() });
    expect(taken).toMatchObject({ success: false, code: 'USERNAME_TAKEN' });
    const long = await client.put('/api/user/self', { username: 'thirteenchars' });
    expect(long).toMatchObject({ success: false, code: 'USERNAME_LENGTH' });
    await client.put('/api/user/self', { username: 'free again' });
  });

  it.each(['short1', 'onlyletters', '1234567890', 'a1'.repeat(11), '密码密码密码密码'])(
    'refuses the new password %s',
    async (password) => {
      const [client] = await signedIn();
      expect(await client.put('/api/user/self', { password })).toMatchObject({
        status: 200,
        success: false,
        message: '密码必须由英文、数字组成，且长度在8-20之间！',
      });
    },
  );

  it.each([
    ['zh', '该密码过于常见，容易被猜到，请换一个'],
    ['en', 'This password is one of the most common ones and easily guessed, please choose another'],
  ] as const)('refuses a password that everybody tries first, in %s', async (locale, message) => {
    const client = await api.as(await api.createUser(), { locale });
    for (const password of ['password1', 'PassWord1', 'Qwer1234', 'TrustNo1']) {
      expect(await client.put('/api/user/self', { password })).toMatchObject({
        status: 200,
        success: false,
        code: 'PASSWORD_COMMON',
        message,
      });
    }
  });

  it('gets a new password soon after signing in, which ends every other way in', async () => {
    const [client, user] = await signedIn();
    const elsewhere = await api.as(user);
    const accessToken = (await client.get('/api/user/token')).data;
    const before = client.cookies.get('session');
    expect((await client.put('/api/user/self', { password: 'NewPassw0rd' })).success).toBe(true);
    expect(client.cookies.get('session')).not.toBe(before);
    expect((await client.get('/api/user/self')).status).toBe(200);
    expect((await elsewhere.get('/api/user/self')).status).toBe(401);
    const script = api.guest();
    script.headers.authorization = `Bearer ${accessToken}`;
    expect((await script.get('/api/user/self')).status).toBe(401);
    const stale = api.guest();
    stale.cookies.set('session', before ?? '');
    expect(
      (await stale.call('GET', '/api/user/self', undefined, { 'new-api-user': String(user.id) })).status,
    ).toBe(401);
    await api.guest().login(user.username, 'NewPassw0rd');
  });

  it('tells root of the password that everybody knows, until it is another one', async () => {
    const { userId } = await api.root();
    const setPassword = async (password: string) =>
      api.deps.db.query(
        `update users set password_hash = '${await api.deps.passwords.hash(password)}' where id = ${userId}`,
      );
    const told = async (client: Client) => {
      const { steps } = (await client.get('/api/overview/self')).data;
      const step = steps.find(({ name }: { name: string }) => name === 'password');
      return [(await client.get('/api/user/self')).data.default_password, step?.done];
    };
    const session = await api.root();
    await setPassword('123456');
    expect(await told(session)).toEqual([false, undefined]);
    const client = api.guest({ ip: `198.51.100.${++addresses}` });
    const answer = await client.post('/api/user/login', { username: 'root', password: '123456' });
    expect(answer.data).toMatchObject({ id: userId, default_password: true });
    client.userId = userId;
    // A session that was there already hears of it as well.
    expect([await told(client), await told(session)]).toEqual([
      [true, false],
      [true, false],
    ]);
    const kept = await api.deps.db.query(`select value from meta where name = 'default_password'`);
    expect(JSON.stringify(kept)).not.toMatch(/123456|argon2/);
    const changed = await client.put('/api/user/self', { password: 'N0bodyKn0wsIt' });
    expect(changed).toMatchObject({ success: true });
    expect(await told(client)).toEqual([false, true]);
    await setPassword(PASSWORD);
    const later = await client.post('/api/user/login', { username: 'root', password: PASSWORD });
    expect(later.data).not.toHaveProperty('default_password');
  });

  it('asks for the present password when it was typed long ago', async () => {
    const [client, user] = await signedIn();
    await forgetPassword(user);
    expect(await client.put('/api/user/self', { password: 'NewPassw0rd' })).toMatchObject({
      success: false,
      code: 'REAUTH_REQUIRED',
    });
    expect(
      await client.put('/api/user/self', { password: 'NewPassw0rd', original_password: 'Passw0rd2' }),
    ).toMatchObject({ success: false, code: 'PASSWORD_WRONG', message: '原密码错误' });
    expect(
      (await client.put('/api/user/self', { password: 'NewPassw0rd', original_password: PASSWORD })).success,
    ).toBe(true);
  });

  it('limits how often a present password may be guessed', async () => {
    await api.deps.options.set({ CriticalRateLimitCount: '3' });
    const [client, user] = await signedIn();
    await forgetPassword(user);
    const guess = (original_password: string) =>
      client.put('/api/user/self', { password: 'NewPassw0rd', original_password });
    for (let n = 0; n < 3; n++) expect((await guess('wrong')).code).toBe('PASSWORD_WRONG');
    expect((await guess(PASSWORD)).status).toBe(429);
    await api.deps.options.reset(['CriticalRateLimitCount']);
  });

  it('makes an access token that works without cookie, is shown once and replaces the one before', async () => {
    const [client, user] = await signedIn();
    const first = (await client.get('/api/user/token')).data;
    expect(first).toMatch(/^[\w-]{43}$/);
    const script = api.guest();
    script.headers.authorization = `Bearer ${first}`;
    expect((await script.get('/api/user/self')).data.id).toBe(user.id);
    const second = (await client.post('/api/user/token')).data;
    expect(await script.get('/api/user/self')).toMatchObject({ status: 401, code: 'ACCESS_TOKEN_INVALID' });
    script.headers.authorization = `Bearer ${second}`;
    expect((await script.get('/api/user/self')).success).toBe(true);
    const stored = await api.deps.db.query<{ hash: string }>('select hash from access_tokens');
    expect(stored.map((row) => row.hash)).not.toContain(second);
    expect((await client.get('/api/user/self')).text).not.toContain(second);
  });

  it('lists the models that enabled channels serve to its groups', async () => {
    const [client] = await signedIn();
    await api.deps.db.query(`insert into channels (type, name) values (1, 'a')`);
    await api.deps.db.query(`insert into abilities (group_name, model_name, channel_id, enabled, priority, weight)
      values ('default', 'gpt-4o', 1, true, 0, 0), ('vip', 'gpt-4o', 1, true, 0, 0), ('vip', 'o3', 1, true, 0, 0),
             ('default', 'off', 1, false, 0, 0), ('svip', 'hidden', 1, true, 0, 0)`);
    expect((await client.get('/api/user/models')).data).toEqual(['gpt-4o', 'o3']);
    expect((await client.get('/api/user/models?group=default')).data).toEqual(['gpt-4o']);
    expect((await client.get('/api/user/models?group=svip')).data).toEqual([]);
    const [insider] = await signedIn({ group: 'svip' });
    expect((await insider.get('/api/user/models')).data).toEqual(['gpt-4o', 'hidden', 'o3']);
  });
});
