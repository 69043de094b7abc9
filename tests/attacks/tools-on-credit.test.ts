/**
 * Paid tools on credit: calls that are cheap in tokens set off tools of the upstream which cost a hundred times as much,
 * many at once, on a balance that pays for none of them. What is not held when a call goes up is given away.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import { eventStream, type OperationSeen, type Operations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';
import type { RealtimeClient } from '../support/realtime.ts';
import { chatAnswer, geminiAnswer, messagesAnswer, responsesAnswer } from '../support/short-answers.ts';
import { openSessions, type Sessions } from '../support/ways-in.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }];
  ({ t, models } = await openAttack({
    // Azure, at whichever address, tells what OpenAI does.
    openai: { type: 3 },
    search: { type: 1, named: 'gpt-4o-search-preview' },
    sonar: { type: 1, named: 'sonar-pro' },
    research: { type: 1, named: 'sonar-deep-research' },
    xai: { type: 1, named: 'grok-3' },
    grok: { type: 1, named: 'grok-4' },
    anthropic: { type: 14, named: 'claude-sonnet-4-5' },
    gemini: { type: 24, named: 'gemini-3-pro-preview' },
    mapped: { type: 1, model_mapping: { 'shown-name': 'sonar' }, named: 'shown-name' },
    plain: { type: 1, model_mapping: { plain: 'gpt-4o-search-preview' }, named: 'plain' },
    base: { type: 1, model_mapping: { 'gpt-5-plain': 'sonar' }, named: 'gpt-5-plain' },
    overridden: { type: 14, param_override: { tools } },
    ark: { type: 45, named: 'doubao-deep-research' },
    free: { type: 3 },
    // A gateway behind the channel asks Google.
    behind: { type: 1, named: 'gemini-2.5-flash-lite' },
    later: { type: 1, named: 'gemini-3-flash-preview' },
    'claude behind': { type: 1, named: 'claude-sonnet-4-6' },
  }));
  // The name of a model with an effort is mapped by the model's own.
  models.varied = `${models.base}-none`;
  // What tools read into the prompt is another attack.
  await t.relay.set({ ToolReadTokens: { default: 0 } });
  await t.price({ ModelRatio: { [models.free ?? '']: 0 } });
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'What is new?' }];
const CONTENTS = [{ role: 'user', parts: [{ text: 'What is new?' }] }];
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const RESPONSE = { input_tokens: 10, output_tokens: 5 };
const GPT = { prompt_tokens: 10, completion_tokens: 5 };

const chat = (message: JsonObject, usage: JsonObject = GPT) => chatAnswer(usage, 'News.', message);
const cited = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }] };
const claude = (searches: number) =>
  messagesAnswer(
    { input_tokens: 10, output_tokens: 5, server_tool_use: { web_search_requests: searches } },
    'News.',
  );
const response = (...types: string[]) =>
  responsesAnswer(RESPONSE, {
    text: 'News.',
    before: types.map((type, n) => ({
      ...{ type, id: `${type}_${n}`, status: 'completed' },
      ...(type === 'image_generation_call' && { result: 'iVBO' }),
    })),
  });
/** Three calls in one container. */
const ran = (type: string, where: JsonObject) =>
  responsesAnswer(RESPONSE, {
    text: 'News.',
    before: [1, 2, 3].map((n) => ({ type, id: `${type}_${n}`, status: 'completed', ...where })),
  });
const google = (queries: number) =>
  geminiAnswer({ promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }, 'News.', {
    groundingMetadata: { webSearchQueries: Array.from({ length: queries }, (_, n) => `q${n}`) },
  });

/** Tokens of such a call, in and out, are held for less. */
const TOKENS = 1_000;

interface Variant {
  model: string;
  path: string;
  body: JsonObject;
  /** Whole, or what the upstream makes of what it is asked. */
  answer: JsonObject | ((asked: JsonObject) => JsonObject);
  /** Quota units of the tools that the answer has used. */
  tools: number;
  /** The most that is held for its tokens. */
  tokens?: number;
}

