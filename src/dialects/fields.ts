/** Reading fields of wire objects whose types nobody promised: a field of the wrong type counts as absent. */
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { secOf } from '../core/time.ts';

export const objectOf = (value: unknown): JsonObject | undefined =>
  isObject(value) ? (value as JsonObject) : undefined;

/** The objects of a list; whatever else stands in it is passed over. */
export const objectsOf = (value: unknown): JsonObject[] =>
  Array.isArray(value) ? value.filter((item): item is JsonObject => isObject(item)) : [];

export const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

export const numberOf = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;

export const flagOf = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : undefined;

/** A count of tokens: a whole number from 0 on; undefined when the field says nothing of the kind. */
export const countOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && Number.isFinite(value) ? Math.round(value) : undefined;

/** The largest of counts that several names have for the same: some write zeros under all but one. Undefined when none is told. */
export function largestOf(values: readonly unknown[]): number | undefined {
  const counts = values.flatMap((value) => countOf(value) ?? []);
  return counts.length === 0 ? undefined : Math.max(...counts);
}

/** Unix seconds of a time that is written out; 0 when the field is none. */
export const writtenSec = (time: unknown): number =>
  typeof time === 'string' ? secOf(Date.parse(time)) || 0 : 0;

/** The word when it is one of those, else undefined. */
export const oneOf = <const Word extends string>(value: unknown, words: readonly Word[]): Word | undefined =>
  words.find((word) => word === value);

/** The object without its undefined fields, so that absent stays absent when it is compared or spread. */
export function compact<T extends object>(fields: T): T {
  const kept = { ...fields };
  for (const key in kept) if (kept[key] === undefined) delete kept[key];
  return kept;
}

/** The fields that are not among the known ones. */
export function fieldsBut(object: JsonObject, known: ReadonlySet<string>): JsonObject {
  const rest: JsonObject = {};
  for (const [key, value] of Object.entries(object)) if (!known.has(key)) rest[key] = value;
  return rest;
}

/** The fields of all of them; of a field that several have a later one's hold. Written once, however many there are. */
export const merged = (objects: readonly JsonObject[]): JsonObject =>
  Object.fromEntries(objects.flatMap((object) => Object.entries(object)));

export const hasFields = (object: object): boolean => {
  for (const _ in object) return true;
  return false;
};

/**
 * Takes the fields of a wire object one by one and knows what nobody took: what has another type than expected stays
 * with the rest, so that nothing is lost unseen. A null says no more than an absent field.
 */
export class FieldTaker {
  readonly #left: JsonObject;

  constructor(object: JsonObject) {
    this.#left = { ...object };
  }

  take<T>(name: string, read: (value: unknown) => T | undefined): T | undefined {
    const value = this.#left[name];
    const seen = value === null || value === undefined ? undefined : read(value);
    if (seen !== undefined || value === null) delete this.#left[name];
    return seen;
  }

  text = (name: string): string | undefined => this.take(name, textOf);
  number = (name: string): number | undefined => this.take(name, numberOf);
  flag = (name: string): boolean | undefined => this.take(name, flagOf);
  object = (name: string): JsonObject | undefined => this.take(name, objectOf);
  list = (name: string): Json[] | undefined =>
    this.take(name, (value) => (Array.isArray(value) ? (value as Json[]) : undefined));

  /** What is left; undefined when nothing is. */
  get rest(): JsonObject | undefined {
    return hasFields(this.#left) ? this.#left : undefined;
  }
}
