import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { longestLife, withPricedMarks } from './cache-life.ts';

const marked = (ttl?: string): JsonObject => ({ cache_control: { type: 'ephemeral', ttl: ttl ?? null } });

it.each<[body: JsonObject, life: ReturnType<typeof longestLife>]>([
  [{ messages: [{ content: 'x' }] }, undefined],
  [{ messages: [{ content: [marked()] }] }, 'minutes'],
  [{ system: [marked('1h')], messages: [{ content: [marked('5m')] }] }, 'hour'],
  [{ system: [marked('5m')], tools: [marked('of the future')] }, 'hour'],
  [{ messages: [{ content: [{ cachePoint: { type: 'default', ttl: '1h' } }] }] }, 'hour'],
  [{ messages: [{ content: [{ cachePoint: { type: 'default' } }] }] }, 'minutes'],
  [{ prompt_cache_options: { ttl: '12h' }, input: 'x' }, 'hour'],
  [{ input: [{ content: [{ prompt_cache_breakpoint: { ttl: '1h' } }] }] }, 'hour'],
  [{ prompt_cache_options: { ttl: '30m' } }, undefined],
])('the longest that %j is to be kept', (body, life) => {
  expect(longestLife(body)).toBe(life);
});

it.each<[body: JsonObject, life: ReturnType<typeof longestLife>]>([
  [{ messages: [{ content: [marked('1h')] }] }, undefined],
  [{ prompt_cache_options: { ttl: '12h' }, messages: [marked('1h')] }, 'hour'],
  [
    { input: [{ content: [{ ...marked('1h'), prompt_cache_breakpoint: { ttl: 'of the future' } }] }] },
    'hour',
  ],
  [{ tools: [{ cachePoint: { type: 'default', ttl: '1h' } }] }, undefined],
])('the longest that %j is to be kept by OpenAI’s own marks', (body, life) => {
  expect(longestLife(body, 'of-openai')).toBe(life);
});

const at = (mark: JsonObject, more: JsonObject = {}): JsonObject => ({
  prompt_cache_options: mark,
  messages: [{ content: [{ type: 'text', cache_control: { type: 'ephemeral', ...mark } }] }],
  tools: [{ function: { name: 'f' }, cachePoint: { type: 'default', ...mark } }],
  input: [{ type: 'message', prompt_cache_breakpoint: mark, ...more }],
});

/** What a caller has written of marks without setting one. */
const SPOKEN: JsonObject = {
  messages: [
    { content: [{ type: 'tool_use', input: { cache_control: { type: 'ephemeral', ttl: '9h' } } }] },
    { role: 'user', content: 'cache_control', cache_control: null },
  ],
  tools: [{ input_schema: { type: 'object', properties: { cache_control: { type: 'object', ttl: '9h' } } } }],
  contents: [{ parts: [{ functionCall: { args: { cachePoint: { ttl: '9h' } } } }] }],
};

it('no mark says a life whose price nobody knows', () => {
  for (const ttl of ['9h', '3600s', 3600, ' 5m', { h: 1 }, '']) {
    const { body, dropped } = withPricedMarks(at({ mode: 'explicit', ttl }), { stores: false });
    expect(body).toEqual(at({ mode: 'explicit' }));
    expect(dropped).toEqual([
      'prompt_cache_options.ttl',
      'cache_control.ttl',
      'cachePoint.ttl',
      'prompt_cache_breakpoint.ttl',
    ]);
  }
  for (const known of [{}, { ttl: null }, { ttl: '5m' }, { ttl: '30m' }, { ttl: '1h' }, { ttl: '12h' }]) {
    const asked = at(known);
    expect(withPricedMarks(asked, { stores: false }).body).toBe(asked);
  }
});

it('nothing is marked where what is marked is stored', () => {
  const { body, dropped } = withPricedMarks(at({ ttl: '5m' }, { cache_control: 'ephemeral' }), {
    stores: true,
  });
  expect(body).toEqual({
    messages: [{ content: [{ type: 'text' }] }],
    tools: [{ function: { name: 'f' } }],
    input: [{ type: 'message' }],
  });
  expect(dropped).toEqual(['prompt_cache_options', 'cache_control', 'cachePoint', 'prompt_cache_breakpoint']);
});

it('a request is no call of a tool, whatever it calls itself', () => {
  const asked = { type: 'tool_use', input: [{ cache_control: { type: 'ephemeral' } }] };
  expect(withPricedMarks(asked, { stores: true }).body).toEqual({ type: 'tool_use', input: [{}] });
});

it.each([true, false])('what is no mark stays (stored: %p)', (stores) => {
  expect(withPricedMarks(SPOKEN, { stores })).toEqual({ body: SPOKEN, dropped: [] });
  expect(withPricedMarks(SPOKEN, { stores }).body).toBe(SPOKEN);
});
