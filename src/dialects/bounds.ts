/** The bounds that every chat request is held to before anything else happens; each refusal names its field. */
import { fail } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import { limits } from '../core/limits.ts';

const MODEL_CHARS_MAX = 256;

export const refuse = (field: string, reason: string) =>
  fail('invalid_request', { params: { field, reason: `Invalid '${field}': ${reason}.` } });

export const isAbsent = (value: unknown): value is null | undefined => value === undefined || value === null;

/** A whole number within bounds, or null when it is absent. */
export function integerIn(value: unknown, field: string, least: number, most: number): number | null {
  if (isAbsent(value)) return null;
  if (typeof value !== 'number' || !Number.isInteger(value)) throw refuse(field, 'an integer is expected');
  if (value < least || value > most) throw refuse(field, `it must be between ${least} and ${most}`);
  return value;
}

export const outputCapIn = (value: unknown, field: string): number | null =>
  integerIn(value, field, 1, limits.maxTokensCap);

export const choicesIn = (value: unknown, field: string): number =>
  integerIn(value, field, 1, limits.choicesMax) ?? 1;

export function flagIn(value: unknown, field: string): boolean {
  if (isAbsent(value)) return false;
  if (typeof value !== 'boolean') throw refuse(field, 'a boolean is expected');
  return value;
}

export function modelIn(model: unknown): string {
  if (isAbsent(model) || model === '') throw refuse('model', 'it is missing');
  if (typeof model !== 'string') throw refuse('model', 'a string is expected');
  if (model.includes('\0')) throw refuse('model', 'it must not hold a NUL');
  if (model.length > MODEL_CHARS_MAX) throw refuse('model', 'it is too long');
  return model;
}

/** A list of objects, at least one; each must pass `check`, which is told where it stands. */
export function messagesIn(
  value: unknown,
  field: string,
  check: (message: JsonObject, at: string) => void,
): JsonObject[] {
  if (isAbsent(value)) throw refuse(field, 'it is missing');
  if (!Array.isArray(value)) throw refuse(field, 'an array is expected');
  if (value.length === 0) throw refuse(field, 'at least one message is expected');
  if (value.length > limits.messagesMax)
    throw refuse(field, `at most ${limits.messagesMax} messages are taken`);
  return objectsIn(value, field, check);
}

/** Refuses a list with more entries than any call has: parts of a message, tools. */
export function boundedIn(value: unknown, field: string): void {
  if (Array.isArray(value) && value.length > limits.partsMax) {
    throw refuse(field, `at most ${limits.partsMax} entries are taken`);
  }
}

/** A list of objects or nothing. */
export function objectsIn(
  value: unknown,
  field: string,
  check: (item: JsonObject, at: string) => void = () => undefined,
): JsonObject[] {
  if (isAbsent(value)) return [];
  if (!Array.isArray(value)) throw refuse(field, 'an array is expected');
  boundedIn(value, field);
  return value.map((item, n) => {
    if (!isObject(item)) throw refuse(`${field}[${n}]`, 'an object is expected');
    check(item as JsonObject, `${field}[${n}]`);
    return item as JsonObject;
  });
}

/** An object or nothing. */
export function objectIn(value: unknown, field: string): JsonObject | undefined {
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw refuse(field, 'an object is expected');
  return value as JsonObject;
}

/** Fields that must be strings where they are present. */
export function textsIn(object: JsonObject, at: string, fields: readonly string[]): void {
  for (const field of fields) {
    if (!isAbsent(object[field]) && typeof object[field] !== 'string') {
      throw refuse(`${at}.${field}`, 'a string is expected');
    }
  }
}
