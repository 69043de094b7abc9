/** What the token calls take and answer. */
import { z } from 'zod';
import { limits } from '../../core/limits.ts';
import { partsMost } from '../../core/wire/lists.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowId, whole } from '../../core/wire/whole.ts';
import { TOKEN_ORDERS } from './facts.ts';

/** Both lists may have a quarter of it together; what is longer was stored before, and comes back as it was given. */
const MODELS_TEXT_MAX = 4 * limits.tokenListsBytes;
/** Each an address of 43 letters at most, its line, and something beside it. */
const NETWORKS_TEXT_MAX = limits.tokenListsBytes;

const id = rowId;

/** A field that is absent or null stays as it is (or takes its default), so that a row may come back as GET gave it. */
const fields = {
  name: wireText(300).nullish(),
  remain_quota: z.number().nullish(),
  unlimited_quota: z.boolean().nullish(),
  /** -1 for never, unix seconds, or `yyyy-MM-dd HH:mm:ss`. */
  expired_time: z.union([z.number(), wireText(40)]).nullish(),
  model_limits_enabled: z.boolean().nullish(),
  /** A comma list, or an array. */
  model_limits: z
    .union([wireText(MODELS_TEXT_MAX), z.array(wireText(300)).max(partsMost(limits.tokenModels))])
    .nullish(),
  /** One address or network a line. */
  allow_ips: wireText(NETWORKS_TEXT_MAX).nullish(),
  group: wireText(100).nullish(),
  /** Whether it may call with its owner's own keys at suppliers, which its quota does not bound. */
  own_keys: z.boolean().nullish(),
};

export const createBody = z.object(fields);

export const updateBody = z.object({
  id,
  ...fields,
  /** 3 and 4 are computed: a row that comes back with them says nothing. */
  status: z.number().int().min(1).max(4).nullish(),
  /** Sets the quota only if it still is this. */
  quota_before: whole('bigint').nullish(),
});

export type CreateBody = z.output<typeof createBody>;
export type UpdateBody = z.output<typeof updateBody>;

export const updateQuery = z.object({ status_only: z.string().optional(), mask: z.string().optional() });
export const idsBody = z.object({ ids: z.array(id).max(1_000) });

/** `mask=true`: keys only as `Ab3d…9f2`. */
export const readQuery = z.object({ mask: z.string().optional() });
export const listQuery = pagingQuery.extend({ mask: z.string().optional() });

/** A filter that is no such status is no filter, so that an old link still opens. */
export const pageQuery = listQuery.extend({
  keyword: wireText(300).optional(),
  token: wireText(300).optional(),
  /** One of TOKEN_STATUS, as it is now. */
  status: z.coerce.number().int().min(1).max(4).optional().catch(undefined),
  group: wireText(100).optional(),
  /** Newest first without one. */
  sort: askedOrder(TOKEN_ORDERS),
});

/** A token as its owner sees it. */
export interface TokenItem {
  id: number;
  user_id: number;
  /** Without `sk-`. */
  key: string;
  name: string;
  status: number;
  remain_quota: number;
  unlimited_quota: boolean;
  used_quota: number;
  expired_time: number;
  model_limits_enabled: boolean;
  model_limits: string;
  allow_ips: string;
  group: string;
  own_keys: boolean;
  created_time: number;
  accessed_time: number;
}

/** What bounds its use, and whether it may use its owner's own keys, which no quota bounds. */
export type TokenBounds = Pick<
  TokenItem,
  | 'status'
  | 'unlimited_quota'
  | 'remain_quota'
  | 'expired_time'
  | 'model_limits_enabled'
  | 'model_limits'
  | 'allow_ips'
  | 'own_keys'
>;
