/** Schemas of functions as OpenAI takes them on both its wires, of callers whose own service asks for less. */
import { callersSet } from '../../core/callers-keys.ts';
import type { JsonObject } from '../../core/json.ts';
import { isAbsent } from '../bounds.ts';
import { objectOf, objectsOf } from '../fields.ts';
import type { FunctionTool } from '../neutral.ts';

/** What of a function is said otherwise to OpenAI. */
export function asOpenAiTakes({ parameters = {}, strict }: FunctionTool) {
  const schema = functionSchema(parameters);
  return { parameters: schema, strict: strict && schemasIn(schema).every(isClosed) };
}

/**
 * "Object schema missing properties" is said of the whole alone, "array schema missing items" of a list at any depth, and
 * either refuses the whole call. What is put in says nothing, as what was left out did. A choice at the root (`anyOf`) is
 * refused as well, with a type beside it or without: no other words say the same, so that it goes up as it came.
 */
function functionSchema(given: JsonObject): JsonObject {
  const isObjects = given.type === 'object' && objectOf(given.properties);
  const schema = isObjects
    ? given
    : { ...given, type: 'object', properties: objectOf(given.properties) ?? {} };
  if (!schemasIn(schema).some(lacksItems)) return schema;
  const whole = structuredClone(schema);
  for (const each of schemasIn(whole)) if (lacksItems(each)) each.items = {};
  return whole;
}

const isOf = ({ type }: JsonObject, kind: string): boolean =>
  Array.isArray(type) ? type.includes(kind) : type === kind;

const lacksItems = (schema: JsonObject): boolean => isOf(schema, 'array') && isAbsent(schema.items);

/** Words by one of which a schema says what it is of; without any it is refused where it is strict. */
const KINDS: readonly string[] = ['type', 'enum', 'const', 'anyOf', '$ref'];

/** Strict is only what demands all that it has, and nothing else: arguments that may be left out are refused there. */
function isClosed(schema: JsonObject): boolean {
  if (!isOf(schema, 'object')) return KINDS.some((word) => word in schema);
  const { required, additionalProperties } = schema;
  const properties = objectOf(schema.properties);
  if (!properties || additionalProperties !== false || !Array.isArray(required)) return false;
  const demanded = callersSet(required.filter((name) => typeof name === 'string'));
  return Object.keys(properties).every((name) => demanded.has(name));
}

/** What holds schemas by names of the caller's, of which none is a keyword. */
const NAMED: readonly string[] = [
  'properties',
  'patternProperties',
  'dependentSchemas',
  '$defs',
  'definitions',
];
/** What holds one, or a list of them. */
const HOLDS: readonly string[] = [
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'propertyNames'],
  ...['anyOf', 'oneOf', 'allOf', 'not', 'if', 'then', 'else'],
];

/** A schema and all within it. */
function schemasIn(root: JsonObject): JsonObject[] {
  const found = [root];
  for (const schema of found) {
    for (const word of NAMED) {
      for (const inner of objectsOf(Object.values(objectOf(schema[word]) ?? {}))) found.push(inner);
    }
    for (const word of HOLDS) {
      const held = schema[word];
      for (const inner of objectsOf(Array.isArray(held) ? held : [held])) found.push(inner);
    }
  }
  return found;
}
