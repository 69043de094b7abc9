import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { NO_TOOLS } from '../core/paid-tools.ts';
import { mostRead } from '../core/tool-reading.ts';
import { severalAt, withSeveral } from './agents.ts';

const GROK = 'x-ai/grok-4.20-multi-agent';

it.each<[string, JsonObject, number | null | undefined]>([
  [GROK, {}, 4],
  [GROK, { reasoning_effort: 'low' }, 4],
  [GROK, { reasoning: { effort: 'medium' } }, 4],
  [GROK, { reasoning: { effort: 'high' } }, 16],
  [GROK, { reasoning_effort: 'xhigh' }, 16],
  ['grok-4.20', { reasoning: { effort: 'high' } }, undefined],
  ['gpt-5.6', { reasoning: { mode: 'pro' } }, null],
  ['gpt-5.6', { reasoning: { mode: 'standard' } }, undefined],
  ['gpt-5.6', { reasoning: { mode: null, effort: 'high' } }, undefined],
  ['openai/gpt-5.6-sol-pro', {}, null],
  ['gpt-5.5-pro', {}, undefined],
  ['gpt-5.6', { multi_agent: { enabled: true } }, 4],
  ['gpt-5.6', { multi_agent: { enabled: true, max_concurrent_subagents: 9 } }, 10],
  ['gpt-5.6', { multi_agent: { enabled: false } }, undefined],
])('of %s, asked %j, %p work for an answer', (model, body, most) => {
  expect(severalAt(body, ['house', model])?.most).toBe(most as never);
});

it('each of them reads all, and what those before it have found', () => {
  const usual = { uses: { default: 5 }, tokens: { default: 3_000 } };
  const readOf = (body: JsonObject) => mostRead(withSeveral(NO_TOOLS, body, [GROK]), usual);
  expect(readOf({})).toEqual({ rounds: 4, tokens: 3_000 * (4 + 3 + 2 + 1) });
  // A limit of all tools together is none of theirs.
  const searched = { ...NO_TOOLS, together: 1 };
  expect(mostRead(withSeveral(searched, {}, [GROK]), usual).rounds).toBe(4);
});