const onChat = (model: string, body: JsonObject, answer: Variant['answer'], tools: number): Variant => ({
  model,
  path: '/v1/chat/completions',
  body: { messages: MESSAGES, max_tokens: 50, ...body },
  answer,
  tools,
});
const onMessages = (model: string, body: JsonObject, answer: Variant['answer'], tools: number): Variant => ({
  ...onChat(model, body, answer, tools),
  path: '/v1/messages',
});
const onResponses = (model: string, body: JsonObject, answer: Variant['answer'], tools: number): Variant => ({
  model,
  path: '/v1/responses',
  body: { input: 'What is new?', max_output_tokens: 50, ...body },
  answer,
  tools,
});
const onGemini = (body: JsonObject, answer: Variant['answer'], tools: number): Variant => ({
  model: 'gemini',
  path: '/v1beta/models/MODEL:generateContent',
  body: { contents: CONTENTS, generationConfig: { maxOutputTokens: 50 }, ...body },
  answer,
  tools,
});

const withTokens = (tokens: number, variant: Variant): Variant => ({ ...variant, tokens });

const VARIANTS: Record<string, Variant> = {
  'a search by option on the chat wire': onChat('openai', { web_search_options: {} }, chat(cited), 5_000),
  'a search of Google’s that a gateway tells': onChat(
    'behind',
    { web_search_options: {} },
    chat({}, { ...GPT, prompt_tokens_details: { web_search_requests: 3 } }),
    17_500,
  ),
  'several of them at a later model': onChat(
    'later',
    { web_search_options: {} },
    chat(cited, { ...GPT, prompt_tokens_details: { web_search_requests: 10 } }),
    70_000,
  ),
  'searches of a Claude’s that a gateway tells': onChat(
    'claude behind',
    { web_search_options: {} },
    chat({}, { ...GPT, server_tool_use: { web_search_requests: 5 } }),
    25_000,
  ),
  'as many as its gateway allows': onChat(
    'claude behind',
    { web_search_options: { search_context_size: 'high' } },
    chat({}, { ...GPT, server_tool_use: { web_search_requests: 10 } }),
    50_000,
  ),
  'a model that searches unasked': onChat('search', {}, chat(cited), 12_500),
  'a search of before, by a model that does not think': onResponses(
    'openai',
    { tools: [{ type: 'web_search_preview' }], max_tool_calls: 3 },
    response('web_search_call', 'web_search_call', 'web_search_call'),
    37_500,
  ),
  'a model that searches by the request': onChat(
    'sonar',
    {},
    chat({}, { ...GPT, num_search_queries: 5 }),
    5_000,
  ),
  'a search by the request that reads the most': onChat(
    'sonar',
    { web_search_options: { search_context_size: 'high' } },
    chat({}, { ...GPT, num_search_queries: 5 }),
    7_000,
  ),
  'a model that researches for long': onChat(
    'research',
    {},
    chat({}, { ...GPT, num_search_queries: 40 }),
    200_000,
  ),
  'a model behind a name that says nothing': onChat(
    'mapped',
    {},
    chat({}, { ...GPT, num_search_queries: 5 }),
    5_000,
  ),
  'a model that searches behind a plain name': onChat('plain', {}, chat(cited), 12_500),
  'a model that searches behind a name with an effort': onChat(
    'varied',
    {},
    chat({}, { ...GPT, num_search_queries: 5 }),
    5_000,
  ),
  'sources by parameter': onChat(
    'xai',
    { search_parameters: { mode: 'on', max_search_results: 30 } },
    chat({}, { ...GPT, num_sources_used: 30 }),
    375_000,
  ),
  'sources by parameter without a number': onChat(
    'xai',
    { search_parameters: {} },
    chat({}, { ...GPT, num_sources_used: 20 }),
    250_000,
  ),
  'sources by tool': onChat(
    'xai',
    { tools: [{ type: 'live_search' }] },
    chat({}, { ...GPT, num_sources_used: 20 }),
    250_000,
  ),
  'sources by tool that is switched off by a word of another': onChat(
    'xai',
    { tools: [{ type: 'live_search', web_search: { enable: false } }] },
    chat({}, { ...GPT, num_sources_used: 20 }),
    250_000,
  ),
  'a tool with its limit': onMessages(
    'anthropic',
    { tools: [{ ...SEARCH, max_uses: 3 }] },
    claude(3),
    15_000,
  ),
  'a tool without a limit': onMessages('anthropic', { tools: [SEARCH] }, claude(5), 25_000),
  'a search that is converted': onChat('anthropic', { web_search_options: {} }, claude(5), 25_000),
  'a search that costs more where it is converted to': onChat(
    'gemini',
    { web_search_options: {} },
    google(10),
    70_000,
  ),
  "a function with the name of the upstream's own tool": onChat(
    'gemini',
    { tools: [{ type: 'function', function: { name: 'googleSearch' } }] },
    google(10),
    70_000,
  ),
  'tools that the channel adds': onMessages('overridden', {}, claude(8), 40_000),
  'all tools of Responses, so many together': onResponses(
    'openai',
    {
      tools: [{ type: 'web_search' }, { type: 'file_search' }, { type: 'code_interpreter' }],
      max_tool_calls: 4,
    },
    response(...Array.from({ length: 4 }, () => 'code_interpreter_call')),
    60_000,
  ),
  'pictures of any quality': onResponses(
    'openai',
    { tools: [{ type: 'image_generation' }] },
    response('image_generation_call', 'image_generation_call'),
    250_000,
  ),
  'a picture of the cheapest, as asked, that is told as dear': onResponses(
    'openai',
    { tools: [{ type: 'image_generation', quality: 'low' }] },
    response('image_generation_call', 'image_generation_call'),
    16_000,
  ),
  // Seventy times what usual ones cost: large, shown half-done, and drawn from others that are looked at closely.
  'cheap pictures that are none': withTokens(
    250_000,
    onResponses(
      'openai',
      {
        tools: [
          {
            ...{ type: 'image_generation', quality: 'low', model: 'gpt-image-2', size: '3840x2160' },
            ...{ input_fidelity: 'high', partial_images: 3, action: 'edit' },
          },
        ],
        input: [
          {
            role: 'user',
            content: Array.from({ length: 16 }, () => ({
              ...{ type: 'input_image', image_url: 'https://a.example/a.png', detail: 'low' },
            })),
          },
        ],
      },
      response('image_generation_call', 'image_generation_call'),
      2 * 72 * 8_000,
    ),
  ),
  'a limit beside sources, which it does not count': onResponses(
    'openai',
    { tools: [{ type: 'web_search' }], max_tool_calls: 1, search_parameters: { max_search_results: 9 } },
    { ...response('web_search_call'), usage: { input_tokens: 10, output_tokens: 5, num_sources_used: 9 } },
    5_000 + 9 * 12_500,
  ),
  "xAI's search of X": onResponses(
    'openai',
    { tools: [{ type: 'x_search' }] },
    response(...Array.from({ length: 5 }, () => 'x_search_call')),
    12_500,
  ),
  "xAI's execution of code": onResponses(
    'openai',
    { tools: [{ type: 'code_execution' }] },
    response(...Array.from({ length: 5 }, () => 'code_interpreter_call')),
    12_500,
  ),
  'the largest container of OpenAI, which every call runs in': withTokens(
    TOKENS + 4 * 960_000,
    onResponses(
      'openai',
      { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '64g' } }] },
      ran('code_interpreter_call', { container_id: 'cntr_1' }),
      960_000,
    ),
  ),
  'a container of some size that the answer does not name': onResponses(
    'openai',
    { tools: [{ type: 'code_interpreter', container: { type: 'auto', memory_limit: '4g' } }] },
    response(...Array.from({ length: 5 }, () => 'code_interpreter_call')),
    5 * 60_000,
  ),
  'a container of each size at once': withTokens(
    TOKENS + 4 * 960_000,
    onResponses(
      'openai',
      {
        tools: ['1g', '64g', '4g'].map((memory_limit) => ({
          type: 'code_interpreter',
          container: { type: 'auto', memory_limit },
        })),
      },
      ran('code_interpreter_call', { container_id: 'cntr_1' }),
      960_000,
    ),
  ),
  'a shell in a container': withTokens(
    TOKENS + 4 * 240_000,
    onResponses(
      'openai',
      { tools: [{ type: 'shell', environment: { type: 'container_auto', memory_limit: '16g' } }] },
      ran('shell_call', { environment: { type: 'container_reference', container_id: 'cntr_1' } }),
      240_000,
    ),
  ),
  "xAI's collections": onResponses(
    'openai',
    { tools: [{ type: 'collections_search' }] },
    response(...Array.from({ length: 5 }, () => 'file_search_call')),
    6_250,
  ),
  // The file is read again after each of five uses.
  'files that Grok searches unasked': withTokens(
    32_000,
    onResponses(
      'grok',
      {
        input: [
          {
            role: 'user',
            content: [{ type: 'input_file', filename: 'a.txt', file_data: 'data:text/plain;base64,aGk=' }],
          },
        ],
      },
      {
        ...response(),
        usage: {
          input_tokens: 10,
          output_tokens: 5,
          server_side_tool_usage_details: { document_search_calls: 5 },
        },
      },
      25_000,
    ),
  ),
  // As much as its vendor takes for a refusal is held in any case.
  'a limit that the vendor does not know': withTokens(
    12_500,
    onResponses(
      'grok',
      { tools: [{ type: 'x_search' }], max_tool_calls: 1 },
      response(...Array.from({ length: 5 }, () => 'x_search_call')),
      12_500,
    ),
  ),
  'grounding in snakes': onGemini({ tools: [{ google_search: {} }] }, google(10), 70_000),
  'grounding in maps': onGemini({ tools: [{ googleMaps: {} }] }, google(10), 70_000),
  'a free model with a tool': onChat('free', { web_search_options: {} }, chat(cited), 5_000),
};

