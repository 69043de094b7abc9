/**
 * A body in which a field of the gateway stands twice: as the gateway reads it, and in another spelling that an upstream
 * which ignores case reads as well. What such an upstream makes of what reaches it must be what was priced.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { type CallersDialect, ruled } from '../../src/dialects/body-rules.ts';
import { FIELDS } from '../../src/dialects/gateway-fields.ts';
import { openaiRealtime } from '../../src/dialects/plain/openai-realtime.ts';
import { camelOf, snakeOf } from '../../src/dialects/spelling.ts';
import { midjourneyPlus } from '../../src/providers/midjourney.ts';
import { endpoints, modelActions } from '../../src/relay/entry/endpoints.ts';
import { DRAWING_KEY, type DrawingServer, startDrawing } from '../support/drawing-server.ts';
import { SUNO_KEY, type SunoServer, startSuno } from '../support/suno-server.ts';
import { type Forms, openForms, openSessions, type Sessions } from '../support/ways-in.ts';
import { modelOf, openWireRelay, type WireRelay } from '../support/wire-relay.ts';
import type { Wire } from '../support/wires.ts';

const MAKERS: [Wire, string, string][] = [
  ['responses', 'extra-0', 'grok-4'],
  ['messages', 'extra-1', 'claude-sonnet-4-5'],
];

let t: WireRelay;
beforeAll(async () => {
  t = await openWireRelay();
  // What only their makers' models tell goes up to gateways for these alone.
  for (const [wire, name, maker] of MAKERS) {
    await t.extra(wire, { models: name, model_mapping: { [name]: maker } });
  }
});
afterAll(() => t.close());

const bare = (name: string): string => name.replace(/[_-]/g, '');

/** A field as Go's reader takes it: the last of all that are the same without case, lines and dashes. */
function loosely(body: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((value, name) => {
    if (Array.isArray(value)) return value[Number(name)];
    if (!isObject(value)) return undefined;
    const same = new RegExp(`^${bare(name)}$`, 'iu');
    return Object.entries(value).findLast(([key]) => same.test(bare(key)))?.[1];
  }, body);
}

const HOME: readonly [string, Wire][] = [
  ['openai-chat', 'chat'],
  ['openai-responses', 'responses'],
  ['anthropic-messages', 'messages'],
  ['gemini', 'generateContent'],
];
const [CHAT, RESPONSES, MESSAGES, GEMINI] = HOME as [
  [string, Wire],
  [string, Wire],
  [string, Wire],
  [string, Wire],
];

/** Asks and tells what went up. */
async function sent(
  [name, wire]: readonly [string, Wire],
  more: JsonObject,
  stream = false,
): Promise<JsonObject> {
  const answer = await t.ask(name, wire, { more, stream });
  expect(answer.status).toBe(200);
  await answer.text();
  await t.row();
  return t.lastSeen.body;
}

describe('another model', () => {
  const spellings = ['Model', 'MODEL', 'mODEL', '_model', 'model\0', 'ｍodel'];

  it.each(HOME)('is not served to a caller of %s', async (name, wire) => {
    for (const spelling of spellings) {
      const body = await sent([name, wire], { [spelling]: 'dear-model' });
      expect(JSON.stringify(body)).not.toContain('dear-model');
    }
  });

  it('is not served by a body whose path names the model', async () => {
    expect(JSON.stringify(await sent(GEMINI, { model: 'models/dear-model', stream: true }))).not.toContain(
      'dear',
    );
  });

  it('is not reached over another wire either', async () => {
    for (const wire of ['chat', 'ollama', 'cohere'] as const) {
      expect(JSON.stringify(await sent(['openai-chat', wire], { Model: 'dear-model' }))).not.toContain(
        'dear',
      );
    }
  });
});

