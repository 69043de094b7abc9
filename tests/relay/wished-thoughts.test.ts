/**
 * What callers of other dialects wish of thoughts, at services that refuse what the services do: words of it go up to models
 * that take them, and are told as lost elsewhere.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { objectOf } from '../../src/dialects/fields.ts';
import { type OperationSeen, type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  await t.relay.setBalance(500_000_000);
  t.answers(answer);
});
afterAll(() => t.close());

const answer = ({ path }: OperationSeen): Response => Response.json(ANSWERS[wireOf(path)]);

const wireOf = (path: string): 'ollama' | 'cohere' | 'converse' | 'gemini' | 'responses' | 'chat' => {
  if (path === '/api/chat') return 'ollama';
  if (path === '/v2/chat') return 'cohere';
  if (path.endsWith('/converse')) return 'converse';
  if (path.endsWith(':generateContent')) return 'gemini';
  return path.endsWith('/responses') ? 'responses' : 'chat';
};

const CHOICE = { index: 0, message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' };
const ANSWERS = {
  ollama: { message: { role: 'assistant', content: 'x' }, done: true, done_reason: 'stop', eval_count: 1 },
  cohere: {
    id: 'c',
    finish_reason: 'COMPLETE',
    message: { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
    usage: { tokens: { input_tokens: 1, output_tokens: 1 } },
  },
  converse: {
    output: { message: { role: 'assistant', content: [{ text: 'x' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
  },
  gemini: {
    candidates: [{ content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'STOP', index: 0 }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
  },
  responses: {
    id: 'r',
    object: 'response',
    created_at: 1,
    status: 'completed',
    output: [],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
  chat: {
    id: 'c',
    object: 'chat.completion',
    created: 1,
    choices: [CHOICE],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};

type Wish = readonly [path: string, body: JsonObject];

const said = { messages: [{ role: 'user', content: 'hi' }] };
const messages = (more: JsonObject): Wish => ['/v1/messages', { ...said, max_tokens: 5000, ...more }];
const chat = (more: JsonObject): Wish => ['/v1/chat/completions', { ...said, ...more }];
const responses = (more: JsonObject): Wish => ['/v1/responses', { input: 'hi', ...more }];

/** As Claude Code says it always, of a small call, and with its thoughts switched off. */
const LEFT = messages({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
const OFF = messages({ thinking: { type: 'disabled' } });
const EAGER = messages({ output_config: { effort: 'high' } });
const BUDGET = messages({ thinking: { type: 'enabled', budget_tokens: 2000 } });
const EFFORT = responses({ reasoning: { effort: 'high' } });
const NONE = responses({ reasoning: { effort: 'none' } });

const WORDS = [
  'think',
  'thinking',
  'enable_thinking',
  'thinking_budget',
  'reasoning',
  'reasoning_effort',
  'additionalModelRequestFields',
  'thinkingConfig',
  'temperature',
  'top_p',
  'stop',
];

const named = new Set<string>();

/** The words of a call that went up, and what was told as lost. */
async function sent(type: number, model: string, [path, wish]: Wish) {
  const name = `${type}-${model}`;
  const mapping = { [name]: model };
  if (!named.has(name)) {
    const key = type === 33 ? { key: 'apikey|us-east-1' } : {};
    await t.model(type, { named: name, model_mapping: JSON.stringify(mapping), ...key });
    named.add(name);
  }
  const response = await t.post(path, { model: name, ...wish });
  expect([response.status, await response.text()]).toEqual([200, expect.anything()]);
  const { generationConfig, ...rest } = t.lastSeen.body;
  const body: JsonObject = { ...rest, thinkingConfig: objectOf(generationConfig)?.thinkingConfig };
  const words = WORDS.flatMap((word) => {
    const value = body[word];
    return value === undefined ? [] : [[word, value]];
  });
  return { sent: Object.fromEntries(words) as JsonObject, lost: response.headers.get('x-gateway-lost') };
}

const LOST = [{}, 'reasoning'] as const;

describe('a wish to think', () => {
  it.each<[string, number, string, Wish, JsonObject, string | null]>([
    ['Ollama', 4, 'qwen3-coder:30b', LEFT, ...LOST],
    ['Ollama', 4, 'qwen3-coder:30b', BUDGET, ...LOST],
    ['Ollama', 4, 'gemma3:12b', LEFT, ...LOST],
    ['Ollama', 4, 'qwen3:8b', LEFT, { think: true }, null],
    ['Ollama', 4, 'qwen3:8b', OFF, { think: false }, null],
    ['Ollama', 4, 'gpt-oss:20b', LEFT, { think: 'high' }, null],
    ['Ollama', 4, 'house-thinker', LEFT, ...LOST],
    ['Ollama', 4, 'house-thinker', OFF, { think: false }, null],
    ['Ollama', 4, 'house-thinker', BUDGET, { think: true }, null],
    ['Ollama', 4, 'house-thinker', NONE, { think: false }, null],
    ['Mistral', 42, 'devstral-medium-latest', LEFT, ...LOST],
    ['Mistral', 42, 'devstral-medium-latest', EFFORT, ...LOST],
    ['Mistral', 42, 'mistral-large-latest', OFF, ...LOST],
    ['Mistral', 42, 'mistral-small-latest', LEFT, { reasoning_effort: 'high' }, null],
    ['Mistral', 42, 'mistral-small-latest', BUDGET, { reasoning_effort: 'high' }, null],
    ['Mistral', 42, 'mistral-small-latest', OFF, { reasoning_effort: 'none' }, null],
    ['Mistral', 42, 'magistral-medium-latest', LEFT, {}, 'reasoning_effort'],
    ['xAI', 1, 'grok-4', LEFT, {}, 'reasoning_effort'],
    ['xAI', 1, 'grok-4.20', LEFT, {}, 'reasoning_effort'],
    ['xAI', 1, 'grok-code-fast-1', OFF, {}, 'reasoning_effort'],
    ['xAI', 1, 'grok-3', LEFT, ...LOST],
    ['xAI', 1, 'grok-4.3', LEFT, { reasoning_effort: 'high' }, null],
    ['xAI', 1, 'grok-4.5', OFF, { reasoning_effort: 'low' }, null],
    ['Groq', 1, 'llama-3.3-70b-versatile', LEFT, ...LOST],
    ['Groq', 1, 'llama-3.3-70b-versatile', OFF, ...LOST],
    ['Groq', 1, 'openai/gpt-oss-120b', LEFT, { reasoning_effort: 'high' }, null],
    ['Groq', 1, 'qwen/qwen3-32b', LEFT, {}, 'reasoning_effort'],
    ['Groq', 1, 'qwen/qwen3-32b', OFF, { reasoning_effort: 'none' }, null],
    ['a reseller', 1, 'deepseek-v4-pro', LEFT, { reasoning_effort: 'high' }, null],
    ['a deployment', 1, 'house-thinker', LEFT, ...LOST],
    ['a deployment', 1, 'house-thinker', OFF, ...LOST],
    ['a deployment', 1, 'house-thinker', BUDGET, { reasoning_effort: 'low' }, null],
    ['SiliconFlow', 40, 'Qwen/Qwen3-Coder-480B-A35B-Instruct', LEFT, ...LOST],
    ['SiliconFlow', 40, 'Qwen/Qwen3-Coder-480B-A35B-Instruct', OFF, ...LOST],
    ['SiliconFlow', 40, 'Qwen/Qwen3-32B', LEFT, { enable_thinking: true }, null],
    ['SiliconFlow', 40, 'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B', OFF, ...LOST],
    ['SiliconFlow', 40, 'deepseek-ai/DeepSeek-R1-0528-Qwen3-8B', LEFT, {}, null],
    ['SiliconFlow', 40, 'house-thinker', OFF, { enable_thinking: false }, null],
    ['DashScope', 17, 'qwen-plus', EFFORT, { enable_thinking: true }, null],
    ['DashScope', 17, 'qwen-max', EFFORT, ...LOST],
    ['DashScope', 17, 'qwen3-235b-a22b-thinking-2507', EFFORT, {}, null],
    ['DashScope', 17, 'qwen3-235b-a22b-thinking-2507', chat({}), {}, null],
    ['OpenRouter', 20, 'x-ai/grok-4.20', EFFORT, { reasoning: { effort: 'high' } }, null],
    ['OpenRouter', 20, 'qwen/qwen3-235b-a22b', EFFORT, { reasoning: { effort: 'high' } }, null],
    ['Cohere', 34, 'command-a-03-2025', LEFT, ...LOST],
    ['Cohere', 34, 'command-a-reasoning-08-2025', OFF, { thinking: { type: 'disabled' } }, null],
    // An effort beside no word of thinking is none.
    ['Ollama', 4, 'qwen3:8b', EAGER, ...LOST],
    ['OpenAI', 1, 'gpt-5.4', EAGER, ...LOST],
    ['Gemini', 24, 'gemini-3.5-flash', EAGER, ...LOST],
    // What its caller says in the upstream's own dialect stays.
    ['xAI', 1, 'grok-4', chat({ reasoning_effort: 'high' }), { reasoning_effort: 'high' }, null],
    [
      'Groq',
      1,
      'llama-3.3-70b-versatile',
      chat({ reasoning_effort: 'low' }),
      { reasoning_effort: 'low' },
      null,
    ],
    // Bedrock has OpenAI's effort where Responses has it, but for the open models.
    ['Bedrock', 33, 'us.openai.gpt-5.6-sol', LEFT, inModel({ reasoning: { effort: 'high' } }), null],
    ['Bedrock', 33, 'openai.gpt-6-astra', OFF, inModel({ reasoning: { effort: 'low' } }), null],
    ['Bedrock', 33, 'openai.gpt-oss-120b-1:0', LEFT, inModel({ reasoning_effort: 'high' }), null],
    ['Gemini', 24, 'gemini-3.8-flash', NONE, atLevel('LOW'), null],
    ['Gemini', 24, 'gemini-3.6-flash', NONE, atLevel('MINIMAL'), null],
    // OpenAI takes its highest effort by Responses alone.
    [
      'OpenAI',
      1,
      'gpt-5.6-luna',
      messages({ thinking: { type: 'adaptive' }, output_config: { effort: 'max' } }),
      { reasoning_effort: 'xhigh' },
      null,
    ],
  ])('at %s, type %i, of %s: %j', async (_of, type, model, wish, expected, lost) => {
    expect(await sent(type, model, wish)).toEqual({ sent: expected, lost });
  });
});

describe('what thinkers do not take', () => {
  const SAMPLED = messages({ temperature: 0.2, top_p: 0.9, stop_sequences: ['x'] });
  it.each<[number, string, Wish, JsonObject, string | null]>([
    [1, 'kimi-k2.5', SAMPLED, { stop: 'x' }, 'temperature, top_p'],
    [25, 'kimi-k3', responses({ temperature: 0.7 }), {}, 'temperature'],
    [1, 'kimi-k2-0905-preview', SAMPLED, { temperature: 0.2, top_p: 0.9, stop: 'x' }, null],
    [1, 'kimi-k2.5', chat({ temperature: 0.2 }), { temperature: 0.2 }, null],
    [1, 'gpt-6.1-sol', messages({ stop_sequences: ['x'] }), {}, 'stop'],
    [1, 'o3', messages({ stop_sequences: ['x'] }), {}, 'stop'],
    [1, 'gpt-4.1', messages({ stop_sequences: ['x'] }), { stop: 'x' }, null],
    [1, 'gpt-6.1-sol', chat({ stop: 'x' }), { stop: 'x' }, null],
  ])('stays behind at type %i, %s: %j', async (type, model, wish, expected, lost) => {
    expect(await sent(type, model, wish)).toEqual({ sent: expected, lost });
  });
});

function inModel(fields: JsonObject): JsonObject {
  return { additionalModelRequestFields: fields };
}

function atLevel(thinkingLevel: string): JsonObject {
  return { thinkingConfig: { thinkingLevel } };
}
