import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

describe('tests and model lists of channels', () => {
  let api: TestApi;
  let probe: ScriptedProbe;
  let root: Client;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi('postgres');
  });
  afterAll(() => api.close());
  beforeEach(async () => {
    probe = new ScriptedProbe();
    root = channelClient(api, probe, await api.root());
    admin = channelClient(api, probe, await api.as(await api.createUser({ role: 10 })));
  });

  const make = async (over: object = {}): Promise<number> =>
    (await root.post('/api/channel/', channelBody(over))).data.ids[0];
  const read = async (id: number) => (await root.get(`/api/channel/${id}`)).data;
  const lastLog = async () => {
    const [row] = await api.deps.db.query<Record<string, unknown>>(
      'select * from logs order by id desc limit 1',
    );
    return row;
  };

  describe('GET /api/channel/test/{id}', () => {
    it('tests with the key, answers seconds, and notes the time', async () => {
      const id = await make({ test_model: 'gpt-4o-mini' });
      const answer = JSON.parse((await root.get(`/api/channel/test/${id}`)).text);
      expect(answer).toEqual({
        success: true,
        message: '',
        time: 1.234,
        data: { model: 'gpt-4o-mini' },
      });
      expect(probe.tested[0]).toMatchObject({
        model: 'gpt-4o-mini',
        channel: { id, keys: [{ value: 'sk-upstream-0123456789' }] },
      });
      const row = await read(id);
      expect(row.response_time).toBe(1234);
      expect(row.test_time).toBeGreaterThan(1_700_000_000);
    });

    it('takes the model from the query, else the test model, else the first one', async () => {
      const id = await make({ models: 'first,second' });
      await root.get(`/api/channel/test/${id}?model=other`);
      await root.get(`/api/channel/test/${id}`);
      expect(probe.tested.map(({ model }) => model)).toEqual(['other', 'first']);
    });

    it('tells why a test failed, keeps the last good time, and logs it as a test', async () => {
      const id = await make();
      probe.result = { success: false, reason: { code: 'said', said: 'status 401' }, timeMs: 50 };
      expect(JSON.parse((await root.get(`/api/channel/test/${id}`)).text)).toEqual({
        success: false,
        message: '上游的回答：“status 401”',
        time: 0.05,
        data: { model: 'gpt-4o' },
      });
      expect(await read(id)).toMatchObject({ response_time: 0, status: 1 });
      expect(await lastLog()).toMatchObject({
        type: 7,
        username: 'root',
        channel_id: id,
        model_name: 'gpt-4o',
        quota: 0,
        content: '渠道测试失败：上游的回答：“status 401”',
      });
    });

    it('keeps when and why the last test failed until one passes, in the reader’s words, and no copy has it', async () => {
      const id = await make();
      const kept = async (of = id) => (await read(of)).other_info;
      probe.result = { success: false, reason: { code: 'timeout' }, timeMs: 50 };
      const before = Math.floor(Date.now() / 1_000);
      await root.get(`/api/channel/test/${id}`);
      const { failed_test: failed } = JSON.parse(await kept());
      expect(failed).toMatchObject({ reason: '没有及时回答', ms: 50, model: 'gpt-4o' });
      expect(failed.time).toBeGreaterThanOrEqual(before);
      const copy = await root.post(`/api/channel/copy/${id}`);
      expect(await kept(copy.data.id)).toBe('');
      probe.result = { success: false, reason: { code: 'untested' }, timeMs: 0, untested: true };
      await root.get(`/api/channel/test/${id}`);
      expect(JSON.parse(await kept()).failed_test).toEqual(failed);
      probe.result = { success: true, reason: null, timeMs: 1234 };
      await root.get(`/api/channel/test/${id}`);
      expect(JSON.parse(await kept())).toEqual({ passed_test: { model: 'gpt-4o' } });
      expect(await kept((await root.post(`/api/channel/copy/${id}`)).data.id)).toBe('');
    });

    it('tests a disabled channel with its rested keys', async () => {
      const id = await make({ key: 'a\nb', multi_key_mode: 'random' });
      await api.deps.db.query(`update channel_keys set status = 3 where channel_id = ${id} and position = 0`);
      await root.get(`/api/channel/test/${id}`);
      await api.deps.db.query(`update channel_keys set status = 3 where channel_id = ${id}`);
      await root.get(`/api/channel/test/${id}`);
      expect(probe.tested.map(({ channel }) => channel.keys.map((key) => key.value))).toEqual([
        ['b'],
        ['a', 'b'],
      ]);
    });

    it('enables an automatically disabled channel that is well again, when the option says so', async () => {
      const id = await make();
      const rest = () => api.deps.db.query(`update channels set status = 3 where id = ${id}`);
      await rest();
      await root.get(`/api/channel/test/${id}`);
      expect((await read(id)).status).toBe(3);
      await api.deps.options.set({ AutomaticEnableChannelEnabled: 'true' });
      await root.get(`/api/channel/test/${id}`);
      expect((await read(id)).status).toBe(1);
      await root.put('/api/channel/', { id, status: 2 });
      await root.get(`/api/channel/test/${id}`);
      expect((await read(id)).status).toBe(2);
      await api.deps.options.reset(['AutomaticEnableChannelEnabled']);
    });

    it('knows no channel that is not there', async () => {
      expect(await root.get('/api/channel/test/999999')).toMatchObject({
        status: 200,
        code: 'NOT_FOUND',
      });
      expect(probe.tested).toEqual([]);
    });
  });

  describe('fetching models', () => {
    it('asks a saved channel’s upstream with the stored key', async () => {
      const id = await make({ base_url: 'https://a.example.com', other: 'v1', openai_organization: 'org' });
      probe.models = ['b', 'a', 'b'];
      expect((await root.get(`/api/channel/fetch_models/${id}`)).data).toEqual(['a', 'b']);
      expect(probe.listed).toMatchObject([
        {
          type: 1,
          baseUrl: 'https://a.example.com',
          key: 'sk-upstream-0123456789',
          other: 'v1',
          organization: 'org',
        },
      ]);
    });

    it('asks a new upstream with the first line of the given keys', async () => {
      probe.models = ['a'];
      const given = { type: 1, base_url: 'https://a.example.com/', key: ' one \ntwo' };
      expect((await admin.post('/api/channel/fetch_models', given)).data).toEqual(['a']);
      expect(probe.listed).toMatchObject([
        { baseUrl: 'https://a.example.com', key: 'one', privateAllowed: false },
      ]);
    });

    it.each([
      [{ type: 9_999, base_url: '', key: 'k' }, '不支持的渠道类型：9999'],
      [{ type: 8, base_url: '', key: 'k' }, '渠道地址无效：该类型必须填写地址'],
      [{ type: 1, base_url: '', key: '' }, '请填写密钥'],
      [{ type: 1, base_url: 'http://127.0.0.1', key: 'k' }, '渠道地址无效：内网地址只能由超级管理员设置'],
      [
        { type: 1, base_url: 'file:///etc/passwd', key: 'k' },
        '渠道地址无效：必须以 http:// 或 https:// 开头',
      ],
    ])('refuses %j', async (body, message) => {
      expect(await admin.post('/api/channel/fetch_models', body)).toMatchObject({
        status: 200,
        success: false,
        message,
      });
      expect(probe.listed).toEqual([]);
    });

    it('root may ask a private address', async () => {
      const given = { type: 1, base_url: 'http://127.0.0.1:9', key: 'k' };
      expect((await root.post('/api/channel/fetch_models', given)).success).toBe(true);
      expect(probe.listed).toMatchObject([{ privateAllowed: true }]);
    });
  });
});
