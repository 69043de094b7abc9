/**
 * Searches and code that a vendor runs and that no answer tells of: gateways behind a channel put what other makers answer
 * into the words of the wire that they were asked in, and leave out what that has no words for. What nobody tells stays
 * behind, or is charged for being asked for. The gateways' ways are those of LiteLLM's and New API's sources.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    gpt: { type: 1, named: 'gpt-4.1' },
    oss: { type: 1, named: 'openai/gpt-oss-120b' },
    api: { type: 1, named: 'gpt-5-search-api' },
    claude: { type: 1, named: 'claude-sonnet-4-6' },
    gemini: { type: 1, named: 'gemini-2.5-flash-lite' },
    nova: { type: 1, named: 'amazon.nova-2-lite-v1:0' },
    grok: { type: 1, named: 'grok-3' },
    glm: { type: 1, named: 'glm-4.6' },
    qwen: { type: 1, named: 'qwen-max' },
    kimi: { type: 1, named: 'kimi-k2' },
    deepseek: { type: 1, named: 'deepseek-chat' },
    llama: { type: 1, named: 'llama-3.3-70b' },
    mistral: { type: 1, named: 'mistral-small' },
    minimax: { type: 1, named: 'MiniMax-M2' },
    gemma: { type: 1, named: 'gemma-3-27b' },
    house: { type: 1, named: 'house' },
    'house of gpt': { type: 1, named: 'house-gpt', model_mapping: { 'house-gpt': 'gpt-4.1-mini' } },
    'custom gpt': { type: 8, named: 'gpt-4.1-nano' },
    'Messages of gpt': { type: 14, named: 'gpt-5-mini' },
    'Messages of gemini': { type: 14, named: 'gemini-3-pro-preview' },
    'Messages of claude': { type: 14, named: 'claude-opus-4-1' },
    'wire of gemini': { type: 24, named: 'gemini-2.0-flash' },
    'wire of claude': { type: 24, named: 'claude-haiku-4-5' },
    azure: { type: 3, named: 'deployed' },
    zhipu: { type: 26, named: 'any-model' },
    sonar: { type: 1, named: 'sonar-pro' },
    research: { type: 1, named: 'sonar-deep-research' },
    compound: { type: 1, named: 'groq/compound-mini' },
    preview: { type: 1, named: 'gpt-4o-search-preview' },
    'Messages of sonar': { type: 14, named: 'sonar' },
    'wire of sonar': { type: 24, named: 'sonar-reasoning' },
    online: { type: 20, named: 'openai/gpt-4o-mini:online' },
    'router of sonar': { type: 20, named: 'perplexity/sonar-pro' },
    'selling Messages': { type: 14, named: 'sold-by-messages', setting: { allow_dearer: true } },
    selling: { type: 1, named: 'sold-by-house', setting: { allow_dearer: true } },
  }));
});
afterAll(() => t.close());

const BALANCE = 50_000_000;
beforeEach(() => t.relay.setBalance(BALANCE));

const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const MESSAGES = '/v1/messages';
const GEMINI = '/v1beta/models/MODEL:generateContent';
const PLAIN = '/v1/completions';
const SAID = [{ role: 'user', content: 'What is new?' }];
const BODIES: Record<string, JsonObject> = {
  [CHAT]: { messages: SAID, max_tokens: 50 },
  [RESPONSES]: { input: 'What is new?', max_output_tokens: 50 },
  [MESSAGES]: { messages: SAID, max_tokens: 50 },
  [GEMINI]: {
    contents: [{ role: 'user', parts: [{ text: 'What is new?' }] }],
    generationConfig: { maxOutputTokens: 50 },
  },
  [PLAIN]: { prompt: 'What is new?', max_tokens: 50 },
};
/** Ten tokens in and five out, and no word of any tool. */
const TOKENS = 20;
const ANSWERS: Record<string, JsonObject> = {
  [CHAT]: chatAnswer({ prompt_tokens: 10, completion_tokens: 5 }, 'News.'),
  [RESPONSES]: responsesAnswer({ input_tokens: 10, output_tokens: 5 }, { text: 'News.' }),
  [MESSAGES]: messagesAnswer({ input_tokens: 10, output_tokens: 5 }, 'News.'),
  [GEMINI]: geminiAnswer({ promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }, 'News.'),
  [PLAIN]: {
    choices: [{ index: 0, text: 'News.', finish_reason: 'stop' }],
    usage: { prompt_tokens: 10, completion_tokens: 5 },
  },
};

async function ask(model: string, path: string, more: JsonObject, answer = ANSWERS[path] ?? {}) {
  t.answers(answer);
  const named = models[model] ?? '';
  const body = path === GEMINI ? BODIES[path] : { model: named, ...BODIES[path] };
  const said = await t.post(path.replace('MODEL', named), { ...body, ...more });
  expect(said.status).toBe(200);
  await said.text();
  return { lost: said.headers.get('x-gateway-lost'), quota: (await t.row()).quota, up: t.lastSeen.body };
}

