import { expect, it } from 'bun:test';
import {
  bareName,
  isClaude,
  isClosedGpt,
  isGemini,
  isMakers,
  isOpenAiReasoner,
  isOpenAis,
  isOpenAiThinker,
  namesClaude,
  namesGemini,
  plainName,
} from './model-families.ts';

it.each([
  ['o3-mini', true, true, false],
  ['openai/gpt-5.1', true, true, false],
  ['gpt-6-mini', true, true, false],
  ['gpt-12', true, true, false],
  ['gpt-35-turbo', false, true, false],
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

it('a name is its maker’s, or one that an operator gave a deployment', () => {
  const makers = [
    'openai/gpt-4o',
    'o3',
    'us.anthropic.claude-opus-4-1',
    'qwen3-max',
    'deepseek-chat',
    'mixtral-8x7b',
    'dola-seed-2-1-turbo-260628',
    'MiniMax-M3.1-Flash',
  ];
  expect(makers.filter((name) => !isMakers(plainName(name)))).toEqual([]);
  expect(['prod', 'house', 'ep-20250101', 'my-sonar', 'search-gpt'].filter(isMakers)).toEqual([]);
});

it('those that are named for chats do not think', () => {
  const names = ['gpt-5', 'gpt-5-chat-latest', 'o3', 'gpt-4o'];
  expect(names.map(isOpenAiThinker)).toEqual([true, false, true, false]);
});

it.each([
  ['gpt-4o', true, false, false],
  ['openai/gpt-oss-120b', false, false, false],
  ['us.anthropic.claude-opus-4-1', false, true, true],
  ['Qwen3-8B-Claude-Distill', false, false, true],
])('%s is drawn as narrow as it is asked for', (model, closed, claude, named) => {
  const name = plainName(model);
  expect([isClosedGpt(name), isClaude(name), namesClaude(model)]).toEqual([closed, claude, named]);
});

it('Gemini goes by more names than its own', () => {
  const names = ['google/gemini-2.5-pro', 'vertex_ai/Gemini-3-pro', 'my-gemini', 'gemma-3'];
  expect(names.map(namesGemini)).toEqual([true, true, true, false]);
});
