/**
 * Answers that hold what nobody here has a name for, at a price a call: what comes is due, whatever it is, and so is what was
 * written and does not show. What is empty is not, and of what was filtered only what is known to count as output.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

const PRICE = 5_000;

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    chat: { type: 1, named: 'gpt-5.1' },
    gemini: { type: 24, named: 'gemini-2.5-flash' },
    messages: { type: 14, named: 'claude-sonnet-4-5' },
    cohere: { type: 34, named: 'embed-v4.0' },
    pictures: { type: 1, named: 'gpt-image-1' },
    tokens: { type: 1, named: 'qwen-image' },
    fastgpt: { type: 22 },
    thrown: { type: 24, named: 'gemini-2.5-pro' },
  }));
  const named = ['chat', 'gemini', 'messages', 'cohere', 'pictures', 'fastgpt'].map(
    (name) => models[name] ?? '',
  );
  await t.price({ ModelPrice: Object.fromEntries(named.map((name) => [name, 0.01])) });
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const MESSAGES = '/v1/messages';
const GEMINI = '/v1beta/models/MODEL:generateContent';
const GEMINI_STREAM = '/v1beta/models/MODEL:streamGenerateContent?alt=sse';
const IMAGES = '/v1/images/generations';
const VECTORS = '/v1/embeddings';
const RANKS = '/v1/rerank';
const SAID = [{ role: 'user', content: 'a cat' }];
const BODIES: Record<string, JsonObject> = {
  [CHAT]: { messages: SAID },
  [RESPONSES]: { input: 'a cat' },
  [MESSAGES]: { messages: SAID, max_tokens: 50 },
  [GEMINI]: { contents: [{ role: 'user', parts: [{ text: 'a cat' }] }] },
  [GEMINI_STREAM]: { contents: [{ role: 'user', parts: [{ text: 'a cat' }] }] },
  [IMAGES]: { prompt: 'a cat', n: 2 },
  [VECTORS]: { input: 'a cat' },
  [RANKS]: { query: 'a cat', documents: ['a dog'] },
};

async function ask(
  model: string,
  path: string,
  answer: JsonObject | (() => Response),
  more: JsonObject = {},
) {
  t.answers(answer);
  const named = models[model] ?? '';
  const body = path.includes('MODEL') ? BODIES[path] : { model: named, ...BODIES[path], ...more };
  const said = await t.post(path.replace('MODEL', named), body ?? {});
  expect(said.status).toBe(200);
  await said.text();
  return t.row();
}

const OF_CHATS = { prompt_tokens: 20, completion_tokens: 20_000, total_tokens: 20_020 };
const OF_OTHERS = { input_tokens: 20, output_tokens: 20_000 };
const OF_GEMINI = { promptTokenCount: 20, candidatesTokenCount: 1290, totalTokenCount: 1310 };
const PNG = 'data:image/png;base64,iVBORw0KGgo=';
const PICTURE = { type: 'image_url', image_url: { url: PNG } };

const message = (said: JsonObject, finish_reason = 'stop'): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content: null, ...said }, finish_reason }],
  usage: OF_CHATS,
});
const output = (items: JsonObject[], more: JsonObject = {}): JsonObject => ({
  ...responsesAnswer(OF_OTHERS),
  output: items,
  ...more,
});
const parts = (given: JsonObject[], finishReason = 'STOP'): JsonObject =>
  geminiAnswer(OF_GEMINI, '', { content: { role: 'model', parts: given }, finishReason });
const blocks = (content: JsonObject[], stop_reason = 'end_turn'): JsonObject => ({
  ...messagesAnswer(OF_OTHERS),
  content,
  stop_reason,
});
const discarded = (finishReason: string, finishMessage = 'print(default_api.f())'): JsonObject => ({
  candidates: [{ content: {}, finishReason, finishMessage, index: 0 }],
  usageMetadata: { promptTokenCount: 20, totalTokenCount: 20 },
});
const REASONING = { type: 'reasoning', id: 'rs', summary: [] };
const SEALED = { ...REASONING, encrypted_content: 'a' };
const ENDED_TWICE: JsonObject = {
  choices: [{ message: { content: '' }, finish_reason: 'stop', stop_reason: 'end_turn' }],
  usage: OF_CHATS,
};
const EMPTY = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: '' }] };

describe('what comes is due at a price a call', () => {
  it.each<[string, model: string, path: string, answer: JsonObject]>([
    ['a text', 'chat', CHAT, chatAnswer(OF_CHATS)],
    ['a picture among the parts of a text', 'chat', CHAT, message({ content: [PICTURE] })],
    ['a picture by a name of its own', 'chat', CHAT, message({ image: { url: PNG } })],
    ['a film', 'chat', CHAT, message({ content: [{ type: 'video_url', video_url: { url: PNG } }] })],
    [
      'a patch',
      'chat',
      RESPONSES,
      output([
        REASONING,
        { type: 'apply_patch_call', operation: { type: 'create_file', path: 'a', diff: '+a' } },
      ]),
    ],
    ['a shell', 'chat', RESPONSES, output([{ type: 'shell_call', action: { commands: ['cat'] } }])],
    [
      'a shell here',
      'chat',
      RESPONSES,
      output([{ type: 'local_shell_call', action: { type: 'exec', command: ['ls'] } }]),
    ],
    ['a click', 'chat', RESPONSES, output([{ type: 'computer_call', action: { type: 'type', text: 'a' } }])],
    ['whatever comes next', 'chat', RESPONSES, output([{ type: 'film_generation_call', result: PNG }])],
    ['a film in Gemini', 'gemini', GEMINI, parts([{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }])],
    [
      'a file in Gemini',
      'gemini',
      GEMINI,
      parts([{ fileData: { mimeType: 'image/png', fileUri: 'https://x.example/a' } }]),
    ],
    ['the same for a chat', 'gemini', CHAT, parts([{ inlineData: { mimeType: 'video/mp4', data: 'AAAA' } }])],
    ['a block of Messages', 'messages', MESSAGES, blocks([{ type: 'container_upload', file_id: 'f' }])],
    ['a vector', 'chat', VECTORS, { data: [{ index: 0, embedding: [0.1] }] }],
    ["a vector of Cohere's", 'cohere', VECTORS, { embeddings: { float: [[0.1]] } }],
    ['a rank', 'chat', RANKS, { results: [{ index: 0, relevance_score: 0.5 }] }],
    ['a search', 'chat', RANKS, { results: [], meta: { billed_units: { search_units: 1 } } }],
  ])('%s', async (_, model, path, answer) => {
    expect((await ask(model, path, answer)).quota).toBe(PRICE);
  });
});

const OUTPUT = /^(completion_tokens|output_tokens|candidatesTokenCount|total_tokens|totalTokenCount)$/;
/** The same where no output is told. */
const unwritten = <T extends JsonObject | (JsonObject | string)[]>(told: T): T =>
  JSON.parse(JSON.stringify(told), (name, value) => (OUTPUT.test(name) ? undefined : value));