const SEARCH = { type: 'web_search' };
const CLAUDES = { type: 'web_search_20250305', name: 'web_search' };
const OWN = { name: 'f', input_schema: { type: 'object' } };
const OWN_SEARCH = { name: 'web_search', input_schema: { type: 'object' } };
const OWN_FUNCTION = { type: 'function', name: 'f' };
const functionNamed = (name: string): JsonObject => ({ type: 'function', function: { name } });

describe('a tool whose uses nobody would tell', () => {
  it.each<[model: string, path: string, more: JsonObject, lost: string]>([
    // LiteLLM asks all but OpenAI's by its bridge, which keeps tokens and words alone.
    ['claude', RESPONSES, { tools: [{ ...SEARCH, search_context_size: 'high' }] }, 'web_search'],
    ['gemini', RESPONSES, { tools: [SEARCH] }, 'web_search'],
    ['nova', RESPONSES, { tools: [SEARCH] }, 'web_search'],
    ['oss', RESPONSES, { tools: [SEARCH, { type: 'code_interpreter' }] }, 'web_search, code_interpreter'],
    ['house', RESPONSES, { tools: [SEARCH] }, 'web_search'],
    ['Messages of gpt', MESSAGES, { tools: [CLAUDES] }, 'web_search_20250305'],
    ['Messages of gemini', MESSAGES, { tools: [CLAUDES] }, 'web_search_20250305'],
    ['nova', CHAT, { web_search_options: {} }, 'web_search_options'],
    ['house', CHAT, { web_search_options: {} }, 'web_search_options'],
    ['gpt', CHAT, { web_search_options: {} }, 'web_search_options'],
    // LiteLLM asks xAI's Responses for it, and leaves out what those tell of it.
    ['grok', CHAT, { web_search_options: {} }, 'web_search_options'],
    ['gpt', CHAT, { tools: [SEARCH] }, 'web_search'],
    ['house', CHAT, { enable_search: true, search_options: { forced_search: true } }, 'enable_search'],
    ['gpt', CHAT, { web_search: { enable: true } }, 'web_search'],
    ['house', CHAT, { search_parameters: { mode: 'on' } }, 'search_parameters'],
    ['house', CHAT, { tools: [{ type: 'live_search' }] }, 'live_search'],
    // A deployment of LiteLLM's that is asked at Responses.
    ['gpt', CHAT, { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }, 'code_interpreter'],
    [
      'gpt',
      CHAT,
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }] },
      'code_interpreter',
    ],
    ['oss', CHAT, { tools: [{ type: 'browser_search' }] }, 'browser_search'],
    ['wire of claude', GEMINI, { tools: [{ googleSearch: {} }] }, 'googleSearch'],
    ['wire of claude', GEMINI, { tools: [{ google_search: {} }] }, 'google_search'],
    // LiteLLM reads the old list as it does the other.
    ['gemini', CHAT, { functions: [{ googleSearch: {} }] }, 'googleSearch'],
    ['gemini', CHAT, { functions: [{ enterpriseWebSearch: {} }] }, 'enterpriseWebSearch'],
    ['gemini', PLAIN, { functions: [{ googleSearch: {} }] }, 'googleSearch'],
    ['nova', CHAT, { functions: [{ systemTool: { name: 'nova_grounding' } }] }, 'systemTool'],
    ['claude', RESPONSES, { functions: [CLAUDES] }, 'web_search_20250305'],
    ['gemini', CHAT, { functions: [{ name: 'googleSearch' }], function_call: 'auto' }, 'googleSearch'],
    ['gemini', RESPONSES, { functions: [{ googleSearch: {} }] }, 'googleSearch'],
    ['Messages of gemini', MESSAGES, { functions: [{ googleSearch: {} }] }, 'googleSearch'],
    // And what has no name by the one field that it has.
    ['gemini', RESPONSES, { tools: [{ googleSearch: {} }] }, 'googleSearch'],
    ['gemini', RESPONSES, { tools: [{ google_maps: {} }] }, 'google_maps'],
    ['Messages of gemini', MESSAGES, { tools: [{ googleSearch: {} }] }, 'googleSearch'],
    ['nova', RESPONSES, { tools: [{ systemTool: { name: 'nova_grounding' } }] }, 'systemTool'],
  ])('stays behind: %s at %s, %j', async (model, path, more, lost) => {
    const got = await ask(model, path, more);
    expect([got.lost, got.quota]).toEqual([lost, TOKENS]);
    for (const name of Object.keys(more))
      if (name !== 'search_options') expect(got.up).not.toHaveProperty(name);
  });

  const GROUNDING = { systemTool: { name: 'nova_grounding' } };
  it.each<[model: string, path: string, tool: JsonObject, more: JsonObject, lost?: string]>([
    ['gemini', RESPONSES, { type: 'tool_search' }, { googleSearch: {} }],
    ['gemini', RESPONSES, { type: 'apply_patch' }, { google_search: {} }],
    ['gemini', RESPONSES, { type: 'mcp', server_label: 'a' }, { googleSearch: {} }],
    ['nova', RESPONSES, { type: 'mcp', server_label: 'a' }, GROUNDING],
    ['Messages of gemini', MESSAGES, { type: 'bash_20250124', name: 'bash' }, { googleSearch: {} }],
    ['Messages of gemini', MESSAGES, { type: 'memory_20250818', name: 'memory' }, { GoogleSearch: true }],
    ['Messages of gemini', MESSAGES, OWN, { urlContext: {} }],
    ['nova', CHAT, functionNamed('f'), GROUNDING],
    ['nova', CHAT, { type: 'bash_20250124', name: 'bash' }, GROUNDING],
    ['nova', CHAT, { type: 'mcp', server_label: 'a' }, GROUNDING],
    ['nova', CHAT, functionNamed('f'), { some_service: { depth: 3 } }],
    ['nova', CHAT, { type: 'function', name: 'f' }, { function: GROUNDING }, 'systemTool'],
  ])('stays behind beside or inside what is the caller’s: %s at %s, %j %j', async (...given) => {
    const [model, path, tool, more, lost = Object.keys(more).join()] = given;
    const got = await ask(model, path, { tools: [{ ...tool, ...more }] });
    expect([got.lost, got.quota]).toEqual([lost, TOKENS]);
    expect(got.up.tools).toEqual([lost in more ? tool : { ...tool, function: {} }]);
  });

  it('stays behind in what is said', async () => {
    const said = { role: 'user', content: 'What is new?' };
    const input = [{ type: 'additional_tools', tools: [{ googleSearch: {} }] }, said];
    const { lost, up } = await ask('gemini', RESPONSES, { input });
    expect([lost, up.input]).toEqual(['googleSearch', [said]]);
  });

  const OFF = { enable: false, search_context_size: 'high' };
  it.each<[model: string, path: string, more: JsonObject]>([
    ['claude', RESPONSES, { web_search_options: OFF }],
    ['gemini', RESPONSES, { web_search_options: OFF }],
    ['gpt', RESPONSES, { web_search_options: OFF }],
    ['Messages of gemini', MESSAGES, { web_search_options: OFF }],
    ['nova', CHAT, { web_search_options: OFF }],
    ['gpt', CHAT, { web_search_options: OFF }],
    ['house', CHAT, { web_search_options: false }],
    ['house', CHAT, { search_parameters: { enable: false, mode: 'on' } }],
    ['house', CHAT, { enable_search: { enable: false } }],
    ['house', CHAT, { options: { web_search_options: OFF } }],
  ])('stays behind by a switch that it does not have: %s at %s, %j', async (model, path, more) => {
    const got = await ask(model, path, more);
    const names = Object.keys(more);
    expect([got.lost, got.quota]).toEqual([names.join(', '), TOKENS]);
    for (const name of names) expect(got.up).not.toHaveProperty(name);
  });

  it.each<JsonObject>([{ web_search: { enable: false } }, { enable_search: false }])(
    'is none where it is switched off by its own: %j',
    async (more) => {
      const { lost, up } = await ask('house', CHAT, more);
      expect([lost, up]).toEqual([null, { ...up, ...more }]);
    },
  );

  it('is told of beside what is not lost', async () => {
    const { lost, up } = await ask('Messages of gpt', MESSAGES, { tools: [CLAUDES, OWN] });
    expect([lost, up.tools]).toEqual(['web_search_20250305', [OWN]]);
  });
});

