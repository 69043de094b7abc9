import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { replyOf } from '../../../tests/dialects/arbitrary.ts';
import { eventsOfFrames, pieces, sseFrames } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { accumulate, eventsOf, joinedText, joinedThinking } from '../accumulate.ts';
import type { ReplyContext } from '../codec.ts';
import { parseFrame } from '../frames.ts';
import { splitterFor } from '../framing.ts';
import type { ChatRequest, Part, StreamEvent } from '../neutral.ts';
import { ollamaCodec } from './codec.ts';
import { ollama } from './dialect.ts';

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
    ollamaCodec.streamReader(),
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
    expect(ollamaCodec.readReply({ ...last, message })).toMatchObject(expected);
  });

  test('a cut stream has no end, an error ends nothing', () => {
    expect(read([bytesOf(STREAM.slice(0, 3))]).at(-1)?.type).toBe('part-end');
    expect(read([bytesOf([...STREAM.slice(0, 3), { error: 'out of memory' }])]).at(-1)).toEqual({
      type: 'error',
      message: 'out of memory',
    });
  });
});

const CONTEXT: ReplyContext = {
  model: 'asked',
  createdSec: 1_735_689_600,
  requestId: 'req',
  request: { dialect: 'ollama', model: 'asked', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
};

describe('writing answers', () => {
  const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
  const part: fc.Arbitrary<Part> = fc.oneof(
    fc.record({ type: fc.constant('text' as const), text: words }),
    fc.record({
      type: fc.constant('thinking' as const),
      text: words,
      origin: fc.constant('ollama' as const),
    }),
    fc.record({
      type: fc.constant('tool-call' as const),
      id: words,
      name: words,
      input: fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value)),
      kind: fc.constant('function' as const),
    }),
  );
  const said = (parts: readonly Part[] = []) => ({
    text: joinedText(parts),
    thinking: joinedThinking(parts),
    calls: parts.flatMap((one) => (one.type === 'tool-call' ? [[one.name, one.input]] : [])),
  });

  test('an answer comes back through stream and body alike, whatever is in it', () => {
    fc.assert(
      fc.property(replyOf(part, 1), (reply) => {
        const writer = ollamaCodec.streamWriter(CONTEXT);
        const text = eventsOf(reply)
          .map((event) => writer.write(event))
          .join('');
        const streamed = accumulate(
          eventsOfFrames(ollamaCodec.streamReader(), sseFrames([Buffer.from(text)])),
        );
        const whole = ollamaCodec.readReply(ollamaCodec.writeReply(reply, CONTEXT));
        const expected = said(reply.choices[0]?.parts);
        expect(said(whole.choices[0]?.parts)).toEqual(expected);
        expect(said(streamed.choices[0]?.parts)).toEqual(expected);
        expect(streamed.usage).toEqual(whole.usage);
      }),
    );
  });
});

describe('requests', () => {
  const again = (body: JsonObject): JsonObject => {
    const request = ollamaCodec.readRequest(body, {});
    return ollamaCodec.writeRequest(request, {
      model: request.model,
      stream: request.stream,
      askUsage: true,
      defaultMaxTokens: 1,
      lost: (what) => {
        throw new Error(`lost ${what}`);
      },
    });
  };

  test('of this dialect keep every field that they had', () => {
    const body: JsonObject = {
      model: 'llama3.2',
      stream: false,
      keep_alive: '5m',
      think: 'high',
      format: { type: 'object', properties: {} },
      options: {
        num_predict: 5,
        temperature: 0.1,
        num_ctx: 4096,
        stop: ['a'],
        repeat_penalty: 1.1,
        min_p: 0.1,
      },
      tools: [
        { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } },
      ],
      messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'look', images: ['iVBORw0KGgo='] },
        {
          role: 'assistant',
          content: '',
          thinking: 'hm',
          tool_calls: [{ function: { name: 'f', arguments: { x: 1 }, index: 0 } }],
        },
        { role: 'tool', content: '1', tool_name: 'f' },
      ],
    };
    expect(again(body)).toEqual(body);
  });

  test('of other dialects say what this one can', () => {
    const lost: string[] = [];
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
      lost: (what: string) => lost.push(what),
    };
    expect(ollamaCodec.writeRequest(request, set)).toEqual({
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
    expect(lost.sort()).toEqual(['logit_bias', 'tool_choice']);
    const gpt = ollamaCodec.writeRequest(request, { ...set, model: 'gpt-oss:20b' });
    expect(gpt.think).toBe('high');
  });

  test('pictures by address are refused', () => {
    const parts: Part[] = [{ type: 'image', source: { kind: 'url', url: 'https://i.example/a.png' } }];
    const request = ollamaCodec.readRequest({ model: 'm', messages: [] }, {});
    const set = { model: 'm', stream: false, askUsage: true, defaultMaxTokens: 1, lost: () => undefined };
    expect(() => ollamaCodec.writeRequest({ ...request, messages: [{ role: 'user', parts }] }, set)).toThrow(
      'invalid_request',
    );
  });
});

describe('the wire as it comes', () => {
  const REQUEST: JsonObject = { model: 'm', messages: [{ role: 'user', content: 'hi' }] };
  const frame = (data: JsonObject) => ({ event: '', data: JSON.stringify(data) });

  test('streams unless it is told not to, and caps only where it says so', () => {
    expect(ollama.readRequest(REQUEST, {})).toMatchObject({ stream: true, outputCap: null });
    const capped = ollama.readRequest({ ...REQUEST, stream: false, options: { num_predict: 5 } }, {});
    expect(capped).toMatchObject({ stream: false, outputCap: 5, prompt: { textBytes: 2 } });
    expect(ollama.readRequest({ ...REQUEST, options: { num_predict: -1 } }, {}).outputCap).toBeNull();
    expect(() => ollama.readRequest({ ...REQUEST, options: { num_predict: 0 } }, {})).toThrow(
      'invalid_request',
    );
  });

  test('the last line ends the answer and says its usage', () => {
    const tap = ollama.tap({ wantsUsage: true });
    expect(STREAM.map((one) => tap.read(frame(one))).map(({ content, last }) => [content, last])).toEqual([
      [true, false],
      [true, false],
      [true, false],
      [true, false],
      [true, false],
      [false, true],
    ]);
    expect(tap.usage).toEqual({ ...noUsage(), input: 11, output: 7 });
    expect(tap).toMatchObject({ complete: true, finishReason: 'stop' });
  });

  test('errors are a text', () => {
    expect(ollama.readReply({ error: 'model not found' }).error).toEqual({ message: 'model not found' });
    expect(ollama.errorBody({ status: 404, code: 'model_not_found', message: 'none' })).toEqual({
      error: 'none',
      code: 'model_not_found',
    });
  });
});
