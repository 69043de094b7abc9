import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { limits } from '../../src/core/limits.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
beforeAll(async () => {
  relay = await openTestRelay();
  await relay.set({
    GroupRatio: { default: 1, vip: 0.5 },
    UserUsableGroups: { default: 'all', vip: 'some' },
  });
});
afterAll(() => relay.close());

const ask = (headers: Record<string, string>, path = '/v1/chat/completions', method = 'POST') =>
  fetch(relay.base + path, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST'
      ? { body: JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'hi' }] }) }
      : {}),
  });

const refusal = async (answer: Response) => [answer.status, (await answer.json()).error.code];

describe('a relay key', () => {
  it.each([
    ['authorization', (key: string) => `Bearer ${key}`],
    ['authorization', (key: string) => `bearer ${key}`],
    ['authorization', (key: string) => key],
    ['x-api-key', (key: string) => key],
    ['x-goog-api-key', (key: string) => key],
    ['x-api-key', (key: string) => key.slice('sk-'.length)],
  ])('is taken from %s', async (name, value) => {
    expect((await ask({ [name]: value(relay.key) })).status).toBe(200);
  });

  it.each([
    ['none', {}],
    ['an unknown one', { authorization: `Bearer sk-${'A'.repeat(48)}` }],
    ['a malformed one', { authorization: 'Bearer sk-a-b-c-d' }],
    ['one of odd bytes', { authorization: 'Bearer \u00e9\u00ff' }],
    ['an empty one', { authorization: 'Bearer ' }],
  ])('that is %s is refused with 401', async (_name, headers) => {
    const answer = await ask(headers as Record<string, string>);
    expect(answer.headers.get('x-request-id')).not.toBeNull();
    expect(await refusal(answer)).toEqual([401, 'invalid_api_key']);
  });

  it('that is disabled, expired or of a banned user is refused', async () => {
    const { db, changes } = relay.api.deps;
    const owner = await relay.api.createUser({ quota: 1000 });
    const key = await relay.addToken({}, owner);
    const change = async (statement: string) => {
      await db.query(statement, [owner.id]);
      await changes.commit(async (_tx, touch) => touch('users', owner.id));
    };
    expect((await ask({ authorization: `Bearer ${key}` })).status).toBe(200);
    await change('update tokens set status = 2 where user_id = $1');
    expect(await refusal(await ask({ authorization: `Bearer ${key}` }))).toEqual([401, 'token_disabled']);
    await change('update tokens set status = 1, expired_time = 1000 where user_id = $1');
    expect(await refusal(await ask({ authorization: `Bearer ${key}` }))).toEqual([401, 'token_expired']);
    await change('update tokens set expired_time = -1 where user_id = $1');
    await change('update users set status = 2 where id = $1');
    expect(await refusal(await ask({ authorization: `Bearer ${key}` }))).toEqual([403, 'user_disabled']);
  });

  it('is only good from the addresses that it names', async () => {
    const key = await relay.addToken({ allow_ips: '10.0.0.0/8\n::1' });
    const authorization = `Bearer ${key}`;
    expect(await refusal(await ask({ authorization }))).toEqual([403, 'ip_not_allowed']);
    expect((await ask({ authorization, 'x-forwarded-for': '10.2.3.4' })).status).toBe(200);
    const forged = await ask({ authorization, 'x-forwarded-for': '10.2.3.4, 203.0.113.9' });
    expect(await refusal(forged)).toEqual([403, 'ip_not_allowed']);
  });

  it('is only good for the models that it names', async () => {
    const key = await relay.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o-mini' });
    expect(await refusal(await ask({ authorization: `Bearer ${key}` }))).toEqual([403, 'model_not_allowed']);
  });

  it('follows its group, and loses it with its user', async () => {
    await relay.addChannel({ group: 'vip', models: 'gpt-4o' });
    const key = await relay.addToken({ group: 'vip' });
    const answer = await ask({ authorization: `Bearer ${key}` });
    expect(answer.status).toBe(200);
    const id = answer.headers.get('x-request-id');
    const row = (await relay.settled(1)).find((each) => each.request_id === id);
    // 37 tokens at half the price, rounded half up.
    expect(row).toMatchObject({ quota: 19, other: { group_ratio: 0.5 } });
    await relay.set({ UserUsableGroups: { default: 'all' } });
    expect(await refusal(await ask({ authorization: `Bearer ${key}` }))).toEqual([403, 'group_not_allowed']);
    await relay.set({ UserUsableGroups: { default: 'all', vip: 'some' } });
  });

  it('is guessed no more than 120 times a minute from one address', async () => {
    const from = { 'x-forwarded-for': '198.51.100.7' };
    const tries = await Promise.all(
      Array.from({ length: 130 }, (_, i) =>
        ask({ ...from, authorization: `Bearer sk-${String(i).padStart(48, 'x')}` }).then(
          ({ status }) => status,
        ),
      ),
    );
    expect(tries.filter((status) => status === 401)).toHaveLength(120);
    expect(tries.filter((status) => status === 429)).toHaveLength(10);
    const good = await ask({ ...from, authorization: `Bearer ${relay.key}` });
    expect(good.status).toBe(200);
  });
});

