/**
 * Hosts that do not count, and gateways that put the counts of one vendor into the words of another: what they tell of a chat
 * is far less than its texts, or the same twice. What honest vendors tell stays as it is, however little of a prompt they read.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, messagesAnswer } from '../support/short-answers.ts';
import { secondsOf } from '../support/sound.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    app: { type: 22 },
    house: { type: 1 },
    claude: { type: 1, named: 'claude-sonnet-4-5' },
    deepseek: { type: 1, named: 'deepseek-v3' },
    messages: { type: 14, named: 'gpt-5' },
    qwen: { type: 14, named: 'qwen3-coder-plus' },
    'claude messages': { type: 14, named: 'claude-opus-4-1' },
    hears: { type: 1, named: 'gemini-2.5-flash' },
    gemini: { type: 24, named: 'gemini-2.0-flash' },
    'compound that is sold on': { type: 1, named: 'openrouter/compound' },
    speaks: { type: 1, named: 'gpt-4o-audio-preview' },
    'writes down': { type: 1, named: 'gpt-4o-transcribe' },
    minutes: { type: 1, named: 'whisper-1' },
  }));
  // The vendor's own name stays in the address: the mock stands in the way as a proxy.
  const setting = JSON.stringify({ proxy: t.base });
  const groq = { base_url: 'http://api.groq.com/openai', setting };
  models.compound = await t.model(1, { named: 'groq/compound', ...groq });
  models['compound by another name'] = await t.model(1, {
    ...{ named: 'team/compound-mini', ...groq },
    model_mapping: '{"team/compound-mini":"answers"}',
  });
  models['a name for compound'] = await t.model(1, {
    ...{ named: 'answers', ...groq },
    model_mapping: '{"answers":"groq/compound"}',
  });
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());

const CHAT = '/v1/chat/completions';
const MESSAGES = '/v1/messages';
const words = (count: number): string => 'word '.repeat(count);
const user = (content: string): JsonObject => ({ role: 'user', content });
const SAID = 'The answer is spelled out at length. '.repeat(120);

async function ask(model: string, path: string, body: JsonObject, answer: JsonObject | (() => Response)) {
  t.answers(answer);
  const said = await t.post(path, { model: models[model] ?? '', ...body });
  expect(said.status).toBe(200);
  await said.text();
  return t.row();
}

const told = (prompt: number, completion: number, more: JsonObject = {}): JsonObject => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...more,
});
const chatStream = (usage: JsonObject, text: string) => () =>
  eventStream([
    { choices: [{ index: 0, delta: { role: 'assistant', content: text }, finish_reason: null }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { choices: [], usage },
    '[DONE]',
  ]);
const either = (stream: boolean, usage: JsonObject, text = 'ok') =>
  stream ? chatStream(usage, text) : chatAnswer(usage, text);

const COUNTED = { other: { usage_source: 'estimated' } };
const SUSPECT = { other: { usage_source: 'estimated', usage_suspect: true } };
const BELIEVED = { other: { usage_source: 'upstream' } };

it.each<[string, JsonObject]>([
  [CHAT, { messages: [user(words(3_000))] }],
  [MESSAGES, { messages: [user(words(3_000))], max_tokens: 4_000 }],
  ['/v1/responses', { input: words(3_000) }],
])('FastGPT tells one token of each whole answer, which is none: %s', async (path, body) => {
  const row = await ask('app', path, body, chatAnswer(told(1, 1, { total_tokens: 1 }), SAID));
  expect(row).toMatchObject(COUNTED);
  expect(row.other).not.toHaveProperty('usage_suspect');
  expect(row.prompt_tokens).toBeWithin(2_500, 3_500);
  expect(row.completion_tokens).toBeWithin(800, 1_100);
});

describe('what is told is far less than what was seen', () => {
  it.each([false, true])('of both: streamed %p', async (stream) => {
    const body = { messages: [user(words(3_000))], stream };
    const row = await ask('house', CHAT, body, either(stream, told(1, 1), SAID));
    expect(row).toMatchObject(SUSPECT);
    expect(row.prompt_tokens).toBeWithin(2_500, 3_500);
    expect(row.completion_tokens).toBeWithin(800, 1_100);
  });

  it.each<[string, JsonObject]>([
    ['a short last message', {}],
    // A word of completions alone.
    ['echo', { echo: true }],
  ])('of the answer, and so of a prompt with %s', async (_what, more) => {
    const messages = [user(words(3_000)), { role: 'assistant', content: 'ok' }, user('go on')];
    const row = await ask('house', CHAT, { messages, ...more }, chatAnswer(told(1, 1), SAID));
    expect(row).toMatchObject(SUSPECT);
    expect(row.prompt_tokens).toBeWithin(2_500, 3_500);
    expect(row.completion_tokens).toBeWithin(800, 1_100);
  });

  // vLLM says a beginning again with the answer that goes on from it, where `echo` is set.
  describe.each([false, true])('with a beginning that is said again, streamed %p', (stream) => {
    const begun = 'word '.repeat(2_000);
    const echo = async (content: JsonObject['content'], said: string) => {
      const messages = [user('go on'), { role: 'assistant', content }];
      const usage = told(2_100, 5);
      return ask('house', CHAT, { messages, echo: true, stream }, either(stream, usage, said));
    };

    it.each<[string, JsonObject['content']]>([
      ['one text', begun],
      ['parts', [{ type: 'text', text: begun }]],
    ])('is told well by what was written: %s', async (_, content) => {
      const row = await echo(content, `${begun}and so on`);
      expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: 2_100, completion_tokens: 5 });
      expect(row.other).not.toHaveProperty('usage_suspect');
    });

    it('is not believed of what was written beside it, nor of anything else', async () => {
      const beside = await echo(begun, begun + SAID);
      expect(beside).toMatchObject(SUSPECT);
      expect(beside.completion_tokens).toBeWithin(800, 1_100);
      const other = await echo(begun, `so ${begun}`);
      expect(other).toMatchObject(SUSPECT);
      expect(other.completion_tokens).toBeWithin(1_900, 2_300);
    });
  });

  const MCP = { type: 'mcp', server_label: 'a', server_url: 'https://mcp.example.com/x' };
  it.each<[string, more: JsonObject, text: string]>([
    ['a search', { tools: [{ type: 'web_search' }] }, SAID],
    ['a tool of no kind', { tools: [{ type: 'x' }] }, SAID],
    ['a tool of another wire', { tools: [{ codeExecution: {} }] }, SAID],
    ['a server of tools', { tools: [MCP] }, SAID],
    ['no servers of tools', { mcp_servers: [] }, SAID],
    ['data in its answer', {}, `;base64,AAAA ${SAID}`],
    ['marks of what a tool has found', { tools: [{ type: 'web_search' }] }, `<output>${SAID}</output>`],
  ])('whatever its caller says: %s', async (_what, more, text) => {
    const messages = [user(words(3_000)), { role: 'assistant', content: 'ok' }, user('go on')];
    for (const stream of [false, true]) {
      const row = await ask('house', CHAT, { messages, stream, ...more }, either(stream, told(1, 1), text));
      expect(row).toMatchObject(SUSPECT);
      expect(row.prompt_tokens).toBeWithin(2_500, 3_800);
      expect(row.completion_tokens).toBeWithin(800, 1_100);
    }
  });

  it('of a stream whose frames are alike in nothing but what they say', async () => {
    const messages = [user(words(3_000)), { role: 'assistant', content: 'ok' }, user('go on')];
    const choices = Array.from({ length: 400 }, (_, n) => {
      const top = Array.from({ length: 20 }, (_, i) => ({ token: `${n} ${i}`, logprob: -i, bytes: [n, i] }));
      const logprobs = { content: [{ token: ` ${n}`, logprob: -n, top_logprobs: top }] };
      return { index: 0, delta: { content: ` word${n}` }, logprobs, finish_reason: n < 399 ? null : 'stop' };
    });
    const frames = [...choices.map((choice) => ({ choices: [choice] })), { choices: [], usage: told(1, 1) }];
    const body = { messages, stream: true, logprobs: true, top_logprobs: 20 };
    const row = await ask('house', CHAT, body, () => eventStream([...frames, '[DONE]']));
    expect(row).toMatchObject(SUSPECT);
    expect(row.completion_tokens).toBeWithin(700, 1_300);
  });

  it('of the answer alone', async () => {
    const row = await ask('house', CHAT, { messages: [user('hi')] }, chatAnswer(told(7_000, 1), SAID));
    expect(row).toMatchObject({ ...SUSPECT, prompt_tokens: 7_000 });
    expect(row.completion_tokens).toBeWithin(800, 1_100);
  });

  it('of a prompt whose cache was forgotten, as 9router does', async () => {
    const messages = [{ role: 'system', content: words(9_000) }, user(words(10)), user('go on')];
    const row = await ask('house', CHAT, { messages }, chatAnswer(told(300, 200)));
    expect(row).toMatchObject({ ...SUSPECT, completion_tokens: 200 });
    expect(row.prompt_tokens).toBeWithin(8_500, 9_500);
  });

  it.each([false, true])('nothing of a prompt, streamed %p', async (stream) => {
    const body = { messages: [user(words(3_000))], stream };
    const row = await ask('house', CHAT, body, either(stream, told(0, 128)));
    expect(row).toMatchObject({ ...COUNTED, completion_tokens: 128 });
    expect(row.prompt_tokens).toBeWithin(2_500, 3_500);
  });

  it.each([false, true])('nothing of a prompt in Messages, streamed %p', async (stream) => {
    const body = { messages: [user(words(3_000))], max_tokens: 4_000, stream };
    const usage = { input_tokens: 0, output_tokens: 128 };
    const events = () =>
      eventStream([
        { type: 'message_start', message: { id: 'm', content: [], usage: { ...usage, output_tokens: 0 } } },
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
        { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ok' } },
        { type: 'content_block_stop', index: 0 },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage },
        { type: 'message_stop' },
      ]);
    const row = await ask('messages', MESSAGES, body, stream ? events : messagesAnswer(usage));
    expect(row).toMatchObject({ ...COUNTED, completion_tokens: 128 });
    expect(row.prompt_tokens).toBeWithin(2_500, 3_500);
  });
});

/** An answer of Groq's systems, with much that was found. */
function lookedUp(model: string, stream: boolean) {
  const reasoning = `I look. <tool>search(a)</tool> <output>${SAID.repeat(9)}</output> So it is.`;
  const usage = told(9_400, 20);
  const streamed = () =>
    eventStream([
      { choices: [{ index: 0, delta: { role: 'assistant', reasoning }, finish_reason: null }] },
      { choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] },
      { choices: [], usage },
      '[DONE]',
    ]);
  const body = { messages: [user('what is new?')], stream };
  return ask(model, CHAT, body, stream ? streamed : chatAnswer(usage, 'ok', { reasoning }));
}

