/** Types and readers for JSON whose shape is not known yet. */
import { LEVELS_MAX, nestsDeeper } from './json-depth.ts';

export type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [key: string]: Json | undefined };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The parsed text, or undefined when it is no JSON; nor is what nests so deeply that whoever walks through it, or writes it
 * down again, would fill the stack.
 */
export function parseJson(text: string): unknown {
  if (nestsDeeper(text, LEVELS_MAX)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The parsed text when it is a JSON object, else undefined. */
export function parseObject(text: string): JsonObject | undefined {
  const value = parseJson(text);
  return isObject(value) ? (value as JsonObject) : undefined;
}
