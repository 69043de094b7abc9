/**
 * What a model thought before it called a tool, given back with the tool's result: its maker wants it, whoever stands behind
 * the channel's address, and refuses the second turn without it.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { type Operations, openOperations } from '../support/operations.ts';

const MODELS = ['deepseek-v4-pro', 'moonshotai/Kimi-K2.5', 'glm-5.2', 'mimo-v2.5-pro', 'minimax-m2.5'];
const ANOTHERS = 'llama-4-maverick';
const AT_GROQ = 'kimi-k2.6';

let t: Operations;

beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true });
  await t.relay.addChannel({ type: 1, base_url: t.base, models: [...MODELS, ANOTHERS].join() });
  const setting = JSON.stringify({ proxy: t.base });
  const groq = { type: 1, base_url: 'http://api.groq.com/openai', setting, models: AT_GROQ };
  await t.relay.addChannel(groq);
  await t.relay.setBalance(9_000_000_000);
  t.answers(() =>
    Response.json({
      id: 'x',
      choices: [{ index: 0, message: THOUGHT, finish_reason: 'tool_calls' }],
      usage: { prompt_tokens: 2, completion_tokens: 1, total_tokens: 3 },
    }),
  );
});

afterAll(() => t.close());

const THOUGHT = {
  role: 'assistant',
  content: '',
  reasoning_content: 'I need the tool',
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
};

/** What the upstream is told of its own first turn when the second comes. */
async function secondTurn(model: string): Promise<JsonObject> {
  const hi = { role: 'user', content: 'hi' };
  const body = { model, max_tokens: 9_000, tools: [{ name: 'f', input_schema: { type: 'object' } }] };
  const first = await t.post('/v1/messages', { ...body, messages: [hi] });
  const { content } = (await first.json()) as { content: JsonObject[] };
  const result = { type: 'tool_result', tool_use_id: 'call_1', content: 'r' };
  const turns = [hi, { role: 'assistant', content }, { role: 'user', content: [result] }];
  await (await t.post('/v1/messages', { ...body, messages: turns })).json();
  const { messages } = t.lastSeen.body as { messages: JsonObject[] };
  return messages.find(({ role }) => role === 'assistant') ?? {};
}

it.each(MODELS)('are given back to %s at an address of anybody', async (model) => {
  expect(await secondTurn(model)).toMatchObject({ reasoning_content: 'I need the tool' });
});

it.each([ANOTHERS, AT_GROQ])('are not where they are refused: %s', async (model) => {
  const said = await secondTurn(model);
  expect(said).toHaveProperty('tool_calls');
  expect(said).not.toHaveProperty('reasoning_content');
});
