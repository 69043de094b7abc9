import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import type { Effort } from '../core/openai-thinkers.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../dialects/openai-responses/dialect.ts';
import { findProvider, providers } from './registry.ts';

const OPENAI = 1;
const AZURE = 3;
/** Every type that serves chats by both of OpenAI's calls. */
const both = providers.filter(
  ({ speaks: { chat = [] } }) => chat.includes(openaiChat) && chat.includes(openaiResponses),
);

interface Said {
  body?: JsonObject;
  effort?: Effort | undefined;
  baseUrl?: string;
}

const spoken = (
  type: number,
  model: string,
  { body = {}, effort, baseUrl = 'https://a.example' }: Said = {},
) => findProvider(type)?.dialectsOf?.({ operation: 'chat', model, key: 'k', baseUrl, effort, body })[0]?.id;

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
    'gpt-6-sol-pro',
    'gpt-5.6-terra-codex',
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
    'gpt-6-sol-production',
    'my-codex',
  ])('is asked for %s by Chat Completions', (model) => {
    expect(spoken(type, model)).toBe('openai-chat');
  });
});

const TOOLS = { tools: [{ type: 'function', function: { name: 'f' } }] };
const THINKERS = [
  'gpt-5.5',
  'gpt-5.6-terra',
  'gpt-6-sol',
  'gpt-6-astra',
  'openai/gpt-6.1-sol',
  'gpt-6.1-terra',
  'gpt-6.2-sol',
  'gpt-10',
];
describe('models that think and call tools by Responses alone', () => {
  const places = [
    [OPENAI, 'https://api.openai.com'],
    [OPENAI, 'https://eu.api.openai.com/'],
    [AZURE, 'https://mine.openai.azure.com'],
    [AZURE, 'https://mine.cognitiveservices.azure.com'],
    [AZURE, 'https://mine.services.ai.azure.com'],
    [AZURE, 'https://mine.openai.azure.cn'],
  ] as const;

  it.each<[string, (Effort | undefined)[]]>([
    ...THINKERS.map((model): [string, (Effort | undefined)[]] => [model, [undefined, 'low', 'max']]),
    ['gpt-6.1-sol', ['none']],
    ['gpt-6.2-astra', ['none']],
    ['gpt-7', ['none']],
    ['gpt-5.2', ['low', 'high']],
    ['openai/gpt-5.4-nano', ['minimal', 'low']],
  ])('%s is asked so for a call with tools at %j', (model, efforts) => {
    const bodies: JsonObject[] = [
      TOOLS,
      { functions: [{ name: 'f' }] },
      { tools: [{ name: 'f', input_schema: {} }] },
    ];
    for (const [type, baseUrl] of places) {
      for (const effort of efforts) {
        for (const body of bodies) {
          expect(spoken(type, model, { body, effort, baseUrl })).toBe('openai-responses');
        }
      }
    }
  });

  it.each<[string, Said]>([
    ...THINKERS.flatMap((model): [string, Said][] => [
      [model, {}],
      [model, { body: { tools: [] }, effort: 'high' }],
    ]),
    ['gpt-5.5', { body: TOOLS, effort: 'none' }],
    ['gpt-6-sol', { body: TOOLS, effort: 'none' }],
    ['gpt-5', { body: TOOLS, effort: 'high' }],
    ['gpt-5.1', { body: TOOLS, effort: 'high' }],
    ['gpt-5.4', { body: TOOLS }],
    ['gpt-5.4-mini', { body: TOOLS, effort: 'none' }],
    ['gpt-5.4-mini', { effort: 'high' }],
    ['gpt-35-turbo', { body: TOOLS }],
    ['gpt-5.5-chat-latest', { body: TOOLS }],
    ['my-gpt-6-sol', { body: TOOLS }],
  ])('%s is not for %j', (model, said) => {
    for (const [type, baseUrl] of places)
      expect(spoken(type, model, { ...said, baseUrl })).toBe('openai-chat');
  });

  it.each([OPENAI, AZURE])('nor any of type %p at an address that nobody knows', (type) => {
    for (const model of THINKERS) expect(spoken(type, model, { body: TOOLS })).toBe('openai-chat');
  });
});

describe('models that search', () => {
  const SEARCHES: JsonObject[] = [
    { web_search_options: {} },
    { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }] },
    { tools: [{ googleSearch: {} }] },
    { tools: { google_search: {} } },
    { tools: [{ googleSearchRetrieval: {} }, { functionDeclarations: [{ name: 'f' }] }] },
  ];
  const MODELS = ['gpt-4o', 'gpt-4.1', 'openai/gpt-5-mini', 'gpt-5.4', 'gpt-5.5', 'gpt-6-sol', 'my-gpt'];
  const places = [
    [OPENAI, 'https://api.openai.com'],
    [AZURE, 'https://mine.openai.azure.com'],
  ] as const;

  it.each(SEARCHES)('are asked so by Responses for %j', (body) => {
    for (const [type, baseUrl] of places) {
      for (const model of MODELS) {
        const said = { body, effort: 'none' as const, baseUrl };
        expect(spoken(type, model, said)).toBe('openai-responses');
        expect(spoken(type, model, { body })).toBe('openai-chat');
      }
    }
  });

  it.each(['gpt-4o-search-preview', 'gpt-4o-mini-search-preview-2025-03-11', 'gpt-5-search-api'])(
    'but %s, which does nothing else, by Chat Completions',
    (model) => {
      for (const body of SEARCHES)
        expect(spoken(OPENAI, model, { body, baseUrl: 'https://api.openai.com' })).toBe('openai-chat');
    },
  );

  it.each<JsonObject>([
    { web_search_options: null },
    { tools: [{ googleSearch: null }] },
    // Chat refuses it by that name, and by Responses it would be lost.
    { tools: [{ type: 'web_search' }] },
    { tools: [{ name: 'web_search', input_schema: {} }] },
    { tools: [{ type: 'function', function: { name: 'web_search' } }] },
  ])('and none is for %j', (body) => {
    for (const [type, baseUrl] of places)
      expect(spoken(type, 'gpt-4.1', { body, baseUrl })).toBe('openai-chat');
  });
});

it('are Azure and OpenAI among others', () => {
  expect(both.map(({ type }) => type)).toEqual(expect.arrayContaining([OPENAI, AZURE]));
});