describe('more output than was held for', () => {
  it.each<[string, readonly [string, Wire], JsonObject, string[], number]>([
    ['a capital', CHAT, { Max_Completion_Tokens: 9e6 }, ['max_completion_tokens'], 100],
    ['a Kelvin sign', CHAT, { 'max_completion_to\u212aens': 9e6 }, ['max_completion_tokens'], 100],
    ['a long s', CHAT, { max_completion_tokenſ: 9e6 }, ['max_completion_tokens'], 100],
    ['camels', CHAT, { maxCompletionTokens: 9e6 }, ['max_completion_tokens'], 100],
    ['dashes', MESSAGES, { 'max-tokens': 9e6 }, ['max_tokens'], 100],
    ['capitals', MESSAGES, { MAX_TOKENS: 9e6 }, ['max_tokens'], 100],
    ['camels at Responses', RESPONSES, { maxOutputTokens: 9e6 }, ['max_output_tokens'], 100],
  ])('by %s is not asked for', async (_name, home, more, path, most) => {
    expect(loosely(await sent(home, more), ...path)).toBe(most);
  });

  it.each<[string, JsonObject]>([
    ['twice', { generationConfig: { maxOutputTokens: 5, MaxOutputTokens: 9e6 } }],
    ['in both spellings', { generationConfig: { maxOutputTokens: 5, max_output_tokens: 5 } }],
    [
      'in two settings',
      { generationConfig: { maxOutputTokens: 5 }, GenerationConfig: { maxOutputTokens: 9e6 } },
    ],
    ['in settings of a long s and more', { generationConfig: { maxOutputTokens: 5, maxOutputTokenſ: 9e6 } }],
    [
      'in lines of capitals',
      { generationConfig: { maxOutputTokens: 5 }, GENERATION_CONFIG: { maxOutputTokens: 9e6 } },
    ],
  ])("is not asked for in Gemini's settings: %s", async (_name, more) => {
    const body = await sent(GEMINI, more);
    expect(loosely(body, 'generationConfig', 'maxOutputTokens')).toBe(5);
  });

  it.each<[string, JsonObject]>([
    ['num_predict', { num_predict: 9e6 }],
    ['options', { options: { num_predict: 9e6, num_ctx: 4096 } }],
    ['max_new_tokens', { max_new_tokens: 9e6 }],
    ['parameters', { parameters: { max_new_tokens: 9e6 } }],
    ['n', { N: 64 }],
    ['best_of', { best_of: 64 }],
    ['candidate_count', { candidateCount: 64 }],
  ])('is not asked for in a word of another wire: %s', async (_name, more) => {
    const text = JSON.stringify(await sent(CHAT, more));
    expect(text).not.toContain('9000000');
    expect(text).not.toContain('64');
  });
});

