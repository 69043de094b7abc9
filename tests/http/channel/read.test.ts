import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { ChannelRow } from '../../../src/modules/channel/contract.ts';
import { type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

describe.each(callEngines)('reading channels, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  let admin: Client;
  const ids: Record<string, number> = {};
  beforeAll(async () => {
    api = await openApi(engine);
    const probe = new ScriptedProbe();
    root = channelClient(api, probe, await api.root());
    admin = channelClient(api, probe, await api.as(await api.createUser({ username: 'amy', role: 10 })));
    const wanted = [
      { name: 'alpha', priority: 1, models: 'gpt-4o', tag: 'eu' },
      { name: 'beta', priority: 9, models: 'gpt-4o,deepseek-chat', group: 'vip', tag: 'eu' },
      { name: 'gamma', priority: 5, type: 43, models: 'deepseek-chat', tag: 'us' },
      { name: '100%_delta', priority: 3, models: 'claude-3', base_url: 'https://relay.example.com' },
      { name: 'epsilon', priority: 3, models: 'gpt-4o', group: 'default,vip' },
    ];
    for (const over of wanted) {
      const answer = await root.post('/api/channel/', channelBody(over));
      ids[over.name] = answer.data.ids[0];
    }
    await root.put('/api/channel/', { id: ids.gamma, status: 2 });
  });
  afterAll(() => api.close());

  const list = async (query: string, path = '/api/channel/') => {
    const answer = await admin.get(`${path}?${query}`);
    expect(answer).toMatchObject({ status: 200, success: true });
    return { ...answer.data, names: answer.data.items.map((item: ChannelRow) => item.name) };
  };

  it('lists by priority and then newest first, with counts of everything', async () => {
    const page = await list('');
    expect(page.names).toEqual(['beta', 'gamma', 'epsilon', '100%_delta', 'alpha']);
    expect(page).toMatchObject({
      total: 5,
      page: 1,
      page_size: 10,
      type_counts: { all: 5, 1: 4, 43: 1 },
      status_counts: { all: 5, 1: 4, 2: 1 },
    });
  });

  it('lists newest first when asked', async () => {
    expect((await list('id_sort=true')).names).toEqual(['epsilon', '100%_delta', 'gamma', 'beta', 'alpha']);
  });

  it('orders by a column before all else, in the tag view by the first of a tag’s channels', async () => {
    expect((await list('sort=name&id_sort=true')).names).toEqual([
      '100%_delta',
      'alpha',
      'beta',
      'epsilon',
      'gamma',
    ]);
    expect((await list('sort=-priority')).names).toEqual(['beta', 'gamma', 'epsilon', '100%_delta', 'alpha']);
    expect((await list('sort=-name&tag_mode=true')).names).toEqual([
      'gamma',
      'epsilon',
      'beta',
      'alpha',
      '100%_delta',
    ]);
    expect((await list('sort=name&tag_mode=true&page_size=2&p=2')).names).toEqual(['epsilon', 'gamma']);
  });

  it('finds and orders by how the last test ended', async () => {
    const tell = (name: string, ms: number, info: string) =>
      api.deps.db.query(
        `update channels set response_time = $2, other_info = $3::text::jsonb where id = $1`,
        [ids[name] ?? 0, ms, info],
      );
    await tell('alpha', 900, '{}');
    await tell('beta', 300, '{}');
    await tell('gamma', 100, '{"failed_test": {"time": 5, "reason": {"code": "timeout"}}}');
    expect((await list('sort=-test')).names).toEqual(['gamma', 'alpha', 'beta', 'epsilon', '100%_delta']);
    expect((await list('sort=test')).names).toEqual(['beta', 'alpha', 'gamma', '100%_delta', 'epsilon']);
    expect(await list('test=failed')).toMatchObject({ names: ['gamma'], total: 1 });
    expect((await list('test=passed&sort=test')).names).toEqual(['beta', 'alpha']);
    expect(await list('test=none')).toMatchObject({ total: 2, status_counts: { all: 2 } });
    expect((await list('test=')).total).toBe(5);
    for (const name of ['alpha', 'beta', 'gamma']) await tell(name, 0, '{}');
  });

  it('pages from 1, takes 0 for 1, and both names of the size', async () => {
    expect((await list('p=2&page_size=2')).names).toEqual(['epsilon', '100%_delta']);
    expect((await list('p=0&size=2')).names).toEqual(['beta', 'gamma']);
    expect((await list('page=9&page_size=2')).names).toEqual([]);
    expect((await list('page_size=1000')).page_size).toBe(100);
  });

  it('filters by type and status, each count ignoring its own filter', async () => {
    const page = await list('type=43&status=1');
    expect(page).toMatchObject({
      total: 0,
      names: [],
      type_counts: { all: 4, 1: 4 },
      status_counts: { all: 1, 2: 1 },
    });
    expect((await list('status=2')).names).toEqual(['gamma']);
    expect((await list('status=&type=0')).total).toBe(5);
  });

  it('searches by name, id and address; % and _ are plain letters', async () => {
    const search = async (query: string) => (await list(query, '/api/channel/search')).names;
    expect(await search('keyword=ALPH')).toEqual(['alpha']);
    expect(await search(`keyword=${ids.beta}`)).toContain('beta');
    expect(await search('keyword=relay.example')).toEqual(['100%_delta']);
    expect(await search(`keyword=${encodeURIComponent('%_')}`)).toEqual(['100%_delta']);
    expect(await search(`keyword=${encodeURIComponent('%')}`)).toEqual(['100%_delta']);
    expect(await search('group=vip')).toEqual(['beta', 'epsilon']);
    expect(await search('model=deepseek')).toEqual(['beta', 'gamma']);
    expect(await search('group=vip&model=gpt-4o&keyword=eps')).toEqual(['epsilon']);
    expect(await search('tag=eu')).toEqual(['beta', 'alpha']);
    expect(await search(`keyword=${'9'.repeat(40)}`)).toEqual([]);
    // What looks like a list or an object is a text like another.
    for (const word of ['a,b', '[1]', '{}']) {
      expect(await search(`keyword=${encodeURIComponent(word)}`)).toEqual([]);
    }
  });

  it('searches in no address behind what may be masked there', async () => {
    const secrets = ['?code=q7xk', '/t;token=q7xk;w=2', '/t&key=q7xk', '?a=1&sig=q7xk'];
    for (const [at, secret] of secrets.entries()) {
      const base_url = `https://masked${at}.example${secret}`;
      const [id] = (await root.post('/api/channel/', channelBody({ name: `masked ${at}`, base_url }))).data
        .ids;
      const found = async (word: string) =>
        (await list(`keyword=${encodeURIComponent(word)}`, '/api/channel/search')).names;
      expect((await admin.get(`/api/channel/${id}`)).data.base_url).not.toContain('q7xk');
      expect(await found(`masked${at}.example`)).toEqual([`masked ${at}`]);
      expect([secret, await found('=q7')]).toEqual([secret, []]);
      await root.call('DELETE', `/api/channel/${id}`);
    }
  });

  it('searches by an exact key, of several keys by each, and by no part of one', async () => {
    const { data } = await root.post(
      '/api/channel/',
      channelBody({ name: 'keyed', key: 'sk-first-0123\nsk-second-4567', multi_key_mode: 'random' }),
    );
    const [id] = data.ids;
    const search = async (key: string) =>
      (await list(`keyword=${encodeURIComponent(key)}`, '/api/channel/search')).names;
    expect(await search('sk-first-0123')).toEqual(['keyed']);
    expect(await search(' sk-second-4567 ')).toEqual(['keyed']);
    for (const other of ['sk-first-012', 'first-0123', 'SK-FIRST-0123', 'sk-first-0123\nsk-second-4567']) {
      expect(await search(other)).toEqual([]);
    }
    const copy = (await root.post(`/api/channel/copy/${id}`)).data.id;
    expect(await search('sk-first-0123')).toEqual(['keyed copy', 'keyed']);
    await root.put('/api/channel/', { id, key: 'sk-third-8901' });
    expect(await search('sk-first-0123')).toEqual(['keyed copy']);
    expect(await search('sk-third-8901')).toEqual(['keyed']);
    await root.post('/api/channel/batch', { ids: [id, copy] });
    expect(await search('sk-third-8901')).toEqual([]);
  });

  it('in tag mode pages over tags and untagged channels, and gives the children flat', async () => {
    const first = await list('tag_mode=true&page_size=2');
    expect(first).toMatchObject({ names: ['beta', 'alpha', 'gamma'], total: 4 });
    const second = await list('tag_mode=true&page_size=2&p=2');
    expect(second).toMatchObject({ names: ['epsilon', '100%_delta'], total: 4 });
    expect(await list('tag_mode=true&page_size=2&p=3')).toMatchObject({ names: [], total: 4 });
    expect((await list('tag_mode=true&id_sort=true')).names).toEqual([
      'epsilon',
      '100%_delta',
      'gamma',
      'beta',
      'alpha',
    ]);
    expect((await list('tag_mode=true&group=vip')).names).toEqual(['beta', 'epsilon']);
  });

  it('leaves the long fields out when asked, and says how many models there are', async () => {
    const [row] = (await list('brief=true&keyword=beta')).items;
    expect(row).toMatchObject({ name: 'beta', models: '', model_count: 2, key_count: 1, group: 'vip' });
    expect((await list('keyword=beta')).items[0]).toMatchObject({
      models: 'gpt-4o,deepseek-chat',
      model_count: 2,
    });
  });

  it('answers 400 to what is no filter', async () => {
    for (const query of [
      'type=x',
      'status=1.5',
      'id_sort=maybe',
      'test=maybe',
      'sort=key',
      'sort=balance',
      `keyword=${encodeURIComponent('\0')}`,
    ]) {
      expect(await admin.get(`/api/channel/?${query}`)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    }
  });

  it('is for administrators only', async () => {
    const user = channelClient(api, new ScriptedProbe(), await api.as(await api.createUser()));
    const guest = channelClient(api, new ScriptedProbe(), api.guest());
    for (const path of [
      '/api/channel/',
      '/api/channel/search',
      '/api/channel/types',
      '/api/channel/1',
      '/api/channel/test/1',
    ]) {
      expect((await user.get(path)).status).toBe(403);
      expect((await guest.get(path)).status).toBe(401);
    }
  });

  it('describes each channel type as its form is drawn', async () => {
    const types = (await admin.get('/api/channel/types')).data;
    const byType = new Map(types.map((entry: { type: number }) => [entry.type, entry]));
    expect(byType.get(1)).toMatchObject({
      label: 'OpenAI',
      base_url: 'https://api.openai.com',
      form: { organization: true, baseUrl: 'optional' },
      lists_models: true,
      tells_balance: true,
    });
    expect(byType.get(8)).toMatchObject({ base_url: '', form: { baseUrl: 'required' } });
    expect(byType.get(3)).toMatchObject({ tells_balance: false });
  });

  it('names the tags that channels have', async () => {
    expect((await admin.get('/api/channel/tags')).data).toEqual(['eu', 'us']);
  });

  describe('lists of models', () => {
    it('names every model that a provider or a channel knows', async () => {
      const models = (await admin.get('/api/channel/models')).data;
      const known = new Map(models.map((model: { id: string }) => [model.id, model]));
      expect(known.get('claude-3')).toMatchObject({ object: 'model', owned_by: 'custom', root: 'claude-3' });
      expect(known.get('deepseek-reasoner')).toMatchObject({ owned_by: 'deepseek' });
    });

    it('names the models of enabled channels', async () => {
      expect((await admin.get('/api/channel/models_enabled')).data).toEqual([
        'claude-3',
        'deepseek-chat',
        'gpt-4o',
      ]);
    });

    it('names the models of each channel type', async () => {
      const user = await api.as(await api.createUser());
      const byType = (await user.get('/api/models')).data;
      expect(byType['43']).toContain('deepseek-chat');
      expect(byType['1']).toContain('gpt-4o');
    });

    it('names the models that a user may call in his own and the chosen groups', async () => {
      const models = async (group: string) =>
        (await (await api.as(await api.createUser({ group }))).get('/api/user/models')).data;
      await api.deps.options.set({
        GroupRatio: '{"default":1,"vip":1,"closed":1}',
        UserUsableGroups: '{"default":"Default"}',
      });
      expect(await models('default')).toEqual(['claude-3', 'gpt-4o']);
      expect(await models('vip')).toEqual(['claude-3', 'deepseek-chat', 'gpt-4o']);
      await api.deps.options.set({ UserUsableGroups: '{"closed":"Closed"}' });
      expect(await models('closed')).toEqual([]);
    });
  });
});
