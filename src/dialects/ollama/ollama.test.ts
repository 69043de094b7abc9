import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { eventsOfFrames, pieces } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { accumulate } from '../accumulate.ts';
import { parseFrame } from '../frames.ts';
import { splitterFor } from '../framing.ts';
import type { ChatRequest, Part, StreamEvent } from '../neutral.ts';
import { ollama } from './wire.ts';

const line = (message: JsonObject, more: JsonObject = {}): JsonObject => ({
  model: 'llama3.2',
  created_at: '2025-01-01T00:00:00Z',
  message: { role: 'assistant', content: '', ...message },
  done: false,
  ...more,
});

const STREAM: JsonObject[] = [
  line({ thinking: 'h' }),
  line({ thinking: 'm' }),
  line({ content: 'o' }),
  line({ content: 'k é 🙂' }),
  line({
    tool_calls: [
      { function: { name: 'f', arguments: { x: 1 } } },
      { function: { name: 'g', arguments: {} } },
    ],
  }),
  line({}, { done: true, done_reason: 'stop', prompt_eval_count: 11, eval_count: 7, total_duration: 5 }),
];
const bytesOf = (lines: readonly JsonObject[]): Uint8Array =>
  Buffer.from(lines.map((one) => `${JSON.stringify(one)}\n`).join(''));

function read(chunks: readonly Uint8Array[]): StreamEvent[] {
  const splitter = splitterFor('application/x-ndjson');
  const frames = [...chunks.flatMap((chunk) => splitter.push(chunk)), ...splitter.end()];
  return eventsOfFrames(
    ollama.streamReader(),
    frames.map(parseFrame).filter((frame) => frame !== null),
  );
}

describe('reading answers', () => {
  const expected = {
    model: 'llama3.2',
    created: 1_735_689_600,
    choices: [
      {
        parts: [
          { type: 'thinking', text: 'hm', origin: 'ollama' },
          { type: 'text', text: 'ok é 🙂' },
          { type: 'tool-call', name: 'f', input: '{"x":1}' },
          { type: 'tool-call', name: 'g', input: '{}' },
        ],
        stop: 'tool-calls',
      },
    ],
    usage: { ...noUsage(), input: 11, output: 7 },
  };

  test('lines become parts, and each call has an id of its own', () => {
    const reply = accumulate(read([bytesOf(STREAM)]));
    expect(reply).toMatchObject(expected);
    const ids = reply.choices[0]?.parts.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));
    expect(new Set(ids).size).toBe(2);
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

  test('a whole answer says the same', () => {
    const message = {
      role: 'assistant',
      content: 'ok é 🙂',
      thinking: 'hm',
      tool_calls: [
        { function: { name: 'f', arguments: { x: 1 } } },
        { function: { name: 'g', arguments: {} } },
      ],
    };
    const last = STREAM.at(-1) ?? {};
    expect(ollama.readReply({ ...last, message })).toMatchObject(expected);
  });

  test('a cut stream has no end, an error ends nothing', () => {
    expect(read([bytesOf(STREAM.slice(0, 3))]).at(-1)?.type).toBe('part-end');
    expect(read([bytesOf([...STREAM.slice(0, 3), { error: 'out of memory' }])]).at(-1)).toEqual({
      type: 'error',
      message: 'out of memory',
    });
  });
});

test('an answer is the same as lines and as one message, whatever is in it', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const call = fc.record({
    function: fc.record({ name: words, arguments: fc.dictionary(words, fc.jsonValue()) }),
  });
  fc.assert(
    fc.property(words, words, fc.array(call, { maxLength: 4 }), (thinking, content, tool_calls) => {
      const last = STREAM.at(-1) ?? {};
      const lines = [line({ thinking }), line({ content }), line({ tool_calls }), last];
      const whole = ollama.readReply({
        ...last,
        message: { role: 'assistant', content, thinking, tool_calls },
      });
      const outcome = ({ model, created, choices: [choice], usage }: typeof whole) => ({
        model,
        created,
        parts: choice?.parts.map((part) => (part.type === 'tool-call' ? { ...part, id: '' } : part)),
        stop: choice?.stop,
        usage,
      });
      expect(outcome(accumulate(read([bytesOf(lines)])))).toEqual(outcome(whole));
      expect(whole.choices[0]?.parts).toMatchObject([
        { type: 'thinking', text: thinking },
        { type: 'text', text: content },
        ...tool_calls.map(({ function: { name, arguments: input } }) => ({
          type: 'tool-call' as const,
          name,
          input: JSON.stringify(input),
        })),
      ]);
    }),
  );
});