describe('a dearer or another service', () => {
  it.each<[string, readonly [string, Wire], JsonObject]>([
    ['serviceTier', CHAT, { serviceTier: 'priority' }],
    ['ſervice_tier', CHAT, { ſervice_tier: 'priority' }],
    ['Service_Tier at Responses', RESPONSES, { Service_Tier: 'priority' }],
    ["Gemini's own", GEMINI, { serviceTier: 'priority' }],
    ["Gemini's own in lines", GEMINI, { service_tier: 'PRIORITY' }],
    ['Speed', MESSAGES, { Speed: 'priority' }],
    ['MODELS', CHAT, { MODELS: ['priority'] }],
    ['provider', CHAT, { provider: { only: ['priority'] } }],
    ['Provider', CHAT, { Provider: { order: ['priority'], allow_fallbacks: false } }],
    ['PROVIDER at Messages', MESSAGES, { PROVIDER: { sort: 'priority' } }],
  ])('is not asked for by %s', async (_name, home, more) => {
    expect(JSON.stringify(await sent(home, more)).toLowerCase()).not.toContain('priority');
  });

  it.each<[string, readonly [string, Wire], JsonObject]>([
    ['Tools', CHAT, { Tools: [{ type: 'paid' }] }],
    ['the type of a tool', CHAT, { tools: [{ type: 'function', Type: 'paid', function: { name: 'f' } }] }],
    ['Web_Search_Options', CHAT, { Web_Search_Options: { search_context_size: 'paid' } }],
    ['searchParameters', CHAT, { searchParameters: { mode: 'paid' } }],
    ['Tools at Responses', RESPONSES, { Tools: [{ type: 'paid' }] }],
    [
      'the type of a tool at Responses',
      RESPONSES,
      { tools: [{ type: 'function', Type: 'paid', name: 'f' }] },
    ],
    ['searchParameters at Responses', RESPONSES, { searchParameters: { mode: 'paid' } }],
    ['Tools at Messages', MESSAGES, { TOOLS: [{ type: 'paid' }] }],
    [
      'the type of a tool at Messages',
      MESSAGES,
      { tools: [{ name: 'f', input_schema: { type: 'object' }, TYPE: 'paid' }] },
    ],
    ['Tools at Gemini', GEMINI, { Tools: [{ paid: {} }] }],
    ['a search of two spellings', GEMINI, { tools: [{ googleSearch: {}, google_search: { paid: true } }] }],
    ['a cache of another spelling', GEMINI, { CachedContent: 'cachedContents/paid' }],
  ])('is not asked for by tools in another spelling: %s', async (_name, home, more) => {
    const answer = await t.ask(...home, { more });
    // What the account keeps is refused in any spelling.
    if (answer.status === 400) return expect(await answer.text()).toContain('CachedContent');
    expect(answer.status).toBe(200);
    await t.row();
    expect(JSON.stringify(t.lastSeen.body)).not.toContain('paid');
  });

  const picture = (more: JsonObject) => ({ url: 'https://pictures.example/a.png', detail: 'low', ...more });
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 1 };
  it.each<[string, readonly [string, Wire], JsonObject, string[], unknown]>([
    [
      'a search that was off',
      CHAT,
      { search_parameters: { mode: 'off', Mode: 'on' } },
      ['search_parameters', 'mode'],
      'off',
    ],
    [
      'more sources',
      CHAT,
      { search_parameters: { max_search_results: 1, maxSearchResults: 30 } },
      ['search_parameters', 'max_search_results'],
      1,
    ],
    [
      'more sources at Responses',
      RESPONSES,
      { model: 'extra-0', search_parameters: { max_search_results: 1, Max_Search_Results: 30 } },
      ['search_parameters', 'max_search_results'],
      1,
    ],
    [
      'more calls of tools',
      RESPONSES,
      { tools: [{ type: 'web_search' }], max_tool_calls: 1, Max_Tool_Calls: 9 },
      ['max_tool_calls'],
      1,
    ],
    [
      'more uses',
      MESSAGES,
      { model: 'extra-1', tools: [{ ...search, Max_Uses: 9 }] },
      ['tools', '0', 'max_uses'],
      1,
    ],
    [
      'a finer picture',
      CHAT,
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: picture({ Detail: 'high' }) }] },
        ],
      },
      ['messages', '0', 'content', '0', 'image_url', 'detail'],
      'low',
    ],
    [
      'a finer picture at Responses',
      RESPONSES,
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_image', image_url: picture({}).url, detail: 'low', dETAIL: 'high' }],
          },
        ],
      },
      ['input', '0', 'content', '0', 'detail'],
      'low',
    ],
    [
      'a cache that was not asked for',
      MESSAGES,
      { system: [{ type: 'text', text: 'x', Cache_Control: { type: 'ephemeral' } }] },
      ['system', '0', 'cache_control'],
      undefined,
    ],
    [
      'a longer life in the cache',
      MESSAGES,
      { system: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', TTL: '1h' } }] },
      ['system', '0', 'cache_control', 'ttl'],
      undefined,
    ],
  ])('is not asked for by another spelling: %s', async (_name, home, more, path, value) => {
    expect(loosely(await sent(home, more), ...path)).toBe(value);
  });

  it.each<JsonObject>([
    { Extra_Headers: { authorization: 'evil' } },
    { extraHeaders: { authorization: 'evil' } },
    { headers: { authorization: 'evil' } },
    { HEADERS: { authorization: 'evil' } },
    { Extra_Body: { api_base: 'evil' } },
    { extraBody: { api_base: 'evil' } },
    { apiBase: 'evil' },
    { API_BASE: 'evil' },
    { api_baſe: 'evil' },
    { mockResponse: 'evil' },
    { awsRegionName: 'evil' },
    { baseUrl: 'evil' },
  ])("is not asked for by the operator's fields: %j", async (more) => {
    for (const home of [CHAT, MESSAGES]) expect(JSON.stringify(await sent(home, more))).not.toContain('evil');
  });
});

