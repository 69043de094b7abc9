/** Lists as they are typed, in one text. */
import { callersSet } from '../callers-keys.ts';

/** The trimmed, non-empty parts of a list that is written with separators, each once. Throws `invalid_request`. */
export function splitList(text: string, separator: RegExp | string): string[] {
  const parts = text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);
  return [...callersSet(parts)];
}

/** A comma list, or already an array. */
export const listOf = (value: string | readonly string[]): string[] =>
  splitList(typeof value === 'string' ? value : value.join(','), ',');
