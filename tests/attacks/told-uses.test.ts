/**
 * What OpenAI bills of its hosted tools, and tells: the searches among the calls of its search, most of which open pages or
 * look into them and cost nothing, and the tokens of its pictures. Who sells its answers on at an address of his own bills
 * each call and each picture that is shown (QuantumNous/new-api, relay_responses.go).
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import { isObject, type JsonObject } from '../../src/core/json.ts';
import { chargeOfRecord } from '../../src/core/price-record.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { responsesAnswer } from '../support/short-answers.ts';

let t: Operations;
const OPENAIS = 'gpt-5-mini';
const RESOLD = 'gpt-5.1-mini';
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  // The vendor's own name stays in the address: the mock stands in the way as a proxy.
  const setting = JSON.stringify({ proxy: t.base });
  await t.model(1, { named: OPENAIS, base_url: 'http://api.openai.com', setting });
  await t.model(1, { named: RESOLD });
});
afterAll(() => t.close());
beforeEach(() => t.relay.setBalance(50_000_000));

const USAGE = { input_tokens: 8_000, output_tokens: 1_000 };
/** At $2 a million, and twice that. */
const TOKENS = 10_000;
/** At $10 a thousand. */
const SEARCH = 5_000;

const ACTIONS = ['search', 'open_page', 'find_in_page', 'search', 'open_page', 'find_in_page'];
const CALLS = ACTIONS.map((type, n) => ({
  type: 'web_search_call',
  id: `ws_${n}`,
  status: 'completed',
  action: { type },
}));

