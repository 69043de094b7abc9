import { describe, expect, it } from 'bun:test';
import type { JsonObject } from '../core/json.ts';
import { openaiChat } from '../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../dialects/openai-responses/dialect.ts';
import { findProvider, providers } from './registry.ts';

const OPENAI = 1;
const AZURE = 3;
/** Every type that serves chats by both of OpenAI's calls. */
const both = providers.filter(
  ({ speaks: { chat = [] } }) => chat.includes(openaiChat) && chat.includes(openaiResponses),
);

const spoken = (type: number, model: string, body: JsonObject = {}, baseUrl = 'https://a.example') =>
  findProvider(type)?.dialectsOf?.({ operation: 'chat', model, key: 'k', baseUrl, body })[0]?.id;

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
const THOUGHTS: JsonObject[] = [
  { reasoning_effort: 'low' },
  { thinking: { type: 'enabled', budget_tokens: 2_000 } },
  { output_config: { effort: 'high' } },
  { generationConfig: { thinkingConfig: { thinkingLevel: 'HIGH' } } },
];

describe('models that think and call tools by Responses alone', () => {
  const places = [
    [OPENAI, 'https://api.openai.com'],
    [OPENAI, 'https://eu.api.openai.com/'],
    [AZURE, 'https://mine.openai.azure.com'],
  ] as const;

  it.each(THINKERS)('%s is asked so for a call with tools', (model) => {
    const bodies: JsonObject[] = [
      TOOLS,
      { functions: [{ name: 'f' }] },
      { ...TOOLS, reasoning_effort: 'low' },
      { ...TOOLS, reasoning_effort: null },
      { tools: [{ name: 'f', input_schema: {} }], thinking: { type: 'disabled' } },
    ];
    for (const [type, at] of places) {
      for (const body of bodies) expect(spoken(type, model, body, at)).toBe('openai-responses');
    }
  });

  it.each<[string, JsonObject]>([
    ...THINKERS.flatMap((model): [string, JsonObject][] => [
      [model, {}],
      [model, { tools: [] }],
      [model, { ...TOOLS, reasoning_effort: 'none' }],
    ]),
    ...THOUGHTS.map((wish): [string, JsonObject] => ['gpt-5', { ...TOOLS, ...wish }]),
    ['gpt-5.4', TOOLS],
    ['gpt-5.4-mini', { ...TOOLS, reasoning_effort: 'none' }],
    ['gpt-5.4-mini', { reasoning_effort: 'high' }],
    ['gpt-5.5-chat-latest', TOOLS],
    ['my-gpt-6-sol', TOOLS],
  ])('%s is not for %j', (model, body) => {
    for (const [type, at] of places) expect(spoken(type, model, body, at)).toBe('openai-chat');
  });

  it.each(['gpt-5.2', 'openai/gpt-5.4-nano'])('%s is asked so where thoughts are asked for', (model) => {
    for (const [type, at] of places) {
      for (const wish of THOUGHTS) {
        expect(spoken(type, model, { ...TOOLS, ...wish }, at)).toBe('openai-responses');
      }
    }
  });

  it('nor any at an address that nobody knows', () => {
    for (const model of THINKERS) expect(spoken(OPENAI, model, TOOLS)).toBe('openai-chat');
  });
});

it('are Azure and OpenAI among others', () => {
  expect(both.map(({ type }) => type)).toEqual(expect.arrayContaining([OPENAI, AZURE]));
});
