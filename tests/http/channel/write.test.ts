import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { sql } from 'drizzle-orm';
import { takeTime } from '../../../src/db/brief.ts';
import { keyOwner } from '../../../src/modules/channel/keys.ts';
import {
  keyOpener,
  loadChannel,
  loadChannels,
  loadForTasks,
  loadForTest,
} from '../../../src/modules/channel/load.ts';
import type { RoutedChannel } from '../../../src/modules/channel/model.ts';
import { createOutgoing } from '../../../src/platform/outgoing.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { untilBlocked } from '../../support/waits.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

describe.each(callEngines)('writing channels, on %s', (engine) => {
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

  const rows = async (sql: string) => [...(await api.deps.db.query(sql))];
  const make = async (over: object = {}, client = root): Promise<number> => {
    const answer = await client.post('/api/channel/', channelBody(over));
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data.ids[0];
  };
  const read = async (id: number) => (await root.get(`/api/channel/${id}`)).data;
  const keysOf = async (id: number): Promise<string[]> => {
    const sealed = await api.deps.db.query<{ sealed: string; position: number }>(
      `select sealed, position from channel_keys where channel_id = ${id} order by position`,
    );
    return sealed.map((row) => api.deps.secrets.open(row.sealed, `channel-key:${id}:${row.position}`));
  };
  const abilitiesOf = (id: number) =>
    rows(`select group_name, model_name, enabled, priority, weight, tag from abilities
      where channel_id = ${id} order by 1, 2`);

  describe('POST /api/channel/', () => {
    it('fills in what a type means by an empty field', async () => {
      const id = await make({ type: 18, other: '' });
      expect((await read(id)).other).toBe('v2.1');
      await root.put('/api/channel/', { id, other: 'v4.0' });
      expect((await read(id)).other).toBe('v4.0');
      await root.put('/api/channel/', { id, other: '' });
      expect((await read(id)).other).toBe('v2.1');
    });

    it.each([
      { type: 41, other: '127.0.0.1:8443/#' },
      { type: 41, other: '{"default":"us-central1","claude":"x@10.0.0.1/#"}' },
      { type: 33, key: 'apikey|x@127.0.0.1:8443/#' },
      { type: 33, key: 'access|secret|Us.East' },
    ])('takes no region that would make another host: %p', async (over) => {
      const refused = await admin.post('/api/channel/', channelBody(over));
      expect(refused).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
      const key = over.type === 33 ? 'access|secret|us-east-1' : 'AIza-express-key-0123456789';
      const id = await make({ type: over.type, key, other: 'us-east1' }, admin);
      const changed = await admin.put('/api/channel/', { id, other: over.other, key: over.key });
      expect(changed).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
    });

    it('stores every field and answers ids', async () => {
      const id = await make({
        name: ' all fields ',
        openai_organization: 'org-1',
        max_input_tokens: 9_000,
        base_url: 'https://api.example.com/',
        other: 'v1',
        models: ['gpt-4o', ' gpt-4o-mini ', 'gpt-4o'],
        group: ['default', 'vip'],
        model_mapping: '{"gpt-4o":"gpt-4o-2024"}',
        status_code_mapping: '{"400":"500","429":503}',
        setting: '{"force_format":true,"future":{"a":1}}',
        param_override: '{"temperature":0}',
        auto_ban: 0,
        test_model: 'gpt-4o-mini',
        priority: -5,
        weight: 7,
        tag: 'eu',
        // Read-only: ignored.
        used_quota: 5,
        response_time: 5,
        balance: 5,
        created_time: 5,
      });
      const row = await read(id);
      expect(row).toMatchObject({
        id,
        type: 1,
        name: 'all fields',
        channel_name: 'all fields',
        key: '',
        key_hint: 'sk-u…789',
        key_count: 1,
        status: 1,
        openai_organization: 'org-1',
        max_input_tokens: 9_000,
        base_url: 'https://api.example.com',
        other: 'v1',
        models: 'gpt-4o,gpt-4o-mini',
        group: 'default,vip',
        auto_ban: 0,
        test_model: 'gpt-4o-mini',
        priority: -5,
        weight: 7,
        tag: 'eu',
        other_info: '',
        used_quota: 0,
        response_time: 0,
        balance: 0,
        expired_time: -1,
      });
      expect(row.created_time).toBeGreaterThan(1_700_000_000);
      expect(JSON.parse(row.model_mapping)).toEqual({ 'gpt-4o': 'gpt-4o-2024' });
      expect(JSON.parse(row.status_code_mapping)).toEqual({ 400: '500', 429: '503' });
      expect(JSON.parse(row.setting)).toEqual({ force_format: true, future: { a: 1 } });
      expect(JSON.parse(row.param_override)).toEqual({ temperature: 0 });
    });

    it('writes one index row a group and model, in the same transaction', async () => {
      const id = await make({ models: 'a,b', group: 'default,vip', priority: 3, weight: 4, tag: 't' });
      const shared = { enabled: true, priority: 3, weight: 4, tag: 't' };
      expect(await abilitiesOf(id)).toEqual([
        { group_name: 'default', model_name: 'a', ...shared },
        { group_name: 'default', model_name: 'b', ...shared },
        { group_name: 'vip', model_name: 'a', ...shared },
        { group_name: 'vip', model_name: 'b', ...shared },
      ]);
    });

    it('takes the defaults of a new channel', async () => {
      const answer = await root.post('/api/channel/', { name: 'plain', type: 1, key: 'k', models: 'm' });
      expect(await read(answer.data.ids[0])).toMatchObject({
        group: 'default',
        priority: 0,
        weight: 0,
        auto_ban: 1,
        model_mapping: '',
        setting: '',
      });
    });

    it('makes one channel a line of keys, each with its own key', async () => {
      const answer = await root.post(
        '/api/channel/',
        channelBody({ key: 'first\r\n\n second \nfirst\nthird' }),
      );
      const { ids } = answer.data;
      expect(await Promise.all(ids.map(keysOf))).toEqual([['first'], ['second'], ['third']]);
      expect(await abilitiesOf(ids[2])).toHaveLength(2);
    });

    it('makes one channel with several keys when asked', async () => {
      const answer = await root.post(
        '/api/channel/',
        channelBody({ key: 'first\nsecond', multi_key_mode: 'random' }),
      );
      expect(answer.data.ids).toHaveLength(1);
      expect(await keysOf(answer.data.ids[0])).toEqual(['first', 'second']);
      expect(await read(answer.data.ids[0])).toMatchObject({ key_count: 2, keys_disabled: 0 });
    });

    it('never sends a key back, and stores it only sealed', async () => {
      const key = 'sk-very-secret-key-0123456789';
      const id = await make({ key });
      for (const path of [`/api/channel/${id}`, '/api/channel/?page_size=100', '/api/channel/search']) {
        expect((await root.get(path)).text).not.toContain('very-secret');
      }
      const [stored] = await rows(
        `select json_agg(k)::text as text from channel_keys k where channel_id = ${id}`,
      );
      expect(String(stored?.text)).not.toContain('very-secret');
      const [actions] = await rows(`select json_agg(a)::text as text from admin_actions a`);
      expect(String(actions?.text)).not.toContain('very-secret');
      expect(String(actions?.text)).toContain('channel.create');
    });

    it.each([
      [{ name: '' }, '请填写渠道名称和密钥'],
      [{ name: null }, '请填写渠道名称和密钥'],
      [{ key: ' \n ' }, '请填写渠道名称和密钥'],
      [{ key: 'sk-好' }, '密钥包含无效字符'],
      [{ models: '' }, '请至少选择一个模型'],
      [{ models: ' , ' }, '请至少选择一个模型'],
      [{ models: null }, '请至少选择一个模型'],
      [{ type: 9_999 }, '不支持的渠道类型：9999'],
      [{ model_mapping: '{"a":' }, '“模型映射”不是合法的 JSON 字符串'],
      [{ model_mapping: '["a"]' }, '“模型映射”不是合法的 JSON 字符串'],
      [{ model_mapping: '{"a":1}' }, '“模型映射”不是合法的 JSON 字符串'],
      [{ model_mapping: '{"a":"\\u0000"}' }, '“模型映射”不是合法的 JSON 字符串'],
      [{ setting: '{"x":"\\ud800"}' }, '“渠道设置”不是合法的 JSON 字符串'],
      [{ param_override: 'null' }, '“参数覆盖”不是合法的 JSON 字符串'],
      [{ model_mapping: '{"a":"b","b":"c","c":"a"}' }, '模型映射存在循环：a'],
      [{ status_code_mapping: '{"400":"200"}' }, '状态码映射只能在 4xx 与 5xx 之间'],
      [{ status_code_mapping: '{"200":"500"}' }, '状态码映射只能在 4xx 与 5xx 之间'],
      [{ param_override: '{"model":"x"}' }, '参数覆盖不能包含字段 model'],
      [{ param_override: '{"stream":false}' }, '参数覆盖不能包含字段 stream'],
      [{ param_override: '{"stream_options":{}}' }, '参数覆盖不能包含字段 stream_options'],
      [{ param_override: '{"streamOptions":null}' }, '参数覆盖不能包含字段 streamOptions'],
      [{ param_override: '{"max_tokens":1}' }, '参数覆盖不能包含字段 max_tokens'],
      [{ param_override: '{"max_completion_tokens":1}' }, '参数覆盖不能包含字段 max_completion_tokens'],
      [{ param_override: '{"Model":"x"}' }, '参数覆盖不能包含字段 Model'],
      [{ param_override: '{"maxTokens":1}' }, '参数覆盖不能包含字段 maxTokens'],
      [{ param_override: '{"n":5}' }, '参数覆盖不能包含字段 n'],
      [{ param_override: '{"__proto__":{"a":1}}' }, '参数覆盖不能包含字段 __proto__'],
      [{ setting: '{"proxy":"ftp://x"}' }, '渠道设置中的 proxy 无效'],
      [
        { setting: '{"headers":{"Authorization":"x"}}' },
        '渠道设置中的 headers.Authorization 是保留的请求头，不能覆盖',
      ],
      [{ setting: '{"headers":{"X-A":"a\\r\\nX-B: b"}}' }, '渠道设置中的 headers.X-A 无效'],
      [{ setting: '{"total_timeout":-1}' }, '渠道设置中的 total_timeout 无效'],
      [{ priority: -1_000 }, '优先级必须是整数，且不小于 -999'],
      [{ priority: 1.5 }, '优先级必须是整数，且不小于 -999'],
      [{ weight: -1 }, '权重必须是非负整数'],
      [{ weight: 0.5 }, '权重必须是非负整数'],
      [{ base_url: 'ftp://example.com' }, '渠道地址无效：必须以 http:// 或 https:// 开头'],
      [{ base_url: 'https://user:pass@example.com' }, '渠道地址无效：不能包含用户名、密码或 #'],
      [{ type: 8, base_url: '' }, '渠道地址无效：该类型必须填写地址'],
    ])('refuses %j', async (over, message) => {
      const [before] = await rows('select count(*)::int as n from channels');
      expect(await root.post('/api/channel/', channelBody(over))).toMatchObject({
        status: 200,
        success: false,
        message,
      });
      expect(await rows('select count(*)::int as n from channels')).toEqual([before ?? {}]);
    });

    it('accepts a model that maps to itself, and chains', async () => {
      await make({ model_mapping: '{"a":"a","b":"c","c":"d"}' });
    });

    it.each([
      [{ type: '1' }],
      [{ priority: 'high' }],
      [{ name: 'a\0b' }],
      [{ status: 7 }],
      [{ openai_organization: 'a\r\nb' }],
      [{ multi_key_mode: 'x' }],
    ])('answers 400 to %j', async (over) => {
      const answer = await root.post('/api/channel/', channelBody(over));
      expect(answer).toMatchObject({ status: 400, success: false, code: 'BAD_PARAM' });
    });
  });

  describe('private addresses', () => {
    const addresses = [
      'http://127.0.0.1:8000',
      'http://10.0.0.5',
      'http://169.254.169.254/latest',
      'http://[::1]:11434',
      'http://[::ffff:10.0.0.1]',
      'http://localhost:11434',
      'http://ollama:11434',
      'http://2130706433',
      'http://0x7f.1',
    ];

    it.each(addresses)('%s is refused from an admin and taken from root', async (base_url) => {
      const body = channelBody({ base_url });
      expect(await admin.post('/api/channel/', body)).toMatchObject({
        success: false,
        message: '渠道地址无效：内网地址只能由超级管理员设置',
      });
      expect((await root.post('/api/channel/', body)).success).toBe(true);
    });

    const privateAllowed = async (id: number) => {
      const [row] = await rows(`select private_allowed from channels where id = ${id}`);
      return row?.private_allowed;
    };

    it('are let in only where the address is private, whoever writes it', async () => {
      const outgoing = api.deps.outgoing;
      const names: Record<string, string> = {
        'ollama.house.example': '10.0.0.9',
        'far.example': '93.184.216.34',
      };
      api.deps.outgoing = createOutgoing([], async (name) => [
        names[name] ?? (await Promise.reject(new Error('no'))),
      ]);
      const over = channelClient(api, new ScriptedProbe(), root);
      const allowedAt = async (base_url: string) =>
        privateAllowed((await over.post('/api/channel/', channelBody({ base_url }))).data.ids[0]);
      for (const base_url of [
        'http://10.0.0.5',
        'http://ollama:1',
        'http://a.internal',
        'http://ollama.house.example',
      ]) {
        expect([base_url, await allowedAt(base_url)]).toEqual([base_url, true]);
      }
      for (const base_url of [
        'https://far.example',
        'http://93.184.216.34:3000',
        'https://nowhere.example',
        '',
      ]) {
        expect([base_url, await allowedAt(base_url)]).toEqual([base_url, false]);
      }
      // A name that has moved inside since is let in when root says so of it, and by nothing less.
      const base_url = 'https://far.example';
      const id = (await over.post('/api/channel/', channelBody({ base_url }))).data.ids[0];
      const say = async (isIn: boolean, more: object = { base_url }) => {
        const answer = await over.put('/api/channel/', { id, private_allowed: isIn, ...more });
        return [answer.code, await privateAllowed(id)];
      };
      expect(await say(true)).toEqual(['CHANNEL_ADDRESS', false]);
      names['far.example'] = '10.0.0.1';
      await over.put('/api/channel/', { id, base_url, name: 'n' });
      expect(await privateAllowed(id)).toBe(false);
      expect(await say(true, {})).toEqual(['BAD_PARAM', false]);
      expect(await say(true)).toEqual([undefined, true]);
      expect((await read(id)).private_allowed).toBe(true);
      expect(await say(false, {})).toEqual([undefined, false]);
      api.deps.outgoing = outgoing;
    });

    it('are let in by nothing that merely comes back with root’s form, for an admin may have written it', async () => {
      const { outgoing } = api.deps;
      const inside = ['http://10.0.0.9.nip.io', 'https://proxy.thief.example'];
      api.deps.outgoing = createOutgoing([], async (name) => [
        inside.some((one) => one.includes(name)) ? '10.0.0.9' : '93.184.216.34',
      ]);
      const probe = new ScriptedProbe();
      const [amy, over] = [channelClient(api, probe, admin), channelClient(api, probe, root)];
      for (const theirs of [
        { base_url: inside[0] },
        { base_url: 'https://a.example', setting: JSON.stringify({ proxy: inside[1] }) },
      ]) {
        const [id] = (await amy.post('/api/channel/', channelBody(theirs))).data.ids;
        for (const change of [
          { priority: 5 },
          { group: 'default,vip', setting: JSON.stringify({ ...JSON.parse(theirs.setting ?? '{}'), a: 1 }) },
          { type: 43, key: 'k2' },
          { private_allowed: null },
        ]) {
          const row = (await over.get(`/api/channel/${id}`)).data;
          expect(await over.put('/api/channel/', { ...row, ...change })).toMatchObject({ success: true });
          expect([theirs, change, await privateAllowed(id)]).toEqual([theirs, change, false]);
        }
        // A word of his own is his alone.
        await amy.put('/api/channel/', { id, ...theirs, private_allowed: true });
        expect(await privateAllowed(id)).toBe(false);
      }
      // Behind a public proxy that root writes, an address of an admin's is as it was.
      const [id] = (await amy.post('/api/channel/', channelBody({ base_url: inside[0] }))).data.ids;
      const proxied = { id, setting: '{"proxy":"https://proxy.example"}', key: 'k2' };
      expect(await over.put('/api/channel/', proxied)).toMatchObject({ success: true });
      expect(await privateAllowed(id)).toBe(false);
      // What root writes is told of.
      await over.put('/api/channel/', { id, base_url: 'http://10.0.0.8', key: 'k3' });
      const [told] = await rows(
        `select detail from admin_actions where target = 'channel:${id}' order by id desc limit 1`,
      );
      expect(told?.detail).toMatchObject({ private_allowed: { before: false, after: true } });
      api.deps.outgoing = outgoing;
    });

    it('a type’s own one is judged as one that is written', async () => {
      const ollama = { type: 4, base_url: '' };
      const refused = { success: false, message: '渠道地址无效：内网地址只能由超级管理员设置' };
      expect(await admin.post('/api/channel/', channelBody(ollama))).toMatchObject(refused);
      expect(await admin.post('/api/channel/fetch_models', { ...ollama, key: 'k' })).toMatchObject(refused);
      const theirs = (await admin.post('/api/channel/', channelBody())).data.ids[0];
      expect(await admin.put('/api/channel/', { id: theirs, ...ollama, key: 'k' })).toMatchObject(refused);
      const id = await make(ollama);
      expect(await privateAllowed(id)).toBe(true);
      expect(await admin.put('/api/channel/', { ...(await read(id)), name: 'n' })).toMatchObject({
        success: true,
      });
      expect(await privateAllowed(id)).toBe(true);
    });

    it('an admin writes the ports of the web and those that are opened; root any', async () => {
      const post = (base_url: string, client = admin) =>
        client.post('/api/channel/', channelBody({ base_url }));
      for (const base_url of ['https://a.example', 'https://a.example:8443', 'http://a.example']) {
        expect(await post(base_url)).toMatchObject({ success: true });
      }
      const closed = 'http://a.example:6379';
      expect(await post(closed)).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
      const list = { type: 1, base_url: closed, key: 'k' };
      expect(await admin.post('/api/channel/fetch_models', list)).toMatchObject({ code: 'CHANNEL_ADDRESS' });
      expect(await post(closed, root)).toMatchObject({ success: true });
      await api.deps.options.set({ EgressPorts: '3000\n6000-6400' });
      expect(await post(closed)).toMatchObject({ success: true });
      await api.deps.options.reset(['EgressPorts']);
    });

    it('remembers who wrote the address, through changes of other fields', async () => {
      const id = await make({ base_url: 'http://10.0.0.5' });
      await admin.put('/api/channel/', { ...(await read(id)), name: 'renamed by an admin' });
      expect(await privateAllowed(id)).toBe(true);
      await admin.put('/api/channel/', { id, base_url: 'https://api.example.com', key: 'k' });
      expect(await privateAllowed(id)).toBe(false);
    });

    it('are root’s no more once an admin has led the channel elsewhere with a key of his', async () => {
      const { outgoing } = api.deps;
      api.deps.outgoing = createOutgoing([], async () => ['10.0.0.9']);
      const probe = new ScriptedProbe();
      const [amy, over] = [channelClient(api, probe, admin), channelClient(api, probe, root)];
      const base_url = 'http://ollama.house.example';
      for (const way of [
        { type: 8 },
        { type: 39, other: 'account' },
        { setting: '{"headers":{"x-gateway-host":"a"}}' },
        { param_override: '{"api_base":"https://a.example"}' },
      ]) {
        const [id] = (await over.post('/api/channel/', channelBody({ base_url }))).data.ids;
        await amy.put('/api/channel/', { id, key: 'k2', name: 'n' });
        expect(await privateAllowed(id)).toBe(true);
        expect(await amy.put('/api/channel/', { id, ...way, key: 'k3' })).toMatchObject({ success: true });
        expect([way, await privateAllowed(id)]).toEqual([way, false]);
        await over.put('/api/channel/', { id, base_url, type: 1, key: 'k4' });
        expect(await privateAllowed(id)).toBe(false);
        await over.put('/api/channel/', { id, base_url, private_allowed: true });
        expect(await privateAllowed(id)).toBe(true);
        await over.put('/api/channel/', { id, ...way, key: 'k5' });
        expect(await privateAllowed(id)).toBe(true);
      }
      api.deps.outgoing = outgoing;
    });

    it('PRIVATE_EGRESS opens a network to admins', async () => {
      const open = await openApi(engine, { PRIVATE_EGRESS: '10.0.0.0/8' });
      const amy = await open.as(await open.createUser({ role: 10 }));
      const client = channelClient(open, new ScriptedProbe(), amy);
      expect((await client.post('/api/channel/', channelBody({ base_url: 'http://10.1.1.1' }))).success).toBe(
        true,
      );
      expect(
        (await client.post('/api/channel/', channelBody({ base_url: 'http://192.168.1.1' }))).success,
      ).toBe(false);
      await open.close();
    });
  });

  describe('PUT /api/channel/', () => {
    it('takes a row back as GET gave it and writes nothing', async () => {
      const id = await make({ setting: '{"proxy":"http://u:secret@proxy.example.com:8080/"}', tag: 'x' });
      const stamp = () => rows(`select xmin::text, * from channels where id = ${id}`);
      const before = await stamp();
      const row = await read(id);
      expect(row.setting).not.toContain('secret');
      const answer = await root.put('/api/channel/', { ...row, balance: null, tag: 'x', other: null });
      expect(answer).toMatchObject({ success: true, data: row });
      expect(await stamp()).toEqual(before);
      const [kept] = await rows(`select setting->>'proxy' as proxy from channels where id = ${id}`);
      expect(String(kept?.proxy)).toContain('secret');
    });

    it('stores zero and empty, changes what is named, keeps the rest', async () => {
      const id = await make({ priority: 5, weight: 5, auto_ban: 1, tag: 'x', param_override: '{"a":1}' });
      await root.put('/api/channel/', {
        id,
        priority: 0,
        weight: 0,
        auto_ban: 0,
        tag: '',
        param_override: '',
      });
      expect(await read(id)).toMatchObject({
        name: 'made',
        models: 'gpt-4o,gpt-4o-mini',
        priority: 0,
        weight: 0,
        auto_ban: 0,
        tag: '',
        param_override: '',
      });
    });

    it('an empty key keeps the keys, a new one replaces them all', async () => {
      const id = await make({ key: 'a\nb', multi_key_mode: 'random' });
      await root.put('/api/channel/', { id, key: '' });
      expect(await keysOf(id)).toEqual(['a', 'b']);
      await root.put('/api/channel/', { id, key: 'c' });
      expect(await keysOf(id)).toEqual(['c']);
    });

    it('wants the key again with a new address', async () => {
      const id = await make({ base_url: 'https://a.example.com' });
      expect(await root.put('/api/channel/', { id, base_url: 'https://evil.example.com' })).toMatchObject({
        success: false,
        message: '修改渠道地址时需要重新填写密钥',
      });
      expect((await read(id)).base_url).toBe('https://a.example.com');
      expect((await root.put('/api/channel/', { id, base_url: 'https://a.example.com//' })).success).toBe(
        true,
      );
      const moved = await root.put('/api/channel/', { id, base_url: 'https://b.example.com', key: 'new' });
      expect(moved.data.base_url).toBe('https://b.example.com');
      expect(await keysOf(id)).toEqual(['new']);
    });

    it('keeps the index in line with models, groups, order and status', async () => {
      const id = await make({ models: 'a,b' });
      await root.put('/api/channel/', { id, models: 'b,c', group: 'vip', priority: 9 });
      expect(await abilitiesOf(id)).toMatchObject([
        { group_name: 'vip', model_name: 'b', priority: 9, enabled: true },
        { group_name: 'vip', model_name: 'c', priority: 9, enabled: true },
      ]);
      await root.put('/api/channel/', { id, status: 2 });
      expect(await abilitiesOf(id)).toMatchObject([{ enabled: false }, { enabled: false }]);
      await root.put('/api/channel/', { id, status: 1 });
      expect(await abilitiesOf(id)).toMatchObject([{ enabled: true }, { enabled: true }]);
    });

    it('writes only the rows of its own channel, and of those only what changes', async () => {
      const others = [await make({ models: 'a,b' }), await make({ models: 'a,b' })];
      const id = await make({ models: 'a,b,c' });
      const written = async (table: string, key: string) =>
        rows(`select ${key} as id, xmin::text as x from ${table} where ${key} <> ${id} order by 1, 2`);
      const before = [await written('channels', 'id'), await written('abilities', 'channel_id')];
      const own = await rows(`select model_name, xmin::text as x from abilities where channel_id = ${id}`);
      await root.put('/api/channel/', { id, models: 'a,b,d', name: 'changed' });
      expect([await written('channels', 'id'), await written('abilities', 'channel_id')]).toEqual(before);
      expect(others).toHaveLength(2);
      const after = await rows(`select model_name, xmin::text as x from abilities where channel_id = ${id}`);
      const stillThere = (model: unknown) => ['a', 'b'].includes(String(model));
      expect(after.filter((row) => stillThere(row.model_name))).toEqual(
        own.filter((row) => stillThere(row.model_name)),
      );
      expect(after.map((row) => row.model_name).sort()).toEqual(['a', 'b', 'd']);
    });

    it('enabling by hand gives rested keys another chance and forgets what was held against the channel', async () => {
      const id = await make({ key: 'a\nb', multi_key_mode: 'random' });
      await rows(
        `update channel_keys set status = 3, reason = 'r', disabled_at = 1 where channel_id = ${id}`,
      );
      await rows(
        `update channels set status = 3, other_info = '{"status_reason":"r","status_time":1,"tests":[null],"probes":2,"kept":2}' where id = ${id}`,
      );
      // The row of a disabled channel may come back without disabling or enabling anything.
      await root.put('/api/channel/', { ...(await read(id)), name: 'echo' });
      expect(await read(id)).toMatchObject({ status: 3, keys_disabled: 2 });
      await root.put('/api/channel/', { id, status: 1 });
      const row = await read(id);
      expect(row).toMatchObject({ status: 1, keys_disabled: 0 });
      expect(JSON.parse(row.other_info)).toEqual({ kept: 2 });
    });

    it.each([
      [{ models: '' }, '请至少选择一个模型'],
      [{ name: '  ' }, '请填写渠道名称和密钥'],
      [{ type: 9_999 }, '不支持的渠道类型：9999'],
      [{ model_mapping: '{' }, '“模型映射”不是合法的 JSON 字符串'],
      [{ weight: -1 }, '权重必须是非负整数'],
    ])('refuses %j and changes nothing', async (over, message) => {
      const id = await make();
      const row = await read(id);
      expect(await root.put('/api/channel/', { id, tag: 'new', ...over })).toMatchObject({
        success: false,
        message,
      });
      expect(await read(id)).toEqual(row);
    });

    it('knows no channel that is not there', async () => {
      expect(await root.get('/api/channel/999999')).toMatchObject({ status: 200, code: 'NOT_FOUND' });
    });
  });

  it('DELETE /api/channel/{id}/ removes channel, keys and index rows', async () => {
    const id = await make();
    expect((await root.del(`/api/channel/${id}/`)).success).toBe(true);
    expect(await root.del(`/api/channel/${id}`)).toMatchObject({ success: false, code: 'NOT_FOUND' });
    expect(await abilitiesOf(id)).toEqual([]);
    expect(await keysOf(id)).toEqual([]);
  });

  it.each<[string, string, object | undefined]>([
    ['GET', '999999', undefined],
    ['PUT', '', { id: 999_999, name: 'x' }],
    ['DELETE', '999999', undefined],
    ['POST', 'copy/999999', {}],
    ['GET', 'test/999999', undefined],
    ['GET', 'fetch_models/999999', undefined],
    ['GET', 'update_balance/999999', undefined],
    ['GET', '999999/keys', undefined],
    ['POST', '999999/keys/enable', { ids: [1] }],
    ['POST', 'batch', { ids: [999_999] }],
    ['POST', 'batch/tag', { ids: [999_999], tag: 'eu' }],
    ['POST', 'batch/status', { ids: [999_999], status: 1 }],
    ['POST', 'batch/status', { ids: [999_999], status: 2 }],
  ])('%s /api/channel/%s of one that was deleted meanwhile says to refresh', async (method, path, body) => {
    for (const [language, message] of [
      ['zh', '渠道未找到，请刷新页面后重试'],
      ['en', 'Channel not found, refresh the page and retry'],
    ]) {
      const headers = { 'accept-language': language ?? '' };
      expect(await root.call(method, `/api/channel/${path}`, body, headers)).toMatchObject({
        status: 200,
        success: false,
        code: 'NOT_FOUND',
        message,
      });
    }
  });

  it('two admins who save one channel at once both get through', async () => {
    const id = await make({ models: 'a' });
    const saves = Array.from({ length: 10 }, (_, i) =>
      root.put('/api/channel/', { id, models: `m${i}`, priority: i, status: (i % 2) + 1 }),
    );
    expect((await Promise.all(saves)).every((answer) => answer.success)).toBe(true);
    const row = await read(id);
    expect(await abilitiesOf(id)).toMatchObject([
      { model_name: row.models, priority: row.priority, enabled: row.status === 1 },
    ]);
  });

  // The embedded engine has one connection: nothing is written between two reads of a transaction.
  if (engine === 'postgres') {
    it('is read with the keys of its address, also while both change', async () => {
      const { db, secrets, log } = api.deps;
      const id = await make({ base_url: 'https://before.example', key: 'sk-before-0123456789' });
      const open = keyOpener({ secrets, log });
      const whole = async (read: Promise<RoutedChannel | null | undefined>) => {
        const channel = await read;
        return [channel?.baseUrl, channel?.keys.map(({ value }) => value)];
      };
      const reads: Promise<unknown>[] = [];
      await db.orm.transaction(async (tx) => {
        await takeTime(tx);
        await tx.execute('lock table channel_keys in access exclusive mode');
        reads.push(
          whole(loadForTest(db.orm, id, open)),
          whole(loadChannel(db.orm, id, open)),
          whole(loadForTasks(db.orm, { channelId: id, keyId: 0 }, open)),
          whole(loadChannels(db.orm, open).then((all) => all.find((one) => one.id === id))),
        );
        // Each has read the channel by now, and waits for its keys.
        await untilBlocked(db, reads.length);
        const after = secrets.seal('sk-after-0123456789', keyOwner(id, 0));
        await tx.execute(
          sql`update channels set base_url = 'https://after.example' where id = ${id}::bigint`,
        );
        await tx.execute(sql`update channel_keys set sealed = ${after} where channel_id = ${id}::bigint`);
      });
      for (const read of await Promise.all(reads))
        expect(read).toEqual(['https://before.example', ['sk-before-0123456789']]);
      expect(await whole(loadChannel(db.orm, id, open))).toEqual([
        'https://after.example',
        ['sk-after-0123456789'],
      ]);
    });
  }
});
