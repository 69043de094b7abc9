import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import type { ActionItem } from '../../../src/modules/audit-log/list.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('the record of actions, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let amy: TestUser;
  let una: TestUser;
  beforeAll(async () => {
    api = await openApi(engine);
    root = await api.root();
    amy = await api.createUser({ username: 'amy', role: 10 });
    una = await api.createUser({ username: 'una', quota: 5 });
    const admin = await api.as(amy, { ip: '198.51.100.7' });
    await admin.put('/api/user/', { id: una.id, add_quota: 7, reason: '=1+1 says "hi", friend' });
    await admin.post('/api/user/manage', { id: una.id, action: 'disable' });
    await root.put('/api/option/', { key: 'SystemName', value: '50%_off' });
    await api.deps.db.query(`update admin_actions set created_at = 1000 + id`);
  });
  afterAll(() => api.close());

  const list = async (query = '') => (await root.get(`/api/admin_action/?${query}`)).data;
  const actions = async (query: string) => (await list(query)).items.map(({ action }: ActionItem) => action);

  it('says who did what to whom, when, from where, and the first of what changed', async () => {
    const page = await list();
    expect(page).toMatchObject({ page: 1, page_size: 10, total: 3, total_is_capped: false });
    expect(page.items[2]).toEqual({
      id: expect.any(Number),
      created_at: expect.any(Number),
      actor_id: amy.id,
      actor_name: 'amy',
      action: 'user.quota',
      target: `user:${una.id}`,
      target_name: 'una',
      ip: '198.51.100.7',
      changes: [{ name: 'quota', before: '5', after: '12' }],
      change_count: 1,
    });
    expect(page.items[0]).toMatchObject({ actor_name: 'root', action: 'option.set', target_name: '' });
    const one = (await root.get(`/api/admin_action/${page.items[2].id}`)).data;
    expect(one.detail).toMatchObject({ quota: { before: 5, after: 12 }, reason: '=1+1 says "hi", friend' });
    expect((await root.get('/api/admin_action/999999')).code).toBe('NOT_FOUND');
  });

  it('filters by actor, kind, target, time and text', async () => {
    const all = ['option.set', 'user.disable', 'user.quota'];
    expect(await actions('')).toEqual(all);
    expect(await actions('actor=AMY')).toEqual(['user.disable', 'user.quota']);
    expect(await actions(`actor=${root.userId}`)).toEqual(['option.set']);
    expect(await actions('actor=nobody')).toEqual([]);
    expect(await actions('action=user')).toEqual(['user.disable', 'user.quota']);
    expect(await actions('action=user.quota')).toEqual(['user.quota']);
    expect(await actions('action=use')).toEqual([]);
    expect(await actions(`target=user:${una.id}`)).toEqual(['user.disable', 'user.quota']);
    expect(await actions(`target=user:${una.id}0`)).toEqual([]);
    expect(await actions('target=systemname')).toEqual(['option.set']);
    expect(await actions(`keyword=${encodeURIComponent('50%_off')}`)).toEqual(['option.set']);
    expect(await actions(`keyword=${encodeURIComponent('5%off')}`)).toEqual([]);
    expect(await actions('keyword=FRIEND')).toEqual(['user.quota']);
    const times = (await list()).items.map(({ created_at }: ActionItem) => created_at);
    expect(await actions(`start_timestamp=${times[1]}&end_timestamp=${times[1]}`)).toEqual(['user.disable']);
    expect(await actions('actor=&action=&target=&keyword=&start_timestamp=&end_timestamp=')).toEqual(all);
    expect(await actions('page_size=1&p=2')).toEqual(['user.disable']);
  });

  it('refuses what is no filter by name, and everyone but root', async () => {
    expect(await root.get('/api/admin_action/?start_timestamp=x')).toMatchObject({
      status: 400,
      code: 'BAD_PARAM',
    });
    expect((await root.get('/api/admin_action/?keyword=%00')).status).toBe(400);
    for (const path of ['/api/admin_action/', '/api/admin_action/1', '/api/admin_action/export']) {
      expect((await (await api.as(amy)).get(path)).status).toBe(403);
      expect((await api.guest().get(path)).status).toBe(401);
    }
  });

  it('goes out as a sheet in which nothing is a formula, filtered alike', async () => {
    const sheet = await root.get('/api/admin_action/export?actor=amy');
    expect(sheet.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(sheet.headers.get('content-disposition')).toBe('attachment; filename="admin-actions.csv"');
    const lines = sheet.text.trim().split('\r\n');
    expect(lines[0]).toEndWith('id,time,actor_id,actor,action,target,target_name,ip,detail');
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(`,amy,user.disable,user:${una.id},una,198.51.100.7,`);
    expect(lines[2]).toContain('""reason"": ""=1+1 says \\""hi\\"", friend""');
    await api.deps.db.query(`update users set username = '=cmd()' where id = ${una.id}`);
    const again = await root.get('/api/admin_action/export?action=user.quota');
    expect(again.text).toContain(",'=cmd(),");
    await api.deps.db.query(`update users set username = 'una' where id = ${una.id}`);
    expect((await root.get('/api/admin_action/export?action=setup')).text.trim().split('\r\n')).toHaveLength(
      1,
    );
  });

  it('names a channel that is gone as it was called last', async () => {
    const made = { name: 'azure-east', type: 1, key: 'k', models: 'gpt-4o', group: 'default' };
    const [id] = (await root.post('/api/channel/', made)).data.ids;
    await root.put('/api/channel/', { id, name: 'azure-west' });
    await root.del(`/api/channel/${id}/`);
    const { items } = await list(`target=channel:${id}`);
    expect(items.map(({ target_name }: ActionItem) => target_name)).toEqual(Array(3).fill('azure-west'));
    await api.deps.db.query(`delete from admin_actions where target = 'channel:${id}'`);
  });

  it('goes out whole, each row once, whatever is written meanwhile', async () => {
    await api.deps.db.query(
      `insert into admin_actions (actor_id, action, target) select 1, 'channel.fix', 'n' || i from generate_series(1, ${limits.exportPage * 2 + 3}) i`,
    );
    const lines = (await root.get('/api/admin_action/export?action=channel.fix')).text.trim().split('\r\n');
    expect(lines).toHaveLength(limits.exportPage * 2 + 4);
    expect(new Set(lines).size).toBe(lines.length);
    await api.deps.db.query(`delete from admin_actions where action = 'channel.fix'`);
  });
});