describe('an answer that shows nothing is due where something was written for it', () => {
  it.each<[string, model: string, path: string, answer: JsonObject]>([
    ['a chat', 'chat', CHAT, message({ content: '', tool_calls: [], refusal: null })],
    ['a chat whose parts are empty', 'chat', CHAT, message({ content: [{ type: 'text', text: '' }] })],
    ['Responses that only thought', 'chat', RESPONSES, output([REASONING, EMPTY])],
    ['Gemini without a picture', 'gemini', GEMINI, parts([], 'NO_IMAGE')],
    ['Messages', 'messages', MESSAGES, blocks([{ type: 'text', text: '' }])],
    ['Messages for a chat', 'messages', CHAT, blocks([])],
  ])('%s', async (_, model, path, answer) => {
    expect((await ask(model, path, answer)).quota).toBe(PRICE);
    expect((await ask(model, path, unwritten(answer))).quota).toBe(0);
  });

  const named = { ...blocks([], 'stop_sequence'), stop_sequence: 'B' };
  const incomplete = (reason: string): JsonObject => ({
    status: 'incomplete',
    incomplete_details: { reason },
  });
  it.each<[string, model: string, path: string, answer: JsonObject]>([
    ['a word that ended it is named', 'messages', MESSAGES, named],
    ['the same for a chat', 'messages', CHAT, named],
    [
      'the same by vLLM',
      'chat',
      CHAT,
      { choices: [{ message: { content: '' }, finish_reason: 'stop', stop_reason: 'B' }], usage: OF_CHATS },
    ],
    ['it was as long as it could be', 'chat', CHAT, message({}, 'length')],
    ['so was Gemini’s', 'gemini', GEMINI, parts([], 'MAX_TOKENS')],
    ['Responses are incomplete', 'chat', RESPONSES, output([], incomplete('max_output_tokens'))],
    ['they are for whatever reason', 'chat', RESPONSES, output([], incomplete('max_tool_calls'))],
    ['its thoughts are sealed', 'chat', RESPONSES, output([SEALED])],
    ['its call cannot be read', 'gemini', GEMINI, discarded('MALFORMED_FUNCTION_CALL')],
    ['none was declared', 'gemini', GEMINI, discarded('UNEXPECTED_TOOL_CALL')],
    ['all of it cannot be read', 'gemini', GEMINI, discarded('MALFORMED_RESPONSE')],
    ['the same for a chat, whose call cannot be read', 'gemini', CHAT, discarded('MALFORMED_FUNCTION_CALL')],
    ['so are Gemini’s', 'gemini', GEMINI, parts([{ text: '', thoughtSignature: 'a' }])],
    ['the same for a chat', 'gemini', CHAT, parts([{ text: '', thoughtSignature: 'a' }])],
  ])('%s, whatever is told', async (_, model, path, answer) => {
    expect((await ask(model, path, unwritten(answer))).quota).toBe(PRICE);
  });

  it('is none where its host counts nothing that it tells', async () => {
    const told = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    expect((await ask('fastgpt', CHAT, { ...message({ content: '' }), usage: told })).quota).toBe(0);
  });
});

