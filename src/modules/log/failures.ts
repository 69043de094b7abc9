/**
 * Calls that were refused or failed, as their users' logs tell of them. They cost nothing, so that nothing else bounds how
 * many a user causes: each is counted, by the hour and its code, and of what is counted so many a minute have a row. Both
 * are written by batches of their own, beside the money: a caller never waits for them. While the database is away they
 * wait, as many as there is room for; a process that is killed loses them.
 */
import { LRUCache } from 'lru-cache';
import type { Text } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { headOf } from '../../core/text-head.ts';
import { DAY_PART_SEC, HOUR_SEC, MINUTE_SEC, nowSec } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { isUnreachable, storableJson, storableText } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import { LUMPED } from './service.ts';

export interface FailedCall {
  requestId: string;
  userId: number;
  username: string;
  tokenId: number;
  tokenName: string;
  group: string;
  /** Empty when the call named none. */
  model: string;
  /** Anybody may make up names: only those that a channel has are counted by. */
  isKnownModel: boolean;
  /** The last channel that was asked; 0 when none was. */
  channelId: number;
  /** Ours, by which it is counted. */
  code: string;
  text: Text;
  isStream: boolean;
  useTimeSec: number;
  ip: string;
  /** What else its row tells. */
  other: JsonObject;
}

/** How many calls came to nothing, as their hour has them. */
export interface FailureCount {
  hour: number;
  user_id: number;
  token_id: number;
  channel_id: number;
  model_name: string;
  group_name: string;
  code: string;
  calls: number;
}

interface Waiting extends FailedCall {
  at: number;
  /** The count that it is in. */
  way: string;
}

type FailureDeps = Pick<Deps, 'db' | 'limiter' | 'options' | 'log' | 'metrics' | 'stopping'>;

export class FailureLog {
  readonly #deps: FailureDeps;
  #rows: Waiting[] = [];
  /** How many of them each user has. */
  #waiting = new Map<number, number>();
  #counts = new Map<string, FailureCount>();
  /** In how many ways each user's calls were counted in an hour. */
  #ways = new LRUCache<number, { hour: number; keys: Set<string> }>({ max: limits.failedWaysUsers });
  #writing: Promise<void> | null = null;

  constructor(deps: FailureDeps) {
    this.#deps = deps;
  }

