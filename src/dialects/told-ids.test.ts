import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { messagesCodec } from './anthropic-messages/codec.ts';
import { anthropicMessages } from './anthropic-messages/dialect.ts';
import { bedrockConverse } from './bedrock-converse/wire.ts';
import type { ChatCodec, UpstreamCodec } from './codec.ts';
import { convertingPassage } from './convert.ts';
import type { Dialect } from './dialect.ts';
import { objectOf, objectsOf } from './fields.ts';
import { geminiCodec } from './gemini/codec.ts';
import { gemini } from './gemini/dialect.ts';
import { openaiChatCodec } from './openai-chat/codec.ts';
import { openaiChat } from './openai-chat/dialect.ts';
import { openaiResponsesCodec } from './openai-responses/codec.ts';
import { openaiResponses } from './openai-responses/dialect.ts';
import type { StreamPassage } from './passage.ts';

const CALLERS = {
  messages: { dialect: anthropicMessages, codec: messagesCodec },
  chat: { dialect: openaiChat, codec: openaiChatCodec },
  responses: { dialect: openaiResponses, codec: openaiResponsesCodec },
  gemini: { dialect: gemini, codec: geminiCodec },
} satisfies Record<string, { dialect: Dialect; codec: ChatCodec }>;
type Caller = keyof typeof CALLERS;

const wire = (id: string, codec: UpstreamCodec) => ({ ...codec, id, readError: () => null });
const WIRES = {
  claude: wire('anthropic-messages', messagesCodec),
  bedrock: wire('bedrock-converse', bedrockConverse),
  responses: wire('openai-responses', openaiResponsesCodec),
  chat: wire('openai-chat', openaiChatCodec),
  gemini: wire('gemini', geminiCodec),
};
type Wire = keyof typeof WIRES;

const passage = (caller: Caller, to: Wire, requestId = 'call-1') =>
  convertingPassage({
    caller: CALLERS[caller],
    upstream: WIRES[to],
    spoken: openaiChat,
    path: {},
    requestId,
    createdSec: 0,
    defaultMaxTokens: 4096,
    thinkingToContent: false,
  });
const SET = { model: 'kimi-k3', stream: false, askUsage: true };

/** The ids of calls and of results in what goes up, as any wire has them. */
function idsIn(body: JsonObject): { calls: unknown[]; results: unknown[] } {
  const calls: unknown[] = [];
  const results: unknown[] = [];
  const items = [...objectsOf(body.messages), ...objectsOf(body.input)];
  for (const item of items.flatMap((each) => [each, ...objectsOf(each.content)])) {
    for (const call of objectsOf(item.tool_calls)) calls.push(call.id);
    if (item.type === 'tool_use') calls.push(item.id);
    if (item.type === 'function_call') calls.push(item.call_id);
    if (item.type === 'tool_result') results.push(item.tool_use_id);
    if (item.type === 'function_call_output') results.push(item.call_id);
    if (item.role === 'tool') results.push(item.tool_call_id);
    const { toolUse, toolResult } = item;
    if (toolUse) calls.push(objectOf(toolUse)?.toolUseId);
    if (toolResult) results.push(objectOf(toolResult)?.toolUseId);
  }
  return { calls, results };
}

/** A talk in which each turn makes the calls of these ids, and answers them. */
const TALKS: Record<Caller, (turns: string[][]) => JsonObject> = {
  chat: (turns) => ({
    messages: [
      { role: 'user', content: 'hi' },
      ...turns.flatMap((ids) => [
        {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({
            id,
            type: 'function',
            function: { name: 'Bash', arguments: '{}' },
          })),
        },
        ...ids.map((tool_call_id) => ({ role: 'tool', tool_call_id, content: 'x' })),
      ]),
    ],
  }),
  responses: (turns) => ({
    input: [
      { role: 'user', content: 'hi' },
      ...turns.flatMap((ids) => [
        ...ids.map((call_id) => ({ type: 'function_call', call_id, name: 'Bash', arguments: '{}' })),
        ...ids.map((call_id) => ({ type: 'function_call_output', call_id, output: 'x' })),
      ]),
    ],
  }),
  messages: (turns) => ({
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'hi' },
      ...turns.flatMap((ids) => [
        {
          role: 'assistant',
          content: ids.map((id) => ({ type: 'tool_use', id, name: 'Bash', input: {} })),
        },
        { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) },
      ]),
    ],
  }),
  gemini: (turns) => ({
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      ...turns.flatMap((ids) => [
        { role: 'model', parts: ids.map((id) => ({ functionCall: { id, name: 'Bash', args: {} } })) },
        {
          role: 'user',
          parts: ids.map((id) => ({ functionResponse: { id, name: 'Bash', response: { result: 'x' } } })),
        },
      ]),
    ],
  }),
};

