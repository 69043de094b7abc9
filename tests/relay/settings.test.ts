import { afterAll, beforeAll, describe, expect, it, spyOn } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let calls = 0;
let models = 0;

beforeAll(async () => {
  relay = await openTestRelay();
  const names = Array.from({ length: 30 }, (_, i) => [`model-${i}`, 1]);
  await relay.set({ ModelRatio: { 'gpt-4o': 1, ...Object.fromEntries(names) } });
});
afterAll(() => relay.close());

/** A call of a model of its own, served by one channel with these fields. */
async function callOver(
  channel: JsonObject,
  body: JsonObject = {},
  behaviour = 'ok',
  { isLast = true } = {},
) {
  const model = `model-${models++}`;
  const id = await relay.addChannel({ models: model, ...channel });
  // Of a lower priority: it is there, and is not asked first.
  if (!isLast) await relay.addChannel({ models: model, priority: -1 });
  relay.upstream.next.push(behaviour as 'ok');
  const answer = await relay.chat({ model, ...body });
  const text = await answer.text();
  const row = (await relay.settled(++calls)).at(-1);
  if (!row) throw new Error('no row');
  const seen = relay.upstream.chats.at(-1);
  if (!seen) throw new Error('nothing went upstream');
  return { id, model, answer, text, row, seen };
}

describe("a channel's model_mapping", () => {
  it('is followed to its end; the price is that of the name which was asked for', async () => {
    const model = `model-${models}`;
    const { seen, row } = await callOver({
      model_mapping: JSON.stringify({ [model]: 'middle', middle: 'gpt-4o-2024' }),
    });
    expect(seen.model).toBe('gpt-4o-2024');
    expect(row.model_name).toBe(model);
    expect(row.other).toMatchObject({
      is_model_mapped: true,
      upstream_model_name: 'gpt-4o-2024',
      model_ratio: 1,
    });
  });
});

describe("a channel's status_code_mapping", () => {
  it('changes what the caller sees, and nothing else', async () => {
    const { answer, row } = await callOver({ status_code_mapping: '{"500":"429"}' }, {}, '500');
    expect(answer.status).toBe(429);
    expect(row.other.admin_info.attempts[0].status).toBe(500);
    const other = await callOver({ status_code_mapping: '{"400":"500"}' }, {}, '400');
    expect(other.answer.status).toBe(500);
    expect(other.row.other.admin_info.attempts).toHaveLength(1);
  });
});

describe("a channel's param_override", () => {
  it('replaces fields of the body', async () => {
    const { seen } = await callOver({ param_override: '{"temperature":0,"top_p":0.5}' }, { temperature: 1 });
    expect(seen.body).toMatchObject({ temperature: 0, top_p: 0.5 });
  });

  it('never touches what is priced or how the answer comes, whatever an old row says', async () => {
    const model = `model-${models++}`;
    const id = await relay.addChannel({ models: model });
    const { db, changes } = relay.api.deps;
    const override = '{"model":"dear","stream":true,"max_tokens":1000000,"n":9,"top_p":0.5}';
    await db.query('update channels set param_override = $2::text::jsonb where id = $1', [id, override]);
    await changes.commit(async (_tx, touch) => touch('channels', id));
    const warned = spyOn(relay.api.deps.relay.log, 'warn');
    for (let n = 0; n < 2; n++) {
      await (await relay.chat({ model, max_tokens: 20 })).text();
      await relay.settled(++calls);
    }
    // The operator is told, once.
    const told = warned.mock.calls.filter(([event]) => event === 'relay.param_override');
    warned.mockRestore();
    expect(told.map(([, fields]) => fields)).toEqual([
      { channel_id: id, left_out: expect.arrayContaining(['model', 'stream', 'max_tokens', 'n']) },
    ]);
    const { body } = relay.upstream.chats.at(-1) ?? {};
    expect(body).toMatchObject({ model, max_tokens: 20, top_p: 0.5 });
    expect(body).not.toHaveProperty('n');
    expect(body).not.toHaveProperty('stream');
  });
});

describe("a channel's setting", () => {
  it('puts a system prompt before the messages of a caller who has none', async () => {
    const setting = JSON.stringify({ system_prompt: 'Be brief.' });
    const { seen } = await callOver({ setting });
    expect(seen.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'hi' },
    ]);
    const own = [
      { role: 'system', content: 'Mine.' },
      { role: 'user', content: 'hi' },
    ];
    expect((await callOver({ setting }, { messages: own })).seen.body.messages).toEqual(own);
    const override = JSON.stringify({ system_prompt: 'Be brief.', system_prompt_override: true });
    expect((await callOver({ setting: override }, { messages: own })).seen.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      ...own,
    ]);
  });

  it('adds headers', async () => {
    const { seen } = await callOver({ setting: '{"headers":{"X-Team":"blue"}}' });
    expect(seen.headers['x-team']).toBe('blue');
  });

  it('sends calls through a proxy', async () => {
    const asked: string[] = [];
    const proxy = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        asked.push(request.url);
        return Response.json({
          choices: [{ message: { content: 'from the proxy' } }],
          usage: { prompt_tokens: 1, completion_tokens: 1 },
        });
      },
    });
    const model = `model-${models++}`;
    const setting = JSON.stringify({ proxy: `http://127.0.0.1:${proxy.port}` });
    await relay.addChannel({ models: model, base_url: 'http://upstream.example', setting });
    expect(await (await relay.chat({ model })).text()).toContain('from the proxy');
    expect(asked).toEqual(['http://upstream.example/v1/chat/completions']);
    await relay.settled(++calls);
    await proxy.stop(true);
  });
});