describe("a caller's own function that gateways take for a search", () => {
  it.each<[model: string, path: string, tool: JsonObject, lost: string]>([
    ['Messages of gpt', MESSAGES, OWN_SEARCH, 'web_search'],
    ['Messages of gemini', MESSAGES, OWN_SEARCH, 'web_search'],
    ['Messages of gpt', MESSAGES, { type: 'custom', ...OWN_SEARCH }, 'web_search'],
    ['gemini', CHAT, functionNamed('googleSearch'), 'googleSearch'],
    ['house', CHAT, functionNamed('google_search'), 'google_search'],
    ['gemini', RESPONSES, { type: 'function', name: 'googleSearch' }, 'googleSearch'],
    ['Messages of gemini', MESSAGES, { ...OWN_SEARCH, name: 'googleSearch' }, 'googleSearch'],
    ['gemini', CHAT, { ...functionNamed('googleSearch'), name: 'f' }, 'googleSearch'],
    // LiteLLM runs them itself, and asks its model again with what came of it, of which it tells the last answer alone.
    ['gpt', CHAT, functionNamed('litellm_web_search'), 'litellm_web_search'],
    ['custom gpt', CHAT, functionNamed('litellm_web_search'), 'litellm_web_search'],
    ['gpt', RESPONSES, { type: 'function', name: 'litellm_web_search' }, 'litellm_web_search'],
    ['Messages of gpt', MESSAGES, { ...OWN_SEARCH, name: 'litellm_web_search' }, 'litellm_web_search'],
    ['Messages of claude', MESSAGES, { ...OWN_SEARCH, name: 'litellm_web_search' }, 'litellm_web_search'],
    [
      'wire of claude',
      GEMINI,
      { functionDeclarations: [{ name: 'litellm_web_search' }] },
      'litellm_web_search',
    ],
    ['gpt', CHAT, { type: 'function', name: 'web_search' }, 'web_search'],
    ['gpt', CHAT, functionNamed('web_search'), 'web_search'],
    ['Messages of claude', MESSAGES, { name: 'WebSearch' }, 'WebSearch'],
  ])('stays behind: %s at %s, %j', async (model, path, tool, lost) => {
    const got = await ask(model, path, { tools: [tool] });
    expect([got.lost, got.quota]).toEqual([lost, TOKENS]);
    expect(got.up).not.toHaveProperty('tools');
  });

  it.each<[model: string, path: string, tool: JsonObject]>([
    ['Messages of claude', MESSAGES, OWN_SEARCH],
    ['Messages of gpt', MESSAGES, { ...OWN_SEARCH, name: 'WebSearch' }],
    ['Messages of claude', MESSAGES, { type: 'custom', ...OWN_SEARCH, name: 'WebSearch' }],
    ['gpt', CHAT, { type: 'function', function: { name: 'web_search', parameters: { type: 'object' } } }],
    ['gpt', CHAT, functionNamed('googleSearch')],
    ...['deepseek', 'llama', 'mistral', 'oss', 'minimax', 'gemma'].map(
      (model): [string, string, JsonObject] => [model, CHAT, functionNamed('google_search')],
    ),
    ['deepseek', RESPONSES, { type: 'function', name: 'google_search' }],
  ])('is his elsewhere: %s at %s, %j', async (model, path, tool) => {
    const got = await ask(model, path, { tools: [tool] });
    expect([got.lost, got.up.tools]).toEqual([null, [tool]]);
  });

  it('is his without a type that says no more than that', async () => {
    const tools = [{ type: 'custom', ...OWN_SEARCH, description: 'searches' }];
    const got = await ask('Messages of claude', MESSAGES, { tools, tool_choice: { type: 'any' } });
    expect([got.lost, got.up.tools]).toEqual([null, [{ ...OWN_SEARCH, description: 'searches' }]]);
  });

  it('is his in the words of another wire, which go up in those of this one', async () => {
    const own = { name: 'WebSearch', parameters: { type: 'object' } };
    const got = await ask('gpt', CHAT, { tools: [own] });
    expect([got.lost, got.up.tools]).toEqual([null, [{ type: 'function', function: own }]]);
  });

  it('is his in the old list of chats', async () => {
    const functions = [{ name: 'WebSearch', parameters: { type: 'object' } }];
    const got = await ask('gpt', CHAT, { functions });
    expect([got.lost, got.up.functions]).toEqual([null, functions]);
  });

  const SCHEMA = { type: 'object' };
  it.each<[model: string, path: string, tools: JsonObject[]]>([
    [
      'gemini',
      CHAT,
      [
        { type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true, return: SCHEMA } },
        { type: 'custom', custom: { name: 'c', format: { type: 'text' } } },
        { function: { name: 'g' }, eager: true },
        { functionDeclarations: [{ name: 'd', parameters: SCHEMA }] },
      ],
    ],
    [
      'gemini',
      RESPONSES,
      [
        { type: 'function', name: 'f', parameters: SCHEMA, strict: false, defer_loading: true },
        { type: 'custom', name: 'c', format: { type: 'grammar', syntax: 'lark', definition: 'a' } },
        { type: 'namespace', name: 'n', description: 'd', tools: [{ type: 'function', name: 'f' }] },
        { type: 'tool_search', execution: 'client', parameters: SCHEMA },
        { type: 'shell', environment: { type: 'local', skills: [] } },
        { type: 'computer_use_preview', display_width: 1, display_height: 1, environment: 'browser' },
        {
          type: 'mcp',
          server_label: 'a',
          server_url: 'https://a.example',
          headers: { a: 'b' },
          allowed_tools: ['t'],
          require_approval: { never: { tool_names: ['t'] } },
        },
      ],
    ],
    [
      'Messages of gemini',
      MESSAGES,
      [
        { ...OWN, defer_loading: true, input_examples: [{}], allowed_callers: ['direct'] },
        { type: 'computer_20250124', name: 'computer', display_width_px: 1, display_height_px: 1 },
        { type: 'mcp_toolset', mcp_server_name: 'a', default_config: { enabled: true }, configs: {} },
      ],
    ],
  ])('is whole where it has the shape of one: %s at %s', async (model, path, tools) => {
    const { lost, up } = await ask(model, path, { tools });
    expect([lost, up.tools]).toEqual([null, tools]);
  });

  it('is his in the old list, too', async () => {
    const more = { functions: [{ name: 'f', parameters: { type: 'object' } }], function_call: { name: 'f' } };
    const { lost, up } = await ask('gemini', CHAT, more);
    expect(lost).toBeNull();
    expect(up).toMatchObject(more);
  });
});

