/** What of a caller's own fields is left out when another wire is written, by the names that he gave them. */
import { isObject, type JsonObject } from '../core/json.ts';
import type { ReadFields } from './codec.ts';
import { objectOf } from './fields.ts';
import type { ChatRequest } from './neutral.ts';

/** Words for the way that every other service takes anyway. */
const USUAL: ReadonlySet<unknown> = new Set([null, false, '', 'disabled']);
const says = (value: unknown): boolean =>
  !USUAL.has(value) && !(isObject(value) && Object.keys(value).length === 0) && !isEmptyList(value);
const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

const namesIn = (fields: JsonObject | undefined, understood: { has(name: string): boolean }): string[] =>
  Object.entries(fields ?? {}).flatMap(([name, value]) =>
    says(value) && !understood.has(name) ? [name] : [],
  );

/** Names of the fields that only the caller's dialect knows. */
export function droppedExtras(
  { extra }: ChatRequest,
  { understood = [], within = {} }: ReadFields,
): string[] {
  return [
    ...namesIn(extra, new Set(understood)),
    ...Object.entries(within).flatMap(([field, inner]) => namesIn(objectOf(extra[field]), new Set(inner))),
  ];
}