  /** Takes note of a call. Never throws, and waits for nothing. */
  add(call: FailedCall): void {
    const at = nowSec();
    const count = this.#bounded(countOf(call, at));
    const isCounted = this.#keep(count);
    if (!isCounted) this.#uncounted(1);
    // Cut before it waits: what is told may be the caller's own words, of any length.
    const text = { zh: told(call.text.zh), en: told(call.text.en) };
    if (isCounted && this.#hasPlace(call.userId)) this.#rows.push({ ...call, text, at, way: keyOf(count) });
    else this.#unlisted(1);
    this.#writing ??= this.#deps.stopping.track(this.#write());
  }

  /** Resolves when nothing waits any more. */
  async idle(): Promise<void> {
    while (this.#writing) await this.#writing;
  }

  /** One who causes many takes no more places than he has rows in a minute, and leaves the others theirs. */
  #hasPlace(userId: number): boolean {
    const own = this.#waiting.get(userId) ?? 0;
    const ownMax = Math.min(
      this.#deps.options.get('log.error_rows_per_minute'),
      limits.failedRowsWaiting / limits.failedRowsShare,
    );
    if (own >= ownMax || this.#rows.length >= limits.failedRowsWaiting) return false;
    this.#waiting.set(userId, own + 1);
    return true;
  }

  #take(isTaken: (row: Waiting) => boolean): Waiting[] {
    const taken = this.#rows.filter(isTaken);
    this.#rows = this.#rows.filter((row) => !isTaken(row));
    for (const { userId } of taken) {
      const left = (this.#waiting.get(userId) ?? 1) - 1;
      if (left > 0) this.#waiting.set(userId, left);
      else this.#waiting.delete(userId);
    }
    return taken;
  }

  /** False where it has no room. */
  #keep(count: FailureCount): boolean {
    const key = keyOf(count);
    const known = this.#counts.get(key);
    if (known) known.calls += count.calls;
    else if (this.#counts.size >= limits.failedCountsWaiting) return false;
    else this.#counts.set(key, count);
    return true;
  }

  /** Whoever fails by ever other tokens at ever other models is counted by the code alone, before he fills the figures. */
  #bounded(count: FailureCount): FailureCount {
    const key = keyOf(count);
    let ways = this.#ways.get(count.user_id);
    if (ways?.hour !== count.hour) {
      ways = { hour: count.hour, keys: new Set() };
      this.#ways.set(count.user_id, ways);
    }
    if (ways.keys.size < limits.failedWays) ways.keys.add(key);
    return ways.keys.has(key) ? count : { ...count, token_id: LUMPED, channel_id: 0, model_name: '' };
  }

  #uncounted(count: number): void {
    this.#deps.metrics.count(
      'tollgate_failed_calls_uncounted_total',
      'Failed calls in no figure.',
      {},
      count,
    );
  }

  #unlisted(count: number): void {
    this.#deps.metrics.count(
      'tollgate_failed_calls_unlisted_total',
      'Failed calls without a row: beyond those of a user in a minute, or in no figure.',
      {},
      count,
    );
  }

  /** What comes meanwhile goes together. */
  async #write(): Promise<void> {
    // Whoever adds several at once, adds them to one batch.
    await null;
    while (this.#counts.size > 0) {
      const rows = await this.#writeCounts();
      if (rows === null) {
        // Whoever stops does not wait for a database that is away.
        if (this.#deps.stopping.begun) break;
        await Bun.sleep(limits.failedAgainMs);
        continue;
      }
      // Apart from the counts: what one of them holds takes no figure with it.
      await this.#writeRows(rows).catch((error: unknown) =>
        this.#deps.log.warn('log.failures', { calls: rows.length, error }),
      );
      // A flood shares its batches, and leaves the database to others in between.
      if (rows.length > limits.failedRowsFlood) await Bun.sleep(limits.failedRowsPauseMs);
    }
    this.#writing = null;
  }

  /**
   * Answers the rows of what is counted now; null while the database is away: they wait for the next time. One whose
   * answer was lost on the way is then counted twice, which does less harm than an hour that knows of no failure. What no figure
   * will have has no row: the figures of an hour know all of which its log tells.
   */
  async #writeCounts(): Promise<Waiting[] | null> {
    const counts = [...this.#counts.values()];
    const rows = new Set(this.#rows);
    this.#counts = new Map();
    try {
      await countFailures(this.#deps.db, counts);
      return this.#take((row) => rows.has(row));
    } catch (error) {
      const isAway = isUnreachable(error);
      this.#deps.log.warn('log.failures', { counts: counts.length, again: isAway, error });
      const lost = new Set<string>();
      for (const count of counts) {
        if (isAway && this.#keep(count)) continue;
        this.#uncounted(count.calls);
        lost.add(keyOf(count));
      }
      this.#unlisted(this.#take((row) => rows.has(row) && lost.has(row.way)).length);
      return isAway ? null : [];
    }
  }

  async #writeRows(waiting: Waiting[]): Promise<void> {
    const rows = await this.#listed(waiting);
    this.#unlisted(waiting.length - rows.length);
    if (rows.length > 0) await this.#deps.db.query(WRITE, [storableJson(rows.map(rowOf))]);
  }

  /** Those that are to have a row. */
  async #listed(waiting: Waiting[]): Promise<Waiting[]> {
    const { limiter, options } = this.#deps;
    const limit = options.get('log.error_rows_per_minute');
    const listed: Waiting[] = [];
    const full = new Set<number>();
    for (const call of waiting) {
      if (limit === 0 || full.has(call.userId)) continue;
      const rule = { key: `failed-rows:${call.userId}`, limit, windowSec: MINUTE_SEC };
      // A row too many does less harm than one too few.
      const { ok } = await limiter.take(rule).catch(() => ({ ok: true }));
      if (ok) listed.push(call);
      else full.add(call.userId);
    }
    return listed;
  }
}