describe('what was thought is due of an answer that was filtered', () => {
  const thought = parts([], 'SAFETY');
  const usageMetadata = { promptTokenCount: 20, thoughtsTokenCount: 24_000, totalTokenCount: 24_020 };
  it.each<[string, path: string, more: JsonObject]>([
    ['whole', GEMINI, {}],
    ['in a stream', GEMINI_STREAM, {}],
    ['for a chat', CHAT, {}],
    ['for a stream of a chat', CHAT, { stream: true }],
  ])('%s', async (_, path, more) => {
    const answer = { ...thought, usageMetadata };
    const isStream = path === GEMINI_STREAM || more.stream === true;
    const { quota } = await ask('gemini', path, isStream ? () => eventStream([answer]) : answer, more);
    expect(quota).toBe(PRICE);
  });
});

describe('what was thrown away is paid at a price a token', () => {
  const written = 'print(default_api.f(text="the answer")) '.repeat(300);
  const answer = discarded('MALFORMED_FUNCTION_CALL', written);
  const untold = { ...answer, usageMetadata: undefined };
  it.each<[string, path: string]>([
    ['whole', GEMINI],
    ['in a stream', GEMINI_STREAM],
  ])('%s, as it is told, and as output where nothing is told', async (_, path) => {
    const given = (body: JsonObject) => (path === GEMINI ? body : () => eventStream([body]));
    const told = await ask('thrown', path, given(answer));
    expect([told.completion_tokens, told.other.usage_source, told.other.usage_suspect]).toEqual([
      0,
      'upstream',
      undefined,
    ]);
    expect((await ask('thrown', path, given(untold))).completion_tokens).toBeGreaterThan(2_000);
  });
});

describe('nothing is due', () => {
  it.each<[string, model: string, path: string, answer: JsonObject]>([
    ['where why it ended is told twice', 'chat', CHAT, unwritten(ENDED_TWICE)],
    ['of a chat that was filtered', 'chat', CHAT, message({ own: { verdict: 'no' } }, 'content_filter')],
    [
      'of Responses that were filtered',
      'chat',
      RESPONSES,
      output([{ type: 'web_search_call', action: { query: 'a' } }], {
        status: 'incomplete',
        incomplete_details: { reason: 'content_filter' },
      }),
    ],
    [
      'of a picture that was kept back',
      'gemini',
      GEMINI,
      parts([{ fileData: { mimeType: 'image/png' } }], 'IMAGE_SAFETY'),
    ],
    [
      'of a prompt that was blocked',
      'gemini',
      GEMINI,
      { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 20 } },
    ],
    ['of a refusal', 'messages', MESSAGES, blocks([{ type: 'redacted_thinking', data: 'a' }], 'refusal')],
    ['where no vectors came', 'chat', VECTORS, { data: [] }],
    ["where none of Cohere's came", 'cohere', VECTORS, { embeddings: { float: [] } }],
    ['where nothing was ranked', 'chat', RANKS, { results: [] }],
  ])('%s', async (_, model, path, answer) => {
    expect((await ask(model, path, answer)).quota).toBe(0);
  });
});

