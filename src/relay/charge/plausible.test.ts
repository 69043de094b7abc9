import { describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import { channel } from '../../../tests/support/routed-channel.ts';
import type { JsonObject } from '../../core/json.ts';
import { NO_TOOLS } from '../../core/paid-tools.ts';
import { noUsage, type Usage } from '../../core/usage.ts';
import { withSeveral } from '../../dialects/agents.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import type { CallersDialect } from '../../dialects/body-rules.ts';
import type { Operation } from '../../dialects/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../dialects/openai-responses/dialect.ts';
import { openaiEmbeddings } from '../../dialects/plain/openai-embeddings.ts';
import { openaiRerank } from '../../dialects/plain/openai-rerank.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import { isDoubted, mostBelieved, plausible, tellsNothing } from './plausible.ts';

const used = (more: Partial<Usage>): Usage => ({ ...noUsage(), input: 1, ...more });
const pdf = { pdf: 'https://a.example/b.pdf' };
const pdfs = (count: number): JsonObject[] => Array.from({ length: count }, () => pdf);
const picture = { image: 'https://a.example/b.png' };
const [inline, at] = ['data:image/png;base64,AAAA', 'https://a.example/b.png'];
/** Four hundred pictures in one message. */
const chatOf = (url: string): JsonObject => ({
  messages: [
    { role: 'user', content: Array.from({ length: 400 }, () => ({ type: 'image_url', image_url: { url } })) },
  ],
});
const MESSAGES = [{ role: 'user', content: 'hi' }];
/** So little of it that by its bytes next to nothing is held. */
const SEALED = 'A1b2'.repeat(20);
const chatWith = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [part] }] });
const answered = (message: JsonObject): JsonObject => ({ messages: [{ role: 'assistant', ...message }] });
const called = (fields: JsonObject): JsonObject =>
  answered({
    tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, ...fields }],
  });
const blocked = (block: JsonObject): JsonObject => ({ messages: [{ role: 'assistant', content: [block] }] });
const said = (part: JsonObject): JsonObject => ({ contents: [{ role: 'model', parts: [part] }] });
const summedUp = { context_management: { edits: [{ type: 'compact_20260112' }] } };
const prediction = {
  type: 'content',
  content: [{ type: 'text', text: 'the quick brown fox '.repeat(4_000) }],
};

type Row = [what: string, usage: Partial<Usage>, fields: JsonObject, more?: object];
const rows = (all: Row[]) =>
  all.map(([what, usage, fields, more = {}]): Required<Row> => [what, usage, fields, more]);

function isBelieved(
  usage: Partial<Usage>,
  fields: JsonObject = {},
  { dialect = openaiChat, type = 1, prompt = '', seen = 0, model = 'm' } = {},
): boolean {
  const body: JsonObject = { model, messages: MESSAGES, ...fields };
  const asked = channel(1);
  const bound = mostBelieved(
    { body, operation: 'chat', facts: dialect.readRequest(body, {}) },
    { ...asked, type, setting: { ...asked.setting, systemPrompt: prompt } },
    withSeveral(dialect.paidTools?.(body, [model]) ?? NO_TOOLS, body, [model]),
  );
  const told = used(usage);
  return !isDoubted(
    told,
    plausible(told, bound, () => seen),
  );
}

