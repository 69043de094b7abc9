/** What an administrator, or whoever has taken his session, may not do to the gateway by what a channel says. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { limits } from '../../../src/core/limits.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

describe.each(callEngines)('hostile channels, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let admin: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    const probe = new ScriptedProbe();
    root = channelClient(api, probe, await api.root());
    admin = channelClient(api, probe, await api.as(await api.createUser({ role: 10 })));
  });
  afterAll(() => api.close());
  beforeEach(() => api.deps.db.query('delete from channels'));

  const make = async (over: object = {}, client = admin): Promise<number> =>
    (await client.post('/api/channel/', channelBody(over))).data.ids[0];

  describe('JSON that is nested without end is refused', () => {
    const nested = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;

    it.each(['param_override', 'setting'])('in %s, as text and as an object', async (field) => {
      const id = await make();
      const put = (value: string) => admin.call('PUT', '/api/channel/', `{"id":${id},"${field}":${value}}`);
      for (const depth of [limits.jsonDepthMax, 5_000, 49_000]) {
        expect(await put(JSON.stringify(nested(depth)))).toMatchObject({ status: 200, code: 'CHANNEL_JSON' });
        expect(await put(nested(depth))).toMatchObject({ status: 400, code: 'BAD_PARAM' });
      }
      expect(await put(JSON.stringify(nested(limits.jsonDepthMax - 1)))).toMatchObject({ success: true });
      // The body and the object around it are two more.
      expect(await put(nested(limits.jsonDepthMax - 2))).toMatchObject({ success: true });
      expect((await admin.get('/api/channel/')).data.total).toBe(1);
    });

    it('and so is an object that is larger than a text may be', async () => {
      const id = await make();
      const answer = await admin.put('/api/channel/', { id, param_override: { a: 'x'.repeat(100_000) } });
      expect(answer).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    });
  });

  it('a long chain of mappings is followed in one pass, here and where calls are routed', async () => {
    const id = await make();
    const chain = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`m${i}`, `m${i + 1}`]));
    const from = performance.now();
    expect(await admin.put('/api/channel/', { id, model_mapping: chain })).toMatchObject({ success: true });
    // Following each from its beginning took seven seconds.
    expect(performance.now() - from).toBeLessThan(2_000);
    expect(api.deps.relay.channels.byId(id)?.modelMapping).toMatchObject({ m0: 'm5000', m4999: 'm5000' });
    const loop = { ...chain, m5000: 'm0' };
    expect(await admin.put('/api/channel/', { id, model_mapping: loop })).toMatchObject({
      code: 'CHANNEL_MAPPING_LOOP',
    });
  });

  it('a channel is in no more groups than the index can hold', async () => {
    const groups = (count: number) => Array.from({ length: count }, (_, i) => `g${i}`).join(',');
    const there = groups(limits.groupsPerChannel).split(',');
    const ratios = Object.fromEntries(['default', ...there].map((name) => [name, 1]));
    await api.deps.options.set({ GroupRatio: JSON.stringify(ratios) });
    const id = await make({ tag: 'many' });
    const refused = { status: 200, code: 'CHANNEL_GROUP' };
    const tooMany = groups(limits.groupsPerChannel + 1);
    expect(await admin.put('/api/channel/', { id, group: tooMany })).toMatchObject(refused);
    expect(await admin.put('/api/channel/tag', { tag: 'many', groups: tooMany })).toMatchObject(refused);
    const all = await admin.put('/api/channel/', { id, group: groups(limits.groupsPerChannel) });
    expect(all.success).toBe(true);
  });

  it.each(['?type=99999999999', '?status=99999999999', 'test?status=99999999999', 'test/status?after=9e15'])(
    'GET /api/channel/%s asks for what no column holds, and is told so',
    async (query) => {
      expect(await admin.get(`/api/channel/${query}`)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    },
  );

  it('no caller chooses the host by the name of a model', async () => {
    for (const base_url of ['https://{model}.example.com/x', 'https://a.{model}', 'https://a:80{model}']) {
      const answer = await root.post('/api/channel/', channelBody({ type: 8, base_url }));
      expect(answer).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
    }
  });

  describe('a new proxy', () => {
    const setting = JSON.stringify({ proxy: 'http://proxy.example.com:8443' });

    it('of a plain http address, where it reads the key, wants the key again', async () => {
      const id = await make({ base_url: 'http://upstream.example.com' });
      const again = { success: false, code: 'CHANNEL_KEY_AGAIN' };
      expect(await root.put('/api/channel/', { id, setting })).toMatchObject(again);
      const withKey = await admin.put('/api/channel/', { id, setting, key: 'sk-other-0123456789' });
      expect(withKey.success).toBe(true);
      // The same one is not new.
      expect((await admin.put('/api/channel/', { id, name: 'n', setting })).success).toBe(true);
      const safe = await make({ base_url: 'https://upstream.example.com' });
      expect((await admin.put('/api/channel/', { id: safe, setting })).success).toBe(true);
    });

    it('of an admin’s stands at a port of the web or one that is opened; root’s at any', async () => {
      const at = (port: number) => ({
        setting: JSON.stringify({ proxy: `http://proxy.example.com:${port}` }),
      });
      const id = await make();
      const closed = {
        success: false,
        code: 'CHANNEL_ADDRESS',
        message: expect.stringContaining('端口 3128'),
      };
      expect(await admin.put('/api/channel/', { id, ...at(3128) })).toMatchObject(closed);
      expect(await admin.post('/api/channel/', channelBody(at(3128)))).toMatchObject(closed);
      const inside = { setting: '{"proxy":"http://10.0.0.1"}' };
      expect(await admin.put('/api/channel/', { id, ...inside })).toMatchObject({ code: 'CHANNEL_ADDRESS' });
      expect((await admin.put('/api/channel/', { id, ...at(80) })).success).toBe(true);
      await api.deps.options.set({ EgressPorts: '3128' });
      expect((await admin.put('/api/channel/', { id, ...at(3128) })).success).toBe(true);
      await api.deps.options.reset(['EgressPorts']);
      // What stands there is nobody's to write again.
      expect((await admin.put('/api/channel/', { id, name: 'n', ...at(3128) })).success).toBe(true);
      expect((await root.put('/api/channel/', { id, ...at(1080) })).success).toBe(true);
    });

    it('of a channel that root let into the private network is root’s matter', async () => {
      const id = await make({ base_url: 'https://10.0.0.1' }, root);
      const refused = await admin.put('/api/channel/', { id, setting, key: 'sk-other-0123456789' });
      expect(refused).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
      expect((await root.put('/api/channel/', { id, setting })).success).toBe(true);
    });
  });
});