describe('a word of chats that has a search made', () => {
  const WORDS: JsonObject = {
    web_search_options: { search_context_size: 'high' },
    enable_search: true,
    search_parameters: { mode: 'on', max_search_results: 30 },
  };
  it.each<[model: string, path: string, lost: string]>([
    ['Messages of gemini', MESSAGES, 'web_search_options, enable_search, search_parameters'],
    ['Messages of claude', MESSAGES, 'web_search_options, enable_search, search_parameters'],
    ['gpt', RESPONSES, 'web_search_options, enable_search, search_parameters'],
    ['grok', RESPONSES, 'web_search_options, enable_search'],
    ['azure', RESPONSES, 'web_search_options, enable_search'],
    ['wire of gemini', GEMINI, 'web_search_options, enable_search, search_parameters'],
  ])('stays behind on other wires: %s at %s', async (model, path, lost) => {
    const { lost: told, up } = await ask(model, path, WORDS);
    expect(told).toBe(lost);
    for (const name of lost.split(', ')) expect(up).not.toHaveProperty(name);
  });
});

describe('what is told, or charged for being asked for', () => {
  const calls = (type: string) =>
    responsesAnswer({ input_tokens: 10, output_tokens: 5 }, { text: 'News.', before: [{ type, id: 'a' }] });
  const chat = (usage: JsonObject, message: JsonObject = {}) =>
    chatAnswer({ prompt_tokens: 10, completion_tokens: 5, ...usage }, 'News.', message);
  const GROUNDED = geminiAnswer({ promptTokenCount: 10, candidatesTokenCount: 5 }, 'News.', {
    groundingMetadata: { webSearchQueries: ['a'] },
  });
  const SEARCHED = messagesAnswer(
    { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: 1 } },
    'News.',
  );

  const SHOWN = { type: 'web_search_tool_result', tool_use_id: 'toolu_1', content: [] };
  // LiteLLM's own search: it shows what it found, and counts nothing.
  const MADE = messagesAnswer({ input_tokens: 10, output_tokens: 5 }, 'News.');
  MADE.content = [SHOWN, { ...SHOWN, tool_use_id: 'toolu_2' }, { type: 'text', text: 'News.' }];

  it.each<[model: string, path: string, more: JsonObject, answer: JsonObject, units: number]>([
    ['gpt', RESPONSES, { tools: [SEARCH] }, calls('web_search_call'), 5_000],
    ['house of gpt', RESPONSES, { tools: [SEARCH] }, calls('web_search_call'), 5_000],
    ['azure', RESPONSES, { tools: [SEARCH] }, calls('web_search_call'), 5_000],
    ['grok', RESPONSES, { tools: [{ type: 'x_search' }] }, calls('x_search_call'), 2_500],
    ['Messages of claude', MESSAGES, { tools: [CLAUDES] }, SEARCHED, 5_000],
    ['Messages of claude', MESSAGES, { tools: [CLAUDES] }, MADE, 10_000],
    ['wire of gemini', GEMINI, { tools: [{ googleSearch: {} }] }, GROUNDED, 17_500],
    [
      'claude',
      CHAT,
      { web_search_options: {} },
      chat({ server_tool_use: { web_search_requests: 2 } }),
      10_000,
    ],
    // New API tells nothing of it.
    ['claude', CHAT, { web_search_options: {} }, chat({}), 5_000],
    ['claude', CHAT, { web_search_options: {} }, chat({ server_tool_use: { web_search_requests: 0 } }), 0],
    [
      'gemini',
      CHAT,
      { web_search_options: {} },
      chat({ prompt_tokens_details: { web_search_requests: 1 } }),
      17_500,
    ],
    [
      'gemini',
      CHAT,
      { functions: [SEARCH] },
      chat({ prompt_tokens_details: { web_search_requests: 1 } }),
      17_500,
    ],
    ['grok', CHAT, { search_parameters: { mode: 'on' } }, chat({ num_sources_used: 2 }), 25_000],
    ['api', CHAT, { web_search_options: {} }, chat({}), 5_000],
    ['glm', CHAT, { tools: [{ type: 'web_search', web_search: { enable: true } }] }, chat({}), 5_000],
    // Each is a search of its own.
    ['glm', CHAT, { tools: [SEARCH, SEARCH, SEARCH] }, chat({}), 15_000],
    // Its sources, which are shown where the caller wants them, are no number.
    [
      'glm',
      CHAT,
      { tools: [SEARCH, SEARCH, SEARCH] },
      { ...chat({}), web_search: [{ link: 'https://x.example/a' }] },
      15_000,
    ],
    ['glm', CHAT, { tools: [SEARCH, SEARCH, SEARCH] }, chat({ web_search_requests: 1 }), 5_000],
    ['qwen', CHAT, { enable_search: true }, chat({}), 5_000],
    [
      'kimi',
      CHAT,
      { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] },
      chat({}, { tool_calls: [{ index: 0, id: 'a', function: { name: '$web_search', arguments: '{}' } }] }),
      5_000,
    ],
    ['zhipu', CHAT, { tools: [{ type: 'web_search', web_search: { enable: true } }] }, chat({}), 5_000],
  ])('goes up: %s at %s, %j', async (model, path, more, answer, units) => {
    const got = await ask(model, path, more, answer);
    expect([got.lost, got.quota]).toEqual([null, TOKENS + units]);
    expect(got.up).toMatchObject(more);
  });

  const FORCED = { tools: [CLAUDES], tool_choice: { type: 'tool', name: 'web_search' } };
  const FUNCTION = { type: 'function', name: 'web_search' };
  const allowed = (mode: string, ...tools: JsonObject[]) => ({ type: 'allowed_tools', mode, tools });
  it.each<[model: string, path: string, more: JsonObject, units: number]>([
    ['Messages of claude', MESSAGES, FORCED, 5_000],
    ['Messages of claude', MESSAGES, { tools: [CLAUDES], tool_choice: { type: 'any' } }, 5_000],
    ['Messages of claude', MESSAGES, { tools: [CLAUDES, OWN], tool_choice: { type: 'any' } }, 0],
    ['Messages of claude', MESSAGES, { tools: [CLAUDES], tool_choice: { type: 'auto' } }, 0],
    ['gpt', RESPONSES, { tools: [SEARCH, OWN_FUNCTION], tool_choice: SEARCH }, 5_000],
    ['gpt', RESPONSES, { tools: [SEARCH], tool_choice: 'required' }, 5_000],
    ['gpt', RESPONSES, { tools: [SEARCH, FUNCTION], tool_choice: FUNCTION }, 0],
    ['gpt', RESPONSES, { tools: [SEARCH, OWN_FUNCTION], tool_choice: allowed('required', SEARCH) }, 5_000],
    ['gpt', RESPONSES, { tools: [SEARCH, FUNCTION], tool_choice: allowed('required', SEARCH, FUNCTION) }, 0],
    ['gpt', RESPONSES, { tools: [SEARCH], tool_choice: allowed('auto', SEARCH) }, 0],
    ['gpt', RESPONSES, { tools: [SEARCH] }, 0],
    ['azure', RESPONSES, { tools: [SEARCH], tool_choice: SEARCH }, 0],
  ])('is charged where nothing is told if nothing else was left to do: %s at %s, %j', async (...given) => {
    const [model, path, more, units] = given;
    expect((await ask(model, path, more)).quota).toBe(TOKENS + units);
  });

  it('is charged as it is told, though nothing else was left to do', async () => {
    expect((await ask('Messages of claude', MESSAGES, FORCED, MADE)).quota).toBe(TOKENS + 10_000);
    const none = { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: 0 } };
    expect((await ask('Messages of claude', MESSAGES, FORCED, messagesAnswer(none))).quota).toBe(TOKENS);
  });

  it('is charged in a stream by what is shown of it', async () => {
    const begins = (index: number, content_block: JsonObject) => ({
      type: 'content_block_start',
      index,
      content_block,
    });
    t.answers(() =>
      eventStream([
        { type: 'message_start', message: { id: 'm', content: [], usage: { input_tokens: 10 } } },
        begins(0, SHOWN),
        begins(1, { type: 'text', text: '' }),
        { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'News.' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
        { type: 'message_stop' },
      ]),
    );
    const asked = { ...BODIES[MESSAGES], stream: true, tools: [CLAUDES] };
    await (await t.post(MESSAGES, { model: models['Messages of claude'] ?? '', ...asked })).text();
    expect((await t.row()).quota).toBe(TOKENS + 5_000);
  });

  it('goes up as the wire behind tells it, whichever the caller speaks', async () => {
    const told = chat({ prompt_tokens_details: { web_search_requests: 1 } });
    const got = await ask('gemini', MESSAGES, { tools: [CLAUDES] }, told);
    expect([got.quota, got.up.web_search_options]).toEqual([TOKENS + 17_500, {}]);
  });

  it('goes up where dearer service is sold', async () => {
    const { lost, up } = await ask('selling', RESPONSES, { tools: [SEARCH] });
    expect([lost, up.tools]).toEqual([null, [SEARCH]]);
  });
});

