import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { anthropicMessages } from '../../dialects/anthropic-messages/dialect.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import { mayThinkUnseen, thinkerOf } from './thinking.ts';

const factsOf = (model: string) =>
  requestFacts(openaiChat, { model, messages: [{ role: 'user', content: 'Why?' }] }, {});
const ANTHROPIC = 14;
const thinks = (
  body: JsonObject,
  model = 'any',
  names = ['claude-sonnet-4-5'],
  {
    dialect = openaiChat,
    ...of
  }: Partial<{ dialect: Dialect; type: number; paramOverride: JsonObject }> = {},
) =>
  mayThinkUnseen(
    { facts: factsOf(model), body, dialect },
    names.map((name) => {
      const channel = { type: ANTHROPIC, paramOverride: null, ...of };
      return thinkerOf({ channel, requested: model, model: name, variant: null });
    }),
  );

const ASKED: [string, JsonObject][] = [
  ['its own', { thinking: { type: 'enabled', budget_tokens: 4_000 } }],
  ['its own that leave the budget open', { thinking: { type: 'adaptive' } }],
  ['a budget alone', { thinking: { budget_tokens: 4_000 } }],
  ["the chat wire's", { enable_thinking: true }],
  ["the chat wire's budget", { thinking_budget: 4_000 }],
  ["OpenAI's", { reasoning_effort: 'low' }],
  ["Gemini's budget", { generationConfig: { thinkingConfig: { thinkingBudget: 4_000 } } }],
  ["Gemini's budget without a bound", { generationConfig: { thinkingConfig: { thinkingBudget: -1 } } }],
  ["Gemini's other spelling", { generation_config: { thinking_config: { thinking_budget: 4_000 } } }],
  ['an effort', { output_config: { effort: 'low' } }],
  ["Gemini's level", { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } }],
];

describe('Claude, whose thoughts are shown as a summary', () => {
  it.each(ASKED)('is asked to think in words that are %s', (_, body) => {
    expect(thinks(body)).toBe(true);
    expect(thinks(body, 'any', ['gpt-4.1', 'eu.anthropic.claude-opus-4'])).toBe(true);
  });

  it.each<[string, JsonObject]>([
    ['says nothing', {}],
    ['says no in its own words', { thinking: { type: 'disabled' } }],
    ["says no in the chat wire's", { enable_thinking: false }],
    ["says no in Gemini's", { generationConfig: { thinkingConfig: { thinkingBudget: 0 } } }],
    ['only wants thoughts shown', { generationConfig: { thinkingConfig: { includeThoughts: true } } }],
  ])('is not asked where a request %s', (_, body) => {
    expect(thinks(body)).toBe(false);
  });

  it('is asked by a name, of the caller or of the channel', () => {
    expect(thinks({}, 'claude-sonnet-4-5-thinking')).toBe(true);
    expect(thinks({}, 'clever', ['claude-sonnet-4-5-thinking'])).toBe(true);
    expect(thinks({}, 'clever', ['anthropic/claude-sonnet-4.5:thinking'])).toBe(true);
  });
});

it.each<[model: string, body: JsonObject, thinking: boolean]>([
  ['amazon/nova-2-lite-v1', { thinking: { type: 'enabled' } }, true],
  ['us.amazon.nova-2-pro-v1:0', { enable_thinking: true }, true],
  ['amazon.nova-2-lite-v1:0', {}, false],
  ['amazon/nova-2-lite-v1', { thinking: { type: 'disabled' } }, false],
  ['amazon.nova-lite-v1:0', { thinking: { type: 'enabled' } }, false],
])('Nova from 2 on, which blots its thoughts out, is asked: %s by %j', (model, body, thinking) => {
  expect(thinks(body, 'any', [model], { type: 20 })).toBe(thinking);
});

it('models that show their thoughts as they come are seen, whatever they are asked in', () => {
  for (const body of [{ enable_thinking: true }, { thinking: { type: 'enabled' } }]) {
    expect(thinks(body, 'qwen3-thinking', ['qwen3-thinking'])).toBe(false);
  }
});

