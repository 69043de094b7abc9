/** How often an upstream's own paid tools were used in an answer, as each wire tells it. */

import { bufferOf } from '../core/bytes.ts';
import { isObject, type Json, type JsonObject, parseJson } from '../core/json.ts';
import { limits } from '../core/limits.ts';
import { own } from '../core/own.ts';
import { mostOf } from '../core/paid-tools.ts';
import type { ToolUses } from '../core/price-formula.ts';
import { mostTokens, sizeOfJson, sizeOfText } from '../core/text-tokens.ts';
import { LISTS, type Shown } from '../core/tool-reading.ts';
import type { Usage } from '../core/usage.ts';
import type { VendorBill } from '../core/vendor-bill.ts';
import { toolsOf } from './all-tools.ts';
import { isAbsent } from './bounds.ts';
import { containerOfCall, type RanIn } from './containers.ts';
import { countOf, largestOf, objectOf, objectsOf, textOf } from './fields.ts';
import { parseFrame } from './frames.ts';
import { queriesIn, searchesIn } from './gemini/searches.ts';
import { promptParts } from './openai-chat/usage.ts';
import { readImageCounts } from './plain/usage.ts';
import { TOKENS_OF_MESSAGES, TOKENS_OF_RESPONSES } from './reading-tools.ts';
import { tells, wordsOf } from './tap-frames.ts';
import { CALL, CALLERS, DRAWS, holdsPicture, isCallers, modelsIn, RAN } from './tool-words.ts';

/** Models that a tool of the request names: they are paid for, too. */
export const toolModels = (body: JsonObject): string[] =>
  toolsOf(body).flatMap((tool) => {
    // Where others keep settings functions have their schema.
    const models = isCallers(tool) ? [tool.model] : modelsIn(tool).flat();
    return models.flatMap((model) => textOf(model) ?? []);
  });

/** The uses that a whole answer, or what a stream has told so far, counts, where they are billed like this. */
export function toolUsesIn(answer: unknown, bill: VendorBill): ToolUses {
  const body = objectOf(answer);
  if (!body) return {};
  // Streams of two wires have the answer, or its beginning, inside an event.
  const inner = objectOf(body.response) ?? objectOf(body.message) ?? body;
  const uses: Record<string, number> = {};
  const add = (tool: string, count: number) => {
    if (count > 0) uses[tool] = Math.min((own(uses, tool) ?? 0) + count, limits.toolUsesMax);
  };
  const usage = objectOf(body.usage) ?? objectOf(inner.usage);
  const { web_search: served, ...others } = servedIn(usage);
  const searches = largestOf([served, usage?.num_search_queries, searchesOf(usage), requestsIn(usage)]);
  // To tell that there was none is to tell a number, but where some are shown.
  if (searches === 0) uses.web_search = 0;
  add('web_search', searches || searchesShown(inner.content));
  for (const [tool, count] of Object.entries(others)) add(tool, count);
  add('search_source', countOf(usage?.num_sources_used) ?? 0);
  for (const [tool, count] of Object.entries(usesOf(objectsOf(inner.output), bill))) add(tool, count);
  Object.assign(uses, mostOf(uses, searchesBilled(inner)), countedIn(inner, bill, usage));
  if (bill.tellsSearches && searchesTold(inner) === 0) uses.web_search ??= 0;
  add('google_search', searchesIn(objectsOf(body.candidates), bill));
  /*
   * OpenAI's search models count nothing: an answer that leans on pages has searched once. Zhipu's pages, which stand beside
   * it, are of any number of searches: each is charged for being asked for.
   */
  const leans = objectsOf(body.choices).some(leansOnPages);
  const called = calledTools(body);
  const searched = called.filter(({ tool }) => tool === 'web_search').length;
  if (!('web_search' in uses)) add('web_search', searched || (leans ? 1 : 0));
  for (const { tool } of called) if (tool !== 'web_search') add(tool, 1);
  return uses;
}