describe('what a model does unasked', () => {
  const TOLD = messagesAnswer(
    { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: 1 } },
    'News.',
  );
  it.each<[model: string, path: string, more: JsonObject, units: number]>([
    ['sonar', CHAT, {}, 5_000],
    ['sonar', RESPONSES, {}, 5_000],
    ['sonar', RESPONSES, { web_search_options: { search_context_size: 'high' } }, 5_000],
    ['Messages of sonar', MESSAGES, {}, 5_000],
    ['wire of sonar', GEMINI, {}, 5_000],
    ['router of sonar', MESSAGES, {}, 5_000],
    ['online', CHAT, {}, 5_000],
    ['online', MESSAGES, {}, 5_000],
    ['preview', RESPONSES, {}, 12_500],
    ['compound', RESPONSES, {}, 5_000],
    // Nothing tells how often: as often as is held.
    ['research', RESPONSES, {}, 40 * 5_000],
    ['research', CHAT, {}, 40 * 5_000],
    ['research', PLAIN, {}, 40 * 5_000],
    ['claude', PLAIN, { web_search_options: {} }, 5_000],
    ['claude', RESPONSES, {}, 0],
  ])('is charged on every wire: %s at %s, %j', async (model, path, more, units) => {
    const { quota, up } = await ask(model, path, more);
    expect(quota).toBe(TOKENS + units);
    expect(up).not.toHaveProperty('max_tool_calls');
  });

  it.each<[usage: JsonObject, units: number]>([
    // LiteLLM writes the usage of a stream anew, of tokens alone.
    [{}, 40 * 5_000],
    [{ num_search_queries: 3 }, 3 * 5_000],
  ])('is charged in a stream as it is told, or held: %j', async (more, units) => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, ...more };
    t.answers(() =>
      eventStream([
        { choices: [{ index: 0, delta: { role: 'assistant', content: 'News.' }, finish_reason: null }] },
        { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
        { choices: [], usage },
        '[DONE]',
      ]),
    );
    const said = await t.post(CHAT, { model: models.research ?? '', ...BODIES[CHAT], stream: true });
    await said.text();
    expect((await t.row()).quota).toBe(TOKENS + units);
  });

  it.each(['router of sonar', 'online'])('is charged where it is told, too: %s', async (model) => {
    expect((await ask(model, MESSAGES, {}, TOLD)).quota).toBe(TOKENS + 5_000);
  });

  it.each<[model: string, path: string, units: number]>([
    ['Messages of sonar', MESSAGES, 5_000],
    ['online', MESSAGES, 5_000],
    ['sonar', RESPONSES, 5_000],
    ['research', RESPONSES, 200_000],
  ])('is held for before it is asked: %s at %s', async (model, path, units) => {
    await t.relay.setBalance(units - 1);
    const before = t.seen.length;
    const said = await t.post(path, { model: models[model] ?? '', ...BODIES[path] });
    expect([said.status, t.seen.length]).toEqual([403, before]);
  });

  it('and words that go up where dearer is sold are charged by what they come to', async () => {
    const { quota } = await ask('selling Messages', MESSAGES, { web_search_options: {} }, TOLD);
    expect(quota).toBe(TOKENS + 5_000);
  });
});

