import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

describe.each(callEngines)('many channels at once, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    const probe = new ScriptedProbe();
    root = channelClient(api, probe, await api.root());
    admin = channelClient(api, probe, await api.as(await api.createUser({ username: 'amy', role: 10 })));
  });
  afterAll(() => api.close());
  beforeEach(() => api.deps.db.query('delete from channels'));

  const make = async (over: object = {}): Promise<number> =>
    (await root.post('/api/channel/', channelBody(over))).data.ids[0];
  const read = async (id: number) => (await root.get(`/api/channel/${id}`)).data;
  const count = async (sql: string) => (await api.deps.db.query<{ n: number }>(sql))[0]?.n;
  const abilities = (id: number) =>
    api.deps.db.query(
      `select group_name, model_name, enabled, priority, weight, tag from abilities where channel_id = ${id} order by 1, 2`,
    );

  describe('PUT /api/channel/tag', () => {
    it('overrides what is given on every channel of the tag, keeps what is empty, and answers how many', async () => {
      const one = await make({ tag: 'eu', models: 'a', priority: 1, weight: 1, model_mapping: '{"a":"b"}' });
      const two = await make({ tag: 'eu', models: 'b', group: 'vip', priority: 2, weight: 2 });
      const other = await make({ tag: 'us', models: 'c' });
      const edit = { tag: 'eu', new_tag: 'eu', models: 'x,y', groups: '', model_mapping: '', priority: 0 };
      expect((await admin.put('/api/channel/tag', { ...edit, weight: '' })).data).toBe(2);
      expect(await read(one)).toMatchObject({ models: 'x,y', group: 'default', priority: 0, weight: 1 });
      expect(JSON.parse((await read(one)).model_mapping)).toEqual({ a: 'b' });
      expect(await read(two)).toMatchObject({ models: 'x,y', group: 'vip', priority: 0, weight: 2 });
      expect(await read(other)).toMatchObject({ models: 'c', tag: 'us' });
      expect(await abilities(two)).toEqual([
        { group_name: 'vip', model_name: 'x', enabled: true, priority: 0, weight: 2, tag: 'eu' },
        { group_name: 'vip', model_name: 'y', enabled: true, priority: 0, weight: 2, tag: 'eu' },
      ]);
    });

    it('renames the tag, and dissolves it when the new one is empty', async () => {
      const id = await make({ tag: 'eu' });
      expect((await root.put('/api/channel/tag', { tag: 'eu', new_tag: 'europe' })).data).toBe(1);
      expect(await read(id)).toMatchObject({ tag: 'europe', models: 'gpt-4o,gpt-4o-mini' });
      expect((await root.put('/api/channel/tag', { tag: 'europe', new_tag: '' })).data).toBe(1);
      expect((await read(id)).tag).toBe('');
    });

    it.each([
      [{ tag: 'eu' }, '没有任何修改'],
      [{ tag: 'eu', new_tag: 'eu', models: '', groups: [] }, '没有任何修改'],
      [{ tag: 'eu', model_mapping: '{' }, '“模型映射”不是合法的 JSON 字符串'],
      [{ tag: 'eu', priority: 1.5 }, '优先级必须是整数，且不小于 -999'],
      [{ tag: 'eu', weight: -1 }, '权重必须是非负整数'],
    ])('refuses %j', async (body, message) => {
      const id = await make({ tag: 'eu' });
      const before = await read(id);
      expect(await admin.put('/api/channel/tag', body)).toMatchObject({
        status: 200,
        success: false,
        message,
      });
      expect(await read(id)).toEqual(before);
    });

    it('knows no tag that no channel has, and never takes the untagged for one', async () => {
      const id = await make();
      for (const tag of ['none', '', ' ']) {
        const unknown = {
          status: 200,
          code: 'CHANNEL_TAG_UNKNOWN',
          message: `没有渠道使用标签 ${tag.trim()}`,
        };
        expect(await admin.put('/api/channel/tag', { tag, priority: 5 })).toMatchObject(unknown);
        expect(await admin.post('/api/channel/tag/disabled', { tag })).toMatchObject({ code: unknown.code });
      }
      expect(await read(id)).toMatchObject({ priority: 0, status: 1 });
    });
  });

  describe('enabling and disabling', () => {
    it('by tag sets every channel of the tag, its index too, and answers how many', async () => {
      const one = await make({ tag: 'eu' });
      const two = await make({ tag: 'eu' });
      const other = await make({ tag: 'us' });
      await api.deps.db.query(
        `update channels set status = 3, other_info = '{"status_reason":"r","status_time":1,"tests":[null],"probes":2,"kept":1}' where id = ${one}`,
      );
      expect((await admin.post('/api/channel/tag/disabled', { tag: 'eu' })).data).toBe(2);
      expect([(await read(one)).status, (await read(two)).status, (await read(other)).status]).toEqual([
        2, 2, 1,
      ]);
      expect(await count(`select count(*)::int as n from abilities where enabled and tag = 'eu'`)).toBe(0);
      expect((await admin.post('/api/channel/tag/enabled', { tag: 'eu' })).data).toBe(2);
      expect(await read(one)).toMatchObject({ status: 1 });
      expect(JSON.parse((await read(one)).other_info)).toEqual({ kept: 1 });
      expect(await count(`select count(*)::int as n from abilities where enabled and tag = 'eu'`)).toBe(4);
    });

    it('by tag leaves rested keys alone unless asked, but for channels that would have none', async () => {
      const some = await make({ tag: 'eu', key: 'a\nb', multi_key_mode: 'random' });
      const none = await make({ tag: 'eu', key: 'c' });
      await api.deps.db.query(
        `update channel_keys set status = 3 where channel_id = ${none} or (channel_id = ${some} and position = 0)`,
      );
      await admin.post('/api/channel/tag/enabled', { tag: 'eu' });
      expect((await read(some)).keys_disabled).toBe(1);
      expect((await read(none)).keys_disabled).toBe(0);
      await admin.post('/api/channel/tag/enabled', { tag: 'eu', reset_keys: true });
      expect((await read(some)).keys_disabled).toBe(0);
    });

    it('by ids sets those and no others', async () => {
      const ids = [await make(), await make()];
      const other = await make();
      expect((await admin.post('/api/channel/batch/status', { ids, status: 2 })).data).toBe(2);
      expect((await read(other)).status).toBe(1);
      expect((await admin.get('/api/channel/?status=2')).data.total).toBe(2);
      expect(await admin.post('/api/channel/batch/status', { ids: [], status: 1 })).toMatchObject({
        message: '请先选择要操作的渠道',
      });
      expect(await admin.post('/api/channel/batch/status', { ids, status: 3 })).toMatchObject({
        status: 400,
      });
    });

    it('leaves those off whose time is over, and counts them as none', async () => {
      const ids = [await make({ tag: 'eu' }), await make({ tag: 'eu' })];
      await admin.post('/api/channel/tag/disabled', { tag: 'eu' });
      await api.deps.db.query(`update channels set expired_time = 1 where id = ${ids[0]}`);
      await api.deps.db.query('update channel_keys set status = 3');
      const actions = () =>
        count(`select count(*)::int as n from admin_actions where action = 'channel.enable'`);
      const before = (await actions()) ?? 0;
      expect((await admin.post('/api/channel/batch/status', { ids: [ids[0]], status: 1 })).data).toBe(0);
      expect((await admin.post('/api/channel/tag/enabled', { tag: 'eu' })).data).toBe(1);
      expect((await admin.post('/api/channel/batch/status', { ids, status: 1 })).data).toBe(1);
      expect(await actions()).toBe(before + 2);
      expect([await read(ids[0] ?? 0), await read(ids[1] ?? 0)]).toMatchObject([
        { status: 2, keys_disabled: 1 },
        { status: 1, keys_disabled: 0 },
      ]);
      expect((await admin.post('/api/channel/tag/disabled', { tag: 'eu' })).data).toBe(2);
    });

    it('is seen by the next call', async () => {
      const id = await make({ tag: 'eu', models: 'only-here' });
      const serving = () => api.deps.relay.channels.tiers('default', 'only-here').length;
      expect(serving()).toBe(1);
      await admin.post('/api/channel/tag/disabled', { tag: 'eu' });
      expect(serving()).toBe(0);
      await admin.post('/api/channel/batch/status', { ids: [id], status: 1 });
      expect(serving()).toBe(1);
    });
  });

  describe('deleting', () => {
    it('deletes those that are chosen and answers how many there were', async () => {
      const ids = [await make(), await make()];
      const kept = await make();
      expect((await admin.post('/api/channel/batch', { ids: [...ids, 999_999] })).data).toBe(2);
      expect((await root.get('/api/channel/')).data.items.map(({ id }: { id: number }) => id)).toEqual([
        kept,
      ]);
      expect(await count('select count(distinct channel_id)::int as n from abilities')).toBe(1);
      expect(await count('select count(distinct channel_id)::int as n from channel_keys')).toBe(1);
    });

    it('wants some to be chosen', async () => {
      expect(await admin.post('/api/channel/batch', { ids: [] })).toMatchObject({
        success: false,
        message: '请先选择要删除的渠道',
      });
    });

    it('DELETE /api/channel/disabled deletes those that are off, by hand or by itself, and answers how many', async () => {
      const off = await make();
      const auto = await make();
      const kept = await make();
      await root.put('/api/channel/', { id: off, status: 2 });
      await api.deps.db.query(`update channels set status = 3 where id = ${auto}`);
      expect((await admin.del('/api/channel/disabled')).data).toBe(2);
      expect((await admin.del('/api/channel/disabled')).data).toBe(0);
      expect((await root.get('/api/channel/')).data.items).toMatchObject([{ id: kept }]);
    });
  });

  it('POST /api/channel/batch/tag tags those that are chosen; it needs some and a tag', async () => {
    const ids = [await make(), await make()];
    expect((await admin.post('/api/channel/batch/tag', { ids, tag: ' eu ' })).data).toBe(2);
    expect((await root.get('/api/channel/?tag=eu')).data.total).toBe(2);
    expect(await count(`select count(*)::int as n from abilities where tag = 'eu'`)).toBe(4);
    for (const tag of ['', ' ', null]) {
      expect(await admin.post('/api/channel/batch/tag', { ids, tag })).toMatchObject({
        success: false,
        message: '标签不能为空',
      });
    }
    expect(await admin.post('/api/channel/batch/tag', { ids: [], tag: 'x' })).toMatchObject({
      success: false,
    });
  });

  it('POST /api/channel/fix rebuilds the index and answers its rows', async () => {
    const id = await make({ models: 'a,b', group: 'default,vip' });
    const right = await abilities(id);
    await api.deps.db.query(`delete from abilities where model_name = 'a'`);
    await api.deps.db.query(`update abilities set priority = 99 where group_name = 'vip'`);
    await api.deps.db.query(
      `insert into abilities (group_name, model_name, channel_id, enabled, priority, weight) values ('x', 'y', ${id}, true, 0, 0)`,
    );
    const answer = JSON.parse((await admin.post('/api/channel/fix')).text);
    expect(answer).toEqual({ success: true, message: '', data: 4, details: { changed: 4 } });
    expect(await abilities(id)).toEqual(right);
    expect(JSON.parse((await admin.post('/api/channel/fix')).text).details).toEqual({ changed: 0 });
  });

  describe('POST /api/channel/copy/{id}', () => {
    it('copies settings and keys, but nothing that was measured or spent', async () => {
      const id = await make({ key: 'one\ntwo', multi_key_mode: 'random', tag: 'eu', priority: 4 });
      await api.deps.db.query(
        `update channels set used_quota = 7, balance = 8, response_time = 9, test_time = 10 where id = ${id}`,
      );
      const { id: copy } = (await root.post(`/api/channel/copy/${id}`)).data;
      expect(await read(copy)).toMatchObject({
        name: 'made copy',
        tag: 'eu',
        priority: 4,
        key_count: 2,
        used_quota: 0,
        balance: 0,
        response_time: 0,
        test_time: 0,
      });
      const rows = await api.deps.db.query<{ sealed: string; position: number }>(
        `select sealed, position from channel_keys where channel_id = ${copy} order by position`,
      );
      const keys = rows.map((row) =>
        api.deps.secrets.open(row.sealed, `channel-key:${copy}:${row.position}`),
      );
      expect(keys).toEqual(['one', 'two']);
      expect(await abilities(copy)).toEqual(await abilities(id));
      const named = (await root.post(`/api/channel/copy/${id}?suffix=-2`)).data.id;
      expect((await read(named)).name).toBe('made-2');
    });

    it('lets no admin copy a private address, and knows no channel that is not there', async () => {
      const id = await make({ base_url: 'http://127.0.0.1:1' });
      expect(await admin.post(`/api/channel/copy/${id}`)).toMatchObject({ code: 'CHANNEL_ADDRESS' });
      expect((await root.post(`/api/channel/copy/${id}`)).success).toBe(true);
      expect(await root.post('/api/channel/copy/999999')).toMatchObject({ code: 'NOT_FOUND' });
    });
  });

  it('records who did what', async () => {
    const id = await make({ tag: 'eu' });
    await admin.put('/api/channel/tag', { tag: 'eu', priority: 3 });
    await admin.post('/api/channel/batch', { ids: [id] });
    const rows = await api.deps.db.query<{ action: string }>(
      'select action from admin_actions order by id desc limit 2',
    );
    expect(rows.map(({ action }) => action)).toEqual(['channel.delete_many', 'channel.tag_edit']);
  });

  it('is for administrators only', async () => {
    const user = channelClient(api, new ScriptedProbe(), await api.as(await api.createUser()));
    expect((await user.post('/api/channel/batch', { ids: [1] })).status).toBe(403);
    expect((await user.del('/api/channel/disabled')).status).toBe(403);
    expect((await user.put('/api/channel/tag', { tag: 'x' })).status).toBe(403);
    expect((await user.get('/api/channel/test')).status).toBe(403);
    expect((await user.post('/api/channel/copy/1')).status).toBe(403);
  });
});
