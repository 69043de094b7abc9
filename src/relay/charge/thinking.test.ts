import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../core/json.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { requestFacts } from '../../dialects/prompt.ts';
import { mayThinkUnseen } from './thinking.ts';

const factsOf = (model: string) =>
  requestFacts(openaiChat, { model, messages: [{ role: 'user', content: 'Why?' }] }, {});
const thinks = (body: JsonObject, model = 'any', names = ['claude-sonnet-4-5']) =>
  mayThinkUnseen({ facts: factsOf(model), body }, names);

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
  });
});

it('models that show their thoughts as they come are seen, whatever they are asked in', () => {
  for (const body of [{ enable_thinking: true }, { thinking: { type: 'enabled' } }]) {
    expect(thinks(body, 'qwen3-thinking', ['qwen3-thinking'])).toBe(false);
  }
});