describe('what the gateway looks up, holds for or limits', () => {
  it.each<[readonly [string, Wire], JsonObject]>([
    [RESPONSES, { Previous_Response_Id: 'resp_unread' }],
    [RESPONSES, { PREVIOUS_RESPONSE_ID: 'resp_unread' }],
    [RESPONSES, { previousResponseId: 'resp_unread' }],
    [RESPONSES, { 'previous-response-id': 'resp_unread' }],
    [RESPONSES, { Truncation: 'unread' }],
    [RESPONSES, { Include: ['unread'] }],
    [RESPONSES, { Multi_Agent: { enabled: true, note: 'unread' } }],
    [RESPONSES, { Context_Management: [{ type: 'compaction', note: 'unread' }] }],
    [RESPONSES, { context_management: [{ type: 'compaction', Compact_Threshold: 'unread' }] }],
    [MESSAGES, { MCP_Servers: [{ type: 'url', url: 'https://unread.example', name: 'x' }] }],
    [MESSAGES, { McpServers: [{ type: 'url', url: 'https://unread.example', name: 'x' }] }],
    [MESSAGES, { Output_Config: { effort: 'unread' } }],
    [MESSAGES, { context_management: { Edits: [{ type: 'compact_20260112', note: 'unread' }] } }],
    [CHAT, { Prediction: { type: 'content', content: 'unread' } }],
    [CHAT, { Reasoning: { effort: 'unread' } }],
    [CHAT, { reasoning: { Effort: 'unread' } }],
    [CHAT, { Tool_Choice: 'unread' }],
  ])('does not go up unread: %j %j', async (home, more) => {
    expect(JSON.stringify(await sent(home, more))).not.toContain('unread');
  });

  it('is what the account keeps in any spelling', async () => {
    for (const more of [{ Conversation: 'conv_1' }, { CONVERSATION: 'conv_1' }] as JsonObject[]) {
      const answer = await t.ask(...RESPONSES, { more });
      expect([answer.status, await answer.text()]).toEqual([400, expect.stringMatching(/conversation/i)]);
    }
  });

  const SURFACES: readonly CallersDialect[] = [
    ...new Set([
      ...endpoints.map(({ dialect }) => dialect),
      ...Object.values(modelActions).map(({ dialect }) => dialect),
      openaiRealtime,
    ]),
  ];
  /** Other spellings of a name that some reader takes for it. */
  const othersOf = (name: string): string[] => {
    const words = snakeOf(name).split('_');
    const capitals = words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1));
    return [
      capitals.join('_'),
      capitals.join(''),
      words.join('_').toUpperCase(),
      words.join('-'),
      `${name}\0`,
    ];
  };

  it('goes up by one spelling alone, by whichever name and on whichever surface', () => {
    const wentUp: string[] = [];
    for (const { rules } of SURFACES) {
      const { own = [], twins = [] } = rules;
      const read: ReadonlySet<string> = new Set([...FIELDS, ...own, ...twins]);
      for (const name of read) {
        const isRead = (other: string) =>
          read.has(other) || (rules.twins && (camelOf(name) === other || snakeOf(name) === other));
        for (const other of [...othersOf(name), ...(rules.twins ? [] : [camelOf(name)])]) {
          if (isRead(other)) continue;
          const { body } = ruled({ [other]: 'unread', a: [{ [other]: 'unread' }] }, rules);
          if (JSON.stringify(body).includes('unread')) wentUp.push(other);
        }
      }
    }
    expect(wentUp).toEqual([]);
  });
});

