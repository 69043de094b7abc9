import { expect, it } from 'bun:test';
import { readAlike } from './read-alike.ts';

it.each([
  ['house/long', 'house/long', true, true],
  ['a/long', 'b/long', false, false],
  ['gpt-4o', 'openai/gpt-4o-2024-11-20', true, true],
  ['gpt-5.4-2026-03-05', 'gpt-5.4', true, true],
  ['gpt-5.1', 'gpt-5.4', true, false],
  ['gpt-4o', 'gpt-4.1', true, true],
  ['gpt-4o', 'gpt-4o-mini', true, false],
  ['gpt-4.1-mini', 'gpt-5', true, false],
  ['o3', 'gpt-oss-120b', true, false],
  ['gpt-4o', 'gpt-4-turbo', false, false],
  ['gpt-4', 'gpt-3.5-turbo', true, false],
  ['gpt-4', 'gpt-4-turbo', true, true],
  ['gpt-6', 'gpt-5', false, false],
  ['qwen-vl-max-2025-08-13', 'qwen-vl-max', false, false],
  ['claude-opus-4-5', 'claude-opus-4-8', false, false],
  ['', '', true, true],
])('what %s has read is as much for %s: text %p, pictures %p', (one, other, text, pictures) => {
  expect([readAlike(one, other, true), readAlike(one, other, false)]).toEqual([text, pictures]);
  expect([readAlike(other, one, true), readAlike(other, one, false)]).toEqual([text, pictures]);
});
