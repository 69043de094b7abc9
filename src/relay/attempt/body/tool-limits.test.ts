import { expect, it } from 'bun:test';
import type { JsonObject } from '../../../core/json.ts';
import { believedUses, dearestUses } from '../../../core/paid-tools.ts';
import type { ToolUses } from '../../../core/price-formula.ts';
import { readsBilled } from '../../../core/tool-reading.ts';
import type { SpokenDialect } from '../../../dialects/dialect.ts';
import { gemini } from '../../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../../dialects/openai-responses/dialect.ts';
import { toolsIn } from './tool-limits.ts';

type Place = Parameters<typeof toolsIn>[1];

const toolsOf = (
  body: JsonObject,
  place: Omit<Place, 'drawnFrom' | 'vendor'>,
  vendor: Place['vendor'] = 'unknown',
) => toolsIn(body, { ...place, drawnFrom: undefined, vendor });

const SEARCH: JsonObject = { tools: [{ type: 'web_search' }] };
const BEFORE: JsonObject = { tools: [{ type: 'web_search_preview' }] };
const DEEP = { usual: 'deep_research' };

it.each<[requested: string, model: string, SpokenDialect, JsonObject, object]>([
  ['o3-deep-research', 'prod', openaiResponses, SEARCH, DEEP],
  ['house', 'o3-deep-research', openaiResponses, SEARCH, DEEP],
  ['o3-deep-research', 'prod', openaiChat, { web_search_options: {} }, DEEP],
  ['gpt-5-search-api', 'prod', openaiChat, {}, { as: ['web_search'], always: 1 }],
  ['groq/compound', 'compound-mini', openaiChat, {}, { most: 10 }],
  // Which of two prices it has is the upstream's to say.
  ['house', 'o3', openaiResponses, BEFORE, { as: ['web_search'] }],
  ['o3', 'gpt-4o', openaiResponses, BEFORE, { as: ['web_search_preview'] }],
])('the tools of what is called %s and goes up as %s are those of the dearer', (...given) => {
  const [requested, model, dialect, body, tool] = given;
  expect(toolsOf(body, { dialect, requested, model }).tools).toMatchObject([tool]);
});

const prices = { web_search: 10n, web_search_preview: 25n, web_search_pro: 22n, web_search_high: 14n };

it.each<[requested: string, model: string, held: ToolUses, charged: ToolUses]>([
  ['gpt-4o-search-preview', 'gpt-4o', { web_search_preview: 1 }, {}],
  ['sonarqube-helper', 'deepseek-chat', { web_search: 1 }, {}],
  ['research-sonar', 'claude-sonnet-4-5', { web_search: 3 }, {}],
  ['quick:online', 'google/gemini-2.5-flash', { web_search: 1 }, {}],
  ['sonar-pro-search', 'sonar-pro', { web_search_pro: 1 }, { web_search: 1 }],
  // A deployment's own name tells nothing.
  ['gpt-4o-search-preview', 'prod', { web_search_preview: 1 }, { web_search_preview: 1 }],
  ['house', 'gpt-4o-search-preview', { web_search_preview: 1 }, { web_search_preview: 1 }],
  ['house', 'perplexity/sonar', { web_search: 1 }, { web_search: 1 }],
])(
  'what is called %s and goes up as %s holds the dearer, and is charged untold what it surely did',
  (...given) => {
    const [requested, model, held, charged] = given;
    const paid = toolsOf({}, { dialect: openaiChat, requested, model });
    expect(dearestUses(paid, prices, { web_search: 1, deep_research: 3 })).toEqual(held);
    expect(believedUses({}, paid, prices, {}).uses).toEqual(charged);
    // What is told is charged by either name.
    expect(Object.values(believedUses({ web_search: 1 }, paid, prices, {}).uses)).toEqual([1]);
  },
);

it.each<[vendor: Place['vendor'], model: string, SpokenDialect, JsonObject, charged: ToolUses]>([
  // A gateway may keep quiet what a Claude has searched; a vendor tells it.
  [null, 'claude-opus-4-6', openaiChat, { web_search_options: {} }, { web_search: 1 }],
  ['another', 'claude-opus-4-6', openaiChat, { web_search_options: {} }, {}],
  ['unknown', 'claude-opus-4-6', openaiChat, { web_search_options: {} }, {}],
  // Perplexity's own Responses search where they are asked to.
  [null, 'sonar', openaiResponses, {}, { web_search: 1 }],
  ['unknown', 'sonar', openaiResponses, {}, { web_search: 1 }],
  ['perplexity', 'sonar', openaiResponses, {}, {}],
])('untold at %p of %s is charged what is known of who is asked', (vendor, model, dialect, body, charged) => {
  const paid = toolsOf(body, { dialect, requested: model, model }, vendor);
  expect(believedUses({}, paid, prices, {}).uses).toEqual(charged);
});

it.each<[vendor: Place['vendor'], billed: number]>([
  ['google', 0],
  // Whoever sells a Gemini on bills what was found.
  [null, 1],
  ['another', 1],
  ['unknown', 1],
])('what Google finds is billed to nobody at its own address: %p', (vendor, billed) => {
  const model = 'gemini-3-flash-preview';
  const body: JsonObject = { tools: [{ googleSearch: {} }] };
  const paid = toolsOf(body, { dialect: gemini, requested: model, model }, vendor);
  expect(readsBilled(paid)).toHaveLength(billed);
  expect(paid.reads).toHaveLength(1);
});