describe("a channel's limit of input", () => {
  it('keeps longer prompts away from it', async () => {
    const model = `model-${models++}`;
    await relay.addChannel({ models: model, max_input_tokens: 100 });
    const long = [{ role: 'user', content: 'x'.repeat(1000) }];
    expect((await relay.chat({ model })).status).toBe(200);
    calls++;
    const refused = await relay.chat({ model, messages: long });
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'context_length_exceeded']);
    await relay.settled(calls);
  });

  it('counts what the tools say', async () => {
    const model = `model-${models++}`;
    await relay.addChannel({ models: model, max_input_tokens: 100 });
    const tools = [{ type: 'function', function: { name: 'f', description: 'x'.repeat(1000) } }];
    const refused = await relay.chat({ model, tools });
    expect([refused.status, (await refused.json()).error.code]).toEqual([400, 'context_length_exceeded']);
  });

  it('sends them to a channel that takes them, whose failure is then the answer', async () => {
    const model = `model-${models++}`;
    await relay.addChannel({ models: model, max_input_tokens: 100, priority: 9 });
    const id = await relay.addChannel({ models: model });
    const long = [{ role: 'user', content: 'x'.repeat(1000) }];
    expect((await relay.chat({ model, messages: long })).status).toBe(200);
    expect((await relay.settled(++calls)).at(-1)?.channel_id).toBe(id);
  });
});

describe('a key that its upstream refuses for good', () => {
  const statusOf = async (id: number) => (await relay.root.get(`/api/channel/${id}`)).data.status;

  it('rests only where both the option and the channel allow it', async () => {
    const kept = await callOver({}, {}, '401');
    expect(await statusOf(kept.id)).toBe(1);
    await relay.set({ AutomaticDisableChannelEnabled: true });
    const exempt = await callOver({ auto_ban: 0 }, {}, '401');
    expect(await statusOf(exempt.id)).toBe(1);
    const well = await callOver({}, {}, '500');
    expect(await statusOf(well.id)).toBe(1);
    const taken = await callOver({}, {}, '401', { isLast: false });
    while ((await statusOf(taken.id)) === 1) await Bun.sleep(5);
    expect(await statusOf(taken.id)).toBe(3);
  });
});

describe('several keys of one channel', () => {
  it('take turns, rest one by one, and the channel goes on with the others', async () => {
    await relay.set({ AutomaticDisableChannelEnabled: true });
    const model = `model-${models++}`;
    const names = ['sk-first-key-0001', 'sk-second-key-0002'];
    await relay.addChannel({ models: model, priority: -1, key: 'sk-other-channel-0003' });
    const id = await relay.addChannel({
      models: model,
      key: names.join('\n'),
      multi_key_mode: 'polling',
    });
    const usedIn = async (times: number) => {
      const from = relay.upstream.chats.length;
      for (let i = 0; i < times; i++) await (await relay.chat({ model })).text();
      calls += times;
      await relay.settled(calls);
      return new Set(relay.upstream.chats.slice(from).map(({ headers }) => headers.authorization?.slice(7)));
    };
    // Each call begins with any of them: that 40 begin with the same one does not happen.
    expect([...(await usedIn(40))].sort()).toEqual(names);

    relay.upstream.next.push('401', 'ok');
    expect((await relay.chat({ model })).status).toBe(200);
    await relay.settled(++calls);
    const refused = relay.upstream.chats.at(-2)?.headers.authorization?.slice(7);
    const rest = names.filter((name) => name !== refused);
    const row = async () => (await relay.root.get(`/api/channel/${id}`)).data;
    while ((await row()).keys_disabled === 0) await Bun.sleep(5);
    expect(await row()).toMatchObject({ status: 1, key_count: 2, keys_disabled: 1 });
    expect([...(await usedIn(10))]).toEqual(rest);

    relay.upstream.next.push('401');
    expect((await relay.chat({ model })).status).toBe(200);
    await relay.settled(++calls);
    while ((await row()).status === 1) await Bun.sleep(5);
    expect(await row()).toMatchObject({ status: 3, keys_disabled: 2 });
  });
});
