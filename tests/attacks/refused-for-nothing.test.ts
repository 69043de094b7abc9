/**
 * Claude's refusals before any output, of which Anthropic bills none in some categories: they cost nothing where it is asked
 * itself. Whatever came before, was thought or was searched is paid as it is told, and so is every refusal at another address.
 */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

const PROMPT = 180_000;

let t: Operations;
const models: Record<string, string> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  // The vendor's own name stays in the address: the mock stands in the way as a proxy.
  const setting = JSON.stringify({ proxy: t.base });
  const own = { base_url: 'http://api.anthropic.com', setting };
  models.anthropic = await t.model(14, { named: 'claude-opus-4-8', ...own });
  models['by the call'] = await t.model(14, { named: 'claude-opus-4-7', ...own });
  models.elsewhere = await t.model(14, { named: 'claude-sonnet-5' });
  models.alike = await t.model(14, {
    named: 'claude-opus-5',
    setting,
    base_url: 'http://api.anthropic.com.example.com',
  });
  await t.price({ ModelPrice: { 'claude-opus-4-7': 0.01 } });
  await t.relay.setBalance(500_000_000);
});
afterAll(() => t.close());

const MESSAGES = '/v1/messages';
const CHAT = '/v1/chat/completions';
const RESPONSES = '/v1/responses';
const GEMINI = '/v1beta/models/MODEL:generateContent';
const SAID = [{ role: 'user', content: 'word '.repeat(40_000) }];
const BODIES: Record<string, JsonObject> = {
  [MESSAGES]: { messages: SAID, max_tokens: 1000 },
  [CHAT]: { messages: SAID },
  [RESPONSES]: { input: 'word '.repeat(40_000) },
  [GEMINI]: { contents: [{ role: 'user', parts: [{ text: 'word '.repeat(40_000) }] }] },
};

interface Told {
  category?: string | null;
  usage?: JsonObject;
  content?: JsonObject[];
  /** What a stream tells of its usage as it begins. */
  begun?: JsonObject;
  /** The category of a second end. */
  again?: string;
}

const usageOf = (more: JsonObject): JsonObject => ({
  input_tokens: PROMPT,
  output_tokens: 0,
  cache_read_input_tokens: 0,
  cache_creation_input_tokens: 0,
  ...more,
});
/** Of another model that was asked first. */
const TWICE = ['message', 'fallback_message'].map((type) => ({
  type,
  input_tokens: PROMPT,
  output_tokens: 0,
}));
const wholeOf = ({ category = 'cyber', usage = {}, content = [] }: Told): JsonObject => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude',
  content,
  stop_reason: 'refusal',
  stop_sequence: null,
  stop_details: { type: 'refusal', category, explanation: null },
  usage: usageOf(usage),
});
const streamOf = (told: Told): JsonObject[] => {
  const { stop_reason, stop_details, usage, ...begun } = wholeOf(told);
  const again = told.again === undefined ? [] : [wholeOf({ category: told.again })];
  return [
    {
      type: 'message_start',
      message: {
        ...begun,
        content: [],
        stop_reason: null,
        usage: usageOf({ output_tokens: 1, ...told.begun }),
      },
    },
    ...(told.content ?? []).flatMap((content_block, index) => [
      { type: 'content_block_start', index, content_block },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence: null, stop_details },
      usage: usage ?? null,
    },
    ...again.map(({ stop_reason, stop_details }) => ({
      type: 'message_delta',
      delta: { stop_reason, stop_details },
      usage: { output_tokens: 0 },
    })),
    { type: 'message_stop' },
  ];
};

async function refused(model: string, told: Told, { path = MESSAGES, stream = false } = {}) {
  t.answers(() => (stream ? eventStream(streamOf(told)) : Response.json(wholeOf(told))));
  const named = models[model] ?? '';
  const at = stream ? path.replace('generateContent', 'streamGenerateContent?alt=sse') : path;
  const body = path.includes('MODEL') ? BODIES[path] : { model: named, stream, ...BODIES[path] };
  const before = (await t.relay.account()).quota;
  const said = await t.post(at.replace('MODEL', named), body ?? {});
  expect(said.status).toBe(200);
  await said.text();
  const row = await t.row();
  expect(before - (await t.relay.account()).quota).toBe(row.quota);
  expect(await t.relay.reservations()).toEqual([]);
  return row;
}

const UNBILLED = {
  type: 2,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  other: { usage_source: 'upstream', unbilled_tokens: PROMPT },
};