const writtenOff = () => t.relay.writtenOff();

let offBefore = 0;
beforeEach(async () => {
  offBefore = await writtenOff();
});

const send = ({ model, path, body, answer }: Variant, calls: number): Promise<number> =>
  storm(
    t,
    {
      model: models[model] ?? '',
      path,
      body,
      answer: (seen) => (typeof answer === 'function' ? answer(seen.body) : answer),
    },
    calls,
  );

const SEVERAL = 40;
describe.each(Object.entries(VARIANTS))('%s', (_, variant) => {
  it('is not given on credit, however many ask at once', async () => {
    await t.relay.setBalance(Math.min(3_000, variant.tools));
    const ran = await send(variant, SEVERAL);
    expect([await writtenOff(), ran]).toEqual([offBefore, 0]);
  });

  it('runs as often at once as the balance carries', async () => {
    const most = variant.tools + (variant.tokens ?? TOKENS);
    await t.relay.setBalance(10 * most);
    const before = (await t.relay.account()).quota;
    const ran = await send(variant, SEVERAL);
    expect(ran).toBeWithin(9, 40);
    expect(await writtenOff()).toBe(offBefore);
    const { quota } = await t.relay.account();
    expect(before - quota).toBeWithin(ran * variant.tools, ran * most);
  });
});

