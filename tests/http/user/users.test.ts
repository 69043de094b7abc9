import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { type Client, openApi, PASSWORD, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { bearer, registerApp, signInAt } from '../../support/oauth-app.ts';

describe.each(callEngines)('users, for administrators, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let admin: Client;
  let adminUser: TestUser;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    adminUser = await api.createUser({ username: 'amy', role: 10 });
    admin = await api.as(adminUser);
  });
  afterAll(() => api.close());

  const rowOf = async (id: number) => {
    const [row] = await api.deps.db.query(`select * from users where id = ${id}`);
    return row;
  };
  const ledgerOf = (id: number) =>
    api.deps.db.query(`select kind, delta from ledger where user_id = ${id} order by created_at, kind`);
  const logsOf = (id: number) =>
    api.deps.db.query<{ content: string; other: { text: { en: string } } }>(
      `select type, content, other from logs where user_id = ${id} order by id`,
    );

  describe('POST /api/user/', () => {
    it('makes an ordinary user with the gift of a new user, who can sign in', async () => {
      await api.deps.options.set({ QuotaForNewUser: '1234' });
      const answer = await admin.post('/api/user/', {
        username: 'bob',
        display_name: 'Bob',
        password: PASSWORD,
      });
      await api.deps.options.reset(['QuotaForNewUser']);
      const { id } = answer.data;
      expect(await rowOf(id)).toMatchObject({
        username: 'bob',
        display_name: 'Bob',
        role: 1,
        status: 1,
        quota: 1234,
        group_name: 'default',
        inviter_id: 0,
      });
      expect(await ledgerOf(id)).toEqual([{ kind: 4, delta: 1234 }]);
      expect((await logsOf(id))[0]).toMatchObject({
        type: 3,
        content: '管理员创建了账号，赠送额度 1,234 单位',
      });
      await api.guest().login('bob');
    });

    it('takes the name for the display name, and ignores what nobody may set', async () => {
      const wishes = { role: 1, quota: 99, group: 'svip', status: 2, used_quota: 7, id: 1, aff_quota: 5 };
      const answer = await admin.post('/api/user/', { username: 'carl', password: PASSWORD, ...wishes });
      expect(await rowOf(answer.data.id)).toMatchObject({
        display_name: 'carl',
        role: 1,
        quota: 0,
        group_name: 'default',
        status: 1,
        used_quota: 0,
        aff_quota: 0,
      });
    });

    it.each([
      [{ username: '', password: PASSWORD }, '用户名和密码不能为空！'],
      [{ username: 'dora', password: '' }, '用户名和密码不能为空！'],
      [{ password: PASSWORD }, '用户名和密码不能为空！'],
      [{ username: 'thirteenchars', password: PASSWORD }, '用户名长度不能超过12个字符'],
      [{ username: 'dora', password: 'short' }, '密码长度必须在8-20之间'],
      [{ username: 'dora', password: 'x'.repeat(21) }, '密码长度必须在8-20之间'],
      [{ username: 'dora', password: PASSWORD, display_name: 'x'.repeat(21) }, '显示名称不能超过20个字符'],
      [{ username: 'AMY', password: PASSWORD }, '用户名已存在，或已注销'],
      [{ username: 'dora', password: PASSWORD, role: 10 }, '无权操作同级或更高级别的用户'],
    ])('refuses %j', async (body, message) => {
      expect(await admin.post('/api/user/', body)).toMatchObject({ status: 200, success: false, message });
    });

    it('keeps the name of a cancelled user taken', async () => {
      const gone = await api.createUser({ username: 'gone' });
      await root.post('/api/user/manage', { id: gone.id, action: 'delete' });
      expect(await root.post('/api/user/', { username: 'gone', password: PASSWORD })).toMatchObject({
        code: 'USERNAME_TAKEN',
      });
    });
  });

  describe('PUT /api/user/', () => {
    it('sets the balance by difference, writes the movement and tells the user', async () => {
      const user = await api.createUser({ quota: 1_000 });
      expect((await admin.put('/api/user/', { id: user.id, quota: 1_500 })).success).toBe(true);
      expect(await rowOf(user.id)).toMatchObject({ quota: 1_500 });
      expect(await ledgerOf(user.id)).toEqual([
        { kind: 4, delta: 1_000 },
        { kind: 9, delta: 500 },
      ]);
      const [log] = await logsOf(user.id);
      expect(log).toMatchObject({ type: 3, content: '管理员将用户额度从 1,000 单位修改为 1,500 单位' });
      expect(log?.other.text.en).toContain('from 1,000 units to 1,500 units');
    });

    it('counts what calls under way hold as the user’s', async () => {
      const user = await api.createUser({ quota: 1_000 });
      await api.deps.db.query(`update users set quota = 400, reserved = 600 where id = ${user.id}`);
      await admin.put('/api/user/', { id: user.id, quota: 900 });
      expect(await rowOf(user.id)).toMatchObject({ quota: 300, reserved: 600 });
      expect(await admin.put('/api/user/', { id: user.id, quota: 599 })).toMatchObject({
        success: false,
        code: 'QUOTA_HELD',
        message: '额度不能低于正在使用的预留额度',
      });
      expect(await rowOf(user.id)).toMatchObject({ quota: 300, reserved: 600 });
    });

    it('with quota_before sets it only when it still is that', async () => {
      const user = await api.createUser({ quota: 1_000 });
      const late = await admin.put('/api/user/', { id: user.id, quota: 1_100, quota_before: 999 });
      expect(late).toMatchObject({ success: false, code: 'QUOTA_CHANGED' });
      const answers = await Promise.all(
        Array.from({ length: 10 }, () =>
          admin.put('/api/user/', { id: user.id, quota: 1_100, quota_before: 1_000 }),
        ),
      );
      expect(answers.filter((answer) => answer.success)).toHaveLength(1);
      expect(await rowOf(user.id)).toMatchObject({ quota: 1_100 });
      expect(await ledgerOf(user.id)).toHaveLength(2);
    });

    it('adds and takes quota beside what calls spend, and says why in the user’s log', async () => {
      const user = await api.createUser({ quota: 1_000 });
      const add = (body: object) => admin.put('/api/user/', { id: user.id, ...body });
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => add({ add_quota: 100, reason: ' gift ' })),
      );
      expect(answers.every(({ success }) => success)).toBe(true);
      expect((await add({ add_quota: -300 })).success).toBe(true);
      expect((await admin.get(`/api/user/${user.id}`)).data.quota).toBe(1_200);
      expect((await add({ add_quota: -1_201 })).code).toBe('QUOTA_RANGE');
      expect((await add({ add_quota: 5, quota: 7 })).status).toBe(400);
      expect((await add({ add_quota: 5, reason: 'x'.repeat(201) })).code).toBe('REASON_LENGTH');
      expect((await admin.get(`/api/user/${user.id}`)).data.quota).toBe(1_200);
      const { data } = await (await api.as(user)).get('/api/log/self/?type=3');
      expect(data.items).toHaveLength(6);
      expect(data.items.map(({ content }: { content: string }) => content).join()).toContain(
        '修改为 1,100 单位：gift',
      );
    });

    it('leaves the rest of a refused change undone', async () => {
      const user = await api.createUser({ quota: 10 });
      await admin.put('/api/user/', { id: user.id, display_name: 'New', quota: 20, quota_before: 11 });
      expect(await rowOf(user.id)).toMatchObject({ display_name: user.username, quota: 10 });
    });

    it.each([[-1], [9_007_199_254_740_992], ['lots'], [''], [true], [[]], [1.5], ['1e3']])(
      'refuses the quota %p',
      async (quota) => {
        const user = await api.createUser({ quota: 10 });
        const answer = await admin.put('/api/user/', { id: user.id, quota });
        expect(answer.success).toBe(false);
        expect(answer.status).toBeLessThan(500);
        expect(await rowOf(user.id)).toMatchObject({ quota: 10 });
      },
    );

    it('takes a row back as GET gave it, changing nothing and ending no session', async () => {
      const user = await api.createUser({ quota: 10 });
      const client = await api.as(user);
      const row = (await admin.get(`/api/user/${user.id}`)).data;
      expect((await admin.put('/api/user/', { ...row, role: 100, status: 2, used_quota: 9 })).success).toBe(
        true,
      );
      expect((await admin.get(`/api/user/${user.id}`)).data).toEqual(row);
      expect((await client.get('/api/user/self')).status).toBe(200);
      expect(await logsOf(user.id)).toEqual([]);
    });

    it('changes name, display name, group and remarks, each recorded', async () => {
      const user = await api.createUser();
      const change = { username: 'fresh', display_name: 'Fresh', group: 'vip', remarks: 'pays by invoice' };
      expect((await admin.put('/api/user/', { id: user.id, ...change })).success).toBe(true);
      expect((await admin.get(`/api/user/${user.id}`)).data).toMatchObject(change);
      const [action] = await api.deps.db.query(
        `select actor_id, action, detail from admin_actions where target = 'user:${user.id}'`,
      );
      expect(action).toMatchObject({
        actor_id: adminUser.id,
        action: 'user.update',
        detail: { group_name: { before: 'default', after: 'vip' } },
      });
    });

    it.each([
      [{ group: 'nowhere' }, '分组不存在：nowhere'],
      [{ username: 'thirteenchars' }, '用户名长度不能超过12个字符'],
      [{ username: 'amy' }, '用户名已存在，或已注销'],
      [{ password: 'short' }, '密码长度必须在8-20之间'],
      [{ remarks: 'x'.repeat(256) }, '备注不能超过255个字符'],
    ])('refuses %j', async (change, message) => {
      const user = await api.createUser();
      expect(await admin.put('/api/user/', { id: user.id, ...change })).toMatchObject({
        status: 200,
        success: false,
        message,
      });
    });

    it('a new password ends the user’s sessions and access token, and is never written down', async () => {
      const user = await api.createUser();
      const client = await api.as(user);
      const accessToken = (await client.get('/api/user/token')).data;
      await admin.put('/api/user/', { id: user.id, password: 'Chosen4You' });
      expect((await client.get('/api/user/self')).status).toBe(401);
      const script = api.guest();
      script.headers.authorization = `Bearer ${accessToken}`;
      expect((await script.get('/api/user/self')).status).toBe(401);
      await api.guest().login(user.username, 'Chosen4You');
      const records = JSON.stringify(await api.deps.db.query('select detail from admin_actions'));
      expect(records).not.toContain('Chosen4You');
      expect(records).not.toContain('argon2');
    });

    it('does not change one’s own password without asking for the present one', async () => {
      const self = (await root.get('/api/user/self')).data;
      expect(await root.put('/api/user/', { id: self.id, password: 'NewPassw0rd' })).toMatchObject({
        code: 'REAUTH_REQUIRED',
      });
    });
  });

  describe('who may act on whom', () => {
    it('nobody on his own level or above, root on all but root', async () => {
      const peer = await api.createUser({ role: 10 });
      const rootId = (await root.get('/api/user/self')).data.id;
      for (const id of [peer.id, rootId]) {
        expect(await admin.get(`/api/user/${id}`)).toMatchObject({ success: false, code: 'USER_LEVEL' });
        expect(await admin.put('/api/user/', { id, remarks: 'x' })).toMatchObject({ code: 'USER_LEVEL' });
        expect(await admin.put('/api/user/', { id, password: 'NewPassw0rd' })).toMatchObject({
          code: 'USER_LEVEL',
        });
        for (const action of ['disable', 'enable', 'delete', 'demote', 'promote']) {
          expect((await admin.post('/api/user/manage', { id, action })).code).toBe('USER_LEVEL');
        }
      }
      expect((await root.get(`/api/user/${peer.id}`)).success).toBe(true);
      expect((await root.put('/api/user/', { id: peer.id, remarks: 'x' })).success).toBe(true);
    });

    it('an administrator sees himself and those below him', async () => {
      const { items, total } = (await admin.get('/api/user/?p=1&page_size=100')).data;
      expect(items).toHaveLength(total);
      for (const item of items) expect(item.role < 10 || item.id === adminUser.id).toBe(true);
      const all = (await root.get('/api/user/?p=1&page_size=100')).data;
      expect(all.items.map((item: TestUser) => item.username)).toContain('root');
    });
  });

  describe('POST /api/user/manage', () => {
    it('disables: the user is out at once, and back in when enabled', async () => {
      const user = await api.createUser();
      const client = await api.as(user);
      expect((await admin.post('/api/user/manage', { id: user.id, action: 'disable' })).data).toEqual({
        status: 2,
        role: 1,
      });
      expect((await client.get('/api/user/self')).status).toBe(401);
      expect(
        (await api.guest().post('/api/user/login', { username: user.username, password: PASSWORD })).code,
      ).toBe('LOGIN_WRONG');
      expect((await admin.post('/api/user/manage', { id: user.id, action: 'enable' })).data).toEqual({
        status: 1,
        role: 1,
      });
      await api.guest().login(user.username);
    });

    it('ends every way in of whom it disables, of whom it demotes what had his rights, and brings nothing back', async () => {
      const stands = async (id: number) => {
        const [row] = await api.deps.db.query<Record<string, number>>(
          `select (select count(*)::int from sessions where user_id = u.id) as sessions,
             (select count(*)::int from access_tokens where user_id = u.id) as tokens,
             (select count(*)::int from passkeys where user_id = u.id) as passkeys,
             (select count(*)::int from oauth_grants where user_id = u.id) as grants
           from users u where id = ${id}`,
        );
        return row;
      };
      const app = await registerApp(root);
      /** Somebody with all ways in. */
      const person = async (role: number) => {
        const user = await api.createUser({ role });
        const client = await api.as(user);
        await api.deps.db.query(`insert into passkeys (user_id, name, credential_id, public_key, counter, rp_id)
          values (${user.id}, 'phone', 'of ${user.id}', 'x', 0, 'localhost')`);
        const { access } = await signInAt(api, app, client);
        const token = bearer(api, await api.deps.sessions.issueAccessToken(user.id));
        expect((await token.get('/api/user/self')).status).toBe(200);
        expect(await stands(user.id)).toEqual({ sessions: 1, tokens: 1, passkeys: 1, grants: 1 });
        return { user, client, token, application: bearer(api, access) };
      };
      const disabled = await person(1);
      await admin.post('/api/user/manage', { id: disabled.user.id, action: 'disable' });
      await admin.post('/api/user/manage', { id: disabled.user.id, action: 'enable' });
      // The passkey is still his, and let nobody in meanwhile.
      expect(await stands(disabled.user.id)).toEqual({ sessions: 0, tokens: 0, passkeys: 1, grants: 0 });
      for (const way of [disabled.client, disabled.token])
        expect((await way.get('/api/user/self')).status).toBe(401);
      expect((await disabled.application.get('/api/oauth/userinfo')).status).toBe(401);
      const again = await api.as(disabled.user);
      expect((await again.get('/api/log/self/?type=3')).text).toContain('禁用时失效的登录和访问令牌不会恢复');
      const demoted = await person(10);
      await root.post('/api/user/manage', { id: demoted.user.id, action: 'demote' });
      expect(await stands(demoted.user.id)).toEqual({ sessions: 0, tokens: 0, passkeys: 1, grants: 1 });
      for (const way of [demoted.client, demoted.token])
        expect((await way.get('/api/user/self')).status).toBe(401);
      const reset = await person(1);
      await admin.put('/api/user/', { id: reset.user.id, password: 'An0therPassw0rd' });
      expect(await stands(reset.user.id)).toEqual({ sessions: 0, tokens: 0, passkeys: 1, grants: 0 });
    });

    it('promotes to administrator and demotes to ordinary user, by root only, ending sessions', async () => {
      const user = await api.createUser();
      const client = await api.as(user);
      const promote = { id: user.id, action: 'promote' };
      expect(await admin.post('/api/user/manage', promote)).toMatchObject({
        success: false,
        message: '普通管理员无法提升其他用户为管理员',
      });
      expect((await root.post('/api/user/manage', promote)).data).toEqual({ status: 1, role: 10 });
      expect((await client.get('/api/user/self')).status).toBe(401);
      expect((await root.post('/api/user/manage', promote)).message).toBe('该用户已经是管理员');
      const demote = { id: user.id, action: 'demote' };
      expect((await root.post('/api/user/manage', demote)).data).toEqual({ status: 1, role: 1 });
      expect((await root.post('/api/user/manage', demote)).message).toBe('该用户已经是普通用户');
    });

    it('protects root from himself', async () => {
      const { id } = (await root.get('/api/user/self')).data;
      for (const action of ['disable', 'delete', 'demote']) {
        expect(await root.post('/api/user/manage', { id, action })).toMatchObject({
          success: false,
          message: '无法禁用、删除或降级超级管理员用户',
        });
      }
      expect((await root.get('/api/user/self')).data).toMatchObject({ role: 100, status: 1 });
    });

    it('cancels: no way in, tokens off, third-party accounts free, still in the list', async () => {
      const user = await api.createUser({ quota: 50 });
      const client = await api.as(user);
      await api.deps.db.query(
        `insert into tokens (user_id, name, key_lookup, key_hint) values (${user.id}, 't', 'l${user.id}', 'h')`,
      );
      await api.deps.db.query(
        `insert into identities (user_id, provider, subject) values (${user.id}, 'github', '${user.id}')`,
      );
      expect((await admin.get(`/api/user/${user.id}`)).data.github_id).toBe(String(user.id));
      expect((await admin.post('/api/user/manage', { id: user.id, action: 'delete' })).success).toBe(true);
      expect((await client.get('/api/user/self')).status).toBe(401);
      expect(await api.deps.db.query(`select status from tokens where user_id = ${user.id}`)).toEqual([
        { status: 2 },
      ]);
      expect(await api.deps.db.query(`select 1 from identities where user_id = ${user.id}`)).toEqual([]);
      const row = (await admin.get(`/api/user/${user.id}`)).data;
      expect(row.DeletedAt).toBeGreaterThan(0);
      expect(row.quota).toBe(50);
      for (const action of ['enable', 'delete', 'disable']) {
        expect((await admin.post('/api/user/manage', { id: user.id, action })).code).toBe('NOT_FOUND');
      }
      expect((await admin.put('/api/user/', { id: user.id, remarks: 'x' })).code).toBe('NOT_FOUND');
    });

    it('answers what it does not know', async () => {
      expect(await admin.post('/api/user/manage', { id: 999_999, action: 'disable' })).toMatchObject({
        status: 200,
        success: false,
        code: 'NOT_FOUND',
      });
      expect(await admin.post('/api/user/manage', { id: 1, action: 'explode' })).toMatchObject({
        status: 400,
      });
      expect(await admin.get('/api/user/999999')).toMatchObject({ status: 200, code: 'NOT_FOUND' });
      for (const word of ['nobody', '1x', '%00']) {
        expect([word, (await admin.get(`/api/user/${word}`)).status]).toEqual([word, 404]);
      }
    });
  });
});

