import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import OpenAI from 'openai';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';
import { recordedEvents, recording } from '../support/recording.ts';

let t: Operations;
let client: OpenAI;
beforeAll(async () => {
  t = await openOperations();
  client = new OpenAI({ apiKey: t.relay.key, baseURL: `${t.relay.base}/v1`, maxRetries: 0 });
});
afterAll(() => t.close());

const choice = (text: string, finish_reason: string | null = null) => ({
  text,
  index: 0,
  logprobs: null,
  finish_reason,
});
const WHOLE = recording('openai-completions/openai-completion-text.json') ?? {
  id: 'cmpl-1',
  object: 'text_completion',
  choices: [choice('The new holiday is called "Gratitude Day"', 'length')],
  usage: { prompt_tokens: 14, completion_tokens: 16, total_tokens: 30 },
};
const EVENTS = recordedEvents('openai-completions/openai-completion-text.chunks.txt') ?? [
  { object: 'text_completion', choices: [choice('The')], usage: null },
  { object: 'text_completion', choices: [choice(' holiday', 'stop')], usage: null },
  { object: 'text_completion', choices: [], usage: { prompt_tokens: 14, completion_tokens: 16 } },
];
const saidBy = (events: readonly JsonObject[]): string =>
  events.flatMap(({ choices }) => choices as { text: string }[]).reduce((all, { text }) => all + text, '');
/** The recording's own count, whatever it is. */
const costOf = (usage: unknown): number => {
  const { prompt_tokens, completion_tokens } = usage as Record<string, number>;
  return (prompt_tokens ?? 0) + 2 * (completion_tokens ?? 0);
};
const lastUsage = EVENTS.findLast(({ usage }) => usage)?.usage;

describe('completions', () => {
  it('pass whole, unknown fields too, and cost what was used', async () => {
    const model = await t.model(1);
    t.answers(WHOLE);
    const asked = { model, prompt: ['Once', 'Twice'], max_tokens: 16, echo: false, own_field: 1 };
    const response = await t.post('/v1/completions', asked);
    expect(await response.json()).toEqual(WHOLE);
    expect([t.lastSeen.path, t.lastSeen.body]).toEqual(['/v1/completions', asked]);
    expect(await t.row()).toMatchObject({ quota: costOf(WHOLE.usage), is_stream: false });
  });

  it("stream, with usage only where it was asked for, and OpenAI's client reads them", async () => {
    const model = await t.model(1);
    t.answers(() => eventStream([...EVENTS, '[DONE]']));
    const stream = await client.completions.create({ model, prompt: 'Once', stream: true, max_tokens: 20 });
    const chunks = await Array.fromAsync(stream);
    expect(chunks.map(({ choices }) => choices[0]?.text ?? '').join('')).toBe(saidBy(EVENTS));
    expect(chunks.every(({ choices }) => choices.length > 0)).toBe(true);
    expect(t.lastSeen.body.stream_options).toEqual({ include_usage: true });
    expect(await t.row()).toMatchObject({
      quota: costOf(lastUsage),
      is_stream: true,
      other: { stream_end: 'done', usage_source: 'upstream' },
    });
  });

  it('without usage are counted here, tokens that were sent as numbers too', async () => {
    const model = await t.model(1, { named: 'gpt-3.5-turbo-instruct' });
    t.answers({ ...WHOLE, usage: undefined, choices: [choice('one two three', 'stop')] });
    await t.post('/v1/completions', {
      model,
      prompt: [
        [1, 2, 3],
        [4, 5],
      ],
    });
    expect(await t.row()).toMatchObject({
      prompt_tokens: 5,
      completion_tokens: 3,
      quota: 5 + 2 * 3,
      other: { usage_source: 'estimated' },
    });
    t.answers(() => eventStream([{ choices: [choice('one two')] }, { choices: [choice(' three', 'stop')] }]));
    const response = await t.post('/v1/completions', { model, prompt: 'Hello world', stream: true });
    expect(await response.text()).toEndWith('data: [DONE]\n\n');
    expect(await t.row()).toMatchObject({ prompt_tokens: 2, completion_tokens: 3 });
  });

  it('that break off end with an error, and what came is charged', async () => {
    const model = await t.model(1);
    t.answers(() => eventStream([{ choices: [choice('one two three')] }]));
    const response = await t.post('/v1/completions', { model, prompt: 'Hello world', stream: true });
    const text = await response.text();
    expect(text).not.toContain('[DONE]');
    expect(text).toContain('"code":"upstream_cut"');
    expect(await t.row()).toMatchObject({ completion_tokens: 3, other: { stream_end: 'upstream_cut' } });
  });

  it.each([
    [{ n: 0 }, 'n'],
    [{ best_of: 129 }, 'best_of'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ prompt: [] }, 'prompt'],
    [{ prompt: { text: 'a' } }, 'prompt'],
    [{ suffix: 1 }, 'suffix'],
    [{ stream: 'yes' }, 'stream'],
    [{ n: 128, prompt: Array.from({ length: 64 }, () => 'a') }, 'n'],
  ])('refuse %p, naming the field', async (body, param) => {
    const refused = await t.post('/v1/completions', { model: 'gpt-4o', prompt: 'a', ...body } as JsonObject);
    expect([refused.status, (await refused.json()).error.param]).toEqual([400, param]);
  });
});

