/**
 * Where uses of what runs at a vendor are told, so that they can be charged (decision 043). At a vendor's own address they
 * are told as he documents it. Behind an address of an operator's stands a gateway, which puts other makers' answers into
 * the words of the wire that it was asked in and leaves out what that has no words for: there it goes by who has made the
 * model and by the wire. What is not in these tables stays behind where nothing dearer is sold.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { isClaude, isGemini, isMakers, isOpenAis, isQwen, plainName } from '../core/model-families.ts';
import { own } from '../core/own.ts';
import type { Vendor } from '../core/vendor-bill.ts';
import { withEachTool } from './all-tools.ts';
import { CALLERS_OF_GEMINI, isSwitchOn, type Names, SEARCHES_ALWAYS, sureOf } from './asked-tools.ts';
import { isAbsent } from './bounds.ts';
import type { DialectId } from './dialect.ts';
import { hasFields, objectOf, objectsOf, textOf } from './fields.ts';
import { SEARCH_SWITCHES } from './gateway-fields.ts';
import { declaresFunctions, KNOWN_OF_GEMINI } from './hosted-tools.ts';
import { isMerged } from './operators-fields.ts';
import { bareName, isCallersOfMessages, isCallersOfResponses, TOKENS_OF_MESSAGES } from './reading-tools.ts';
import { asksForService, SETTINGS_OF_SONAR } from './service-words.ts';
import { camelOf, folded, snakeOf } from './spelling.ts';
import { isCallers, kindOf, RAN } from './tool-words.ts';

/** Where a body goes. */
export interface Destination {
  wire: DialectId;
  /** Null for an operator's own address, behind which there may be anybody. */
  vendor: Vendor | null;
  /** Of the model, the upstream's first. */
  names: Names;
  /** Whether the operator has a price for a use of a tool. */
  isPriced(tool: string): boolean;
}

/** What goes up to a gateway on one wire. */
interface Told {
  tools?: ReadonlySet<string>;
  /** Fields that switch a search on. */
  fields?: ReadonlySet<string>;
  /** Bare names of settings of what the model does anyway: who says one asks for nothing more. */
  settings?: RegExp;
  /** Each use is told by the name of its tool, so that a price of the operator's lets one more go up. */
  byName?: true;
}

const CHAT = 'openai-chat';
const RESPONSES = 'openai-responses';
const MESSAGES = 'anthropic-messages';
const GEMINI = 'gemini';

type Wire = typeof CHAT | typeof RESPONSES | typeof MESSAGES | typeof GEMINI;

interface Maker {
  made(name: string): boolean;
  tells: Partial<Record<Wire, Told>>;
}

/** LiteLLM puts what OpenAI's search models and Perplexity's take into chats as it came. Both are paid by the request. */
const ITS_OPTIONS: Told = { fields: new Set(['web_search_options']) };
/** LiteLLM asks the vendor of such a model for its search, and tells how often it was used; nowhere but in chats. */
const AS_SEARCHED: Told = { tools: new Set(['web_search']), ...ITS_OPTIONS };

/** By how their names begin, without the makers and accounts before them (`plainName`). */
const MAKERS: readonly Maker[] = [
  { made: (name) => isOpenAis(name) && SEARCHES_ALWAYS.test(name), tells: { [CHAT]: ITS_OPTIONS } },
  {
    made: (name) => (isOpenAis(name) && !name.startsWith('gpt-oss')) || /^(?:codex|computer-use)/.test(name),
    tells: {
      [RESPONSES]: {
        tools: new Set([
          'web_search',
          'file_search',
          'code_interpreter',
          'shell',
          'image_generation',
          'programmatic_tool_calling',
        ]),
        byName: true,
      },
    },
  },
  {
    made: isClaude,
    tells: {
      [MESSAGES]: { tools: new Set(['web_search', ...TOKENS_OF_MESSAGES]), byName: true },
      [CHAT]: AS_SEARCHED,
    },
  },
  {
    made: isGemini,
    tells: {
      [GEMINI]: { tools: KNOWN_OF_GEMINI },
      [CHAT]: AS_SEARCHED,
    },
  },
  {
    made: (name) => name.startsWith('grok'),
    tells: {
      [RESPONSES]: {
        tools: new Set([
          'web_search',
          'x_search',
          'code_execution',
          'code_interpreter',
          'file_search',
          'collections_search',
          'attachment_search',
          'view_image',
          'view_x_video',
        ]),
        fields: new Set(['search_parameters']),
        byName: true,
      },
      [CHAT]: {
        tools: new Set(['live_search']),
        fields: new Set(['search_parameters']),
      },
    },
  },
  // These are charged once at least for whoever asks, told or not.
  {
    made: (name) => name.startsWith('sonar'),
    tells: { [CHAT]: { ...ITS_OPTIONS, settings: SETTINGS_OF_SONAR } },
  },
  {
    made: (name) => name.startsWith('glm'),
    tells: { [CHAT]: { tools: new Set(['web_search', 'retrieval']) } },
  },
  { made: isQwen, tells: { [CHAT]: { fields: new Set(['enable_search', 'forced_search']) } } },
  { made: (name) => name.startsWith('ernie'), tells: { [CHAT]: { fields: new Set(['web_search']) } } },
  {
    made: (name) => name.startsWith('hunyuan'),
    tells: { [CHAT]: { fields: new Set(['enable_enhancement', 'force_search_enhancement']) } },
  },
  // Groq's, which search as they like.
  {
    made: (name) => name.startsWith('compound'),
    tells: { [CHAT]: { fields: new Set(['search_settings']) } },
  },
  // Its model calls the search as if it were the caller's, who has to answer.
  {
    made: (name) => /^(?:kimi|moonshot)/.test(name),
    tells: { [CHAT]: { tools: new Set(['builtin_function']) } },
  },
];

