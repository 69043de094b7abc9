import { afterAll, afterEach, beforeAll, describe, expect, it } from 'bun:test';
import type { Json, JsonObject } from '../../src/core/json.ts';
import { createWordMatcher } from '../../src/core/word-matcher.ts';
import { findIn } from '../../src/relay/entry/sensitive.ts';
import { openTestRelay, type TestRelay } from '../support/relay.ts';

let relay: TestRelay;
let calls = 0;

beforeAll(async () => {
  // The mock says w0 w1 w2 … w19.
  relay = await openTestRelay();
  await relay.addChannel({ models: 'claude', type: 14 });
  await relay.set({ ModelRatio: { 'gpt-4o': 1, claude: 1 } });
});
afterAll(() => relay.close());
afterEach(() =>
  relay.api.deps.options.reset([
    'CheckSensitiveEnabled',
    'CheckSensitiveOnPromptEnabled',
    'CheckSensitiveOnCompletionEnabled',
    'StopOnSensitiveEnabled',
    'StreamCacheQueueLength',
    'SensitiveWords',
  ]),
);

const asking = (content: Json, more: JsonObject = {}): JsonObject => ({
  messages: [{ role: 'user', content }],
  ...more,
});

/** The frames of a stream, parsed. */
const frames = (text: string) =>
  text
    .split('\n\n')
    .filter((frame) => frame.startsWith('data: {'))
    .map((frame) => JSON.parse(frame.slice(6)));
const textOf = (text: string): string =>
  frames(text)
    .map(({ choices }) => choices[0]?.delta?.content ?? '')
    .join('');
const finishOf = (text: string): string[] =>
  frames(text).flatMap(({ choices }) => choices[0]?.finish_reason ?? []);

describe('CheckSensitiveOnPromptEnabled', () => {
  it('refuses a prompt with one of SensitiveWords, one per line, whatever its case, before anything is held', async () => {
    await relay.set({ SensitiveWords: 'first line\n敏感词\nForbidden' });
    const asked = relay.upstream.chats.length;
    for (const body of [
      asking('so fORBIDDEN this is'),
      asking([{ type: 'text', text: '这是敏感词吗' }]),
      {
        messages: [
          { role: 'system', content: 'a first line' },
          { role: 'user', content: 'hi' },
        ],
      },
      asking('hi', { stream: true, tools: [{ type: 'function', function: { name: 'forbidden_tool' } }] }),
    ]) {
      const answer = await relay.chat(body);
      expect(answer.status).toBe(400);
      expect((await answer.json()).error).toMatchObject({
        code: 'sensitive_words_detected',
        type: 'invalid_request_error',
      });
    }
    expect(relay.upstream.chats).toHaveLength(asked);
    expect(await relay.reservations()).toEqual([]);
    expect((await relay.chat(asking('first'))).status).toBe(200);
    await relay.settled(++calls);
  });

  it('refuses it in the other calls and dialects too', async () => {
    await relay.set({ SensitiveWords: 'forbidden' });
    const post = (path: string, body: object) =>
      fetch(relay.base + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${relay.key}` },
        body: JSON.stringify({ model: 'gpt-4o', ...body }),
      });
    const answers = await Promise.all([
      post('/v1/messages', asking('forbidden', { max_tokens: 5 })),
      post('/v1/responses', { input: 'forbidden' }),
      post('/v1/embeddings', { input: ['fine', 'forbidden'] }),
      post('/v1/completions', { prompt: 'forbidden' }),
      post('/v1beta/models/gpt-4o:generateContent', { contents: [{ parts: [{ text: 'forbidden' }] }] }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  });

  it.each(['CheckSensitiveEnabled', 'CheckSensitiveOnPromptEnabled'] as const)(
    'is off without %s',
    async (option) => {
      await relay.set({ SensitiveWords: 'forbidden', [option]: false });
      expect((await relay.chat(asking('forbidden'))).status).toBe(200);
      await relay.settled(++calls);
    },
  );

  it('reads a long prompt in turns with everything else', async () => {
    const words = createWordMatcher(['needle', 'haystack']);
    const long = 'x'.repeat(3_000_000);
    const turnsOf = async (texts: string[]) => {
      let turns = 0;
      const timer = setInterval(() => turns++, 0);
      expect(await findIn(texts, words)).toBeNull();
      clearInterval(timer);
      return turns;
    };
    expect(await turnsOf([long])).toBeGreaterThan(2);
    expect(await turnsOf(Array.from({ length: 3_000 }, () => long.slice(0, 1_000)))).toBeGreaterThan(2);
    // Over the border of two turns.
    expect(await findIn(['', `${long.slice(0, 131_069)}NEEdle${long}`], words)).toBe('NEEdle');
    // What one text begins the next does not end.
    expect(await findIn(['need', 'le'], words)).toBeNull();
  });
});

describe('CheckSensitiveOnCompletionEnabled with StopOnSensitiveEnabled', () => {
  it('ends a stream before the word, says why, cancels the upstream and charges what went out', async () => {
    await relay.set({ SensitiveWords: 'W7 w8' });
    relay.upstream.next.push('slow');
    const answer = await relay.chat({ stream: true });
    const text = await answer.text();
    expect(textOf(text).trimEnd()).toBe('w0 w1 w2 w3 w4 w5 w6');
    expect(finishOf(text)).toEqual(['content_filter']);
    expect(text.trimEnd()).toEndWith('data: [DONE]');
    const row = (await relay.settled(++calls)).at(-1);
    expect(row).toMatchObject({ type: 2, other: { usage_source: 'estimated', stream_end: 'done' } });
    expect(row?.completion_tokens).toBeGreaterThan(5);
    expect(row?.completion_tokens).toBeLessThan(17);
  });

  it('ends a whole answer before the word; what the upstream did is charged', async () => {
    await relay.set({ SensitiveWords: 'w5' });
    const { choices } = await (await relay.chat()).json();
    expect(choices[0]).toMatchObject({
      finish_reason: 'content_filter',
      message: { content: 'w0 w1 w2 w3 w4 ' },
    });
    expect((await relay.settled(++calls)).at(-1)?.completion_tokens).toBe(20);
  });

  it('tells a caller of another dialect in its own words', async () => {
    await relay.set({ SensitiveWords: 'w5' });
    const ask = (stream: boolean) =>
      fetch(`${relay.base}/v1/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': relay.key },
        body: JSON.stringify({
          model: 'gpt-4o',
          max_tokens: 50,
          stream,
          messages: [{ role: 'user', content: 'hi' }],
        }),
      });
    expect(await (await ask(false)).json()).toMatchObject({
      content: [{ text: 'w0 w1 w2 w3 w4 ' }],
      stop_reason: 'refusal',
    });
    const stream = await (await ask(true)).text();
    expect(stream).toContain('"stop_reason":"refusal"');
    expect(stream).toContain('message_stop');
    expect(stream).not.toContain('w5');
    calls += 2;
    await relay.settled(calls);
  });

  it('leaves answers without a word as they are', async () => {
    const plain = async () => {
      const { id: _, created: __, ...rest } = await (await relay.chat()).json();
      return rest;
    };
    const before = await plain();
    await relay.set({ SensitiveWords: 'nothing of this' });
    expect(await plain()).toEqual(before);
    const text = await (await relay.chat({ stream: true, stream_options: { include_usage: true } })).text();
    expect(textOf(text)).toContain('w18 w19');
    expect(finishOf(text)).toEqual(['stop']);
    expect(text).toContain('"completion_tokens":20');
    calls += 3;
    await relay.settled(calls);
  });
});