describe('usage that an upstream tells is believed', () => {
  it.each(
    rows([
      ['with instructions of the vendor before the prompt', { input: 9_000 }, {}],
      ['with a cache', { input: 5, cacheRead: 9_000 }, {}],
      ["with the operator's own prompt", { input: 40_000 }, {}, { prompt: 'word '.repeat(20_000) }],
      [
        'with a long prompt',
        { input: 90_000 },
        { messages: [{ role: 'user', content: 'x y'.repeat(60_000) }] },
      ],
      ['a little beyond a limit', { output: 400 }, { max_tokens: 50 }],
      ['with thoughts beside a limit', { output: 100_000, reasoning: 99_000 }, { max_tokens: 50 }],
      ['where what was said is there to be seen', { output: 30_000 }, { max_tokens: 50 }, { seen: 120_000 }],
      [
        'of many agents that work for one answer',
        { input: 157_000, output: 40_000, reasoning: 38_000 },
        { input: 'hi', max_output_tokens: 1_500, reasoning: { effort: 'high' } },
        { dialect: openaiResponses, model: 'grok-4.20-multi-agent' },
      ],
      ['of the longest answer where there was no limit', { output: 131_072 }, {}],
      [
        'of a document by address',
        { input: 900_000 },
        { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
      ],
      [
        'of a conversation that is kept upstream',
        { input: 300_000 },
        { input: 'hi', previous_response_id: 'resp_1' },
        { dialect: openaiResponses },
      ],
      [
        'with what searches found',
        { input: 300_000, output: 9_000 },
        { max_tokens: 1_000, tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
        { dialect: anthropicMessages },
      ],
      [
        'with what a server of tools said',
        { input: 300_000 },
        { input: 'hi', tools: [{ type: 'mcp' }] },
        { dialect: openaiResponses },
      ],
      [
        'with all that such a server said, read again after each use',
        { input: 4_950_000 },
        { input: 'hi', max_output_tokens: 500, tools: [{ type: 'mcp' }] },
        { dialect: openaiResponses },
      ],
      [
        'with what such a server lists, where nothing may be used',
        { input: 900_000 },
        { input: 'hi', max_output_tokens: 500, tools: [{ type: 'mcp' }], tool_choice: 'none' },
        { dialect: openaiResponses },
      ],
      [
        'with a summary of all that was said',
        { input: 150_000, output: 20_001 },
        { max_tokens: 1, ...summedUp, messages: [{ role: 'user', content: ' a'.repeat(60_000) }] },
        { dialect: anthropicMessages },
      ],
      ['of an app with a prompt of its own', { input: 200_000 }, {}, { type: 37 }],
      ['with what was foretold and did not come true', { output: 16_000 }, { max_tokens: 16, prediction }],
    ]),
  )('%s', (_, usage, fields, more) => {
    expect(isBelieved(usage, fields, more)).toBe(true);
  });

  it.each(
    rows([
      ['for a prompt that cannot be', { input: 100_000 }, {}],
      ['for a cache that cannot be', { cacheRead: 100_000 }, {}],
      ['for sound that was not sent', { inputAudio: 100_000 }, {}],
      ['far beyond a limit', { output: 10_000 }, { max_tokens: 50 }],
      ['far beyond a limit, of each answer', { output: 20_000 }, { max_tokens: 50, n: 3 }],
      ['far beyond what was foretold', { output: 60_000 }, { max_tokens: 16, prediction }],
      ['far beyond what was seen', { output: 30_000 }, { max_tokens: 50 }, { seen: 5_000 }],
      ['beyond every answer', { output: 400_000 }, {}],
      ['beyond every thought', { output: 400_000, reasoning: 399_000 }, { max_tokens: 50 }],
      [
        'beyond every context',
        { input: 9_000_000 },
        { input: 'hi', previous_response_id: 'r' },
        { dialect: openaiResponses },
      ],
      ['beyond all bounds', { input: 10_000_001 }, {}],
    ]),
  )('but not %s', (_, usage, fields, more) => {
    expect(isBelieved(usage, fields, more)).toBe(false);
  });

  it('is charged as far as the prompt is believed, which nobody here sees being read', () => {
    const bound = { prompt: 1_000, output: 10, thoughts: 0 };
    const told = used({ input: 1_500, cacheRead: 500, output: 7 });
    const given = plausible(told, bound);
    expect(given).toEqual(used({ input: 750, cacheRead: 250, output: 7 }));
    expect(isDoubted(told, given)).toBe(true);
    // More than any model reads at once, unless it has read many times.
    const absurd = used({ input: 3_000_000 });
    expect(plausible(absurd, bound)).toBeNull();
    expect(plausible(absurd, { ...bound, isOpen: true })?.input).toBe(1_000);
    expect(plausible(used({ output: 10_000_001 }), bound)).toBeNull();
    expect(plausible(used({ input: 1_001, output: 11 }), bound)).toBeNull();
  });

  it.each<[string, Operation, CallersDialect, JsonObject, told: number, charged: number]>([
    ['each PDF as it may be', 'embeddings', openaiEmbeddings, { input: pdfs(400) }, 12_800_000, 12_800_000],
    ['PDFs beyond all bounds', 'embeddings', openaiEmbeddings, { input: pdfs(1) }, 1e12, 4_227_078],
    ['pictures beyond all bounds', 'embeddings', openaiEmbeddings, { input: [picture] }, 1e12, 2_097_152],
    ['pictures of a chat within one context', 'chat', openaiChat, chatOf(inline), 2_000_000, 2_000_000],
    ['no fortune for them', 'chat', openaiChat, chatOf(inline), 9_000_000, 0],
    ['pictures by address within one context', 'chat', openaiChat, chatOf(at), 3_000_000, 0],
    ['pairs', 'rerank', openaiRerank, { query: pdf, documents: ['a', 'b', 'c'] }, 9_000_000, 9_000_000],
    ['texts, which are counted', 'embeddings', openaiEmbeddings, { input: ['a'] }, 3_000_000, 0],
  ])('charges %s', (_what, operation, dialect, fields, input, charged) => {
    const body: JsonObject = { model: 'm', ...fields };
    const bound = mostBelieved(
      { body, operation, facts: dialect.readRequest(body, {}) },
      channel(1),
      NO_TOOLS,
    );
    expect(plausible(used({ input }), bound)?.input ?? 0).toBe(charged);
  });

  it.each<[string, CallersDialect, fields: JsonObject]>([
    ['a picture', openaiChat, chatWith({ type: 'image_url', image_url: { url: inline } })],
    ['what its gateway proves a call by', openaiChat, called({ extra: { signature: SEALED } })],
    ['what proves a call in its id', openaiChat, called({ id: `call_1__thought__${SEALED}` })],
    [
      'sealed details',
      openaiChat,
      answered({ reasoning_details: [{ type: 'reasoning.encrypted', data: SEALED }] }),
    ],
    ['a field that nobody knows', openaiChat, { messages: MESSAGES, continued: { from: SEALED } }],
    [
      'a picture',
      openaiResponses,
      { input: [{ role: 'user', content: [{ type: 'input_image', image_url: inline }] }] },
    ],
    [
      'sealed reasoning',
      openaiResponses,
      { input: [{ type: 'reasoning', summary: [], encrypted_content: SEALED }] },
    ],
    ['a compaction', openaiResponses, { input: [{ type: 'compaction', encrypted_content: SEALED }] }],
    [
      'a picture',
      anthropicMessages,
      blocked({ type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }),
    ],
    ['a signed thought', anthropicMessages, blocked({ type: 'thinking', thinking: '', signature: SEALED })],
    ['a redacted one', anthropicMessages, blocked({ type: 'redacted_thinking', data: SEALED })],
    [
      'a compaction',
      anthropicMessages,
      blocked({ type: 'compaction', content: null, encrypted_content: SEALED }),
    ],
    ['a picture', gemini, said({ inlineData: { mimeType: 'image/png', data: 'AAAA' } })],
    ['a signed thought', gemini, said({ text: '', thought: true, thoughtSignature: SEALED })],
    ['a signed text', gemini, said({ text: 'Yes.', thoughtSignature: SEALED })],
    ['a signed call', gemini, said({ functionCall: { name: 'f', args: {} }, thoughtSignature: SEALED })],
  ])('charges as told up to a context what its vendor alone can size: %s', (_, dialect, fields) => {
    const body: JsonObject = { model: 'm', max_tokens: 9, ...fields };
    const facts = requestFacts(dialect, body, { model: 'm' });
    const bound = mostBelieved({ body, operation: 'chat', facts }, channel(1), NO_TOOLS);
    fc.assert(
      fc.property(fc.nat(2_097_152), fc.nat(1_000), (input, output) => {
        expect(plausible(used({ input, output }), bound)).toEqual(used({ input, output }));
      }),
    );
    expect(plausible(used({ input: 2_200_000 }), bound)).toBeNull();
  });

  it('goes by tools that read, and by no empty list of them', () => {
    const body: JsonObject = { model: 'm', messages: MESSAGES };
    const asked = { body, operation: 'chat' as const, facts: openaiChat.readRequest(body, {}) };
    expect(mostBelieved(asked, channel(1), { ...NO_TOOLS, reads: [] }).isOpen).toBe(false);
  });

  it('and none is none', () => {
    expect(plausible(null, { prompt: 9, output: 9, thoughts: 9 })).toBeNull();
  });
});

it('a host that does not count tells nothing, whatever it fills in', () => {
  const constant = used({ output: 1 });
  expect(tellsNothing(constant, { ...channel(1), type: 22 })).toBe(true);
  expect(tellsNothing(constant, { ...channel(1), type: 37 })).toBe(false);
  expect(tellsNothing(null, { ...channel(1), type: 22 })).toBe(false);
});