const makerOf = (names: Names): Maker | undefined => {
  for (const name of sureOf(names).map(plainName)) {
    const maker = MAKERS.find(({ made }) => made(name));
    if (maker) return maker;
  }
  return undefined;
};

/** Servers of tools that the caller has: their work costs what is read of it, whoever asks them. */
const SERVERS: ReadonlySet<string> = new Set(['mcp', 'mcp_toolset', 'mcpServers']);

/** Tools that one vendor alone sells, and on one wire: nobody else tells their uses. */
const SOLD_BY_ONE: readonly { vendor: Vendor; wire: DialectId; tools: ReadonlySet<string> }[] = [
  { vendor: 'groq', wire: CHAT, tools: new Set(Object.keys(RAN).filter((name) => name !== 'web_search')) },
  {
    vendor: 'perplexity',
    wire: RESPONSES,
    tools: new Set(['fetch_url', 'people_search', 'finance_search']),
  },
];

/** On a wire where another vendor sells one of that name it is his. */
const SHARED: ReadonlySet<string> = new Set(['code_interpreter']);

function isSoldElsewhere(name: string, { wire, vendor }: Destination): boolean {
  const sellers = SOLD_BY_ONE.filter(({ tools }) => tools.has(name));
  if (sellers.length === 0 || sellers.some((seller) => seller.vendor === vendor && seller.wire === wire))
    return false;
  return sellers.some((seller) => seller.wire === wire) || !SHARED.has(name);
}

/** Which fields each wire is read by that switch a search on: on all others they mean nothing, or set off what nobody holds for. */
const SEARCH_WORDS: Readonly<Record<string, readonly DialectId[]>> = {
  web_search_options: [CHAT],
  search_parameters: [CHAT, RESPONSES],
  ...Object.fromEntries(SEARCH_SWITCHES.map((name): [string, DialectId[]] => [name, [CHAT]])),
};
/** In either of the spellings in which Google's wire is read; of all others a body has one. */
const readersOf = (name: string): readonly DialectId[] | undefined => own(SEARCH_WORDS, snakeOf(name));

/**
 * Functions of the caller's that gateways take by their names for a search, or for what else they run themselves. LiteLLM
 * runs whatever has a name of its family, on each wire and at every maker's model, and in Messages it has all makers' models
 * search but Claude's by another one. Those that are made like One API have Gemini's search, of which each wire becomes a
 * chat.
 */
function isTakenByGateway(tool: JsonObject, to: Destination): boolean {
  const names = calledIn(tool);
  if (names.some((name) => isGateways(name) || (GOOGLES.has(name) && mayBeGoogles(to.names)))) return true;
  const isForeign = to.wire === MESSAGES && makerOf(to.names)?.made !== isClaude;
  return isForeign && names.includes('web_search');
}

/** LiteLLM's search by other names, which it looks for among the `tools` of Messages and of chats. */
function isLiteSearch(tool: JsonObject, wire: DialectId): boolean {
  if (wire !== MESSAGES && wire !== CHAT) return false;
  // By this name with a type of whatever kind, a schema or not; what is a maker's own search is told as that.
  if (tool.name === 'web_search') return !isAbsent(tool.type) && kindOf(tool) !== 'web_search';
  // By the same one deeper where nothing else is said of it.
  const { name, ...others } = objectOf(tool.function) ?? {};
  if (name === 'web_search') return Object.values(withOwnFields(others)).every(isAbsent);
  // By this name without a schema in the words of Messages: Claude Code has one of its own, which has a schema.
  return tool.name === 'WebSearch' && !('input_schema' in tool);
}

/** In Messages a tool of the caller's has this type or none; LiteLLM takes the name of a search for its own by any type. */
function withoutOwnType(tool: JsonObject, wire: DialectId): JsonObject {
  if (wire !== MESSAGES || tool.type !== 'custom' || tool.name !== 'web_search') return tool;
  const { type: _, ...untyped } = tool;
  return untyped;
}