describe('what was counted and judged', () => {
  it('is what goes up of a stream: its usage is asked for once', async () => {
    for (const more of [{ Stream_Options: { include_usage: false } }, { ſtream: false }, { STREAM: false }]) {
      const body = await sent(CHAT, more, true);
      expect([loosely(body, 'stream'), loosely(body, 'stream_options', 'include_usage')]).toEqual([
        true,
        true,
      ]);
    }
    const options = { include_usage: true, Include_Usage: false };
    const body = await sent(CHAT, { stream_options: options }, true);
    expect(loosely(body, 'stream_options', 'include_usage')).toBe(true);
  });

  it.each<[readonly [string, Wire], JsonObject]>([
    [CHAT, { Messages: [{ role: 'user', content: 'unseen' }] }],
    [CHAT, { messages: [{ role: 'user', content: 'hi', Content: 'unseen' }] }],
    [RESPONSES, { Input: 'unseen' }],
    [RESPONSES, { Instructions: 'unseen' }],
    [MESSAGES, { System: 'unseen' }],
    [MESSAGES, { messages: [{ role: 'user', content: [{ type: 'text', text: 'hi', TEXT: 'unseen' }] }] }],
    [GEMINI, { Contents: [{ parts: [{ text: 'unseen' }] }] }],
    [GEMINI, { contents: [{ parts: [{ text: 'hi', Text: 'unseen' }] }] }],
    [
      GEMINI,
      {
        contents: [
          {
            parts: [
              { inlineData: { mimeType: 'text/plain', data: 'aGk=' }, inline_data: { data: 'unseen' } },
            ],
          },
        ],
      },
    ],
  ])('is what goes up of a prompt: %j %j', async (home, more) => {
    expect(JSON.stringify(await sent(home, more))).not.toContain('unseen');
  });

  it('is said to whoever wrote it otherwise, beside what stays', async () => {
    const more = { Model: 'dear-model', serviceTier: 'priority', own_field: { Own: 1 }, topK: 5 };
    const answer = await t.ask('openai-chat', 'chat', { more });
    expect(answer.headers.get('x-gateway-lost')).toBe('Model, serviceTier');
    expect((await t.row()).other.lost).toEqual(['Model', 'serviceTier']);
    expect(t.lastSeen.body).toMatchObject({ model: modelOf('chat'), own_field: { Own: 1 }, topK: 5 });
  });
});

describe('a form', () => {
  let forms: Forms;
  beforeAll(async () => {
    forms = await openForms(t.relay);
  });
  afterAll(() => forms.close());

  it.each([
    ['Model', 'dear-model'],
    ['MODEL', 'dear-model'],
    ['model[]', 'dear-model'],
    ['model[0]', 'dear-model'],
    ['N', '9'],
    ['Quality', 'dear-quality'],
    ['Partial_Images', '9'],
    ['apiBase', 'http://evil.example'],
  ])('loses its field %s', async (name, value) => {
    const answer = await forms.ask([name, value], ['own_field', 'kept']);
    expect(answer.status).toBe(200);
    const seen = forms.seen.at(-1);
    expect(seen?.get('own_field')).toBe('kept');
    expect(seen?.getAll('model')).toEqual(['gpt-image-1']);
    expect([...(seen?.values() ?? [])]).not.toContain(value);
  });

  it.each(['ſize', 'mod\u200bel', 'model ', 'mo\\\\del'])('is none with a field %s', async (name) => {
    const before = forms.seen.length;
    const answer = await forms.ask([name, '9x9']);
    expect([answer.status, forms.seen.length]).toEqual([400, before]);
  });

  it.each(['model', 'Model', 'n', 'max_tokens', 'Size', 'quality', 'tools', 'service_tier'])(
    'has no file for its field %s',
    async (name) => {
      const before = forms.seen.length;
      const answer = await forms.ask([name, new File(['9'], 'a.txt', { type: 'text/plain' })]);
      expect([answer.status, forms.seen.length]).toEqual([400, before]);
    },
  );
});

describe('a session', () => {
  let sessions: Sessions;
  beforeAll(async () => {
    sessions = await openSessions(t.relay, { 'gpt-realtime': {} });
  });
  afterAll(() => sessions.close());

  it.each<[string, JsonObject]>([
    ['another model', { session: { model: 'gpt-realtime', Model: 'dear' } }],
    ['tools in capitals', { session: { Tools: [{ type: 'web_search', name: 'dear' }] } }],
    ['the type of a tool', { session: { tools: [{ type: 'function', Type: 'dear', name: 'f' }] } }],
    ['instructions unseen', { session: { instructions: 'hi', Instructions: 'dear' } }],
    ['a session of a long s', { session: {}, seſſion: { instructions: 'dear' } }],
    ['more output', { session: { max_output_tokens: 5, Max_Output_Tokens: 'dear' } }],
  ])('sends one spelling: %s', async (_what, update) => {
    const { client, session } = await sessions.open('gpt-realtime');
    client.send({ type: 'session.update', ...update });
    while (session.got.length === 0) await Bun.sleep(2);
    expect(String(session.got[0])).not.toContain('dear');
    await sessions.end(client);
  });
});