it.each([false, true])('what tools have found is text where it is sold on: streamed %p', async (stream) => {
  const row = await lookedUp('compound that is sold on', stream);
  expect(row).toMatchObject(SUSPECT);
  expect(row.completion_tokens).toBeGreaterThan(5_000);
});

describe('what is told truly is believed', () => {
  it.each<[string, JsonObject[], number]>([
    ['of a talk whose beginning was left out', [user(words(9_000)), user('what did I say?')], 12],
    ['of a message that was cut to a window', [user(words(90_000))], 2_048],
    ['of other tokens', [user(words(3_000))], 800],
    ['of few', [user(words(50))], 1],
  ])('%s', async (_what, messages, prompt) => {
    const row = await ask('house', CHAT, { messages }, chatAnswer(told(prompt, 5)));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: prompt });
    expect(row.other).not.toHaveProperty('usage_suspect');
  });

  it.each([false, true])('of a picture that stands in the text, streamed %p', async (stream) => {
    const picture = `![image](data:image/png;base64,${Buffer.alloc(150_000, 'picture').toString('base64')})`;
    const body = { messages: [user('a cat')], stream };
    const row = await ask('house', CHAT, body, either(stream, told(9, 1_290), picture));
    expect(row).toMatchObject({ ...BELIEVED, completion_tokens: 1_290 });
  });

  // Groq's systems show among their thoughts what their tools have found, and it bills the tokens of their models.
  it.each([
    ['compound', false],
    ['compound', true],
    ['compound by another name', false],
    ['a name for compound', false],
  ])('of what tools have found, where it is Groq that bills: %s, streamed %p', async (model, stream) => {
    const row = await lookedUp(model, stream);
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: 9_400, completion_tokens: 20 });
    expect(row.other).not.toHaveProperty('usage_suspect');
  });

  it('of a completion that says its prompt again', async () => {
    const prompt = words(1_500);
    const choices = [{ index: 0, text: `${prompt}x`, finish_reason: 'length' }];
    const body = { prompt, echo: true, max_tokens: 1 };
    const row = await ask('house', '/v1/completions', body, { choices, usage: told(1_501, 1) });
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: 1_501, completion_tokens: 1 });
  });

  it('of a stream of many small frames', async () => {
    const frames = Array.from({ length: 300 }, (_, i) => ({
      ...{ id: `chatcmpl-${'0'.repeat(200)}`, model: 'm' },
      choices: [{ index: 0, delta: { content: ` w${i}` }, finish_reason: i === 299 ? 'stop' : null }],
    }));
    const answer = () => eventStream([...frames, { choices: [], usage: told(9, 300) }, '[DONE]']);
    const row = await ask('house', CHAT, { messages: [user('hi')], stream: true }, answer);
    expect(row).toMatchObject({ ...BELIEVED, completion_tokens: 300 });
  });
});