/** Adds to the hourly figures; in one order, so that two processes do not lock each other out. */
export const countFailures = (db: Database, counts: readonly FailureCount[]): Promise<unknown> =>
  db.query(COUNT, [
    storableJson(counts.map((count) => ({ ...count })).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))),
    nowSec() - limits.lateUsageSec - HOUR_SEC,
  ]);

const countOf = (call: FailedCall, at: number): FailureCount => ({
  hour: at - (at % HOUR_SEC),
  user_id: call.userId,
  token_id: call.tokenId,
  channel_id: call.channelId,
  model_name: call.isKnownModel ? modelOf(call) : '',
  group_name: plain(call.group),
  code: call.code,
  calls: 1,
});

const keyOf = ({ calls: _, ...count }: FailureCount): string => JSON.stringify(Object.values(count));

/** Names are the callers' words: nothing that the database has no text for, and no more than a name needs. */
const plain = (name: string): string => storableText(headOf(name, limits.failedNameChars));

const modelOf = ({ model, isKnownModel }: FailedCall): string =>
  plain(isKnownModel ? model : headOf(model, limits.madeUpNameChars));

const told = (text: string): string => storableText(headOf(text, limits.failedTextChars));

const rowOf = (call: Waiting) => ({
  created_at: call.at,
  request_id: call.requestId,
  user_id: call.userId,
  token_id: call.tokenId,
  channel_id: call.channelId,
  username: call.username,
  token_name: call.tokenName,
  model_name: modelOf(call),
  group_name: plain(call.group),
  use_time: call.useTimeSec,
  is_stream: call.isStream,
  ip: call.ip,
  content: call.text.zh,
  other: { ...call.other, text: { ...call.text } },
});

const COUNTED = 'hour, user_id, token_id, channel_id, model_name, group_name, code';

/** $1 the rows as JSON. A user who was erased meanwhile is told by his pseudonym. */
const WRITE = `
  with r as (
    select * from jsonb_to_recordset($1::text::jsonb) as r(created_at bigint, request_id uuid, user_id bigint,
      token_id bigint, channel_id bigint, username text, token_name text, model_name text, group_name text, use_time int,
      is_stream boolean, ip text, content text, other jsonb)
  )
  insert into logs (created_at, request_id, user_id, token_id, channel_id, type, username, token_name, model_name,
    group_name, use_time, is_stream, ip, content, other)
  select r.created_at, r.request_id, r.user_id, r.token_id, r.channel_id, ${LOG_TYPE.refused},
      case when u.erased_at is null then r.username else u.username end,
      case when u.erased_at is null then r.token_name else '' end, r.model_name, r.group_name, r.use_time, r.is_stream,
      case when u.erased_at is null then r.ip else '' end, r.content, r.other
  from r join users u on u.id = r.user_id order by r.created_at, r.request_id`;

/** $1 the counts as JSON, $2 the hour before which they come late: their part of a day may have been folded. */
const COUNT = `
  with c as materialized (
    select * from jsonb_to_recordset($1::text::jsonb) as c(hour bigint, user_id bigint, token_id bigint,
      channel_id bigint, model_name text, group_name text, code text, calls bigint)
  ), late as (
    insert into usage_late (part)
    select distinct hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} from c where hour < $2::bigint
  )
  insert into failures_hourly (${COUNTED}, calls)
  select ${COUNTED}, calls from c
  on conflict (${COUNTED}) do update set calls = failures_hourly.calls + excluded.calls`;
