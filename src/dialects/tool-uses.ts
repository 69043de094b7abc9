/** How often an upstream's own paid tools were used in an answer, as each wire tells it; and whether a request may use any. */

import { isObject, type JsonObject, parseJson } from '../core/json.ts';
import type { ToolUses } from '../core/price-formula.ts';
import { countOf, objectOf, objectsOf, textOf } from './fields.ts';
import { parseFrame } from './frames.ts';

/** A mistake of an upstream's must not cost a fortune. */
const USES_MAX = 1000;

/** False for a request in which no tool of the upstream can run: then nothing is looked for. */
export function mayUseTools(body: JsonObject, model: string): boolean {
  if ('web_search_options' in body || 'search_parameters' in body) return true;
  return /search|sonar|research/i.test(model) || !objectsOf(body.tools).every(isCallers);
}

/** Tools that the caller runs himself; Anthropic's name no type, Google's are lists. */
function isCallers(tool: JsonObject): boolean {
  if (typeof tool.type === 'string') return tool.type === 'function' || tool.type === 'custom';
  return 'name' in tool || Object.keys(tool).every((name) => /^function_?declarations$/i.test(name));
}

/** Models that a tool of the request names: they are paid for, too. */
export const toolModels = (body: JsonObject): string[] =>
  objectsOf(body.tools).flatMap((tool) => textOf(tool.model) ?? []);

/** The uses that a whole answer, or what a stream has told so far, counts. */
export function toolUsesIn(answer: unknown): ToolUses {
  const body = objectOf(answer);
  if (!body) return {};
  // Streams of two wires have the answer, or its beginning, inside an event.
  const inner = objectOf(body.response) ?? objectOf(body.message) ?? body;
  const uses: Record<string, number> = {};
  const add = (tool: string, count: number) => {
    if (count > 0) uses[tool] = Math.min((uses[tool] ?? 0) + count, USES_MAX);
  };
  const usage = objectOf(body.usage) ?? objectOf(inner.usage);
  const served = objectOf(usage?.server_tool_use);
  add('web_search', countOf(served?.web_search_requests) ?? countOf(usage?.num_search_queries) ?? 0);
  add('search_source', countOf(usage?.num_sources_used) ?? 0);
  for (const item of objectsOf(inner.output)) {
    const tool = ITEMS[textOf(item.type) ?? ''];
    if (tool) add(tool(item), 1);
  }
  for (const candidate of objectsOf(body.candidates)) add('google_search', groundings(candidate));
  // OpenAI's search models count nothing: an answer that leans on pages has searched once.
  if (!('web_search' in uses) && objectsOf(body.choices).some(leansOnPages)) add('web_search', 1);
  return uses;
}

const ITEMS: Readonly<Record<string, (item: JsonObject) => string>> = {
  web_search_call: () => 'web_search',
  file_search_call: () => 'file_search',
  code_interpreter_call: () => 'code_interpreter',
  image_generation_call: ({ quality }) =>
    quality === 'low' || quality === 'medium' ? `image_generation_${quality}` : 'image_generation_high',
};

function groundings({ groundingMetadata }: JsonObject): number {
  const metadata = objectOf(groundingMetadata);
  const queries = Array.isArray(metadata?.webSearchQueries) ? metadata.webSearchQueries.length : 0;
  return queries || (objectsOf(metadata?.groundingChunks).length > 0 ? 1 : 0);
}

const leansOnPages = (choice: JsonObject): boolean => {
  const said = objectOf(choice.message) ?? objectOf(choice.delta);
  return objectsOf(said?.annotations).some(({ type }) => type === 'url_citation');
};

/** Words of the frames that tell of uses. */
const TOLD = [
  'server_tool_use',
  'num_search_queries',
  'num_sources_used',
  'groundingMetadata',
  'url_citation',
  'response.completed',
  'response.incomplete',
].map((word) => Buffer.from(word));

/** Looks at the frames of one stream. Counts are of all that came so far, so that the highest holds. */
export class ToolCounter {
  readonly #uses: Record<string, number> = {};

  look(bytes: Uint8Array): void {
    const frame = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    if (!TOLD.some((word) => frame.includes(word))) return;
    const body = parseJson(parseFrame(bytes)?.data ?? '');
    if (!isObject(body)) return;
    for (const [tool, count] of Object.entries(toolUsesIn(body))) {
      this.#uses[tool] = Math.max(this.#uses[tool] ?? 0, count);
    }
  }

  get uses(): ToolUses {
    return this.#uses;
  }
}
