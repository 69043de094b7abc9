/** Text as it may arrive from outside. */
import { z } from 'zod';

/** What Postgres cannot store: NUL and halves of surrogate pairs. */
export const isStorable = (text: string): boolean => !text.includes('\0') && text.isWellFormed();

/** A text of at most `max` characters that the database can hold. */
export const wireText = (max: number) => z.string().max(max).refine(isStorable, 'not a valid text');
