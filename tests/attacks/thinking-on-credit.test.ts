/**
 * Thoughts on credit: streams without a limit of models that think for long and show nothing of it, many at once, on a
 * balance that pays for none of them. What nobody sees grow must be held from the start, or limited.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'bun:test';
import fc from 'fast-check';
import type { JsonObject } from '../../src/core/json.ts';
import { openAttack, storm } from '../support/attack.ts';
import { eventStream, type Operations } from '../support/operations.ts';
import { patience } from '../support/patience.ts';

let t: Operations;
let models: Record<string, string>;
let offBefore = 0;
beforeAll(async () => {
  ({ t, models } = await openAttack({
    o3: { type: 1, named: 'o3' },
    gpt5: { type: 1, named: 'gpt-5' },
    gemini: { type: 24, named: 'gemini-2.5-pro' },
    mapped: { type: 1, named: 'clever', model_mapping: { clever: 'o3' } },
    plain: { type: 1 },
    claude: { type: 14, named: 'claude-sonnet-4-5' },
    claude5: { type: 20, named: 'anthropic/claude-opus-5.5' },
  }));
});
beforeEach(async () => {
  offBefore = await t.relay.writtenOff();
});
afterAll(() => t.close());

interface Way {
  path: string;
  body: JsonObject;
  limitIn(body: JsonObject): number;
  /** One word, and how many tokens were thought before it. */
  answer(tokens: number): JsonObject[];
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.POSITIVE_INFINITY);
const objectOf = (value: unknown): JsonObject => (value ?? {}) as JsonObject;

