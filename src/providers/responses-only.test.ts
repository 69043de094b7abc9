import { describe, expect, it } from 'bun:test';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../dialects/openai-responses/dialect.ts';
import { findProvider, providers } from './registry.ts';

const OPENAI = 1;
const AZURE = 3;
/** Every type that serves chats by both of OpenAI's calls. */
const both = providers.filter(
  ({ speaks: { chat = [] } }) => chat.includes(openaiChat) && chat.includes(openaiResponses),
);

const spoken = (type: number, model: string) =>
  findProvider(type)?.dialectsOf?.({ operation: 'chat', model, key: 'k' })[0]?.id;

describe.each(both.map(({ type, label }) => [label, type] as const))('%s', (_label, type) => {
  it.each([
    'o1-pro',
    'o1-pro-2025-03-19',
    'o3-pro',
    'codex-mini-latest',
    'gpt-5-codex',
    'gpt-5.1-codex-max',
    'gpt-5-pro',
    'gpt-5.2-pro-2025-12-11',
    'o3-deep-research',
    'o4-mini-deep-research-2025-06-26',
    'computer-use-preview',
    'openai/o1-pro',
  ])('is asked for %s by Responses', (model) => {
    expect(spoken(type, model)).toBe('openai-responses');
  });

  it.each([
    'gpt-4o',
    'o1',
    'o3',
    'o3-mini',
    'o3-prod',
    'gpt-5',
    'gpt-5-mini',
    'gpt-5-production',
    'my-codex',
  ])('is asked for %s by Chat Completions', (model) => {
    expect(spoken(type, model)).toBe('openai-chat');
  });
});

it('are Azure and OpenAI among others', () => {
  expect(both.map(({ type }) => type)).toEqual(expect.arrayContaining([OPENAI, AZURE]));
});
