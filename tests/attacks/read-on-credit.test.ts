/**
 * Pages, searches and answers of servers on credit: a short request sets off tools that run at the vendor, whose results
 * are charged as prompt and read again after each use. What is not held for them when a call goes up is given away.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, released, storm } from '../support/attack.ts';
import { eventStream, type OperationSeen, type Operations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  const tools = [{ type: 'web_fetch_20250910', name: 'web_fetch', max_uses: 2, max_content_tokens: 30_000 }];
  ({ t, models } = await openAttack({
    // Azure, at whichever address, tells what OpenAI does.
    openai: { type: 3 },
    dearer: { type: 1, setting: { allow_dearer: true } },
    xai: { type: 1, named: 'grok-4' },
    agents: { type: 1, named: 'grok-4.20-multi-agent' },
    house: { type: 1, named: 'house', model_mapping: { house: 'gpt-5.6' } },
    anthropic: { type: 14, named: 'claude-sonnet-4-5' },
    gemini: { type: 24, named: 'gemini-3-pro-preview' },
    overridden: { type: 14, param_override: { tools } },
  }));
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'What is new?' }];
const FETCH = { type: 'web_fetch_20250910', name: 'web_fetch' };
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const FUTURE = 'of_the_future';
const SERVER = {
  type: 'mcp',
  server_label: 'a',
  server_url: 'https://mcp.example',
  require_approval: 'never',
};
const SERVERS = { mcp_servers: [{ type: 'url', url: 'https://mcp.example', name: 'a' }] };
/** Tokens of all tools of one server, which are as many as it likes. */
const LISTED = 45_000;

const claude = (input_tokens: number) => messagesAnswer({ input_tokens, output_tokens: 5 }, 'News.');
const response = (input_tokens: number) =>
  responsesAnswer({ input_tokens, output_tokens: 5 }, { text: 'News.' });
const google = (tools: number) =>
  geminiAnswer({ promptTokenCount: 10, toolUsePromptTokenCount: tools, candidatesTokenCount: 5 }, 'News.');

/** What is found by so many uses of so many tokens each, in all readings; the prompt beside it takes ten a reading. */
const readings = (uses: number, tokens: number): number => 10 * (uses + 1) + (tokens * uses * (uses + 1)) / 2;

const countIn = (value: unknown): number => (typeof value === 'number' ? value : 0);
const toolsIn = ({ tools }: JsonObject): JsonObject[] =>
  Array.isArray(tools) ? (tools as JsonObject[]) : [];

interface Variant {
  model: string;
  path: string;
  body: JsonObject;
  answer(asked: JsonObject): JsonObject;
}

const onMessages = (body: JsonObject, answer: Variant['answer'], model = 'anthropic'): Variant => ({
  model,
  path: '/v1/messages',
  body: { messages: MESSAGES, max_tokens: 50, ...body },
  answer,
});
const onResponses = (body: JsonObject, answer: Variant['answer'], model = 'openai'): Variant => ({
  model,
  path: '/v1/responses',
  body: { input: 'What is new?', max_output_tokens: 50, ...body },
  answer,
});
const onGemini = (body: JsonObject, answer: Variant['answer']): Variant => ({
  model: 'gemini',
  path: '/v1beta/models/MODEL:generateContent',
  body: {
    contents: [{ role: 'user', parts: [{ text: 'Read https://a.example and http://b.example' }] }],
    generationConfig: { maxOutputTokens: 50 },
    ...body,
  },
  answer,
});

/** Pages as often and as long as the upstream was told. */
const fetched = (asked: JsonObject): JsonObject => {
  const [tool = {}] = toolsIn(asked);
  return claude(readings(countIn(tool.max_uses), countIn(tool.max_content_tokens)));
};
/** So many tokens a call, as many calls as the upstream was told of the tools that came to it. */
const called = (tokens: number) => (asked: JsonObject) =>
  response(readings(toolsIn(asked).length > 0 ? countIn(asked.max_tool_calls) : 0, tokens));

