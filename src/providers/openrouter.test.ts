import { expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { findProvider, hostToolsAt, keepsAnswersAt, unaskedAt } from './registry.ts';

const [openrouter, claude] = [20, 14].map(findProvider);

it.each([
  [openrouter, 'https://openrouter.ai/api', true],
  [openrouter, 'https://proxy.example', true],
  [claude, 'https://openrouter.ai/api', true],
  [claude, 'https://eu.openrouter.ai:443/api', true],
  [claude, 'https://gateway.ai.cloudflare.com/v1/a/b/openrouter', true],
  [claude, 'https://api.anthropic.com', false],
  [claude, 'https://notopenrouter.ai', false],
  [claude, 'https://openrouter.ai.example', false],
])('what OpenRouter does is known wherever it is reached: %# %s', (provider, baseUrl, is) => {
  expect(provider && unaskedAt(provider, baseUrl)).toBe(is ? openrouter?.unasked : undefined);
  expect(provider && keepsAnswersAt(provider, baseUrl) !== undefined).toBe(is);
});

it.each([
  ['deepseek/deepseek-chat-v3.1', 'cloudflare-ai'],
  ['openrouter/auto', 'cloudflare-ai'],
  ['openai/gpt-oss-120b', 'cloudflare-ai'],
  ['openai/gpt-4-1106-preview', 'cloudflare-ai'],
  ['openai/gpt-4o-audio-preview', 'cloudflare-ai'],
  ['google/gemini-2.5-flash-image', 'cloudflare-ai'],
  ['google/gemma-3-27b-it', 'cloudflare-ai'],
  ['anthropic/claude-3-haiku', 'cloudflare-ai'],
  ['anthropic/claude-sonnet-4.5', 'native'],
  ['anthropic/claude-3.7-sonnet:thinking', 'native'],
  ['google/gemini-2.5-pro', 'native'],
  ['openai/gpt-4.1-mini', 'native'],
  ['openai/gpt-5', 'native'],
  ['openai/o4-mini', 'native'],
])('files are read by %s itself, or for nothing before it: %s', (model, engine) => {
  const decline = (body: JsonObject) => openrouter?.unasked?.decline(body, model).plugins;
  const ours = { id: 'file-parser', pdf: { engine } };
  expect(decline({})).toEqual([ours]);
  expect(decline({ plugins: [{ id: 'web' }] })).toEqual([{ id: 'web' }, ours]);
  const asked = [{ id: 'file-parser', pdf: { engine: 'mistral-ocr' } }];
  expect(decline({ plugins: asked })).toEqual(asked);
});

it.each<[tool: JsonObject, runs: boolean]>([
  [{ type: 'shell' }, true],
  [{ type: 'shell', environment: { type: 'container_auto' } }, true],
  // Its guide: no shell runs at a caller's.
  [{ type: 'shell', environment: { type: 'local' } }, true],
  [{ type: 'bash_20250124' }, false],
  [{ type: 'bash_20250124', engine: 'openrouter' }, true],
  [{ type: 'bash_20250124', parameters: { engine: 'openrouter' } }, true],
  [{ type: 'function', name: 'tow', parameters: { engine: { type: 'string' } } }, false],
])('what OpenRouter runs is told from what its callers do: %j', (tool, runs) => {
  expect(openrouter && hostToolsAt(openrouter, 'https://openrouter.ai/api')?.runs(tool)).toBe(runs);
});