/** The containers in which calls of a whole answer ran, each as often as it was. */
export function containersIn(answer: unknown): RanIn[] {
  const body = objectOf(answer);
  const inner = objectOf(body?.response) ?? body;
  return objectsOf(inner?.output).flatMap((item) => {
    const ran = containerOfCall(item);
    return ran?.id ? [{ ...ran, id: ran.id }] : [];
  });
}

/** Whether each use of it is a picture. */
export const isDrawing = (tool: string): boolean => tool.startsWith('image_generation');

/** Pictures that a tool has drawn. */
export const picturesDrawn = (uses: ToolUses): number =>
  Object.entries(uses).reduce((sum, [tool, count]) => (isDrawing(tool) ? sum + count : sum), 0);

/** What the pictures of an answer took of the model that drew them. */
export interface Drawing {
  usage: Usage;
  /** Where the answer names it. */
  model: string | undefined;
}

/** The tokens that OpenAI bills for what its tool has drawn, beside those of the model that had it draw. */
export function drawingIn(answer: unknown): Drawing | undefined {
  const body = objectOf(answer);
  const inner = objectOf(body?.response) ?? body;
  const usage = readImageCounts(objectOf(inner?.tool_usage)?.image_gen);
  if (!usage) return undefined;
  const tool = objectsOf(inner?.tools).find(({ type }) => type === 'image_generation');
  return { usage, model: textOf(tool?.model) };
}

/** Uses as Anthropic counts them, each tool in a field of its own; nothing where it did not. */
function servedIn(usage: unknown): ToolUses {
  const uses: Record<string, number> = {};
  for (const [field, value] of Object.entries(objectOf(objectOf(usage)?.server_tool_use) ?? {})) {
    const count = countOf(value);
    const tool = field.endsWith(SERVED) ? servedTool(field.slice(0, -SERVED.length)) : undefined;
    if (count !== undefined && tool !== undefined) uses[tool] = count;
  }
  return uses;
}

const SERVED = '_requests';

/** What costs tokens alone is no use that is paid for, whoever sells one by that name: searches run code unasked. */
const servedTool = (name: string | undefined): string | undefined =>
  name === undefined || TOKENS_OF_MESSAGES.has(name) ? undefined : name;

/**
 * Uses as OpenAI and xAI count them beside their items: xAI's also tell those that failed and cost nothing. Its price list
 * knows the search of documents as that of attachments. That there was none is believed where none is shown, and OpenAI's
 * number holds only where it is OpenAI that bills: anybody else bills what is shown, or more.
 */
function countedIn(answer: JsonObject, bill: VendorBill, usage = objectOf(answer.usage)): ToolUses {
  const uses: Record<string, number> = bill.tellsSearches ? { ...searchesBilled(answer) } : {};
  const details = objectOf(usage?.server_side_tool_usage_details);
  if (!details) return { ...uses, ...invokedIn(objectOf(usage?.tool_calls_details)) };
  for (const [field, tool] of COUNTED) {
    const count = countOf(details[field]);
    if (count !== undefined) uses[tool] = Math.min(count, limits.toolUsesMax);
  }
  return uses;
}

/** OpenAI tells what it bills beside the usage of the model. */
const searchesTold = ({ tool_usage: told }: JsonObject): number | null | undefined =>
  countOf(objectOf(objectOf(told)?.web_search)?.num_requests);

function searchesBilled(answer: JsonObject): ToolUses {
  const searches = searchesTold(answer);
  return searches ? { web_search: Math.min(searches, limits.toolUsesMax) } : {};
}

const COUNTED: readonly (readonly [field: string, tool: string])[] = [
  ['web_search_calls', 'web_search'],
  ['x_search_calls', 'x_search'],
  ['code_interpreter_calls', 'code_interpreter'],
  ['file_search_calls', 'file_search'],
  ['document_search_calls', 'attachment_search'],
];