/** The events of an answer, whose items begin without an action. */
const eventsOf = (answer: JsonObject, calls: readonly JsonObject[]): JsonObject[] => [
  { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
  ...calls.flatMap((item, output_index) => [
    {
      type: 'response.output_item.added',
      output_index,
      item: { type: item.type ?? '', id: item.id ?? '', status: 'in_progress' },
    },
    { type: 'response.output_item.done', output_index, item },
  ]),
  { type: 'response.output_text.delta', output_index: calls.length, delta: 'ok' },
  { type: 'response.completed', response: answer },
];

async function ask(stream: boolean, told: JsonObject = {}, { model = OPENAIS, calls = CALLS } = {}) {
  const answer: JsonObject = { ...responsesAnswer(USAGE, { before: calls }), ...told };
  t.answers(stream ? () => eventStream(eventsOf(answer, calls)) : answer);
  const got = await t.post('/v1/responses', {
    model,
    stream,
    input: 'What is new?',
    max_output_tokens: 1_000,
    tools: [{ type: 'web_search' }],
  });
  await got.text();
  const { quota, other } = await t.row();
  return [got.status, quota, other.tool_uses, other.usage_suspect];
}

const due = (count: number) => [
  200,
  TOKENS + count * SEARCH,
  [{ tool: 'web_search', count, price: 10 }],
  undefined,
];
const billed = (num_requests: number): JsonObject => ({ tool_usage: { web_search: { num_requests } } });

describe.each([false, true])('the calls of a search, streamed: %p', (stream) => {
  it('cost what those do that search', async () => {
    expect(await ask(stream)).toEqual(due(2));
  });

  it('cost what they are told to be billed', async () => {
    expect(await ask(stream, billed(1))).toEqual(due(1));
    expect(await ask(stream, billed(3))).toEqual(due(3));
  });

  it('are not free for a zero that is filled in', async () => {
    expect(await ask(stream, billed(0))).toEqual(due(2));
  });

  it('cost what each does where it is sold on, or more', async () => {
    const model = RESOLD;
    expect(await ask(stream, {}, { model })).toEqual(due(6));
    for (const told of [0, 2]) expect(await ask(stream, billed(told), { model })).toEqual(due(6));
    expect(await ask(stream, billed(7), { model })).toEqual(due(7));
  });
});

it('pages that a caller has opened one by one are none of his for nothing where they are sold on', async () => {
  const calls = Array.from({ length: 20 }, (_, n) => ({
    type: 'web_search_call',
    id: `ws_${n}`,
    status: 'completed',
    action: { type: 'open_page' },
  }));
  expect(await ask(true, billed(0), { model: RESOLD, calls })).toEqual(due(20));
});

it('the calls of a search take no more of a balance than they cost', async () => {
  await t.relay.setBalance(38_000);
  expect(await ask(true)).toEqual(due(2));
});

describe.each([false, true])('the pictures of a chat, streamed: %p', (stream) => {
  const told = (text: number, read: number, drawn: number): JsonObject => ({
    tool_usage: {
      image_gen: {
        input_tokens: text + read,
        input_tokens_details: { image_tokens: read, text_tokens: text },
        output_tokens: drawn,
        output_tokens_details: { image_tokens: drawn, text_tokens: 0 },
        total_tokens: text + read + drawn,
      },
      web_search: { num_requests: 0 },
    },
  });
  const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'iVBO' };
  /** Moderation has stopped it, and the answer goes on. */
  const STOPPED = { type: 'image_generation_call', id: 'ig_0', status: 'failed', result: null };
  const draw = async (
    tool: JsonObject,
    quality: string | null,
    more: JsonObject = {},
    { model = OPENAIS, before = [] }: { model?: string; before?: JsonObject[] } = {},
  ) => {
    const pictures: JsonObject[] = [...before, ...(quality === null ? [] : [{ ...picture, quality }])];
    const answer: JsonObject = { ...responsesAnswer(USAGE, { before: pictures }), ...more };
    t.answers(stream ? () => eventStream(eventsOf(answer, pictures)) : answer);
    const got = await t.post('/v1/responses', {
      model,
      stream,
      input: 'Draw a cat.',
      max_output_tokens: 1_000,
      tools: [{ type: 'image_generation', ...tool }],
    });
    await got.text();
    const row = await t.row();
    // The bill of the row adds up to what was paid.
    expect([got.status, chargeOfRecord(row, row.other)?.quota]).toEqual([200, row.quota]);
    // No picture is the model's own.
    expect(row.other).not.toHaveProperty('image_output');
    const { drawn, tool_uses: uses, usage_suspect: suspect } = row.other;
    const by = isObject(drawn) ? drawn.model : undefined;
    return { paid: row.quota - TOKENS, by, uses, suspect };
  };
  /** At US dollars a million: of text, of pictures that were read, and of what was drawn. */
  const cost = (...parts: [tokens: number, usd: number][]) =>
    Math.round(parts.reduce((sum, [tokens, usd]) => sum + (tokens * usd) / 2, 0));
  const byTokens = (by: string, paid: number) => ({ by, paid, uses: undefined, suspect: undefined });
  const byQuality = (quality: string, price: number, count = 1) => ({
    by: undefined,
    paid: price * count * 500,
    uses: [{ tool: `image_generation_${quality}`, count, price }],
    suspect: undefined,
  });

  it('cost the tokens that are told, at the price of who drew', async () => {
    const medium = await draw({ model: 'gpt-image-1.5' }, 'medium', told(30, 0, 1056));
    expect(medium).toEqual(byTokens('gpt-image-1.5', cost([30, 5], [1056, 32])));
    const high = await draw({ model: 'gpt-image-2', quality: 'high' }, 'high', told(30, 1521, 7024));
    expect(high).toEqual(byTokens('gpt-image-2', cost([30, 5], [1521, 8], [7024, 30])));
  });

  it('are drawn by whom the answer names, or the usual one', async () => {
    const tools = [{ type: 'image_generation', model: 'gpt-image-1' }];
    const named = await draw({}, 'medium', { ...told(30, 0, 1056), tools });
    expect(named).toEqual(byTokens('gpt-image-1', cost([30, 5], [1056, 40])));
    const usual = await draw({}, 'low', told(298, 0, 186));
    expect(usual).toEqual(byTokens('gpt-image-2', cost([298, 5], [186, 30])));
  });

  it('cost what they do at the dearer one where the answer names another', async () => {
    const tools = [{ type: 'image_generation', model: 'gpt-image-1' }];
    const cheap = await draw({ model: 'gpt-image-1-mini' }, 'medium', { ...told(30, 0, 1056), tools });
    expect(cheap).toEqual(byTokens('gpt-image-1', cost([30, 5], [1056, 40])));
  });

  it('cost their quality where no tokens are told, none that they can take, or no price is known', async () => {
    expect(await draw({ model: 'gpt-image-1' }, 'medium')).toEqual(byQuality('medium', 63));
    expect(await draw({ model: 'gpt-image-1' }, 'medium', told(0, 0, 0))).toEqual(byQuality('medium', 63));
    expect(await draw({ model: 'gpt-image-1' }, 'low', told(30, 0, 12))).toEqual(byQuality('low', 16));
    const other = await draw({ model: 'gpt-image-of-the-future' }, 'low', told(30, 0, 196));
    expect(other).toMatchObject({ by: undefined, uses: [{ tool: 'image_generation_low' }] });
    // A chat's price is no picture's.
    const chats = await draw({ model: OPENAIS }, 'medium', told(30, 0, 1056));
    expect(chats).toMatchObject({ by: undefined, uses: [{ tool: 'image_generation_medium' }] });
  });

  it('cost their quality where they are sold on, whatever tokens are told', async () => {
    const low = await draw({}, 'low', told(298, 0, 186), { model: RESOLD });
    expect(low).toEqual(byQuality('low', 16));
    const high = await draw({ quality: 'high' }, 'high', told(30, 0, 7024), { model: RESOLD });
    expect(high).toEqual(byQuality('high', 250));
  });

  const NOTHING = { by: undefined, paid: 0, uses: undefined, suspect: undefined };

  it('cost nothing that moderation has stopped, but for tokens that are told of them', async () => {
    const before = [STOPPED];
    expect(await draw({}, null, {}, { before })).toEqual(NOTHING);
    expect(await draw({}, null, told(0, 0, 0), { before })).toEqual(NOTHING);
    const read = await draw({}, null, told(60, 0, 0), { before });
    expect(read).toEqual(byTokens('gpt-image-2', cost([60, 5])));
    // It was drawn, and kept back.
    const drawn = await draw({}, null, told(60, 0, 1756), { before });
    expect(drawn).toEqual(byTokens('gpt-image-2', cost([60, 5], [1756, 30])));
    const absurd = await draw({}, null, told(60, 0, 1_000_000), { before });
    expect(absurd).toEqual({ ...NOTHING, suspect: true as never });
    const two = await draw({}, 'medium', told(120, 0, 1756), { before });
    expect(two).toEqual(byTokens('gpt-image-2', cost([120, 5], [1756, 30])));
    // Who sells it on bills no more than what is shown.
    expect(await draw({}, null, told(60, 0, 1756), { before, model: RESOLD })).toEqual(NOTHING);
    expect(await draw({}, 'low', {}, { before, model: RESOLD })).toEqual(byQuality('low', 16));
  });

  it('count against the limits of their caller as what they took', async () => {
    await t.relay.set({ UserTokensPerMinute: 15_000 });
    const high = await draw({}, 'high', told(30, 0, 7024));
    expect(high.by).toBe('gpt-image-2');
    const next = await t.post('/v1/responses', { model: OPENAIS, input: 'Draw a cat.' });
    await next.text();
    expect(next.status).toBe(429);
    await t.relay.set({ UserTokensPerMinute: 0 });
    t.relay.api.deps.limiter.clear(`user:tokens:${t.relay.user.id}`);
  });

  it('cost nothing that is told of where none was asked for', async () => {
    t.answers({ ...responsesAnswer(USAGE), ...told(60, 0, 1756) });
    await (await t.post('/v1/responses', { model: OPENAIS, input: 'Draw a cat.' })).text();
    expect((await t.row()).quota).toBe(TOKENS);
  });

  it('cost no absurd number of tokens', async () => {
    for (const drawn of [1_000_000, 1e15, 1e300]) {
      const answer = told(30, 0, drawn);
      const absurd = await draw({ model: 'gpt-image-1' }, 'medium', answer);
      expect(absurd).toEqual({ ...byQuality('medium', 63), suspect: true as never });
    }
  });
});

