/**
 * All tools of a request, wherever a wire lets one stand: in its list, in the old one of functions, in a namespace, and
 * among what was said. Nobody else looks for them in a body, so that whoever holds for tools, limits, counts or leaves them
 * out knows the same ones.
 */
import { callersSet } from '../core/callers-keys.ts';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { hasFields, objectOf, textOf } from './fields.ts';

export interface ToolPlace {
  /** As errors name it. */
  at: string;
  /** It is no entry of the request's own list, which alone says what runs for this answer and for no later one. */
  isInside: boolean;
}

/** What becomes of a tool; null where it goes. */
export type Kept = (tool: JsonObject, place: ToolPlace) => JsonObject | null;

/** What is asked of a wire about a tool that may run at its upstream. */
export interface ToolTerms extends Pick<ToolPlace, 'isInside'> {
  /** Whether the operator has a price for a use of it. */
  isPriced(name: string): boolean;
}

/** What of a tool goes up where nothing dearer is sold; null where nothing does. */
export type KnownTool = (tool: JsonObject, terms: ToolTerms) => JsonObject | null;

export function toolsOf(body: JsonObject): JsonObject[] {
  const tools: JsonObject[] = [];
  withEachTool(body, (tool) => {
    tools.push(tool);
    return tool;
  });
  return tools;
}

/**
 * The lists of a request's own, and what chooses among each. The old list of chats is for functions alone; LiteLLM reads
 * it at Gemini's models as it reads the other, and hands it on from each wire.
 */
const OWN_LISTS = [
  ['tools', 'tool_choice'],
  ['functions', 'function_call'],
] as const;

/** The body with what becomes of each tool; the same object where nothing does. */
export function withEachTool(body: JsonObject, kept: Kept): JsonObject {
  const gone: JsonObject[] = [];
  const left: JsonObject[] = [];
  const noted: Kept = (tool, place) => {
    const stays = kept(tool, place);
    if (stays) left.push(stays);
    else gone.push(tool);
    return stays;
  };
  const changed: JsonObject = {};
  for (const [name] of OWN_LISTS) {
    const list = body[name];
    // Google's readers take one value for a list of one.
    const given = isObject(list) ? [list] : list;
    if (!Array.isArray(given)) continue;
    const listed = inList(given, { at: name, isInside: false }, noted);
    if (listed !== given) changed[name] = listed;
  }
  const { input, messages } = body;
  for (const [name, items] of Object.entries({ input, messages })) {
    const said = Array.isArray(items) ? inWhatWasSaid(items, name, noted) : items;
    if (said !== items) changed[name] = said;
  }
  return hasFields(changed) ? withoutEmpty({ ...body, ...changed }, changed, { gone, left }) : body;
}

/** No service takes an empty list, a choice among none, or one of what is not there. */
function withoutEmpty(body: JsonObject, changed: JsonObject, tools: Sifted): JsonObject {
  const out = { ...body };
  for (const [name, list] of Object.entries(changed)) {
    if (Array.isArray(list) && list.length === 0) delete out[name];
  }
  for (const [list, by] of OWN_LISTS) {
    const choice = objectOf(body[by]);
    const left = choice && withoutGone(choice, tools);
    if ((list in changed && !(list in out)) || left === null) delete out[by];
    else if (left && left !== choice) out[by] = left;
  }
  return out;
}

interface Sifted {
  gone: readonly JsonObject[];
  left: readonly JsonObject[];
}

/** A choice without those of its list that mean what went and nothing that stayed; null where it means nothing else. */
function withoutGone(choice: JsonObject, { gone, left }: Sifted): JsonObject | null {
  if (gone.length === 0) return choice;
  const ofGone = callersSet(gone.flatMap(answersTo));
  const ofLeft = callersSet(left.flatMap(answersTo));
  const isGone = (one: JsonObject): boolean => {
    const words = asksFor(one);
    return words.some((word) => ofGone.has(word)) && !words.some((word) => ofLeft.has(word));
  };
  const amongLeft = (one: JsonObject): JsonObject | null => {
    if (!Array.isArray(one.tools)) return one;
    const stay = each(one.tools, (tool) => (isGone(tool) ? null : tool));
    if (stay === one.tools) return one;
    return stay.length === 0 ? null : { ...one, tools: stay };
  };
  if (isGone(choice)) return null;
  // A choice among some, which the chat wire has one level deeper.
  const deeper = objectOf(choice.allowed_tools);
  if (!deeper) return amongLeft(choice);
  const allowed = amongLeft(deeper);
  if (allowed === deeper) return choice;
  return allowed && { ...choice, allowed_tools: allowed };
}

