/** Calls of `supplier/model` with the caller's own key there: through the same codecs, at no price of the model. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { Client, TestUser } from '../support/api.ts';
import { bearer, registerApp, signInAt, type TestApp } from '../support/oauth-app.ts';
import { BALANCE, type LogRow } from '../support/relay.ts';
import { openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import type { Wire } from '../support/wires.ts';

const CONF = '/api/user/custom-models/conf';
const KEY = 'sk-of-una-0123456789abc';

let t: WireRelay;
let una: Client;
let rows = 0;
/** Suppliers by the wire of their address, and una's configurations at them. */
const suppliers: Record<string, number> = {};
const configs: Record<string, number> = {};

const supplier = async (name: string, more: object): Promise<number> => {
  const answer = await t.relay.root.post('/api/supplier/admin/', { name, base_url: t.wires.base, ...more });
  expect(answer.message).toBe('');
  return answer.data.id;
};
const configure = async (client: Client, supplier_id: number | undefined, key = KEY, models = ['m-1']) =>
  (await client.post(CONF, { supplier_id, key, models })).data.id;

beforeAll(async () => {
  t = await openWireRelay();
  una = await t.relay.api.as(t.relay.user);
  suppliers.chat = await supplier('Chats', { type: 47, base_url: `${t.wires.base}/v1` });
  suppliers.messages = await supplier('Claude 官方', { sdk: 'claude' });
  suppliers.generateContent = await supplier('Gem', { type: 24 });
  for (const [wire, id] of Object.entries(suppliers)) configs[wire] = await configure(una, id);
});
afterAll(() => t.close());
afterEach(() =>
  t.relay.api.deps.options.reset([
    'ByokFee',
    'CheckSensitiveEnabled',
    'CheckSensitiveOnPromptEnabled',
    'SensitiveWords',
    'AutomaticDisableChannelEnabled',
  ]),
);

const NAMES: Record<string, string> = {
  chat: 'Chats/m-1',
  messages: 'Claude 官方/m-1',
  generateContent: 'Gem/m-1',
};
const WIRES = ['chat', 'messages', 'generateContent'] as const satisfies Wire[];
const SURFACES = ['openai-chat', 'anthropic-messages', 'gemini'];

const row = async (): Promise<LogRow> => {
  const last = (await t.relay.settled(++rows)).at(-1);
  if (!last) throw new Error('no row');
  return last;
};
const errorOf = async (response: Response) => {
  const { error } = await response.json();
  return { status: response.status, code: error.code, message: error.message };
};
/** Refused before anything is held or goes up. */
const refused = async (model: string, more: { key?: string } = {}) => {
  const seen = t.wires.seen.length;
  const said = await errorOf(await t.ask('openai-chat', 'chat', { model, ...more }));
  expect(t.wires.seen).toHaveLength(seen);
  return [said.status, said.code];
};