const isGateways = (name: string): boolean => folded(name).startsWith('litellm');
const GOOGLES: ReadonlySet<string> = new Set(['googleSearch', 'google_search', 'google_search_retrieval']);

/** Google's, or nobody's as far as makers are known. */
function mayBeGoogles(names: Names): boolean {
  const maker = makerOf(names);
  return maker ? maker.made === isGemini : !sureOf(names).some((name) => isMakers(plainName(name)));
}

/** What runs at the caller's. */
const isOfCaller = (tool: JsonObject, wire: DialectId): boolean => {
  if (wire === RESPONSES) return isCallersOfResponses(tool);
  return wire === MESSAGES || wire === CHAT ? isCallersOfMessages(tool) : isCallers(tool);
};

/** The body without what would be used untold, and the names of that; the same object where there is none. */
export function withoutUntold(
  body: JsonObject,
  to: Destination,
): { body: JsonObject; dropped: readonly string[] } {
  const wire: DialectId = to.wire === 'openai-plain' ? CHAT : to.wire;
  const on: Destination = { ...to, wire };
  const told: Told = makerOf(to.names)?.tells[wire as Wire] ?? {};
  const words = withoutWords(body, on, told);
  const tools: string[] = [];
  const left = withEachTool(words.body, (given, { at }) => {
    const tool = to.vendor === null ? withoutOwnType(given, wire) : given;
    // It does not look into the old list of chats.
    const isLite = to.vendor === null && !at.startsWith('functions') && isLiteSearch(tool, wire);
    const stays = isLite ? null : toldOf(tool, on, told);
    if (stays !== tool && tools.length < NAMED_MAX) tools.push(...namesOf(tool, stays).slice(0, NAMED_MAX));
    return stays;
  });
  return { body: left, dropped: [...words.dropped, ...tools] };
}
const NAMED_MAX = 16;

/** The body without fields that have something searched or done which nobody tells. */
function withoutWords(
  body: JsonObject,
  to: Destination,
  told: Told,
): { body: JsonObject; dropped: string[] } {
  const dropped: string[] = [];
  const fields = Object.entries(body).flatMap(([name, value]): [string, Json | undefined][] => {
    const stays = toldOfField(name, value, to, told);
    if (stays !== value) dropped.push(name);
    return stays === undefined ? [] : [[name, stays]];
  });
  return dropped.length === 0 ? { body, dropped } : { body: Object.fromEntries(fields), dropped };
}

/** What of a field goes up; undefined where nothing does. */
function toldOfField(name: string, value: Json | undefined, to: Destination, told: Told): Json | undefined {
  if (isUnreadWord(name, value, to, told)) return undefined;
  if (to.vendor !== null) return value;
  const isService = (field: string, said: Json | undefined) => asksForService(field, said, told.settings);
  if (!isObject(value) || !isMerged(name)) return isService(name, value) ? undefined : value;
  // What gateways put among the fields at the top is read there by nobody here.
  const within = Object.entries(value as JsonObject);
  const stay = within.filter(([field, said]) => !isOn(field, said) && !isService(field, said));
  if (stay.length === within.length) return value;
  return stay.length === 0 ? undefined : Object.fromEntries(stay);
}

/** Whether it is one of the words that switch a search on, and does; options are a wish where they are there at all. */
function isOn(name: string, value: Json | undefined): boolean {
  const word = snakeOf(name);
  if (SEARCH_SWITCHES.includes(word)) return isSwitchOn(word, value);
  return readersOf(name) !== undefined && !isAbsent(value);
}

function isUnreadWord(
  name: string,
  value: Json | undefined,
  { wire, vendor }: Destination,
  told: Told,
): boolean {
  if (!isOn(name, value)) return false;
  return readersOf(name)?.includes(wire) !== true || (vendor === null && told.fields?.has(name) !== true);
}

function toldOf(tool: JsonObject, to: Destination, told: Told): JsonObject | null {
  if (to.vendor === null) {
    const declared = withoutDeclared(tool);
    return declared && toldByGateway(declared, to, told);
  }
  if (to.wire === GEMINI || isOfCaller(tool, to.wire)) return tool;
  return isSoldElsewhere(kindOf(tool), to) ? null : tool;
}

function toldByGateway(tool: JsonObject, to: Destination, told: Told): JsonObject | null {
  if (to.wire === GEMINI) return ofGemini(tool, told);
  if (isTakenByGateway(tool, to)) return null;
  if (isOfCaller(tool, to.wire)) return ofCaller(tool);
  const name = kindOf(tool);
  if (isSoldElsewhere(name, to)) return null;
  if (SERVERS.has(bareName(tool))) return ofCaller(tool);
  const isTold =
    told.tools?.has(name) || told.tools?.has(bareName(tool)) || (told.byName && to.isPriced(name));
  return isTold ? tool : null;
}