const sent = (caller: Caller, to: Wire, turns: string[][], model = SET.model) =>
  idsIn(passage(caller, to).request({ model: 'm', ...TALKS[caller](turns) }, { ...SET, model }));

describe.each<[Caller, Wire]>([
  ['chat', 'claude'],
  ['chat', 'bedrock'],
  ['chat', 'responses'],
  ['responses', 'claude'],
  ['responses', 'bedrock'],
  ['gemini', 'claude'],
  ['gemini', 'bedrock'],
  ['gemini', 'responses'],
  ['messages', 'bedrock'],
  ['messages', 'responses'],
])('a talk of %s at %s', (caller, to) => {
  it('has no two calls of one id, and each result that of its call', () => {
    const { calls, results } = sent(caller, to, [['call_0', 'call_1'], ['call_0'], ['call_0', 'call_0']]);
    expect(calls).toEqual(['call_0', 'call_1', 'call_0_2', 'call_0_3', 'call_0_4']);
    expect(results).toEqual(calls);
  });

  it('has the same ids when it has grown', () => {
    const turns = [['call_0_2'], ['call_0'], ['call_0'], ['call_0_2']];
    const { calls } = sent(caller, to, turns);
    expect(new Set(calls).size).toBe(4);
    for (const length of [1, 2, 3])
      expect(sent(caller, to, turns.slice(0, length)).calls).toEqual(calls.slice(0, length));
  });

  it('has ids of its own that nobody need tell apart as they are', () => {
    const turns = [['call_KwDjGKGaWqUkRvJAvqgJqZVY'], ['toolu_01A09q90qw90lq917835lq9']];
    expect(sent(caller, to, turns).calls).toEqual(turns.flat());
  });
});

describe('ids that a wire does not take', () => {
  it('are told in its letters, each otherwise', () => {
    const turns = [['functions.Bash:0'], ['functions:Bash:0']];
    for (const to of ['claude', 'bedrock'] as const) {
      const { calls, results } = sent('chat', to, turns);
      expect(calls).toEqual(['functions_Bash_0', 'functions_Bash_0_2']);
      expect(results).toEqual(calls);
    }
    expect(sent('chat', 'responses', turns).calls).toEqual(turns.flat());
  });

  it('are shortened, each otherwise', () => {
    const turns = [[`${'x'.repeat(70)}1`], [`${'x'.repeat(70)}2`], [`${'x'.repeat(70)}1`]];
    for (const to of ['bedrock', 'responses'] as const) {
      const { calls, results } = sent('chat', to, turns);
      expect(new Set(calls).size).toBe(3);
      for (const id of calls) expect(id).toHaveLength(64);
      expect(results).toEqual(calls);
    }
  });
});

/** An answer of a chat upstream that calls tools by these ids, whole or in the frames of a stream. */
const answered = (ids: string[], finish_reason: string, place: 'message' | 'delta'): JsonObject => ({
  ...{ id: 'c', model: 'm', created: 1 },
  choices: [
    {
      index: 0,
      [place]: {
        role: 'assistant',
        tool_calls: ids.map((id, index) => ({
          ...{ index, id, type: 'function' },
          function: { name: 'Bash', arguments: '{}' },
        })),
      },
      finish_reason,
    },
  ],
});

/** The ids by which a caller is told of them, when his talk so far has made the calls of these turns. */
function told(caller: Caller, ids: string[], { turns = [] as string[][], answer = 'one', streams = false }) {
  const way = passage(caller, 'chat', answer);
  way.request({ model: 'm', ...TALKS[caller](turns) }, { ...SET, stream: streams });
  const frames = [JSON.stringify(answered(ids, 'tool_calls', 'delta')), '[DONE]'];
  const body = answered(ids, 'tool_calls', 'message');
  const text = streams
    ? streamed(
        way.stream(CALLERS[caller].dialect.readRequest({ model: 'm', ...TALKS[caller](turns) }, {})),
        frames,
      )
    : way.reply(JSON.stringify(body), body).text;
  const found = [...text.matchAll(/"type":"tool_use","id":"([^"]*)"|"call_id":"([^"]*)"/g)];
  return [...new Set(found.map(([, use, call]) => use ?? call ?? ''))];
}