/** The frames of each wire, around what is said in it. */
const streamed = {
  chat: (said: JsonObject, finish_reason = 'stop') => [
    { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
    { choices: [{ index: 0, delta: said, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason }] },
    { choices: [], usage: OF_CHATS },
    '[DONE]',
  ],
  responses: (items: JsonObject[], more: JsonObject = {}) => [
    { type: 'response.created', response: { ...output([]), status: 'in_progress' } },
    ...items.flatMap((item, output_index) => [
      { type: 'response.output_item.added', output_index, item },
      { type: 'response.output_item.done', output_index, item },
    ]),
    { type: more.status ? 'response.incomplete' : 'response.completed', response: output(items, more) },
  ],
  messages: (content: JsonObject[], stop_reason = 'end_turn') => [
    { type: 'message_start', message: { ...blocks([]), stop_reason: null } },
    ...content.flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason }, usage: OF_OTHERS },
    { type: 'message_stop' },
  ],
  gemini: (given: JsonObject[], finishReason = 'STOP') => [parts(given, finishReason)],
};

const FILTERED = { status: 'incomplete', incomplete_details: { reason: 'content_filter' } };
const SEARCHED = { type: 'web_search_call', id: 'ws', status: 'completed', action: { query: 'a' } };
const FILM = { inlineData: { mimeType: 'video/mp4', data: 'AAAA' } };
const KEPT_BACK = [{ fileData: { mimeType: 'image/png' } }];

type Row = [string, model: string, path: string, frames: (JsonObject | string)[]];
const asStream = (model: string, path: string, frames: (JsonObject | string)[]) =>
  ask(model, path, () => eventStream(frames), path === GEMINI_STREAM ? {} : { stream: true });

describe('what a stream brings is due at a price a call', () => {
  it.each<Row>([
    ['a text', 'chat', CHAT, streamed.chat({ content: 'a' })],
    ['a text before it was filtered', 'chat', CHAT, streamed.chat({ content: 'a' }, 'content_filter')],
    ['a film', 'chat', CHAT, streamed.chat({ content: [{ type: 'video_url', video_url: { url: PNG } }] })],
    ['a shell', 'chat', RESPONSES, streamed.responses([{ type: 'shell_call', action: { commands: ['a'] } }])],
    ['a search', 'chat', RESPONSES, streamed.responses([SEARCHED])],
    ['a film in Gemini', 'gemini', GEMINI_STREAM, streamed.gemini([FILM])],
    ['the same for a chat', 'gemini', CHAT, streamed.gemini([FILM])],
    ['a block', 'messages', MESSAGES, streamed.messages([{ type: 'container_upload', file_id: 'f' }])],
    ['a text in Messages', 'messages', CHAT, streamed.messages([{ type: 'text', text: 'a' }], 'refusal')],
    ['a picture', 'pictures', IMAGES, [{ type: 'image_generation.completed', b64_json: 'aaaa' }]],
  ])('%s', async (_, model, path, frames) => {
    expect((await asStream(model, path, frames)).quota).toBe(model === 'pictures' ? 2 * PRICE : PRICE);
  });
});

describe('a stream that shows nothing is due where something was written for it', () => {
  it.each<Row>([
    ['a chat', 'chat', CHAT, streamed.chat({ content: '', tool_calls: [] })],
    ['a chat whose parts are empty', 'chat', CHAT, streamed.chat({ content: [{ type: 'text', text: '' }] })],
    ['Responses that only thought', 'chat', RESPONSES, streamed.responses([REASONING, EMPTY])],
    ['empty Responses', 'chat', RESPONSES, streamed.responses([])],
    ['Gemini without a picture', 'gemini', GEMINI_STREAM, streamed.gemini([], 'NO_IMAGE')],
    ['the same as a chat', 'gemini', CHAT, streamed.gemini([], 'NO_IMAGE')],
    ['Messages', 'messages', MESSAGES, streamed.messages([{ type: 'text', text: '' }])],
  ])('%s', async (_, model, path, frames) => {
    expect((await asStream(model, path, frames)).quota).toBe(PRICE);
    expect((await asStream(model, path, unwritten(frames))).quota).toBe(0);
  });

  const INCOMPLETE = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } };
  it.each<Row>([
    ['a word that ended it is named', 'messages', MESSAGES, streamed.messages([], 'stop_sequence')],
    ['the same for a chat', 'messages', CHAT, streamed.messages([], 'stop_sequence')],
    ['it was as long as it could be', 'chat', CHAT, streamed.chat({}, 'length')],
    ['so was Gemini’s', 'gemini', GEMINI_STREAM, streamed.gemini([], 'MAX_TOKENS')],
    ['its call cannot be read', 'gemini', GEMINI_STREAM, [discarded('MALFORMED_FUNCTION_CALL')]],
    ['the same for a chat, whose call cannot be read', 'gemini', CHAT, [discarded('MALFORMED_RESPONSE')]],
    ['Responses are incomplete', 'chat', RESPONSES, streamed.responses([], INCOMPLETE)],
    ['their thoughts are sealed', 'chat', RESPONSES, streamed.responses([SEALED])],
  ])('%s, whatever is told', async (_, model, path, frames) => {
    expect((await asStream(model, path, unwritten(frames))).quota).toBe(PRICE);
  });
});