describe('a cache that is told by the rule of another wire', () => {
  const cached = (cached_tokens: number, more: JsonObject = {}): JsonObject => ({
    prompt_tokens_details: { cached_tokens, ...more },
  });

  /** Claude Code says it with each call. */
  const KEEPS_ALL = { edits: [{ type: 'clear_thinking_20251015', keep: 'all' }] };
  const FORGETS = { edits: [{ type: 'clear_thinking_20251015' }] };
  const editedFrom = (value: number, type = 'input_tokens'): JsonObject => ({
    edits: [{ type: 'clear_tool_uses_20250919', trigger: { type, value } }],
  });
  /** A question of so many words, and what a tool has found for it. */
  const looked = (asked: number, found: number): JsonObject[] => [
    user(words(asked)),
    {
      role: 'assistant',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: words(found) },
  ];

  it.each<[string, string, JsonObject, prompt: number]>([
    ['is beside the prompt of a Claude in chats', 'claude', told(30_000, 9, cached(21_000)), 51_000],
    [
      'as what was written is',
      'claude',
      told(30_000, 9, cached(11_000, { cached_creation_tokens: 10_000 })),
      51_000,
    ],
    ['unless it is in it', 'claude', told(51_000, 9, cached(30_000)), 51_000],
    ['though Claude counts more', 'claude', told(70_000, 9, cached(50_000)), 70_000],
    ['and for others, whose tokens nobody knows', 'deepseek', told(30_000, 9, cached(21_000)), 30_000],
  ])('%s', async (_what, model, usage, prompt) => {
    const row = await ask(model, CHAT, { messages: [user(words(51_000))] }, chatAnswer(usage));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: prompt });
  });

  it.each<[string, JsonObject]>([
    ['a tool that does not go up', { tools: [{ type: 'x' }] }],
    ['no servers of tools', { mcp_servers: [] }],
    ['a server of nothing', { mcp_servers: [{}] }],
    ['nothing to be edited', { context_management: {} }],
    ['no edits', { context_management: { edits: [] } }],
    ['an edit that keeps all', { context_management: KEEPS_ALL }],
    ['an edit of what is longer', { context_management: editedFrom(900_000) }],
    ['an edit of results where there are none', { context_management: editedFrom(20_000) }],
    ['an edit of no kind', { context_management: { edits: [{ type: 'clearly' }] } }],
    ['an edit in a list', { context_management: [{ type: 'clear' }] }],
    ['an edit of thoughts where there are none', { context_management: FORGETS }],
    ['a summary that does not go up', { context_management: [{ type: 'compaction' }] }],
  ])('is beside it whatever a caller says: %s', async (_what, more) => {
    const body = { messages: [user(words(51_000))], ...more };
    const row = await ask('claude', CHAT, body, chatAnswer(told(30_000, 9, cached(21_000))));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: 51_000 });
  });

  // LiteLLM has a Claude's edits in chats.
  it.each<[string, messages: JsonObject[], JsonObject, prompt: number]>([
    ['is what was told', looked(9_000, 42_000), editedFrom(20_000), 30_000],
    ['is so from a number of uses on', looked(9_000, 42_000), editedFrom(900_000, 'tool_uses'), 30_000],
    ['is beside it where all else is as much', looked(50_000, 1_000), editedFrom(20_000), 51_000],
    ['is beside it where only thoughts go', looked(9_000, 42_000), FORGETS, 51_000],
  ])('of what may have been left out %s', async (_what, messages, context_management, prompt) => {
    const body = { messages, context_management };
    const row = await ask('claude', CHAT, body, chatAnswer(told(30_000, 9, cached(21_000))));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: prompt });
  });

  it.each<[string, JsonObject]>([
    ['an edit that keeps all, as Claude Code', { context_management: KEEPS_ALL }],
    ['an edit that leaves something out', { context_management: editedFrom(20_000) }],
    ['no servers of tools', { mcp_servers: [] }],
  ])(
    'is beside the prompt of a Claude in chats, and twice in Messages, where Messages say %s',
    async (_what, more) => {
      const body = { messages: [user(words(51_000))], max_tokens: 4_000, ...more };
      const chats = await ask('claude', MESSAGES, body, chatAnswer(told(30_000, 9, cached(21_000))));
      expect(chats).toMatchObject({ ...BELIEVED, prompt_tokens: 51_000 });
      for (const model of ['messages', 'qwen']) {
        const usage = { input_tokens: 50_000, cache_read_input_tokens: 45_000, output_tokens: 9 };
        const row = await ask(model, MESSAGES, body, messagesAnswer(usage));
        expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: 50_000 });
      }
    },
  );

  it.each<[string, string, input: number, read: number, prompt: number]>([
    ['is told twice in Messages', 'messages', 50_000, 45_000, 50_000],
    ['is by others’ tokens as well', 'qwen', 50_000, 45_000, 50_000],
    ['unless it is beside it', 'messages', 26_000, 24_000, 50_000],
    ['unless their tables may have made so many', 'qwen', 40_000, 30_000, 70_000],
    ['as it is where there is more of it', 'messages', 5_000, 45_000, 50_000],
    ['and unless it is little that it would have been told', 'messages', 9_000, 8_000, 17_000],
    ['and is what it is at home', 'claude messages', 50_000, 45_000, 95_000],
  ])('%s', async (_what, model, input_tokens, cache_read_input_tokens, prompt) => {
    const usage = { input_tokens, cache_read_input_tokens, output_tokens: 9 };
    // The fourth is sent less than its host reads with words of its own.
    const sent = prompt === 17_000 ? 2_000 : 50_000;
    const body = { messages: [user(words(sent))], max_tokens: 4_000 };
    expect(await ask(model, MESSAGES, body, messagesAnswer(usage))).toMatchObject({
      ...BELIEVED,
      prompt_tokens: prompt,
    });
  });

  // Each digit, comma, point and end of a line is a token of Qwen's: as many as bytes.
  it.each([
    [1_000, 1_000],
    [1_000, 700],
    [2_000, 2_000],
  ])('unless figures are a token each: %p rows new, %p from the cache', async (fresh, cached) => {
    const rows = (count: number) =>
      Array.from({ length: count }, (_, i) => `${(i * 7919) % 9000},${(i * 15485863) % 900000}`).join('\n');
    const messages = [user(rows(cached)), { role: 'assistant', content: 'ok' }, user(rows(fresh))];
    const [input_tokens, cache_read_input_tokens] = [rows(fresh).length, rows(cached).length];
    const usage = { input_tokens, cache_read_input_tokens, output_tokens: 9 };
    const row = await ask('qwen', MESSAGES, { messages, max_tokens: 4_000 }, messagesAnswer(usage));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: input_tokens + cache_read_input_tokens });
  });
});