it('whatever a Claude’s gateway tells of a search without a size is paid for', async () => {
  const answer = chat({}, { ...GPT, server_tool_use: { web_search_requests: 30 } });
  await t.relay.setBalance(1_000_000);
  await send(onChat('claude behind', { web_search_options: {} }, answer, 0), 1);
  expect((await t.row()).quota).toBeWithin(150_000, 150_000 + TOKENS);
});

it('thirty of forty such calls run at once where the balance carries them', async () => {
  await t.relay.setBalance(SEVERAL * (5_000 + TOKENS));
  expect(
    await send(VARIANTS['a search by option on the chat wire'] as Variant, SEVERAL),
  ).toBeGreaterThanOrEqual(30);
  expect(await writtenOff()).toBe(offBefore);
});

it('a picture is drawn from those of the answer that it builds upon, too', async () => {
  const picture = { type: 'input_image', image_url: 'https://a.example/a.png', detail: 'low' };
  const input = [{ role: 'user', content: [picture, picture, picture, picture] }];
  const tools = [{ type: 'image_generation', quality: 'low', model: 'gpt-image-2' }];
  const costOf = async (id: string, body: JsonObject, ...drawn: string[]): Promise<number> => {
    await t.relay.setBalance(10_000_000);
    expect(await send(onResponses('openai', body, { ...response(...drawn), id }, 0), 1)).toBe(1);
    return 10_000_000 - (await t.relay.account()).quota;
  };
  const asShown = await costOf('resp_a', { input, tools }, 'image_generation_call');
  await costOf('resp_b', { input });
  const builtUpon = { previous_response_id: 'resp_b', tools };
  expect(await costOf('resp_c', builtUpon, 'image_generation_call')).toBe(asShown);
  // What was drawn is one more.
  const again = await costOf(
    'resp_d',
    { ...builtUpon, previous_response_id: 'resp_c' },
    'image_generation_call',
  );
  expect(again).toBeGreaterThan(asShown);
});

// ---- Streams -----------------------------------------------------------------------------------------------------

const searching = (n: number): JsonObject[] => [
  {
    type: 'content_block_start',
    index: n,
    content_block: { type: 'server_tool_use', id: `srvtoolu_${n}`, name: 'web_search', input: {} },
  },
  { type: 'content_block_stop', index: n },
];
const START: JsonObject = {
  type: 'message_start',
  message: { ...claude(0), content: [], stop_reason: null, usage: { input_tokens: 10, output_tokens: 1 } },
};
const CALLING = { type: 'web_search_call', status: 'in_progress' };

