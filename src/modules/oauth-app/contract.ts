/** What the calls take and answer by which root registers applications. */
import { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { rowIds } from '../../core/wire/whole.ts';
import { OAUTH_APP_ACTIONS, OAUTH_APP_ORDERS, type OAuthScope } from './facts.ts';

const TEXT_MAX = 2_000;
const LIST_MAX = 100;

/** Their rules refuse them, in words of their own; the schema only says what they are. */
const fields = {
  name: wireText(TEXT_MAX).nullish(),
  homepage: wireText(TEXT_MAX).nullish(),
  redirect_uris: z.array(wireText(TEXT_MAX)).max(LIST_MAX).nullish(),
  scopes: z.array(wireText(TEXT_MAX)).max(LIST_MAX).nullish(),
  enabled: z.boolean().nullish(),
};

/** `confidential`: it can keep a secret, as a program on a server can. */
export const createBody = z.object({ ...fields, confidential: z.boolean().nullish() });
/** What is absent or null stays as it is. */
export const updateBody = z.object(fields);
export type CreateBody = z.output<typeof createBody>;
export type UpdateBody = z.output<typeof updateBody>;

export const manyBody = z.object({ ids: rowIds, action: z.enum(OAUTH_APP_ACTIONS) });
export const listQuery = pagingQuery.extend({
  keyword: wireText(TEXT_MAX).optional(),
  /** Newest first without one. */
  sort: askedOrder(OAUTH_APP_ORDERS),
});
export type ListQuery = z.output<typeof listQuery>;

export interface OAuthAppItem {
  id: number;
  client_id: string;
  name: string;
  homepage: string;
  redirect_uris: string[];
  scopes: OAuthScope[];
  confidential: boolean;
  enabled: boolean;
  /** Users who have agreed to something. */
  users: number;
  created_at: number;
}

/** A registration that was just made, or given a new secret: the only answer that has it. Null for a public application. */
export interface OAuthAppWithSecret extends OAuthAppItem {
  client_secret: string | null;
}

/** An application that a user has let do something. */
export interface AllowedApp {
  /** Of the application. */
  id: number;
  name: string;
  homepage: string;
  scopes: OAuthScope[];
  /** What they let it do, in words. */
  may: string[];
  /** Relay tokens that it made and that are still there. */
  tokens: number;
  created_at: number;
  /** 0 for never. */
  used_at: number;
}
