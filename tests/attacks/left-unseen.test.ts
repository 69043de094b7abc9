/**
 * What nobody here sees, for nothing: thoughts that are not shown, documents by address, earlier answers, results of
 * searches. Their price is told at the end of a stream, which its caller does not wait for, or has cut off.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { limits } from '../../src/core/limits.ts';
import { Drain } from '../../src/relay/answer/drain.ts';
import { createProbe } from '../../src/relay/attempt/probe.ts';
import { type Operations, openOperations } from '../support/operations.ts';
import { until } from '../support/waits.ts';

let t: Operations;
/** Models of one channel each, by what stands behind them. */
const models: Record<string, string> = {};
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0 });
  models.o3 = await t.model(1, { named: 'o3' });
  models.plain = await t.model(1, { named: 'gpt-4.1' });
  models.sold = await t.model(1, { named: 'gpt-4.1-nano', setting: { allow_dearer: true } });
  models.small = await t.model(1, { named: 'gpt-4-turbo' });
  models.claude = await t.model(14, { named: 'claude-sonnet-4-5' });
  models.mapped = await t.model(14, {
    named: 'thoughtful',
    model_mapping: { thoughtful: 'claude-sonnet-4-5-thinking' },
  });
  models.claude5 = await t.model(14, { named: 'claude-opus-5' });
  models.hasty = await t.model(1, { named: 'gpt-5', setting: { first_content_timeout: 0.2 } });
  models.begun = await t.model(1, { named: 'gpt-5.1', setting: { first_content_timeout: 0.5 } });
  models.cut = await t.model(1, { named: 'gpt-5.2', setting: { total_timeout: 0.2 } });
  models.cutClaude = await t.model(14, { named: 'claude-opus-4-5', setting: { total_timeout: 0.2 } });
  models.patient = await t.model(1, { named: 'gpt-4.1-mini', setting: { first_content_timeout: 0.2 } });
  // An answer whose upstream did not tell how long it was.
  t.answers({ ...ANSWER, id: 'resp_of_before' });
  await (await t.post('/v1/responses', { model: models.small, input: 'Hi.' })).text();
  await t.row();
});
beforeEach(async () => {
  await t.relay.set({ DrainSeconds: 1 });
  await t.relay.setBalance(50_000_000);
});
afterAll(() => t.close());

