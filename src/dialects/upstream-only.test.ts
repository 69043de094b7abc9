/** What the dialects that only upstreams speak have in common: how they cut, fail, write requests and tell errors. */
import { describe, expect, it, test } from 'bun:test';
import fc from 'fast-check';
import { pieces } from '../../tests/dialects/bytes.ts';
import * as cohereStream from '../../tests/dialects/cohere-stream.ts';
import * as ollamaStream from '../../tests/dialects/ollama-stream.ts';
import type { JsonObject } from '../core/json.ts';
import type { UpstreamDialect } from './codec.ts';
import { cohere } from './cohere/wire.ts';
import type { ChatRequest, StreamEvent } from './neutral.ts';
import { ollama } from './ollama/wire.ts';

interface Asked {
  request: ChatRequest;
  model: string;
  written: JsonObject;
}

interface Case {
  dialect: UpstreamDialect;
  stream: {
    STREAM: JsonObject[];
    bytesOf(items: readonly JsonObject[]): Uint8Array;
    read(chunks: readonly Uint8Array[]): StreamEvent[];
  };
  /** In the middle of a part; and a failure that comes there. */
  cutAt: number;
  failed: { item: JsonObject; message: string };
  /** A request with every setting and part that it has a word for. */
  whole: Asked;
  /** One with what it has no word for. */
  foreign: Asked & { dropped: string[] };
  /** Answers that are errors, and what these say; and one that is none. */
  errors: [answer: unknown, message: string][];
  good: JsonObject;
}

const nothing = (given: JsonObject): Case['errors'] =>
  [given, [], null].map((answer) => [answer, 'its answer holds no message']);

const data = (mediaType: string, text: string) => ({
  kind: 'data' as const,
  mediaType,
  data: Buffer.from(text).toString('base64'),
});

