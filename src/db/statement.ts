/** What the two drivers answer differently, made alike: raw rows, 64-bit integers, SQLSTATE codes, list parameters. */
import { isObject, type Json } from '../core/json.ts';

export type Param = string | number | boolean | null;
export type Row = Record<string, unknown>;

/** Bun.sql (asked for bigint) gives BigInt for every int8, PGlite only beyond 2^53-1. Here both are numbers, or an error. */
export function plainRow(row: Row): Row {
  for (const key in row) {
    const value = row[key];
    if (typeof value === 'bigint') {
      const number = Number(value);
      if (!Number.isSafeInteger(number)) throw new RangeError(`column ${key} holds ${value}, beyond 2^53-1`);
      row[key] = number;
    }
  }
  return row;
}

/** Rows of `execute()` inside a Drizzle transaction: Bun.sql answers an array, PGlite an object. */
export function rowsOf<T = Row>(result: unknown): T[] {
  const rows = Array.isArray(result)
    ? result
    : isObject(result) && Array.isArray(result.rows)
      ? result.rows
      : [];
  return rows.map((row: Row) => plainRow(row)) as T[];
}

/** `{1,2,3}`: the one form of an array that both drivers take. Cast it: `$1::bigint[]`. */
export const numberList = (values: readonly number[]): string => `{${values.join(',')}}`;

/** A text[] literal. */
export const textList = (values: readonly (string | null)[]): string =>
  `{${values.map((value) => (value === null ? 'NULL' : `"${escaped(value)}"`)).join(',')}}`;

const SPECIAL = /["\\]/;
const EACH_SPECIAL = /["\\]/g;
const escaped = (value: string): string =>
  SPECIAL.test(value) ? value.replace(EACH_SPECIAL, '\\$&') : value;

/**
 * The same of texts that were written as JSON: they hold no character that JSON has another escape for than Postgres, so
 * that the runtime's own writer serves, which is many times as fast where nearly every word is in quotes.
 */
export const jsonTextList = (written: readonly string[]): string =>
  `{${JSON.stringify(written).slice(1, -1)}}`;

/** Text as Postgres takes it: without character 0, and without halves of surrogate pairs. */
export const storableText = (text: string): string => text.replaceAll('\0', '').toWellFormed();

/** What jsonb refuses in a JSON text: the same, which callers' words and upstreams' error texts may hold. */
const REFUSED = /\\u(0000|d[89a-f])/i;

/** A value as JSON text that jsonb takes, names of fields included. */
export function storableJson(value: Json): string {
  const written = JSON.stringify(value);
  if (!REFUSED.test(written)) return written;
  return JSON.stringify(value, (_key, held: unknown) => {
    if (typeof held === 'string') return storableText(held);
    if (!isObject(held)) return held;
    return Object.fromEntries(Object.entries(held).map(([name, field]) => [storableText(name), field]));
  });
}

export const SQLSTATE = {
  uniqueViolation: '23505',
  checkViolation: '23514',
  foreignKeyViolation: '23503',
  deadlock: '40P01',
  queryCanceled: '57014',
  lockNotAvailable: '55P03',
  serializationFailure: '40001',
  numericOutOfRange: '22003',
  undefinedTable: '42P01',
} as const;

/** The five-character SQLSTATE of a database error, wherever the driver keeps it; undefined for anything else. */
export function sqlState(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; isObject(at) && depth < 4; at = at.cause, depth++) {
    for (const value of [at.errno, at.code]) {
      if (typeof value === 'string' && /^[0-9A-Z]{5}$/.test(value)) return value;
    }
  }
  return undefined;
}

export const isUniqueViolation = (error: unknown): boolean => sqlState(error) === SQLSTATE.uniqueViolation;

/** The name of the constraint that a database error names. */
export function constraintOf(error: unknown): string | undefined {
  for (let at: unknown = error, depth = 0; isObject(at) && depth < 4; at = at.cause, depth++) {
    if (typeof at.constraint === 'string') return at.constraint;
  }
  return undefined;
}

/**
 * Classes 08, 53, 57, a lock that is not to be had in time, a transaction that was ended for doing nothing, and the
 * drivers' own codes, and what an embedded engine throws that has broken: the database is away or refuses work; nothing
 * is wrong with the statement.
 */
export function isUnreachable(error: unknown): boolean {
  const state = sqlState(error);
  if (state) return /^(08|53|57|55P03|25P03)/.test(state);
  if (error instanceof WebAssembly.RuntimeError) return true;
  if (error instanceof Error && /^PGlite is clos/.test(error.message)) return true;
  for (let at: unknown = error, depth = 0; isObject(at) && depth < 4; at = at.cause, depth++) {
    const code = typeof at.code === 'string' ? at.code : '';
    if (
      /^ERR_POSTGRES_(CONNECTION|LIFETIME|IDLE|NOT_TAGGED)|^ECONN|^EPIPE|^ETIMEDOUT|TIMEOUT|CLOSED/.test(code)
    )
      return true;
  }
  return false;
}