/** Sound costs three times what text does, and what is spoken six times. */
describe('sound of which no usage tells', () => {
  const sound = secondsOf(60).toString('base64');
  const asked = (data: string): JsonObject[] => [
    user('what is this about?'),
    { role: 'user', content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] },
  ];
  const SOUND = 60 * 32;

  it.each([false, true])('is sound as far as its seconds count here, streamed %p', async (stream) => {
    const body = { messages: asked(sound), stream };
    const row = await ask('hears', CHAT, body, either(stream, told(SOUND + 10, 1)));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: SOUND + 10, quota: 3 * SOUND + 10 + 2 });
    expect(row.other).toMatchObject({ audio_input: SOUND });
    expect(row.other).not.toHaveProperty('usage_suspect');
  });

  it('is sound on Gemini’s wire', async () => {
    const parts = [{ text: 'what?' }, { inlineData: { mimeType: 'audio/wav', data: sound } }];
    const usage = { promptTokenCount: SOUND + 10, candidatesTokenCount: 1, totalTokenCount: SOUND + 11 };
    const path = `/v1beta/models/${models.gemini}:generateContent`;
    const row = await ask('gemini', path, { contents: [{ role: 'user', parts }] }, geminiAnswer(usage));
    expect(row).toMatchObject({ ...BELIEVED, quota: 3 * SOUND + 10 + 2 });
  });

  it('is no more than all that is told', async () => {
    const row = await ask('hears', CHAT, { messages: asked(sound) }, chatAnswer(told(500, 1)));
    expect(row).toMatchObject({ ...BELIEVED, prompt_tokens: 500, quota: 3 * 500 + 2 });
  });

  it.each([
    ['of Apple’s', Buffer.concat([Buffer.from('caff'), Buffer.alloc(100_000)]), 'wav'],
    ['of WeChat’s', Buffer.concat([Buffer.from('#!SILK_V3'), Buffer.alloc(20_000, 7)]), 'wav'],
    ['of no file that is known', Buffer.alloc(400_000, 7), 'opus'],
    ['of samples whose rate is not told', Buffer.alloc(400_000, 7), 'pcm16'],
  ])('is text where nobody knows how long it lasts: %s', async (_, file, format) => {
    const input_audio = { data: file.toString('base64'), format };
    const messages = [user(words(10_000)), { role: 'user', content: [{ type: 'input_audio', input_audio }] }];
    const row = await ask('hears', CHAT, { messages }, chatAnswer(told(10_200, 1)));
    expect(row).toMatchObject({ ...BELIEVED, quota: 10_200 + 2 });
    expect(row.other).not.toHaveProperty('audio_input');
  });

  it('is sound where samples tell their rate', async () => {
    const inlineData = {
      mimeType: 'audio/l16;rate=16000',
      data: Buffer.alloc(319_998, 7).toString('base64'),
    };
    const usage = { promptTokenCount: 1_000, candidatesTokenCount: 1, totalTokenCount: 1_001 };
    const path = `/v1beta/models/${models.gemini}:generateContent`;
    const contents = [{ role: 'user', parts: [{ inlineData }] }];
    const row = await ask('gemini', path, { contents }, geminiAnswer(usage));
    expect(row.other).toMatchObject({ audio_input: 320 });
  });

  it('was read from a cache as far as the rest was', async () => {
    const cached = told(SOUND + 10, 1, { prompt_tokens_details: { cached_tokens: SOUND } });
    const row = await ask('hears', CHAT, { messages: asked(sound) }, chatAnswer(cached));
    expect(row.other).toMatchObject({ audio_input: 10, cache_tokens: SOUND, cache_tokens_audio: SOUND - 10 });
  });

  it('is as it is told where it is', async () => {
    const kinds = told(SOUND + 10, 1, { prompt_tokens_details: { audio_tokens: 1_500 } });
    const row = await ask('hears', CHAT, { messages: asked(sound) }, chatAnswer(kinds));
    expect(row.quota).toBe(3 * 1_500 + SOUND + 10 - 1_500 + 2);
  });

  it.each([false, true])('came out, streamed %p', async (stream) => {
    const spoken = { id: 'a', data: secondsOf(10).toString('base64'), transcript: 'ok' };
    const streamed = () =>
      eventStream([
        { choices: [{ index: 0, delta: { role: 'assistant', audio: spoken }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { choices: [], usage: told(9, 230) },
        '[DONE]',
      ]);
    const whole = chatAnswer(told(9, 230), '', { audio: spoken });
    const body = { messages: [user('say it')], modalities: ['text', 'audio'], audio: { voice: 'a' }, stream };
    const row = await ask('speaks', CHAT, body, stream ? streamed : whole);
    expect(row).toMatchObject({ ...BELIEVED, completion_tokens: 230 });
    expect(row.other.audio_output).toBe(200);
  });

  it.each([
    ['writes down', 3 * 600 + 2 * 9],
    // Google sells tokens of sound wherever it is asked.
    ['hears', 3 * 600 + 2 * 9],
    // Seconds are what is sold.
    ['minutes', 600 + 2 * 9],
  ])('was written down: %s', async (model, due) => {
    const form = new FormData();
    form.set('model', models[model] ?? '');
    form.set('file', new File([secondsOf(60)], 'a.wav', { type: 'audio/wav' }));
    const usage = { type: 'tokens', input_tokens: 600, output_tokens: 9, total_tokens: 609 };
    t.answers({ text: 'ok', usage });
    await (await t.post('/v1/audio/transcriptions', form)).text();
    expect((await t.row()).quota).toBe(due);
  });
});
