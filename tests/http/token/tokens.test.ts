import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { nowSec } from '../../../src/core/time.ts';
import { sha256 } from '../../../src/platform/secrets.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { bearer, registerApp, signInAt } from '../../support/oauth-app.ts';

const KEY = /^[A-Za-z0-9]{48}$/;
const HOUR = 3600;

describe.each(callEngines)('relay tokens, on %s', (engine) => {
  let api: TestApi;
  let user: TestUser;
  let mine: Client;
  let other: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    user = await api.createUser({ username: 'una', quota: 1_000_000 });
    mine = await api.as(user);
    other = await api.as(await api.createUser({ username: 'otto' }));
    await api.deps.options.set({
      GroupRatio: '{"default":1,"vip":0.5,"staff":1}',
      UserUsableGroups: '{"default":"Default","vip":"VIP"}',
    });
  });
  afterAll(() => api.close());

  const make = async (body: object = {}, client = mine) => {
    const answer = await client.post('/api/token/', { name: 'made', ...body });
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data;
  };
  const read = async (id: number) => (await mine.get(`/api/token/${id}`)).data;
  const rowOf = async (id: number) => {
    const [row] = await api.deps.db.query(`select * from tokens where id = ${id}`);
    return row;
  };

  describe('POST /api/token/', () => {
    it('answers the created row with its key and the defaults', async () => {
      const before = nowSec();
      const token = await make({ name: '  first ' });
      expect(token).toMatchObject({
        user_id: user.id,
        name: 'first',
        status: 1,
        remain_quota: 500_000,
        unlimited_quota: false,
        used_quota: 0,
        expired_time: -1,
        model_limits_enabled: false,
        model_limits: '',
        allow_ips: '',
        group: '',
        own_keys: true,
      });
      expect(token.key).toMatch(KEY);
      expect(token.created_time).toBeGreaterThanOrEqual(before - 1);
    });

    it('stores every field, and keeps the key only hashed and sealed', async () => {
      const token = await make({
        name: 'all',
        remain_quota: 7,
        unlimited_quota: true,
        expired_time: nowSec() + HOUR,
        model_limits_enabled: true,
        model_limits: 'gpt-4o, claude-3,gpt-4o,',
        allow_ips: '10.0.0.0/8\r\n\n 2001:db8::1 \n',
        group: 'vip',
      });
      expect(await read(token.id)).toMatchObject({
        remain_quota: 7,
        unlimited_quota: true,
        model_limits_enabled: true,
        model_limits: 'gpt-4o,claude-3',
        allow_ips: '10.0.0.0/8\n2001:db8::1',
        group: 'vip',
      });
      expect(JSON.stringify(await rowOf(token.id))).not.toContain(token.key);
    });

    it('is the owner’s word on his own keys, not an application’s', async () => {
      const app = await registerApp(await api.root());
      const { access } = await signInAt(api, app, mine, 'tokens:create');
      const caller = bearer(api, access);
      expect((await make({ name: 'of an app' }, caller)).own_keys).toBe(false);
      const refused = await caller.post('/api/token/', { name: 'greedy', own_keys: true });
      expect(refused).toMatchObject({ success: false, code: 'SCOPE_MISSING' });
      expect((await mine.get('/api/token/page?keyword=greedy')).data.total).toBe(0);
      const { id } = await make({ own_keys: false });
      expect((await read(id)).own_keys).toBe(false);
      expect((await mine.put('/api/token/', { id, own_keys: true })).data.own_keys).toBe(true);
      // What is not named stays, and so does what comes back as it was.
      expect((await mine.put('/api/token/', { id, name: 'renamed' })).data.own_keys).toBe(true);
      expect((await mine.put('/api/token/', { id, own_keys: 'yes' })).code).toBe('BAD_PARAM');
      expect((await read(id)).own_keys).toBe(true);
    });

    it('reads an expiry that is written as a date', async () => {
      const token = await make({ expired_time: '2099-12-31 23:59:59' });
      expect(token.expired_time).toBe(new Date(2099, 11, 31, 23, 59, 59).getTime() / 1000);
    });

    it.each([
      [{ name: '' }, '令牌名称不能为空'],
      [{ name: null }, '令牌名称不能为空'],
      [{ name: 'x'.repeat(51) }, '令牌名称最多50个字符'],
      [{ expired_time: 'tomorrow' }, '过期时间格式错误'],
      [{ expired_time: '2099-02-31 00:00:00' }, '过期时间格式错误'],
      [{ expired_time: '2099-01-01' }, '过期时间格式错误'],
      [{ expired_time: -2 }, '过期时间格式错误'],
      [{ expired_time: 1.5 }, '过期时间格式错误'],
      [{ expired_time: 1_000 }, '过期时间格式错误'],
      [{ remain_quota: -1 }, '令牌额度必须是非负整数'],
      [{ remain_quota: 1.5 }, '令牌额度必须是非负整数'],
      [{ remain_quota: 2 ** 53 }, '令牌额度必须是非负整数'],
      [{ allow_ips: '10.0.0.0/8\n10.0.0.300' }, '无效的 IP 或网段：10.0.0.300'],
      [{ allow_ips: '10.0.0.0/33' }, '无效的 IP 或网段：10.0.0.0/33'],
      [{ group: 'staff' }, '无权使用分组 staff'],
      [{ group: 'auto' }, '无权使用分组 auto'],
      [{ group: 'nowhere' }, '无权使用分组 nowhere'],
      [{ model_limits: 'm'.repeat(256) }, '模型限制无效'],
    ])('refuses %j', async (body, message) => {
      const answer = await mine.post('/api/token/', { name: 'bad', ...body });
      expect(answer).toMatchObject({ status: 200, success: false, message });
      expect((await mine.get('/api/token/page?keyword=bad')).data.total).toBe(0);
    });

    it.each([
      [{ name: 7 }],
      [{ name: 'a\0b' }],
      [{ name: 'x', remain_quota: '5' }],
      [{ name: 'x', allow_ips: ['1.2.3.4'] }],
      ['no json'],
    ])('answers 400 to %j', async (body) => {
      expect(await mine.post('/api/token/', body)).toMatchObject({
        status: 400,
        success: false,
        code: 'BAD_PARAM',
      });
    });

    it('gives nobody more tokens than the limit, however many calls race', async () => {
      const crowd = await api.createUser({ username: 'crowd' });
      await api.deps.db.query(`insert into tokens (user_id, name, key_lookup, key_hint)
        select ${crowd.id}, 'n' || i, 'crowd' || i, '' from generate_series(1, 998) i`);
      const client = await api.as(crowd);
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => client.post('/api/token/', { name: 'more' })),
      );
      expect(answers.filter((answer) => answer.success)).toHaveLength(2);
      expect(answers.find((answer) => !answer.success)?.message).toBe('令牌数量已达上限');
    });
  });

  describe('lists', () => {
    it('gives a bare list from page 0, newest first, with whole keys', async () => {
      const fresh = await api.as(await api.createUser({ username: 'lister' }));
      const made = [];
      for (const name of ['a', 'b', 'c']) made.push(await make({ name }, fresh));
      const first = (await fresh.get('/api/token/?p=0&size=2')).data;
      expect(first.map((token: { name: string }) => token.name)).toEqual(['c', 'b']);
      expect(first[0].key).toBe(made[2].key);
      expect((await fresh.get('/api/token?p=1&size=2')).data).toHaveLength(1);
      expect((await fresh.get('/api/token/page?p=2&size=2')).data).toMatchObject({
        items: [{ name: 'a' }],
        total: 3,
        page: 2,
        page_size: 2,
      });
    });

    it('masks keys where asked', async () => {
      const { id, key } = await make();
      const masked = `${key.slice(0, 4)}…${key.slice(-3)}`;
      expect((await mine.get(`/api/token/${id}?mask=true`)).data.key).toBe(masked);
      for (const path of ['/api/token/?p=0&size=100&mask=true', '/api/token/page?size=100&mask=true']) {
        expect((await mine.get(path)).text).not.toContain(key);
      }
    });

    it('finds by a part of the name, of which % and _ are plain letters', async () => {
      await make({ name: '100%_sure' });
      await make({ name: '100 is sure' });
      const names = async (keyword: string) =>
        (await mine.get(`/api/token/page?keyword=${encodeURIComponent(keyword)}`)).data.items.map(
          (token: { name: string }) => token.name,
        );
      expect(await names('0%_SU')).toEqual(['100%_sure']);
      expect(await names('%')).toEqual(['100%_sure']);
    });

    it('finds by a key: whole, masked, its beginning or its end', async () => {
      const { id, key } = await make({ name: 'findable' });
      const found = async (text: string) =>
        (await mine.get(`/api/token/page?size=100&token=${encodeURIComponent(text)}`)).data.items.map(
          (token: { id: number }) => token.id,
        );
      expect(await found(key)).toEqual([id]);
      expect(await found(`sk-${key}`)).toEqual([id]);
      expect(await found(`${key.slice(0, 4)}…${key.slice(-3)}`)).toEqual([id]);
      for (const piece of [
        key.slice(0, 4),
        key.slice(0, 20),
        `sk-${key.slice(0, 9)}`,
        key.slice(-3),
        key.slice(-12),
      ]) {
        expect(await found(piece)).toContain(id);
      }
      expect(await found('A'.repeat(48))).toEqual([]);
    });
  });

  describe('ownership', () => {
    it('hides a token from everyone else, root included', async () => {
      const { id } = await make({ name: 'private' });
      for (const client of [other, await api.root()]) {
        const answers = [
          await client.get(`/api/token/${id}`),
          await client.put('/api/token/', { id, name: 'stolen' }),
          await client.put('/api/token/?status_only=true', { id, status: 2 }),
          await client.post(`/api/token/${id}/key`),
          await client.del(`/api/token/${id}/`),
        ];
        for (const answer of answers) {
          expect(answer).toMatchObject({ status: 200, success: false, code: 'NOT_FOUND' });
        }
        expect((await client.post('/api/token/batch', { ids: [id] })).data).toBe(0);
      }
      expect(await read(id)).toMatchObject({ name: 'private', status: 1 });
    });

    it('lets nobody in who is not signed in', async () => {
      for (const path of ['/api/token/', '/api/token/page', '/api/token/1']) {
        expect(await api.guest().get(path)).toMatchObject({ status: 401, success: false });
      }
    });
  });

  describe('PUT /api/token/', () => {
    it('changes what the body names and leaves the rest', async () => {
      const { id, key } = await make({ name: 'before', group: 'vip', model_limits: 'a,b', remain_quota: 9 });
      await mine.put('/api/token/', { id, name: 'after' });
      expect(await read(id)).toMatchObject({
        name: 'after',
        group: 'vip',
        model_limits: 'a,b',
        remain_quota: 9,
        key,
      });
    });

    it('takes a row back as GET gave it, and empties what is sent empty', async () => {
      const { id } = await make({
        group: 'vip',
        model_limits: 'a',
        model_limits_enabled: true,
        allow_ips: '1.1.1.1',
      });
      const row = await read(id);
      expect((await mine.put('/api/token/', { ...row, used_quota: 99, created_time: 1 })).success).toBe(true);
      expect(await read(id)).toEqual(row);
      await mine.put('/api/token/', {
        id,
        group: '',
        model_limits: '',
        allow_ips: '',
        model_limits_enabled: false,
      });
      expect(await read(id)).toMatchObject({
        group: '',
        model_limits: '',
        allow_ips: '',
        model_limits_enabled: false,
      });
    });

    it('sets the quota, what calls under way hold included', async () => {
      const { id } = await make({ remain_quota: 1_000 });
      const hold = { id: Bun.randomUUIDv7(), userId: user.id, tokenId: id, sold: 'gpt-4o', amount: 300 };
      expect(await api.deps.billing.reserve(hold)).toBe('granted');
      expect((await read(id)).remain_quota).toBe(1_000);
      await mine.put('/api/token/', { id, remain_quota: 500 });
      expect((await read(id)).remain_quota).toBe(500);
      expect(await rowOf(id)).toMatchObject({ remain_quota: 200 });
      expect(await mine.put('/api/token/', { id, remain_quota: 299 })).toMatchObject({
        success: false,
        code: 'QUOTA_HELD',
      });
      expect(await mine.put('/api/token/', { id, remain_quota: 800, quota_before: 900 })).toMatchObject({
        success: false,
        code: 'QUOTA_CHANGED',
      });
      expect((await read(id)).remain_quota).toBe(500);
    });

    it.each([
      [{ name: ' ' }, '令牌名称不能为空'],
      [{ expired_time: 'x' }, '过期时间格式错误'],
      [{ remain_quota: -5 }, '令牌额度必须是非负整数'],
      [{ group: 'staff' }, '无权使用分组 staff'],
      [{ allow_ips: 'me' }, '无效的 IP 或网段：me'],
    ])('refuses %j and changes nothing', async (body, message) => {
      const { id } = await make();
      const row = await read(id);
      expect(await mine.put('/api/token/', { id, name: 'changed', ...body })).toMatchObject({
        success: false,
        message,
      });
      expect(await read(id)).toEqual(row);
    });

    it('keeps a group that was taken away from the user, as long as it is not changed', async () => {
      const { id } = await make({ group: 'vip' });
      await api.deps.options.set({ UserUsableGroups: '{"default":"Default"}' });
      expect((await mine.put('/api/token/', { ...(await read(id)), name: 'kept' })).success).toBe(true);
      expect(await read(id)).toMatchObject({ name: 'kept', group: 'vip' });
      await api.deps.options.set({ UserUsableGroups: '{"default":"Default","vip":"VIP"}' });
    });
  });

  describe('states', () => {
    const status = async (id: number) => (await read(id)).status;
    const setStatus = (id: number, wanted: number) =>
      mine.put('/api/token/?status_only=true', { id, status: wanted });

    it('toggles between enabled and disabled, writing nothing else', async () => {
      const { id } = await make({ name: 'toggle' });
      await mine.put('/api/token/?status_only=true', { id, status: 2, name: 'ignored', remain_quota: 1 });
      expect(await read(id)).toMatchObject({ status: 2, name: 'toggle', remain_quota: 500_000 });
      await setStatus(id, 1);
      expect(await status(id)).toBe(1);
    });

    it('shows a token as expired or exhausted without any traffic', async () => {
      const { id } = await make();
      await mine.put('/api/token/', { id, remain_quota: 0 });
      expect(await status(id)).toBe(4);
      await mine.put('/api/token/', { id, expired_time: nowSec() - 1 });
      expect(await status(id)).toBe(3);
      await mine.put('/api/token/', { id, unlimited_quota: true, expired_time: -1 });
      expect(await status(id)).toBe(1);
    });

    it('does not enable an expired token before its expiry is moved', async () => {
      const { id } = await make();
      await mine.put('/api/token/', { id, expired_time: nowSec() - 1, status: 2 });
      expect(await setStatus(id, 1)).toMatchObject({
        success: false,
        message: '令牌已过期，无法启用，请先修改过期时间',
      });
      expect(await status(id)).toBe(2);
      expect((await mine.put('/api/token/', { id, status: 1, expired_time: -1 })).data.status).toBe(1);
    });

    it('does not enable an exhausted token before its quota is raised', async () => {
      const { id } = await make();
      await mine.put('/api/token/', { id, remain_quota: 0 });
      expect(await setStatus(id, 1)).toMatchObject({
        success: false,
        message: '令牌额度已用尽，无法启用，请先增加额度',
      });
      expect((await mine.put('/api/token/', { id, remain_quota: 1 })).data.status).toBe(1);
    });

    it('keeps a token enabled whose quota is set to nothing and raised again', async () => {
      const { id } = await make();
      expect((await mine.put('/api/token/', { id, status: 1, remain_quota: 0 })).data.status).toBe(4);
      expect((await mine.put('/api/token/', { id, remain_quota: 5 })).data.status).toBe(1);
    });

    it('knows no other status', async () => {
      const { id } = await make();
      expect(await setStatus(id, 5)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
      expect(await setStatus(id, 0)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    });
  });

  describe('removal', () => {
    it('hides a removed token and stops its reservations, and keeps its row', async () => {
      const { id } = await make({ unlimited_quota: true });
      expect(await mine.del(`/api/token/${id}/`)).toMatchObject({ status: 200, success: true });
      expect(await mine.get(`/api/token/${id}`)).toMatchObject({ success: false, code: 'NOT_FOUND' });
      expect(await mine.del(`/api/token/${id}`)).toMatchObject({ success: false, code: 'NOT_FOUND' });
      expect((await rowOf(id))?.deleted_at).toBeGreaterThan(0);
      const hold = { id: Bun.randomUUIDv7(), userId: user.id, tokenId: id, sold: 'gpt-4o', amount: 1 };
      expect(await api.deps.billing.reserve(hold)).toBe('refused');
    });

    it('removes several, counting those that were there', async () => {
      const ids = [(await make()).id, (await make()).id];
      expect((await mine.post('/api/token/batch', { ids: [...ids, 999_999] })).data).toBe(2);
      expect((await mine.post('/api/token/batch', { ids })).data).toBe(0);
      expect((await mine.post('/api/token/batch', { ids: [] })).data).toBe(0);
    });
  });

  describe('a token that may spend half of what its owner has', () => {
    it('is told to his mailbox when it comes from his session, a few times a day', async () => {
      const server = await startMailServer();
      await api.deps.options.set({ SMTPServer: '127.0.0.1', SMTPPort: String(server.port) });
      const [una, otto] = [await api.createUser({ quota: 1_000 }), await api.createUser({ quota: 1_000 })];
      for (const { id, username } of [una, otto])
        await api.deps.db.query(
          `update users set email = '${username}@mail.test', language = 'en' where id = ${id}`,
        );
      const [hers, his] = [await api.as(una), await api.as(otto)];
      const all = { unlimited_quota: true };
      const script = bearer(api, await api.deps.sessions.issueAccessToken(una.id));
      const app = await registerApp(await api.root());
      const { access } = await signInAt(api, app, hers, 'tokens:create');
      await make(all, script);
      await make(all, bearer(api, access));
      const counterOf = (id: number, email: string) => `letters:token:${id}:${sha256(email)}`;
      const told = () => api.deps.limiter.counted(counterOf(una.id, `${una.username}@mail.test`));
      const part = await make({ remain_quota: 400, allow_ips: '10.0.0.1' }, hers);
      expect(await told()).toBe(0);
      // With the one before.
      await make({ remain_quota: 100 }, hers);
      expect(await server.nth(1)).toMatchObject({
        recipients: [`${una.username}@mail.test`],
        subject: 'An API token at Tollgate may spend half of your balance',
        text: expect.stringContaining(una.username),
      });
      const little = await make({ remain_quota: 99 }, hers);
      await hers.put('/api/token/', { ...part, name: 'renamed', expired_time: nowSec() + HOUR });
      expect(await told()).toBe(1);
      await hers.put('/api/token/', { id: part.id, allow_ips: '' });
      expect(await told()).toBe(2);
      await hers.put('/api/token/', { id: little.id, ...all, status: 2 });
      expect(await told()).toBe(2);
      await hers.put('/api/token/?status_only=true', { id: little.id, status: 1 });
      expect(await told()).toBe(3);
      for (let n = 4; n <= limits.lettersOfKind + 2; n++) await make(all, hers);
      await server.nth(limits.lettersOfKind);
      await make(all, his);
      expect((await server.nth(limits.lettersOfKind + 1)).recipients).toEqual([`${otto.username}@mail.test`]);
      // What it spends at suppliers is bounded by no quota of its own.
      const ida = await api.createUser({ quota: 1_000 });
      await api.deps.db.query(
        `update users set email = 'ida@mail.test', language = 'en' where id = ${ida.id}`,
      );
      const idas = await api.as(ida);
      const toldIda = () => api.deps.limiter.counted(counterOf(ida.id, 'ida@mail.test'));
      const least = await make({ remain_quota: 1, own_keys: false }, idas);
      await make({ remain_quota: 1, own_keys: true }, idas);
      expect(await toldIda()).toBe(0);
      const supplier = { name: 'Told', base_url: 'https://supplier.example' };
      const { data } = await (await api.root()).post('/api/supplier/admin/', supplier);
      const conf = { supplier_id: data.id, key: 'sk-own-0123456789', models: ['m'] };
      expect((await idas.post('/api/user/custom-models/conf', conf)).success).toBe(true);
      await make({ remain_quota: 1, own_keys: false }, idas);
      expect(await toldIda()).toBe(0);
      await make({ remain_quota: 1 }, idas);
      expect(await toldIda()).toBe(1);
      await idas.put('/api/token/', { id: least.id, own_keys: true });
      expect(await toldIda()).toBe(2);
      expect(await server.nth(limits.lettersOfKind + 2)).toMatchObject({
        recipients: ['ida@mail.test'],
        subject: 'An API token at Tollgate may use your own keys at suppliers',
      });
      await api.deps.options.reset(['SMTPServer', 'SMTPPort']);
      await server.close();
    });
  });

  describe('POST /api/token/{id}/key', () => {
    it('reveals the key to its owner', async () => {
      const { id, key } = await make();
      expect((await mine.post(`/api/token/${id}/key`)).data).toEqual({ key });
    });

    it('shows keys once only when the option says so, also those made before', async () => {
      const before = await make();
      await api.deps.options.set({ TokenKeyReveal: 'once' });
      const made = await make();
      expect(made.key).toMatch(KEY);
      for (const { id, key } of [before, made]) {
        expect((await read(id)).key).toBe(`${key.slice(0, 4)}…${key.slice(-3)}`);
        expect(await mine.post(`/api/token/${id}/key`)).toMatchObject({
          success: false,
          code: 'TOKEN_KEY_HIDDEN',
        });
      }
      expect(await rowOf(made.id)).toMatchObject({ key_sealed: '' });
      await api.deps.options.reset(['TokenKeyReveal']);
      expect((await read(before.id)).key).toBe(before.key);
      expect(await mine.post(`/api/token/${made.id}/key`)).toMatchObject({ code: 'TOKEN_KEY_HIDDEN' });
    });
  });
});
