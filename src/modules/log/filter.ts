/** Which rows of the log a caller asks for, as conditions on the log and on the hourly figures. */
import { type SQL, sql } from 'drizzle-orm';
import { LOG_TYPE } from '../../core/log-types.ts';
import { FOLDED_DIMENSIONS, FOLDED_MIXED } from '../../core/usage-folds.ts';
import { containing, wildcard } from '../../db/like.ts';
import { numberList } from '../../db/statement.ts';
import type { Dimension } from '../usage/facts.ts';
import { EVERYBODY, ofMixed } from '../usage/service.ts';

export interface LogFilter {
  /** Set for a user's own log; nothing that he asks for widens it. */
  ownerId?: number;
  /** One of LOG_TYPE; when absent all but tests of channels, of which a site that watches itself has more than of calls. */
  type?: number;
  /** Tests of channels too, where no type is named. */
  anyType?: boolean;
  /** The row with this number. */
  id?: number;
  username?: string;
  tokenName?: string;
  /** Of one of these tokens. */
  tokenIds?: readonly number[];
  /** Of an application's own calls, as `appRecord` notes them. */
  appId?: number;
  /** `%` stands for anything; without one the text may stand anywhere in the name. In quotes it is the whole name. */
  modelName?: string;
  group?: string;
  channelId?: number;
  /** Anywhere in what the row says, in either language. */
  description?: string;
  requestId?: string;
  /** The HTTP status that the caller got. */
  status?: number;
  /** Ours, of a call that failed. */
  code?: string;
  /** Unix seconds, both inclusive. */
  from?: number;
  to?: number;
  /** Only rows behind this one, in their order. */
  before?: { created_at: number; id: number };
}

const both = (conditions: readonly SQL[]): SQL =>
  conditions.length === 0 ? sql`true` : sql.join([...conditions], sql` and `);

/** Whose rows are asked for, where they are those of one user: by a column `user_id`. */
export function ofUser({ ownerId, username }: LogFilter): SQL[] {
  const wanted: SQL[] = [];
  if (ownerId !== undefined) wanted.push(sql`user_id = ${ownerId}::bigint`);
  // By the account, so that a renamed user keeps his rows, and the index of users serves.
  if (username) {
    wanted.push(sql`user_id = (select u.id from users u where lower(u.username) = lower(${username}))`);
  }
  return wanted;
}

function ofModel(column: SQL, asked: string): SQL {
  const wholeName = asked.match(/^"(.+)"$/)?.[1];
  if (wholeName !== undefined) return sql`${column} = ${wholeName}`;
  // What is asked for is made small once, and not for each row; a part of a name is sought without a look at each place of it.
  return asked.includes('%')
    ? sql`lower(${column}) like lower(${wildcard(asked)})`
    : sql`strpos(lower(${column}), lower(${asked})) > 0`;
}

/** Conditions that the log and the hourly figures have in common: their columns have the same names. */
function sharedExact(filter: LogFilter): SQL[] {
  const { tokenIds, group, channelId } = filter;
  const wanted = ofUser(filter);
  if (tokenIds) wanted.push(sql`token_id = any(${numberList(tokenIds)}::bigint[])`);
  if (channelId !== undefined) wanted.push(sql`channel_id = ${channelId}::bigint`);
  if (group) wanted.push(sql`group_name = ${group}`);
  return wanted;
}

const sharedPattern = ({ modelName }: LogFilter): SQL[] =>
  modelName ? [ofModel(sql`model_name`, modelName)] : [];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function ofRequest({ requestId, id }: LogFilter): SQL[] {
  const row = id === undefined ? [] : [sql`id = ${id}::bigint`];
  if (!requestId) return row;
  return [...row, UUID.test(requestId) ? sql`request_id = ${requestId}::uuid` : sql`false`];
}

function logExact(filter: LogFilter): SQL[] {
  const { tokenName } = filter;
  return [...(tokenName ? [sql`token_name = ${tokenName}`] : []), ...ofRequest(filter)];
}

/** What no index of the log holds: it is looked for in the whole row. */
function logWhole({ appId, description, status, code }: LogFilter): SQL[] {
  const wanted: SQL[] = [];
  if (appId !== undefined) wanted.push(sql`other ->> 'app_id' = ${String(appId)}`);
  // A charged call was answered; only one that was charged and then failed has a status of its own.
  if (status !== undefined) {
    wanted.push(
      sql`coalesce(other ->> 'status', case when type = ${LOG_TYPE.consumption} then '200' end) = ${String(status)}`,
    );
  }
  // An upstream's own code stands beside ours.
  if (code) wanted.push(sql`coalesce(other ->> 'reason', other ->> 'error') = ${code}`);
  if (description) {
    const text = containing(description);
    wanted.push(sql`(content ilike ${text} or other -> 'text' ->> 'en' ilike ${text})`);
  }
  return wanted;
}

