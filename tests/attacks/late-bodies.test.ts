/** What goes on when who asked for it may no more: bodies that are held back until then, and what is done piece by piece. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { createToken } from '../../src/modules/token/service.ts';
import { sha256 } from '../../src/platform/secrets.ts';
import { type Client, openApi, PASSWORD, type TestApi } from '../support/api.ts';
import { heldBack } from '../support/held-back.ts';

let api: TestApi;
let root: Client;
beforeAll(async () => {
  api = await openApi('pglite');
  root = await api.root();
  await root.post('/api/user/confirm', { password: PASSWORD });
});
afterAll(() => api.close());

const script = (token: string): Client => {
  const client = api.guest();
  client.headers.authorization = `Bearer ${token}`;
  return client;
};

describe('a body that comes late', () => {
  it('takes no access token in the place of the one that its owner has made anew', async () => {
    const stolen = (await root.post('/api/user/token')).data;
    const thief = await heldBack(script(stolen), 'POST', '/api/user/token', {});
    const anew = (await root.post('/api/user/token')).data;
    expect(await thief.sent()).toBe('ACCESS_TOKEN_INVALID');
    expect((await script(anew).get('/api/user/self')).status).toBe(200);
  });

  it('gives no quota to who was an administrator when he began it', async () => {
    const admin = await api.createUser({ role: 10 });
    const rogue = await api.as(admin);
    const edit = await heldBack(rogue, 'PUT', '/api/user/', { id: admin.id, add_quota: 5_000_000 });
    expect((await root.post('/api/user/manage', { id: admin.id, action: 'demote' })).success).toBe(true);
    expect(await edit.sent()).toBe('SESSION_EXPIRED');
    expect(await api.deps.db.query(`select quota from users where id = ${admin.id}`)).toEqual([{ quota: 0 }]);
  });

  it('makes no relay key in a session that a new password has ended', async () => {
    const user = await api.createUser();
    const made = await heldBack(await api.as(user), 'POST', '/api/token/', { name: 'late' });
    const own = { password: 'Renewed77x', original_password: PASSWORD };
    expect((await (await api.as(user)).put('/api/user/self', own)).success).toBe(true);
    expect(await made.sent()).toBe('SESSION_EXPIRED');
    expect(await api.deps.db.query(`select 1 from tokens where user_id = ${user.id}`)).toEqual([]);
  });

  it('is done where nothing has changed, or his name alone', async () => {
    const user = await api.createUser();
    const client = await api.as(user);
    const made = await heldBack(client, 'POST', '/api/token/', { name: 'slow' });
    expect((await client.put('/api/user/self', { display_name: 'anew' })).success).toBe(true);
    expect(await made.sent()).toBe('done');
  });

  it('makes nothing that lasts by what is over, or another’s, when it comes to be made', async () => {
    const user = await api.createUser();
    await api.deps.sessions.issueAccessToken(user.id);
    const other = await api.deps.sessions.begin(root.userId ?? 0, { ip: '', userAgent: '' });
    const ways = [
      { sessionId: sha256('is over') },
      { sessionId: sha256(other) },
      { sessionId: null },
      { sessionId: null, accessToken: sha256('made anew since') },
    ];
    for (const way of ways) {
      const maker = { id: user.id, group: 'default', isHimself: true, ...way };
      await expect(createToken(api.deps, maker, { name: 'late' })).rejects.toMatchObject({
        code: 'SESSION_EXPIRED',
      });
    }
  });
});

describe('what is done piece by piece', () => {
  const demote = async (id: number) =>
    expect((await root.post('/api/user/manage', { id, action: 'demote' })).success).toBe(true);
  const countOf = async (table: string) =>
    Number((await api.deps.db.query<{ n: number }>(`select count(*) n from ${table}`))[0]?.n);

  it('stops between two rows, and says how many are done', async () => {
    const admin = await api.createUser({ role: 10 });
    const rogue = await api.as(admin, { locale: 'en' });
    const rows = await api.deps.db.query<{ id: number }>(
      `insert into prompts (title, instruction) select 't', 'x' from generate_series(1, 200) returning id`,
    );
    const batch = rogue.post('/api/prompt/suggest/batch', {
      ids: rows.map(({ id }) => id),
      action: 'delete',
    });
    // Before the first row it would be refused as a whole.
    while ((await countOf('prompts')) === 200) await Bun.sleep(2);
    await demote(admin.id);
    const { status, code, message, data } = await batch;
    const done = 200 - (await countOf('prompts'));
    expect({ status, code, data }).toEqual({ status: 403, code: 'BATCH_STOPPED', data: done });
    expect(message).toContain(`${done} of 200`);
    expect(done).toBeLessThan(200);
  });
});
