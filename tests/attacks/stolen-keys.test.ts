/**
 * Ways in which an administrator, or whoever has taken his session, would get the provider keys that root gave: by
 * leading them somewhere else, by having them pass him in the clear, by having them shown, or by having them open what
 * root's account keeps.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { generateKeyPairSync } from 'node:crypto';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { JsonObject } from '../../src/core/json.ts';
import { OutgoingError } from '../../src/platform/outgoing.ts';
import { type Answer, type Client, openApi, type TestApi } from '../support/api.ts';
import { until } from '../support/waits.ts';

const KEY = 'sk-root-0123456789abcdef';

/** A server that writes down whatever comes, be it a call to itself or one that it shall pass on as a proxy. */
async function startEar() {
  const heard: string[] = [];
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      heard.push(`${request.url} ${JSON.stringify(request.headers)} ${Buffer.concat(parts)}`);
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end('{"access_token":"t","expires_in":3600}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    heard,
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const keyFile = (tokenUri?: string) =>
  JSON.stringify({
    type: 'service_account',
    project_id: 'p',
    private_key_id: 'kid',
    private_key: privateKey.export({ type: 'pkcs8', format: 'pem' }),
    client_email: 'robot@p.iam.gserviceaccount.com',
    ...(tokenUri ? { token_uri: tokenUri } : {}),
  });

describe('the keys that root gave', () => {
  let api: TestApi;
  let root: Client;
  let admin: Client;
  let ear: Awaited<ReturnType<typeof startEar>>;
  let upstream: Awaited<ReturnType<typeof startEar>>;
  beforeAll(async () => {
    // The thief's own servers stand here, where he may name them.
    api = await openApi('postgres', { PRIVATE_EGRESS: '127.0.0.0/8' });
    [ear, upstream] = await Promise.all([startEar(), startEar()]);
    root = await api.root();
    admin = await api.as(await api.createUser({ role: 10 }));
  });
  afterAll(async () => {
    await api.close();
    await Promise.all([ear.close(), upstream.close()]);
  });
  beforeEach(async () => {
    await api.deps.db.query('delete from channels');
    ear.heard.length = 0;
    upstream.heard.length = 0;
  });

  const made = (answer: Answer): number => {
    if (!answer.success) throw new Error(answer.text);
    return answer.data.ids[0];
  };
  const make = async (over: JsonObject): Promise<number> =>
    made(await root.post('/api/channel/', { name: 'roots', type: 1, key: KEY, models: 'm', ...over }));
  const change = (id: number, over: JsonObject): Promise<Answer> =>
    admin.put('/api/channel/', { id, ...over });
  const proxy = () => ({ setting: JSON.stringify({ proxy: ear.url }) });
  const again = { success: false, code: 'CHANNEL_KEY_AGAIN' };
  /** Has the channel called. */
  const use = (id: number) => admin.get(`/api/channel/test/${id}`);

  it('do not pass his proxy in the clear after the type became one that is plain http by itself', async () => {
    const id = await make({});
    // In front of https a proxy sees no key.
    expect((await change(id, proxy())).success).toBe(true);
    const answer = await change(id, { type: 4 });
    await use(id);
    expect(ear.heard.join()).not.toContain(KEY);
    expect(answer).toMatchObject(again);
  });

  it('do not pass his proxy where the type’s own address is plain http', async () => {
    const id = await make({ type: 4 });
    const answer = await change(id, proxy());
    await use(id);
    expect(ear.heard.join()).not.toContain(KEY);
    expect(answer).toMatchObject(again);
  });

  it('do not pass his proxy when the key file names a plain http address', async () => {
    const id = await make({ type: 41, key: keyFile(`${upstream.url}/token`), base_url: upstream.url });
    const https = await make({ type: 41, key: keyFile(`${upstream.url}/token`), other: 'us-central1' });
    for (const each of [https, id]) {
      const answer = await change(each, proxy());
      await use(each);
      expect(ear.heard.join()).not.toContain('assertion');
      expect(answer).toMatchObject(again);
    }
  });

  it('do not go into the address of a call because the type became one that puts them there', async () => {
    const id = await make({ base_url: upstream.url, key: `${KEY}|secret` });
    const answer = await change(id, { type: 15 });
    await use(id);
    expect(upstream.heard.join()).not.toContain('client_id');
    expect(answer).toMatchObject(again);
  });

  it.each([
    { from: {}, to: { type: 20 } },
    { from: { type: 14 }, to: { type: 24 } },
    { from: { type: 41, key: keyFile(), other: 'us-central1' }, to: { other: 'europe-west1' } },
    {
      from: { type: 41, key: keyFile(), other: '{"default":"us-central1"}' },
      to: { other: '{"default":"us-central1","m":"asia-east1"}' },
    },
    { from: { base_url: 'https://api.example.com' }, to: { base_url: 'http://api.example.com' } },
    { from: { base_url: 'https://api.example.com' }, to: { base_url: 'https://api.example.com:8443' } },
    { from: { base_url: 'https://api.example.com' }, to: { base_url: '' } },
  ])('do not go from $from to $to', async ({ from, to }) => {
    const id = await make(from);
    const before = (await root.get(`/api/channel/${id}`)).data;
    expect(await change(id, to)).toMatchObject(again);
    expect((await root.get(`/api/channel/${id}`)).data).toEqual(before);
  });

  it('do not go where a header tells the gateway behind the address to send them', async () => {
    const id = await make({ base_url: upstream.url });
    const setting = JSON.stringify({ headers: { 'X-Portkey-Custom-Host': ear.url } });
    const answer = await change(id, { setting });
    await use(id);
    expect(upstream.heard.join().includes('custom-host') && upstream.heard.join().includes(KEY)).toBe(false);
    expect(answer).toMatchObject(again);
  });

  const leading = { url: 'https://thief.example/v1' };
  it.each<JsonObject>([
    { api_base: leading.url },
    { Base_URL: leading.url },
    { userConfig: { model_list: [] } },
    { fallbacks: [{ model: 'm', api_base: leading.url }] },
    { mock_response: 'x' },
    { litellm_params: {} },
    { aws_bedrock_runtime_endpoint: leading.url },
    { headers: { 'x-portkey-custom-host': leading.url } },
    { extra_body: { api_base: leading.url } },
    { extra_body: { options: { apiBase: leading.url } } },
    { extra_body: '{"api_base":"x"}' },
    { 'extra_body[api_base]': leading.url },
    { metadata: { langfuse_host: leading.url } },
  ])('do not go where %j tells the gateway behind the address to send them', async (fields) => {
    const held = { temperature: 0.5, fallbacks: [{ model: 'm', id: 1 }], options: { seed: 1 } };
    const id = await make({ base_url: upstream.url, param_override: held });
    const param_override = JSON.stringify({ ...held, ...fields });
    const { id: copy } = (await admin.post(`/api/channel/copy/${id}`)).data;
    for (const each of [id, copy]) {
      expect(await change(each, { param_override })).toMatchObject(again);
      // The thief's own key may go anywhere.
      expect((await change(each, { param_override, key: KEY })).success).toBe(true);
      expect((await change(each, { param_override: JSON.stringify(held) })).success).toBe(false);
    }
    await admin.post('/api/channel/batch/tag', { ids: [id], tag: 'eu', param_override: {} });
    await admin.put('/api/channel/tag', { tag: 'eu', weight: 3, param_override: {} });
    const { data } = await root.get(`/api/channel/${id}`);
    expect(data.weight).toBe(3);
    expect(JSON.parse(data.param_override)).toEqual({ ...held, ...fields });
  });

  const setting = (over: JsonObject) => ({ setting: JSON.stringify(over) });
  const override = (over: JsonObject) => ({ param_override: JSON.stringify({ seed: 1, ...over }) });
  const identity = { authentication: { type: 'system_assigned_managed_identity' } };
  const index = { data_sources: [{ type: 'azure_search', parameters: { index_name: 'i', ...identity } }] };
  const secret = { apiAuth: { apiKeyConfig: { apiKeySecretVersion: 'projects/p/secrets/s/versions/1' } } };
  const vertex = { type: 41, key: keyFile() };
  it.each<{ from?: JsonObject; to: JsonObject; off?: JsonObject }>([
    { from: { type: 3, base_url: 'https://a.example' }, to: override(index) },
    { from: vertex, to: override({ tools: [{ retrieval: { externalApi: secret } }] }) },
    { from: vertex, to: override({ Tools: [{ GoogleMaps: { AuthConfig: secret } }] }) },
    { from: vertex, to: override({ cachedContent: 'cachedContents/1' }) },
    { to: override({ extra_body: { cached_content: 'cachedContents/1' } }) },
    { from: vertex, to: override({ parameters: { storageUri: 'gs://b/x' } }) },
    { to: override({ options: { File_ID: 'file-1' } }) },
    { to: override({ input: [{ type: 'item_reference', id: 'msg_1' }] }) },
    { to: override({ prompt: { id: 'pmpt_1' } }) },
    { from: { type: 36, base_url: 'https://a.example' }, to: override({ clip_id: 'c-1' }) },
    { from: { type: 21 }, to: override({ libraryId: '2' }) },
    { from: { type: 21, other: '1' }, to: { other: '2' }, off: { other: '' } },
    { from: { type: 17 }, to: { other: 'plugin-1' }, off: { other: '' } },
    { from: { type: 17 }, to: setting({ system_prompt: 'fileid://f-1' }) },
    { to: setting({ shared_context: true }) },
    { from: { type: 45 }, to: { models: 'm,bot-1' }, off: { models: 'm' } },
    { from: { type: 45 }, to: { model_mapping: '{"m":"n","n":"bot-1"}' }, off: { model_mapping: '' } },
    { from: { type: 20 }, to: { models: 'm,openai/gpt-5@preset/house' }, off: { models: 'm' } },
    {
      from: { type: 33, key: 'apikey|us-east-1' },
      to: { model_mapping: '{"m":"arn:aws:bedrock:us-east-1:123456789012:prompt/P"}' },
      off: { model_mapping: '' },
    },
  ])('do not open to an admin what root’s account keeps: %j', async ({ from = {}, to, off }) => {
    const id = await make(from);
    const { id: copy } = (await admin.post(`/api/channel/copy/${id}`)).data;
    for (const each of [id, copy]) expect(await change(each, to)).toMatchObject(again);
    // His own key opens what he likes; root, and what stays or goes, need none.
    const key = String(from.key ?? KEY);
    expect(await change(copy, { ...to, key })).toMatchObject({ success: true });
    expect(await root.put('/api/channel/', { id, ...to })).toMatchObject({ success: true });
    expect(await change(id, { ...to, name: 'n' })).toMatchObject({ success: true });
    const closed = off ?? { setting: '{}', ...override({ seed: 2 }) };
    expect(await change(id, closed)).toMatchObject({ success: true });
    expect(await change(id, to)).toMatchObject(again);
  });

  it('do not open it with a change of all channels under a tag', async () => {
    const id = await make({ type: 45, tag: 'eu', models: 'm,bot-1' });
    const edit = (over: JsonObject, client = admin) => client.put('/api/channel/tag', { tag: 'eu', ...over });
    expect(await edit({ model_mapping: '{"m":"bot-1"}', weight: 3 })).toMatchObject({ success: true });
    for (const way of [{ models: 'bot-2' }, { model_mapping: '{"x":"bot-2"}', priority: 9 }]) {
      expect(await edit(way)).toMatchObject(again);
    }
    expect((await root.get(`/api/channel/${id}`)).data).toMatchObject({ models: 'm,bot-1', priority: 0 });
    expect(await edit({ models: 'bot-2' }, root)).toMatchObject({ success: true });
  });

  it('are not charged to another organization of root’s, or to none', async () => {
    const id = await make({ openai_organization: 'org-a' });
    await admin.post('/api/channel/batch/tag', { ids: [id], tag: 'eu', openai_organization: 'org-b' });
    await admin.put('/api/channel/tag', { tag: 'eu', weight: 3, openai_organization: 'org-b' });
    for (const openai_organization of ['org-b', '']) {
      expect(await change(id, { openai_organization })).toMatchObject(again);
    }
    expect((await root.get(`/api/channel/${id}`)).data.openai_organization).toBe('org-a');
    expect((await root.put('/api/channel/', { id, openai_organization: 'org-b' })).success).toBe(true);
    // Of a type that does not send it, it says nothing.
    const other = await make({ type: 14 });
    expect((await change(other, { openai_organization: 'org-b' })).success).toBe(true);
  });

  describe('of a house on a host of many', () => {
    const gemini = { type: 24, place: /^.gw.house.v1beta.models/, from: { other: 'v1beta' } };
    const workers = { type: 39, place: /^.gw.house.client.v4.accounts.ours.ai./, from: { other: 'ours' } };
    const azure = { type: 3, place: /^.gw.house.openai.(deployments|models)/, from: {} };
    const custom = { type: 8, place: /^.gw.house./, path: '/{model}/chat', from: {} };
    const ways = [
      { ...gemini, to: { other: '../../../ATTACKER/gw/custom-evil/v1beta' } },
      { ...gemini, to: { other: 'ATTACKER/gw/v1beta' } },
      { ...gemini, to: { other: 'v1beta/../../ATTACKER' } },
      { ...gemini, to: { other: '%2e%2e/%2e%2e/ATTACKER/v1beta' } },
      { ...gemini, to: { other: '..\\..\\ATTACKER\\v1beta' } },
      { ...gemini, to: { other: '.\t./ATTACKER' } },
      { ...gemini, to: { other: 'v1beta?x=' } },
      { ...gemini, to: { other: 'v1attackers' } },
      { ...gemini, from: { other: '' }, to: { other: '../../ATTACKER' } },
      { ...gemini, to: { other: '../ATTACKER', models: 'm,n', name: 'n' } },
      { ...workers, to: { other: 'ATTACKER' } },
      { ...workers, to: { other: '..' } },
      { ...workers, to: { models: '../../../../../../ATTACKER/bge-m3' } },
      { ...workers, to: { models: 'bge-m3', model_mapping: '{"bge-m3":"../../../../../ATTACKER/x"}' } },
      { ...azure, to: { models: '..' } },
      { ...azure, to: { models: 'm', model_mapping: '{"m":".."}' } },
      { ...custom, to: { models: '..' } },
    ];
    it.each(ways)(
      'do not leave it by a change of $type to $to',
      async ({ type, place, from, to, ...more }) => {
        const path = 'path' in more ? more.path : '';
        const id = await make({ type, base_url: `${upstream.url}/gw/house${path}`, ...from });
        await change(id, to);
        await use(id);
        await admin.get(`/api/channel/fetch_models/${id}`);
        expect(upstream.heard.filter((call) => !place.test(call))).toEqual([]);
      },
    );

    it.each(ways.filter(({ to }) => 'other' in to))(
      'are needed again, or it is refused, with $to',
      async ({ type, from, to }) => {
        const id = await make({ type, base_url: `${upstream.url}/gw/house`, ...from });
        const answer = await change(id, to);
        expect(answer.success).toBe(false);
        expect(['CHANNEL_KEY_AGAIN', 'CHANNEL_ADDRESS']).toContain(answer.code ?? '');
        const again = await admin.post('/api/channel/', {
          name: 'n',
          type,
          key: KEY,
          models: 'm',
          base_url: 'https://a.example/gw/../x',
        });
        expect(again).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
      },
    );
  });

  it('do not move with a change of all channels under a tag, or of many at once', async () => {
    const id = await make({ tag: 'eu' });
    const before = (await root.get(`/api/channel/${id}`)).data;
    const where = { type: 8, base_url: ear.url, other: 'x', ...proxy() };
    await admin.put('/api/channel/tag', { tag: 'eu', weight: 3, ...where });
    await admin.post('/api/channel/batch/tag', { ids: [id], tag: 'eu', ...where });
    await admin.post('/api/channel/batch/status', { ids: [id], status: 1, ...where });
    expect((await root.get(`/api/channel/${id}`)).data).toEqual({ ...before, weight: 3 });
  });

  it('do not move in a copy either', async () => {
    const id = await make({ base_url: 'https://api.example.com' });
    const { id: copy } = (await admin.post(`/api/channel/copy/${id}`)).data;
    expect(await change(copy, { base_url: ear.url })).toMatchObject(again);
    expect(await change(copy, { type: 20 })).toMatchObject(again);
  });

  describe('what else authorises, beside the key', () => {
    const bare = 'cf-0123456789abcdef';
    const secret = `Bearer ${bare}`;
    const setting = JSON.stringify({ headers: { 'cf-aig-authorization': secret, 'X-Title': 'site' } });
    const secretAgain = { success: false, code: 'CHANNEL_SECRET_AGAIN' };
    const index = (index_name: string) => ({
      data_sources: [
        {
          type: 'azure_search',
          parameters: { index_name, authentication: { type: 'api_key', key: bare } },
        },
      ],
    });
    const crm = (server_url: string) => [
      { type: 'mcp', server_label: 'crm', server_url, authorization: bare },
    ];
    const address = 'https://api.example.com';
    const heldIn = async (id: number) => {
      const [row] = await api.deps.db.query<{ held: string }>(
        `select base_url || setting || param_override as held from channels where id = ${id}`,
      );
      return row?.held.split(bare).length;
    };

    it('is not shown', async () => {
      const id = await make({ base_url: 'https://api.example.com', setting });
      const row = await admin.get(`/api/channel/${id}`);
      expect(row.text).not.toContain(secret);
      expect(row.text).toContain('site');
      const proxied = await make({ setting: '{"proxy":"http://proxy-token-0123@proxy.example.com:8080"}' });
      expect((await admin.get(`/api/channel/${proxied}`)).text).not.toContain('proxy-token-0123');
      // As it was shown it may come back.
      expect((await change(id, { setting: row.data.setting, name: 'n' })).success).toBe(true);
      const [kept] = await api.deps.db.query<{ text: string }>(
        `select setting::text as text from channels where id = ${id}`,
      );
      expect(kept?.text).toContain(secret);
    });

    it.each<JsonObject>([
      { setting },
      { param_override: index('i') },
      { param_override: { api_key: bare, tools: crm('https://crm.example/mcp') } },
      // An address is left behind with its secret.
      { base_url: `${address}/{model}?code=${bare}`, type: 8 },
    ])('is told and led nowhere of %j', async (held) => {
      const id = await make({ base_url: address, ...held });
      const count = await heldIn(id);
      const { data } = await admin.get(`/api/channel/${id}`);
      const { data: copy } = await admin.post(`/api/channel/copy/${id}`);
      const told = [data, await admin.get('/api/channel/'), await admin.get('/api/channel/?tag_mode=true')];
      expect(JSON.stringify(told)).not.toContain(bare);
      const found = await admin.get(`/api/channel/?keyword=${bare}`);
      expect(found.data.items).toEqual([]);
      for (const each of [id, copy.id]) {
        // As it was shown it may come back, in part or as a whole.
        const { setting, param_override, base_url } = data;
        const back = { setting, param_override, base_url, name: 'n' };
        for (const part of [back, { param_override }]) {
          expect(await change(each, part)).toMatchObject({ success: true });
        }
        const moved = { base_url: ear.url, key: 'sk-of-the-thief-0123456789' };
        const ways: JsonObject[] = [moved, { ...back, ...moved }];
        const shared =
          setting === '' ? '{"shared_context":true}' : setting.replace('{', '{"shared_context":true,');
        if ('type' in held) ways.length = 0;
        ways.push({ ...back, setting: shared, key: moved.key });
        for (const way of ways) expect(await change(each, way)).toMatchObject(secretAgain);
        await use(each);
        expect(await heldIn(each)).toBe(count);
      }
      expect(ear.heard).toEqual([]);
      // Whoever gives or leaves them takes the channel with him.
      const given = { base_url: ear.url, key: KEY, setting: '', param_override: '{"api_key":"sk-mine"}' };
      expect(await change(id, given)).toMatchObject({ success: true });
    });

    it('stays with the field that it stands in', async () => {
      const held = { api_key: bare, seed: 1, tools: crm('https://crm.example/mcp') };
      const id = await make({ base_url: address, param_override: held });
      const count = await heldIn(id);
      const shown = JSON.parse((await admin.get(`/api/channel/${id}`)).data.param_override);
      const override = (over: JsonObject) => ({ param_override: JSON.stringify({ ...shown, ...over }) });
      expect(await change(id, override({ seed: 2, user: 'house' }))).toMatchObject({ success: true });
      await admin.post('/api/channel/batch/tag', { ids: [id], tag: 'eu' });
      await admin.put('/api/channel/tag', { tag: 'eu', weight: 3 });
      expect(await heldIn(id)).toBe(count);
      const [tool] = shown.tools;
      // Neither in another place, nor beside an address that was not there.
      for (const way of [
        { tools: [{ ...tool, server_url: ear.url }] },
        { other_tools: shown.tools },
        { webhook: ear.url },
      ]) {
        expect(await change(id, override(way))).toMatchObject(secretAgain);
      }
      // What is written beside it makes it no label.
      const labelled = await make({ base_url: address, param_override: { key: bare, seed: 1 } });
      const beside = { param_override: '{"key":"***","seed":1,"value":"x"}' };
      expect(JSON.stringify(await change(labelled, beside))).not.toContain(bare);
      expect((await admin.get(`/api/channel/${labelled}`)).text).not.toContain(bare);
      const post = (client: Client) =>
        client.post('/api/channel/', { name: 'n', type: 1, key: KEY, models: 'm', ...override({}) });
      for (const client of [admin, root]) expect(await post(client)).toMatchObject(secretAgain);
      expect(await root.put('/api/channel/', { id, ...override({ webhook: ear.url }) })).toMatchObject({
        success: true,
      });
      const records = await api.deps.db.query('select to_json(a) as action from admin_actions a');
      expect(JSON.stringify(records)).not.toContain(bare);
    });

    it('opens nothing beside a key of his own', async () => {
      const id = await make({ base_url: 'https://api.example.com', setting });
      const { headers } = JSON.parse((await admin.get(`/api/channel/${id}`)).data.setting);
      const shared = JSON.stringify({ headers, shared_context: true });
      const answer = await change(id, { setting: shared, key: 'sk-of-the-thief-0123456789' });
      expect(answer).toMatchObject(secretAgain);
    });

    it('does not go to an address that comes with a key of his own', async () => {
      const id = await make({ base_url: 'https://api.example.com', setting });
      const answer = await change(id, { base_url: ear.url, key: 'sk-of-the-thief-0123456789' });
      await use(id);
      expect(ear.heard.join()).not.toContain(secret);
      expect(answer).toMatchObject(secretAgain);
    });
  });

  describe('while root moves a channel of an admin’s to his own upstream, with his key', () => {
    const mine = { name: 'mine', type: 1, key: 'sk-admin-0123456789', models: 'm', tag: 'eu' };
    const move = (id: number) => root.put('/api/channel/', { id, base_url: upstream.url, key: KEY });
    /** Until a write of the work's is being slowed, or the work is done without such a one. */
    const slowOrDone = async (work: Promise<unknown>) => {
      let isDone = false;
      void work.then(() => {
        isDone = true;
      });
      const writing = `select 1 from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep' and pid <> pg_backend_pid()`;
      await until('a write is slowed', async () => isDone || (await api.deps.db.query(writing)).length > 0);
    };
    /** Whatever is written takes so long, as on a busy database. */
    const slowly = async (event: string, race: () => Promise<unknown>) => {
      await api.deps.db.query(
        `create or replace function slow() returns trigger language plpgsql as
         'begin perform pg_sleep(0.3); return new; end'`,
      );
      await api.deps.db.query(`create trigger slow before ${event} for each row execute function slow()`);
      await race().finally(() => api.deps.db.query(`drop trigger slow on ${event.split(' on ')[1]}`));
    };

    it.each(['insert on channels', 'insert on channel_keys', 'update on channels'])(
      'do not go with a copy that is made meanwhile to his address: slow %s',
      async (event) => {
        const id = made(await admin.post('/api/channel/', { ...mine, base_url: ear.url }));
        await slowly(event, async () => {
          const copying = admin.post(`/api/channel/copy/${id}`);
          await slowOrDone(copying);
          const [copy, moved] = await Promise.all([copying, move(id)]);
          expect([copy.success, moved.success]).toEqual([true, true]);
          await use(copy.data.id);
        });
        expect(ear.heard.join()).not.toContain(KEY);
        expect(ear.heard.join()).toContain(mine.key);
      },
    );

    it('do not go to his address with a change of many that is made meanwhile', async () => {
      const id = made(await admin.post('/api/channel/', { ...mine, base_url: ear.url }));
      const where = { type: 8, base_url: ear.url, ...proxy() };
      await slowly('update on channels', async () => {
        const answers = await Promise.all([
          admin.put('/api/channel/tag', { tag: 'eu', weight: 3, ...where }),
          move(id),
          admin.post('/api/channel/batch/tag', { ids: [id], tag: 'eu', ...where }),
          admin.post('/api/channel/batch/status', { ids: [id], status: 1, ...where }),
          admin.post('/api/channel/tag/enabled', { tag: 'eu', ...where }),
        ]);
        expect(answers.map(({ success }) => success)).toEqual(answers.map(() => true));
      });
      expect((await root.get(`/api/channel/${id}`)).data).toMatchObject({
        base_url: upstream.url,
        type: 1,
        weight: 3,
      });
      await use(id);
      expect(ear.heard).toEqual([]);
      expect(upstream.heard.join()).toContain(KEY);
    });

    it('do not stay behind when he moves it at the same time', async () => {
      const id = made(await admin.post('/api/channel/', { ...mine, base_url: 'https://api.example.com' }));
      await slowly('update on channels', () =>
        Promise.all([move(id), change(id, { base_url: ear.url, key: mine.key })]),
      );
      await use(id);
      expect(ear.heard.join()).not.toContain(KEY);
    });
  });

  it('stay where they are through every change that leads nowhere else', async () => {
    const id = await make({});
    for (const over of [
      { name: 'n', models: 'm,n', priority: 3, tag: 't', model_mapping: '{"m":"n"}' },
      // The type's own address, written out.
      { base_url: 'https://api.openai.com/' },
      { base_url: '' },
      { other: 'v1', ...proxy() },
      { param_override: '{"temperature":0,"extra_body":{"top_k":3},"generation_config":{"seed":1}}' },
    ]) {
      expect(await change(id, over)).toMatchObject({ success: true });
    }
    const spark = await make({ type: 18, key: `a|b|${KEY}`, other: 'v2.1' });
    const google = await make({ type: 24, other: '' });
    expect((await change(spark, { other: 'v4.0' })).success).toBe(true);
    expect((await change(google, { other: 'v1alpha' })).success).toBe(true);
    const region = await make({ type: 41, key: keyFile(), other: '{"default":"us-central1","m":"global"}' });
    expect((await change(region, { other: 'us-central1' })).success).toBe(true);
  });
});

describe('a public address of root’s', () => {
  let api: TestApi;
  beforeAll(async () => {
    api = await openApi('postgres');
  });
  afterAll(() => api.close());

  it('lets no address that an admin writes meanwhile reach into the network', async () => {
    const [root, admin] = [await api.root(), await api.as(await api.createUser({ role: 10 }))];
    const { outgoing } = api.deps;
    const { target } = outgoing;
    const asked = Promise.withResolvers<void>();
    const found = Promise.withResolvers<void>();
    let isSlow = false;
    outgoing.target = async (url) => {
      if (!url.includes('inside.example')) return { url, headers: { host: 'thief.example' } };
      asked.resolve();
      if (isSlow) await found.promise;
      throw new OutgoingError('private-address');
    };
    const given = { name: 'v', type: 1, key: 'sk-root-0123456789', models: 'm' };
    const made = await root.post('/api/channel/', { ...given, base_url: 'http://inside.example' });
    const id: number = made.data.ids[0];
    const isAllowed = async () => {
      const rows = await api.deps.db.query<{ private_allowed: boolean }>(
        `select private_allowed from channels where id = ${id}`,
      );
      return rows[0]?.private_allowed;
    };
    expect(await isAllowed()).toBe(true);
    await root.put('/api/channel/', { id, private_allowed: false });
    expect(await isAllowed()).toBe(false);
    isSlow = true;
    // Whether root's address leads inside is found out while an admin puts his own in its place.
    const letIn = { id, base_url: 'http://inside.example', private_allowed: true };
    const editing = root.put('/api/channel/', letIn);
    await asked.promise;
    const key = 'sk-thief-0123456789';
    const moved = await admin.put('/api/channel/', { id, base_url: 'https://thief.example', key });
    expect(moved.success).toBe(true);
    found.resolve();
    expect((await editing).code).toBe('CHANNEL_KEY_AGAIN');
    expect(await isAllowed()).toBe(false);
    outgoing.target = target;
  });

  it('lets no key file of an admin’s reach into the network', async () => {
    const inside = await startEar();
    const [root, admin] = [await api.root(), await api.as(await api.createUser({ role: 10 }))];
    const base_url = 'https://api.example.com';
    const given = { name: 'v', type: 41, key: keyFile(), models: 'm', other: 'us-central1', base_url };
    const id: number = (await root.post('/api/channel/', given)).data.ids[0];
    const answer = await admin.put('/api/channel/', { id, key: keyFile(`${inside.url}/token`) });
    await admin.get(`/api/channel/test/${id}`);
    expect(inside.heard).toEqual([]);
    expect(answer).toMatchObject({ success: false, code: 'CHANNEL_ADDRESS' });
    await inside.close();
  });
});
