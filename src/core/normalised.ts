/**
 * Unicode's normal forms of what others write. Engines sort the marks that follow a letter one by one, so that 20,000 of
 * them, 40 KB, take seconds: nobody else calls `normalize` (tested).
 */

/** Marks, and what becomes one: no writing has so many on one letter (UAX 15, the stream-safe text format). */
const MARKS = /[\p{M}\uff9e\uff9f]{30}/gu;

/** What this format puts between marks: it is none, and nothing is sorted across it. */
const JOINER = '\u034f';

export const normalised = (text: string, form: 'NFKC' | 'NFKD' = 'NFKC'): string =>
  text.replace(MARKS, `$&${JOINER}`).normalize(form);
