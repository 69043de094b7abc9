/** How large a body can be that fits its schema, and of how many names: what is larger need not be read to be refused. */
import { z } from 'zod';
import { limits } from '../core/limits.ts';

/** A character that is written by its number, as some clients write all but ASCII. */
const CHARACTER = 6;
const NUMBER = 25;
/** Blanks, and the quotes, colon and comma around a name. */
const AROUND = 8;

type Schema = z.core.JSONSchema._JSONSchema;

/** Bytes of the largest JSON that fits; Infinity where the schema sets no bound. Names that it does not know are not counted. */
function bytesOf(schema: Schema): number {
  if (typeof schema === 'boolean') return schema ? Number.POSITIVE_INFINITY : 0;
  const { enum: members, anyOf, oneOf, allOf } = schema;
  if (members) return Math.max(...members.map((member) => JSON.stringify(member).length));
  if (schema.const !== undefined) return JSON.stringify(schema.const).length;
  const choices = anyOf ?? oneOf;
  if (choices) return Math.max(...choices.map(bytesOf));
  if (allOf) return sum(allOf.map(bytesOf));
  if (Array.isArray(schema.type)) return Math.max(...schema.type.map((type) => bytesOf({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return schema.maxLength === undefined ? Number.POSITIVE_INFINITY : schema.maxLength * CHARACTER + 2;
    case 'number':
    case 'integer':
      return NUMBER;
    case 'boolean':
    case 'null':
      return 5;
    case 'array':
      return arrayBytes(schema);
    case 'object':
      return objectBytes(schema);
    default:
      return Number.POSITIVE_INFINITY;
  }
}

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

function arrayBytes({ items, maxItems }: Exclude<Schema, boolean>): number {
  if (maxItems === undefined || items === undefined || Array.isArray(items)) return Number.POSITIVE_INFINITY;
  return maxItems * (bytesOf(items) + AROUND);
}

function objectBytes({ properties = {}, additionalProperties }: Exclude<Schema, boolean>): number {
  // `false` and nothing at all both mean that what else is sent is dropped.
  if (additionalProperties) return Number.POSITIVE_INFINITY;
  return sum(
    Object.entries(properties).map(([name, field]) => name.length * CHARACTER + AROUND + bytesOf(field)),
  );
}

/** Whether there may be names in it that are the caller's own. */
function takesAnyName(schema: Schema): boolean {
  if (typeof schema === 'boolean') return schema;
  const { anyOf, oneOf, allOf, items, properties, additionalProperties, type } = schema;
  if (additionalProperties || items === true || Array.isArray(items)) return true;
  const inner = [...(anyOf ?? []), ...(oneOf ?? []), ...(allOf ?? []), ...Object.values(properties ?? {})];
  if (items) inner.push(items);
  const saysNothing = type === undefined && inner.length === 0 && !schema.enum && schema.const === undefined;
  return saysNothing || inner.some(takesAnyName);
}

export interface BodyMost {
  bytes: number;
  /** Different names in it. */
  names: number;
}

/**
 * The most that a call of `/api` reads of a body for `schema`: what can fit, and room for fields that are ignored, as in a
 * row that comes back as it was given. Without a schema there is nothing to fit.
 */
export function bodyMost(schema: unknown): BodyMost {
  const room = limits.guestBodyBytes;
  if (!(schema instanceof z.ZodType)) return { bytes: room, names: limits.formNames };
  const fitted = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const fitting = bytesOf(fitted);
  return {
    bytes: Math.min(fitting <= room / 2 ? room : fitting + room, limits.apiBodyBytes),
    names: takesAnyName(fitted) ? limits.jsonKeysMax : limits.formNames,
  };
}