/** An answer that comes event by event, slowly enough that more can be held on its way. */
const slowly =
  (events: readonly JsonObject[]) =>
  ({ signal }: OperationSeen) => {
    let sent = 0;
    const bytes = new ReadableStream<Uint8Array>({
      async pull(to) {
        await Bun.sleep(100);
        const event = events[sent++];
        if (signal.aborted || !event) return to.close();
        to.enqueue(await eventStream([event]).bytes());
      },
    });
    return new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
  };

const heldNow = async () => (await t.relay.reservations()).reduce((sum, { amount }) => sum + amount, 0);

/** An answer each of whose uses begins once the one before is held for, as far as that takes more, or has been refused. */
const heldFor =
  (uses: readonly (readonly JsonObject[])[]) =>
  ({ signal }: OperationSeen) => {
    let begun = 0;
    const bytes = new ReadableStream<Uint8Array>({
      async pull(to) {
        const events = uses[begun++];
        if (signal.aborted || !events) return to.close();
        const before = await heldNow();
        to.enqueue(await eventStream(events).bytes());
        const until = performance.now() + patience(200);
        while (!signal.aborted && performance.now() < until && (await heldNow()) === before)
          await Bun.sleep(5);
      },
    });
    return new Response(bytes, { headers: { 'content-type': 'text/event-stream' } });
  };

const STREAMS: Record<
  string,
  { model: string; path: string; body: JsonObject; events(n: number): JsonObject[] }
> = {
  'searches of Messages': {
    model: 'anthropic',
    path: '/v1/messages',
    body: { messages: MESSAGES, max_tokens: 50, stream: true, tools: [SEARCH] },
    events: (n) => (n === 0 ? [START] : searching(n)),
  },
  'searches of Responses': {
    model: 'openai',
    path: '/v1/responses',
    body: { input: 'What is new?', max_output_tokens: 50, stream: true, tools: [{ type: 'web_search' }] },
    events: (n) => [
      n === 0
        ? { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } }
        : { type: 'response.output_item.added', output_index: n, item: { ...CALLING, id: `ws_${n}` } },
    ],
  },
  'searches of a vendor that keeps to no limit': {
    model: 'grok',
    path: '/v1/responses',
    body: {
      input: 'What is new?',
      max_output_tokens: 50,
      stream: true,
      tools: [{ type: 'web_search' }],
      max_tool_calls: 1,
    },
    events: (n) => [
      n === 0
        ? { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } }
        : { type: 'response.output_item.added', output_index: n, item: { ...CALLING, id: `ws_${n}` } },
    ],
  },
};

it.each(Object.entries(STREAMS))(
  '%s are held for as they begin, and end with the balance',
  async (_, given) => {
    const { path, body, events } = given;
    await t.relay.setBalance(40_000);
    t.answers(heldFor(Array.from({ length: 50 }, (_, n) => events(n))));
    const text = await (await t.post(path, { model: models[given.model] ?? '', ...body })).text();
    expect(text).toContain('insufficient_user_quota');
    for (const until = performance.now() + patience(10_000); performance.now() < until; await Bun.sleep(10)) {
      if ((await t.relay.reservations()).length === 0) break;
    }
    const [row] = (await t.relay.logs()).slice(-1);
    expect(row?.other).toMatchObject({ stream_end: 'exhausted', tool_uses: [{ tool: 'web_search' }] });
    // Seven of them are paid for; what would begin an eighth cannot be held.
    expect(row?.other.tool_uses[0].count).toBeWithin(6, 8);
    expect(await writtenOff()).toBe(offBefore);
  },
  patience(60_000),
);

const chunk = (content: string, finish_reason: string | null, usage: JsonObject | null): JsonObject => ({
  object: 'chat.completion.chunk',
  choices: [{ index: 0, delta: { content }, finish_reason }],
  usage,
});

it.each<[string, Variant, JsonObject[]]>([
  [
    'Gemini',
    {
      ...onGemini({ tools: [{ googleSearch: {} }] }, {}, 0),
      path: '/v1beta/models/MODEL:streamGenerateContent',
    },
    [google(0), google(60)],
  ],
  [
    'a model that searches as often as it likes',
    onChat('research', { stream: true }, {}, 0),
    [chunk('News.', null, null), chunk('', 'stop', { ...GPT, num_search_queries: 60 })],
  ],
])(
  'a stream that tells its tools when they are over has the usual held, and pays for all: %s',
  async (_, variant, events) => {
    const model = models[variant.model] ?? '';
    const stream = variant.path.includes('MODEL') ? variant.body : { model, ...variant.body };
    t.answers(() => eventStream(events));
    await t.relay.setBalance(20_000);
    expect((await t.post(variant.path.replace('MODEL', model), stream)).status).toBe(403);
    await t.relay.setBalance(1_000_000);
    const answer = await t.post(variant.path.replace('MODEL', model), stream);
    expect(answer.status).toBe(200);
    await answer.text();
    for (const until = performance.now() + patience(10_000); performance.now() < until; await Bun.sleep(10)) {
      if ((await t.relay.reservations()).length === 0) break;
    }
    const [row] = (await t.relay.logs()).slice(-1);
    expect(row?.other.stream_end).toBe('done');
    expect(row?.other.tool_uses[0].count).toBe(60);
    expect(await writtenOff()).toBe(offBefore);
  },
);