const cases: Case[] = [
  {
    dialect: cohere,
    stream: cohereStream,
    cutAt: 7,
    failed: {
      item: { type: 'message-end', delta: { finish_reason: 'ERROR', error: 'broken' } },
      message: 'broken',
    },
    whole: {
      model: 'command-a',
      request: {
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
                source: {
                  kind: 'data',
                  mediaType: 'text/plain',
                  data: Buffer.from('doc').toString('base64'),
                },
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
      },
      written: {
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
      },
    },
    foreign: {
      model: 'up',
      request: {
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
            parts: [
              { type: 'tool-result', id: 'a', kind: 'function', content: [{ type: 'text', text: '1' }] },
            ],
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
      },
      written: {
        model: 'up',
        stream: false,
        k: 4,
        tool_choice: 'REQUIRED',
        tools: [
          { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
        ],
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 'a', content: '1' },
        ],
      },
      dropped: ['min_p', 'thinking'],
    },
    errors: [
      [{ message: 'invalid api token' }, 'invalid api token'],
      [{ delta: { error: 'broken', finish_reason: 'ERROR' } }, 'broken'],
      ...nothing({ id: 'c' }),
    ],
    good: { message: { role: 'assistant', content: [] } },
  },
  {
    dialect: ollama,
    stream: ollamaStream,
    cutAt: 3,
    failed: { item: { error: 'out of memory' }, message: 'out of memory' },
    whole: {
      model: 'qwen3',
      request: {
        dialect: 'openai-chat',
        model: 'asked',
        stream: false,
        maxOutputTokens: 5,
        temperature: 0.1,
        topP: 0.9,
        topK: 4,
        minP: 0.1,
        seed: 1,
        repetitionPenalty: 1.1,
        frequencyPenalty: 0.2,
        presencePenalty: 0.3,
        stop: ['a'],
        logprobs: true,
        topLogprobs: 2,
        reasoning: { mode: 'on' },
        responseFormat: { type: 'schema', name: 'response', schema: { type: 'object', properties: {} } },
        tools: [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' } }],
        messages: [
          { role: 'system', parts: [{ type: 'text', text: 'be brief' }] },
          {
            role: 'user',
            parts: [
              { type: 'text', text: 'look' },
              { type: 'file', source: data('text/plain', 'doc'), title: 'T' },
              { type: 'image', source: data('image/png', 'png') },
            ],
          },
          {
            role: 'assistant',
            parts: [
              { type: 'thinking', text: 'hm', origin: 'ollama' },
              { type: 'tool-call', id: 'a', name: 'f', input: '{"x":1}', kind: 'function' },
            ],
          },
          {
            role: 'tool',
            parts: [
              { type: 'tool-result', id: 'a', kind: 'function', content: [{ type: 'text', text: '1' }] },
            ],
          },
        ],
        extra: {},
      },
      written: {
        model: 'qwen3',
        stream: false,
        think: true,
        format: { type: 'object', properties: {} },
        logprobs: true,
        top_logprobs: 2,
        options: {
          num_predict: 5,
          temperature: 0.1,
          top_p: 0.9,
          top_k: 4,
          min_p: 0.1,
          seed: 1,
          repeat_penalty: 1.1,
          frequency_penalty: 0.2,
          presence_penalty: 0.3,
          stop: ['a'],
        },
        tools: [
          { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
        ],
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'look\nT:\ndoc\n', images: ['cG5n'] },
          {
            role: 'assistant',
            content: '',
            thinking: 'hm',
            tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }],
          },
          { role: 'tool', content: '1', tool_name: 'f' },
        ],
      },
    },
    foreign: {
      model: 'qwen3',
      request: {
        dialect: 'openai-chat',
        model: 'asked',
        stream: true,
        messages: [
          { role: 'developer', parts: [{ type: 'text', text: 'be brief' }] },
          {
            role: 'user',
            parts: [
              { type: 'text', text: 'look' },
              { type: 'image', source: { kind: 'data', mediaType: 'image/png', data: 'AAAA' } },
            ],
          },
          {
            role: 'assistant',
            parts: [{ type: 'tool-call', id: 'a', name: 'f', input: '{"x":1}', kind: 'function' }],
          },
          {
            role: 'tool',
            parts: [
              { type: 'tool-result', id: 'a', kind: 'function', content: [{ type: 'text', text: '1' }] },
            ],
          },
        ],
        tools: [{ type: 'function', name: 'f' }],
        toolChoice: { mode: 'required' },
        reasoning: { effort: 'high' },
        maxOutputTokens: 9,
        logitBias: { 5: 1 },
        extra: {},
      },
      written: {
        model: 'qwen3',
        stream: true,
        think: true,
        options: { num_predict: 9 },
        tools: [
          { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } },
        ],
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: 'look', images: ['AAAA'] },
          { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] },
          { role: 'tool', content: '1', tool_name: 'f' },
        ],
      },
      dropped: ['logit_bias', 'tool_choice'],
    },
    errors: [
      [{ error: 'model not found' }, 'model not found'],
      [{ error: { message: 'model not found' } }, 'model not found'],
      ...nothing({ done: true }),
    ],
    good: ollamaStream.line({}, { done: true }),
  },
];

describe.each(cases.map((each) => [each.dialect.id, each] as const))('%s', (_, each) => {
  const { dialect, stream } = each;
  const { STREAM, bytesOf, read } = stream;
  const write = ({ request, model }: Asked) => {
    const dropped: string[] = [];
    const body = dialect.writeRequest(request, {
      model,
      stream: request.stream,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what) => dropped.push(what),
    });
    return { body, dropped: dropped.sort() };
  };

  it('tells the same events however the bytes are cut', () => {
    const bytes = bytesOf(STREAM);
    const whole = read([bytes]);
    fc.assert(
      fc.property(pieces(bytes), (chunks) => {
        expect(read(chunks)).toEqual(whole);
      }),
    );
  });

  it('tells no end of a stream that was cut, and of one that failed its error', () => {
    const begun = STREAM.slice(0, each.cutAt);
    expect(read([bytesOf(begun)]).at(-1)?.type).toBe('part-end');
    const { item, message } = each.failed;
    expect(read([bytesOf([...begun, item])]).at(-1)).toEqual({ type: 'error', message });
  });

  it('writes every setting and part that it has a word for', () => {
    expect(write(each.whole)).toEqual({ body: each.whole.written, dropped: [] });
  });

  it('writes what it can of other dialects, and says what it drops', () => {
    const { written, dropped } = each.foreign;
    expect(write(each.foreign)).toEqual({ body: written, dropped });
  });

  test.each(each.errors)('an answer %j is an error: %s', (answer, message) => {
    expect(dialect.readError(answer)).toEqual({ message });
  });

  it('sees no error in an answer with a message', () => {
    expect(dialect.readError(each.good)).toBeNull();
  });
});
