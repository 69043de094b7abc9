import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { longestLife } from './cache-life.ts';

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
