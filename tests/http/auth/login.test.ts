import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const WRONG = { status: 200, success: false, code: 'LOGIN_WRONG' };

describe.each(callEngines)('signing in on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  let addresses = 0;
  /** Someone at an address of his own, so that tests do not share a count of wrong tries. */
  const stranger = (locale: 'zh' | 'en' = 'zh') => api.guest({ ip: `203.0.113.${++addresses}`, locale });

  it('answers the user and opens a session that the browser’s scripts cannot read', async () => {
    const user = await api.createUser({ group: 'vip' });
    const client = stranger();
    const answer = await client.post('/api/user/login', { username: user.username, password: PASSWORD });
    expect(answer.data).toEqual({
      id: user.id,
      username: user.username,
      display_name: user.username,
      role: 1,
      status: 1,
      group: 'vip',
    });
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(/^session=[^;]+; Path=\/; HttpOnly; SameSite=Lax; Max-Age=\d+$/);
    client.userId = user.id;
    expect((await client.get('/api/user/self')).data).toMatchObject({ id: user.id, login_ip: '203.0.113.1' });
  });

  it('sets a cookie for https only where the address is https', async () => {
    const user = await api.createUser();
    const answer = await stranger().call(
      'POST',
      '/api/user/login',
      { username: user.username, password: PASSWORD },
      { 'x-forwarded-proto': 'https' },
    );
    expect(answer.headers.getSetCookie()[0]).toMatch(/^__Host-session=.*; Secure$/);
  });

  it('takes the name in any case, and the e-mail address or phone number', async () => {
    const user = await api.createUser({ username: 'Mixed' });
    await api.deps.db.query(
      `update users set email = 'mixed@example.com', phone = '13812345678' where id = ${user.id}`,
    );
    for (const name of ['mixed', ' MIXED ', 'Mixed@Example.com', '13812345678']) {
      const answer = await stranger().post('/api/user/login', { username: name, password: PASSWORD });
      expect(answer.data?.id).toBe(user.id);
    }
  });

  it('lets no user name shadow the phone number of another', async () => {
    const owner = await api.createUser();
    await api.deps.db.query(`update users set phone = '13900000000' where id = ${owner.id}`);
    await api.createUser({ username: '13900000000' });
    const answer = await stranger().post('/api/user/login', { username: '13900000000', password: PASSWORD });
    expect(answer.data?.id).toBe(owner.id);
  });

  it('says the same of an unknown name, a wrong password, a banned and a cancelled user', async () => {
    const known = await api.createUser();
    const banned = await api.createUser({ status: 2 });
    const cancelled = await api.createUser();
    await api.deps.db.query(`update users set deleted_at = 1 where id = ${cancelled.id}`);
    const client = stranger('en');
    const answers = [
      await client.post('/api/user/login', { username: known.username, password: 'Passw0rd2' }),
      await client.post('/api/user/login', { username: 'nobody', password: PASSWORD }),
      await client.post('/api/user/login', { username: banned.username, password: PASSWORD }),
      await client.post('/api/user/login', { username: cancelled.username, password: PASSWORD }),
    ];
    for (const answer of answers) {
      expect(answer).toMatchObject({
        ...WRONG,
        message: 'Wrong username or password, or the user is banned',
      });
      expect(answer.headers.getSetCookie()).toEqual([]);
    }
  });

  it('hashes for an unknown name as for a known one, so that time tells nothing', async () => {
    const user = await api.createUser();
    const verified: (string | null)[] = [];
    const { verify } = api.deps.passwords;
    api.deps.passwords.verify = (password, hash) => {
      verified.push(hash);
      return verify(password, hash);
    };
    try {
      await stranger().post('/api/user/login', { username: 'nobody', password: 'x' });
      await stranger().post('/api/user/login', { username: user.username, password: 'x' });
    } finally {
      api.deps.passwords.verify = verify;
    }
    expect(verified).toEqual([null, expect.stringContaining('$argon2id$')]);
  });

  it.each([
    [{ username: '', password: PASSWORD }],
    [{ username: 'root', password: '' }],
    [{}],
    [{ username: null, password: null }],
  ])('asks for what is missing in %j', async (body) => {
    expect(await stranger('zh').post('/api/user/login', body)).toMatchObject({
      status: 200,
      success: false,
      message: '请输入用户名和密码',
    });
    expect((await stranger('en').post('/api/user/login', body)).message).toBe(
      'Please enter username and password',
    );
  });

  it('refuses what is no form with 400', async () => {
    for (const body of ['{"username":', '[]', '"x"', '7', { username: ['a'], password: 'b' }]) {
      expect(await stranger().post('/api/user/login', body)).toMatchObject({
        status: 400,
        code: 'BAD_PARAM',
      });
    }
  });

  it('reads no form that a page of another site can send', async () => {
    const user = await api.createUser();
    const answer = await stranger().call(
      'POST',
      '/api/user/login',
      `username=${user.username}&password=${PASSWORD}`,
      { 'content-type': 'application/x-www-form-urlencoded' },
    );
    expect(answer).toMatchObject({ status: 400, code: 'BAD_PARAM' });
  });

  it('gives a new session every time and ends the one that the browser had', async () => {
    const user = await api.createUser();
    const client = stranger();
    await client.login(user.username);
    const before = client.cookies.get('session');
    const thief = stranger();
    thief.cookies.set('session', before ?? '');
    thief.userId = user.id;
    expect((await thief.get('/api/user/self')).status).toBe(200);
    await client.login(user.username);
    expect(client.cookies.get('session')).not.toBe(before);
    expect((await thief.get('/api/user/self')).status).toBe(401);
  });

  it('refuses after 20 wrong tries on an account from a network, and tells when to come again', async () => {
    const user = await api.createUser();
    const client = stranger();
    for (let n = 0; n < 20; n++) {
      const answer = await client.post('/api/user/login', { username: user.username, password: 'wrong' });
      expect(answer).toMatchObject(WRONG);
    }
    const refused = await client.post('/api/user/login', { username: user.username, password: PASSWORD });
    expect(refused).toMatchObject({ status: 429, code: 'RATE_LIMIT', message: '请求次数过多，请稍后再试' });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(1_000);
    await client.login((await api.createUser()).username);
    await stranger().login(user.username);
  });

  it('refuses after five times as many from an address, on whatever account', async () => {
    await api.deps.options.set({ CriticalRateLimitCount: '4' });
    const client = stranger();
    for (let n = 0; n < 20; n++) {
      await client.post('/api/user/login', { username: `nobody${n}`, password: 'wrong' });
    }
    const user = await api.createUser();
    expect(
      await client.post('/api/user/login', { username: user.username, password: PASSWORD }),
    ).toMatchObject({
      status: 429,
    });
    await stranger().login(user.username);
    await api.deps.options.reset(['CriticalRateLimitCount']);
  });

  it('does not count successes', async () => {
    const user = await api.createUser();
    const client = stranger();
    for (let n = 0; n < 25; n++) await client.login(user.username);
  });

  it('gives guesses sent at once no more tries than one after the other', async () => {
    await api.deps.options.set({ CriticalRateLimitCount: '3' });
    const user = await api.createUser();
    const client = stranger();
    const guess = (password: string) => client.post('/api/user/login', { username: user.username, password });
    const wrong = Array.from({ length: 11 }, (_, n) => guess(`wrong${n}`));
    const answers = await Promise.all(wrong);
    expect(answers.filter(({ status }) => status !== 429)).toHaveLength(3);
    expect(await guess(PASSWORD)).toMatchObject({ success: false, status: 429 });
    await api.deps.options.reset(['CriticalRateLimitCount']);
  });

  it('is closed to all but root when password login is off', async () => {
    await api.root();
    const user = await api.createUser();
    await api.deps.options.set({ PasswordLoginEnabled: 'false' });
    try {
      for (const password of [PASSWORD, 'wrong']) {
        expect(await stranger().post('/api/user/login', { username: user.username, password })).toMatchObject(
          {
            success: false,
            code: 'LOGIN_METHOD_CLOSED',
            message: '管理员关闭了该登录方式',
          },
        );
      }
      await stranger().login('root');
    } finally {
      await api.deps.options.reset(['PasswordLoginEnabled']);
    }
  });
});

