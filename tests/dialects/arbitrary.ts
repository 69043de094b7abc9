/** Chats for property tests: anything that the neutral model can say of an answer. */
import fc from 'fast-check';
import { noUsage, type Usage } from '../../src/core/usage.ts';
import type { ChatReply, Choice, Citation, Part, StopReason } from '../../src/dialects/neutral.ts';

const STOPS: readonly StopReason[] = [
  'stop',
  'stop-sequence',
  'length',
  'context-length',
  'tool-calls',
  'refusal',
  'content-filter',
  'recitation',
  'pause',
  'malformed-tool-call',
  'other',
];

export const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 });
const id = fc.stringMatching(/^[a-z0-9]{6,12}$/);
const base64 = fc
  .uint8Array({ minLength: 1, maxLength: 24 })
  .map((bytes) => Buffer.from(bytes).toString('base64'));

const citation: fc.Arbitrary<Citation> = fc.record({
  kind: fc.constant('url' as const),
  url: fc.webUrl(),
  title: words,
  raw: fc.record({ dialect: fc.constant('openai-chat' as const), value: fc.constant({}) }),
});

export const functionCall: fc.Arbitrary<Part> = fc.record({
  type: fc.constant('tool-call' as const),
  id: id.map((text) => `call_${text}`),
  name: fc.stringMatching(/^[a-z_]{1,10}$/),
  input: fc.dictionary(id, fc.oneof(words, fc.integer(), fc.boolean())).map((value) => JSON.stringify(value)),
  kind: fc.constant('function' as const),
});

export const text: fc.Arbitrary<Part> = fc.record(
  {
    type: fc.constant('text' as const),
    text: words,
    citations: fc.array(citation, { minLength: 1, maxLength: 2 }),
    signature: base64,
  },
  { requiredKeys: ['type', 'text'] },
);

export const plainText: fc.Arbitrary<Part> = fc.record({ type: fc.constant('text' as const), text: words });

export const thinking: fc.Arbitrary<Part> = fc.record(
  {
    type: fc.constant('thinking' as const),
    text: words,
    origin: fc.constant('anthropic-messages' as const),
    summary: fc.boolean(),
    signature: base64,
    encrypted: base64,
    id,
  },
  { requiredKeys: ['type', 'text', 'origin'] },
);

export const part: fc.Arbitrary<Part> = fc.oneof(
  text,
  thinking,
  functionCall,
  fc.record({ type: fc.constant('refusal' as const), text: words }),
  fc.record({
    type: fc.constant('image' as const),
    source: fc.record({
      kind: fc.constant('data' as const),
      mediaType: fc.constant('image/png'),
      data: base64,
    }),
  }),
  fc.record({
    type: fc.constant('audio' as const),
    source: fc.record({
      kind: fc.constant('data' as const),
      mediaType: fc.constant('audio/wav'),
      data: base64,
    }),
    format: fc.constant('wav'),
    transcript: words,
  }),
  fc.record({
    type: fc.constant('raw' as const),
    dialect: fc.constant('anthropic-messages' as const),
    value: fc.constant({ type: 'server_tool_use' }),
  }),
);

const count = fc.nat(100_000);
export const usage: fc.Arbitrary<Usage> = fc
  .record({ input: count, cacheRead: count, cacheWrite: count, output: count })
  .chain((counts) => fc.nat(counts.output).map((reasoning) => ({ ...noUsage(), ...counts, reasoning })));

/** An answer whose parts are drawn from `of`. */
export const replyOf = (of: fc.Arbitrary<Part>, choices = 3): fc.Arbitrary<ChatReply> =>
  fc.record({
    id,
    model: id,
    created: fc.nat(2_000_000_000),
    choices: fc
      .array(
        fc.record(
          { parts: fc.array(of, { maxLength: 5 }), stop: fc.constantFrom(...STOPS), rawStop: words },
          { requiredKeys: ['parts', 'stop'] },
        ),
        { minLength: 1, maxLength: choices },
      )
      .map((list): Choice[] => list.map((choice, index) => ({ index, ...choice }))),
    usage: fc.option(usage),
    extra: fc.constant({}),
  });

export const reply = replyOf(part);
