/** Text as it may arrive from outside. */
import { z } from 'zod';

/** What Postgres cannot store: NUL and halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** A text of at most `max` characters that the database can hold. */
export const wireText = (max: number) => z.string().max(max).refine(isStorable, 'not a valid text');

/** The trimmed, non-empty parts of a list that is written with separators, each once. */
export function splitList(text: string, separator: RegExp | string): string[] {
  const parts = text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean);
  return [...new Set(parts)];
}

/** A comma list, or already an array. */
export const listOf = (value: string | readonly string[]): string[] =>
  splitList(typeof value === 'string' ? value : value.join(','), ',');
