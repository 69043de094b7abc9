/** What the calls on recommended prompts take and answer. */
import { z } from 'zod';
import { TOOL_SERVICE_NAME } from '../../core/tool-services.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { askedText } from '../../core/wire/query.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowIds } from '../../core/wire/whole.ts';
import {
  FACET_TYPE,
  PLATFORMS,
  type Platform,
  PROMPT_ACTIONS,
  PROMPT_LIST_MAX,
  PROMPT_ORDERS,
  PROMPT_TAG_MAX,
} from './facts.ts';

const TEXT_LIMIT = 20_000;

const listOf = <T extends z.ZodType>(entry: T) => z.array(entry).max(PROMPT_LIST_MAX).nullish();

/** What has rules with words of its own is refused by them; the schema only says what it is. Absent and null stay as they are. */
export const promptBody = z.object({
  title: wireText(TEXT_LIMIT).nullish(),
  mcp: listOf(z.string().trim().regex(TOOL_SERVICE_NAME)),
  instruction: wireText(TEXT_LIMIT).nullish(),
  /** Of the client, from which on it is shown; empty for every one. */
  version: wireText(TEXT_LIMIT).nullish(),
  /** Higher ones come first. */
  sort: z.number().nullish(),
  /** None for all. */
  platform: listOf(z.enum(PLATFORMS)),
  release: z.boolean().nullish(),
  facets: listOf(z.object({ type: z.literal(FACET_TYPE).default(FACET_TYPE), path: wireText(TEXT_LIMIT) })),
  tags: listOf(wireText(PROMPT_TAG_MAX).trim().min(1)),
  result_link: wireText(TEXT_LIMIT).nullish(),
});
export type PromptBody = z.output<typeof promptBody>;

export const manyBody = z.object({ ids: rowIds, action: z.enum(PROMPT_ACTIONS) });

/** What does not fit the client that asks is left out. */
export const listQuery = z.object({
  platform: askedText,
  /** Of the client. */
  version: askedText,
});
/** Highest `sort` first without an order. */
export const adminQuery = z.object({ sort: askedOrder(PROMPT_ORDERS) });
export type PromptQuery = Partial<z.output<typeof listQuery> & z.output<typeof adminQuery>>;

export interface Prompt {
  id: number;
  title: string;
  mcp: string[];
  instruction: string;
  version: string;
  sort: number;
  platform: Platform[];
  release: boolean;
  facets: { type: typeof FACET_TYPE; path: string }[];
  tags: string[];
  result_link: string;
}
