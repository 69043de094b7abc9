/**
 * What a gateway copies in a schema that it writes for Google, without any reference: a list of types becomes branches, each
 * with all that was said of objects or of lists, and what described the whole stands in each branch below it (LiteLLM's
 * `_filter_anyof_fields` and `_convert_schema_types`).
 */
import type { Json, JsonObject } from '../core/json.ts';

const NONE: readonly Json[] = [];

const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? value : NONE);

const typesIn = ({ type }: JsonObject): readonly Json[] => {
  const types = listOf(type);
  return types.length > 1 ? types : NONE;
};

/** How often a schema says the same of what it holds. */
export const repeatsOf = (schema: JsonObject): number =>
  Math.max(1, typesIn(schema).filter((type) => type === 'object' || type === 'array').length);

/** The branches of a schema: of those that are types alone nothing but their number is of interest. */
export const branchesOf = (schema: JsonObject): { types: number; schemas: readonly Json[] } => ({
  types: typesIn(schema).length,
  schemas: listOf(schema.anyOf),
});

const hasBranches = (schema: JsonObject): boolean =>
  listOf(schema.anyOf).length > 0 || typesIn(schema).length > 0;

/** What is copied into each branch; undefined where there is none, or nothing to copy. */
export function describedIn(schema: JsonObject): JsonObject | undefined {
  if (!hasBranches(schema)) return undefined;
  const { title, description } = schema;
  const isSaid = typeof title === 'string' || typeof description === 'string';
  return isSaid ? { title, description } : undefined;
}

/** Whether anything of a schema is copied. */
export const isCopied = (schema: JsonObject): boolean =>
  hasBranches(schema) && (describedIn(schema) !== undefined || repeatsOf(schema) > 1);
