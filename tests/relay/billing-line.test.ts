/** Claude Code begins each prompt with a line for Anthropic, which is another each time: nobody else is told of it. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  const base_url = t.base;
  await t.relay.set({ RetryTimes: 0, SelfUseModeEnabled: true });
  const responses = { base_url: 'http://api.openai.com', setting: JSON.stringify({ proxy: t.base }) };
  await t.relay.addChannel({ type: 1, ...responses, models: 'gpt-6.1-sol' });
  await t.relay.addChannel({ type: 1, base_url, models: 'gpt-4.1,claude-by-chat' });
  await t.relay.addChannel({ type: 24, base_url, models: 'gemini-3-pro' });
  await t.relay.addChannel({ type: 43, base_url, models: 'deepseek-reasoner' });
  await t.relay.addChannel({ type: 14, base_url, models: 'claude-opus-4-5,glm-5' });
  const at = (host: string) => ({ base_url: `http://${host}`, setting: JSON.stringify({ proxy: t.base }) });
  await t.relay.addChannel({ type: 14, ...at('api.anthropic.com'), models: 'claude-haiku-4-5' });
  await t.relay.addChannel({
    type: 14,
    ...at('x.services.ai.azure.com/anthropic'),
    models: 'claude-opus-4-6',
  });
  await t.relay.addChannel({ type: 33, base_url, key: 'key|eu-west-1', models: 'claude-sonnet-4-5' });
});
afterAll(() => t.close());

const LINE = 'x-anthropic-billing-header: cc_version=2.1.177.01c; cc_entrypoint=cli; cch=36ee5;';
const REST: JsonObject[] = [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }];
const SYSTEMS: [form: string, system: string | JsonObject[], left: string | JsonObject[]][] = [
  ['a block', [{ type: 'text', text: LINE }, ...REST], REST],
  ['the first line', `${LINE}\nBe brief.`, 'Be brief.'],
];
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const PICTURE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } };
const BODY = {
  max_tokens: 50,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, PICTURE] }],
};
/** By which OpenAI's models go by Responses. */
const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }];

/** What went up. */
async function asked(model: string, more: JsonObject, path = '/v1/messages') {
  t.answers(() => Response.json({ error: { message: 'told no' } }, { status: 400 }));
  await (await t.post(path, { model, ...BODY, ...more })).text();
  return t.lastSeen;
}

it.each(SYSTEMS)('goes up to none on another wire, as %s', async (_, system) => {
  for (const [model, path] of [
    ['gpt-6.1-sol', '/v1/responses'],
    ['gpt-4.1', '/v1/chat/completions'],
    ['claude-by-chat', '/v1/chat/completions'],
    ['gemini-3-pro', '/v1beta/models/gemini-3-pro:generateContent'],
  ] as const) {
    const up = await asked(model, { system, tools });
    expect(up.path).toBe(path);
    expect(JSON.stringify(up.body)).toContain('Be brief.');
    expect(JSON.stringify(up.body)).not.toContain('cch=');
  }
});

it.each(SYSTEMS)('nor to another maker on Messages, as %s', async (_, system, left) => {
  for (const model of ['deepseek-reasoner', 'glm-5']) {
    const up = await asked(model, { system });
    expect(up.path).toEndWith('/v1/messages');
    expect(up.body.system).toEqual(left);
  }
});

it.each(SYSTEMS)('nor to a Claude at a cloud of others, as %s', async (_, system, left) => {
  for (const model of ['claude-sonnet-4-5', 'claude-opus-4-6']) {
    expect((await asked(model, { system })).body.system).toEqual(left);
  }
});

it.each(SYSTEMS)('it stays where Anthropic may be asked, as %s', async (_, system) => {
  for (const model of ['claude-haiku-4-5', 'claude-opus-4-5']) {
    expect((await asked(model, { system })).body.system).toEqual(system);
  }
});

it('who refuses it says why, and is not asked again', async () => {
  const message =
    'x-anthropic-billing-header is a reserved keyword and may not be used in the system prompt.';
  t.answers(() => Response.json({ error: { type: 'invalid_request_error', message } }, { status: 400 }));
  const [[, system]] = SYSTEMS as [(typeof SYSTEMS)[number]];
  const response = await t.post('/v1/messages', { model: 'claude-opus-4-5', ...BODY, system });
  expect(response.status).toBe(400);
  expect((await response.json()).error.message).toContain(message);
});

it('a prompt without anything else goes up without one', async () => {
  expect((await asked('deepseek-reasoner', { system: LINE })).body).not.toHaveProperty('system');
  const only = [{ type: 'text', text: LINE }];
  expect((await asked('deepseek-reasoner', { system: only })).body).not.toHaveProperty('system');
});

it.each([`${LINE}\n`, LINE])('nor with a block of which nothing is left: %#', async (text) => {
  const system = [{ type: 'text', text }, ...REST];
  expect((await asked('deepseek-reasoner', { system })).body.system).toEqual(REST);
});

it('no other text loses such a line', async () => {
  const system = [{ type: 'text', text: `See ${LINE}` }];
  const messages = [{ role: 'user', content: LINE }];
  expect((await asked('deepseek-reasoner', { system, messages })).body).toMatchObject({ system, messages });
});

it('a count is one of what is read', async () => {
  const path = '/v1/messages/count_tokens';
  const [[, withLine, without]] = SYSTEMS as [(typeof SYSTEMS)[number]];
  expect(JSON.stringify((await asked('gemini-3-pro', { system: withLine }, path)).body)).not.toContain(
    'cch=',
  );
  const counted = async (model: string, system: JsonObject['system']) => {
    const response = await t.post(path, { model, messages: BODY.messages, system });
    return (await response.json()).input_tokens;
  };
  expect(await counted('gpt-4.1', withLine)).toBe(await counted('gpt-4.1', without));
});

it('an answer without usage is charged for what was read, and nothing of the line is told as lost', async () => {
  const reply = { role: 'assistant', content: 'Hello.' };
  const told = async (system: JsonObject['system']) => {
    t.answers({
      id: 'c',
      object: 'chat.completion',
      choices: [{ index: 0, message: reply, finish_reason: 'stop' }],
    });
    const response = await t.post('/v1/messages', { model: 'gpt-4.1', ...BODY, top_k: 5, system });
    expect(response.headers.get('x-gateway-lost')).toBe('top_k');
    const { usage } = await response.json();
    return usage.input_tokens;
  };
  const [[, withLine, without]] = SYSTEMS as [(typeof SYSTEMS)[number]];
  const tokens = await told(without);
  expect(tokens).toBeGreaterThan(0);
  expect(await told(withLine)).toBe(tokens);
});