/** A tool of Google's without the functions in it that gateways run; null where nothing else is in it. */
function withoutDeclared(tool: JsonObject): JsonObject | null {
  if (!declaredIn(tool).some(isGateways)) return tool;
  const left = Object.entries(tool).flatMap(([field, value]): [string, Json | undefined][] => {
    if (!isDeclaring(field)) return [[field, value]];
    const stay = objectsOf([value].flat()).filter(({ name }) => !isGateways(textOf(name) ?? ''));
    return stay.length === 0 ? [] : [[field, stay]];
  });
  return left.length === 0 ? null : Object.fromEntries(left);
}

const isDeclaring = (field: string): boolean => camelOf(field) === 'functionDeclarations';

const declaredIn = (tool: JsonObject): string[] =>
  Object.entries(tool).flatMap(([field, value]) =>
    isDeclaring(field) ? objectsOf([value].flat()).flatMap(({ name }) => textOf(name) ?? []) : [],
  );

/** One tool of this wire may be several. */
function ofGemini(tool: JsonObject, { tools }: Told): JsonObject | null {
  const fields = Object.entries(tool);
  const left = fields.filter(([field, value]) => {
    const name = camelOf(field);
    return isAbsent(value) || CALLERS_OF_GEMINI.has(name) || SERVERS.has(name) || tools?.has(name);
  });
  if (left.length === fields.length) return tool;
  const stays: JsonObject = Object.fromEntries(left);
  return hasFields(stays) ? stays : null;
}

/**
 * What is the caller's at a gateway has the shape of that, and nothing beside: LiteLLM goes by the one field of a tool that
 * has no name, by Amazon's whatever stands beside it, and takes no type of a tool that it does not know.
 */
function ofCaller(tool: JsonObject): JsonObject | null {
  if (isAbsent(tool.type) && calledIn(tool).length === 0 && !declaresFunctions(tool)) return null;
  const kept = withOwnFields(tool);
  const inner = NESTED.flatMap((name): [string, JsonObject][] => {
    const said = objectOf(kept[name]);
    const stays = said && withOwnFields(said);
    return stays && stays !== said ? [[name, stays]] : [];
  });
  return inner.length === 0 ? kept : { ...kept, ...Object.fromEntries(inner) };
}

/** Chats have what a tool is called one level deeper. */
const NESTED = ['function', 'custom'] as const;

const withOwnFields = (said: JsonObject): JsonObject => {
  const fields = Object.entries(said);
  const kept = fields.filter(([name, value]) => isOwnField(name, value));
  return kept.length === fields.length ? said : Object.fromEntries(kept);
};

/** A word or a number asks for nothing, but by the name of what Google or Amazon runs. */
const isOwnField = (name: string, value: Json | undefined): boolean =>
  OWN_FIELDS.has(name) || ((value === null || typeof value !== 'object') && !RUN_BY_NAME.has(folded(name)));

const RUN_BY_NAME: ReadonlySet<string> = new Set([...KNOWN_OF_GEMINI, 'systemTool'].map(folded));

/** Of functions, of what else runs at the caller's, and of servers of tools: those that may hold more than a word. */
const OWN_FIELDS: ReadonlySet<string> = new Set([
  ...NESTED,
  'functionDeclarations',
  'function_declarations',
  'parameters',
  'input_schema',
  'input_examples',
  'output_schema',
  'return',
  'format',
  'cache_control',
  'allowed_callers',
  'environment',
  'tools',
  'headers',
  'extra_headers',
  'allowed_tools',
  'allowed_tool_names',
  'require_approval',
  'default_config',
  'configs',
]);

/** What of a tool stays behind: functions that it declares, some of its fields, or all of it by what it is called. */
function namesOf(tool: JsonObject, stays: JsonObject | null): string[] {
  const declared = declaredIn(tool).filter(isGateways);
  if (!stays) return declared.length > 0 ? declared : [calledBy(tool)];
  return [declared, goneOf(tool, stays), ...NESTED.map((name) => goneOf(tool[name], stays[name]))].flat();
}

const goneOf = (said: Json | undefined, stays: Json | undefined): string[] => {
  const left = objectOf(stays);
  return left ? Object.keys(objectOf(said) ?? {}).filter((field) => !(field in left)) : [];
};

const calledBy = (tool: JsonObject): string =>
  (isCallers(tool) ? calledIn(tool).at(-1) : textOf(tool.type)) ?? Object.keys(tool)[0] ?? 'tools';

/** Each name that it may be taken by. */
const calledIn = (tool: JsonObject): string[] =>
  [tool, ...NESTED.map((name) => tool[name])].flatMap((said) => textOf(objectOf(said)?.name) ?? []);