describe('completions with CheckSensitiveOnCompletionEnabled', () => {
  const whole = { object: 'text_completion', id: 'cmpl-1', created: 1, model: 'm', own_field: 1 };
  const usage = { prompt_tokens: 3, completion_tokens: 6, total_tokens: 9 };
  const words = ['one two', ' three', ' fo', 'ur five', ' six'];
  const stream = () =>
    eventStream([
      ...words.map((text) => ({ ...whole, choices: [choice(text)] })),
      { ...whole, choices: [choice('', 'stop')] },
      { ...whole, choices: [], usage },
      '[DONE]',
    ]);
  let model: string;

  beforeEach(async () => {
    model = await t.model(1);
    await t.relay.set({ SensitiveWords: 'three FOUR' });
  });
  afterEach(() => t.relay.api.deps.options.reset(['SensitiveWords', 'StopOnSensitiveEnabled']));

  const ask = async (more: JsonObject = {}) =>
    t.post('/v1/completions', { model, prompt: 'Count', max_tokens: 20, ...more });
  const chunks = (text: string) =>
    text
      .split('\n\n')
      .filter((frame) => frame.startsWith('data: {'))
      .map((frame) => JSON.parse(frame.slice(6)));
  const finishOf = (text: string) => chunks(text).flatMap(({ choices }) => choices[0]?.finish_reason ?? []);

  it('end a whole answer before the word, each choice by itself', async () => {
    const spelled = { tokens: words };
    t.answers({
      ...whole,
      choices: [
        { ...choice('one two three four five', 'stop'), logprobs: spelled },
        { ...choice('one', 'stop'), index: 1, logprobs: spelled },
      ],
      usage,
    });
    const { choices, ...rest } = await (await ask()).json();
    expect(rest).toEqual({ ...whole, usage });
    expect(choices).toEqual([
      choice('one two ', 'content_filter'),
      { ...choice('one', 'stop'), index: 1, logprobs: spelled },
    ]);
    expect(await t.row()).toMatchObject({ prompt_tokens: 3, completion_tokens: 6 });
  });

  it('end a stream before the word and cancel the upstream, and charge what went out', async () => {
    t.answers(stream);
    const text = await (await ask({ stream: true, stream_options: { include_usage: true } })).text();
    expect(saidBy(chunks(text))).toBe('one two ');
    expect(finishOf(text)).toEqual(['content_filter']);
    expect(text).toEndWith('data: [DONE]\n\n');
    expect(await t.row()).toMatchObject({
      completion_tokens: 3,
      other: { usage_source: 'estimated', stream_end: 'done' },
    });
  });

  it('mask the word without StopOnSensitiveEnabled', async () => {
    await t.relay.set({ StopOnSensitiveEnabled: 'false' });
    t.answers(stream);
    const text = await (await ask({ stream: true, stream_options: { include_usage: true } })).text();
    expect(saidBy(chunks(text))).toBe('one two ********** five six');
    expect(finishOf(text)).toEqual(['stop']);
    expect(chunks(text)[0]).toEqual({ ...whole, choices: [choice('one two')] });
    expect(chunks(text).at(-1)).toMatchObject({ ...whole, choices: [], usage: { completion_tokens: 6 } });
    expect(await t.row()).toMatchObject({ completion_tokens: 6, other: { usage_source: 'upstream' } });
    t.answers({ ...whole, choices: [choice('one two three four', 'stop')], usage });
    expect((await (await ask()).json()).choices).toEqual([choice('one two **********', 'stop')]);
    await t.row();
  });

  it('leave answers without a word as they are', async () => {
    await t.relay.set({ SensitiveWords: 'seven' });
    t.answers(WHOLE);
    expect(await (await ask()).json()).toEqual(WHOLE);
    await t.row();
    t.answers(stream);
    expect(saidBy(chunks(await (await ask({ stream: true })).text()))).toBe(words.join(''));
    await t.row();
  });
});
