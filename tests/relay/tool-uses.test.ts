/** What an upstream's own tools cost, by what is charged. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { chargeOfRecord } from '../../src/core/price-record.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
});
afterAll(() => t.close());

const MESSAGES = [{ role: 'user', content: 'What is new?' }];
const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const message = (usage: JsonObject): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content: [{ type: 'text', text: 'News.' }],
  stop_reason: 'end_turn',
  usage,
});

it('searches are charged by the count of the answer, and the row tells how', async () => {
  const model = await t.model(14, { named: 'claude-sonnet-4-5-1' });
  t.answers(message({ input_tokens: 7, output_tokens: 5, server_tool_use: { web_search_requests: 10 } }));
  const body = { model, max_tokens: 50, messages: MESSAGES, tools: [SEARCH] };
  expect((await t.post('/v1/messages', body)).status).toBe(200);
  const row = await t.row();
  // Ten searches at 10 dollars a thousand.
  expect(row.quota).toBe(17 + 50_000);
  expect(row.other.tool_uses).toEqual([{ tool: 'web_search', count: 10, price: 10 }]);
  const charge = chargeOfRecord(row, row.other);
  expect(charge?.quota).toBe(row.quota);
  expect(charge?.lines.at(-1)).toMatchObject({
    item: 'tool',
    tool: 'web_search',
    count: 10,
    weighted: '50000',
  });
});

it('searches that nobody asked for are charged to nobody, and not in silence', async () => {
  const model = await t.model(14, { named: 'claude-sonnet-4-5-2' });
  t.answers(message({ input_tokens: 7, output_tokens: 5, server_tool_use: { web_search_requests: 10 } }));
  await t.post('/v1/messages', { model, max_tokens: 50, messages: MESSAGES });
  expect(await t.row()).toMatchObject({ quota: 17, other: { usage_suspect: true } });
});

it.each([true, false])(
  'pictures of a tool are no output of its model where no usage is told, stream %p',
  async (stream) => {
    const model = await t.model(3);
    const item = {
      type: 'image_generation_call',
      id: 'ig',
      status: 'completed',
      quality: 'low',
      result: 'AAAA',
    };
    const said = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'Here it is.' }],
    };
    const response = { object: 'response', id: 'resp', status: 'completed', output: [said, item] };
    t.answers(() =>
      stream
        ? eventStream([
            { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: 'Here it is.' },
            { type: 'response.output_item.done', output_index: 1, item },
            { type: 'response.completed', response },
            '[DONE]',
          ])
        : Response.json(response),
    );
    const tools = [{ type: 'image_generation', quality: 'low' }];
    const got = await t.post('/v1/responses', { model, input: 'Draw.', tools, stream });
    expect(got.status).toBe(200);
    await got.text();
    const row = await t.row();
    expect(row.other).toMatchObject({ usage_source: 'estimated', tool_uses: [{ count: 1 }] });
    expect([row.other.image_output, row.completion_tokens < 20]).toEqual([undefined, true]);
  },
);

it('those of a stream are, too', async () => {
  const model = await t.model(14, { named: 'claude-sonnet-4-5-3' });
  const events = [
    { type: 'message_start', message: { ...message({ input_tokens: 7, output_tokens: 1 }), content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'News.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { output_tokens: 5, server_tool_use: { web_search_requests: 2 } },
    },
    { type: 'message_stop' },
  ];
  const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
  t.answers(() => new Response(text, { headers: { 'content-type': 'text/event-stream' } }));
  const body = { model, max_tokens: 50, messages: MESSAGES, tools: [SEARCH], stream: true };
  expect(await (await t.post('/v1/messages', body)).text()).toContain('message_stop');
  expect((await t.row()).quota).toBe(17 + 10_000);
});

it('costs what the operator says, and nothing where he says nothing', async () => {
  const model = await t.model(14, { named: 'claude-sonnet-4-5-4' });
  await t.relay.set({ ToolPrices: { file_search: 2.5 } });
  t.answers(message({ input_tokens: 7, output_tokens: 5, server_tool_use: { web_search_requests: 10 } }));
  await t.post('/v1/messages', { model, max_tokens: 50, messages: MESSAGES, tools: [SEARCH] });
  expect((await t.row()).quota).toBe(17);
});

it('the search of before costs two and a half times the other where the operator names no price for it', async () => {
  const model = await t.model(1, { named: 'gpt-4o-search-preview' });
  await t.relay.set({ ToolPrices: { web_search: 4 } });
  t.answers({
    object: 'chat.completion',
    // Its service searches for every answer, also for one that cites nothing.
    choices: [{ index: 0, message: { role: 'assistant', content: 'News.', annotations: [] } }],
    usage: { prompt_tokens: 7, completion_tokens: 5 },
  });
  await t.post('/v1/chat/completions', { model, max_tokens: 50, messages: MESSAGES });
  expect((await t.row()).other.tool_uses).toEqual([{ tool: 'web_search_preview', count: 1, price: 10 }]);
});

it('a search of Perplexity’s that takes several steps costs more than two others, by the request', async () => {
  const model = await t.model(1, { named: 'sonar-pro' });
  await t.relay.set({ ToolPrices: { web_search: 10 } });
  const piece = { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'News.' } }] };
  const usage = { prompt_tokens: 7, completion_tokens: 5, num_search_queries: 4 };
  t.answers(() => eventStream([piece, { ...piece, choices: [], usage }, '[DONE]']));
  const asked = { stream: true, web_search_options: { search_type: 'pro' } };
  const answer = await t.post('/v1/chat/completions', { model, messages: MESSAGES, ...asked });
  await answer.text();
  expect((await t.row()).other.tool_uses).toEqual([{ tool: 'web_search_pro', count: 1, price: 22 }]);
});

it('a container costs by its memory where the operator names no price for its size', async () => {
  const model = await t.model(3);
  // Its tokens are free.
  await t.price({ ModelRatio: { [model]: 0 } });
  await t.relay.api.deps.db.query('update users set quota = 10000000 where id = $1', [t.relay.user.id]);
  await t.relay.set({ ToolPrices: { code_interpreter: 30, code_interpreter_16g: 100 } });
  const charged = async (tool: JsonObject, ran: JsonObject) => {
    const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };
    t.answers({
      id: 'resp_1',
      object: 'response',
      status: 'completed',
      output: [{ ...ran, id: 'a' }, { ...ran, id: 'b' }, message],
      usage: { input_tokens: 0, output_tokens: 0 },
    });
    expect((await t.post('/v1/responses', { model, input: 'run it', tools: [tool] })).status).toBe(200);
    return (await t.row()).quota;
  };
  const interpreter = (memory_limit: string) =>
    charged(
      { type: 'code_interpreter', container: { type: 'auto', memory_limit } },
      { type: 'code_interpreter_call', container_id: `cntr_${memory_limit}` },
    );
  expect(await interpreter('1g')).toBe(15_000);
  expect(await interpreter('4g')).toBe(60_000);
  expect(await interpreter('16g')).toBe(50_000);
  expect(await interpreter('64g')).toBe(960_000);
  // One that has no price goes up as a usual one.
  expect(await interpreter('256g')).toBe(15_000);
  expect(t.lastSeen.body.tools).toEqual([{ type: 'code_interpreter', container: { type: 'auto' } }]);
  const hosted = { type: 'container_auto', memory_limit: '64g' };
  const reference = { type: 'container_reference', container_id: 'cntr_2' };
  expect(
    await charged({ type: 'shell', environment: hosted }, { type: 'shell_call', environment: reference }),
  ).toBe(960_000);
  expect(
    await charged(
      { type: 'shell', environment: { type: 'local' } },
      { type: 'shell_call', environment: null },
    ),
  ).toBe(0);
});

describe('what its vendor refuses to answer', () => {
  let models: Record<string, string>;
  beforeAll(async () => {
    await t.relay.set({ RetryTimes: 2, ToolPrices: { refused_content: 50 } });
    models = { grok: await t.model(1, { named: 'grok-4' }), gpt: await t.model(1, { named: 'gpt-4.1' }) };
    for (const named of ['grok-4', 'gpt-4.1']) await t.model(1, { named });
    await t.relay.setBalance(10_000_000);
    t.answers(() =>
      Response.json(
        {
          code: 'The caller does not have permission to execute the specified operation',
          error:
            'Content violates usage guidelines. Team: t-1, API key ID: k-1, Model: grok-4, Failed check: SAFETY_CHECK_TYPE_BIO',
        },
        { status: 403 },
      ),
    );
  });

  const chat = { messages: MESSAGES, max_tokens: 50 };
  const responses = { input: 'What is new?', max_output_tokens: 50 };
  it.each<[model: string, path: string, body: JsonObject, units: number]>([
    ['grok', '/v1/responses', responses, 25_000],
    ['grok', '/v1/responses', { ...responses, stream: true }, 25_000],
    ['grok', '/v1/chat/completions', chat, 0],
    ['gpt', '/v1/responses', responses, 0],
  ])('is asked of nobody else, and costs what he charges: %s at %s, %j', async (model, path, body, units) => {
    const before = await t.relay.account();
    t.seen.length = 0;
    const refused = await t.post(path, { model: models[model] ?? '', ...body });
    const { error } = await refused.json();
    expect([refused.status, error.code, t.seen.length]).toEqual([403, 'upstream_rejected', 1]);
    expect(error.message).toContain('refused this content');
    expect(error.message.includes('is charged')).toBe(units > 0);
    if (units > 0) {
      const { quota, other } = await t.row();
      expect([quota, other.error]).toEqual([units, 'upstream_rejected']);
      expect(other.tool_uses).toEqual([{ tool: 'refused_content', count: 1, price: 50 }]);
    }
    expect(await t.relay.account()).toMatchObject({ quota: before.quota - units });
  });

  it('is held for before it is asked', async () => {
    t.seen.length = 0;
    await t.relay.setBalance(24_000);
    const refused = await t.post('/v1/responses', { model: models.grok ?? '', ...responses });
    expect([(await refused.json()).error.code, t.seen.length]).toEqual(['insufficient_user_quota', 0]);
  });
});

it('what a tool did is paid for where its upstream streams a whole answer, and fails in the end', async () => {
  await t.relay.set({ RetryTimes: 2, ToolPrices: { web_search: 10 } });
  await t.relay.setBalance(10_000_000);
  const named = 'claude-sonnet-4-5-3';
  for (let channels = 0; channels < 2; channels++) await t.model(14, { named });
  const content_block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const ask = async (...said: JsonObject[]) => {
    const start = { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 7 } };
    const error = { type: 'error', error: { type: 'api_error', message: 'no' } };
    t.answers(() => eventStream([{ type: 'message_start', message: start }, ...said, error]));
    t.seen.length = 0;
    const body = { model: named, max_tokens: 50, messages: MESSAGES, web_search_options: {} };
    const got = await t.post('/v1/chat/completions', body);
    return [got.status, (await got.json()).error.message.includes('is charged'), t.seen.length];
  };
  const { quota } = await t.relay.account();
  // Nobody has had anything of it.
  expect(await ask()).toEqual([502, false, 3]);
  expect(await t.relay.account()).toMatchObject({ quota, reserved: 0 });
  expect(await ask({ type: 'content_block_start', index: 0, content_block })).toEqual([502, true, 1]);
  const row = await t.row();
  expect(row.other.tool_uses).toEqual([{ tool: 'web_search', count: 1, price: 10 }]);
  // What was told of the prompt.
  expect(row).toMatchObject({ quota: 5_007, prompt_tokens: 7 });
  expect(await t.relay.account()).toMatchObject({ quota: quota - row.quota, reserved: 0 });
  // And what came behind the counts of the rest, which it has told too early.
  const counts = { type: 'message_delta', delta: {}, usage: { output_tokens: 1 } };
  const text = { type: 'text_delta', text: 'What came in the end is told by nobody.' };
  const rest = { type: 'content_block_delta', index: 1, delta: text };
  const block = { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '' } };
  await ask({ type: 'content_block_start', index: 0, content_block }, counts, block, rest);
  const counted = await t.row();
  expect(counted.prompt_tokens).toBe(7);
  expect(counted.completion_tokens).toBeGreaterThan(5);
});

it('a tool names no model that the token may not use', async () => {
  const model = await t.model(3);
  const key = await t.relay.addToken({ model_limits_enabled: true, model_limits: model });
  const tools = [{ type: 'image_generation', model: 'gpt-image-1' }];
  const refused = await t.post(
    '/v1/responses',
    { model, input: 'draw', tools },
    { authorization: `Bearer ${key}` },
  );
  expect((await refused.json()).error.code).toBe('model_not_allowed');
});
