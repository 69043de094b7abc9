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
const PREFIXES = /^(mock|litellm|aws|vertex|watsonx|azuread|(in|out)putcostper)/;

export const isOperatorsField = (name: string): boolean =>
  readings(name).some((reading) => NAMES.has(reading) || PREFIXES.test(reading));

/** Objects whose fields gateways, or their wires, put among those at the top. */
const MERGED: ReadonlySet<string> = new Set(CONTAINERS.map(folded));
export const isMerged = (name: string): boolean => readings(name).some((reading) => MERGED.has(reading));

/** Readers of forms take brackets and dots for ways into objects: `extra_body[api_base]`. */
const stepsOf = (name: string): string[] => name.split(/[[\].]+/);

/** Those among these fields, wherever they would be read, by the way to each. */
export const operatorsFieldsIn = (fields: Readonly<JsonObject>): JsonObject =>
  Object.fromEntries(Object.entries(fields).flatMap(([name, value]) => operatorsIn(name, value)));

function operatorsIn(name: string, value: JsonObject[string]): [string, JsonObject[string]][] {
  if ([name, ...stepsOf(name)].some(isOperatorsField)) return [[name, value]];
  if (!isMerged(name)) return [];
  // What is no object here may be the text of one.
  if (!isObject(value)) return [[name, value]];
  const inside = operatorsFieldsIn(value as JsonObject);
  return Object.entries(inside).map(([way, held]): [string, Json | undefined] => [`${name}.${way}`, held]);
}