it('a long answer beside tools holds more for its tokens, and the tools once', async () => {
  // Eight searches, and the tokens of twice what is held for an answer without a limit.
  await t.relay.setBalance(8 * 5_000 + 20_000);
  const body = { input: 'Tell me.', stream: true, tools: [{ type: 'web_search' }], max_tool_calls: 8 };
  const delta = {
    type: 'response.output_text.delta',
    item_id: 'm',
    output_index: 0,
    delta: 'word '.repeat(400),
  };
  t.answers(
    slowly([
      { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
      ...Array.from({ length: 7 }, () => delta),
      { type: 'response.completed', response: response() },
    ]),
  );
  const text = await (await t.post('/v1/responses', { model: models.openai ?? '', ...body })).text();
  expect(text).toContain('response.completed');
  expect(text).not.toContain('insufficient_user_quota');
  expect(await writtenOff()).toBe(offBefore);
});

// ---- Any request with tools --------------------------------------------------------------------------------------

/** As often as it wants to, and no more often than it is told to. */
const upTo = (wanted: number, told: unknown): number =>
  typeof told === 'number' ? Math.min(wanted, told) : wanted;
const toolsIn = ({ tools }: JsonObject): JsonObject[] =>
  Array.isArray(tools) ? (tools as JsonObject[]) : [];
const searchesTold = (wanted: number) => (asked: JsonObject) =>
  claude(upTo(wanted, toolsIn(asked)[0]?.max_uses));
const callsTold = (kinds: readonly string[]) => (asked: JsonObject) =>
  response(...kinds.slice(0, upTo(kinds.length, asked.max_tool_calls)).map((type) => `${type}_call`));

const OF_RESPONSES = ['web_search', 'file_search', 'code_interpreter', 'image_generation', 'x_search'];

it(
  'writes nothing off while the upstream keeps to what was asked',
  async () => {
    const most = fc.integer({ min: 1, max: 12 });
    // What a caller leaves open, a model that is asked to uses as often as he asks.
    const wanted = fc.integer({ min: 0, max: 60 });
    // No wire has a field for these, and more than the usual number is taken from the balance.
    const usualOf = (usual: number) => fc.integer({ min: 0, max: usual });
    const kinds = fc.array(fc.constantFrom(...OF_RESPONSES), { minLength: 1, maxLength: 30 });
    const declared = (used: readonly string[]) => [...new Set(used)].map((type) => ({ type }));
    const anyCall = fc.oneof(
      fc
        .tuple(wanted, fc.option(most))
        .map(([n, max_uses]) =>
          onMessages('anthropic', { tools: [{ ...SEARCH, max_uses }] }, searchesTold(n), 0),
        ),
      fc
        .tuple(kinds, fc.option(most))
        .map(([used, max_tool_calls]) =>
          onResponses('openai', { tools: declared(used), max_tool_calls }, callsTold(used), 0),
        ),
      // It knows no limit.
      fc
        .tuple(
          kinds.map((used) =>
            used.filter((kind, at) => used.slice(0, at).filter((k) => k === kind).length < 2),
          ),
          fc.option(most),
        )
        .map(([used, max_tool_calls]) =>
          onResponses(
            'grok',
            { tools: declared(used), max_tool_calls },
            response(...used.map((type) => `${type}_call`)),
            0,
          ),
        ),
      fc
        .tuple(wanted, fc.option(most))
        .map(([n, max_search_results]) =>
          onChat(
            'xai',
            { search_parameters: { max_search_results } },
            chat({}, { ...GPT, num_sources_used: Math.min(n, max_search_results ?? 20) }),
            0,
          ),
        ),
      wanted.map((n) => onChat('anthropic', { web_search_options: {} }, searchesTold(n), 0)),
      wanted.map((n) => onChat('sonar', {}, chat({}, { ...GPT, num_search_queries: n }), 0)),
      usualOf(40).map((n) => onChat('research', {}, chat({}, { ...GPT, num_search_queries: n }), 0)),
      usualOf(10).map((n) => onGemini({ tools: [{ googleSearch: {} }] }, google(n), 0)),
    );
    await fc.assert(
      fc.asyncProperty(anyCall, fc.integer({ min: 0, max: 2_000_000 }), async (call, balance) => {
        const before = await writtenOff();
        await t.relay.setBalance(balance);
        await send(call, 8);
        expect(await writtenOff()).toBe(before);
      }),
      { numRuns: 60 },
    );
  },
  patience(240_000),
);

describe('uses beyond the usual number, which are told when they are over', () => {
  /** By the price of a use, and how many are believed. */
  const LATE: [what: string, call: (uses: number) => Variant, price: number, most: number, held: number][] = [
    [
      'Perplexity',
      (n) => onChat('research', {}, chat({}, { ...GPT, num_search_queries: n }), 0),
      5_000,
      400,
      200_000,
    ],
    ['Google', (n) => onGemini({ tools: [{ googleSearch: {} }] }, google(n), 0), 7_000, 100, 70_000],
    [
      'a vendor that knows no limit',
      (n) =>
        onResponses(
          'grok',
          { tools: [{ type: 'x_search' }] },
          response(...Array.from({ length: n }, () => 'x_search_call')),
          0,
        ),
      2_500,
      50,
      // A refusal costs so much.
      25_000,
    ],
  ];

  // Ten tokens in and five out.
  const costOf = (uses: number, price: number) => 20 + uses * price;

  it.each(LATE)(
    'are taken from the balance: %s',
    async (_, call, price, most, held) => {
      const offBefore = await writtenOff();
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 0, max: most + 10 }),
          fc.integer({ min: 0, max: 800_000 }),
          async (uses, beyond) => {
            const cost = costOf(Math.min(uses, most), price);
            const balance = Math.max(held + TOKENS, cost) + beyond;
            await t.relay.setBalance(balance);
            expect(await send(call(uses), 1)).toBe(1);
            expect((await t.relay.account()).quota).toBe(balance - cost);
          },
        ),
        { numRuns: 15, examples: [[most, 0]] },
      );
      expect(await writtenOff()).toBe(offBefore);
    },
    patience(120_000),
  );

  it.each(LATE)(
    'are written off where that lacks, and held from then on: %s',
    async (_, call, price, most, held) => {
      const offBefore = await writtenOff();
      await t.relay.setBalance(held + TOKENS);
      expect(await send(call(most), 1)).toBe(1);
      expect([(await t.relay.account()).quota, (await writtenOff()) - offBefore]).toEqual([0, 1]);
      const cost = costOf(most, price);
      await t.relay.setBalance(cost - TOKENS - 1);
      expect(await send(call(most), 1)).toBe(0);
      await t.relay.setBalance(cost + TOKENS);
      expect(await send(call(most), 1)).toBe(1);
      expect((await writtenOff()) - offBefore).toBe(1);
    },
  );
});

