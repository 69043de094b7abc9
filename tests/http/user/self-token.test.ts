import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('one’s own access token on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  const signedIn = async (): Promise<[Client, TestUser]> => {
    const user = await api.createUser();
    return [await api.as(user), user];
  };
  const forgetProof = (user: TestUser) =>
    api.deps.db.query(`update sessions set confirmed_at = confirmed_at - 700 where user_id = ${user.id}`);
  const scriptWith = (token: string): Client => {
    const script = api.guest();
    script.headers.authorization = `Bearer ${token}`;
    return script;
  };

  it.each(['get', 'post'] as const)('is issued by %s only to who has just proved himself', async (method) => {
    const [client, user] = await signedIn();
    await forgetProof(user);
    expect(await client[method]('/api/user/token')).toMatchObject({
      status: 200,
      success: false,
      code: 'REAUTH_REQUIRED',
    });
    expect((await client.get('/api/user/token/status')).data).toBeNull();
    await client.post('/api/user/confirm', { password: PASSWORD });
    expect((await client[method]('/api/user/token')).data).toMatch(/^[\w-]{43}$/);
  });

  it('is issued to no page of another site, although it is a GET', async () => {
    const [client] = await signedIn();
    client.userId = null;
    expect(await client.get('/api/user/token')).toMatchObject({ status: 403, code: 'CROSS_SITE' });
  });

  it('renews itself when a script asks with it', async () => {
    const [client, user] = await signedIn();
    const first = (await client.post('/api/user/token')).data;
    await forgetProof(user);
    const second = (await scriptWith(first).post('/api/user/token')).data;
    expect((await scriptWith(first).get('/api/user/self')).status).toBe(401);
    expect((await scriptWith(second).get('/api/user/self')).status).toBe(200);
  });

  it('tells when it was made and last used, written once a minute at most', async () => {
    const [client, user] = await signedIn();
    expect((await client.get('/api/user/token/status')).data).toBeNull();
    const token = (await client.post('/api/user/token')).data;
    const made = await client.get('/api/user/token/status');
    expect(made.data).toEqual({ created_at: expect.any(Number), used_at: 0 });
    expect(made.text).not.toContain(token);
    const usedAt = async () => (await client.get('/api/user/token/status')).data.used_at;
    // As if fifty seconds had passed: the row is older, and what was found of the token is forgotten.
    const wait50 = () =>
      api.deps.changes.commit(async (tx, touch) => {
        await tx.execute(`update access_tokens set used_at = used_at - 50 where user_id = ${user.id}`);
        touch('sessions', user.id);
      });
    await scriptWith(token).get('/api/user/self');
    const first = await usedAt();
    expect(first).toBeGreaterThanOrEqual(made.data.created_at);
    await wait50();
    await scriptWith(token).get('/api/user/self');
    expect(await usedAt()).toBe(first - 50);
    await wait50();
    await scriptWith(token).get('/api/user/self');
    expect(await usedAt()).toBeGreaterThanOrEqual(first);
  });

  it('is revoked, and stays so', async () => {
    const [client] = await signedIn();
    const token = (await client.post('/api/user/token')).data;
    expect((await client.del('/api/user/token')).success).toBe(true);
    expect(await scriptWith(token).get('/api/user/self')).toMatchObject({
      status: 401,
      code: 'ACCESS_TOKEN_INVALID',
    });
    expect((await client.get('/api/user/token/status')).data).toBeNull();
    expect((await client.del('/api/user/token')).success).toBe(true);
  });
});