describe.each(callEngines)('the lists of users on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    for (let n = 0; n < 12; n++)
      await api.createUser({ username: `list${n}`, group: n < 3 ? 'vip' : 'default' });
    await api.createUser({ username: '100%_off' });
  });
  afterAll(() => api.close());

  const names = (answer: { data: { items: TestUser[] } }) => answer.data.items.map((item) => item.username);

  it('come in pages, newest first, counted from 1', async () => {
    const first = await root.get('/api/user/?p=1&page_size=5');
    expect(first.data).toMatchObject({ page: 1, page_size: 5, total: 14 });
    expect(names(first)).toEqual(['100%_off', 'list11', 'list10', 'list9', 'list8']);
    const last = await root.get('/api/user?page=3&size=5');
    expect(names(last)).toEqual(['list2', 'list1', 'list0', 'root']);
    expect((await root.get('/api/user/?p=0&page_size=0')).data).toMatchObject({ page: 1, page_size: 1 });
    expect((await root.get('/api/user/?p=1&page_size=1000')).data.page_size).toBe(100);
    expect((await root.get('/api/user/?p=x')).data.page).toBe(1);
  });

  it('are searched by part of name or e-mail, by id, and by group', async () => {
    await api.deps.db.query(`update users set email = 'Someone@Example.com' where username = 'list7'`);
    expect(names(await root.get('/api/user/search?keyword=ist1'))).toEqual(['list11', 'list10', 'list1']);
    expect(names(await root.get('/api/user/search?keyword=someone@example'))).toEqual(['list7']);
    const { id } = (await root.get('/api/user/search?keyword=list5')).data.items[0];
    expect(names(await root.get(`/api/user/search?keyword=${id}`))).toContain('list5');
    expect((await root.get('/api/user/search?keyword=list&group=vip&p=1&page_size=2')).data).toMatchObject({
      total: 3,
    });
    expect(names(await root.get('/api/user/search?keyword=99999999999999999999'))).toEqual([]);
  });

  it('take what is typed as text, not as a pattern', async () => {
    expect(names(await root.get(`/api/user/search?keyword=${encodeURIComponent('%')}`))).toEqual([
      '100%_off',
    ]);
    expect(names(await root.get(`/api/user/search?keyword=${encodeURIComponent('_')}`))).toEqual([
      '100%_off',
    ]);
    expect(names(await root.get(`/api/user/search?keyword=${encodeURIComponent("' or 1=1 --")}`))).toEqual(
      [],
    );
    expect((await root.get('/api/user/search?keyword=%00')).status).toBe(400);
  });

  it('find the owner of a token or an invitation code, whatever else is asked', async () => {
    const [user] = (await root.get('/api/user/search?keyword=list4')).data.items;
    await api.deps.db.query(
      `insert into tokens (user_id, name, key_lookup, key_hint) values (${user.id}, 't', '${api.deps.secrets.lookup('abc123')}', 'abc…')`,
    );
    for (const token of ['abc123', 'sk-abc123']) {
      expect(names(await root.get(`/api/user/search?token=${token}&keyword=nothing`))).toEqual(['list4']);
    }
    expect(names(await root.get(`/api/user/search?aff_code=${user.aff_code}&group=svip`))).toEqual(['list4']);
    expect(names(await root.get('/api/user/search?token=sk-unknown'))).toEqual([]);
  });
});
