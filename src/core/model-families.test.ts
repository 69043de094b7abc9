import { expect, it } from 'bun:test';
import { bareName, isGemini, isOpenAiReasoner, isOpenAis } from './model-families.ts';

it.each([
  ['o3-mini', true, true, false],
  ['openai/gpt-5.1', true, true, false],
  ['gpt-4o', false, true, false],
  ['chatgpt-4o-latest', false, true, false],
  ['whisper-1', false, true, false],
  ['google/gemini-2.5-pro', false, false, true],
  ['omni-moderation-latest', false, false, false],
  ['claude-sonnet-4-5', false, false, false],
])('%s belongs to its family', (model, reasons, openAis, gemini) => {
  const name = bareName(model);
  expect([isOpenAiReasoner(name), isOpenAis(name), isGemini(name)]).toEqual([reasons, openAis, gemini]);
});