describe('a call with a key of one’s own', () => {
  for (const surface of SURFACES) {
    for (const wire of WIRES) {
      it.each([false, true])(
        `${surface} at a supplier of the wire ${wire}, as a stream: %p`,
        async (stream) => {
          const model = NAMES[wire];
          const before = await t.relay.account();
          const response = await t.ask(surface, wire, { model, stream });
          const { text } = await t.read(surface, response, stream);
          expect([response.status, text]).toEqual([200, 'Hello wörld']);
          const { headers, body, path, wire: asked } = t.lastSeen;
          expect(asked).toBe(wire);
          const sent =
            headers.get('x-api-key') ?? headers.get('x-goog-api-key') ?? headers.get('authorization');
          expect(sent?.replace('Bearer ', '')).toBe(KEY);
          // The supplier is asked for its own name of the model, at the address that libraries write with the version.
          expect(wire === 'generateContent' ? path : body.model).toContain('m-1');
          expect(JSON.stringify(body) + path).not.toContain('Chats');
          expect(path).not.toContain('/v1/v1');
          const logged = await row();
          expect(logged).toMatchObject({
            type: 2,
            quota: 0,
            channel_id: 0,
            model_name: model,
            prompt_tokens: 17,
            completion_tokens: 20,
            is_stream: stream,
            other: {
              byok: true,
              supplier: model?.split('/')[0],
              price_source: 'own_key',
              model_price: 0,
              upstream_model_name: 'm-1',
              admin_info: { use_channel: ['0'], cost_ratio: 0 },
            },
          });
          const after = await t.relay.account();
          expect(after).toMatchObject({ quota: before.quota, reserved: 0, used_quota: before.used_quota });
          expect(after.request_count).toBe(before.request_count + 1);
        },
      );
    }
  }

  it('is told as such by the log, by its sheet and by its receipt', async () => {
    const { data } = await una.get('/api/log/self/?page_size=1');
    const [item] = data.items;
    expect(item.content).toBe('使用用户自己的密钥调用供应商 Gem');
    expect(JSON.parse(item.other)).toMatchObject({ byok: true, supplier: 'Gem', price_source: 'own_key' });
    const english = await t.relay.api.as(t.relay.user, { locale: 'en' });
    expect((await english.get('/api/log/self/?page_size=1')).data.items[0].content).toBe(
      'Called with the user’s own key at Gem',
    );
    expect((await english.get('/api/log/export')).text).toContain('own key at Gem');
    const receipt = await una.get(`/api/log/${item.id}/receipt`);
    expect(receipt.data.receipt).toMatchObject({
      price: { kind: 'call', source: 'own_key' },
      quota: 0,
      formula_quota: 0,
    });
  });

  it('costs the flat fee once, whatever the group, the model and how much is asked', async () => {
    await t.relay.set({ ByokFee: 250, GroupRatio: { default: 3, vip: 1 } });
    const before = await t.relay.account();
    const response = await t.ask('openai-chat', 'chat', {
      model: 'Chats/m-1',
      more: { n: 2 },
      headers: { 'x-include-cost': '1' },
    });
    expect(response.headers.get('x-gateway-cost')).toBe('250');
    await response.text();
    const logged = await row();
    expect(logged).toMatchObject({
      quota: 250,
      other: { model_price: 0.0005, price_source: 'own_key', group_ratio: 1 },
    });
    expect((await t.relay.account()).quota).toBe(before.quota - 250);
    const { data } = await una.get('/api/log/self/?page_size=1');
    const receipt = await una.get(`/api/log/${data.items[0].id}/receipt`);
    expect(receipt.data.receipt).toMatchObject({ formula_quota: 250, quota: 250, written_off: 0 });
    // A balance that does not have the fee has no call.
    await t.relay.setBalance(249);
    expect(await refused('Chats/m-1')).toEqual([403, 'insufficient_user_quota']);
    await t.relay.setBalance(BALANCE);
    await t.relay.set({ GroupRatio: { default: 1, vip: 1 } });
  });

  it('wants no price of the model, and none of the balance', async () => {
    await t.relay.setBalance(0);
    const response = await t.ask('openai-chat', 'chat', { model: 'Chats/a/model/that/nothing/prices' });
    expect((await t.read('openai-chat', response, false)).text).toBe('Hello wörld');
    expect(t.lastSeen.body.model).toBe('a/model/that/nothing/prices');
    expect((await row()).quota).toBe(0);
    await t.relay.setBalance(BALANCE);
  });

  it('gives way to a channel that has the exact name', async () => {
    const { id } = await t.extra('chat', { models: 'Chats/served' });
    await t.relay.set({ ModelPrice: { 'Chats/served': 0.002 } });
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/served' })).text();
    expect(t.lastSeen.headers.get('authorization')).toBe('Bearer sk-upstream-secret');
    expect(t.lastSeen.body.model).toBe('Chats/served');
    const logged = await row();
    expect(logged).toMatchObject({ channel_id: id, quota: 1000 });
    expect(logged.other.byok).toBeUndefined();
    // In another group, which no channel serves, it is the caller's own again.
    await t.relay.root.put('/api/channel/', { id, status: 2 });
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/served' })).text();
    expect(t.lastSeen.headers.get('authorization')).toBe(`Bearer ${KEY}`);
    expect(await row()).toMatchObject({ channel_id: 0, quota: 0 });
  });

  it('is listed beside the channels’ models, where the token may use it', async () => {
    const names = async (key: string) => {
      const response = await fetch(`${t.relay.base}/v1/models`, {
        headers: { authorization: `Bearer ${key}` },
      });
      return (await response.json()).data.map(({ id }: { id: string }) => id);
    };
    const listed = await names(t.relay.key);
    expect(listed).toEqual(expect.arrayContaining(['gpt-4o', 'Chats/m-1', 'Claude 官方/m-1', 'Gem/m-1']));
    expect(listed).toEqual([...listed].sort());
    const limited = await t.relay.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o,Chats/m-1' });
    expect(await names(limited)).toEqual(['Chats/m-1', 'gpt-4o']);
    expect(await refused('Gem/m-1', { key: limited })).toEqual([403, 'model_not_allowed']);
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1', key: limited })).text();
    await row();
    const one = await fetch(`${t.relay.base}/v1/models/Chats/m-1`, {
      headers: { authorization: `Bearer ${t.relay.key}` },
    });
    expect(await one.json()).toMatchObject({ id: 'Chats/m-1' });
    const gemini = await fetch(`${t.relay.base}/v1beta/models`, {
      headers: { 'x-goog-api-key': t.relay.key },
    });
    expect(await gemini.text()).toContain('models/Gem/m-1');
  });

  it('is counted by the supplier too', async () => {
    const response = await fetch(`${t.relay.base}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': t.relay.key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'Claude 官方/m-1', messages: [{ role: 'user', content: 'hi' }] }),
    });
    expect(response.status).toBe(200);
    expect((await response.json()).input_tokens).toBeGreaterThan(0);
  });

  it('passes no words that the operator refuses', async () => {
    await t.relay.set({
      SensitiveWords: 'Say hello',
      CheckSensitiveEnabled: true,
      CheckSensitiveOnPromptEnabled: true,
    });
    expect(await refused('Chats/m-1')).toEqual([400, 'sensitive_words_detected']);
  });
});

describe('nobody else’s', () => {
  let otto: TestUser;
  let key: string;
  beforeAll(async () => {
    otto = await t.relay.api.createUser({ quota: 0 });
    key = await t.relay.addToken({}, otto);
  });

  it('key is used: a caller without one is told that there is no such model', async () => {
    expect(await refused('Chats/m-1', { key })).toEqual([404, 'model_not_found']);
    expect(await refused('Nobody/m-1')).toEqual([404, 'model_not_found']);
    for (const name of ['Chats/', '/m-1', 'Chats']) {
      expect(await refused(name)).toEqual([404, 'model_not_found']);
    }
    const response = await fetch(`${t.relay.base}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(await response.text()).not.toContain('Chats');
  });

  it('key goes up with his own, and neither is seen in the other’s answers', async () => {
    const own = 'sk-of-otto-9876543210fed';
    const client = await t.relay.api.as(otto);
    await configure(client, suppliers.chat, own);
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1', key })).text();
    expect(t.lastSeen.headers.get('authorization')).toBe(`Bearer ${own}`);
    await row();
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1' })).text();
    expect(t.lastSeen.headers.get('authorization')).toBe(`Bearer ${KEY}`);
    await row();
  });

  it('call is served once he is banned, though it would cost nothing', async () => {
    await t.relay.api.deps.db.query('update users set status = 2 where id = $1', [otto.id]);
    expect(await refused('Chats/m-1', { key })).toEqual([403, 'user_disabled']);
  });
});

describe('an application', () => {
  let app: TestApp;
  let access: string;
  beforeAll(async () => {
    app = await registerApp(t.relay.root);
    ({ access } = await signInAt(t.relay.api, app, una, 'relay tokens:create'));
  });

  const modelsOf = async (key: string): Promise<string[]> => {
    const response = await fetch(`${t.relay.base}/v1/models`, {
      headers: { authorization: `Bearer ${key}` },
    });
    return (await response.json()).data.map(({ id }: { id: string }) => id);
  };
  /** Neither told of, nor used, though calls of channels are let through. */
  const reachesNone = async (key: string) => {
    const names = await modelsOf(key);
    expect(names).toContain('gpt-4o');
    expect(names.filter((name) => name.includes('/'))).toEqual([]);
    for (const model of Object.values(NAMES)) {
      expect(await refused(model, { key })).toEqual([404, 'model_not_found']);
    }
  };
  const turn = async (id: number, own_keys: boolean) =>
    expect((await una.put('/api/token/', { id, own_keys })).data.own_keys).toBe(own_keys);
  const reaches = async (key: string) => {
    expect(await modelsOf(key)).toContain('Chats/m-1');
    expect((await t.ask('openai-chat', 'chat', { model: 'Chats/m-1', key })).status).toBe(200);
    expect(t.lastSeen.headers.get('authorization')).toBe(`Bearer ${KEY}`);
    await row();
  };

  it('that may call models spends no key of its user’s', () => reachesNone(access));

  it('that may make tokens makes none that does, before their owner lets it', async () => {
    const caller = bearer(t.relay.api, access);
    const made = (await caller.post('/api/token/', { name: 'of the app', unlimited_quota: true })).data;
    expect(made.own_keys).toBe(false);
    await reachesNone(`sk-${made.key}`);
    await turn(made.id, true);
    await reaches(`sk-${made.key}`);
    await turn(made.id, false);
    await reachesNone(`sk-${made.key}`);
  });

  it('whose request was approved has none, before its owner lets it', async () => {
    const opened = (await t.relay.api.guest().post('/api/request_bind', { name: 'Asker' })).data;
    const code = new URL(opened.approval_url).searchParams.get('code');
    expect((await una.patch('/api/request_bind', { code, remain_quota: 500_000 })).success).toBe(true);
    const { data } = await t.relay.api.guest().get(`/api/check_status?request_id=${opened.request_id}`);
    await reachesNone(data.secret_token);
    const all = (await una.get('/api/token/?size=100')).data;
    const made = all.find(({ name }: { name: string }) => name === 'Asker');
    await turn(made.id, true);
    await reaches(data.secret_token);
  });
});

describe('a token with a limit', () => {
  it('ends at it, though the call would cost it nothing', async () => {
    const key = await t.relay.addToken({ name: 'limited', unlimited_quota: false, remain_quota: 10 });
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1', key })).text();
    expect(await row()).toMatchObject({ type: 2, quota: 0 });
    const left = (quota: number) =>
      t.relay.api.deps.db.query(`update tokens set remain_quota = $1::bigint where name = 'limited'`, [
        quota,
      ]);
    await left(0);
    const balance = await t.relay.account();
    expect(await refused('Chats/m-1', { key })).toEqual([403, 'token_quota_exhausted']);
    expect(await t.relay.account()).toEqual(balance);
    await left(1);
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1', key })).text();
    expect(await row()).toMatchObject({ type: 2, quota: 0 });
  });
});

describe('a supplier', () => {
  it('that is disabled is called no more, from the next call on, and listed no more', async () => {
    await t.relay.root.put(`/api/supplier/admin/${suppliers.chat}`, { disable: true });
    expect(await refused('Chats/m-1')).toEqual([403, 'supplier_disabled']);
    const response = await fetch(`${t.relay.base}/v1/models`, {
      headers: { authorization: `Bearer ${t.relay.key}` },
    });
    expect(await response.text()).not.toContain('Chats/m-1');
    await t.relay.root.put(`/api/supplier/admin/${suppliers.chat}`, { disable: false });
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1' })).text();
    await row();
  });

  it('that has moved gets no key before it is given again', async () => {
    const id = await supplier('Moving', { type: 47 });
    const conf = await configure(una, id);
    await t.relay.root.put(`/api/supplier/admin/${id}`, { base_url: `${t.wires.base}/v1` });
    expect(await refused('Moving/m-1')).toEqual([403, 'own_key_needed']);
    await una.put(`${CONF}/${conf}`, { key: KEY });
    await (await t.ask('openai-chat', 'chat', { model: 'Moving/m-1' })).text();
    await row();
    await una.del(`${CONF}/${conf}`);
    expect(await refused('Moving/m-1')).toEqual([404, 'model_not_found']);
  });

  it('inside, that no root has written, is never called', async () => {
    const { db } = t.relay.api.deps;
    const [made] = await db.query<{ id: number }>(
      `insert into suppliers (name, base_url, type) values ('Inside', $1, 47) returning id`,
      [t.wires.base],
    );
    await configure(una, made?.id);
    const [status] = await refused('Inside/m-1');
    expect(status).toBe(502);
    await row();
  });

  it('that refuses the key says so to its user, and disables no channel', async () => {
    t.wires.faults.push({ status: 401 });
    const said = await errorOf(await t.ask('openai-chat', 'chat', { model: 'Chats/m-1' }));
    expect(said).toMatchObject({ status: 403, code: 'own_key_refused' });
    expect(said.message).toContain('The supplier Chats refuses your own key');
    const logged = await row();
    expect(logged).toMatchObject({
      type: 6,
      quota: 0,
      channel_id: 0,
      other: { byok: true, supplier: 'Chats' },
    });
    await una.put(`${CONF}/${configs.chat}`, { key: '' });
  });

  it('that refuses the key for good is asked no more with it, until it is saved again', async () => {
    t.wires.faults.push({ status: 401 });
    expect(await errorOf(await t.ask('openai-chat', 'chat', { model: 'Chats/m-1' }))).toMatchObject({
      code: 'own_key_refused',
    });
    await row();
    const conf = async () => (await una.get(CONF)).data.find(({ id }: { id: number }) => id === configs.chat);
    while ((await conf()).refused_at === 0) await Bun.sleep(10);
    expect(await refused('Chats/m-1')).toEqual([403, 'own_key_refused']);
    const channels = await t.relay.root.get('/api/channel/?page_size=100');
    expect(channels.data.items.every(({ status }: { status: number }) => status !== 3)).toBe(true);
    await una.put(`${CONF}/${configs.chat}`, { key: '' });
    await (await t.ask('openai-chat', 'chat', { model: 'Chats/m-1' })).text();
    expect(await row()).toMatchObject({ type: 2 });
  });

  it.each([false, true])('that fails costs nothing, as a stream: %p', async (stream) => {
    await t.relay.set({ ByokFee: 100 });
    const { quota } = await t.relay.account();
    t.wires.faults.push({ status: 500 });
    const said = await errorOf(await t.ask('openai-chat', 'chat', { model: 'Chats/m-1', stream }));
    expect(said).toMatchObject({ status: 502 });
    expect(await row()).toMatchObject({ quota: 0, other: { byok: true } });
    expect(await t.relay.account()).toMatchObject({ quota, reserved: 0 });
  });
});

describe('a supplier that fails again and again', () => {
  const ask = async (model: string) => {
    const asked = t.wires.seen.length;
    const answer = await t.ask('openai-chat', 'chat', { model });
    const { status, code, message } = await errorOf(answer);
    const retryAfter = Number(answer.headers.get('retry-after'));
    await row();
    return { status, code, message, retryAfter, asked: t.wires.seen.length - asked };
  };
  const resting = { status: 503, code: 'own_key_resting', asked: 0 };
  const works = async (model: string) => {
    const answer = await t.ask('openai-chat', 'chat', { model });
    await answer.text();
    expect(answer.status).toBe(200);
    await row();
  };
  const saveAgain = () => una.put(`${CONF}/${configs.chat}`, { key: '' });
  // Nothing is held against it.
  beforeEach(saveAgain);

  it('is left alone with this key, whatever model is asked for, until it is saved again', async () => {
    for (let n = 0; n < 5; n++) {
      t.wires.faults.push({ status: 500 });
      expect(await ask(`Chats/made-up-${n}`)).toMatchObject({ status: 502, asked: 1 });
    }
    for (const model of ['Chats/m-1', 'Chats/made-up-9']) {
      const said = await ask(model);
      expect(said).toMatchObject(resting);
      expect(said.retryAfter).toBeGreaterThan(0);
      expect(said.message).toContain('it failed again and again');
    }
    // Keys at other suppliers are as well as before.
    expect((await t.ask('anthropic-messages', 'messages', { model: 'Claude 官方/m-1' })).status).toBe(200);
    await row();
    await saveAgain();
    await works('Chats/m-1');
  });

  it('is left alone for a while where it takes no more calls', async () => {
    t.wires.faults.push({ status: 429 });
    expect(await ask('Chats/m-1')).toMatchObject({ asked: 1 });
    const said = await ask('Chats/m-1');
    expect(said).toMatchObject(resting);
    expect(said.retryAfter).toBeGreaterThan(0);
    expect(said.message).toContain('it takes no more calls for now');
    // Limits are by the model.
    await works('Chats/another');
    expect(await ask('Chats/m-1')).toMatchObject(resting);
    await saveAgain();
    await works('Chats/m-1');
  });

  it('is asked for others where it has no model of some name', async () => {
    for (let n = 0; n < 6; n++) {
      t.wires.faults.push({ status: 404 });
      expect(await ask(`Chats/none-${n}`)).toMatchObject({ asked: 1 });
    }
    await works('Chats/m-1');
  });
});

it.each([
  ['Volcano', 45, 'https://ark.cn-beijing.volces.com', '/v1/audio/speech', { input: 'Hi', voice: 'a' }],
  [
    'Hunyuan',
    23,
    'https://hunyuan.tencentcloudapi.com',
    '/v1/chat/completions',
    { messages: [{ role: 'user', content: 'Hi' }] },
  ],
])('a key at %s goes to no other host of that vendor', async (name, type, base_url, path, body) => {
  const { db } = t.relay.api.deps;
  const [made] = await db.query<{ id: number }>(
    'insert into suppliers (name, base_url, type, private_allowed) values ($1, $2, $3, true) returning id',
    [name, base_url, type],
  );
  await configure(una, made?.id, type === 45 ? 'an-app|a-token' : KEY);
  const answer = await fetch(t.relay.base + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${t.relay.key}` },
    body: JSON.stringify({ model: `${name}/m-1`, ...body }),
  });
  expect(await errorOf(answer)).toMatchObject({ status: 403, code: 'own_key_elsewhere' });
  await row();
});

it('no figure tells of callers’ own keys one by one', async () => {
  const { metrics } = t.relay.api.deps;
  const told = JSON.stringify(metrics.snapshot());
  expect(told).not.toContain('"-');
  expect(told).not.toContain(KEY);
});