/** Uses as Perplexity's Responses count them: each tool by its name, and how often it was called. */
function invokedIn(details: JsonObject | undefined): ToolUses {
  const uses: Record<string, number> = {};
  for (const [name, said] of Object.entries(details ?? {})) {
    const tool = own(INVOKED, name) ?? name;
    const count = countOf(objectOf(said)?.invocation ?? said);
    if (count !== undefined) uses[tool] = Math.min((own(uses, tool) ?? 0) + count, limits.toolUsesMax);
  }
  return uses;
}

/** Those that go by other names there than in a request. */
const INVOKED: Readonly<Record<string, string>> = {
  search_web: 'web_search',
  fetch_url_content: 'fetch_url',
  search_people: 'people_search',
  search_finance: 'finance_search',
};

/** A use of a tool. */
interface Use {
  tool: string;
  /** The container of which it is one of many uses, which are paid for together; and whether it has come to its end. */
  container?: string;
  isDone?: boolean;
  doneSec?: number | undefined;
  /** What it found, or drew, was shown, so that it has not failed. */
  isShown?: true;
}

/** The use that an item of Responses is, or a block of Messages. */
function usedIn(item: JsonObject, bill: VendorBill): Use | undefined {
  const ran = containerOfCall(item);
  if (ran) return { tool: ran.tool, container: ran.id, isDone: ran.isDone };
  const type = textOf(item.type) ?? '';
  if (type === DRAWS) return holdsPicture(item) ? { tool: drawingOf(item), isShown: true } : undefined;
  const known = own(ITEMS, type);
  const tool = known ? known(item, bill) : otherTool(type);
  return tool === undefined ? undefined : { tool };
}

const drawingOf = ({ quality }: JsonObject): string =>
  quality === 'low' || quality === 'medium' ? `image_generation_${quality}` : 'image_generation_high';

/** What has no price here is told by the name that a request has for it, under which an operator may give it one. */
function otherTool(type: string): string | undefined {
  if (!type.endsWith(CALL) || CALLERS.includes(type)) return undefined;
  const name = type.slice(0, -CALL.length);
  return TOKENS_OF_RESPONSES.has(name) ? undefined : name;
}

/** Uses by tool: each container once. */
function counted(uses: Iterable<Use>): Record<string, number> {
  const counts: Record<string, number> = {};
  const containers = new Set<string>();
  for (const { tool, container } of uses) {
    if (container && containers.has(container)) continue;
    if (container) containers.add(container);
    counts[tool] = (own(counts, tool) ?? 0) + 1;
  }
  return counts;
}

const usesOf = (items: readonly JsonObject[], bill: VendorBill) =>
  counted(items.flatMap((item) => usedIn(item, bill) ?? []));

const ITEMS: Readonly<Record<string, (item: JsonObject, bill: VendorBill) => string | undefined>> = {
  // Perplexity's, which show what was found in place of the call.
  search_results: () => 'web_search',
  fetch_url_results: () => 'fetch_url',
  people_search_results: () => 'people_search',
  finance_results: () => 'finance_search',
  finance_search_results: () => 'finance_search',
  server_tool_use: ({ name }) => servedTool(textOf(name)),
  // One of the caller's own machine: containers are told above.
  shell_call: () => undefined,
  web_search_call: ({ action }, { freePages }) => (!freePages || isSearch(action) ? 'web_search' : undefined),
  x_search_call: () => 'x_search',
  custom_tool_call: (item) => (isStepAtX(item) ? 'x_search' : undefined),
  file_search_call: () => 'file_search',
};

/** What xAI's search of X does in single steps, it tells as a custom tool. */
export const isStepAtX = ({ type, name }: JsonObject): boolean =>
  type === 'custom_tool_call' && /^x_[a-z]+_(search|fetch)$/.test(textOf(name) ?? '');

/**
 * Pages that are opened or looked into are told as searches are, and OpenAI bills the action of searching alone (its guide to
 * the tool). An item begins without one.
 */
