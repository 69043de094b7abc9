import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('proving that it is the owner who asks, on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  let addresses = 0;
  /** Signed in, and so proved, longer ago than ten minutes. */
  const signedInLongAgo = async (locale?: 'zh' | 'en'): Promise<[Client, TestUser]> => {
    const user = await api.createUser();
    const client = await api.as(user, { ip: `203.0.113.${++addresses}`, locale });
    await api.deps.db.query(
      `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`,
    );
    return [client, user];
  };
  const change = (client: Client) => client.put('/api/user/self', { password: 'NewPassw0rd' });

  it('is done with the password, after which the same call goes through', async () => {
    const [client] = await signedInLongAgo();
    expect(await change(client)).toMatchObject({ status: 200, code: 'REAUTH_REQUIRED' });
    expect(await client.post('/api/user/confirm', { password: PASSWORD })).toMatchObject({ success: true });
    expect((await change(client)).success).toBe(true);
  });

  it('counts for the session that did it and for no other of the same user', async () => {
    const [client, user] = await signedInLongAgo();
    const elsewhere = await api.as(user);
    await api.deps.db.query(
      `update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`,
    );
    await client.post('/api/user/confirm', { password: PASSWORD });
    expect((await change(elsewhere)).code).toBe('REAUTH_REQUIRED');
  });

  it.each([
    ['zh', '原密码错误', '请先验证原密码'],
    ['en', 'The current password is wrong', 'Please confirm your current password first'],
  ] as const)('is refused in %s with a wrong password and with none', async (locale, wrong, none) => {
    const [client] = await signedInLongAgo(locale);
    expect(await client.post('/api/user/confirm', { password: 'Passw0rd2' })).toMatchObject({
      status: 200,
      success: false,
      code: 'PASSWORD_WRONG',
      message: wrong,
    });
    for (const body of [{}, { password: '' }, { password: null }]) {
      expect(await client.post('/api/user/confirm', body)).toMatchObject({
        code: 'REAUTH_REQUIRED',
        message: none,
      });
    }
    expect((await change(client)).code).toBe('REAUTH_REQUIRED');
  });

  it('cannot be done by who has no password: he signs in again', async () => {
    const [client, user] = await signedInLongAgo();
    await api.deps.db.query(`update users set password_hash = null where id = ${user.id}`);
    expect((await client.get('/api/user/self')).data.has_password).toBe(false);
    expect((await client.post('/api/user/confirm', { password: PASSWORD })).code).toBe('REAUTH_REQUIRED');
    expect((await change(client)).code).toBe('REAUTH_REQUIRED');
  });

  it('cannot be done with an access token, which has no session to renew', async () => {
    const user = await api.createUser();
    const script = api.guest();
    script.headers.authorization = `Bearer ${await api.deps.sessions.issueAccessToken(user.id)}`;
    expect((await script.post('/api/user/confirm', { password: PASSWORD })).code).toBe('REAUTH_REQUIRED');
  });

  it('is limited by wrong tries, each session by its own', async () => {
    await api.deps.options.set({ CriticalRateLimitCount: '3' });
    const [client, user] = await signedInLongAgo();
    const guess = (from: Client, password: string) => from.post('/api/user/confirm', { password });
    for (let n = 0; n < 3; n++) expect((await guess(client, 'wrong')).code).toBe('PASSWORD_WRONG');
    expect(await guess(client, PASSWORD)).toMatchObject({ status: 429, code: 'RATE_LIMIT' });
    const elsewhere = await api.as(user, { ip: '203.0.113.200' });
    expect((await guess(elsewhere, PASSWORD)).success).toBe(true);
    await api.deps.options.reset(['CriticalRateLimitCount']);
  });

  it('gives a right guess that was sent among many at once no use', async () => {
    await api.deps.options.set({ CriticalRateLimitCount: '3' });
    const [client] = await signedInLongAgo();
    const guess = (password: string) => client.post('/api/user/confirm', { password });
    const wrong = Array.from({ length: 11 }, (_, n) => guess(`wrong${n}`));
    // Sent when the first is refused: the limit is reached, whether those before it have been judged or not.
    await Promise.any(wrong.map(async (answer) => expect((await answer).code).toBe('RATE_LIMIT')));
    await Promise.all([...wrong, guess(PASSWORD)]);
    expect((await change(client)).code).toBe('REAUTH_REQUIRED');
    await api.deps.options.reset(['CriticalRateLimitCount']);
  });
});