test('pictures are of the kind that their first letters tell', () => {
  const images = ['/9j/4AAQ', 'R0lGODlh', 'UklGRiQA', 'iVBORw0K'];
  const { choices } = ollama.readReply(line({ images }, { done: true }));
  expect(choices[0]?.parts).toEqual(
    ['image/jpeg', 'image/gif', 'image/webp', 'image/png'].map((mediaType, n) => ({
      type: 'image' as const,
      source: { kind: 'data' as const, mediaType, data: images[n] ?? '' },
    })),
  );
});

describe('requests', () => {
  test('say every setting and part that this dialect has a word for', () => {
    const data = (mediaType: string, text: string) => ({
      kind: 'data' as const,
      mediaType,
      data: Buffer.from(text).toString('base64'),
    });
    const request: ChatRequest = {
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
          parts: [{ type: 'tool-result', id: 'a', kind: 'function', content: [{ type: 'text', text: '1' }] }],
        },
      ],
      extra: {},
    };
    const written = ollama.writeRequest(request, {
      model: 'llama3.2',
      stream: false,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what) => {
        throw new Error(`dropped ${what}`);
      },
    });
    expect(written).toEqual({
      model: 'llama3.2',
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
    });
  });

  test('of other dialects say what this one can', () => {
    const dropped: string[] = [];
    const request: ChatRequest = {
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
          parts: [{ type: 'tool-result', id: 'a', kind: 'function', content: [{ type: 'text', text: '1' }] }],
        },
      ],
      tools: [{ type: 'function', name: 'f' }],
      toolChoice: { mode: 'required' },
      reasoning: { effort: 'high' },
      maxOutputTokens: 9,
      logitBias: { 5: 1 },
      extra: {},
    };
    const set = {
      model: 'qwen3',
      stream: true,
      askUsage: true,
      defaultMaxTokens: 1,
      drop: (what: string) => dropped.push(what),
    };
    expect(ollama.writeRequest(request, set)).toEqual({
      model: 'qwen3',
      stream: true,
      think: true,
      options: { num_predict: 9 },
      tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'look', images: ['AAAA'] },
        { role: 'assistant', content: '', tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] },
        { role: 'tool', content: '1', tool_name: 'f' },
      ],
    });
    expect(dropped.sort()).toEqual(['logit_bias', 'tool_choice']);
    const gpt = ollama.writeRequest(request, { ...set, model: 'gpt-oss:20b' });
    expect(gpt.think).toBe('high');
  });

  test('pictures by address are refused', () => {
    const parts: Part[] = [{ type: 'image', source: { kind: 'url', url: 'https://i.example/a.png' } }];
    const request: ChatRequest = {
      dialect: 'openai-chat',
      model: 'm',
      stream: false,
      messages: [{ role: 'user', parts }],
      tools: [],
      extra: {},
    };
    const set = { model: 'm', stream: false, askUsage: true, defaultMaxTokens: 1, drop: () => undefined };
    expect(() => ollama.writeRequest(request, set)).toThrow('invalid_request');
  });
});

test('an error is a text, or an object with one, and an answer without a message is one too', () => {
  for (const error of ['model not found', { message: 'model not found' }]) {
    expect(ollama.readError({ error })).toEqual({ message: 'model not found' });
  }
  for (const nothing of [{ done: true }, [], null]) {
    expect(ollama.readError(nothing)).toEqual({ message: 'its answer holds no message' });
  }
  expect(ollama.readError(line({}, { done: true }))).toBeNull();
});
