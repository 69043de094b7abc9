import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventsOfFrames, pieces, sseFrames } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { accumulate, joinedText, joinedThinking } from '../accumulate.ts';
import type { ChatRequest, StreamEvent } from '../neutral.ts';
import { cohere } from './wire.ts';

const said = (message: JsonObject, more: JsonObject = {}): JsonObject => ({ delta: { message }, ...more });
const content = (type: string, piece: JsonObject) => ({ type, ...said({ content: piece }, { index: 0 }) });
const called = (type: string, index: number, call: JsonObject) => ({
  type,
  ...said({ tool_calls: call }, { index }),
});

const CITATION = {
  start: 0,
  end: 2,
  text: 'ok',
  sources: [{ type: 'document', id: 'doc:0', document: { id: 'doc:0', text: 'source', title: 'T' } }],
};
const USAGE = {
  billed_units: { input_tokens: 8, output_tokens: 50 },
  tokens: { input_tokens: 1394, output_tokens: 54 },
  cached_tokens: 1360,
};
const END = { type: 'message-end', delta: { finish_reason: 'TOOL_CALL', usage: USAGE } };

const STREAM: JsonObject[] = [
  {
    type: 'message-start',
    id: 'c1',
    ...said({ role: 'assistant', content: [], tool_plan: '', tool_calls: [] }),
  },
  content('content-start', { type: 'thinking', thinking: '' }),
  content('content-delta', { thinking: 'hm' }),
  { type: 'content-end', index: 0 },
  content('content-start', { type: 'text', text: '' }),
  content('content-delta', { text: 'o' }),
  content('content-delta', { text: 'k é 🙂' }),
  { type: 'content-end', index: 0 },
  { type: 'citation-start', ...said({ citations: CITATION }, { index: 0 }) },
  { type: 'citation-end', index: 0 },
  { type: 'tool-plan-delta', ...said({ tool_plan: 'I will ' }) },
  { type: 'tool-plan-delta', ...said({ tool_plan: 'look.' }) },
  called('tool-call-start', 0, { id: 'f_1', type: 'function', function: { name: 'f', arguments: '' } }),
  called('tool-call-delta', 0, { function: { arguments: '{"x":' } }),
  called('tool-call-delta', 0, { function: { arguments: '1}' } }),
  { type: 'tool-call-end', index: 0 },
  called('tool-call-start', 1, { id: 'g_1', type: 'function', function: { name: 'g', arguments: '' } }),
  { type: 'tool-call-end', index: 1 },
  END,
];
const bytesOf = (events: readonly JsonObject[]): Uint8Array =>
  Buffer.from(events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join(''));

const read = (chunks: readonly Uint8Array[]): StreamEvent[] =>
  eventsOfFrames(cohere.streamReader(), sseFrames(chunks));

describe('reading answers', () => {
  test('events become parts; a plan is thinking, and what is billed counts', () => {
    expect(accumulate(read([bytesOf(STREAM)]))).toMatchObject({
      id: 'c1',
      choices: [
        {
          parts: [
            { type: 'thinking', text: 'hm' },
            {
              type: 'text',
              text: 'ok é 🙂',
              citations: [{ kind: 'document', title: 'T', start: 0, end: 2 }],
            },
            { type: 'thinking', text: 'I will look.' },
            { type: 'tool-call', id: 'f_1', name: 'f', input: '{"x":1}' },
            { type: 'tool-call', id: 'g_1', name: 'g', input: '{}' },
          ],
          stop: 'tool-calls',
        },
      ],
      usage: { ...noUsage(), input: 8, output: 50 },
    });
    expect(read([bytesOf(STREAM)]).at(-1)).toEqual({ type: 'end' });
  });

  test('however the bytes are cut, the events are the same', () => {
    const bytes = bytesOf(STREAM);
    const whole = read([bytes]);
    fc.assert(
      fc.property(pieces(bytes), (chunks) => {
        expect(read(chunks)).toEqual(whole);
      }),
    );
  });

  test('a function without arguments has none, however that is said', () => {
    for (const pieces of [[], [''], ['null'], ['{}']]) {
      const events = [
        ...STREAM.slice(0, 1),
        called('tool-call-start', 0, { id: 'a', type: 'function', function: { name: 'f', arguments: '' } }),
        ...pieces.map((text) => called('tool-call-delta', 0, { function: { arguments: text } })),
        { type: 'tool-call-end', index: 0 },
        END,
      ];
      expect(accumulate(read([bytesOf(events)])).choices[0]?.parts).toMatchObject([{ input: '{}' }]);
    }
    const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: 'null' } }];
    const reply = cohere.readReply({ id: 'c', message: { role: 'assistant', tool_calls } });
    expect(reply.choices[0]?.parts).toMatchObject([{ input: '{}' }]);
  });

  test('a cut stream has no end, a failed one its error', () => {
    expect(read([bytesOf(STREAM.slice(0, 7))]).at(-1)?.type).toBe('part-end');
    const failed = { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'broken' } };
    expect(read([bytesOf([...STREAM.slice(0, 7), failed])]).at(-1)).toEqual({
      type: 'error',
      message: 'broken',
    });
  });
});