describe('nothing is due of a stream', () => {
  it.each<Row>([
    ['of a chat that was filtered', 'chat', CHAT, streamed.chat({}, 'content_filter')],
    ['nor of its verdict', 'chat', CHAT, streamed.chat({ own: { verdict: 'no' } }, 'content_filter')],
    ['of Responses that were filtered', 'chat', RESPONSES, streamed.responses([SEARCHED], FILTERED)],
    ['of a picture that was kept back', 'gemini', GEMINI_STREAM, streamed.gemini(KEPT_BACK, 'IMAGE_SAFETY')],
    ['nor of that as a chat', 'gemini', CHAT, streamed.gemini(KEPT_BACK, 'IMAGE_SAFETY')],
    ['of a refusal', 'messages', MESSAGES, streamed.messages([], 'refusal')],
    ['nor of that as a chat', 'messages', CHAT, streamed.messages([], 'refusal')],
    [
      'nor of what it thought',
      'messages',
      MESSAGES,
      streamed.messages([{ type: 'redacted_thinking', data: 'a' }], 'refusal'),
    ],
    ['where no picture came', 'pictures', IMAGES, [{ type: 'image_generation.completed', usage: OF_OTHERS }]],
  ])('%s', async (_, model, path, frames) => {
    expect((await asStream(model, path, frames)).quota).toBe(0);
  });

  it('nor of what was thought for one that was filtered and broke off', async () => {
    const usageMetadata = { promptTokenCount: 20, thoughtsTokenCount: 24_000, totalTokenCount: 24_020 };
    const filtered = { ...parts(KEPT_BACK, 'IMAGE_SAFETY'), usageMetadata };
    const broken = { error: { code: 500, message: 'no', status: 'INTERNAL' } };
    expect((await asStream('gemini', GEMINI_STREAM, [filtered])).quota).toBe(PRICE);
    const row = await asStream('gemini', GEMINI_STREAM, [filtered, broken]);
    expect(row).toMatchObject({ quota: 0, other: { stream_end: 'upstream_cut' } });
  });
});

describe('pictures among the parts of a text count as those beside it', () => {
  const said = (given: JsonObject): JsonObject => ({ ...message(given), usage: null });
  const drawn = (given: JsonObject) => ask('tokens', CHAT, said(given));

  it('in a whole answer', async () => {
    const { quota } = await drawn({ images: [PICTURE, PICTURE] });
    expect(quota).toBeGreaterThan(1_000);
    expect((await drawn({ content: [PICTURE, PICTURE] })).quota).toBe(quota);
    expect((await drawn({ images: [PICTURE, PICTURE], content: [PICTURE, PICTURE] })).quota).toBe(quota);
    const { quota: one } = await drawn({ images: [PICTURE] });
    expect((await drawn({ image: { url: PNG } })).quota).toBe(one);
  });

  it('in a stream', async () => {
    const streamed = (delta: JsonObject) => {
      const frames = [
        { choices: [{ index: 0, delta: { role: 'assistant', content: 'a' } }] },
        { choices: [{ index: 0, delta }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      ];
      return ask('tokens', CHAT, () => eventStream([...frames, '[DONE]']), { stream: true });
    };
    const { quota } = await streamed({ images: [PICTURE] });
    expect(quota).toBeGreaterThan(1_000);
    expect((await streamed({ content: [PICTURE] })).quota).toBe(quota);
    expect((await streamed({ image: { url: PNG } })).quota).toBe(quota);
  });
});