const VARIANTS: Record<string, Variant> = {
  'a page with both limits': onMessages(
    { tools: [{ ...FETCH, max_uses: 1, max_content_tokens: 100_000 }] },
    fetched,
  ),
  'pages with a limit of uses': onMessages({ tools: [{ ...FETCH, max_uses: 4 }] }, fetched),
  'pages with a limit of tokens': onMessages({ tools: [{ ...FETCH, max_content_tokens: 60_000 }] }, fetched),
  'pages without a limit': onMessages({ tools: [FETCH] }, fetched),
  'pages that the channel adds': onMessages({}, fetched, 'overridden'),
  'a long prompt that is read again and again': onMessages(
    { tools: [{ ...SEARCH, max_uses: 8 }], messages: [{ role: 'user', content: 'word '.repeat(4_000) }] },
    () => claude(9 * 4_000 + readings(8, 2_800)),
  ),
  'searches of Messages': onMessages({ tools: [SEARCH] }, () => claude(readings(5, 2_800))),
  'searches of Responses': onResponses({ tools: [{ type: 'web_search' }] }, called(2_800)),
  'searches of Responses, so many': onResponses(
    { tools: [{ type: 'web_search' }], max_tool_calls: 3 },
    called(2_800),
  ),
  'servers of Responses': onResponses(
    { tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://mcp.example' }] },
    called(5_500),
  ),
  'tools that a server of Responses lists, none of them used': onResponses(
    { tools: [SERVER], max_tool_calls: 1, tool_choice: 'none' },
    () => response(LISTED),
  ),
  'tools that a server of Responses lists, read again after each use': onResponses(
    { tools: [SERVER] },
    (asked) =>
      response(readings(countIn(asked.max_tool_calls), 5_500) + LISTED * (1 + countIn(asked.max_tool_calls))),
  ),
  'tools that several servers list': onResponses(
    {
      tools: [SERVER, { ...SERVER, server_label: 'b' }, { ...SERVER, server_label: 'c' }],
      max_tool_calls: 1,
    },
    () => response(3 * LISTED),
  ),
  'tools that a server of Messages lists': onMessages(SERVERS, () => claude(readings(5, 5_500) + 6 * LISTED)),
  'tools that servers of Messages list, by their sets': onMessages(
    {
      mcp_servers: ['a', 'b'].map((name) => ({ type: 'url', url: 'https://mcp.example', name })),
      tools: ['a', 'b'].map((mcp_server_name) => ({ type: 'mcp_toolset', mcp_server_name })),
    },
    () => claude(readings(10, 5_500) + 11 * 2 * LISTED),
  ),
  'tools that a server on the wire of chats lists': {
    model: 'openai',
    path: '/v1/chat/completions',
    body: {
      messages: MESSAGES,
      max_tokens: 50,
      tools: [{ type: 'mcp', mcp: { server_url: 'https://mcp.example' } }],
    },
    answer: () => chatAnswer({ prompt_tokens: 28_000 + LISTED, completion_tokens: 5 }, 'News.'),
  },
  'tools that a server of Gemini lists': onGemini(
    { tools: [{ mcpServers: [{ name: 'a', streamableHttpTransport: { url: 'https://mcp.example' } }] }] },
    () => google(9_000 + LISTED),
  ),
  'files of Responses': onResponses(
    { tools: [{ type: 'file_search', vector_store_ids: [], max_num_results: 50 }], max_tool_calls: 2 },
    called(40_000),
  ),
  "xAI's searches, which no number limits": onResponses(
    { tools: [{ type: 'x_search' }] },
    () => response(readings(5, 2_800)),
    'xai',
  ),
  // As a gateway measured it of a prompt of forty tokens, whatever its limit (docs.apiyi.com, Grok Multi-Agent).
  'agents that read each other': onResponses(
    {},
    () => responsesAnswer({ input_tokens: 39_263, output_tokens: 9_997 }, { text: 'News.' }),
    'agents',
  ),
  'agents on the wire of chats': {
    model: 'agents',
    path: '/v1/chat/completions',
    body: { messages: MESSAGES, max_completion_tokens: 50 },
    answer: () => chatAnswer({ prompt_tokens: 39_263, completion_tokens: 9_997 }, 'News.'),
  },
  'passes of a model that takes several': onResponses(
    { reasoning: { mode: 'pro' }, input: 'word '.repeat(4_000) },
    () => responsesAnswer({ input_tokens: 4 * 4_000 + 20_000, output_tokens: 20_000 }, { text: 'News.' }),
    'house',
  ),
  'pages of Gemini': onGemini({ tools: [{ urlContext: {} }] }, () => google(35_000)),
  'code of Gemini': onGemini({ tools: [{ code_execution: {} }] }, () => google(14_000)),
};

let offBefore = 0;
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});

const send = ({ model, path, body, answer }: Variant, calls: number): Promise<number> =>
  storm(t, { model: models[model] ?? '', path, body, answer: (seen) => answer(seen.body) }, calls);

/** What one call costs, alone on a balance that carries anything. */
async function costOf(variant: Variant): Promise<number> {
  await t.relay.setBalance(100_000_000);
  await send(variant, 1);
  return 100_000_000 - (await t.relay.account()).quota;
}

describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  it('are not read on credit, however many ask at once', async () => {
    const cost = await costOf(variant);
    expect(cost).toBeGreaterThan(10_000);
    await t.relay.setBalance(Math.floor(cost / 2));
    expect([await send(variant, 12), await t.relay.writtenOff()]).toEqual([0, offBefore]);
    await t.relay.setBalance(5 * cost);
    const ran = await send(variant, 12);
    expect(ran).toBeWithin(1, 6);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });
});

it('forty usual calls with a search run at once where the balance carries what they cost', async () => {
  const usual: Variant = {
    model: 'openai',
    path: '/v1/chat/completions',
    body: { messages: MESSAGES, max_tokens: 50, web_search_options: {} },
    answer: () =>
      chatAnswer({ prompt_tokens: 10, completion_tokens: 5 }, 'News.', {
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }],
      }),
  };
  // A search costs 5,000 units, and its tokens 20.
  await t.relay.setBalance(40 * 5_020);
  expect(await send(usual, 40)).toBeGreaterThanOrEqual(30);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

it('tells the upstream how much of a page it may bring along, and leaves what was said as it was', async () => {
  await t.relay.setBalance(10_000_000);
  t.answers(claude(10));
  const own = { ...FETCH, max_uses: 9, max_content_tokens: 77 };
  for (const stream of [false, true]) {
    const tools = [FETCH, own, { name: 'mine', input_schema: { type: 'object' } }];
    const body = { model: models.anthropic ?? '', messages: MESSAGES, max_tokens: 50, stream, tools };
    await (await t.post('/v1/messages', body)).text();
    const [first, ...others] = toolsIn(t.lastSeen.body);
    // Uses of a stream are held for as they begin.
    expect(first).toEqual({ ...FETCH, ...(!stream && { max_uses: 3 }), max_content_tokens: 20_000 });
    expect(others).toEqual(tools.slice(1));
    await released(t);
  }
});

it.each([0, -1, 1.5, 'many', 10_000_001])('refuses a limit of %p tokens', async (max_content_tokens) => {
  await t.relay.setBalance(10_000_000);
  const tools = [{ ...FETCH, max_content_tokens }];
  const got = await t.post('/v1/messages', {
    model: models.anthropic ?? '',
    messages: MESSAGES,
    max_tokens: 5,
    tools,
  });
  expect([got.status, (await got.text()).includes('tools[0].max_content_tokens')]).toEqual([400, true]);
});

// ---- Streams -----------------------------------------------------------------------------------------------------

/** An answer that comes event by event, slowly enough that more can be held on its way. */
const slowly =
  (events: readonly JsonObject[]) =>
  ({ signal }: OperationSeen) => {
    let sent = 0;
    const bytes = new ReadableStream<Uint8Array>({
      async pull(to) {
        await Bun.sleep(60);
        const event = events[sent++];
        if (signal.aborted || !event) return to.close();
        to.enqueue(await eventStream([event]).bytes());
      },
    });
    return new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
  };

const START: JsonObject = {
  type: 'message_start',
  message: { ...claude(10), content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
};
const block = (index: number, content_block: JsonObject): JsonObject[] => [
  { type: 'content_block_start', index, content_block },
  { type: 'content_block_stop', index },
];
const page = (n: number): JsonObject[] =>
  block(n, { type: 'server_tool_use', id: `srv_${n}`, name: 'web_fetch', input: {} });
const served = (n: number): JsonObject[] => [
  ...block(2 * n, { type: 'mcp_tool_use', id: `mcp_${n}`, name: 'read', server_name: 'a', input: {} }),
  ...block(2 * n + 1, {
    type: 'mcp_tool_result',
    tool_use_id: `mcp_${n}`,
    content: [{ type: 'text', text: '0123456789 '.repeat(4_000) }],
  }),
];
const calling = (n: number, item: JsonObject): JsonObject[] => [
  { type: 'response.output_item.added', output_index: n, item: { ...item, id: `call_${n}` } },
  { type: 'response.output_item.done', output_index: n, item: { ...item, id: `call_${n}` } },
];
const CREATED = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } };
const several = (of: (n: number) => JsonObject[]) => Array.from({ length: 40 }, (_, n) => of(n)).flat();