describe('a task', () => {
  let proxy: DrawingServer;
  let suno: SunoServer;
  /** A drawing of the caller's own, as he and as the upstream names it. */
  let own: { id: string; upstreamId: string };
  beforeAll(async () => {
    proxy = startDrawing();
    suno = startSuno();
    await t.relay.setBalance(50_000_000);
    await t.relay.set({ MjActionCheckSuccessEnabled: false });
    await t.relay.addChannel({
      ...{ name: 'plus', type: 5, key: DRAWING_KEY, base_url: proxy.base },
      models: midjourneyPlus.models.join(','),
    });
    await t.relay.addChannel({
      ...{ name: 'suno', type: 36, key: SUNO_KEY, base_url: suno.base },
      models: 'suno_music,suno_lyrics',
    });
    const { result } = await (await submit('/mj/submit/imagine', { prompt: 'a cat' })).json();
    own = { id: result, upstreamId: 'vendor-1' };
  });
  afterAll(async () => {
    await proxy.close();
    await suno.close();
  });

  const submit = (path: string, body: JsonObject) =>
    fetch(`${t.relay.base}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${t.relay.key}` },
      body: JSON.stringify(body),
    });
  /** What went up of a body that was taken. */
  const drawnBy = async (path: string, body: JsonObject) => {
    expect((await submit(`/mj/submit${path}`, body)).status).toBe(200);
    return proxy.submitted.at(-1)?.body;
  };

  it.each(['CustomId', 'customid', 'custom_id', 'CUSTOM-ID', 'cuſtomId', 'customId\0'])(
    'presses the button that was priced, and not that of %p',
    async (spelling) => {
      const free = 'MJ::CustomZoom::h';
      const body = { taskId: own.id, customId: free, [spelling]: 'MJ::JOB::variation::1::h' };
      expect(await drawnBy('/action', body)).toEqual({ taskId: own.upstreamId, customId: free });
    },
  );

  it.each(['Action', 'ACTION', 'a_ction'])('changes what was priced, and not by %p', async (spelling) => {
    const body = { taskId: own.id, action: 'UPSCALE', index: 1, [spelling]: 'VARIATION', Index: 4 };
    expect(await drawnBy('/change', body)).toEqual({
      taskId: own.upstreamId,
      action: 'UPSCALE',
      index: 1,
    });
  });

  it.each(['TaskId', 'taskid', 'task_id', 'taſkId'])(
    'goes on from the caller’s own, and not by %p',
    async (spelling) => {
      const body = { taskId: own.id, action: 'REROLL', [spelling]: 'vendor-of-another' };
      expect(await drawnBy('/change', body)).toEqual({ taskId: own.upstreamId, action: 'REROLL' });
    },
  );

  it.each<JsonObject>([
    { NotifyHook: 'https://evil.example' },
    { notify_hook: 'https://evil.example' },
    { AccountFilter: { instanceId: 'evil' } },
    { account_filter: { instanceId: 'evil' } },
    { Base64Array: ['evil'] },
  ])('is drawn without what is not the caller’s to say: %j', async (more) => {
    expect(await drawnBy('/imagine', { prompt: 'a cat', ...more })).toEqual({ prompt: 'a cat' });
  });

  it('is drawn as fast as its path says, whoever chooses the account', async () => {
    await t.relay.set({ MjAccountFilterEnabled: true });
    const accountFilter = { remark: 'r', Modes: ['FAST'], modeſ: ['FAST'] };
    const answer = await submit('/mj-relax/mj/submit/imagine', { prompt: 'a cat', accountFilter });
    await t.relay.set({ MjAccountFilterEnabled: false });
    expect(answer.status).toBe(200);
    expect(proxy.submitted.at(-1)?.body).toEqual({
      prompt: 'a cat',
      accountFilter: { remark: 'r', modes: ['RELAX'] },
    });
  });

  it.each<JsonObject>([
    { Task_Id: 'evil' },
    { taskId: 'evil' },
    { Continue_Clip_Id: 'evil' },
    { continueClipId: 'evil' },
    { Notify_Hook: 'evil' },
    { notifyHook: 'evil' },
    { Tags: 'evil' },
    { MV: 'evil' },
  ])('is made into music without %j', async (more) => {
    const answer = await submit('/suno/submit/music', { prompt: 'rain', ...more });
    expect(answer.status).toBe(200);
    expect(suno.submitted.at(-1)?.body).toEqual({
      ...{ prompt: 'rain', mv: 'chirp-v3-0', make_instrumental: false },
    });
    expect(answer.headers.get('x-gateway-lost')).toBe(Object.keys(more).join());
  });
});
