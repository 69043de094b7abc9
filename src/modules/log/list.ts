/** Pages of the log, newest first, and its sums. What costs too much is broken off instead of holding up everyone. */

import { type SQL, sql } from 'drizzle-orm';
import type { Locale } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import type { Order } from '../../core/order.ts';
import { readReason, reasonText } from '../../core/reasons.ts';
import { shareOfApp, shareOfKeys } from '../../core/share.ts';
import { MINUTE_SEC, nowSec } from '../../core/time.ts';
import type { Paging } from '../../core/wire/paging.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import type { Tx } from '../../db/client.ts';
import { orderText } from '../../db/order.ts';
import type { Deps } from '../deps.ts';
import { EACH } from '../usage/service.ts';
import { type ALL_LOG_ORDERS, appRecord } from './facts.ts';
import { isOfUsage, type LogFilter, logCondition } from './filter.ts';
import { byTokenIds } from './tokens.ts';
import {
  countLogs,
  countNewest,
  type Looked,
  lookedAt,
  mostLooked,
  newestLogs,
  type Outcomes,
  outcomesOf,
  readNewest,
  type Sums,
  sumLogs,
  type Total,
  UNKNOWN,
} from './totals.ts';

export interface LogTableRow {
  id: number;
  created_at: number;
  request_id: string | null;
  user_id: number;
  token_id: number;
  channel_id: number;
  channel_name: string | null;
  type: number;
  username: string;
  token_name: string;
  model_name: string;
  group_name: string;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  use_time: number;
  is_stream: boolean;
  ip: string;
  content: string;
  other: JsonObject | string;
}

/** A log row on the wire. */
export interface LogItem
  extends Omit<LogTableRow, 'request_id' | 'channel_id' | 'channel_name' | 'group_name' | 'other'> {
  request_id: string;
  channel: number;
  channel_name: string;
  group: string;
  /** JSON text. */
  other: string;
}

export interface LogPage {
  items: LogItem[];
  page: number;
  page_size: number;
  total: number;
  /** True when there are older rows that were not looked at: no page has them, and a narrower time does. */
  total_is_capped: boolean;
  /** How far was looked then: a time that ends there goes on with what is older. */
  looked: Looked | null;
  /** False while the operator wants no rows of charged calls: they are counted and charged, and not listed. */
  consumption_is_logged: boolean;
}

/** `all`: with channels and what only admins may know; `own`: as the user sees it. */
export type LogScope = 'all' | 'own';

type Reads = Pick<Deps, 'db'>;

export interface LogReader {
  id: number;
  scope: LogScope;
  locale: Locale;
}

export interface LogPaging extends Paging {
  /** Newest first without one. */
  sort?: Order<(typeof ALL_LOG_ORDERS)[number]> | undefined;
}

/** Throws LOG_TIMEOUT. */
export async function listLogs(
  { db, options }: Reads & Pick<Deps, 'options'>,
  reader: LogReader,
  filter: LogFilter,
  paging: LogPaging,
): Promise<LogPage> {
  const { rows, total, looked } = await boundedRead(
    db,
    { reader: reader.id, ms: limits.logReadMs },
    async (tx) => readPage(tx, await byTokenIds(tx, filter), paging),
  );
  return {
    items: rows.map((row) => logItem(row, reader)),
    page: paging.page,
    page_size: paging.pageSize,
    total,
    total_is_capped: looked !== null,
    looked,
    consumption_is_logged: options.get('LogConsumeEnabled'),
  };
}

export interface LogStat {
  /** Quota units and tokens of the rows that the filter has: of charged calls, unless it names another type. */
  quota: number;
  token: number;
  /** Calls that were charged. */
  calls: number;
  /** Calls that came to nothing; null where that is not known of exactly this time. */
  failed: Outcomes['failed'];
  /** What a success rate is made of; null where a type is asked for, and where it is not known. */
  success: Outcomes['success'];
  /** True when calls that were charged without a row are in these sums; in those of the last minute they never are. */
  knows_unlogged: boolean;
  /** Rows and tokens of the last minute, whatever time the filter names. */
  rpm: number;
  tpm: number;
  /** True when only the newest rows were looked at, and there are older ones. */
  is_capped: boolean;
  /** How far was looked then. */
  looked: Looked | null;
}

/** Throws LOG_TIMEOUT. */
export async function logStat(
  { db }: Reads,
  { id }: Pick<LogReader, 'id'>,
  given: LogFilter,
): Promise<LogStat> {
  const type = given.type ?? LOG_TYPE.consumption;
  const read = async (tx: Tx) => {
    const asked = await byTokenIds(tx, given);
    const filter = { ...asked, type };
    const sums = await sumLogs(tx, filter);
    return {
      sums,
      knowsUnlogged: isOfUsage(filter),
      outcomes: await outcomes(tx, asked, sums),
      // Below an hour the figures come from the rows themselves.
      minute: await sumLogs(tx, { ...filter, from: nowSec() - MINUTE_SEC + 1, to: nowSec() }),
    };
  };
  const found = await boundedRead(db, { reader: id, ms: limits.logReadMs }, read);
  const { sums, knowsUnlogged, outcomes: known, minute } = found;
  return {
    quota: sums.quota,
    token: sums.tokens,
    calls: type === LOG_TYPE.consumption ? sums.calls : 0,
    failed: known.failed,
    success: given.type === undefined ? known.success : null,
    knows_unlogged: knowsUnlogged,
    rpm: minute.calls,
    tpm: minute.tokens,
    is_capped: sums.looked !== null,
    looked: sums.looked,
  };
}

const NO_FAILURES: Outcomes = { failed: 0, success: null };