describe('what vendors tell in words of their own is charged', () => {
  const found = { type: 'search_results', queries: ['a'], results: [{ id: 1, url: 'https://a.example' }] };
  const invoked = { search_web: { invocation: 10 }, fetch_url: { invocation: 2 } };
  const { output, ...whole } = ANSWERS[RESPONSES] ?? {};
  const perplexity: JsonObject = {
    ...whole,
    output: [found, ...(Array.isArray(output) ? output : [])],
    usage: { input_tokens: 10, output_tokens: 5, tool_calls_details: invoked },
  };
  const tools = [SEARCH, { type: 'fetch_url' }];

  it("Perplexity's Responses", async () => {
    expect((await ask('selling', RESPONSES, { tools }, perplexity)).quota).toBe(TOKENS + 50_000 + 500);
  });

  it("Perplexity's Responses as a stream", async () => {
    t.answers(() =>
      eventStream([
        {
          type: 'response.created',
          response: { ...perplexity, status: 'in_progress', output: [], usage: null },
        },
        { type: 'response.output_item.done', output_index: 0, item: found },
        { type: 'response.completed', response: perplexity },
      ]),
    );
    const body = { model: models.selling ?? '', ...BODIES[RESPONSES], stream: true, tools };
    await (await t.post(RESPONSES, body)).text();
    expect((await t.row()).quota).toBe(TOKENS + 50_000 + 500);
  });

  it("Groq's browser", async () => {
    const executed_tools = ['browser_search', 'visit_website'].flatMap((type) =>
      Array.from({ length: 10 }, (_, index) => ({
        index: index + (type === 'visit_website' ? 10 : 0),
        type,
      })),
    );
    const answer = chatAnswer({ prompt_tokens: 10, completion_tokens: 5 }, 'News.', { executed_tools });
    const got = await ask('selling', CHAT, { tools: [{ type: 'browser_search' }] }, answer);
    expect(got.quota).toBe(TOKENS + 10 * 2_500 + 10 * 500);
  });

  it('a tool that is told and has no price goes up to nobody', async () => {
    const { lost, up } = await ask('zhipu', CHAT, { tools: [{ type: 'browser_automation' }] });
    expect([lost, up.tools]).toEqual(['browser_automation', undefined]);
  });

  it("Perplexity's profile is what an account keeps", async () => {
    const body = { model: models.gpt ?? '', ...BODIES[RESPONSES], profile: { id: 'prof_1' } };
    const refused = await t.post(RESPONSES, body);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'profile']);
  });
});