describe('CheckSensitiveOnCompletionEnabled without StopOnSensitiveEnabled', () => {
  it('masks words in streams and whole answers', async () => {
    await relay.set({ SensitiveWords: 'w5 w6\nw19', StopOnSensitiveEnabled: false });
    const { choices } = await (await relay.chat()).json();
    expect(choices[0].message.content).toBe(
      'w0 w1 w2 w3 w4 ***** w7 w8 w9 w10 w11 w12 w13 w14 w15 w16 w17 w18 ***',
    );
    expect(choices[0].finish_reason).toBe('stop');
    const text = await (await relay.chat({ stream: true })).text();
    expect(textOf(text).trimEnd()).toBe(choices[0].message.content);
    expect(finishOf(text)).toEqual(['stop']);
    // What the filter holds back until the end does not put the upstream's usage in doubt.
    await relay.set({ SensitiveWords: 'w19 and more' });
    expect(textOf(await (await relay.chat({ stream: true })).text())).toContain('w18 w19');
    calls += 3;
    const rows = (await relay.settled(calls)).slice(-3);
    expect(rows.map((row) => row.completion_tokens)).toEqual([20, 20, 20]);
  });
});

it.each(['CheckSensitiveEnabled', 'CheckSensitiveOnCompletionEnabled'] as const)(
  'answers are not checked without %s',
  async (option) => {
    await relay.set({ SensitiveWords: 'w5', [option]: false });
    expect(textOf(await (await relay.chat({ stream: true })).text())).toContain('w5');
    await relay.settled(++calls);
  },
);

it('StreamCacheQueueLength holds pieces of a checked stream back, and a word takes them away', async () => {
  await relay.set({ SensitiveWords: 'w9', StreamCacheQueueLength: 3 });
  const text = await (await relay.chat({ stream: true })).text();
  expect(textOf(text).trimEnd()).toBe('w0 w1 w2 w3 w4 w5');
  expect(finishOf(text)).toEqual(['content_filter']);
  await relay.settled(++calls);
});