describe('a channel chosen by sk-KEY-ID', () => {
  it('is for administrators', async () => {
    const answer = await ask({ authorization: `Bearer ${relay.key}-${relay.channelId}` });
    expect(await refusal(answer)).toEqual([403, 'channel_pin_denied']);
  });

  it('is asked alone, whatever its group and models, and not replaced', async () => {
    await relay.set({ ModelRatio: { 'gpt-4o': 1 } });
    const admin = await relay.api.createUser({ role: 10, quota: 100_000 });
    const key = await relay.addToken({}, admin);
    const id = await relay.addChannel({ group: 'vip', models: 'other', priority: -5 });
    const answer = await ask({ authorization: `Bearer ${key}-${id}` });
    expect(answer.status).toBe(200);
    relay.upstream.next.push('500');
    expect((await ask({ authorization: `Bearer ${key}-${id}` })).status).toBe(502);
    const rows = (await relay.settled(1)).filter((row) => row.channel_id === id);
    expect(rows.map((row) => row.type)).toEqual([2, 6]);
    expect(rows[1]?.other.admin_info.attempts).toHaveLength(1);
    expect(await refusal(await ask({ authorization: `Bearer ${key}-999999` }))).toEqual([
      403,
      'channel_unavailable',
    ]);
  });

  it('opens to an admin no more of its account than it names by itself', async () => {
    await relay.set({ ModelRatio: { 'gpt-4o': 1, 'bot-1': 1 } });
    const key = await relay.addToken({}, await relay.api.createUser({ role: 10, quota: 100_000 }));
    const bots = { type: 45, priority: -5 };
    const [none, one, mapped] = [
      await relay.addChannel({ ...bots, models: 'other' }),
      await relay.addChannel({ ...bots, models: 'bot-1' }),
      await relay.addChannel({ ...bots, models: 'other', model_mapping: '{"gpt-4o":"bot-1"}' }),
    ];
    const answers = [
      [none, 'bot-1', 403],
      [none, 'gpt-4o', 200],
      [one, 'bot-1', 200],
      [mapped, 'gpt-4o', 200],
    ] as const;
    for (const [id, model, status] of answers) {
      const answer = await relay.chat({ model }, { key: `${key}-${id}` });
      expect([id, model, answer.status]).toEqual([id, model, status]);
      await answer.text();
    }
  });
});

describe('a model', () => {
  const code = async (model: string) => refusal(await relay.chat({ model }));

  it('that nobody has is unknown', async () => {
    expect(await code('no-such-model')).toEqual([404, 'model_not_found']);
    expect(await code('constructor')).toEqual([404, 'model_not_found']);
    expect(await code('__proto__')).toEqual([404, 'model_not_found']);
  });

  it('whose channels are all disabled is unavailable', async () => {
    await relay.addChannel({ models: 'resting', status: 2 });
    expect(await code('resting')).toEqual([503, 'no_available_channel']);
    expect((await relay.chat({ model: 'resting' })).headers.get('retry-after')).toBe('5');
  });

  it('without a price is refused, and the answer says who can set it where', async () => {
    await relay.addChannel({ models: 'unpriced-model' });
    const answer = await relay.chat({ model: 'unpriced-model' });
    const { error } = await answer.json();
    expect([answer.status, error.code]).toEqual([400, 'price_not_configured']);
    expect(error.message).toMatch(/unpriced-model.*super admin.*ModelRatio/);
  });
});