describe('a number that the caller leaves open', () => {
  it.each<[string, Variant, JsonObject]>([
    [
      'Messages',
      onMessages('anthropic', { tools: [{ ...SEARCH, max_uses: null }] }, claude(0), 0),
      { tools: [{ ...SEARCH, max_uses: 5 }] },
    ],
    [
      'Responses',
      onResponses('openai', { tools: [{ type: 'web_search' }] }, response(), 0),
      { max_tool_calls: 5 },
    ],
    [
      'a chat that is converted',
      onChat('anthropic', { web_search_options: {} }, claude(0), 0),
      { tools: [{ max_uses: 5 }] },
    ],
  ])('goes up as what is held, on %s', async (_, variant, sent) => {
    await t.relay.setBalance(1_000_000);
    await send(variant, 1);
    expect(t.lastSeen.body).toMatchObject(sent);
  });

  it.each<[string, Variant, string]>([
    ['Messages', onMessages('anthropic', { tools: [{ ...SEARCH, max_uses: 3 }] }, claude(0), 0), ':3'],
    [
      'Responses',
      onResponses('openai', { tools: [{ type: 'web_search' }], max_tool_calls: 3 }, response(), 0),
      ':3',
    ],
    [
      'Responses of a vendor that knows no limit',
      onResponses('grok', { tools: [{ type: 'web_search' }] }, response(), 0),
      'none',
    ],
    [
      'Responses of a vendor that takes ten at most',
      onResponses('ark', { tools: [{ type: 'web_search' }] }, response(), 0),
      ':10',
    ],
    ["Responses, of the caller's own tools", onResponses('openai', {}, response(), 0), 'none'],
  ])('stays as it was said, on %s', async (_, variant, sent) => {
    await t.relay.setBalance(1_000_000);
    await send(variant, 1);
    const text = JSON.stringify(t.lastSeen.body);
    expect(/"max_(?:uses|tool_calls)"(:\d+)/.exec(text)?.[1] ?? 'none').toBe(sent);
  });

  it.each<[string, JsonObject, string]>([
    ['/v1/responses', { input: 'x', tools: [{ type: 'web_search' }], max_tool_calls: 0 }, 'max_tool_calls'],
    ['/v1/responses', { input: 'x', tools: [{ type: 'web_search' }], max_tool_calls: '9' }, 'max_tool_calls'],
    ['/v1/responses', { input: 'x', search_parameters: { max_search_results: 0 } }, 'max_search_results'],
    [
      '/v1/chat/completions',
      { messages: MESSAGES, search_parameters: { max_search_results: 1.5 } },
      'max_search',
    ],
    ['/v1/messages', { messages: MESSAGES, max_tokens: 5, tools: [{ ...SEARCH, max_uses: 0 }] }, 'max_uses'],
    [
      '/v1/messages',
      { messages: MESSAGES, max_tokens: 5, tools: [{ ...SEARCH, max_uses: 2e3 }] },
      'max_uses',
    ],
  ])('is no number that no upstream takes: %s %j', async (path, body, field) => {
    await t.relay.setBalance(1_000_000);
    const answer = await t.post(path, { model: models.openai ?? '', ...body });
    expect(answer.status).toBe(400);
    expect((await answer.json()).error.message).toContain(field);
    expect(await t.relay.reservations()).toEqual([]);
  });
});