const isSearch = (action: Json | undefined): boolean => {
  const type = textOf(objectOf(action)?.type);
  return type === undefined || type === 'search';
};

/**
 * The search of which a block of Messages shows what it found, by its id or by its place: LiteLLM shows that of each that it
 * has made itself, and counts none. What failed has no list.
 */
function searchShown(block: JsonObject, place: string): string | undefined {
  if (block.type !== 'web_search_tool_result' || !Array.isArray(block.content)) return undefined;
  return textOf(block.tool_use_id) || place;
}

function searchesShown(content: unknown): number {
  const shown = objectsOf(content).flatMap((block, at) => searchShown(block, String(at)) ?? []);
  return new Set(shown).size;
}

const leansOnPages = (choice: JsonObject): boolean => {
  const said = objectOf(choice.message) ?? objectOf(choice.delta);
  return objectsOf(said?.annotations).some(({ type }) => type === 'url_citation');
};

/** DashScope counts its searches among its plug-ins. */
const searchesOf = (usage: JsonObject | undefined): number | undefined =>
  countOf(objectOf(objectOf(usage?.plugins)?.search)?.count);

/** LiteLLM counts the searches of Google's, and of others, among what it tells of the prompt; Anthropic's stand apart. */
const requestsIn = (usage: JsonObject | undefined): number | undefined =>
  usage && largestOf([promptParts(usage).get('web_search_requests'), usage.web_search_requests]);

/**
 * Moonshot's search is a call that its model makes, and is billed when it does (its guide to `$web_search`); Groq tells
 * which tools it has run. Each is told by its place, which all frames of a stream have for it.
 */
const calledTools = (body: JsonObject): { place: string; tool: string }[] =>
  objectsOf(body.choices).flatMap((choice, at) => {
    const said = objectOf(choice.message) ?? objectOf(choice.delta);
    const called = objectsOf(said?.tool_calls).flatMap((call) =>
      objectOf(call.function)?.name === '$web_search' ? { call, tool: 'web_search' } : [],
    );
    const run = objectsOf(said?.executed_tools).flatMap((call) => {
      const tool = own(RAN, textOf(call.type) ?? '');
      return tool === undefined ? [] : { call, tool };
    });
    return [...called, ...run].map(({ call, tool }, n) => ({
      tool,
      place: `${countOf(choice.index) ?? at}.${countOf(call.index) ?? textOf(call.id) ?? n}`,
    }));
  });

const RESULT = /_tool_result$/;
/** What a program of the model's told that ran at OpenAI. */
const PROGRAM_RAN = 'program_output';

/** Whether an item of Responses or a block of Messages is a call of a tool that runs at the vendor. */
function runsThere(item: JsonObject, bill: VendorBill): boolean {
  const type = textOf(item.type) ?? '';
  if (type === 'server_tool_use' || type === 'mcp_tool_use') return true;
  if (type === 'shell_call') return containerOfCall(item) !== undefined;
  return type.endsWith(CALL) && (!CALLERS.includes(type) || usedIn(item, bill) !== undefined);
}

/** Words of the frames that tell of uses, by what stands within them: most frames have none of that, and are many. */
const WITHIN = {
  tool: [
    'mcp_tool_use',
    '_tool_result',
    'server_tool_use',
    'server_side_tool_usage_details',
    'executed_tools',
  ],
  search: ['num_search_queries', 'web_search_requests', '$web_search'],
  complete: ['response.completed', 'response.incomplete'],
} satisfies { [Part in 'tool' | 'search' | 'complete']: `${string}${Part}${string}`[] };
const TOLD = Object.entries(WITHIN).map(([part, words]) => ({
  part: Buffer.from(part),
  words: wordsOf(...words),
}));
const TOLD_BY_ONE = wordsOf(
  'num_sources_used',
  'groundingMetadata',
  '"toolCall"',
  'url_citation',
  '"plugins"',
  'response.output_item.',
  'partial_image_b64',
);

