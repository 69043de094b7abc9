/** What the queries of the logs have in common. */
import { z } from 'zod';
import { wireText } from './text.ts';
import { askedSeconds } from './whole.ts';

export const askedText = wireText(300).trim().optional();

/** Unix seconds, both inclusive. */
export const timeQuery = z.object({ start_timestamp: askedSeconds, end_timestamp: askedSeconds });

/** The time that is asked for; 0 is the page's "no limit". */
export const readTime = (query: z.output<typeof timeQuery>): { from?: number; to?: number } => ({
  from: query.start_timestamp || undefined,
  to: query.end_timestamp || undefined,
});