describe('the list of models', () => {
  it('names what the caller may use', async () => {
    await relay.addChannel({ models: 'gpt-4o,b-model', group: 'default' });
    const list = await (await ask({ authorization: `Bearer ${relay.key}` }, '/v1/models', 'GET')).json();
    expect(list.object).toBe('list');
    expect(list.data.map((model: { id: string }) => model.id)).toContain('b-model');
    const key = await relay.addToken({ model_limits_enabled: true, model_limits: 'gpt-4o' });
    const few = await (await ask({ authorization: `Bearer ${key}` }, '/v1/models', 'GET')).json();
    expect(few.data).toEqual([{ id: 'gpt-4o', object: 'model', created: 1_700_000_000, owned_by: 'openai' }]);
  });

  it('shows one model, whose name may hold slashes, and refuses others', async () => {
    await relay.addChannel({ models: 'vendor/model' });
    const authorization = `Bearer ${relay.key}`;
    const one = await ask({ authorization }, '/v1/models/vendor/model', 'GET');
    expect((await one.json()).id).toBe('vendor/model');
    expect((await ask({ authorization }, '/v1/models/vendor%2Fmodel', 'GET')).status).toBe(200);
    expect(await refusal(await ask({ authorization }, '/v1/models/nope', 'GET'))).toEqual([
      404,
      'model_not_found',
    ]);
    expect(await refusal(await ask({ authorization }, '/v1/models/%zz', 'GET'))).toEqual([
      404,
      'model_not_found',
    ]);
  });

  it('needs a key', async () => {
    expect(await refusal(await ask({}, '/v1/models', 'GET'))).toEqual([401, 'invalid_api_key']);
  });
});

describe('a path', () => {
  it.each(['/v1', '/v1/', '/v1/nothing', '/v1/chat', '/v1/chat/completions/x'])(
    '%s that leads nowhere is 404 for everyone, in the shape of an error',
    async (path) => {
      expect(await refusal(await ask({}, path))).toEqual([404, 'unknown_operation']);
    },
  );

  it.each(['GET', 'PUT', 'DELETE', 'PATCH'])('of a call refuses %s with 405', async (method) => {
    expect(await refusal(await ask({}, '/v1/chat/completions', method))).toEqual([405, 'method_not_allowed']);
  });

  it('may end with a slash', async () => {
    expect((await ask({ authorization: `Bearer ${relay.key}` }, '/v1/chat/completions/')).status).toBe(200);
  });
});

it('lists of models, and single ones, are told so often a minute to one user, in every dialect', async () => {
  const [owner, other] = [await relay.api.createUser(), await relay.api.createUser()];
  const [key, another] = [await relay.addToken({}, owner), await relay.addToken({}, owner)];
  const paths = ['/v1/models', '/v1/models/gpt-4o', '/v1beta/models', '/v1beta/models/gpt-4o'];
  const statusOf = async (path: string, of: string) => {
    const answer = await ask({ authorization: `Bearer ${of}` }, path, 'GET');
    await answer.text();
    return answer.status;
  };
  const asked = Array.from({ length: limits.modelListsAMinute }, (_, n) =>
    statusOf(paths[n % paths.length] ?? '', n % 2 === 0 ? key : another),
  );
  expect(new Set(await Promise.all(asked))).toEqual(new Set([200]));
  for (const path of paths) expect(await statusOf(path, key)).toBe(429);
  expect(await statusOf('/v1/models', await relay.addToken({}, other))).toBe(200);
  expect(relay.api.deps.relay.calls.open).toBe(0);
});
