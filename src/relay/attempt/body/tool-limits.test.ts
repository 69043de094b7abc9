import { expect, it } from 'bun:test';
import type { JsonObject } from '../../../core/json.ts';
import type { SpokenDialect } from '../../../dialects/dialect.ts';
import { openaiChat } from '../../../dialects/openai-chat/dialect.ts';
import { openaiResponses } from '../../../dialects/openai-responses/dialect.ts';
import { toolsIn } from './tool-limits.ts';

const SEARCH: JsonObject = { tools: [{ type: 'web_search' }] };
const BEFORE: JsonObject = { tools: [{ type: 'web_search_preview' }] };
const DEEP = { usual: 'deep_research' };

it.each<[requested: string, model: string, SpokenDialect, JsonObject, object]>([
  ['o3-deep-research', 'prod', openaiResponses, SEARCH, DEEP],
  ['house', 'o3-deep-research', openaiResponses, SEARCH, DEEP],
  ['o3-deep-research', 'prod', openaiChat, { web_search_options: {} }, DEEP],
  ['gpt-5-search-api', 'prod', openaiChat, {}, { as: ['web_search'], always: true }],
  ['groq/compound', 'compound-mini', openaiChat, {}, { most: 10 }],
  // Which of two prices it has is the upstream's to say.
  ['house', 'o3', openaiResponses, BEFORE, { as: ['web_search'] }],
  ['o3', 'gpt-4o', openaiResponses, BEFORE, { as: ['web_search_preview'] }],
])('the tools of what is called %s and goes up as %s are those of the dearer', (...given) => {
  const [requested, model, dialect, body, tool] = given;
  expect(toolsIn(body, { dialect, requested, model, drawnFrom: undefined }).tools).toMatchObject([tool]);
});
