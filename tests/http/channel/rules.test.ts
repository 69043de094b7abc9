/** The rules of the channel form, each named as the specification words it, on the calls. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { type Answer, type Client, openApi, type TestApi } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { channelBody, channelClient, ScriptedProbe } from './support.ts';

/** What fields are called in a message. */
const WORDS: Readonly<Record<string, string>> = {
  model_mapping: 'model mapping',
  status_code_mapping: 'status code mapping',
  param_override: 'parameter override',
  setting: 'channel setting',
  other: 'other',
};

describe.each(callEngines)('the rules of channels, on %s', (engine) => {
  let api: TestApi;
  let root: Client;
  beforeAll(async () => {
    api = await openApi(engine);
    root = channelClient(api, new ScriptedProbe(), await api.root());
    root.headers['accept-language'] = 'en';
  });
  afterAll(() => api.close());
  beforeEach(() => api.deps.db.query('delete from channels'));

  const create = (over: object = {}) => root.post('/api/channel/', channelBody(over));
  const make = async (over: object = {}): Promise<number> => (await create(over)).data.ids[0];
  const read = async (id: number) => (await root.get(`/api/channel/${id}`)).data;
  const count = async () => (await root.get('/api/channel/')).data.total;
  const refused = (answer: Answer, message: string) =>
    expect(answer).toMatchObject({ status: 200, success: false, message });

  it('on create, name and key are required', async () => {
    refused(await create({ name: ' ' }), 'Please fill channel name and key');
    refused(await create({ key: '' }), 'Please fill channel name and key');
    expect(await count()).toBe(0);
  });

  it('at least one model', async () => {
    refused(await create({ models: ' , ' }), 'Select at least one model');
    const id = await make();
    refused(await root.put('/api/channel/', { id, models: [] }), 'Select at least one model');
    expect((await read(id)).models).toBe('gpt-4o,gpt-4o-mini');
  });

  it('model_mapping must be valid JSON', async () => {
    const id = await make();
    for (const model_mapping of ['{', '[]', '{"a":1}']) {
      const message = 'model mapping is not a valid JSON string';
      refused(await create({ model_mapping }), message);
      refused(await root.put('/api/channel/', { id, model_mapping }), message);
    }
    expect((await root.put('/api/channel/', { id, model_mapping: '{"a":"b"}' })).success).toBe(true);
  });

  it('a trailing / of base_url is stripped', async () => {
    const id = await make({ base_url: 'https://relay.example.com/api//' });
    expect((await read(id)).base_url).toBe('https://relay.example.com/api');
  });

  it('a base_url ending in /v1 is a warning of the page, and saved as it is', async () => {
    const id = await make({ base_url: 'https://relay.example.com/v1/' });
    expect((await read(id)).base_url).toBe('https://relay.example.com/v1');
  });

  it('fetching models while creating requires a key', async () => {
    const body = { type: 1, base_url: 'https://relay.example.com', key: '' };
    refused(await root.post('/api/channel/fetch_models', body), 'Please fill key');
  });

  it('custom model names are comma-separated; duplicates count once', async () => {
    expect((await read(await make({ models: ' a, b ,a,,b' }))).models).toBe('a,b');
  });

  it('priority is an integer with minimum -999', async () => {
    const id = await make();
    for (const priority of [1.5, -1000]) {
      refused(
        await root.put('/api/channel/', { id, priority }),
        'Priority must be an integer of at least -999',
      );
    }
    expect((await root.put('/api/channel/', { id, priority: -999 })).data.priority).toBe(-999);
  });

  it('weight is a non-negative integer', async () => {
    const id = await make();
    for (const weight of [0.5, -1]) {
      refused(await root.put('/api/channel/', { id, weight }), 'Weight must be a non-negative integer');
    }
    expect((await root.put('/api/channel/', { id, weight: 0 })).data.weight).toBe(0);
  });

  it('tag edit: nothing changed gives no changes, and an empty value keeps the current one', async () => {
    const id = await make({ tag: 'eu', priority: 3 });
    refused(
      await root.put('/api/channel/tag', { tag: 'eu', models: '', priority: '', weight: null }),
      'No changes',
    );
    await root.put('/api/channel/tag', { tag: 'eu', models: '', weight: 2 });
    expect(await read(id)).toMatchObject({ models: 'gpt-4o,gpt-4o-mini', priority: 3, weight: 2 });
  });

  it('batch tagging of channels needs selected channels and a non-empty tag', async () => {
    const id = await make();
    refused(
      await root.post('/api/channel/batch/tag', { ids: [], tag: 'eu' }),
      'Please select channels first',
    );
    refused(await root.post('/api/channel/batch/tag', { ids: [id], tag: ' ' }), 'The tag cannot be empty');
    expect((await read(id)).tag).toBe('');
  });

  it('please select channels to delete first', async () => {
    refused(await root.post('/api/channel/batch', { ids: [] }), 'Please select channels to delete first');
  });

  it('defaults for a new channel: priority 0, weight 0, groups default, auto_ban 1; 18 has v2.1', async () => {
    const id = await make({ type: 18, key: 'app|secret|key', group: undefined });
    expect(await read(id)).toMatchObject({
      priority: 0,
      weight: 0,
      group: 'default',
      auto_ban: 1,
      other: 'v2.1',
      status: 1,
    });
  });

  it('enable sets 1, disable sets 2; tag-level actions enable all or disable all channels under a tag', async () => {
    const ids = [await make({ tag: 'eu' }), await make({ tag: 'eu' })];
    const states = async () => (await Promise.all(ids.map(read))).map(({ status }) => status);
    await root.put('/api/channel/', { id: ids[0], status: 2 });
    expect(await states()).toEqual([2, 1]);
    await root.post('/api/channel/tag/disabled', { tag: 'eu' });
    expect(await states()).toEqual([2, 2]);
    await root.post('/api/channel/tag/enabled', { tag: 'eu' });
    expect(await states()).toEqual([1, 1]);
  });

  describe('a key has the form of its type, on create, on change and where it is tried', () => {
    const account = { project_id: 'p', client_email: 'a@p.iam', private_key: '-----BEGIN PRIVATE KEY-----' };
    it.each([
      [15, ['id', 'id|', 'a|b|c', 'a b|c'], ['id|secret'], 'APIKey|SecretKey'],
      [23, ['id|secret', 'a||c', 'a|b|c|d'], ['1300|AKID|secret', 'sk-one'], 'AppId|SecretId|SecretKey'],
      [
        33,
        ['AKID', 'AKID||us-east-1', 'a|b|'],
        ['AKID|secret|us-east-1', 'api|us-east-1'],
        'AccessKey|SecretKey|Region',
      ],
      [
        41,
        [
          '{"type":"service_account"}',
          '{"project_id":"p"',
          'two words',
          JSON.stringify(account).replace('{', '{"project_id":"x",'),
        ],
        [JSON.stringify(account, null, 2), 'AIza0123456789'],
        'JSON file of a service account',
      ],
    ])('type %p', async (type, bad, good, expected) => {
      const over = (key: string) => ({
        type,
        key,
        other: type === 41 ? 'us-central1' : '',
        multi_key_mode: 'random',
      });
      const ids = await Promise.all(good.map((key) => make(over(key))));
      for (const key of bad) {
        for (const answer of [
          await create(over(key)),
          await root.put('/api/channel/', { id: ids[0], key }),
          await root.post('/api/channel/fetch_models', { type, key, base_url: 'https://a.example' }),
        ]) {
          expect([key, answer.code]).toEqual([key, 'CHANNEL_KEY_FORMAT']);
          expect(answer.message).toContain(expected);
          expect(answer.text).not.toContain('PRIVATE KEY');
        }
      }
      expect(await count()).toBe(good.length);
    });
  });

  describe('is refused by name', () => {
    it.each([
      [{ group: 'default,nowhere' }, 'The channel group is invalid: there is no group "nowhere"'],
      [{ type: 9_998 }, 'This channel type is not supported: 9998'],
      ...['Authorization', 'HOST', 'Content-Length', 'connection', 'Transfer-Encoding', 'x-api-key'].map(
        (name): [object, string] => [
          { setting: JSON.stringify({ headers: { [name]: 'x' } }) },
          `The channel setting headers.${name} names a reserved header, which cannot be set`,
        ],
      ),
      [{ setting: '{"headers":{"X-A":"1","x-a":"2"}}' }, 'The channel setting headers is invalid'],
    ])('%j', async (over, message) => {
      refused(await create(over), message);
      const id = await make();
      const before = await read(id);
      refused(await root.put('/api/channel/', { id, ...over }), message);
      expect(await read(id)).toEqual(before);
    });

    it('a tag that no channel has, and a group that a tag’s channels should be put in', async () => {
      const id = await make({ tag: 'eu' });
      const edit = (body: object) => root.put('/api/channel/tag', body);
      refused(await edit({ tag: 'us', weight: 1 }), 'No channel has the tag us');
      refused(await root.post('/api/channel/tag/enabled', { tag: 'us' }), 'No channel has the tag us');
      const message = 'The channel group is invalid: there is no group "nowhere"';
      refused(await edit({ tag: 'eu', groups: 'nowhere' }), message);
      expect(await read(id)).toMatchObject({ group: 'default', weight: 0 });
    });

    it.each(['model_mapping', 'status_code_mapping', 'param_override', 'setting', 'other'])(
      'a name that stands twice in %s',
      async (field) => {
        const text =
          field === 'status_code_mapping' ? '{"400":"500","400":"501"}' : '{"a":"b","\\u0061":"c"}';
        const name = field === 'status_code_mapping' ? '400' : 'a';
        refused(await create({ [field]: text }), `The key ${name} stands twice in ${WORDS[field]}`);
        const id = await make({ tag: 'eu' });
        refused(
          await root.put('/api/channel/', { id, [field]: text }),
          `The key ${name} stands twice in ${WORDS[field]}`,
        );
        if (field !== 'model_mapping') return;
        refused(
          await root.put('/api/channel/tag', { tag: 'eu', model_mapping: text }),
          'The key a stands twice in model mapping',
        );
      },
    );
  });

  it('a group that has vanished since stays with its channels until they are changed', async () => {
    const id = await make({ group: 'default,vip' });
    await api.deps.options.set({ GroupRatio: '{"default":1}' });
    expect(await root.put('/api/channel/', { ...(await read(id)), name: 'n' })).toMatchObject({
      success: true,
    });
    expect(await root.put('/api/channel/', { id, group: 'vip' })).toMatchObject({ success: true });
    expect((await create({ group: 'vip' })).code).toBe('CHANNEL_GROUP');
    await api.deps.options.reset(['GroupRatio']);
  });
});
