import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { replyOf } from '../../../tests/dialects/arbitrary.ts';
import { eventsOfFrames, pieces, sseFrames } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { accumulate, eventsOf } from '../accumulate.ts';
import type { ReplyContext } from '../codec.ts';
import type { ChatRequest, Part, StreamEvent } from '../neutral.ts';
import { cohereCodec } from './codec.ts';
import { cohere } from './dialect.ts';
import { frame } from './write-stream.ts';

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
  Buffer.from(events.map(({ type, ...fields }) => frame(String(type), fields)).join(''));

const read = (chunks: readonly Uint8Array[]): StreamEvent[] =>
  eventsOfFrames(cohereCodec.streamReader(), sseFrames(chunks));

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
            { type: 'thinking', text: 'I will look.', extra: { tool_plan: true } },
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
    const reply = cohereCodec.readReply({ id: 'c', message: { role: 'assistant', tool_calls } });
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

const CONTEXT: ReplyContext = {
  model: 'asked',
  createdSec: 1,
  requestId: 'req',
  request: { dialect: 'cohere', model: 'asked', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
};

test('an answer comes back through stream and body alike, whatever is in it', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const text: fc.Arbitrary<Part> = fc.record({ type: fc.constant('text' as const), text: words });
  const call: fc.Arbitrary<Part> = fc.record({
    type: fc.constant('tool-call' as const),
    id: words,
    name: words,
    input: fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value)),
    kind: fc.constant('function' as const),
  });
  const calls = (parts: readonly Part[] = []) => parts.filter((part) => part.type === 'tool-call');
  const texts = (parts: readonly Part[] = []) =>
    parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  fc.assert(
    fc.property(replyOf(fc.oneof(text, call), 1), (reply) => {
      const parts = reply.choices[0]?.parts ?? [];
      const writer = cohereCodec.streamWriter(CONTEXT);
      const written = eventsOf(reply)
        .map((event) => writer.write(event))
        .join('');
      const streamed = accumulate(read([Buffer.from(written)]));
      const whole = cohereCodec.readReply(cohereCodec.writeReply(reply, CONTEXT));
      for (const back of [streamed.choices[0]?.parts, whole.choices[0]?.parts]) {
        expect(calls(back)).toEqual(calls(parts));
        expect(texts(back)).toBe(texts(parts));
      }
      expect(streamed.usage).toEqual(whole.usage);
    }),
  );
});

describe('requests', () => {
  test('of this dialect keep every field that they had', () => {
    const body: JsonObject = {
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
      safety_mode: 'STRICT',
      documents: [{ data: { text: 'd' } }],
      citation_options: { mode: 'FAST' },
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
            { type: 'document', document: { id: '1', data: { text: 'doc', title: 'T' } } },
          ],
        },
        {
          role: 'assistant',
          tool_plan: 'I will look.',
          tool_calls: [{ id: 'f_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
        },
        { role: 'tool', tool_call_id: 'f_1', content: [{ type: 'document', document: { data: '{"y":2}' } }] },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm' },
            { type: 'text', text: 'ok' },
          ],
        },
      ],
    };
    const request = cohereCodec.readRequest(body, {});
    const written = cohereCodec.writeRequest(request, {
      model: 'command-a',
      stream: true,
      askUsage: true,
      defaultMaxTokens: 1,
      lost: (what) => {
        throw new Error(`lost ${what}`);
      },
    });
    expect(written).toEqual(body);
  });

  test('of other dialects say what this one can', () => {
    const lost: string[] = [];
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
      lost: (what: string) => lost.push(what),
    };
    expect(cohereCodec.writeRequest(request, set)).toEqual({
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
    expect(lost.sort()).toEqual(['min_p', 'thinking']);
  });
});

describe('the wire as it comes', () => {
  test('bounds, content, usage and the last event', () => {
    const request = { model: 'm', max_tokens: 5, messages: [{ role: 'user', content: 'hi' }] };
    expect(cohere.readRequest(request, {})).toMatchObject({ outputCap: 5, prompt: { textBytes: 2 } });
    expect(() => cohere.readRequest({ ...request, max_tokens: 0 }, {})).toThrow('invalid_request');
    const tap = cohere.tap({ wantsUsage: true });
    const facts = STREAM.map((event) => tap.read({ event: '', data: JSON.stringify(event) }));
    expect(facts.findIndex(({ content: seen }) => seen)).toBe(2);
    expect(facts.map(({ last }) => last)).toEqual([...Array(STREAM.length - 1).fill(false), true]);
    expect(tap.usage).toEqual({ ...noUsage(), input: 8, output: 50 });
    expect(tap.wants(bytesOf([END]))).toBe(true);
    expect(tap.wants(bytesOf(STREAM.slice(5, 6)))).toBe(false);
  });

  test('errors are a text', () => {
    expect(cohere.readReply({ message: 'invalid api token' }).error).toEqual({
      message: 'invalid api token',
    });
  });
});
