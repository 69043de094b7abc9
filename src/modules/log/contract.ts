/** What the calls on the log take. */
import { z } from 'zod';
import { LOG_TYPE } from '../../core/log-types.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery } from '../../core/wire/paging.ts';
import { askedText, readTime, timeQuery } from '../../core/wire/query.ts';
import { askedSeconds, askedWhole } from '../../core/wire/whole.ts';
import { ALL_LOG_ORDERS, LOG_ORDERS } from './facts.ts';
import type { LogFilter } from './filter.ts';

export const ownQuery = pagingQuery.extend({
  ...timeQuery.shape,
  type: askedWhole('smallint'),
  token_name: askedText,
  /** Names of tokens repeat; figures of whole hours know their numbers alone. */
  token_id: askedWhole('bigint'),
  /** In quotes the whole name; else a part of it, in which `%` stands for anything. */
  model_name: askedText,
  group: askedText,
  /** Ours, of a call that failed: of one that came to nothing where no type is asked for. */
  code: askedText,
  request_id: askedText,
  /** Newest first without one; an order is one of the newest rows, as many as there are pages for. */
  sort: askedOrder(LOG_ORDERS),
});

export const allQuery = ownQuery.extend({
  sort: askedOrder(ALL_LOG_ORDERS),
  username: askedText,
  channel: askedWhole('bigint'),
  description: askedText,
  /** The HTTP status that the caller got; 200 is every charged call. */
  status: askedWhole('smallint'),
});

export const ownFilter = (query: Omit<z.output<typeof ownQuery>, 'sort'>): LogFilter => ({
  ...readTime(query),
  // 0 is the page's "all", and "any channel".
  type: query.type || (query.code ? LOG_TYPE.refused : undefined),
  tokenName: query.token_name,
  tokenIds: query.token_id ? [query.token_id] : undefined,
  modelName: query.model_name,
  group: query.group,
  code: query.code,
  requestId: query.request_id,
});

export const allFilter = (query: z.output<typeof allQuery>): LogFilter => ({
  ...ownFilter(query),
  username: query.username,
  channelId: query.channel || undefined,
  description: query.description,
  status: query.status || undefined,
});

/** Whose tokens are offered to administrators. */
export const namesQuery = z.object({ username: askedText });

/** A row by its number, or a call by its request id. */
export const rowParam = z.object({ row: z.string().max(36) });

export const recomputeBody = z.object({ hash: z.string().max(128).optional() }).optional();

export const deleteQuery = z.object({ target_timestamp: askedSeconds });