describe.each([false, true])('streamed: %p', (stream) => {
  it.each([MESSAGES, CHAT, RESPONSES, GEMINI])(
    'a refusal is free, and its row says why: %s',
    async (path) => {
      expect(await refused('anthropic', {}, { path, stream })).toMatchObject(UNBILLED);
    },
  );

  it.each<[string, Told]>([
    ['of general harms', { category: 'general_harms' }],
    ['of no category', { category: null }],
    ['with the token that begins it', { usage: { output_tokens: 1 } }],
    ['of a prompt from a cache', { usage: { input_tokens: 0, cache_read_input_tokens: PROMPT } }],
    ['whose text is empty', { content: [{ type: 'text', text: '' }] }],
  ])('so is one %s', async (_, told) => {
    expect(await refused('anthropic', told, { stream })).toMatchObject({
      ...UNBILLED,
      other: { usage_source: 'upstream' },
    });
  });

  it('so is one at a price a call', async () => {
    expect(await refused('by the call', {}, { stream })).toMatchObject(UNBILLED);
  });

  describe.each([MESSAGES, CHAT])('it is paid at %s', (path) => {
    it.each<[string, Told]>([
      ['in a category that is billed', { category: 'bio' }],
      ['in another one', { category: 'frontier_llm' }],
      ['for its reasoning', { category: 'reasoning_extraction' }],
      ['in a category that nobody here knows', { category: 'new' }],
      ['of which output is told', { usage: { output_tokens: 22 } }],
      [
        'that was thought about',
        { usage: { output_tokens: 3, output_tokens_details: { thinking_tokens: 2 } } },
      ],
      ['behind a text', { content: [{ type: 'text', text: 'Sure' }] }],
      ['behind a thought', { content: [{ type: 'thinking', thinking: 'Hm', signature: '' }] }],
      ['behind a sealed one', { content: [{ type: 'redacted_thinking', data: 'a' }] }],
      ['behind a call', { content: [{ type: 'tool_use', id: 'a', name: 'f', input: { a: 1 } }] }],
      ['behind a search', { content: [{ type: 'web_search_tool_result', tool_use_id: 'a', content: [] }] }],
      ['whose search is told', { usage: { server_tool_use: { web_search_requests: 1 } } }],
      ['behind that of another model', { usage: { iterations: TWICE } }],
    ])('as it is told %s', async (_, told) => {
      const row = await refused('anthropic', told, { path, stream });
      expect(row.prompt_tokens).toBe(PROMPT);
      expect(row.quota).toBeGreaterThanOrEqual(PROMPT);
      expect(row.other).not.toHaveProperty('unbilled_tokens');
    });

    it('as it is counted where far less is told', async () => {
      const told = { usage: { input_tokens: 3, output_tokens: 0 } };
      const row = await refused('anthropic', told, { path, stream });
      expect(row).toMatchObject({ other: { usage_source: 'estimated', usage_suspect: true } });
      expect(row.quota).toBeGreaterThan(30_000);
      expect(row.other).not.toHaveProperty('unbilled_tokens');
    });
  });

  it.each(['elsewhere', 'alike'])('and so is one %s', async (model) => {
    const row = await refused(model, {}, { stream });
    expect([row.prompt_tokens, row.quota]).toEqual([PROMPT, PROMPT]);
  });
});

describe.each([MESSAGES, CHAT])('streamed at %s', (path) => {
  it('it is paid behind that of a model that is told as it begins', async () => {
    const row = await refused('anthropic', { begun: { iterations: TWICE } }, { path, stream: true });
    expect([row.prompt_tokens, row.quota >= PROMPT]).toEqual([PROMPT, true]);
  });

  it('its first end is what counts', async () => {
    const free = await refused('anthropic', { category: 'cyber', again: 'bio' }, { path, stream: true });
    expect(free).toMatchObject(UNBILLED);
    const paid = await refused('anthropic', { category: 'bio', again: 'cyber' }, { path, stream: true });
    expect([paid.prompt_tokens, paid.quota >= PROMPT]).toEqual([PROMPT, true]);
  });
});

it('is paid where its caller has left before its end', async () => {
  const [start = {}, ...rest] = streamOf({});
  const begun = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  t.answers(() => {
    const encoder = new TextEncoder();
    const written = (event: JsonObject) => encoder.encode(`data: ${JSON.stringify(event)}\n\n`);
    const body = new ReadableStream<Uint8Array>({
      async start(to) {
        to.enqueue(written(start));
        begun.resolve();
        await gone.promise;
        for (const event of rest) to.enqueue(written(event));
        to.close();
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  const leaving = new AbortController();
  const asking = fetch(`${t.relay.base}${MESSAGES}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${t.relay.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: models.anthropic, stream: true, ...BODIES[MESSAGES] }),
    signal: leaving.signal,
  }).catch(() => null);
  await begun.promise;
  leaving.abort();
  await asking;
  const { drains } = t.relay.api.deps.relay;
  while (drains.open === 0) await Bun.sleep(2);
  gone.resolve();
  const row = await t.row();
  expect(row).toMatchObject({ prompt_tokens: PROMPT, quota: PROMPT, other: { stream_end: 'client_gone' } });
});

describe('a word that may not be said', () => {
  beforeAll(() =>
    t.relay.set({
      CheckSensitiveEnabled: true,
      CheckSensitiveOnCompletionEnabled: true,
      StopOnSensitiveEnabled: true,
      SensitiveWords: 'secret',
    }),
  );
  afterAll(() => t.relay.set({ CheckSensitiveEnabled: false }));

  it.each([false, true])('ends an answer that is paid as it is told, streamed: %p', async (stream) => {
    const content = [{ type: 'text', text: 'secret' }];
    const row = await refused('anthropic', { content, usage: { output_tokens: 2 } }, { stream });
    expect([row.prompt_tokens >= PROMPT / 10, row.quota > 0]).toEqual([true, true]);
    expect(row.other).not.toHaveProperty('unbilled_tokens');
  });

  it.each([false, true])('makes no refusal dear in which none is, streamed: %p', async (stream) => {
    expect(await refused('anthropic', {}, { stream })).toMatchObject(UNBILLED);
  });
});

it('counts against the limits of its caller', async () => {
  await t.relay.set({ UserTokensPerMinute: PROMPT });
  expect(await refused('anthropic', {})).toMatchObject(UNBILLED);
  const next = await t.post(MESSAGES, { model: models.anthropic ?? '', ...BODIES[MESSAGES] });
  expect(next.status).toBe(429);
  await t.relay.set({ UserTokensPerMinute: 0 });
});
