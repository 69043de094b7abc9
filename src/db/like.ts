/** Patterns for LIKE. What a caller types is text, not a pattern. */

const escaped = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/** Matches texts that contain `text`. */
export const containing = (text: string): string => `%${escaped(text)}%`;

/** Matches texts that begin with `text`. */
export const startingWith = (text: string): string => `${escaped(text)}%`;

/** Matches texts that end with `text`. */
export const endingWith = (text: string): string => `%${escaped(text)}`;

/** `%` stands for anything, as callers of the log filters write it; without one the text may stand anywhere. */
export const wildcard = (text: string): string =>
  text.includes('%') ? text.split('%').map(escaped).join('%') : containing(text);
