import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import { holdOf, makeToken, settlementOf } from '../../support/accounts.ts';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('deleting one’s own account on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  const signedIn = async (given = {}, locale?: 'zh' | 'en'): Promise<[Client, TestUser]> => {
    const user = await api.createUser(given);
    return [await api.as(user, { locale }), user];
  };
  const remove = (client: Client, username?: string) =>
    client.call('DELETE', '/api/user/self', username === undefined ? undefined : { username });
  const rowOf = async ({ id }: TestUser) => {
    const [row] = await api.deps.db.query<Record<string, unknown>>(`select * from users where id = ${id}`);
    return row;
  };

  it.each([
    ['zh', '账户名不正确！'],
    ['en', 'The account name is not right!'],
  ] as const)('asks in %s for the exact name', async (locale, message) => {
    const [client, user] = await signedIn({}, locale);
    for (const typed of ['', 'someone', user.username.toUpperCase(), ` ${user.username}`]) {
      expect(await remove(client, typed)).toMatchObject({
        status: 200,
        success: false,
        code: 'ACCOUNT_NAME_WRONG',
        message,
      });
    }
    expect((await client.get('/api/user/self')).status).toBe(200);
  });

  it('needs no body: the proof alone decides', async () => {
    const [client, user] = await signedIn();
    await api.deps.db.query(
      `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`,
    );
    expect((await remove(client)).code).toBe('REAUTH_REQUIRED');
    await client.post('/api/user/confirm', { password: PASSWORD });
    expect(await remove(client)).toMatchObject({ status: 200, success: true });
    expect(await rowOf(user)).toMatchObject({ deleted_at: expect.any(Number) });
  });

  it('asks for a fresh proof', async () => {
    const [client, user] = await signedIn();
    await api.deps.db.query(
      `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`,
    );
    expect((await remove(client, user.username)).code).toBe('REAUTH_REQUIRED');
    await client.post('/api/user/confirm', { password: PASSWORD });
    expect((await remove(client, user.username)).success).toBe(true);
  });

  it('cannot be done by an access token alone', async () => {
    const [client, user] = await signedIn();
    const script = api.guest();
    script.headers.authorization = `Bearer ${(await client.post('/api/user/token')).data}`;
    expect((await remove(script, user.username)).code).toBe('REAUTH_REQUIRED');
  });

  it('is refused to root', async () => {
    const root = await api.root();
    expect(await remove(root, 'root')).toMatchObject({
      status: 200,
      success: false,
      code: 'ROOT_PROTECTED',
      message: '无法禁用、删除或降级超级管理员用户',
    });
    expect((await root.get('/api/user/self')).status).toBe(200);
  });

  it('ends every way in and forgets who he was', async () => {
    const [client, user] = await signedIn({ quota: 700 });
    const elsewhere = await api.as(user);
    const accessToken = (await client.post('/api/user/token')).data;
    const { key } = (await client.post('/api/token/', { name: 't', unlimited_quota: true })).data;
    const { id } = user;
    await api.deps.db.query(
      `update users set email = 'mine@example.com', phone = '13800000000', setting = '{"webhook_secret":"s"}' where id = ${id}`,
    );
    await api.deps.db.query(
      `insert into identities (user_id, provider, subject) values (${id}, 'github', '${id}')`,
    );
    await api.deps.db.query(`insert into second_factors (user_id, secret_sealed) values (${id}, 'x')`);
    await api.deps.db.query(`insert into backup_codes (user_id, hash) values (${id}, 'x')`);

    const answer = await remove(client, user.username);
    expect(answer.success).toBe(true);
    expect(answer.headers.getSetCookie().join()).toContain('session=; ');
    expect(client.cookies.has('session')).toBe(false);

    expect((await elsewhere.get('/api/user/self')).status).toBe(401);
    const script = api.guest();
    script.headers.authorization = `Bearer ${accessToken}`;
    expect((await script.get('/api/user/self')).status).toBe(401);
    const login = { username: user.username, password: PASSWORD };
    expect((await api.guest().post('/api/user/login', login)).code).toBe('LOGIN_WRONG');
    expect((await api.guest().post('/api/user/login', { ...login, username: 'mine@example.com' })).code).toBe(
      'LOGIN_WRONG',
    );
    for (const table of ['sessions', 'access_tokens', 'identities', 'second_factors', 'backup_codes']) {
      expect(await api.deps.db.query(`select 1 from ${table} where user_id = ${id}`)).toEqual([]);
    }
    expect(await api.deps.db.query(`select status from tokens where user_id = ${id}`)).toEqual([
      { status: 2 },
    ]);
    expect(key).toBeString();
    expect(await rowOf(user)).toMatchObject({
      username: user.username,
      status: 2,
      deleted_at: expect.any(Number),
      password_hash: null,
      display_name: '',
      email: '',
      phone: '',
      setting: {},
      quota: 700,
    });
  });

  it('frees the mailbox and the phone for another account, and not the name', async () => {
    const [client, user] = await signedIn();
    const contact = `email = 'again@example.com', phone = '13900000000'`;
    await api.deps.db.query(`update users set ${contact} where id = ${user.id}`);
    await remove(client, user.username);
    const next = await api.createUser();
    await api.deps.db.query(`update users set ${contact} where id = ${next.id}`);
    const again = await (await api.root()).post('/api/user/', {
      username: user.username,
      password: PASSWORD,
    });
    expect(again.code).toBe('USERNAME_TAKEN');
  });

  it('stands in his log and in the record of actions', async () => {
    const [client, user] = await signedIn();
    await remove(client, user.username);
    const root = await api.root();
    const { data } = await root.get(`/api/log/?username=${user.username}&type=3`);
    expect(data.items[0].content).toBe('用户注销了自己的账号');
    const target = `user:${user.id}`;
    expect(
      await api.deps.db.query(`select actor_id, action from admin_actions where target = '${target}'`),
    ).toEqual([{ actor_id: user.id, action: 'user.self_delete' }]);
  });

  it('happens once, however often it is asked at once', async () => {
    const [client, user] = await signedIn();
    const answers = await Promise.all(Array.from({ length: 5 }, () => remove(client, user.username)));
    expect(answers.filter((answer) => answer.success)).toHaveLength(1);
    const target = `user:${user.id}`;
    expect(await api.deps.db.query(`select 1 from admin_actions where target = '${target}'`)).toHaveLength(1);
  });

  it('lets calls under way settle, starts none, and leaves every sum right', async () => {
    const [client, user] = await signedIn({ quota: 1_000 });
    const { billing, db } = api.deps;
    const tokenId = await makeToken(db, user.id);
    const hold = holdOf(user.id, tokenId, 400);
    const other = holdOf(user.id, tokenId, 300);
    expect(await billing.reserve(hold)).toBe('granted');
    expect(await billing.reserve(other)).toBe('granted');
    expect((await remove(client, user.username)).success).toBe(true);
    expect(await billing.reserve(holdOf(user.id, tokenId, 1))).toBe('refused');
    expect(await billing.settle(settlementOf(hold.id, 250))).toMatchObject({ paid: 250, committed: true });
    expect(await billing.settle(settlementOf(other.id, 0, { type: 4 }))).toMatchObject({ paid: 0 });
    expect(await rowOf(user)).toMatchObject({ quota: 750, reserved: 0 });
    expect((await audit(db)).findings).toEqual([]);
  });
});
