/**
 * Codex brings the tools of its newer models in an item of its input, in namespaces. Whoever is asked in other words is told
 * of them as of all others, and is answered for as their caller knows them.
 */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const BY_CHAT = 'gpt-6.1-sol';
const BY_CLAUDE = 'claude-opus-4-8';
const BY_RESPONSES = 'gpt-6.2-astra';

let t: Operations;

beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ SelfUseModeEnabled: true });
  const setting = JSON.stringify({ proxy: t.base });
  await t.relay.addChannel({ type: 20, base_url: 'http://openrouter.ai/api', setting, models: BY_CHAT });
  await t.relay.addChannel({ type: 14, base_url: 'http://api.anthropic.com', setting, models: BY_CLAUDE });
  await t.relay.addChannel({ type: 1, base_url: 'http://api.openai.com', setting, models: BY_RESPONSES });
  await t.relay.setBalance(9_000_000_000);
});

afterAll(() => t.close());

it.each([
  ['a function', { type: 'function', name: 'f'.repeat(300), parameters: {} }],
  ['a namespace', { type: 'namespace', name: 'n'.repeat(300), tools: [{ type: 'function', name: 'f' }] }],
])(
  'the name of %s that is longer than any is refused before anybody is asked: each call has it again',
  async (_, tool) => {
    const { length } = t.seen;
    const answer = await t.post('/v1/responses', { model: BY_CHAT, input: 'hi', tools: [tool] });
    expect([answer.status, t.seen.length]).toEqual([400, length]);
  },
);

const parameters = { type: 'object', properties: { x: { type: 'string' } } };
const f = (name: string): JsonObject => ({ type: 'function', name, parameters });
const ADDED = {
  type: 'additional_tools',
  id: 'at_1',
  role: 'developer',
  tools: [
    {
      type: 'namespace',
      name: 'functions',
      tools: [{ type: 'custom', name: 'exec', description: 'runs' }, f('wait')],
    },
    { type: 'namespace', name: 'collaboration', description: 'agents', tools: [f('send')] },
  ],
};
const SAID = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] };
const CALLED = [
  { type: 'custom_tool_call', call_id: 'c1', namespace: 'functions', name: 'exec', input: 'ls' },
  { type: 'custom_tool_call_output', call_id: 'c1', output: 'note.txt' },
  { type: 'function_call', call_id: 'c2', namespace: 'collaboration', name: 'send', arguments: '{"x":"a"}' },
  { type: 'function_call_output', call_id: 'c2', output: 'sent' },
];

const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const calls = [
  { index: 0, id: 'd1', type: 'function', function: { name: 'exec', arguments: '{"input":"cat"}' } },
  { index: 1, id: 'd2', type: 'function', function: { name: 'collaboration__send', arguments: '{"x":"b"}' } },
];
const CHAT_WHOLE = {
  id: 'x',
  choices: [{ index: 0, message: { role: 'assistant', tool_calls: calls }, finish_reason: 'tool_calls' }],
  usage,
};
const CHAT_STREAM = [
  { id: 'x', choices: [{ index: 0, delta: { role: 'assistant', tool_calls: calls } }] },
  { id: 'x', choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }], usage },
];

it.each([true, false])('go up and come back by a chat, streamed: %p', async (stream) => {
  t.answers(() => (stream ? eventStream(CHAT_STREAM) : Response.json(CHAT_WHOLE)));
  const answer = await t.post('/v1/responses', {
    ...{ model: BY_CHAT, stream, store: false },
    input: [ADDED, SAID, ...CALLED, SAID],
  });
  const text = await answer.text();
  const { tools, messages } = t.lastSeen.body as { tools: JsonObject[]; messages: JsonObject[] };
  const names = tools.map((tool) => (tool.function as JsonObject).name);
  expect(names).toEqual(['exec', 'wait', 'collaboration__send']);
  expect(messages.flatMap((message) => message.tool_calls ?? [])).toMatchObject([
    { id: 'c1', function: { name: 'exec' } },
    { id: 'c2', function: { name: 'collaboration__send' } },
  ]);
  expect(messages.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
    'assistant',
    'tool',
    'user',
  ]);
  expect(answer.headers.get('x-gateway-lost') ?? '').not.toContain('tools');
  const output = stream ? doneIn(text) : (JSON.parse(text) as { output: JsonObject[] }).output;
  expect(output).toMatchObject([
    { type: 'custom_tool_call', namespace: 'functions', name: 'exec', input: 'cat' },
    { type: 'function_call', namespace: 'collaboration', name: 'send', arguments: '{"x":"b"}' },
  ]);
});

/** The items that a stream has told as done. */
const doneIn = (text: string): JsonObject[] =>
  text.split('\n').flatMap((line) => {
    if (!line.startsWith('data: {"type":"response.output_item.done"')) return [];
    return [(JSON.parse(line.slice(6)) as { item: JsonObject }).item];
  });

it('go up to Claude, in a namespace of the list, too', async () => {
  const list = [{ type: 'namespace', name: 'mcp__notes', tools: [f('read')] }, f('wait')];
  await t.post('/v1/responses', { model: BY_CLAUDE, tools: list, input: [ADDED, SAID] });
  const { tools } = t.lastSeen.body as { tools: JsonObject[] };
  expect(tools.map(({ name }) => name)).toEqual(['mcp__notes__read', 'exec', 'wait', 'collaboration__send']);
});

it('pass as they came where the wire is their own', async () => {
  await t.post('/v1/responses', { model: BY_RESPONSES, input: [ADDED, SAID, ...CALLED] });
  expect(t.lastSeen.body).toMatchObject({ input: [ADDED, SAID, ...CALLED] });
  expect(t.lastSeen.body).not.toHaveProperty('tools');
});