/** Of the newest charged calls alone nobody knows how many others came to nothing meanwhile. */
function outcomes(
  tx: Tx,
  given: LogFilter,
  { calls, looked }: Sums & Pick<Total, 'looked'>,
): Promise<Outcomes> | Outcomes {
  if (!hasFailures(given)) return NO_FAILURES;
  return given.type === undefined && looked ? UNKNOWN : outcomesOf(tx, given, calls);
}

const hasFailures = ({ type = LOG_TYPE.refused }: LogFilter): boolean => type === LOG_TYPE.refused;

/** The newest rows of a caller's own, as his user sees them. Throws LOG_TIMEOUT. */
export async function callerLog(
  { db }: Reads,
  { userId, tokenId, appId }: { userId: number; tokenId: number; appId: number | null },
): Promise<LogItem[]> {
  const page = { limit: limits.tokenLogRows, offset: 0 };
  const reader = appId === null ? shareOfKeys(userId) : shareOfApp(appId, userId);
  const rows = await boundedRead(db, { reader, ms: limits.logReadMs }, (tx) =>
    readRows(tx, { ownerId: userId, tokenIds: [tokenId], appId: appRecord({ tokenId, appId }).app_id }, page),
  );
  return rows.map((row) => logItem(row, { id: userId, scope: 'own', locale: 'en' }));
}

/** A page and how many rows all of them have, which a page that is not full tells itself: it is the last one. */
export async function readPage(
  tx: Tx,
  filter: LogFilter,
  paging: Pick<LogPaging, 'limit' | 'offset' | 'sort'>,
  most: number = mostLooked(tx, filter),
): Promise<Total & { rows: LogTableRow[] }> {
  const { limit, offset } = paging;
  const rows = await readRows(tx, filter, paging, most);
  const isLast = rows.length < limit && (rows.length > 0 || offset === 0);
  return isLast
    ? { rows, total: offset + rows.length, looked: await lookedAt(tx, filter, most) }
    : { rows, ...(await countPaged(tx, filter, most)) };
}

/** How many rows the pages have: the hourly figures also know of those that are not looked at. */
export async function countPaged(
  tx: Tx,
  filter: LogFilter,
  most: number = mostLooked(tx, filter),
): Promise<Total> {
  const known = isOfUsage(filter) && !(await lookedAt(tx, filter, most));
  return known ? countLogs(tx, filter, most) : countNewest(tx, filter, most);
}

const orderColumns = {
  time: sql`l.created_at`,
  user: sql`l.username`,
  token: sql`l.token_name`,
  type: sql`l.type`,
  model: sql`l.model_name`,
  duration: sql`l.use_time`,
  input: sql`l.prompt_tokens`,
  output: sql`l.completion_tokens`,
  cost: sql`l.quota`,
  channel: sql`l.channel_id`,
};

const orderOf = (sort: LogPaging['sort']): SQL =>
  orderText(sort, orderColumns, sql`l.id`, [sql`l.created_at desc`, sql`l.id desc`]);

/** What a row says, as far as a page of rows that all say so much can be held: it is written with half as much at most. */
const OTHER = sql`case when octet_length(l.other::text) <= ${2 * limits.logOtherBytes}::int then l.other
  else '{"cut": ["other"]}'::jsonb end`;

/**
 * A page of what the filter has of the newest rows, which are few enough to be put in any order. Which rows these are is
 * found first, of a user by his index alone; then they are read whole.
 */
export const readRows = (
  tx: Tx,
  filter: LogFilter,
  { limit, offset, sort }: Pick<LogPaging, 'limit' | 'offset' | 'sort'>,
  most: number = mostLooked(tx, filter),
): Promise<LogTableRow[]> =>
  readNewest<LogTableRow>(
    tx,
    filter,
    sql`
      select l.id, l.created_at, l.request_id, l.user_id, l.token_id, l.channel_id, l.type, l.username, l.token_name,
        l.model_name, l.group_name, l.quota, l.prompt_tokens, l.completion_tokens, l.use_time, l.is_stream, l.ip, l.content,
        ${OTHER} as other, c.name as channel_name
      from (
        select l.created_at, l.id from (${newestLogs(filter, most)}) as l where ${logCondition(filter)}
        order by ${orderOf(sort)} limit ${limit} offset ${offset}
      ) as page
        cross join lateral (
          select * from logs where created_at = page.created_at and id = page.id ${EACH}
        ) as l
        left join channels c on c.id = l.channel_id
      order by ${orderOf(sort)}`,
  );

export function logItem(row: LogTableRow, { scope, locale }: LogReader): LogItem {
  const { request_id, content, channel_id, channel_name, group_name, other, ...rest } = row;
  const isOwn = scope === 'own';
  const facts: JsonObject = typeof other === 'string' ? JSON.parse(other) : other;
  if (isOwn) delete facts.admin_info;
  else if (isObject(facts.admin_info)) tellAttempts(facts.admin_info, locale);
  return {
    ...rest,
    content: textOf(facts, locale) ?? content,
    request_id: request_id ?? '',
    channel: isOwn ? 0 : channel_id,
    channel_name: isOwn ? '' : (channel_name ?? ''),
    group: group_name,
    other: JSON.stringify(facts),
  };
}

/** Why each try came to nothing, in the reader's words; older rows have words alone. */
function tellAttempts(info: JsonObject, locale: Locale): void {
  for (const attempt of Array.isArray(info.attempts) ? info.attempts : []) {
    const reason = isObject(attempt) ? readReason(attempt.reason) : null;
    if (isObject(attempt) && reason) attempt.reason = reasonText(reason)[locale];
  }
}

/** What the row says in the reader's language, where whoever wrote it said it in both. */
function textOf({ text }: JsonObject, locale: Locale): string | undefined {
  const said = isObject(text) ? text[locale] : undefined;
  return typeof said === 'string' ? said : undefined;
}
