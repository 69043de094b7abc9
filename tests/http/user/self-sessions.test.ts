import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0';

describe.each(callEngines)('one’s own sessions on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  const twice = async (): Promise<[user: TestUser, here: Client, elsewhere: Client]> => {
    const user = await api.createUser();
    const elsewhere = api.guest({ ip: '198.51.100.7' });
    elsewhere.headers['user-agent'] = FIREFOX;
    await elsewhere.login(user.username);
    return [user, await api.as(user), elsewhere];
  };
  const listed = async (client: Client) => (await client.get('/api/user/sessions')).data;

  it('are listed, this one first, with address and browser', async () => {
    const [, here] = await twice();
    const list = await listed(here);
    expect(list).toEqual([
      expect.objectContaining({ current: true, browser: '', system: '', ip: '127.0.0.1' }),
      expect.objectContaining({ current: false, browser: 'Firefox', system: 'Windows', ip: '198.51.100.7' }),
    ]);
    expect(list[0].created_at).toBeGreaterThan(0);
    expect(list[0].seen_at).toBeGreaterThan(0);
  });

  it('are listed without anything that opens one', async () => {
    const [user, here] = await twice();
    const { text } = await here.get('/api/user/sessions');
    const stored = await api.deps.db.query<{ id: string }>(
      `select id from sessions where user_id = ${user.id}`,
    );
    for (const { id } of stored) expect(text).not.toContain(id);
    for (const cookie of here.cookies.values()) expect(text).not.toContain(cookie);
  });

  it('are not listed once they have run out', async () => {
    const [user, here] = await twice();
    await api.deps.db.query(
      `update sessions set seen_at = seen_at - 31 * 86400 where user_id = ${user.id} and user_agent <> 'test'`,
    );
    expect(await listed(here)).toHaveLength(1);
  });

  it('can be ended one by one, at once', async () => {
    const [, here, elsewhere] = await twice();
    expect((await elsewhere.get('/api/user/self')).status).toBe(200);
    const [, other] = await listed(here);
    expect((await here.del(`/api/user/sessions/${other.id}`)).success).toBe(true);
    expect((await elsewhere.get('/api/user/self')).status).toBe(401);
    expect(await listed(here)).toHaveLength(1);
    expect(await here.del(`/api/user/sessions/${other.id}`)).toMatchObject({
      status: 200,
      code: 'NOT_FOUND',
    });
  });

  it('of somebody else cannot be ended', async () => {
    const [, here] = await twice();
    const [, stranger] = await twice();
    const [mine] = await listed(here);
    for (const id of [mine.id, '', 'x', '%', '_'.repeat(12), "'"]) {
      const answer = await stranger.del(`/api/user/sessions/${encodeURIComponent(id) || '%20'}`);
      expect(answer).toMatchObject({ status: 200, success: false, code: 'NOT_FOUND' });
    }
    expect((await here.get('/api/user/self')).status).toBe(200);
  });

  it('can all be ended but the one that asks', async () => {
    const [user, here, elsewhere] = await twice();
    const third = await api.as(user);
    const [, stranger] = await twice();
    expect((await here.del('/api/user/sessions')).success).toBe(true);
    expect((await elsewhere.get('/api/user/self')).status).toBe(401);
    expect((await third.get('/api/user/self')).status).toBe(401);
    expect(await listed(here)).toHaveLength(1);
    expect((await stranger.get('/api/user/self')).status).toBe(200);
  });
});
