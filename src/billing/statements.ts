/** The money statements that decide call by call: their parameters, one round trip each, and a deadline after which the outcome is unknown. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import pTimeout from 'p-timeout';
import { limits } from '../core/limits.ts';
import { inPieces } from '../core/pieces.ts';
import { nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { jsonTextList, numberList, type Param, storableJson, textList } from '../db/statement.ts';
import type { Hold, Settlement } from './billing.ts';

export const statementText = (name: string): string =>
  readFileSync(join(import.meta.dir, 'sql', `${name}.sql`), 'utf8');
const RESERVE = statementText('reserve');
const ORPHAN = statementText('orphan');
const RELEASE = statementText('release');
const HELD_ROWS = statementText('held-rows');

/** What of a settlement only some batches need. */
export interface SettleParts {
  /** Somebody pays a price by the month. */
  month: boolean;
  /** Somebody's call has no row in the log. */
  unlogged: boolean;
  /** Somebody's call ended so long ago that what it used may have been folded. */
  late: boolean;
}

const PARTS = ['month', 'unlogged', 'late'] as const satisfies readonly (keyof SettleParts)[];
const SETTLE = statementText('settle');
const BRACKETS = /^-- \[(month|unlogged|late)\n([\s\S]*?)^-- \]\n/gm;

/** A statement with these parts alone. */
export const withParts = (text: string, needed: Partial<SettleParts>): string =>
  text.replace(BRACKETS, (_, part: keyof SettleParts, lines: string) => {
    const [own = '', others = ''] = lines.split('-- |\n');
    return needed[part] ? own : others;
  });
export const settleText = (needed: SettleParts): string => withParts(SETTLE, needed);

/** Each is prepared under its text. */
const settleTexts = new Map<string, string>();

function settleFor(items: readonly StampedSettlement[]): string {
  const needed: SettleParts = {
    month: items.some(({ monthTiers }) => monthTiers !== undefined),
    unlogged: items.some((item) => item.unlogged === true),
    late: items.some(isLate),
  };
  const key = PARTS.filter((part) => needed[part]).join();
  const known = settleTexts.get(key);
  if (known !== undefined) return known;
  const made = settleText(needed);
  settleTexts.set(key, made);
  return made;
}

/** A settlement with the moment of its call's end, which its log row and its hour keep however late it commits. */
export interface StampedSettlement extends Settlement {
  /** Unix seconds. */
  at: number;
}

export interface ReserveItem extends Hold {
  /** Adds to an open reservation; refused when it is gone. */
  extends: boolean;
}

/** The ids of the calls that were granted. */
export async function reserveAll(
  db: Database,
  items: readonly ReserveItem[],
  owner: string,
): Promise<Set<string>> {
  const rows = await send<{ id: string }>(db, RESERVE, [
    textList(items.map((item) => item.id)),
    numberList(items.map((item) => item.userId)),
    numberList(items.map((item) => item.tokenId)),
    numberList(items.map((item) => item.amount)),
    flagList(items.map((item) => item.extends)),
    owner,
    nowSec(),
  ]);
  return new Set(rows.map((row) => row.id));
}

export interface SettledRow {
  id: string;
  paid: number;
  written_off: number;
  /** Its key had less left than its calls of this batch cost. */
  key_short: boolean;
  /** Of its user tokens of months are kept. */
  has_months: boolean;
}

/** What was charged, by id; calls whose reservation is gone are absent. */
export async function settleAll(
  db: Database,
  items: readonly StampedSettlement[],
): Promise<Map<string, SettledRow>> {
  const rows = await send<SettledRow>(db, settleFor(items), [
    textList(items.map((item) => item.id)),
    numberList(items.map((item) => item.charge)),
    numberList(items.map((item) => item.channelId)),
    textList(items.map((item) => plain(item.modelName))),
    numberList(items.map((item) => item.promptTokens)),
    numberList(items.map((item) => item.completionTokens)),
    jsonTextList(items.map((item) => storableJson(item.other))),
    numberList(items.map((item) => item.at)),
    numberList(items.map((item) => item.type)),
    textList(items.map((item) => plain(item.username))),
    textList(items.map((item) => plain(item.tokenName))),
    textList(items.map((item) => plain(item.groupName))),
    numberList(items.map((item) => item.useTimeSec)),
    flagList(items.map((item) => item.isStream)),
    textList(items.map((item) => plain(item.ip))),
    textList(items.map((item) => plain(item.content))),
    jsonTextList(items.map(({ monthTiers }) => (monthTiers ? JSON.stringify(monthTiers) : ''))),
    flagList(items.map(({ unlogged = false }) => unlogged)),
    numberList(items.map((item) => readingsOf(item).cached)),
    numberList(items.map((item) => readingsOf(item).firstMs)),
    textList(items.map((item) => plain(item.sold))),
  ]);
  return new Map(rows.map((row) => [row.id, row]));
}

