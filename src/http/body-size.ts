/** How large a body can be that fits its schema, and of how many values and names: what is larger need not be read to be refused. */
import { z } from 'zod';
import { limits } from '../core/limits.ts';

/** A character that is written by its number, as some clients write all but ASCII. */
const CHARACTER = 6;
const NUMBER = 25;
/** Blanks, and the quotes, colon and comma around a name. */
const AROUND = 8;

type Schema = z.core.JSONSchema._JSONSchema;

/** Of JSON; Infinity where there is no bound. */
interface Size {
  bytes: number;
  /** As `valuesIn` counts them, with the comma before it. */
  values: number;
}

const ENDLESS: Size = { bytes: Number.POSITIVE_INFINITY, values: Number.POSITIVE_INFINITY };

const one = (bytes: number): Size => ({ bytes, values: 1 });

const oneOfMembers = (members: readonly unknown[]): Size =>
  one(Math.max(...members.map((member) => JSON.stringify(member).length)));

const largest = (sizes: readonly Size[]): Size => ({
  bytes: Math.max(...sizes.map(({ bytes }) => bytes)),
  values: Math.max(...sizes.map(({ values }) => values)),
});

const sum = (sizes: readonly Size[]): Size => ({
  bytes: sizes.reduce((all, { bytes }) => all + bytes, 0),
  values: sizes.reduce((all, { values }) => all + values, 0),
});

/** What stands in brackets, with the comma before them. */
const enclosed = ({ bytes, values }: Size): Size => ({ bytes, values: values + 2 });

/** The largest JSON that fits. Names that the schema does not know are not counted. */
function sizeOf(schema: Schema): Size {
  if (typeof schema === 'boolean') return schema ? ENDLESS : one(0);
  const { enum: members, anyOf, oneOf, allOf } = schema;
  if (members) return oneOfMembers(members);
  if (schema.const !== undefined) return oneOfMembers([schema.const]);
  const choices = anyOf ?? oneOf;
  if (choices) return largest(choices.map(sizeOf));
  if (allOf) return sum(allOf.map(sizeOf));
  if (Array.isArray(schema.type)) return largest(schema.type.map((type) => sizeOf({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return one((schema.maxLength ?? Number.POSITIVE_INFINITY) * CHARACTER + 2);
    case 'number':
    case 'integer':
      return one(NUMBER);
    case 'boolean':
    case 'null':
      return one(5);
    case 'array':
      return enclosed(sizeOfItems(schema));
    case 'object':
      return enclosed(sizeOfFields(schema));
    default:
      return ENDLESS;
  }
}

function sizeOfItems({ items, maxItems }: Exclude<Schema, boolean>): Size {
  if (maxItems === undefined || items === undefined || Array.isArray(items)) return ENDLESS;
  const { bytes, values } = sizeOf(items);
  return { bytes: maxItems * (bytes + AROUND), values: maxItems * values };
}

function sizeOfFields({ properties = {}, additionalProperties }: Exclude<Schema, boolean>): Size {
  // `false` and nothing at all both mean that what else is sent is dropped.
  if (additionalProperties) return ENDLESS;
  return sum(
    Object.entries(properties).map(([name, field]) => {
      const { bytes, values } = sizeOf(field);
      return { bytes: name.length * CHARACTER + AROUND + bytes, values };
    }),
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
  /** As `valuesIn` counts them: what has more is not even parsed, since every wrong value costs the finding of it. */
  values: number;
  /** Different names in it. */
  names: number;
  /** Whether the schema itself bounds it, and not only what any form may have. */
  isBounded: boolean;
}

/**
 * The most that a call of `/api` reads of a body for `schema`: what can fit, and room for fields that are ignored, as in a
 * row that comes back as it was given. Without a schema there is nothing to fit.
 */
export function bodyMost(schema: unknown): BodyMost {
  const room = limits.guestBodyBytes;
  if (!(schema instanceof z.ZodType)) {
    return { bytes: room, values: limits.formValuesBeside, names: limits.formNames, isBounded: true };
  }
  const fitted = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { bytes, values } = sizeOf(fitted);
  return {
    bytes: Math.min(bytes <= room / 2 ? room : bytes + room, limits.apiBodyBytes),
    values: Math.min(values + limits.formValuesBeside, limits.formValuesMax),
    names: takesAnyName(fitted) ? limits.jsonKeysMax : limits.formNames,
    isBounded: Number.isFinite(bytes) && Number.isFinite(values),
  };
}