const tellsUses = (frame: Buffer): boolean =>
  TOLD.some(({ part, words }) => frame.includes(part) && tells(frame, words)) || tells(frame, TOLD_BY_ONE);

const REALTIME = /"type"\s*:\s*"response\.(output_item\.(added|done)|done)"/;

/** An item of a stream begins without its picture, and may have one yet where its answer is ended before it is told. */
const drawnYet = (item: JsonObject): Use | undefined =>
  item.type === DRAWS && !OVER.has(item.status) ? { tool: drawingOf(item) } : undefined;
const OVER: ReadonlySet<unknown> = new Set(['completed', 'failed']);

/** With these an answer has ended well, or for its length. */
const ENDS: ReadonlySet<unknown> = new Set(WITHIN.complete);

/** Looks at the frames of one stream. A use counts as soon as it begins. */
export class ToolCounter implements Shown {
  /** What frames counted, of all that came so far: the highest holds. */
  #told: ToolUses = {};
  /** Uses that were seen to begin, by their ids. */
  readonly #begun = new Map<string, Use>();
  /** What Google has searched for so far. */
  readonly #queries = new Set<string>();
  /** The wire has counted in the end what it charges: a search that failed costs nothing. */
  #counted: ToolUses = {};

  /** Tokens that each call of a tool at the vendor was seen to bring into the prompt, at the most; by their ids. */
  readonly #found = new Map<string, number>();
  /** Of each server that has listed its tools. */
  readonly #listed = new Map<string, number>();

  /** As the end of the answer tells it. */
  drawing: Drawing | undefined;

  /** How many frames told of uses. */
  looks = 0;

  /** `bill`: as these are billed. */
  constructor(readonly bill: VendorBill) {}

  /** True when there may be more uses than before. `cameSec`: when the frame came; absent where nobody knows. */
  look(bytes: Uint8Array, cameSec?: number): boolean {
    if (!tellsUses(bufferOf(bytes))) return false;
    const body = parseJson(parseFrame(bytes)?.data ?? '');
    if (!isObject(body)) return false;
    this.looks++;
    this.#begin(body as JsonObject, cameSec);
    const told = toolUsesIn(body, this.bill);
    if (body.type === 'message_delta') this.#counted = servedIn((body as JsonObject).usage);
    const ended = objectOf((body as JsonObject).response);
    if (ended) this.#counted = countedIn(ended, this.bill);
    if (ENDS.has(body.type)) this.endDrawing();
    this.#told = mostOf(mostOf(this.#told, told), this.#searched(body as JsonObject));
    this.drawing = drawingIn(body) ?? this.drawing;
    return true;
  }

  /** An event of a Realtime session, whose answers count nothing but say each item. */
  hear(text: string): boolean {
    const event = REALTIME.test(text) ? objectOf(parseJson(text)) : undefined;
    if (!event) return false;
    this.looks++;
    this.#begin(event);
    const ended = objectOf(event.response);
    for (const [at, item] of objectsOf(ended?.output).entries()) this.#begin({ item, output_index: at });
    if (ended) {
      this.#told = mostOf(this.#told, searchesBilled(ended));
      this.#counted = countedIn(ended, this.bill);
      // What its caller has ended may have been drawn.
      if (ended.status !== 'cancelled') this.endDrawing();
    }
    return true;
  }

  /** No picture comes any more, as the upstream has said: those that never came are none. */
  endDrawing(): void {
    for (const [id, { tool, isShown }] of this.#begun) {
      if (isDrawing(tool) && !isShown) this.#begun.delete(id);
    }
  }