/** How many calls of dead processes hold nothing any more, and of how many others somebody holds the account just now. */
export interface Orphaned {
  given: number;
  held: number;
}

const ORPHAN_MOST = 500;
/** Before every other id. */
const NO_CALL = '00000000-0000-0000-0000-000000000000';

/** Gives back what calls of dead processes hold, but for those of `except`. Waits for nobody. */
export async function orphanAll(
  db: Database,
  owners: readonly string[],
  except: readonly string[] = [],
): Promise<Orphaned> {
  const orphaned: Orphaned = { given: 0, held: 0 };
  for (let last: string | undefined = NO_CALL; last !== undefined; ) {
    const rows: { id: string; given: boolean }[] = await send(db, ORPHAN, [
      textList(owners),
      nowSec(),
      last,
      textList(except),
    ]);
    for (const { given } of rows) orphaned[given ? 'given' : 'held']++;
    last = rows.length < ORPHAN_MOST ? undefined : rows.at(-1)?.id;
  }
  return orphaned;
}

/** What these calls hold, by id, also where it is nothing any more; calls whose reservation is gone are absent. */
export async function holdsOf(db: Database, ids: readonly string[]): Promise<Map<string, Hold>> {
  const holds = new Map<string, Hold>();
  for (const some of inPieces(ids, HOLDS_MOST)) {
    const rows = await send<Hold>(
      db,
      `select id, user_id as "userId", token_id as "tokenId", amount from reservations where id = any($1::uuid[])`,
      [textList(some)],
    );
    for (const row of rows) holds.set(row.id, row);
  }
  return holds;
}

const HOLDS_MOST = 1_000;

/** Gives back what these reservations hold; returns how many were still there. */
export async function releaseAll(db: Database, ids: readonly string[]): Promise<number> {
  return (await send(db, RELEASE, [textList(ids)])).length;
}

/** A row that a money statement locks, by its table and its id: `user 7`. A reservation bears the name of its call. */
export type RowName = `${'call' | 'token' | 'user' | 'channel'} ${string | number}`;

/** Those of these rows that somebody else holds just now, and the calls whose reservations tell of such a one. */
export async function heldRows(db: Database, names: readonly string[]): Promise<string[]> {
  const rows = await send<{ held: string }>(db, HELD_ROWS, [textList(names)]);
  return rows.map(({ held }) => held);
}

/** What calls that were settled before have paid, by id; free ones are absent. */
export async function paidBefore(db: Database, ids: readonly string[]): Promise<Map<string, number>> {
  const rows = await send<{ id: string; paid: number }>(
    db,
    'select ref as id, -delta as paid from ledger where kind = 1 and ref = any($1::uuid[])',
    [textList(ids)],
  );
  return new Map(rows.map((row) => [row.id, row.paid]));
}

/** Postgres gives up first; this is for one that does not answer at all. */
const GRACE_MS = 250;

const noAnswer = (): never => {
  throw Object.assign(new Error('the database did not answer'), { code: 'ETIMEDOUT' });
};

/** Rejects as away when there is no answer in time: then nobody knows what has become of it. */
export async function send<T>(db: Database, statement: string, params: readonly Param[]): Promise<T[]> {
  const patience = db.engine === 'pglite' ? limits.moneyStatementEmbeddedMs : limits.moneyStatementMs;
  return pTimeout(db.queryByKey<T>(statement, params), {
    milliseconds: patience + GRACE_MS,
    fallback: noAnswer,
  });
}

export const flagList = (values: readonly boolean[]): string => `{${values.join(',')}}`;

/** Whether a call ended so long ago that what it used may have been folded. */
export const isLate = ({ at }: StampedSettlement): boolean => at < nowSec() - limits.lateUsageSec;

/** Cached tokens of a call, and milliseconds to its first content, below 0 for none: as its row tells them. */
export const readingsOf = ({ other }: Pick<Settlement, 'other'>): { cached: number; firstMs: number } => ({
  cached: countOf(other.cache_tokens, 0),
  firstMs: countOf(other.frt, -1),
});

const countOf = (value: unknown, none: number): number =>
  typeof value === 'number' && value >= 0 ? Math.round(value) : none;

/** Text as Postgres takes it: it has no character 0. */
export const plain = (value: string): string => value.replaceAll('\0', '');
