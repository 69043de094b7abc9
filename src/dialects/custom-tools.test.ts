import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { convertingPassage } from './convert.ts';
import { chatDialects } from './registry.ts';

const by = (id: string) => {
  const found = chatDialects.find(({ dialect }) => dialect.id === id);
  if (!found) throw new Error(id);
  return found;
};

function passageFor(callerId: string) {
  const { codec, dialect } = by('openai-responses');
  return convertingPassage({
    caller: by(callerId),
    upstream: { ...codec, id: 'openai-responses', readError: () => null },
    spoken: dialect,
    path: { model: 'm' },
    requestId: 'r',
    createdSec: 1,
    defaultMaxTokens: 9,
    thinkingToContent: false,
  });
}

const schema = { type: 'object', properties: {} };
const CHAT: JsonObject = {
  model: 'm',
  messages: [{ role: 'user', content: 'x' }],
  tools: [{ type: 'function', function: { name: 'run', parameters: schema } }],
};
const ASKED: Readonly<Record<string, JsonObject>> = {
  'openai-chat': CHAT,
  'anthropic-messages': {
    model: 'm',
    max_tokens: 5,
    messages: [{ role: 'user', content: 'x' }],
    tools: [{ name: 'run', input_schema: schema }],
  },
  gemini: {
    contents: [{ role: 'user', parts: [{ text: 'x' }] }],
    tools: [{ functionDeclarations: [{ name: 'run', parameters: schema }] }],
  },
};
const SET = { model: 'm', stream: false, askUsage: false };

const answer = (input: string): JsonObject => ({
  id: 'resp_1',
  status: 'completed',
  output: [
    { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'q' } },
    { type: 'code_interpreter_call', id: 'ci_1', code: 'print()', container_id: 'c' },
    { type: 'mcp_call', id: 'mcp_1', name: 'theirs', arguments: '{}', server_label: 's' },
    { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'run', input },
  ],
});

function streamOf(input: string): string[] {
  const item = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_1', name: 'run' };
  const at = { item_id: 'ctc_1', output_index: 0 };
  const output = [{ ...item, input }];
  const events: JsonObject[] = [
    { type: 'response.created', response: { id: 'resp_1', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, input: '' } },
    ...[...input].map((delta) => ({ type: 'response.custom_tool_call_input.delta', ...at, delta })),
    { type: 'response.custom_tool_call_input.done', ...at, input },
    { type: 'response.output_item.done', output_index: 0, item: { ...item, input } },
    { type: 'response.completed', response: { id: 'resp_1', status: 'completed', output } },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
}

describe.each([
  ['{"city":"Oslo"}', '{"city":"Oslo"}'],
  ['free text', '{"input":"free text"}'],
])('a custom call with %j', (input, told) => {
  it.each(Object.keys(ASKED))('reaches a caller of %s who declared functions as one', (id) => {
    const passage = passageFor(id);
    passage.request(ASKED[id] ?? {}, SET);
    const { text } = passage.reply('', answer(input));
    const { choices, content, candidates } = JSON.parse(text);
    const called: JsonObject[] =
      choices?.[0].message.tool_calls ?? content ?? candidates?.[0].content.parts ?? [];
    const expected: Readonly<Record<string, JsonObject>> = {
      'openai-chat': { id: 'call_1', type: 'function', function: { name: 'run', arguments: told } },
      'anthropic-messages': { type: 'tool_use', name: 'run', input: JSON.parse(told) },
      gemini: { functionCall: { name: 'run', args: JSON.parse(told) } },
    };
    expect(called).toHaveLength(1);
    expect(called[0]).toMatchObject(expected[id] ?? { unknown: id });
    expect(text).not.toContain('theirs');
  });

  it('reaches one who streams', () => {
    const passage = passageFor('openai-chat');
    passage.request(CHAT, SET);
    const stream = passage.stream(by('openai-chat').dialect.readRequest(CHAT, {}));
    const frames = streamOf(input).map((frame) => String(stream.push(Buffer.from(frame)).out ?? ''));
    const calls = [...frames.join('').matchAll(/^data: (\{.*)$/gm)]
      .map(([, data = '']) => JSON.parse(data))
      .flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({ id: 'call_1', type: 'function', function: { name: 'run' } });
    expect(calls.map((call) => call.function?.arguments ?? '').join('')).toBe(told);
    expect(frames.join('')).not.toContain('"custom"');
  });
});

it('stays custom for a caller who declared it so', () => {
  const passage = passageFor('openai-chat');
  passage.request({ ...CHAT, tools: [{ type: 'custom', custom: { name: 'run' } }] }, SET);
  const { text } = passage.reply('', answer('free text'));
  expect(JSON.parse(text).choices[0].message.tool_calls).toEqual([
    { id: 'call_1', type: 'custom', custom: { name: 'run', input: 'free text' } },
  ]);
});

it("of a vendor's own among the calls of Chat Completions is nobody's to answer", () => {
  const search = { id: 'c', type: 'web_search', web_search: { outputs: [] } };
  const message = { role: 'assistant', content: 'hi', tool_calls: [search] };
  const [choice] = by('openai-chat').codec.readReply({ id: 'x', choices: [{ index: 0, message }] }).choices;
  expect(choice?.parts.map(({ type }) => type)).toEqual(['text']);
  expect(choice?.stop).toBe('stop');
});