test('an answer is the same as a stream and as a body, whatever is in it', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const inputs = fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value));
  const call = fc
    .record({ id: words, name: words, arguments: inputs })
    .map(({ id, ...called }) => ({ id, type: 'function', function: called }));
  fc.assert(
    fc.property(words, words, words, fc.array(call, { maxLength: 4 }), (thinking, text, plan, calls) => {
      const message: JsonObject = {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking },
          { type: 'text', text },
        ],
        tool_plan: plan,
        tool_calls: calls,
      };
      const events = [
        { type: 'message-start', id: 'c1', ...said({ role: 'assistant' }) },
        { type: 'tool-plan-delta', ...said({ tool_plan: plan }) },
        { type: 'content-start', ...said({ content: { type: 'text', text: '' } }, { index: 0 }) },
        content('content-delta', { thinking }),
        content('content-delta', { text }),
        ...calls.flatMap((one, index) => [
          called('tool-call-start', index, { ...one, function: { ...one.function, arguments: '' } }),
          called('tool-call-delta', index, { function: { arguments: one.function.arguments } }),
          { type: 'tool-call-end', index },
        ]),
        END,
      ];
      const whole = cohere.readReply({ id: 'c1', message, finish_reason: 'TOOL_CALL', usage: USAGE });
      const streamed = accumulate(read([bytesOf(events)]));
      const outcome = ({ choices: [choice], usage }: typeof whole) => ({
        thinking: joinedThinking(choice?.parts ?? []),
        text: joinedText(choice?.parts ?? []),
        calls: choice?.parts.filter((part) => part.type === 'tool-call'),
        stop: choice?.stop,
        usage,
      });
      expect(outcome(streamed)).toEqual(outcome(whole));
      expect(outcome(whole)).toMatchObject({
        thinking: plan + thinking,
        text,
        calls: calls.map(({ id, function: { name, arguments: input } }) => ({ id, name, input })),
      });
    }),
  );
});

