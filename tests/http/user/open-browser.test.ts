/** What an administrator's browser that was left open does not let a passer-by do to other accounts. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { openApi, PASSWORD, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('an administrator’s open browser on %s', (engine) => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi(engine);
  });
  afterAll(() => api.close());

  const wishes = (id: number): [method: string, path: string, body: object][] => [
    ['POST', '/api/user/manage', { id, action: 'promote' }],
    ['POST', '/api/user/manage', { id, action: 'demote' }],
    ['PUT', '/api/user/', { id, password: 'Passw0rd2' }],
    ['POST', '/api/user/manage', { id, action: 'delete' }],
  ];

  it('is asked for a proof before it changes a role or a password or cancels, and does the rest', async () => {
    const root = await api.root();
    const user = await api.createUser();
    await api.deps.db.query(`update sessions set confirmed_at = 1 where user_id = ${root.userId}`);
    for (const wish of wishes(user.id)) {
      expect(await root.call(...wish)).toMatchObject({ success: false, code: 'REAUTH_REQUIRED' });
    }
    expect((await root.put('/api/user/', { id: user.id, remarks: 'known', password: '' })).success).toBe(
      true,
    );
    expect((await root.post('/api/user/manage', { id: user.id, action: 'disable' })).success).toBe(true);
    expect((await root.post('/api/user/manage', { id: user.id, action: 'enable' })).success).toBe(true);

    expect((await root.post('/api/user/confirm', { password: PASSWORD })).success).toBe(true);
    for (const wish of wishes(user.id)) expect((await root.call(...wish)).success).toBe(true);
  });

  it('is none where a script calls with an access token', async () => {
    const root = await api.root();
    const user = await api.createUser();
    const script = api.guest();
    script.headers.authorization = `Bearer ${await api.deps.sessions.issueAccessToken(root.userId ?? 0)}`;
    for (const wish of wishes(user.id)) expect((await script.call(...wish)).success).toBe(true);
  });
});
