/** What the calls on users' own keys take and answer. */
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { partsMost } from '../../core/wire/lists.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { typedId, typedWhole } from '../../core/wire/whole.ts';
import { CUSTOM_MODEL_ORDERS } from './facts.ts';

/** As many names as there may be, as JSON may write them: a letter of three bytes by its number takes six. */
const NAMES_TEXT_LIMIT = 3 * limits.customModelNamesBytes;
/** Longer than any may be, which its rule refuses. */
const NAME_LIMIT = 300;
/** Keys that are documents are none of users'. */
const KEY_LIMIT = 4_000;
const ADDRESS_LIMIT = 2_000;

/** Names, or the text of a JSON list of them. */
const models = z
  .union([z.array(wireText(NAME_LIMIT)).max(partsMost(limits.customModelNames)), wireText(NAMES_TEXT_LIMIT)])
  .nullish();
/** Their rules refuse them, in the specification's words. A masked or empty key stays as it is. */
const key = wireText(KEY_LIMIT).nullish();

/** The supplier's address as it was shown to who gives the key, which is kept for no other. Absent: for whichever it is. */
const base_url = wireText(ADDRESS_LIMIT).nullish();

export const createBody = z.object({ supplier_id: typedId.nullish(), key, models, base_url });
export const updateBody = z.object({ key, models, base_url });
export type CreateBody = z.output<typeof createBody>;
export type UpdateBody = z.output<typeof updateBody>;

/** `key` is the id of a configuration, or the key itself, as old clients send it. */
export const checkQuery = z.object({ key: wireText(KEY_LIMIT).optional() });

/** Without a page, as old clients ask, as many as one answer may hold. */
export const allQuery = pagingQuery.extend({
  /** Part of a user's or a supplier's name. */
  keyword: wireText(ADDRESS_LIMIT).trim().optional(),
  /** Newest first without one. */
  sort: askedOrder(CUSTOM_MODEL_ORDERS),
});
export type AllQuery = z.output<typeof allQuery>;

/** Without a key, the caller's own for the supplier of this address is used. */
export const modelsBody = z.object({
  base_url: wireText(ADDRESS_LIMIT).nullish(),
  key,
  type: typedWhole('integer').nullish(),
});
export type ModelsBody = z.output<typeof modelsBody>;

export const balanceBody = z.object({
  channel_type: typedWhole('integer').nullish(),
  base_url: wireText(ADDRESS_LIMIT).nullish(),
  key,
});
export type BalanceBody = z.output<typeof balanceBody>;

/** What there is to say of a key besides what it is. */
interface KeyState {
  /** Masked. */
  key: string;
  /** US dollars; absent while nobody asked. */
  balance?: number;
  /** Unix seconds of the balance; 0 for none. */
  balance_at: number;
  /** The address of the supplier is another one by now: the key goes nowhere until it is given again. */
  key_needed: boolean;
  /** Unix seconds since when the supplier refuses the key; 0 while it does not. */
  refused_at: number;
}

/** A configuration as its user sees it. */
export interface CustomModel extends KeyState {
  id: number;
  supplier_id: number;
  supplier: { id: number; name: string; type: number; base_url: string; sdk: string; disable: boolean };
  models: string[];
}

/** The same as administrators see it. */
export interface UserCustomModel extends KeyState {
  id: number;
  user_id: number;
  username: string;
  supplier_id: number;
  supplier: { id: number; name: string; type: number; base_url: string; disable: boolean };
  /** A JSON list as text. */
  models: string;
}