const streamed = (stream: StreamPassage, frames: string[]): string =>
  frames
    .map((each) => stream.push(Buffer.from(`data: ${each}\n\n`)).out ?? '')
    .map((each) => Buffer.from(each).toString())
    .join('');

const KIMIS = 'functions.Bash:0';
/** As LiteLLM keeps a thought signature of Gemini's. */
const SIGNED = `call_1__thought__Cs+/${'Q'.repeat(400)}==`;

describe.each([false, true])('an answer to a caller of Messages, streamed: %p', (streams) => {
  it('has the ids that it came with, where each call has one of its own', () => {
    const ids = ['call_KwDjGKGaWqUkRvJAvqgJqZVY', 'toolu_01A09q90qw90lq917835lq9'];
    expect(told('messages', ids, { streams, turns: [['call_0']] })).toEqual(ids);
  });

  it('has others where an earlier call of the talk has them', () => {
    const turns = [['call_0', 'call_1']];
    const [first = '', second = '', third] = told('messages', ['call_0', 'call_1', 'call_2'], {
      streams,
      turns,
    });
    expect(new Set([...turns.flat(), first, second]).size).toBe(4);
    expect(third).toBe('call_2');
    for (const id of [first, second]) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
  });

  it('has others where Claude takes no such letters, by each answer otherwise', () => {
    const all = ['one', 'two'].flatMap((answer) => told('messages', [KIMIS, 'Bash:0'], { streams, answer }));
    expect(new Set(all).size).toBe(4);
    for (const id of all) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  it('gives back to its maker the ids that it came with, result for result', () => {
    const given = [KIMIS, SIGNED];
    const ids = told('messages', given, { streams });
    expect(ids).not.toEqual(given);
    expect(sent('messages', 'chat', [ids])).toEqual({ calls: given, results: given });
    const later = told('messages', given, { streams, turns: [ids], answer: 'two' });
    expect(sent('messages', 'chat', [ids, later]).calls).toEqual([...given, ...given]);
    for (const model of ['anthropic/claude-sonnet-5', 'openai/gpt-6'])
      expect(sent('messages', 'chat', [ids, later], model).calls).toEqual([...ids, ...later]);
  });

  it('goes on where no ids are told by the names of its tools', () => {
    const [bash = '', read = ''] = told('messages', ['Bash:0', 'Bash:0'], { streams, turns: [['Bash:0']] });
    const block = (id: string, name: string) => ({ type: 'tool_use', id, name, input: {} });
    const content = [block(bash, 'Bash'), block(read, 'Read')];
    const results = [bash, read].map((tool_use_id) => ({ type: 'tool_result', tool_use_id, content: 'x' }));
    const talk = {
      messages: [
        { role: 'assistant', content },
        { role: 'user', content: results },
      ],
    };
    const up = passage('messages', 'gemini').request({ model: 'm', max_tokens: 9, ...talk }, SET);
    const answered = objectsOf(up.contents)
      .flatMap(({ parts }) => objectsOf(parts))
      .flatMap((part) => objectOf(part.functionResponse)?.name ?? []);
    expect(answered).toEqual(['Bash', 'Read']);
  });

  it('goes on at Bedrock by its ids', () => {
    const turns = [
      told('messages', [KIMIS], { streams }),
      told('messages', [KIMIS], { streams, answer: 'two' }),
    ];
    expect(sent('messages', 'bedrock', turns)).toEqual({ calls: turns.flat(), results: turns.flat() });
  });
});

describe.each([false, true])('an answer to a caller of Responses, streamed: %p', (streams) => {
  it('has ids of any letters, but none that an earlier call has', () => {
    expect(told('responses', [KIMIS], { streams })).toEqual([KIMIS]);
    const [id = ''] = told('responses', [KIMIS], { streams, turns: [[KIMIS]] });
    expect(id).not.toBe(KIMIS);
    expect(sent('responses', 'chat', [[KIMIS], [id]]).calls).toEqual([KIMIS, KIMIS]);
  });
});

it('tells two calls of one answer apart that came with one id', () => {
  const body = answered(['Bash:0', 'Bash:0'], 'tool_calls', 'message');
  const way = passage('messages', 'chat');
  way.request({ model: 'm', ...TALKS.messages([]) }, SET);
  const content = objectsOf(objectOf(JSON.parse(way.reply(JSON.stringify(body), body).text))?.content);
  expect(new Set(content.map(({ id }) => id)).size).toBe(2);
});