  #begin(event: JsonObject, cameSec?: number): void {
    const item = objectOf(event.item) ?? objectOf(event.content_block) ?? {};
    const use = usedIn(item, this.bill) ?? drawnYet(item);
    const place = String(event.output_index ?? event.index);
    const id = textOf(item.id) ?? place;
    if (use) this.#note(id, use.isDone ? { ...use, doneSec: cameSec } : use);
    // It began as what may be a search, and is a page; or as what may be a picture, and has failed.
    else if (item.type === 'web_search_call' || item.type === DRAWS) this.#letGo(id);
    if ('partial_image_b64' in event) this.#showPartial(textOf(event.item_id) ?? place, event);
    const shown = searchShown(item, place);
    if (shown !== undefined) this.#note(shown, { tool: 'web_search', isShown: true });
    for (const called of calledTools(event)) this.#note(called.place, { tool: called.tool });
    if (runsThere(item, this.bill)) see(this.#found, id, tokensFound(item.output));
    else if (item.type === PROGRAM_RAN) see(this.#found, id, tokensFound(item.result));
    else if (item.type === LISTS) see(this.#listed, id, tokensListed(item.tools));
    else if (RESULT.test(textOf(item.type) ?? '')) {
      see(this.#found, textOf(item.tool_use_id) ?? id, tokensFound(item.content));
    }
  }

  /** Frames may tell what others have told. */
  #searched({ candidates }: JsonObject): ToolUses {
    for (const query of objectsOf(candidates).flatMap(queriesIn)) {
      if (this.#queries.size < limits.toolUsesMax) this.#queries.add(query);
    }
    return this.#queries.size > 0 ? { google_search: this.#queries.size } : {};
  }

  /** What was shown of it stays so. */
  #note(id: string, use: Use): void {
    const known = this.#begun.get(id);
    if (known ? use.isShown || !known.isShown : this.#begun.size < limits.toolUsesMax) {
      this.#begun.set(id, use);
    }
  }

  #letGo(id: string): void {
    if (!this.#begun.get(id)?.isShown) this.#begun.delete(id);
  }

  /** A picture that is shown half-done was drawn, whatever becomes of it. */
  #showPartial(id: string, { quality }: JsonObject): void {
    const tool = isAbsent(quality) ? this.#begun.get(id)?.tool : undefined;
    this.#note(id, { tool: tool ?? drawingOf({ quality: quality ?? null }), isShown: true });
  }

  /** All of it together. */
  get foundTokens(): number {
    return this.found.reduce((sum, tokens) => sum + tokens, 0);
  }

  /** Of each call that has begun, in their order, how many tokens it was seen to bring into the prompt. */
  get found(): readonly number[] {
    return [...this.#found.values()];
  }

  get listed(): readonly number[] {
    return [...this.#listed.values()];
  }

  /** The containers in which its calls ran, each as often as it was. */
  get containers(): RanIn[] {
    return [...this.#begun.values()].flatMap(({ tool, container: id, isDone = false, doneSec }) =>
      id ? [{ tool, id, isDone, doneSec }] : [],
    );
  }

  get uses(): ToolUses {
    const begun = [...this.#begun.values()];
    const uses = { ...mostOf(this.#told, counted(begun)), ...this.#counted };
    const shown = begun.filter(({ tool, isShown }) => isShown && !isDrawing(tool)).length;
    return shown > 0 && !uses.web_search ? { ...uses, web_search: shown } : uses;
  }
}

/** The most tokens of what a tool has found, mostly texts of whatever kind. */
const tokensFound = (found: Json | undefined): number =>
  found ? mostTokens(sizeOfText(JSON.stringify(found))) : 0;

/** The same of a list of tools, as of those that a request has. */
const tokensListed = (tools: Json | undefined): number =>
  tools ? sizeOfJson([JSON.stringify(tools)]).tokens : 0;

/** So much something has brought along, as far as the answer shows it. */
function see(seen: Map<string, number>, id: string, tokens: number): void {
  if (!seen.has(id) && seen.size >= limits.toolUsesMax) return;
  seen.set(id, Math.max(tokens, seen.get(id) ?? 0));
}