describe.each(callEngines)('a session on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  it('ends on the server at logout', async () => {
    const client = await api.as(await api.createUser());
    const cookie = client.cookies.get('session') ?? '';
    expect((await client.get('/api/user/logout')).success).toBe(true);
    expect(client.cookies.has('session')).toBe(false);
    client.cookies.set('session', cookie);
    expect(await client.get('/api/user/self')).toMatchObject({
      status: 401,
      code: 'SESSION_EXPIRED',
      message: '未登录或登录已过期，请重新登录',
    });
  });

  it('is no session when the cookie was not signed here', async () => {
    const client = await api.as(await api.createUser());
    const [head, , tail] = (client.cookies.get('session') ?? '').split('.');
    for (const forged of [
      'x',
      `${head}.e30.${tail}`,
      'eyJhbGciOiJub25lIn0.eyJzaWQiOiJ4In0.',
      `${client.cookies.get('session')}x`,
    ]) {
      client.cookies.set('session', forged);
      expect((await client.get('/api/user/self')).status).toBe(401);
    }
  });

  it('has the rights that the user has now, not those he signed in with', async () => {
    const root = await api.root();
    const user = await api.createUser();
    const client = await api.as(user);
    expect((await client.get('/api/user/?p=1')).status).toBe(403);
    await api.deps.changes.commit(async (tx, touch) => {
      await tx.execute(`update users set role = 10 where id = ${user.id}`);
      touch('users', user.id);
    });
    expect((await client.get('/api/user/?p=1')).status).toBe(200);
    await root.post('/api/user/manage', { id: user.id, action: 'disable' });
    expect((await client.get('/api/user/self')).status).toBe(401);
  });

  it('is over when it was not used for a month, or is three months old', async () => {
    const user = await api.createUser();
    const client = await api.as(user);
    await api.deps.changes.commit(async (tx, touch) => {
      await tx.execute(`update sessions set seen_at = seen_at - 31 * 86400`);
      touch('sessions', user.id);
    });
    expect((await client.get('/api/user/self')).status).toBe(401);
    const other = await api.as(user);
    await api.deps.changes.commit(async (tx, touch) => {
      await tx.execute(`update sessions set created_at = created_at - 91 * 86400`);
      touch('sessions', user.id);
    });
    expect((await other.get('/api/user/self')).status).toBe(401);
  });
});