describe('requests', () => {
  test('say every setting and part that this dialect has a word for', () => {
    const request: ChatRequest = {
      dialect: 'openai-chat',
      model: 'asked',
      stream: true,
      maxOutputTokens: 5,
      temperature: 0.3,
      topP: 0.9,
      topK: 4,
      seed: 1,
      frequencyPenalty: 0.1,
      presencePenalty: 0.2,
      stop: ['a'],
      reasoning: { mode: 'on', budgetTokens: 100 },
      responseFormat: { type: 'schema', name: 'response', schema: { type: 'object' } },
      toolChoice: { mode: 'required' },
      logprobs: true,
      tools: [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' } }],
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'be brief' }] },
        {
          role: 'user',
          parts: [
            { type: 'text', text: 'look' },
            {
              type: 'image',
              source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' },
              detail: 'low',
            },
            {
              type: 'file',
              source: { kind: 'data', mediaType: 'text/plain', data: Buffer.from('doc').toString('base64') },
              title: 'T',
            },
          ],
        },
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'hm', origin: 'cohere' },
            { type: 'text', text: 'I will look.' },
            { type: 'tool-call', id: 'f_1', name: 'f', input: '{"x":1}', kind: 'function' },
          ],
        },
        {
          role: 'tool',
          parts: [
            { type: 'tool-result', id: 'f_1', kind: 'function', content: [{ type: 'text', text: '2' }] },
          ],
        },
      ],
      extra: {},
    };
    const written = cohere.writeRequest(request, {
      model: 'command-a',
      stream: true,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what) => {
        throw new Error(`dropped ${what}`);
      },
    });
    expect(written).toEqual({
      model: 'command-a',
      stream: true,
      max_tokens: 5,
      temperature: 0.3,
      p: 0.9,
      k: 4,
      seed: 1,
      frequency_penalty: 0.1,
      presence_penalty: 0.2,
      stop_sequences: ['a'],
      thinking: { type: 'enabled', token_budget: 100 },
      response_format: { type: 'json_object', json_schema: { type: 'object' } },
      tool_choice: 'REQUIRED',
      logprobs: true,
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
      ],
      messages: [
        { role: 'system', content: 'be brief' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
            { type: 'document', document: { data: { title: 'T', text: 'doc' } } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'I will look.' },
          ],
          tool_calls: [{ id: 'f_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
        { role: 'tool', tool_call_id: 'f_1', content: '2' },
      ],
    });
  });

  test('hold no plan for tools, whatever fields a thought of another dialect has', () => {
    const dropped: string[] = [];
    const request: ChatRequest = {
      dialect: 'anthropic-messages',
      model: 'asked',
      stream: false,
      messages: [
        {
          role: 'assistant',
          parts: [
            {
              type: 'thinking',
              text: 'hm',
              signature: 'c2ln',
              origin: 'anthropic-messages',
              extra: { tool_plan: true },
            },
            { type: 'text', text: 'ok' },
          ],
        },
      ],
      tools: [],
      extra: {},
    };
    const { messages } = cohere.writeRequest(request, {
      model: 'up',
      stream: false,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what) => dropped.push(what),
    });
    expect(messages).toEqual([{ role: 'assistant', content: 'ok' }]);
    expect(dropped).toEqual(['thinking']);
  });

  test('of other dialects say what this one can', () => {
    const dropped: string[] = [];
    const request: ChatRequest = {
      dialect: 'anthropic-messages',
      model: 'asked',
      stream: false,
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'be brief' }] },
        { role: 'user', parts: [{ type: 'text', text: 'hi' }] },
        {
          role: 'assistant',
          parts: [
            { type: 'thinking', text: 'hm', signature: 'c2ln', origin: 'anthropic-messages' },
            { type: 'tool-call', id: 'a', name: 'f', input: '{}', kind: 'function' },
          ],
        },
        {
          role: 'tool',
          parts: [{ type: 'tool-result', id: 'a', kind: 'function', content: [{ type: 'text', text: '1' }] }],
        },
      ],
      tools: [
        { type: 'function', name: 'f' },
        { type: 'function', name: 'g' },
      ],
      toolChoice: { mode: 'named', name: 'f', kind: 'function' },
      topK: 4,
      minP: 0.5,
      extra: {},
    };
    const set = {
      model: 'up',
      stream: false,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what: string) => dropped.push(what),
    };
    expect(cohere.writeRequest(request, set)).toEqual({
      model: 'up',
      stream: false,
      k: 4,
      tool_choice: 'REQUIRED',
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
    });
    expect(dropped.sort()).toEqual(['min_p', 'thinking']);
  });
});

test('an answer without a message is an error, which is a text where it says one', () => {
  expect(cohere.readError({ message: 'invalid api token' })).toEqual({ message: 'invalid api token' });
  expect(cohere.readError({ delta: { error: 'broken', finish_reason: 'ERROR' } })).toEqual({
    message: 'broken',
  });
  for (const nothing of [{ id: 'c' }, [], null]) {
    expect(cohere.readError(nothing)).toEqual({ message: 'its answer holds no message' });
  }
  expect(cohere.readError({ message: { role: 'assistant', content: [] } })).toBeNull();
});