/**
 * A choice means a tool by its type or by its name; of several of a type the one that is called so. There may be thousands
 * of both, so that a tool is found by words: all that it answers to, and all that a choice may ask for.
 */
const answersTo = (tool: JsonObject): string[] =>
  wordsFor(tool, ({ name, label }) => ({
    names: [name ?? TAKES_ANY, UNSAID],
    labels: [label ?? TAKES_ANY, UNSAID],
  }));

const asksFor = (choice: JsonObject): string[] =>
  wordsFor(choice, ({ name, label }) => ({
    names: name === undefined ? [UNSAID] : [name, TAKES_ANY],
    labels: label === undefined ? [UNSAID] : [label, TAKES_ANY],
  }));

/** A tool without a name or label is meant by each of them. */
const TAKES_ANY = 0;
const UNSAID = 1;
type Word = string | typeof TAKES_ANY | typeof UNSAID;

function wordsFor(
  said: JsonObject,
  of: (called: { name?: string; label?: string }) => { names: Word[]; labels: Word[] },
): string[] {
  const [type, name, label] = [textOf(said.type), textOf(said.name), textOf(said.server_label)];
  const { names, labels } = of({ name, label });
  return Object.entries({ type, name }).flatMap(([by, value]) =>
    value === undefined
      ? []
      : names.flatMap((called) => labels.map((at) => JSON.stringify([by, value, called, at]))),
  );
}

function inList(list: Json[], { at, isInside }: ToolPlace, kept: Kept): Json[] {
  return each(list, (tool, n) => {
    const place = `${at}[${n}]`;
    const stays = kept(tool, { at: place, isInside });
    // A namespace, and what else may hold some of its own.
    return stays && holding(stays, `${place}.tools`, kept, true);
  });
}

/** Something that has a list of tools; without the list's it goes where it is nothing else. */
function holding(holder: JsonObject, at: string, kept: Kept, isListAlone: boolean): JsonObject | null {
  const { tools } = holder;
  if (!Array.isArray(tools)) return holder;
  const listed = inList(tools, { at, isInside: true }, kept);
  if (listed === tools) return holder;
  return isListAlone && listed.length === 0 ? null : { ...holder, tools: listed };
}

/** OpenAI's items that add tools or tell of those that were found, and Anthropic's blocks that define one. */
const inWhatWasSaid = (items: Json[], at: string, kept: Kept): Json[] =>
  each(items, (item, n) => {
    // Few hold one, and there may be a hundred thousand.
    if (!mayHold(item)) return item;
    const place = `${at}[${n}]`;
    const stays = holding(item, `${place}.tools`, kept, item.type === 'additional_tools');
    if (!stays || !Array.isArray(stays.content)) return stays;
    const content = each(stays.content, (block, m) => inBlock(block, `${place}.content[${m}]`, kept));
    if (content === stays.content) return stays;
    return content.length === 0 ? null : { ...stays, content };
  });

const mayHold = ({ tools, content }: JsonObject): boolean =>
  Array.isArray(tools) || (Array.isArray(content) && content.some(isAddition));

const isAddition = (block: Json): boolean => isObject(block) && block.type === 'tool_addition';

function inBlock(block: JsonObject, at: string, kept: Kept): JsonObject | null {
  if (!isAddition(block)) return block;
  const tool = objectOf(block.tool);
  const definition = objectOf(tool?.definition);
  if (!definition) return block;
  const stays = kept(definition, { at: `${at}.tool.definition`, isInside: true });
  if (!stays || stays === definition) return stays && block;
  return { ...block, tool: { ...tool, definition: stays } };
}

/** The list with what becomes of its objects; the same one where nothing does. */
function each(list: Json[], become: (object: JsonObject, at: number) => JsonObject | null): Json[] {
  let out: Json[] | undefined;
  for (const [at, value] of list.entries()) {
    const stays = isObject(value) ? become(value as JsonObject, at) : value;
    if (stays !== value) out ??= list.slice(0, at);
    if (out && (stays !== null || !isObject(value))) out.push(stays);
  }
  return out ?? list;
}
