/**
 * Long prompts for nothing: a stream whose caller leaves as soon as the upstream has answered, before anything was said.
 * The upstream has read the prompt, and bills it.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { BodyBudget } from '../../src/platform/body-budget.ts';
import { openAttack } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';

let t: Operations;
let models: Record<string, string>;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    openai: { type: 1 },
    claude: { type: 14 },
    gemini: { type: 24 },
    acall: { type: 1 },
  }));
  await t.price({ ModelPrice: { [models.acall ?? '']: 0.01 } });
});
beforeEach(() => t.relay.set({ DrainSeconds: 1 }));
afterAll(() => t.close());

/** About ten thousand tokens, of every tokenizer. */
const TEXT = 'the quick brown fox '.repeat(2_500);
const LEAST = 8_000;

const MIB = 1024 * 1024;

interface Way {
  path: string;
  model: string;
  body: JsonObject;
  /** What comes before any content. */
  frames: readonly string[];
}

const sse = (event: JsonObject, name = '') =>
  `${name && `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
const messages = [{ role: 'user', content: TEXT }];
const ROLE = sse({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { role: 'assistant' } }] });

const EVENTS = { 'content-type': 'text/event-stream' };

/** Nothing but a sign of life. */
const ALIVE = ': ok\n\n';

const WAYS: Record<string, Way> = {
  'Chat Completions that have begun': {
    path: '/v1/chat/completions',
    model: 'openai',
    body: { messages, stream: true },
    frames: [ROLE],
  },
  'Chat Completions with nothing but a sign of life': {
    path: '/v1/chat/completions',
    model: 'openai',
    body: { messages, stream: true },
    frames: [ALIVE],
  },
  'Chat Completions that begin with counts of nothing': {
    path: '/v1/chat/completions',
    model: 'openai',
    body: { messages, stream: true },
    frames: [sse({ choices: [], usage: { prompt_tokens: 0, completion_tokens: 0 } })],
  },
  Completions: {
    path: '/v1/completions',
    model: 'openai',
    body: { prompt: TEXT, stream: true },
    frames: [ALIVE],
  },
  Responses: {
    path: '/v1/responses',
    model: 'openai',
    body: { input: TEXT, stream: true },
    frames: [
      sse(
        { type: 'response.created', response: { id: 'r', status: 'in_progress', output: [] } },
        'response.created',
      ),
    ],
  },
  Messages: {
    path: '/v1/messages',
    model: 'claude',
    body: { messages, max_tokens: 50, stream: true },
    frames: [sse({ type: 'ping' }, 'ping')],
  },
  'Messages of another vendor': {
    path: '/v1/messages',
    model: 'openai',
    body: { messages, max_tokens: 50, stream: true },
    frames: [ROLE],
  },
  Gemini: {
    path: '/v1beta/models/MODEL:streamGenerateContent?alt=sse',
    model: 'gemini',
    body: { contents: [{ role: 'user', parts: [{ text: TEXT }] }] },
    frames: [ALIVE],
  },
};

/** Asks, and leaves when the upstream has said what it says before it thinks; `then` is what it does when that is over. */
async function askAndLeave(
  { path, model, body, frames }: Way,
  then: (to: ReadableStreamDefaultController<Uint8Array>) => void = () => undefined,
) {
  const said = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  t.answers(() => {
    const encoder = new TextEncoder();
    const stream = new ReadableStream<Uint8Array>({
      async start(to) {
        for (const frame of frames) to.enqueue(encoder.encode(frame));
        said.resolve();
        await gone.promise;
        then(to);
      },
    });
    return new Response(stream, { headers: EVENTS });
  });
  const named = models[model] ?? '';
  const leaving = new AbortController();
  const asking = fetch(`${t.relay.base}${path.replace('MODEL', named)}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${t.relay.key}` },
    body: JSON.stringify(path.includes('MODEL') ? body : { model: named, ...body }),
    signal: leaving.signal,
  }).catch(() => null);
  await said.promise;
  leaving.abort();
  await asking;
  const { drains } = t.relay.api.deps.relay;
  while (drains.open === 0) await Bun.sleep(2);
  gone.resolve();
  return t.row();
}

describe.each(Object.entries(WAYS))('a stream of %s that is left before its first content', (_, way) => {
  it('costs the prompt that was counted, and its row says why', async () => {
    const row = await askAndLeave(way);
    expect(row).toMatchObject({
      type: 2,
      completion_tokens: 0,
      other: { stream_end: 'client_gone', usage_source: 'estimated', prompt_only: true },
    });
    expect(row.prompt_tokens).toBeWithin(LEAST, 3 * LEAST);
    expect(row.quota).toBe(row.prompt_tokens);
  });
});

