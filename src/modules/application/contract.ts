/** What the calls on the marketplace take and answer. */
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { askedText } from '../../core/wire/query.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowId } from '../../core/wire/whole.ts';
import { APPLICATION_ORDERS, APPLICATION_TYPES, type ApplicationType } from './facts.ts';

const TEXT_LIMIT = 10_000;
const GROUP_MAX = 64;
const GROUPS_MAX = 100;
const KEYWORD_MAX = 50;
const KEYWORDS_MAX = 20;

/** Their rules refuse them, in the specification's words; the schema only says what they are. Absent and null stay as they are. */
export const applicationBody = z.object({
  name: wireText(TEXT_LIMIT).nullish(),
  display_name: wireText(TEXT_LIMIT).nullish(),
  version: wireText(TEXT_LIMIT).nullish(),
  description: wireText(TEXT_LIMIT).nullish(),
  homepage: wireText(TEXT_LIMIT).nullish(),
  dxt_url: wireText(TEXT_LIMIT).nullish(),
  type: z.enum(APPLICATION_TYPES).nullish(),
  /** Higher ones come first. A text is read as far as it is a number. */
  rank: z.union([z.number(), wireText(TEXT_LIMIT)]).nullish(),
  /** Names of groups; none for everybody. */
  app_groups: z.array(wireText(GROUP_MAX).trim().min(1)).max(GROUPS_MAX).nullish(),
  keywords: z.array(wireText(KEYWORD_MAX).trim().min(1)).max(KEYWORDS_MAX).nullish(),
});
export type ApplicationBody = z.output<typeof applicationBody>;

export const batchBody = z.object({ ids: z.array(rowId).max(limits.applications).nullish() });

/** Of whoever asks: his own group, or another one that he may use. */
export const listQuery = z.object({ group: askedText });

/** Highest rank first without an order. */
export const adminQuery = z.object({ sort: askedOrder(APPLICATION_ORDERS) });
export type AdminQuery = z.output<typeof adminQuery>;

export const dxtQuery = z.object({
  name: wireText(TEXT_LIMIT).default(''),
  version: wireText(TEXT_LIMIT).default(''),
});

export interface Application {
  id: number;
  /** What it is known by; there is one of each. */
  name: string;
  display_name: string;
  version: string;
  description: string;
  homepage: string;
  /** Where its package is. */
  dxt_url: string;
  type: ApplicationType;
  rank: number;
  app_groups: string[];
  keywords: string[];
}