describe('Claude from 5 on, which thinks without being asked', () => {
  const OFF = { thinking: { type: 'disabled' } };
  const on = (model: string, body: JsonObject, of: Parameters<typeof thinks>[3] = {}) =>
    thinks(body, 'any', [model], { dialect: anthropicMessages, ...of });

  it.each(['claude-opus-5', 'claude-opus-5-5', 'claude-haiku-5-5', 'claude-fable-5'])(
    '%s is asked by whatever says nothing',
    (model) => {
      expect(on(model, {})).toBe(true);
      expect(on(model, { thinking: { type: 'between_tools' } })).toBe(true);
    },
  );

  it.each([
    ['claude-opus-5', false],
    ['claude-sonnet-5', false],
    ['claude-haiku-5-5', false],
    ['claude-opus-5-5', true],
    ['claude-fable-5', true],
    ['claude-mythos-5', true],
  ])('%s, told not to on its own wire, thinks: %p', (model, still) => {
    expect(on(model, OFF)).toBe(still);
  });

  it('thinks where nobody knows that it is told', () => {
    const opus = (of: Parameters<typeof thinks>[3], body: JsonObject = OFF) => on('claude-opus-5', body, of);
    expect(opus({})).toBe(false);
    // The chat wire of some gateways has no such word.
    expect(opus({ dialect: openaiChat })).toBe(true);
    expect(opus({ type: 1 })).toBe(true);
    expect(opus({ type: 20 })).toBe(true);
    expect(opus({ paramOverride: { thinking: { type: 'adaptive' } } })).toBe(true);
    expect(opus({}, { ...OFF, output_config: { effort: 'max' } })).toBe(true);
    expect(thinks(OFF, 'any', ['claude-opus-5', 'gpt-5'], { dialect: anthropicMessages })).toBe(true);
  });
});

it.each<[string, JsonObject]>([
  ["the chat wire's", { enable_thinking: true, thinking_display: 'summarized' }],
  ["Anthropic's", { thinking: { type: 'enabled', display: 'omitted' } }],
])('thoughts of which a summary is wished in words that are %s are not seen', (_, body) => {
  expect(thinks(body, 'qwen4-max', ['qwen4-max'])).toBe(true);
});

it.each<[string, JsonObject, boolean]>([
  ['house', { reasoning_effort: 'high' }, true],
  ['house', { reasoning_effort: 'none' }, false],
  ['claude-sonnet-4-5', { thinking: { type: 'enabled', budget_tokens: 9_000 } }, true],
  ['claude-sonnet-4-5', { temperature: 1 }, false],
  ['qwen3-32b', { enable_thinking: true }, false],
])('%s, over whose bodies its channel writes %j, thinks unseen: %p', (model, paramOverride, thinking) => {
  expect(thinks({}, 'any', [model], { paramOverride })).toBe(thinking);
});

const PROFILE = 'arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/ab12cd34ef56';

it.each<[requested: string, upstream: string, type: number, body: JsonObject, thinking: boolean]>([
  ['gpt-5', 'prod-chat', 3, {}, true],
  ['o3', 'prod', 3, {}, true],
  ['gpt-4.1', 'prod-chat', 3, {}, false],
  ['claude-opus-5', PROFILE, 33, {}, true],
  ['claude-opus-5', PROFILE, 33, { thinking: { type: 'disabled' } }, true],
  ['claude-opus-5', 'claude-opus-5', 14, { thinking: { type: 'disabled' } }, false],
  ['claude-sonnet-4-5', PROFILE, 33, { thinking: { type: 'enabled', budget_tokens: 4_000 } }, true],
  ['claude-sonnet-4-5', PROFILE, 33, {}, false],
])(
  '%s, which its operator named %s, may think unseen as it is called (channel type %p, %j): %p',
  (requested, upstream, type, body, thinking) => {
    expect(thinks(body, requested, [upstream], { dialect: anthropicMessages, type })).toBe(thinking);
  },
);
