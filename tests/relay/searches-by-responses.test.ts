/** OpenAI has its models search by Responses, whatever words ask for it: its chats refuse that of all but a few. */
import { afterAll, beforeAll, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const MODEL = 'gpt-4.1';
const SEARCHER = 'gpt-5-search-api';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  const setting = JSON.stringify({ proxy: t.base });
  for (const named of [MODEL, SEARCHER]) {
    await t.model(1, { named, base_url: 'http://api.openai.com', setting });
  }
});
afterAll(() => t.close());

const URL_OF_IT = 'https://news.example/a';
const annotation = {
  type: 'url_citation',
  url: URL_OF_IT,
  title: 'The news',
  start_index: 0,
  end_index: 5,
};
const searched = (id: string): JsonObject => ({
  type: 'web_search_call',
  id,
  status: 'completed',
  action: { type: 'search', query: 'q' },
});
const SAID = {
  type: 'message',
  id: 'm',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'News.', annotations: [annotation] }],
};
const RESPONSE = {
  id: 'resp',
  object: 'response',
  status: 'completed',
  output: [searched('a'), searched('b'), SAID],
  usage: { input_tokens: 70, output_tokens: 5, total_tokens: 75 },
};
const FRAMES: JsonObject[] = [
  { type: 'response.output_item.done', output_index: 0, item: searched('a') },
  { type: 'response.output_item.done', output_index: 1, item: searched('b') },
  { type: 'response.output_text.delta', item_id: 'm', output_index: 2, content_index: 0, delta: 'News.' },
  {
    type: 'response.output_text.annotation.added',
    item_id: 'm',
    output_index: 2,
    content_index: 0,
    annotation_index: 0,
    annotation,
  },
  { type: 'response.output_item.done', output_index: 2, item: SAID },
  { type: 'response.completed', response: RESPONSE },
];

const MESSAGES = [{ role: 'user', content: 'What is new?' }];
const CONTENTS = [{ role: 'user', parts: [{ text: 'What is new?' }] }];
const CALLERS: [who: string, path: string, streamed: string, body: JsonObject][] = [
  [
    'Chat',
    '/v1/chat/completions',
    '/v1/chat/completions',
    { max_tokens: 50, messages: MESSAGES, web_search_options: { search_context_size: 'low' } },
  ],
  [
    'Messages',
    '/v1/messages',
    '/v1/messages',
    {
      max_tokens: 50,
      messages: MESSAGES,
      tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }],
    },
  ],
  [
    'Gemini',
    `/v1beta/models/${MODEL}:generateContent`,
    `/v1beta/models/${MODEL}:streamGenerateContent?alt=sse`,
    { contents: CONTENTS, tools: [{ googleSearch: {} }] },
  ],
];

it.each(CALLERS)(
  'who asks for it by %s is told what was found, and pays by the search',
  async (...caller) => {
    const [who, path, streamed, body] = caller;
    for (const stream of [false, true]) {
      t.answers(() => (stream ? eventStream(FRAMES) : Response.json(RESPONSE)));
      const asked = who === 'Gemini' ? body : { ...body, model: MODEL, stream };
      const response = await t.post(stream ? streamed : path, asked);
      expect(response.status).toBe(200);
      expect(await response.text()).toContain(URL_OF_IT);
      expect(t.lastSeen.path).toBe('/v1/responses');
      expect(t.lastSeen.body).toMatchObject({ model: MODEL, tools: [{ type: 'web_search' }] });
      expect(t.lastSeen.body).not.toHaveProperty('web_search_options');
      const row = await t.row();
      // Two searches at 10 dollars a thousand.
      expect(row.quota).toBe(80 + 10_000);
      expect(row.other.tool_uses).toEqual([{ tool: 'web_search', count: 2, price: 10 }]);
    }
  },
);

it('an answer that comes whole searches no more often than is held for', async () => {
  const [[, path, , body]] = CALLERS as [(typeof CALLERS)[number]];
  await t.relay.set({ ToolMaxUses: { web_search: 3 } });
  t.answers(RESPONSE);
  await (await t.post(path, { ...body, model: MODEL })).text();
  expect(t.lastSeen.body).toMatchObject({
    max_tool_calls: 3,
    tools: [{ type: 'web_search', search_context_size: 'low' }],
  });
  await t.row();
});

it('a search that must be made is asked for by its own name', async () => {
  const [, [, path, , body]] = CALLERS as [unknown, (typeof CALLERS)[number]];
  t.answers(RESPONSE);
  const choice = { type: 'tool', name: 'web_search' };
  await (await t.post(path, { ...body, model: MODEL, tool_choice: choice })).text();
  expect(t.lastSeen.body.tool_choice).toEqual({ type: 'web_search' });
  await t.row();
});

it('a model of chats that searches by itself is asked there', async () => {
  const [[, path, , body]] = CALLERS as [(typeof CALLERS)[number]];
  t.answers({
    id: 'c',
    object: 'chat.completion',
    choices: [
      { index: 0, message: { role: 'assistant', content: 'News.', annotations: [] }, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 70, completion_tokens: 5 },
  });
  expect((await t.post(path, { ...body, model: SEARCHER })).status).toBe(200);
  expect(t.lastSeen.path).toBe('/v1/chat/completions');
  expect(t.lastSeen.body.web_search_options).toEqual({ search_context_size: 'low' });
  expect((await t.row()).other.tool_uses).toEqual([{ tool: 'web_search', count: 1, price: 10 }]);
});