const STREAMS: Record<string, { path: string; model: string; body: JsonObject; events: JsonObject[] }> = {
  'pages of Messages': {
    path: '/v1/messages',
    model: 'anthropic',
    body: { messages: MESSAGES, max_tokens: 50, tools: [FETCH] },
    events: [START, ...several(page)],
  },
  'answers of servers, each longer than they usually are': {
    path: '/v1/messages',
    model: 'anthropic',
    body: {
      messages: MESSAGES,
      max_tokens: 50,
      mcp_servers: [{ type: 'url', url: 'https://m.example', name: 'a' }],
    },
    events: [START, ...several(served)],
  },
  'searches of Responses': {
    path: '/v1/responses',
    model: 'openai',
    body: { input: 'What is new?', max_output_tokens: 50, tools: [{ type: 'web_search' }] },
    events: [CREATED, ...several((n) => calling(n, { type: 'web_search_call', status: 'in_progress' }))],
  },
  'servers of Responses': {
    path: '/v1/responses',
    model: 'openai',
    body: {
      input: 'What is new?',
      max_output_tokens: 50,
      tools: [{ type: 'mcp', server_label: 'a', server_url: 'https://mcp.example' }],
    },
    events: [
      CREATED,
      ...several((n) => calling(n, { type: 'mcp_call', name: 'read', output: '0123456789 '.repeat(4_000) })),
    ],
  },
  'servers of Responses that list ever more': {
    path: '/v1/responses',
    model: 'openai',
    body: { input: 'What is new?', max_output_tokens: 50, tools: [SERVER] },
    events: [
      CREATED,
      ...several((n) =>
        calling(n, {
          type: 'mcp_list_tools',
          server_label: 'a',
          tools: Array.from({ length: 1_000 }, () => ({ name: 'f', description: '0123456789 '.repeat(10) })),
        }),
      ),
    ],
  },
};

describe.each(Object.entries(STREAMS))('%s', (_, { path, model, body, events }) => {
  it('are held for as they begin, and end with the balance', async () => {
    await t.relay.setBalance(200_000);
    let isSeen = true;
    t.answers(slowly(events));
    const answer = await t.post(path, { model: models[model] ?? '', stream: true, ...body });
    expect(answer.status).toBe(200);
    isSeen = (await answer.text()).includes('insufficient_user_quota');
    expect(isSeen).toBe(true);
    await released(t);
    expect(await t.relay.writtenOff()).toBe(offBefore);
  });

  it('begin on what one use of them costs, and what a server lists before it', async () => {
    await t.relay.setBalance(120_000);
    t.answers(slowly(events.slice(0, 2)));
    const answer = await t.post(path, { model: models[model] ?? '', stream: true, ...body });
    expect(answer.status).toBe(200);
    await answer.text();
    await released(t);
  });
});

// ---- Any request with tools that read ------------------------------------------------------------------------------

it(
  'writes nothing off while the upstream reads no more than was asked',
  async () => {
    const uses = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined });
    const tokens = fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: undefined });
    // A tool whose cost nobody knows goes up to the second of them alone.
    const sellers = fc.constantFrom('openai', 'dearer');
    const anyCall = fc.oneof(
      fc
        .tuple(uses, tokens)
        .map(([max_uses, max_content_tokens]) =>
          onMessages({ tools: [{ ...FETCH, max_uses, max_content_tokens }] }, fetched),
        ),
      fc
        .tuple(uses, fc.constantFrom('web_search', 'mcp', 'x_search', 'code_interpreter', FUTURE), sellers)
        .map(([max_tool_calls, type, model]) =>
          onResponses({ tools: [{ type }], max_tool_calls }, called(2_800), model),
        ),
      fc
        .integer({ min: 1, max: 30 })
        .map((max_num_results) =>
          onResponses({ tools: [{ type: 'file_search', max_num_results }] }, called(800 * max_num_results)),
        ),
      fc
        .integer({ min: 0, max: 40_000 })
        .map((found) => onGemini({ tools: [{ urlContext: {} }] }, () => google(found))),
    );
    await fc.assert(
      fc.asyncProperty(anyCall, fc.integer({ min: 0, max: 2_000_000 }), async (call, balance) => {
        const before = await t.relay.writtenOff();
        await t.relay.setBalance(balance);
        await send(call, 4);
        expect(await t.relay.writtenOff()).toBe(before);
      }),
      {
        numRuns: 40,
        examples: [[onResponses({ tools: [{ type: FUTURE }], max_tool_calls: 1 }, called(2_800)), 139]],
      },
    );
  },
  patience(240_000),
);

// The last one: no other goes by this.
it('holds as much for what a server lists as the operator says', async () => {
  await t.relay.set({ ToolReadTokens: { mcp_list_tools: 1_000_000 } });
  const long = onResponses({ tools: [SERVER], max_tool_calls: 1 }, () => response(900_000));
  await t.relay.setBalance(1_500_000);
  expect(await send(long, 30)).toBe(0);
  await t.relay.setBalance(5_000_000);
  expect(await send(long, 30)).toBe(2);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});
