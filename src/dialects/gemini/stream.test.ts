import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { accumulate } from '../../../tests/dialects/accumulate.ts';
import { replyOf } from '../../../tests/dialects/arbitrary.ts';
import { eventsOfFrames, pieces, sseFrames } from '../../../tests/dialects/bytes.ts';
import type { JsonObject } from '../../core/json.ts';
import { noUsage } from '../../core/usage.ts';
import { eventsOf } from '../accumulate.ts';
import { carry } from '../carried.ts';
import type { ReplyContext } from '../codec.ts';
import { objectOf, objectsOf } from '../fields.ts';
import { parseFrame } from '../frames.ts';
import { splitterFor } from '../framing.ts';
import type { ChatReply, Part, StreamEvent } from '../neutral.ts';
import { geminiCodec } from './codec.ts';

const frame = (parts: JsonObject[], usage: JsonObject, more: JsonObject = {}): JsonObject => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
  usageMetadata: usage,
  modelVersion: 'gemini-x',
  responseId: 'r1',
});

const STREAM: JsonObject[] = [
  frame([{ text: 'plan', thought: true }], { promptTokenCount: 8, totalTokenCount: 8 }),
  frame([{ text: 'o' }], { promptTokenCount: 8, candidatesTokenCount: 1, totalTokenCount: 9 }),
  frame([{ text: 'k é 🙂' }], { promptTokenCount: 8, candidatesTokenCount: 2, totalTokenCount: 10 }),
  frame([{ functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' }], {
    promptTokenCount: 8,
    candidatesTokenCount: 6,
    totalTokenCount: 14,
  }),
  frame(
    [{ functionCall: { id: 'own', name: 'g', args: {} } }],
    {
      promptTokenCount: 8,
      candidatesTokenCount: 6,
      thoughtsTokenCount: 3,
      totalTokenCount: 17,
      cachedContentTokenCount: 2,
    },
    { finishReason: 'STOP' },
  ),
];

const bytesOf = (frames: readonly JsonObject[]): Uint8Array =>
  Buffer.from(frames.map((one) => `data: ${JSON.stringify(one)}\r\n\r\n`).join(''));

const read = (frames: readonly JsonObject[]): StreamEvent[] =>
  eventsOfFrames(geminiCodec.streamReader(), sseFrames([bytesOf(frames)]));

const PARTS: Part[] = [
  { type: 'thinking', text: 'plan', origin: 'gemini' },
  { type: 'text', text: 'ok é 🙂' },
  {
    type: 'tool-call',
    id: 'call_own_r1_0',
    name: 'f',
    input: '{"x":1}',
    kind: 'function',
    signature: 'c2ln',
  },
  { type: 'tool-call', id: 'own', name: 'g', input: '{}', kind: 'function' },
];

describe('reading', () => {
  test('frames become parts, with the last usage', () => {
    expect(accumulate(read(STREAM))).toMatchObject({
      id: 'r1',
      model: 'gemini-x',
      choices: [{ parts: PARTS, stop: 'tool-calls', rawStop: 'STOP' }],
      usage: { ...noUsage(), input: 6, cacheRead: 2, output: 9, reasoning: 3 },
    });
    expect(read(STREAM).at(-1)).toEqual({ type: 'end' });
  });

  test('however the bytes are cut, events or an array, the events are the same', () => {
    const whole = read(STREAM);
    const array = Buffer.from(JSON.stringify(STREAM, null, 2));
    fc.assert(
      fc.property(pieces(bytesOf(STREAM)), pieces(array), (chunks, arrayChunks) => {
        expect(eventsOfFrames(geminiCodec.streamReader(), sseFrames(chunks))).toEqual(whole);
        const splitter = splitterFor('application/json');
        const frames = arrayChunks.flatMap((chunk) => splitter.push(chunk)).map(parseFrame);
        expect(
          eventsOfFrames(
            geminiCodec.streamReader(),
            frames.filter((one) => one !== null),
          ),
        ).toEqual(whole);
      }),
    );
  });

  test('a whole answer says the same', () => {
    const parts = [
      { text: 'plan', thought: true },
      { text: 'ok é 🙂' },
      { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'c2ln' },
      { functionCall: { id: 'own', name: 'g', args: {} } },
    ];
    const last = STREAM.at(-1)?.usageMetadata as JsonObject;
    const reply = geminiCodec.readReply(frame(parts, last, { finishReason: 'STOP' }));
    const streamed = accumulate(read(STREAM));
    expect(reply.choices).toEqual(streamed.choices);
    expect(reply.usage).toEqual(streamed.usage);
  });

  test('a signature may come in an empty piece of text', () => {
    const frames = [
      frame([{ text: 'ok' }], {}),
      frame([{ text: '', thoughtSignature: 'c2ln' }], {}, { finishReason: 'MAX_TOKENS' }),
    ];
    expect(accumulate(read(frames)).choices).toEqual([
      {
        index: 0,
        parts: [{ type: 'text', text: 'ok', signature: 'c2ln' }],
        stop: 'length',
        rawStop: 'MAX_TOKENS',
      },
    ]);
  });

  test('arguments that come value by value are put together', () => {
    const piece = (functionCall: JsonObject, more: JsonObject = {}) => frame([{ functionCall }], {}, more);
    const text = (jsonPath: string, stringValue: string, willContinue?: boolean) => ({
      partialArgs: [{ jsonPath, stringValue, ...(willContinue && { willContinue }) }],
      willContinue: true,
    });
    const frames = [
      piece({ name: 'cook', willContinue: true }),
      piece(text('$.recipe.steps[0].name', 'Boil', true)),
      piece(text('$.recipe.steps[0].name', ' water', true)),
      piece(text('$.recipe.steps[0].name', '')),
      piece({
        partialArgs: [
          { jsonPath: '$.recipe.steps[1].minutes', numberValue: 5 },
          { jsonPath: '$.hot', boolValue: true },
          { jsonPath: '$.salt', nullValue: 'NULL_VALUE' },
          { jsonPath: "$['odd name']", stringValue: 'x' },
        ],
        willContinue: true,
      }),
      piece({}),
      piece({ name: 'serve', willContinue: true }),
      piece(text('$.to', 'me')),
      frame([{ text: '' }], { promptTokenCount: 1 }, { finishReason: 'STOP' }),
    ];
    const [choice] = accumulate(read(frames)).choices;
    expect(choice?.stop).toBe('tool-calls');
    expect(
      choice?.parts.map((part) => (part.type === 'tool-call' ? [part.name, JSON.parse(part.input)] : [])),
    ).toEqual([
      [
        'cook',
        {
          recipe: { steps: [{ name: 'Boil water' }, { minutes: 5 }] },
          hot: true,
          salt: null,
          'odd name': 'x',
        },
      ],
      ['serve', { to: 'me' }],
    ]);
  });

  test('what an answer leans on is cited by characters, though the service counts bytes', () => {
    const grounding = {
      groundingMetadata: {
        groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
        groundingSupports: [
          { segment: { startIndex: 3, endIndex: 9, text: '🙂ok' }, groundingChunkIndices: [0] },
        ],
      },
    };
    const frames = [
      frame([{ text: 'é ' }], {}),
      frame([{ text: '🙂ok' }], {}),
      frame([{ text: '' }], {}, { finishReason: 'STOP', ...grounding }),
    ];
    const whole = frame([{ text: 'é 🙂ok' }], {}, { finishReason: 'STOP', ...grounding });
    for (const reply of [accumulate(read(frames)), geminiCodec.readReply(whole)]) {
      expect(reply.choices[0]?.parts).toMatchObject([
        {
          text: 'é 🙂ok',
          citations: [{ kind: 'url', url: 'https://a.example', title: 'A', start: 2, end: 6 }],
        },
      ]);
    }
  });

  test('a cut stream has no end, but the usage that came', () => {
    const events = read(STREAM.slice(0, 3));
    expect(events.some((event) => event.type === 'end' || event.type === 'stop')).toBe(false);
    expect(accumulate(events)).toMatchObject({
      choices: [{ stop: null, parts: PARTS.slice(0, 2) }],
      usage: { input: 8, output: 2 },
    });
  });

  test('a blocked prompt is an error', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } };
    const events = read([blocked]);
    expect(events.at(-1)).toMatchObject({ type: 'error', code: 'content_filter' });
    expect(geminiCodec.readReply(blocked).choices).toEqual([]);
  });

  test('an error in a stream is told and ends nothing', () => {
    const events = read([
      ...STREAM.slice(0, 2),
      { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } },
    ]);
    expect(events.at(-1)).toEqual({
      type: 'error',
      message: 'The model is overloaded.',
      code: '503',
      kind: 'UNAVAILABLE',
    });
  });

  test('several answers keep apart', () => {
    const two = (a: string, b: string, more: JsonObject = {}): JsonObject => ({
      candidates: [
        { content: { parts: [{ text: a }] }, index: 0, ...more },
        { content: { parts: [{ text: b }] }, index: 1, ...more },
      ],
    });
    const reply = accumulate(read([two('a', 'x'), two('b', 'y', { finishReason: 'STOP' })]));
    expect(reply.choices.map(({ parts, stop }) => [parts, stop])).toEqual([
      [[{ type: 'text', text: 'ab' }], 'stop'],
      [[{ type: 'text', text: 'xy' }], 'stop'],
    ]);
  });
});

