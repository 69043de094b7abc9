/** What the redemption calls take and answer. */
import { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowId, rowIds } from '../../core/wire/whole.ts';
import { REDEMPTION_ACTIONS, REDEMPTION_ORDERS, REDEMPTION_STATES } from './facts.ts';

const NAME_LIMIT = 300;
/** Codes of other systems are longer than ours, never longer than this. */
const CODE_LIMIT = 300;

/** Their rules refuse them, in the specification's words; the schema only says what they are. */
const fields = {
  name: wireText(NAME_LIMIT).nullish(),
  quota: z.number().nullish(),
  /** Unix seconds; -1 for never. */
  expired_time: z.number().nullish(),
};

export const createBody = z.object({ ...fields, count: z.number().nullish() });
/** A row may come back as GET gave it: what is absent or null stays as it is. */
export const updateBody = z.object({ id: rowId, ...fields, status: z.number().nullish() });
export type CreateBody = z.output<typeof createBody>;
export type UpdateBody = z.output<typeof updateBody>;

export const updateQuery = z.object({ status_only: z.string().optional() });
export const idsBody = z.object({ ids: rowIds });
export const manyBody = z.object({ ids: rowIds, action: z.enum(REDEMPTION_ACTIONS) });

export const listQuery = pagingQuery;

/** A filter that is no such state is no filter, so that an old link still opens. */
export const searchQuery = listQuery.extend({
  /** Part of the name, or an id. */
  keyword: wireText(NAME_LIMIT).optional(),
  status: z.enum(REDEMPTION_STATES).optional().catch(undefined),
  /** Newest first without one. */
  sort: askedOrder(REDEMPTION_ORDERS),
});

/** Any text is a code, so that codes that were brought from elsewhere can be redeemed. */
export const codeBody = z.object({ key: wireText(CODE_LIMIT).nullish() });

/** A code as administrators see it. */
export interface RedemptionItem {
  id: number;
  /** Who made it. */
  user_id: number;
  /** As `3f9a…b21`. */
  key: string;
  name: string;
  /** One of REDEMPTION_STATUS. */
  status: number;
  quota: number;
  created_time: number;
  expired_time: number;
  /** Unix seconds; 0 while it was not used. */
  redeemed_time: number;
  /** 0 for nobody. */
  used_user_id: number;
  used_username: string;
}
