/** JSON Schemas as structured outputs take them: closed objects, and none of the keywords that only check values. */
import type { Json, JsonObject } from '../../core/json.ts';
import { objectOf } from '../fields.ts';

const KEPT = new Set([
  'type',
  'required',
  'enum',
  'const',
  'title',
  'description',
  'default',
  'format',
  '$ref',
  'nullable',
]);
const SCHEMAS = new Set(['items', 'not']);
const LISTS = new Set(['anyOf', 'oneOf', 'allOf']);
const MAPS = new Set(['properties', '$defs', 'definitions']);

/** What the checking keywords said goes into the description, where the model still reads it. */
export function outputSchema(schema: JsonObject): JsonObject {
  const out: JsonObject = {};
  const dropped: string[] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (KEPT.has(key)) out[key] = value;
    else if (SCHEMAS.has(key)) out[key] = inner(value);
    else if (LISTS.has(key) && Array.isArray(value)) {
      out[key === 'oneOf' ? 'anyOf' : key] = value.map(inner);
    } else if (MAPS.has(key)) {
      out[key] = Object.fromEntries(
        Object.entries(objectOf(value) ?? {}).map(([name, item]) => [name, inner(item)]),
      );
    } else if (key !== 'additionalProperties' && !key.startsWith('$')) {
      dropped.push(`${key}: ${JSON.stringify(value)}`);
    }
  }
  if (schema.type === 'object' || schema.properties) {
    out.properties ??= {};
    out.additionalProperties = false;
  }
  if (dropped.length > 0) {
    out.description = [schema.description, `{${dropped.join(', ')}}`].filter(Boolean).join('\n\n');
  }
  return out;
}

const inner = (value: Json | undefined): Json => {
  const schema = objectOf(value);
  return schema ? outputSchema(schema) : (value ?? {});
};

/** A tool's schema must be an object at its top. */
export const toolSchema = (parameters: JsonObject | undefined): JsonObject =>
  parameters?.type === 'object' ? parameters : { properties: {}, ...parameters, type: 'object' };
