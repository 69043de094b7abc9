/** Lists as they are typed, in one text. */
import { callersSet } from '../callers-keys.ts';

/** How many parts a list of so many names may have as it is written: empty and repeated ones are dropped. */
export const partsMost = (names: number): number => 2 * names;

/** Whether a list has more parts than that as it is written, empty and repeated ones too: known before any part is made. */
export function hasMoreParts(text: string, separator: string, most: number): boolean {
  let at = -1;
  for (let parts = 1; parts <= most; parts++) {
    at = text.indexOf(separator, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** The trimmed, non-empty parts of a list that is written with separators, each once. Throws `invalid_request`. */
export function splitList(text: string, separator: RegExp | string): string[] {
  const parts = text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);
  return [...callersSet(parts)];
}

/** A comma list, or already an array, as a comma list. */
export const commaList = (value: string | readonly string[]): string =>
  typeof value === 'string' ? value : value.join(',');

/** The names of either. */
export const listOf = (value: string | readonly string[]): string[] => splitList(commaList(value), ',');
