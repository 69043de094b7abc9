/**
 * Fields that are the operator's matter and no caller's. Upstreams that are gateways themselves are told by them where a
 * request goes, with whose key, and whether anybody answers it at all: callers may say none of it, and whoever has a
 * channel say it leads the channel's keys.
 */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { CONTAINERS } from './body-rules.ts';
import { namesOf } from './gateway-fields.ts';
import { folded, readings } from './spelling.ts';

/** In whichever spelling: what one gateway reads as `api_base` another reads as `apiBase`. */
const NAMES = namesOf(({ operators }) => operators === true);
const OF_CHATS = namesOf(({ operators }) => operators !== undefined);
const IN_METADATA = namesOf(({ inMetadata }) => inMetadata === true);

/** Families of them, by how a folded name begins: in one pattern, since each name of a body is held against all. */
const FAMILIES = new RegExp(
  `^(?:${[
    'mock|userapikey',
    'agentcore|aws|azure|bedrock|gcs|gigachat|githubcopilot|milvus|oci|predibase|s3|sagemaker|tokenexchange',
    'valkey|vertex|watsonx',
    'anthropic(?!beta|version)|openai(?:identity|serviceaccount)',
    '(?:adaptive|auto|complexity|quality|switchyard)router',
    'agenticloop|(?:codeinterpreter|headroom|websearch)interception',
  ].join('|')})`,
);
/**
 * Those that are told by what stands anywhere in them: LiteLLM's, prices, and TensorZero's, by which it writes anew what a
 * vendor is asked (`::`). No wire has such a name.
 */
const WITHIN = /litellm|costper|tokencost|upliftmultiplier|::/;
/** How LiteLLM names what it tells itself of a request, and no wire anything. */
const OWN_NOTE = '_';

const isAmong = (names: ReadonlySet<string>, name: string): boolean =>
  readings(name).some((reading) => names.has(reading));

const isOperators = (names: ReadonlySet<string>, name: string): boolean =>
  name.startsWith(OWN_NOTE) ||
  readings(name).some((reading) => names.has(reading) || FAMILIES.test(reading) || WITHIN.test(reading));

export const isOperatorsField = (name: string): boolean => isOperators(NAMES, name);

/** Of a chat's fields. */
export const isOperatorsOfChat = (name: string): boolean => isOperators(OF_CHATS, name);

/**
 * Of what a request's `metadata` holds. A caller tells of himself there in texts, by whatever name; LiteLLM reads lists,
 * numbers and switches there as if they stood beside it, and whom it tells by texts, too.
 */
const isOperatorsInMetadata = (name: string, value: JsonObject[string]): boolean =>
  isAmong(IN_METADATA, name) || (typeof value !== 'string' && isOperatorsOfChat(name));

/** What of `metadata` is the caller's. What is written as the text of an object LiteLLM reads as one, by looser rules. */
export function callersMetadata(metadata: JsonObject[string]): JsonObject[string] {
  if (typeof metadata === 'string') return metadata.trimStart().startsWith('{') ? undefined : metadata;
  if (!isObject(metadata)) return metadata;
  const told = Object.entries(metadata as JsonObject);
  const left = told.filter(([name, value]) => !isOperatorsInMetadata(name, value));
  return left.length === told.length ? (metadata as JsonObject) : Object.fromEntries(left);
}

/** Objects whose fields gateways, or their wires, put among those at the top. */
const MERGED: ReadonlySet<string> = new Set(CONTAINERS.map(folded));
export const isMerged = (name: string): boolean => readings(name).some((reading) => MERGED.has(reading));

const METADATA = folded('metadata');

/** Readers of forms take brackets and dots for ways into objects: `extra_body[api_base]`. */
const stepsOf = (name: string): string[] => name.split(/[[\].]+/);

/** Those among these fields, wherever they would be read, by the way to each. */
export const operatorsFieldsIn = (fields: Readonly<JsonObject>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => operatorsIn(name, value)));

function operatorsIn(name: string, value: JsonObject[string]): [string, JsonObject[string]][] {
  if ([name, ...stepsOf(name)].some(isOperatorsField)) return [[name, value]];
  if (folded(name) === METADATA) return callersMetadata(value) === value ? [] : [[name, value]];
  if (!isMerged(name)) return [];
  // What is no object here may be the text of one.
  if (!isObject(value)) return [[name, value]];
  const inside = operatorsFieldsIn(value as JsonObject);
  return Object.entries(inside).map(([way, held]): [string, Json | undefined] => [`${name}.${way}`, held]);
}