/** Rows of the log, whatever their time. */
export function logCondition(filter: LogFilter): SQL {
  const type =
    filter.type === undefined && filter.anyType
      ? sql`true`
      : filter.type === undefined
        ? sql`type <> ${LOG_TYPE.test}::smallint`
        : sql`type = ${filter.type}::smallint`;
  // In this order they are looked at: a pattern takes as long as all that is compared before it.
  return both([
    type,
    ...sharedExact(filter),
    ...logExact(filter),
    ...sharedPattern(filter),
    ...logWhole(filter),
  ]);
}

/** What an index of the log finds: the rest of the filter costs a look at each row that this finds. */
export function indexedLogCondition(filter: LogFilter): SQL {
  const { from, to, before } = filter;
  return both([
    ...ofUser(filter),
    ...ofRequest(filter),
    ...(from === undefined ? [] : [sql`created_at >= ${from}::bigint`]),
    ...(to === undefined ? [] : [sql`created_at <= ${to}::bigint`]),
    ...(before === undefined
      ? []
      : [sql`(created_at, id) < (${before.created_at}::bigint, ${before.id}::bigint)`]),
  ]);
}

/** True when the hourly figures know all that the filter asks for: they hold consumption only, without names of tokens. */
export const isOfUsage = (filter: LogFilter): boolean =>
  filter.type === LOG_TYPE.consumption && !filter.code && isOfHours(filter);

/** True when nothing is asked for but what the hourly figures of failed calls tell apart. */
export const isOfHours = ({ code: _, ...filter }: LogFilter): boolean =>
  logExact(filter).length + logWhole(filter).length === 0;

/** True when parts of days know all that the filter asks for. */
export const isFolded = (filter: LogFilter): boolean => isOfUsage(filter) && foldedFigures(filter) !== null;

/** True when it is one user's rows that are asked for. */
export const isOfOne = (filter: LogFilter): boolean => ofUser(filter).length > 0;

/** True when an administrator asks of one user what is in whole rows: they lie far apart, each on another page of the table. */
export const isScattered = (filter: LogFilter): boolean => isOfOne(filter) && logWhole(filter).length > 0;

/** Rows of the hourly figures, whatever their hour. */
export const usageCondition = (filter: LogFilter): SQL =>
  both([...sharedExact(filter), ...sharedPattern(filter)]);

/** The same of calls that failed, whose figures know their code. */
export const failuresCondition = (filter: LogFilter): SQL =>
  both([usageCondition(filter), ...(filter.code ? [sql`code = ${filter.code}`] : [])]);

/** What parts of days tell. */
export interface FoldedFigures {
  /** Rows of the figures by parts of days, whatever their part. */
  condition: SQL;
  /** All of his rows that are looked at for these, of a user who asks for several things at once. */
  mixed: SQL | undefined;
}

/**
 * Two things at once are told of a user alone, and not by channel; the codes of calls that failed by nothing else: null for
 * what parts of days do not tell.
 */
export function foldedFigures(filter: LogFilter): FoldedFigures | null {
  const { tokenIds, modelName, group, channelId, code } = filter;
  const wanted: { dimension: Dimension; is: (value: SQL) => SQL }[] = [];
  if (tokenIds)
    wanted.push({ dimension: 'token', is: (value) => sql`${value} = any(${numberList(tokenIds)}::text[])` });
  if (modelName) wanted.push({ dimension: 'model', is: (value) => ofModel(value, modelName) });
  if (group) wanted.push({ dimension: 'group', is: (value) => sql`${value} = ${group}` });
  if (channelId !== undefined)
    wanted.push({ dimension: 'channel', is: (value) => sql`${value} = ${String(channelId)}` });
  if (code) wanted.push({ dimension: 'code', is: (value) => sql`${value} = ${code}` });
  const [{ dimension, is } = FEWEST, ...more] = wanted;
  const owner = foldedOwner(filter);
  if (!owner) return null;
  const of = (number: number) => sql`dimension = ${number}::smallint`;
  if (more.length === 0) {
    const ofOne = both([owner, of(FOLDED_DIMENSIONS[dimension]), is(sql`value`)]);
    return { condition: ofOne, mixed: undefined };
  }
  const parts = wanted.map((one) => {
    const value = ofMixed(one.dimension);
    return value && one.is(value);
  });
  if (!isOfOne(filter) || !parts.every((part) => part !== null)) return null;
  const mixed = both([owner, of(FOLDED_MIXED)]);
  return { condition: both([mixed, ...parts]), mixed };
}

/** Whose parts of days; null where both a user and a name are asked for. */
function foldedOwner(filter: LogFilter): SQL | null {
  const [whose = sql`user_id = ${EVERYBODY}::bigint`, ...others] = ofUser(filter);
  return others.length > 0 ? null : whose;
}

/**
 * Rows of parts of days that tell of failed calls which a flood has left without their token, as `failures.ts` counts them;
 * null where parts of days do not tell whose.
 */
export function foldedLumps(filter: LogFilter, lumped: number): SQL | null {
  const owner = foldedOwner(filter);
  if (!owner) return null;
  return both([
    owner,
    sql`dimension = ${FOLDED_DIMENSIONS.token}::smallint and value = ${String(lumped)} and failed > 0`,
  ]);
}

/** All, by the dimension with fewest values. */
const FEWEST = { dimension: 'group', is: () => sql`true` } as const;
