/**
 * A channel's fields where a call goes by Responses: its operator writes them in the words of Chat, and need not know which
 * of his calls OpenAI serves by the other.
 */
import type { Json, JsonObject } from '../../core/json.ts';
import type { OwnFields } from '../dialect.ts';
import { compact, fieldsBut, objectOf } from '../fields.ts';
import { readSchemas } from '../openai-chat/request.ts';
import { writeFormat } from './request.ts';

interface Place {
  name: string;
  holder: 'reasoning' | 'text';
  field: string;
  /** Undefined for what has no place here. */
  write(value: Json | undefined): Json | undefined;
}

const asItStands = (value: Json | undefined): Json | undefined => value;

/** What Chat has at the top and Responses in an object. */
const PLACES: readonly Place[] = [
  { name: 'reasoning_effort', holder: 'reasoning', field: 'effort', write: asItStands },
  { name: 'verbosity', holder: 'text', field: 'verbosity', write: asItStands },
  { name: 'response_format', holder: 'text', field: 'format', write: formatOfChat },
];

/** What Chat alone has: Responses refuses a call for it. What no wire of OpenAI's has may be a word of whoever is asked. */
const CHATS_ALONE = [
  'audio',
  'frequency_penalty',
  'function_call',
  'functions',
  'logit_bias',
  'logprobs',
  'modalities',
  'prediction',
  'presence_penalty',
  'seed',
  'stop',
  'web_search_options',
];

/** What Chat says one level deeper of a function, of itself or as what is chosen. */
function flat(said: JsonObject): JsonObject {
  const inner = objectOf(said.function) ?? objectOf(said.custom);
  return inner ? { type: said.type ?? 'function', ...inner } : said;
}

/** On this wire a function is strict unless it says otherwise. */
const flatTool = (tool: Json): Json => {
  const said = objectOf(tool);
  if (!said) return tool;
  return objectOf(said.function) ? { strict: false, ...flat(said) } : flat(said);
};

const CHATS: ReadonlySet<string> = new Set([...CHATS_ALONE, ...PLACES.map(({ name }) => name)]);

export function inOwnWords(fields: Readonly<JsonObject>, body: JsonObject): OwnFields {
  const own = fieldsBut(fields, CHATS);
  const leftOut = CHATS_ALONE.filter((name) => name in fields);
  for (const { name, holder, field, write } of PLACES) {
    if (!(name in fields)) continue;
    const value = write(fields[name]);
    if (value === undefined) leftOut.push(name);
    else own[holder] = { ...objectOf(own[holder] ?? body[holder]), [field]: value };
  }
  if (Array.isArray(own.tools)) own.tools = own.tools.map(flatTool);
  const choice = objectOf(own.tool_choice);
  if (choice) own.tool_choice = flat(choice);
  return { fields: own, leftOut };
}

function formatOfChat(response_format: Json | undefined): JsonObject | undefined {
  const { responseFormat } = readSchemas(compact<JsonObject>({ response_format }));
  return responseFormat && writeFormat(responseFormat);
}