const sse = (event: JsonObject | string, name = '') =>
  `${name && `event: ${name}\n`}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;

const chunk = (delta: JsonObject, more: JsonObject = {}) =>
  sse({ object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: null }], ...more });
const ROLE = chunk({ role: 'assistant' });
const CHAT_END = (usage: JsonObject) => [
  sse({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  sse({ object: 'chat.completion.chunk', choices: [], usage }),
  sse('[DONE]'),
];
const ANSWER = {
  object: 'response',
  status: 'completed',
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Yes.' }] }],
};
const response = (type: string, more: JsonObject) =>
  sse({ type, response: { id: 'resp_1', output: [], ...more } }, type);
const RESPONSE_BEGINS = response('response.created', { status: 'in_progress' });
const RESPONSE_SAYS = (text: string) =>
  sse(
    { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: text },
    'response.output_text.delta',
  );
const RESPONSE_ENDS = (usage: JsonObject) => [response('response.completed', { status: 'completed', usage })];

interface Way {
  path: string;
  model: string;
  body: JsonObject;
  /** Until its caller has read what he wanted. */
  frames: readonly string[];
  /** With a usage that costs what an upstream bills. */
  end: readonly string[];
  prompt: number;
  output: number;
  /** The least that is charged where no usage came. */
  held: number;
}

const messages = [{ role: 'user', content: 'Answer, then write five thousand words of anything.' }];
const input = [{ role: 'user', content: [{ type: 'input_text', text: 'What does it say?' }] }];
const DOCUMENT = { type: 'input_file', file_url: 'https://files.example/a.pdf' };
const chatUsage = (prompt_tokens: number, completion_tokens: number): JsonObject => ({
  prompt_tokens,
  completion_tokens,
  completion_tokens_details: { reasoning_tokens: completion_tokens - 5 },
});
const THOUGHT = 12_000;
const READ = 90_000;
const FORETOLD = 'the quick brown fox '.repeat(3_000);
const CHAT = { path: '/v1/chat/completions', frames: [ROLE, chunk({ content: 'So.' })] };
const RESPONSES = { path: '/v1/responses', frames: [RESPONSE_BEGINS, RESPONSE_SAYS('So.')] };
const readUsage = { input_tokens: READ, output_tokens: 9 };

const CLAUDE_SAYS = [
  sse(
    {
      type: 'message_start',
      message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 20, output_tokens: 1 } },
    },
    'message_start',
  ),
  sse(
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    'content_block_start',
  ),
  sse(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'So.' } },
    'content_block_delta',
  ),
];
const CLAUDE_SUMMED_UP = [
  { type: 'content_block_start', index: 0, content_block: { type: 'compaction', content: null } },
  {
    type: 'content_block_delta',
    index: 0,
    delta: { type: 'compaction_delta', content: 'the quick brown fox '.repeat(40) },
  },
  { type: 'content_block_stop', index: 0 },
].map((event) => sse(event, event.type));
const CLAUDE_ENDS = [
  sse({ type: 'content_block_stop', index: 0 }, 'content_block_stop'),
  sse(
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: THOUGHT } },
    'message_delta',
  ),
  sse({ type: 'message_stop' }, 'message_stop'),
];

const WAYS: Record<string, Way> = {
  'hidden thoughts on the chat wire': {
    ...CHAT,
    model: 'o3',
    body: { messages, stream: true },
    end: CHAT_END(chatUsage(20, THOUGHT)),
    prompt: 20,
    output: THOUGHT,
    held: 2 * 32_768,
  },
  'hidden thoughts under a limit': {
    ...CHAT,
    model: 'o3',
    body: { messages, stream: true, max_completion_tokens: 20_000 },
    end: CHAT_END(chatUsage(20, THOUGHT)),
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'thoughts that are asked for': {
    ...RESPONSES,
    model: 'plain',
    body: { input, reasoning: { effort: 'high' }, max_output_tokens: 20_000, stream: true },
    end: RESPONSE_ENDS({ input_tokens: 20, output_tokens: THOUGHT }),
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'thoughts of which a summary is shown': {
    path: '/v1/messages',
    frames: CLAUDE_SAYS,
    model: 'claude',
    body: {
      messages,
      max_tokens: 20_000,
      thinking: { type: 'enabled', budget_tokens: 16_000 },
      stream: true,
    },
    end: CLAUDE_ENDS,
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'thoughts of Claude that are asked for on another wire': {
    path: '/v1/chat/completions',
    frames: CLAUDE_SAYS,
    model: 'claude',
    body: { messages, enable_thinking: true, thinking_budget: 16_000, max_tokens: 20_000, stream: true },
    end: CLAUDE_ENDS,
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'thoughts of Claude that nobody asked for': {
    path: '/v1/messages',
    frames: CLAUDE_SAYS,
    model: 'claude5',
    body: { messages, max_tokens: 20_000, stream: true },
    end: CLAUDE_ENDS,
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'thoughts of Claude that a name of ours asks for': {
    path: '/v1/messages',
    frames: CLAUDE_SAYS,
    model: 'mapped',
    body: { messages, max_tokens: 20_000, stream: true },
    end: CLAUDE_ENDS,
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'a document by address': {
    ...RESPONSES,
    model: 'small',
    body: { input: [{ role: 'user', content: [DOCUMENT] }], stream: true },
    end: RESPONSE_ENDS(readUsage),
    prompt: READ,
    output: 9,
    held: 128_000,
  },
  'an earlier answer': {
    ...RESPONSES,
    model: 'small',
    body: { input, previous_response_id: 'resp_of_before', stream: true },
    end: RESPONSE_ENDS(readUsage),
    prompt: READ,
    output: 9,
    held: 128_000,
  },
  'a prediction that does not come true': {
    ...CHAT,
    model: 'plain',
    body: { messages, stream: true, max_tokens: 16, prediction: { type: 'content', content: FORETOLD } },
    end: CHAT_END({
      prompt_tokens: 20,
      completion_tokens: THOUGHT,
      completion_tokens_details: { rejected_prediction_tokens: THOUGHT - 5, reasoning_tokens: 0 },
    }),
    prompt: 20,
    output: THOUGHT,
    held: 2 * 20_000,
  },
  'a conversation that is summed up': {
    ...RESPONSES,
    model: 'sold',
    body: {
      input: FORETOLD,
      context_management: [{ type: 'compaction', compact_threshold: 10_000 }],
      max_output_tokens: 16,
      stream: true,
    },
    end: RESPONSE_ENDS({ input_tokens: READ, output_tokens: THOUGHT }),
    prompt: READ,
    output: THOUGHT,
    // Read twice, the second time with a summary, which was written as well.
    held: 2 * 12_000 + 3 * 32_768,
  },
  'a conversation of which the summary is shown': {
    path: '/v1/messages',
    model: 'claude',
    body: {
      messages: [{ role: 'user', content: FORETOLD }],
      context_management: { edits: [{ type: 'compact_20260112', trigger: { value: 10_000 } }] },
      max_tokens: 16,
      stream: true,
    },
    frames: [CLAUDE_SAYS[0] ?? '', ...CLAUDE_SUMMED_UP, ...CLAUDE_SAYS.slice(1)],
    end: [
      sse(
        {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn' },
          usage: {
            output_tokens: 5,
            iterations: [{ type: 'compaction', input_tokens: READ - 20, output_tokens: THOUGHT - 5 }],
          },
        },
        'message_delta',
      ),
      sse({ type: 'message_stop' }, 'message_stop'),
    ],
    prompt: READ,
    output: THOUGHT,
    // The prompt that it told may be the second, which is short.
    held: 12_000 + 3 * 32_000,
  },
  'results of searches': {
    ...RESPONSES,
    model: 'plain',
    body: { input, tools: [{ type: 'web_search' }], stream: true },
    end: RESPONSE_ENDS(readUsage),
    prompt: READ,
    output: 9,
    held: 3_000,
  },
};

const DRAIN_MS = 100;

type Write = (text: string) => void;

/** An upstream that says the frames, and what else is written when its caller has gone. */
function upstreamSays({ frames }: Pick<Way, 'frames'>, then: (write: Write, end: () => void) => void) {
  const said = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  t.answers(() => {
    const encoder = new TextEncoder();
    const body = new ReadableStream<Uint8Array>({
      async start(to) {
        for (const frame of frames) to.enqueue(encoder.encode(frame));
        said.resolve();
        await gone.promise;
        then(
          (text) => to.enqueue(encoder.encode(text)),
          () => to.close(),
        );
      },
    });
    return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
  });
  return { said: said.promise, gone: gone.resolve };
}

function ask({ path, model, body }: Pick<Way, 'path' | 'model' | 'body'>, signal?: AbortSignal) {
  return fetch(`${t.relay.base}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${t.relay.key}` },
    body: JSON.stringify({ model: models[model] ?? '', ...body }),
    signal,
  });
}

/** Reads the answer and leaves. */
async function askAndLeave(way: Way, leave: AbortController): Promise<void> {
  const answer = await ask(way, leave.signal);
  const reader = answer.body?.getReader();
  for (let text = ''; !text.includes('So.'); ) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) throw new Error(`it ended: ${text}`);
    text += new TextDecoder().decode(value);
  }
  leave.abort();
}

const drains = () => t.relay.api.deps.relay.drains;

/** Resolves when the relay has got the head of the next answer. */
async function relayGetsAnswer(): Promise<void> {
  const { dialer } = t.relay.api.deps.relay;
  const { open } = dialer;
  const { promise, resolve } = Promise.withResolvers<void>();
  dialer.open = async (...asked) => {
    const answer = await open(...asked);
    dialer.open = open;
    resolve();
    return answer;
  };
  await promise;
  // What it does with it at once is done by then.
  await Bun.sleep(0);
}

/** Takes all places of a user; what it answers gives them back. */
function fillPlaces(userId = t.relay.user.id): () => void {
  const taken: Drain[] = [];
  for (const toEnd of [true, false]) {
    for (;;) {
      const drain = new Drain(drains(), userId, { ms: 60_000, toEnd });
      if (!drain.begin(() => undefined)) break;
      taken.push(drain);
    }
  }
  return () => {
    for (const drain of taken) drain.end();
  };
}

describe.each(Object.entries(WAYS))('%s', (_, way) => {
  it('cost what the upstream tells at the end, whoever waits for it', async () => {
    const { gone } = upstreamSays(way, (write, end) => {
      // More than is read on of an answer whose usage can be counted, and for longer.
      for (let n = 0; n < 20; n++) write(`: ${'.'.repeat(64 * 1024)}\n\n`);
      setTimeout(() => {
        for (const frame of way.end) write(frame);
        end();
      }, 3 * DRAIN_MS);
    });
    const restore = t.relay.hurry({ DrainSeconds: DRAIN_MS / 1_000 });
    try {
      await askAndLeave(way, new AbortController());
      while (drains().open === 0) await Bun.sleep(2);
    } finally {
      restore();
    }
    gone();
    const row = await t.row();
    expect(row).toMatchObject({
      type: 2,
      prompt_tokens: way.prompt,
      completion_tokens: way.output,
      other: { stream_end: 'client_gone', usage_source: 'upstream' },
    });
    expect(drains().open).toBe(0);
  });

  it('cost what was held for them where nobody reads on', async () => {
    const free = fillPlaces();
    try {
      upstreamSays(way, () => undefined);
      await askAndLeave(way, new AbortController());
      const row = await t.row();
      expect(row).toMatchObject({
        type: 2,
        other: { stream_end: 'client_gone', usage_source: 'held' },
      });
      expect(row.quota).toBeGreaterThanOrEqual(way.held);
      // Never more than was there for it.
      expect(await t.relay.writtenOff()).toEqual(0);
    } finally {
      free();
    }
  });
});

const way = (name: keyof typeof WAYS): Way => WAYS[name] as Way;

/** Of the two, by what twelve thousand tokens of prose may come to by their bytes and what they are. */
it.each<[words: string, name: keyof typeof WAYS, wish: (from: number) => JsonObject | JsonObject[]]>([
  ['items', 'a conversation that is summed up', (from) => [{ type: 'compaction', compact_threshold: from }]],
  [
    'edits',
    'a conversation of which the summary is shown',
    (from) => ({ edits: [{ type: 'compact_20260112', trigger: { value: from } }] }),
  ],
])('who leaves pays for no summary of what is too short for one: by %s', async (_, name, wish) => {
  const free = fillPlaces();
  const { frames, body, ...said } = way(name);
  const unsummed = frames.filter((frame) => !frame.includes('compaction'));
  const quotas: number[] = [];
  try {
    for (const from of [1_000_000, 28_000, 15_000]) {
      upstreamSays({ frames: unsummed }, () => undefined);
      await askAndLeave(
        { ...way(name), ...said, body: { ...body, context_management: wish(from) } },
        new AbortController(),
      );
      const { quota, other } = await t.row();
      expect(other.usage_source).toBe(from > 15_000 ? 'estimated' : 'held');
      quotas.push(quota);
    }
  } finally {
    free();
  }
  const [never = 0, later, maybe] = quotas;
  expect(later).toBe(never);
  expect(maybe).toBeGreaterThan(never + 12_000 + 2 * 32_768);
});

it('a prediction costs nothing where the wire of its upstream has no word for it', async () => {
  const free = fillPlaces();
  try {
    const foretold = { ...way('a prediction that does not come true'), frames: CLAUDE_SAYS, model: 'claude' };
    upstreamSays(foretold, () => undefined);
    await askAndLeave(foretold, new AbortController());
    expect(t.lastSeen.body).not.toHaveProperty('prediction');
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, other: { stream_end: 'client_gone', usage_source: 'estimated' } });
    expect(row.quota).toBeLessThan(1_000);
  } finally {
    free();
  }
});

it('others who fill the places leave nobody to pay as it was held', async () => {
  const others = Array.from({ length: 100 }, (_, n) => fillPlaces(1_000_000 + n));
  const thoughts = way('hidden thoughts on the chat wire');
  try {
    const { gone } = upstreamSays(thoughts, (write, end) => {
      for (const frame of thoughts.end) write(frame);
      end();
    });
    const before = drains().open;
    await askAndLeave(thoughts, new AbortController());
    // Where nobody reads on, there is a row.
    const rows = (await t.relay.logs()).length;
    while (drains().open === before && (await t.relay.logs()).length === rows) await Bun.sleep(2);
    gone();
    expect(await t.row()).toMatchObject({
      completion_tokens: THOUGHT,
      other: { stream_end: 'client_gone', usage_source: 'upstream' },
    });
  } finally {
    for (const free of others) free();
  }
});

it('a document by address costs what was held for it though its caller left before the first word', async () => {
  const free = fillPlaces();
  try {
    const document = { ...way('a document by address'), frames: [RESPONSE_BEGINS] };
    upstreamSays(document, () => undefined);
    const leaving = new AbortController();
    const answered = relayGetsAnswer();
    const asking = ask(document, leaving.signal).catch(() => null);
    await answered;
    leaving.abort();
    await asking;
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, completion_tokens: 0, other: { usage_source: 'held' } });
    expect(row.quota).toBeGreaterThanOrEqual(128_000);
  } finally {
    free();
  }
});

it('a balance that ends in the middle pays for what was held', async () => {
  const document = way('a document by address');
  // The document and four thousand words, and no more.
  await t.relay.setBalance(128_000 + 2 * 4_096 + 200);
  const { gone } = upstreamSays(document, (write) => {
    for (let n = 0; n < 120; n++)
      write(RESPONSE_SAYS('many words of anything at all, and more of them. '.repeat(5)));
  });
  const asking = ask(document).then((answer) => answer.text());
  gone();
  expect(await asking).toContain('quota');
  const row = await t.row();
  expect(row).toMatchObject({ type: 2, other: { stream_end: 'exhausted', usage_source: 'held' } });
  expect(row.quota).toBeGreaterThanOrEqual(128_000);
});

describe('an answer that a listed word ends', () => {
  beforeAll(() =>
    t.relay.set({
      CheckSensitiveEnabled: true,
      CheckSensitiveOnCompletionEnabled: true,
      CheckSensitiveOnPromptEnabled: false,
      StopOnSensitiveEnabled: true,
      SensitiveWords: 'abracadabra',
    }),
  );
  afterAll(() => t.relay.set({ CheckSensitiveEnabled: false }));

  it.each(['hidden thoughts on the chat wire', 'a document by address', 'results of searches'] as const)(
    'costs all that its upstream did: %s',
    async (name) => {
      const { frames, end, prompt, output, ...rest } = way(name);
      const says =
        rest.path === CHAT.path
          ? chunk({ content: ' abracadabra and on' })
          : RESPONSE_SAYS(' abracadabra and on');
      const { gone } = upstreamSays({ frames: [...frames, says] }, (write, close) => {
        for (const frame of end) write(frame);
        close();
      });
      const answer = await ask(rest);
      // It begins with what came before the word.
      gone();
      const text = await answer.text();
      expect(text).toContain('So.');
      expect(text).not.toContain('abra');
      expect(text).not.toContain('and on');
      expect(text).toContain(rest.path === CHAT.path ? '[DONE]' : 'response.');
      expect(await t.row()).toMatchObject({
        type: 2,
        prompt_tokens: prompt,
        completion_tokens: output,
        other: { stream_end: 'done', usage_source: 'upstream' },
      });
    },
  );

  const WORDS = 400;
  const more = ' and on'.repeat(WORDS / 2);
  it.each([
    [
      'in frames behind it',
      () =>
        [
          ...CHAT.frames,
          chunk({ content: ' abracadabra' }),
          ...Array.from({ length: WORDS / 2 }, () => chunk({ content: ' and on' })),
          sse({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
          sse('[DONE]'),
        ].join(''),
      'text/event-stream',
    ],
    [
      'in its own frame',
      () => [...CHAT.frames, chunk({ content: ` abracadabra${more}` }), sse('[DONE]')].join(''),
      'text/event-stream',
    ],
    [
      'in an answer that comes whole',
      () =>
        JSON.stringify({
          object: 'chat.completion',
          choices: [
            {
              index: 0,
              message: { role: 'assistant', content: `So. abracadabra${more}` },
              finish_reason: 'stop',
            },
          ],
        }),
      'application/json',
    ],
  ])('costs what its upstream said behind the word and did not tell of: %s', async (_, said, type) => {
    t.answers(() => new Response(said(), { headers: { 'content-type': type } }));
    const text = await (await ask(way('hidden thoughts under a limit'))).text();
    expect([text.includes('So.'), text.includes('abra'), text.includes('and on')]).toEqual([
      true,
      false,
      false,
    ]);
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, other: { stream_end: 'done', usage_source: 'estimated' } });
    expect(row.completion_tokens).toBeGreaterThanOrEqual(WORDS);
  });

  it('costs what was held where its caller leaves, too, and nobody reads on', async () => {
    const thoughts = way('hidden thoughts under a limit');
    const free = fillPlaces();
    try {
      upstreamSays({ frames: [...thoughts.frames, chunk({ content: ' abracadabra' })] }, () => undefined);
      await askAndLeave(thoughts, new AbortController());
      const row = await t.row();
      expect(row).toMatchObject({ type: 2, other: { stream_end: 'client_gone', usage_source: 'held' } });
      expect(row.quota).toBeGreaterThanOrEqual(2 * 20_000);
    } finally {
      free();
    }
  });
});

describe('an upstream that has answered and says nothing until our deadline', () => {
  const silent = (model: string): Way => ({ ...way('hidden thoughts under a limit'), model, frames: [ROLE] });
  /** Streams are begun by then, so that their callers do not give up. */
  const HOLD_MS = 20;
  async function begun<Result>(asking: () => Promise<Result>): Promise<Result> {
    const { holdHeadersMs } = limits;
    Object.assign(limits, { holdHeadersMs: HOLD_MS });
    try {
      return await asking();
    } finally {
      Object.assign(limits, { holdHeadersMs });
    }
  }
  const channelOf = (model: string) => {
    const { channels } = t.relay.api.deps.relay;
    const [channel] = channels.tiers('default', models[model] ?? '')[0]?.channels ?? [];
    if (!channel) throw new Error('there is no channel');
    return channel;
  };

  it('is paid for the prompt', async () => {
    upstreamSays(silent('patient'), () => undefined);
    const answer = await ask(silent('patient'));
    expect(answer.status).toBe(504);
    const row = await t.row();
    expect(row).toMatchObject({
      type: 2,
      completion_tokens: 0,
      other: {
        stream_end: 'timeout',
        usage_source: 'estimated',
        prompt_only: true,
        error: 'upstream_timeout',
        status: 504,
      },
    });
    expect(row.quota).toBe(row.prompt_tokens);
    expect(row.quota).toBeGreaterThan(5);
  });

  it('is paid for thoughts as they were held', async () => {
    upstreamSays(silent('hasty'), () => undefined);
    expect((await ask(silent('hasty'))).status).toBe(504);
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, other: { stream_end: 'timeout', usage_source: 'held' } });
    expect(row.quota).toBeGreaterThanOrEqual(2 * 20_000);
  });

  it('is paid for them where the stream has begun by then, too', async () => {
    upstreamSays(silent('begun'), () => undefined);
    const answer = await begun(() => ask(silent('begun')));
    expect([answer.status, (await answer.text()).includes('upstream_timeout')]).toEqual([200, true]);
    const row = await t.row();
    expect(row).toMatchObject({ type: 2, other: { stream_end: 'timeout', usage_source: 'held' } });
    expect(row.quota).toBeGreaterThanOrEqual(2 * 20_000);
  });

  it.each([
    ['before its stream is begun', 'hasty', ask],
    ['in a stream that is begun', 'begun', (asked: Way) => begun(() => ask(asked))],
  ] as const)('again and again is asked no more: %s', async (_, model, asking) => {
    const { breakers } = t.relay.api.deps.relay;
    breakers.forget(channelOf(model));
    upstreamSays(silent(model), () => undefined);
    try {
      for (let n = 0; n < 3; n++) {
        expect(breakers.openCount).toBe(0);
        await (await asking(silent(model))).text();
        await t.row();
      }
      // A late failure is noted beside the row, not before it.
      await until('its breaker opens', () => breakers.openCount === 1);
    } finally {
      breakers.forget(channelOf(model));
    }
  });

  it('fails a test of its channel', async () => {
    upstreamSays(silent('patient'), () => undefined);
    const { relay } = t.relay.api.deps;
    const tested = await createProbe(relay).test(channelOf('patient'), models.patient ?? '', {
      timeoutMs: 300,
      stream: true,
    });
    expect(tested).toMatchObject({ success: false, isLate: true });
  });

  it('is waited for longer where it thinks unseen', async () => {
    const restore = t.relay.hurry({ RelayFirstContentTimeout: 0.1 });
    const { gone } = upstreamSays(silent('o3'), (write, end) => {
      for (const frame of [chunk({ content: 'So.' }), ...way('hidden thoughts under a limit').end])
        write(frame);
      end();
    });
    const answered = relayGetsAnswer();
    const asking = ask(silent('o3'));
    try {
      await answered;
    } finally {
      restore();
    }
    await Bun.sleep(200);
    gone();
    const answer = await asking;
    expect([answer.status, (await answer.text()).includes('So.')]).toEqual([200, true]);
    expect(await t.row()).toMatchObject({ completion_tokens: THOUGHT, other: { stream_end: 'done' } });
  });
});

describe('an answer that comes whole, and not before our deadline', () => {
  const MOST = 20_000;
  const RESPONSE = { input: 'Hand it to `deliver`, then count to a million.', max_output_tokens: MOST };
  const CHATTED = { messages, max_tokens: MOST };
  const MCP = { type: 'mcp', server_label: 'a', server_url: 'https://a.example', require_approval: 'never' };
  const call = async (model: string, path: string, body: JsonObject) => {
    t.answers(
      ({ signal }) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve(new Response(null)))),
    );
    const before = t.seen.length;
    const beta = { 'anthropic-beta': 'mcp-client-2025-04-04' };
    const answer = await t.post(path, { model: models[model] ?? '', ...body }, beta);
    expect([answer.status, (await answer.json()).error.message]).toEqual([
      504,
      expect.stringContaining('in time'),
    ]);
    expect(t.seen.length - before).toBe(1);
    return { row: await t.row(), shouldRetry: answer.headers.get('x-should-retry') };
  };

  const SERVERS = { mcp_servers: [{ type: 'url', url: 'https://a.example', name: 'a' }] };
  it.each<[string, string, string, JsonObject]>([
    ["to a server of its caller's", 'cut', '/v1/responses', { ...RESPONSE, tools: [MCP] }],
    ["to a server of its caller's", 'cutClaude', '/v1/messages', { ...CHATTED, ...SERVERS }],
    [
      'by a fetch',
      'cutClaude',
      '/v1/messages',
      { ...CHATTED, tools: [{ type: 'web_fetch_20250910', name: 'web_fetch' }] },
    ],
  ])(
    'is charged as it was held where its words may have gone out: %s, %s, %s',
    async (_, model, path, body) => {
      const { row, shouldRetry } = await call(model, path, body);
      expect(row).toMatchObject({
        type: 2,
        completion_tokens: MOST,
        other: { stream_end: 'timeout', usage_source: 'held', error: 'upstream_timeout', status: 504 },
      });
      expect(row.quota).toBeGreaterThanOrEqual(2 * MOST);
      expect(shouldRetry).toBe('false');
    },
  );

  it.each<[string, string, JsonObject]>([
    ['cut', '/v1/responses', { ...RESPONSE, tools: [{ type: 'function', name: 'f', parameters: {} }] }],
    ['cutClaude', '/v1/messages', CHATTED],
  ])('costs nothing where nobody has had a word of it: %s, %s', async (model, path, body) => {
    const { row, shouldRetry } = await call(model, path, body);
    expect([row.type, row.quota, shouldRetry]).toEqual([6, 0, null]);
  });
});