it('is weighed to its end whoever has left, where a constant is told of it', async () => {
  await t.relay.set({ DrainSeconds: 30 });
  const spelled = 'The answer is spelled out at length. '.repeat(120);
  const last = { role: 'user', content: 'go on' };
  const body = { messages: [...messages, { role: 'assistant', content: 'ok' }, last], stream: true };
  const frames = [sse({ choices: [{ index: 0, delta: { content: spelled } }] })];
  const row = await askAndLeave({ path: '/v1/chat/completions', model: 'openai', body, frames }, (to) => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const end = sse({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
    to.enqueue(new TextEncoder().encode(`${end}${sse({ choices: [], usage })}data: [DONE]\n\n`));
    to.close();
  });
  expect(row.other).toMatchObject({
    stream_end: 'client_gone',
    usage_source: 'estimated',
    usage_suspect: true,
  });
  expect(row.prompt_tokens).toBeWithin(LEAST, 3 * LEAST);
  expect(row.completion_tokens).toBeWithin(800, 1_100);
});

describe('an upstream whose answer was no success', () => {
  const CHAT = WAYS['Chat Completions that have begun'] as Way;
  beforeEach(() => t.relay.set({ DrainSeconds: 30 }));

  it('is not paid for an error', async () => {
    const fail = (to: ReadableStreamDefaultController<Uint8Array>) => {
      to.enqueue(new TextEncoder().encode(sse({ error: { message: 'no', code: 'x' } })));
      to.close();
    };
    expect(await askAndLeave(CHAT, fail)).toMatchObject({ type: 6, quota: 0 });
  });

  it('is not paid for breaking off', async () => {
    expect(await askAndLeave(CHAT, (to) => to.close())).toMatchObject({ type: 6, quota: 0 });
  });

  it('is not paid for an answer that others leave no room for', async () => {
    const relay = t.relay.api.deps.relay;
    const whole = relay.answersHeld;
    relay.answersHeld = new BodyBudget(2 * MIB);
    relay.answersHeld.hold('somebody').grow(MIB);
    // Not whole yet.
    const large = sse({ choices: [{ index: 0, delta: { content: 'x'.repeat(0.75 * MIB) } }] }).slice(0, -4);
    try {
      const row = await askAndLeave(CHAT, (to) => to.enqueue(new TextEncoder().encode(large)));
      expect(row).toMatchObject({ type: 6, quota: 0, other: { error: 'client_gone' } });
    } finally {
      relay.answersHeld = whole;
    }
  });

  it('is paid for an answer that came to an end and said nothing', async () => {
    const end = (to: ReadableStreamDefaultController<Uint8Array>) => {
      to.enqueue(new TextEncoder().encode('data: [DONE]\n\n'));
      to.close();
    };
    const row = await askAndLeave(CHAT, end);
    expect(row).toMatchObject({ type: 2, completion_tokens: 0 });
    expect(row.quota).toBeGreaterThan(LEAST);
  });
});

/** Z.ai, and some gateways, tell it like this in any stream, and what they have read in the end. */
const ZEROS = { input_tokens: 0, output_tokens: 0 };
const SAID = [
  sse({ type: 'message_start', message: { id: 'm', content: [], usage: ZEROS } }, 'message_start'),
  sse(
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    'content_block_start',
  ),
  sse(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'The answer is 42.' } },
    'content_block_delta',
  ),
];

describe.each([
  ['as it came', WAYS.Messages as Way],
  ['in other words', { ...(WAYS['Chat Completions that have begun'] as Way), model: 'claude' }],
])('a stream of Messages that begins with counts of nothing, passed on %s', (_, way) => {
  it('costs its prompt when it is left with its answer', async () => {
    const row = await askAndLeave({ ...way, frames: SAID }, (to) => to.close());
    expect(row).toMatchObject({ type: 2, other: { stream_end: 'client_gone', usage_source: 'estimated' } });
    expect(row.prompt_tokens).toBeWithin(LEAST, 3 * LEAST);
    expect(row.completion_tokens).toBeWithin(1, 20);
  });

  it.each<[string, JsonObject, [least: number, most: number]]>([
    ['costs its prompt when its end tells the answer alone', {}, [LEAST, 3 * LEAST]],
    ['costs its prompt when its end tells nothing of that', { input_tokens: 0 }, [LEAST, 3 * LEAST]],
    [
      'costs the prompt that its end tells',
      { input_tokens: 0, cache_read_input_tokens: 7_000 },
      [7_000, 7_001],
    ],
  ])('%s', async (_is, prompt, [least, most]) => {
    const delta = { delta: { stop_reason: 'end_turn' }, usage: { ...prompt, output_tokens: 900 } };
    const ends = [
      sse({ type: 'message_delta', ...delta }, 'message_delta'),
      sse({ type: 'message_stop' }, 'message_stop'),
    ];
    t.answers(() => new Response([...SAID, ...ends].join(''), { headers: EVENTS }));
    await (await t.post(way.path, { ...way.body, model: models.claude ?? '' })).text();
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, completion_tokens: 900, other: { stream_end: 'done' } });
    expect(row.prompt_tokens).toBeWithin(least, most);
  });
});

it('an answer that comes to an end and says nothing costs its prompt, whoever waits for it', async () => {
  t.answers(() => eventStream([{ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }, '[DONE]']));
  const response = await t.post('/v1/chat/completions', {
    model: models.openai ?? '',
    messages,
    stream: true,
  });
  expect(await response.text()).toContain('[DONE]');
  const row = await t.row();
  expect(row).toMatchObject({
    type: 2,
    completion_tokens: 0,
    other: { stream_end: 'done' },
  });
  expect(row.quota).toBeGreaterThan(LEAST);
});

it('a price a call is due when something came out', async () => {
  const row = await askAndLeave({ ...(WAYS['Chat Completions that have begun'] as Way), model: 'acall' });
  expect(row).toMatchObject({ type: 2, quota: 0, other: { stream_end: 'client_gone' } });
});
