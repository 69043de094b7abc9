/**
 * Research for nothing: what Perplexity's models think, the pages that they quote and their searches are told in fields of
 * its own, or not at all, and make up most of the price.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../src/core/json.ts';
import { eventStream, type Operations, openOperations } from '../support/operations.ts';

/** Units of one search: $10 a thousand. */
const SEARCH = 5_000;

let t: Operations;
beforeAll(async () => {
  t = await openOperations();
  await t.relay.set({ RetryTimes: 0, ToolPrices: { web_search: 10 } });
  for (const named of ['sonar', 'sonar-pro', 'sonar-deep-research', 'some:online', 'plain', 'qwen-max'])
    await t.model(1, { named });
});
beforeEach(() => t.relay.setBalance(50_000_000));
afterAll(() => t.close());

const messages = [{ role: 'user', content: 'What is new?' }];
const plain = (usage: JsonObject) =>
  t.answers({
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: 'News.' }, finish_reason: 'stop' }],
    usage,
  });
const streamed = (usage: JsonObject) =>
  t.answers(() =>
    eventStream([
      { object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content: 'News.' } }] },
      { object: 'chat.completion.chunk', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage },
      '[DONE]',
    ]),
  );

const RESEARCH = {
  prompt_tokens: 33,
  completion_tokens: 7_163,
  total_tokens: 7_196,
  citation_tokens: 20_016,
  num_search_queries: 18,
  reasoning_tokens: 73_997,
};
const SHORT = { prompt_tokens: 14, completion_tokens: 20, total_tokens: 34 };

describe.each([
  ['a whole answer', plain, {}],
  ['a stream', streamed, { stream: true }],
] as const)('%s', (_, answers, more) => {
  const rowOf = async (path: string, body: JsonObject) => {
    const answer = await t.post(path, { ...more, ...body });
    expect(answer.status).toBe(200);
    await answer.text();
    return t.row();
  };
  const row = (model: string, body: JsonObject = {}) =>
    rowOf('/v1/chat/completions', { model, messages, ...body });

  it('costs the thoughts and the pages of its research', async () => {
    answers(RESEARCH);
    const prompt = 33 + 20_016;
    const output = 7_163 + 73_997;
    expect(await row('sonar-deep-research')).toMatchObject({
      prompt_tokens: prompt,
      completion_tokens: output,
      quota: prompt + 2 * output + 18 * SEARCH,
      other: { usage_source: 'upstream' },
    });
  });

  it.each([{}, { num_search_queries: 0 }, { num_search_queries: 4 }])(
    'costs one search by the request, whatever it tells of them: %j',
    async (told) => {
      answers({ ...SHORT, ...told });
      for (const model of ['sonar', 'sonar-pro']) expect((await row(model)).quota).toBe(14 + 2 * 20 + SEARCH);
    },
  );

  it('costs as much where it is asked to go on with a text', async () => {
    answers(SHORT);
    const searched = async (model: string, body: JsonObject = {}) => {
      const { quota } = await rowOf('/v1/completions', { model, prompt: 'News of today:', ...body });
      return quota - (14 + 2 * 20);
    };
    for (const model of ['sonar', 'sonar-pro', 'some:online']) expect(await searched(model)).toBe(SEARCH);
    expect(await searched('qwen-max', { enable_search: true })).toBe(SEARCH);
    expect(await searched('plain')).toBe(0);
  });

  it('costs no search for models that do not, but one where it was not to search', async () => {
    answers(SHORT);
    // Perplexity takes the same whether it searches or is asked not to (docs.perplexity.ai, search control).
    expect((await row('sonar', { disable_search: true })).quota).toBe(14 + 2 * 20 + SEARCH);
    expect((await row('plain')).quota).toBe(14 + 2 * 20);
  });
});