describe('a picture of a stream that its upstream says has failed', () => {
  const item = { type: 'image_generation_call', id: 'ig_1', status: 'in_progress', result: null };
  const error = { code: 'moderation_blocked', message: 'Your request was rejected by the safety system.' };
  const FAILED = { type: 'response.failed', response: { id: 'resp_1', status: 'failed', error, output: [] } };
  const ERROR = { type: 'error', error: { type: 'image_generation_user_error', ...error } };
  const PARTIAL = {
    type: 'response.image_generation_call.partial_image',
    output_index: 0,
    item_id: 'ig_1',
    quality: 'low',
    partial_image_index: 0,
    partial_image_b64: 'iVBO',
  };

  const drawn = async (model: string, ...events: JsonObject[]) => {
    t.answers(() =>
      eventStream([
        { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
        { type: 'response.output_item.added', output_index: 0, item },
        ...events,
      ]),
    );
    const tools = [{ type: 'image_generation' }];
    await (await t.post('/v1/responses', { model, stream: true, input: 'Draw a cat.', tools })).text();
    return (await t.row()).other.tool_uses;
  };

  it.each([OPENAIS, RESOLD])('is none, but where it was seen: %s', async (model) => {
    for (const end of [FAILED, ERROR]) {
      expect(await drawn(model, end)).toBeUndefined();
      expect(await drawn(model, PARTIAL, end)).toMatchObject([{ tool: 'image_generation_low', count: 1 }]);
    }
    // Who knows what becomes of it where the connection breaks.
    expect(await drawn(model)).toMatchObject([{ tool: 'image_generation_high', count: 1 }]);
  });
});
