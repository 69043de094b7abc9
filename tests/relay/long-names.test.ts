/** Names of a caller's that are longer than OpenAI takes. Those of Claude Code's users are, and ids of other makers. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectsOf } from '../../src/dialects/fields.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const THINKER = 'gpt-6.1-sol';
/** Who serves it, which calls it there, and the longest name that he takes. */
const UPSTREAMS: [who: string, type: number, model: string, path: string, chars: number][] = [
  ['OpenAI by Responses', 3, THINKER, '/openai/v1/responses', 64],
  ['OpenAI by Chat', 1, 'gpt-4.1', '/v1/chat/completions', 64],
  ['Volcano', 45, 'doubao-seed-1-6', '/api/v3/chat/completions', 128],
];

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true });
  // Azure is one at its own address alone.
  const setting = JSON.stringify({ proxy: t.base });
  for (const [, type, models] of UPSTREAMS) {
    const base_url = type === 3 ? 'http://mine.openai.azure.com' : t.base;
    await t.relay.addChannel({ type, base_url, setting, models });
  }
  await t.relay.setBalance(500_000_000);
  t.answers(({ path }) => Response.json(path.endsWith('responses') ? RESPONSE : COMPLETION));
});
afterAll(() => t.close());

const USAGE = { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 };
const COMPLETION: JsonObject = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
  usage: USAGE,
};
const RESPONSE: JsonObject = {
  id: 'resp_1',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }],
  usage: { input_tokens: 2, output_tokens: 1, total_tokens: 3 },
};

async function sent(path: string, body: JsonObject): Promise<JsonObject> {
  const response = await t.post(path, body);
  await response.text();
  expect(response.status).toBe(200);
  return t.lastSeen.body;
}

const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }];
const userSent = async (model: string, user_id: string) => {
  const messages = [{ role: 'user', content: 'hi' }];
  return (await sent('/v1/messages', { model, max_tokens: 500, tools, messages, metadata: { user_id } }))
    .user;
};
const sha256 = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex');

it.each(UPSTREAMS)(
  '%s is told its user, who stays the same, in as many letters as he takes',
  async (...on) => {
    const [, , model, path, chars] = on;
    for (const user of ['someone', 'u'.repeat(chars)]) expect(await userSent(model, user)).toBe(user);
    const long = JSON.stringify({
      device_id: 'b'.repeat(64),
      session_id: crypto.randomUUID(),
      more: 'x'.repeat(30),
    });
    expect(await userSent(model, long)).toBe(sha256(long));
    expect(t.lastSeen.path).toBe(path);
  },
);

it('the name of a conversation that goes to another wire is shortened, and none that stays on its own', async () => {
  const names = { user: 'u'.repeat(65), prompt_cache_key: 'k'.repeat(65) };
  const messages = [{ role: 'user', content: 'hi' }];
  const functions = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
  const chat = { messages, ...names };
  expect(await sent('/v1/chat/completions', { model: THINKER, tools: functions, ...chat })).toMatchObject({
    user: sha256(names.user),
    prompt_cache_key: sha256(names.prompt_cache_key),
  });
  expect(await sent('/v1/chat/completions', { model: 'gpt-4.1', ...chat })).toMatchObject(names);
});

it('long ids of calls go up by Chat to OpenAI shortened alike in the call and its result', async () => {
  const ids = ['c'.repeat(40), 'c'.repeat(41), `${'c'.repeat(41)}d`];
  const messages: JsonObject[] = [
    { role: 'user', content: 'hi' },
    ...ids.flatMap((id) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: 'r' },
    ]),
  ];
  const idsSent = async (model: string) =>
    objectsOf((await sent('/v1/chat/completions', { model, messages })).messages).flatMap(
      ({ tool_calls, tool_call_id }) => [...objectsOf(tool_calls).map(({ id }) => id), tool_call_id ?? []],
    );
  const shorts = ids.map((id) => (id.length > 40 ? sha256(id).slice(0, 40) : id));
  expect((await idsSent('gpt-4.1')).flat()).toEqual(shorts.flatMap((id) => [id, id]));
  expect((await idsSent('doubao-seed-1-6')).flat()).toEqual(ids.flatMap((id) => [id, id]));
});

it('long ids of calls go up by Responses shortened alike in the call and its result', async () => {
  const said = (id: string) => [
    { role: 'assistant', content: [{ type: 'tool_use', id, name: 'f', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'r' }] },
  ];
  const ids = ['c'.repeat(64), 'c'.repeat(65), `${'c'.repeat(65)}d`];
  const messages = [{ role: 'user', content: 'hi' }, ...ids.flatMap(said)];
  const { input } = await sent('/v1/messages', { model: THINKER, max_tokens: 500, tools, messages });
  const sentIds = (input as JsonObject[]).flatMap(({ call_id }) => call_id ?? []);
  const [short, ...long] = ids;
  expect(sentIds).toEqual([short ?? '', ...long.map(sha256)].flatMap((id) => [id, id]));
});