// ---- Sessions ----------------------------------------------------------------------------------------------------

describe('a realtime session', () => {
  let sessions: Sessions;
  beforeAll(async () => {
    sessions = await openSessions(t.relay, { 'gpt-realtime': {} });
  });
  afterAll(() => sessions.close());

  async function open(...tools: JsonObject[]) {
    const opened = await sessions.open('gpt-realtime');
    for (const tool of tools) opened.client.send({ type: 'session.update', session: { tools: [tool] } });
    return opened;
  }
  let items = 0;
  const answered = (...output: JsonObject[]): JsonObject => ({
    type: 'response.done',
    response: {
      output: output.map((item) => ({ ...item, id: `item_${items++}` })),
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  });
  async function closed(client: RealtimeClient) {
    await sessions.end(client);
    return (await t.relay.logs()).at(-1);
  }

  it('holds for what it names, or ends', async () => {
    await t.relay.setBalance(6_000);
    const { client } = await open({ type: 'web_search' });
    expect(await client.until('error')).toMatchObject({ error: { code: 'insufficient_user_quota' } });
    await client.closed;
    await closed(client);
    expect(await writtenOff()).toBe(offBefore);
  });

  it('pays the tools of every answer, however many there are', async () => {
    await t.relay.setBalance(10_000_000);
    const { client, session } = await open({ type: 'web_search' });
    while (session.got.length === 0) await Bun.sleep(2);
    const searched = Array.from({ length: 5 }, () => ({ type: 'web_search_call' }));
    for (let n = 0; n < 20; n++) session.send(answered(...searched));
    while (client.got.length < 21) await Bun.sleep(2);
    const row = await closed(client);
    expect(row?.other.tool_uses).toEqual([{ tool: 'web_search', count: 100, price: 10 }]);
    expect(row?.other.usage_suspect).toBeUndefined();
  });

  it('pays the dearer of two tools of one name', async () => {
    await t.relay.setBalance(10_000_000);
    const pictures = { type: 'image_generation' };
    const { client, session } = await open({ ...pictures, quality: 'low' }, pictures);
    while (session.got.length < 2) await Bun.sleep(2);
    // What is held follows the wish upstream; the deadline is the test's own.
    while ((await t.relay.account()).reserved <= 2 * 125_000) await Bun.sleep(5);
    session.send(answered({ type: 'image_generation_call', quality: 'high', result: 'iVBO' }));
    await client.until('response.done');
    const row = await closed(client);
    expect(row?.other.tool_uses).toEqual([{ tool: 'image_generation_high', count: 1, price: 250 }]);
  });
});