const CONTEXT: ReplyContext = {
  model: 'asked',
  createdSec: 1,
  requestId: 'req',
  request: { dialect: 'gemini', model: 'asked', stream: true, messages: [], tools: [], extra: {} },
  wantsUsage: true,
};

function write(events: readonly StreamEvent[]): JsonObject[] {
  const writer = geminiCodec.streamWriter(CONTEXT);
  const text = events.map((event) => writer.write(event)).join('');
  return sseFrames([Buffer.from(text)]).map(({ data }) => JSON.parse(data));
}

const reread = (events: readonly StreamEvent[]): StreamEvent[] => read(write(events));

describe('writing', () => {
  test('the last frame has the finish reason and the usage, and no frame before it has', () => {
    const frames = write(read(STREAM));
    expect(frames.map(({ candidates }) => (candidates as JsonObject[])[0]?.finishReason)).toEqual([
      ...Array(frames.length - 1).fill(undefined),
      'STOP',
    ]);
    expect(frames.at(-1)?.usageMetadata).toMatchObject({
      promptTokenCount: 8,
      candidatesTokenCount: 6,
      thoughtsTokenCount: 3,
      totalTokenCount: 17,
      cachedContentTokenCount: 2,
    });
    expect(
      frames.every(({ modelVersion, responseId }) => modelVersion === 'asked' && responseId === 'r1'),
    ).toBe(true);
  });

  test('a call is said in one piece when its arguments are whole', () => {
    const input = (text: string): StreamEvent => ({
      type: 'part-delta',
      choice: 0,
      index: 0,
      delta: { type: 'input', text },
    });
    const frames = write([
      {
        type: 'part-start',
        choice: 0,
        index: 0,
        part: { type: 'tool-call', id: 'a', name: 'f', input: '', kind: 'function' },
      },
      input('{"x"'),
      input(':1}'),
      { type: 'part-end', choice: 0, index: 0 },
      { type: 'stop', choice: 0, stop: 'tool-calls' },
      { type: 'end' },
    ]);
    expect(frames.map(({ candidates }) => (candidates as JsonObject[])[0]?.content)).toEqual([
      { parts: [{ functionCall: { id: 'a', name: 'f', args: { x: 1 } } }], role: 'model' },
      { parts: [{ text: '' }], role: 'model' },
    ]);
  });

  test('a cut stream ends with its error in the envelope of the service', () => {
    expect(write([{ type: 'error', message: 'gone' }])).toEqual([
      { error: { code: 500, message: 'gone', status: 'INTERNAL' } },
    ]);
  });

  test('proofs of other makers travel in the signature of a thought', () => {
    const part: Part = { type: 'thinking', text: 'hm', signature: 'c2ln', origin: 'anthropic-messages' };
    const frames = write(
      eventsOf({
        id: 'r',
        model: 'm',
        created: 0,
        choices: [{ index: 0, parts: [part], stop: 'stop' }],
        usage: null,
        extra: {},
      }),
    );
    expect(frames.map(({ candidates }) => objectOf(objectsOf(candidates)[0]?.content)?.parts)).toEqual([
      [{ text: 'hm', thought: true }],
      [{ text: '', thought: true, thoughtSignature: carry(part) }],
      [{ text: '' }],
    ]);
  });
});

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const call: fc.Arbitrary<Part> = fc.record({
  type: fc.constant('tool-call' as const),
  id: words,
  name: words,
  input: fc.dictionary(words, fc.jsonValue()).map((value) => JSON.stringify(value)),
  kind: fc.constant('function' as const),
});
const text: fc.Arbitrary<Part> = fc.record({ type: fc.constant('text' as const), text: words });
const thought: fc.Arbitrary<Part> = fc.record({
  type: fc.constant('thinking' as const),
  text: words,
  signature: words,
  origin: fc.constant('gemini' as const),
});

/** Texts and thoughts that stand side by side are one here. */
const joined = (parts: readonly Part[]): string[] => {
  const out: string[] = [];
  let before = '';
  for (const part of parts) {
    const said =
      part.type === 'tool-call' ? `${part.id} ${part.name} ${part.input}` : 'text' in part ? part.text : '';
    if (before === part.type && part.type !== 'tool-call') out[out.length - 1] += said;
    else out.push(`${part.type}:${said}`);
    before = part.type;
  }
  return out;
};

test('an answer comes back through stream and body alike, whatever is in it', () => {
  fc.assert(
    fc.property(replyOf(fc.oneof(call, text, thought), 2), (reply: ChatReply) => {
      const streamed = accumulate(reread(eventsOf(reply)));
      const whole = geminiCodec.readReply(geminiCodec.writeReply(reply, CONTEXT));
      for (const [n, { parts }] of reply.choices.entries()) {
        expect(whole.choices[n]?.parts).toEqual(parts);
        expect(joined(streamed.choices[n]?.parts ?? [])).toEqual(joined(parts));
      }
      expect(streamed.usage).toEqual(whole.usage);
    }),
  );
});