describe('a word of some gateway’s that brings a service along', () => {
  const SERVICES: JsonObject = {
    venice_parameters: { enable_web_search: 'on', enable_web_scraping: true },
    linkup: { enabled: true, depth: 'deep' },
    scraping: true,
    youtube_transcripts: true,
    memory: { expiration_days: 365 },
    research: { parallel_thinking: { mode: 'high' } },
    enable_research: true,
    webSearch: { enabled: true, depth: 'deep' },
    Web_Browsing: 'auto',
    server_tools: ['a'],
    internet_access: true,
    extras: [{ house: { retrieval_mode: 'deep' } }],
  };
  // What servers of open models take, Perplexity's settings of its search, and what says nothing.
  const KEPT: JsonObject = {
    use_beam_search: true,
    chat_template_kwargs: { enable_search: true, builtin_tools: [] },
    guided_json: { type: 'object', properties: { search_terms: { type: 'string' } } },
    structured_outputs: { json: { properties: { tools: { type: 'array' } } } },
    parse_tool_calls: true,
    tool_prompt: 'Use them.',
    parallel_tool_calls: true,
    add_generation_prompt: true,
    nvext: { greed_sampling: true },
    disable_search: true,
    enable_web_search: false,
    house_setting: { depth: 'deep' },
  };

  it.each([
    ['house', CHAT],
    ['gpt', RESPONSES],
    ['Messages of claude', MESSAGES],
    ['wire of gemini', GEMINI],
  ])('stays behind, and all others go up: %s at %s', async (model, path) => {
    const { up, lost } = await ask(model, path, { ...SERVICES, ...KEPT });
    expect(up).toMatchObject(KEPT);
    expect(Object.keys(SERVICES).filter((name) => name in up)).toEqual([]);
    expect(lost?.split(', ').toSorted()).toEqual(Object.keys(SERVICES).toSorted());
  });

  it('stays behind where gateways read it as if it stood at the top', async () => {
    const options = { scraping: true, enable_search: true, top_k: 3 };
    const { up, lost } = await ask('house', CHAT, { options });
    expect([up.options, lost]).toEqual([{ top_k: 3 }, 'options']);
  });

  it('is Perplexity’s setting of its search at a model of its own', async () => {
    const settings = { search_mode: 'academic', search_domain_filter: ['a.example'] };
    expect((await ask('sonar', CHAT, settings)).up).toMatchObject(settings);
    expect((await ask('house', CHAT, settings)).up).not.toHaveProperty('search_mode');
  });

  it('goes up to a vendor and where it is sold, but for what is known as dearer', async () => {
    const { venice_parameters: dear, webSearch: _misspelled, ...others } = SERVICES;
    expect((await ask('zhipu', CHAT, SERVICES)).up).toMatchObject(others);
    expect((await ask('zhipu', CHAT, SERVICES)).up).not.toHaveProperty('venice_parameters');
    expect((await ask('selling', CHAT, SERVICES)).up).toMatchObject({
      ...others,
      venice_parameters: dear ?? null,
    });
  });
});