const CHAT: Way = {
  path: '/v1/chat/completions',
  body: { messages: [{ role: 'user', content: 'Why?' }], stream: true },
  limitIn: ({ max_tokens, max_completion_tokens }) => numberOf(max_tokens ?? max_completion_tokens),
  answer: (completion_tokens) => [
    {
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { content: 'So.' }, finish_reason: 'stop' }],
      usage: null,
    },
    {
      object: 'chat.completion.chunk',
      choices: [],
      usage: {
        prompt_tokens: 5,
        completion_tokens,
        completion_tokens_details: { reasoning_tokens: completion_tokens - 1 },
      },
    },
  ],
};
const RESPONSES: Way = {
  path: '/v1/responses',
  body: { input: 'Why?', stream: true },
  limitIn: ({ max_output_tokens }) => numberOf(max_output_tokens),
  answer: (output_tokens) => [
    { type: 'response.created', response: { id: 'resp_1', status: 'in_progress', output: [] } },
    { type: 'response.output_text.delta', item_id: 'm', output_index: 0, delta: 'So.' },
    {
      type: 'response.completed',
      response: {
        id: 'resp_1',
        status: 'completed',
        output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'So.' }] }],
        usage: {
          input_tokens: 5,
          output_tokens,
          output_tokens_details: { reasoning_tokens: output_tokens - 1 },
        },
      },
    },
  ],
};
const GEMINI: Way = {
  path: '/v1beta/models/MODEL:streamGenerateContent?alt=sse',
  body: { contents: [{ role: 'user', parts: [{ text: 'Why?' }] }] },
  limitIn: ({ generationConfig }) => numberOf(objectOf(generationConfig).maxOutputTokens),
  answer: (tokens) => [
    {
      candidates: [{ content: { role: 'model', parts: [{ text: 'So.' }] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: 5,
        candidatesTokenCount: 1,
        thoughtsTokenCount: tokens - 1,
        totalTokenCount: 5 + tokens,
      },
    },
  ],
};

const send = (
  { path, body, limitIn, answer }: Way,
  model: string,
  calls: number,
  thought: number,
): Promise<number> =>
  storm(
    t,
    {
      model: models[model] ?? '',
      path,
      body,
      answer: (seen) => eventStream(answer(Math.min(thought, limitIn(seen.body)))),
    },
    calls,
  );

const WAYS: [what: string, way: Way, model: string][] = [
  ['on the chat wire', CHAT, 'o3'],
  ['on Responses', RESPONSES, 'gpt5'],
  ["on Google's wire", GEMINI, 'gemini'],
  ['behind a name that says nothing', CHAT, 'mapped'],
  ['that thinks without being asked', CHAT, 'claude5'],
  [
    'that is asked to think under any name',
    { ...CHAT, body: { ...CHAT.body, reasoning_effort: 'high' } },
    'plain',
  ],
  [
    'that is told not to show what it thinks',
    { ...CHAT, body: { ...CHAT.body, include_reasoning: false } },
    'plain',
  ],
  [
    'whose thoughts are to be hidden',
    { ...CHAT, body: { ...CHAT.body, reasoning_format: 'hidden' } },
    'plain',
  ],
  [
    'that is told in one word not to think, and in another to',
    { ...CHAT, body: { ...CHAT.body, reasoning_effort: 'none', reasoning: { effort: 'high' } } },
    'plain',
  ],
  [
    'that is told to leave its thoughts out',
    { ...CHAT, body: { ...CHAT.body, reasoning_effort: 'none', reasoning: { exclude: true } } },
    'plain',
  ],
];

/** Two units a token. */
const THOUGHT = 30_000;
const COST = 2 * THOUGHT;

describe.each(WAYS)('a stream of a thinker %s', (_, way, model) => {
  it('is not given on credit, however many ask at once', async () => {
    // Four thousand tokens of each are there.
    await t.relay.setBalance(10 * 2 * 4_200);
    expect(await send(way, model, 20, THOUGHT)).toBeGreaterThan(0);
    expect(await t.relay.writtenOff()).toBe(offBefore);
    expect((await t.relay.account()).quota).toBeGreaterThanOrEqual(0);
  });

  it('thinks as long as it likes where that is there', async () => {
    await t.relay.setBalance(4 * 2 * 33_000);
    const { quota } = await t.relay.account();
    expect(await send(way, model, 4, THOUGHT)).toBe(4);
    expect(quota - (await t.relay.account()).quota).toBeWithin(4 * COST, 4 * (COST + 50));
  });
});

/** Claude is always told a limit, of some eight thousand tokens where its caller gave none. */
const CLAUDE_ANSWER = (tokens: number): JsonObject[] => [
  {
    type: 'message_start',
    message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
  },
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'So.' } },
  { type: 'content_block_stop', index: 0 },
  { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: tokens } },
  { type: 'message_stop' },
];
const claudeWay = (way: Way, more: JsonObject): Way => ({
  ...way,
  body: { ...way.body, ...more },
  limitIn: ({ max_tokens }) => numberOf(max_tokens),
  answer: CLAUDE_ANSWER,
});

it.each<[string, Way]>([
  ["in the chat wire's words", claudeWay(CHAT, { enable_thinking: true })],
  ['in its own words', claudeWay(CHAT, { thinking: { type: 'enabled', budget_tokens: 6_000 } })],
  [
    "in Gemini's words",
    claudeWay(GEMINI, { generationConfig: { thinkingConfig: { thinkingBudget: 6_000 } } }),
  ],
])('a stream of Claude that is asked to think %s is not given on credit', async (_, way) => {
  // Four thousand tokens of each are there.
  await t.relay.setBalance(10 * 2 * 4_200);
  expect(await send(way, 'claude', 20, THOUGHT)).toBeGreaterThan(0);
  expect(await t.relay.writtenOff()).toBe(offBefore);
});

describe('a stream on less than what is held at first', () => {
  it(
    'is limited to what is held, whatever its model is called',
    async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom<[Way, string]>(
            [CHAT, 'plain'],
            [RESPONSES, 'plain'],
            [CHAT, 'o3'],
            [GEMINI, 'gemini'],
          ),
          fc.integer({ min: 600, max: 8_000 }),
          fc.integer({ min: 1, max: 8 }),
          async ([way, model], balance, calls) => {
            await t.relay.setBalance(balance);
            await send(way, model, calls, THOUGHT);
            expect(await t.relay.writtenOff()).toBe(offBefore);
          },
        ),
        { numRuns: 25 },
      );
    },
    patience(120_000),
  );
});
