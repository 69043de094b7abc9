/**
 * The statement of an account: every movement of its balance, newest first, with what there was after it. Charges are one
 * line a day, at the day's end, so that what came in during the day stands before what was spent of it; all others stand
 * for themselves. Charges are read from the hourly figures, which the settlement writes together with the ledger, and of
 * which there are some hundreds where the ledger has a million rows, or from what was folded of these; the audit proves that
 * all are alike.
 */
import { type SQL, sql } from 'drizzle-orm';
import { dayStarts } from '../core/days.ts';
import { fail } from '../core/errors.ts';
import { HOUR_SEC, nowSec } from '../core/time.ts';
import type { Tx } from '../db/client.ts';
import { numberList, rowsOf } from '../db/statement.ts';
import { chargedSince, type Reading } from './begun-hours.ts';
import { MOVEMENT } from './ledger.ts';
import { type Charged, hoursOf } from './whole-hours.ts';

/** Where a line stands among all: they are ordered by time, then by ref, then by kind. */
export interface LineKey {
  /** Unix seconds; of a day of charges its last second. */
  created_at: number;
  ref: string;
  kind: number;
}

export interface StatementLine extends LineKey {
  /** Quota units; below 0 for what was spent. */
  delta: number;
  /** What there was after it. */
  balance: number;
  note: string | null;
  /** Of a day of charges: its first second, and how many calls it had; null of every other line. */
  day: { from: number; calls: number } | null;
  /** What it and all newer lines but charges come to. */
  since: number;
}

/** Where a page begins. A line that was read of the same book tells what is newer, which is not added up again. */
export type Anchor = LineKey & { since?: number };

export interface StatementQuestion {
  userId: number;
  /** Whose days the charges are summed by. */
  timeZone: string;
  /** One of MOVEMENT; all when absent. Balances count the lines that are left out. */
  kind?: number | undefined;
  /** Quota units, both inclusive: what a line added or took. Balances count the others all the same. */
  least?: number | undefined;
  most?: number | undefined;
  /** Unix seconds, both inclusive. A day of charges is there when any of it is. */
  from?: number | undefined;
  to?: number | undefined;
  /** Lines older than this one, or newer; the newest of all without either. */
  before?: Anchor | undefined;
  after?: LineKey | undefined;
  limit: number;
}

export interface Statement {
  /** Newest first. */
  lines: StatementLine[];
  /** What there is now, calls under way included. */
  balance: number;
  hasNewer: boolean;
  /** False: before the last of the lines there was nothing, or the books are wrong, or a filter leaves the rest out. */
  hasOlder: boolean;
}

/** An account at one moment: what its lines are counted back from. */
export interface Book {
  /** What there is, calls under way included. */
  balance: number;
  /** From the account's first to its last. */
  days: Day[];
  /** Of the first of them whose charges were read, as those of all later ones were. */
  from: number;
}

/** A day of the account. */
interface Day {
  /** Its first second, and that of the next one. */
  start: number;
  end: number;
  /** What was charged, once it was read, and what with all newer days. */
  quota: number;
  calls: number;
  charged: number;
  /** What the other movements of all newer days come to. */
  movedSince: number;
}

/** Above every ref that is made, so that the day's charges are the last of its last second. */
export const DAY_REF = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Days that are summed up at first; then twice as many, until the page is full. */
const DAYS_AT_ONCE = 32;

/**
 * A page in one snapshot, that of the transaction. Balances are counted back from now: charges are read from the last day
 * backwards, as far as the page goes, so that the newest page of a long account reads little of it. Null where that is more
 * than a turn may read: the next one, in a transaction of its own, has less to read. Throws NOT_FOUND.
 */
export const readStatement = async (
  tx: Tx,
  question: StatementQuestion,
  reading: Reading,
): Promise<Statement | null> => readLines(tx, await openBook(tx, question), question, reading);

/** The account now, without its charges. Throws NOT_FOUND. */
async function openBook(
  tx: Tx,
  { userId, timeZone }: Pick<StatementQuestion, 'userId' | 'timeZone'>,
): Promise<Book> {
  const { balance, first, last } = await readAccount(tx, userId);
  const days = await readDays(tx, userId, dayStarts(first, last, timeZone));
  return { balance, days, from: days.length };
}

/**
 * The account now with all charges, for who reads it page by page: however long that takes, it was read at one moment. Null as
 * above.
 */
export async function openWholeBook(
  tx: Tx,
  question: Pick<StatementQuestion, 'userId' | 'timeZone'>,
  reading: Reading,
): Promise<Book | null> {
  const book = await openBook(tx, question);
  return (await readCharges(tx, question.userId, { book, from: 0, reading })) ? book : null;
}

/** A page of the book, which keeps what charges had to be read for it. Null as above. */
export async function readLines(
  tx: Tx,
  book: Book,
  question: StatementQuestion,
  reading: Reading,
): Promise<Statement | null> {
  const { userId, before, after, limit } = question;
  const movements = await readMovements(tx, question);
  let lines = linesOf(book, movements, question);
  for (let atOnce = Math.max(DAYS_AT_ONCE, limit); book.from > 0 && !isEnough(); atOnce *= 2) {
    const from = Math.max(book.from - atOnce, 0);
    if (!(await readCharges(tx, userId, { book, from, reading }))) return null;
    lines = linesOf(book, movements, question);
  }
  return {
    // Read towards the newest, what is nearest is the oldest of them.
    lines: after ? lines.slice(-limit) : lines.slice(0, limit),
    balance: book.balance,
    hasNewer: after ? lines.length > limit : before !== undefined,
    hasOlder: after ? true : lines.length > limit,
  };

  /** Nothing that is still to be read stands on the page. */
  function isEnough(): boolean {
    const start = book.days[book.from]?.start;
    if (start === undefined) return false;
    if (after) return start <= after.created_at;
    if (lines.length > limit || start <= (question.from ?? 0)) return true;
    return !hasCharges(question) && movements.every(({ created_at }) => created_at >= start);
  }
}

/** The lines of the days whose charges were read, and of the movements in them. */
function linesOf(
  { balance, days, from }: Book,
  movements: readonly Movement[],
  question: StatementQuestion,
): StatementLine[] {
  const { before, after } = question;
  const read = days.slice(from).reverse();
  const charges = read.flatMap(({ start, end, quota, calls, charged, movedSince }): StatementLine[] => {
    const key = { created_at: end - 1, ref: DAY_REF, kind: MOVEMENT.charge };
    const line = {
      ...key,
      delta: -quota,
      balance: balance - movedSince + (charged - quota),
      note: null,
      day: { from: start, calls },
      since: movedSince,
    };
    const isThere = quota !== 0 && isAskedFor(line, question);
    return isThere && (!before || isOlder(key, before)) && (!after || isOlder(after, key)) ? [line] : [];
  });
  const others: StatementLine[] = [];
  let at = 0;
  for (const movement of after ? movements.toReversed() : movements) {
    while ((read[at]?.start ?? 0) > movement.created_at) at++;
    const day = read[at];
    if (!day) break;
    const { delta, since } = movement;
    others.push({ ...movement, balance: balance - (since - delta) + day.charged, day: null });
  }
  return [...charges, ...others].sort((a, b) => (isOlder(a, b) ? 1 : -1));
}

function isOlder(a: LineKey, b: LineKey): boolean {
  if (a.created_at !== b.created_at) return a.created_at < b.created_at;
  return a.ref === b.ref ? a.kind < b.kind : a.ref < b.ref;
}

const hasCharges = ({ kind }: StatementQuestion): boolean => kind === undefined || kind === MOVEMENT.charge;

/** The filters on days of charges. */
const isAskedFor = ({ created_at, day, delta }: StatementLine, question: StatementQuestion): boolean =>
  hasCharges(question) &&
  created_at >= (question.from ?? 0) &&
  (question.to === undefined || (day?.from ?? created_at) <= question.to) &&
  Math.abs(delta) >= (question.least ?? 0) &&
  (question.most === undefined || Math.abs(delta) <= question.most);

/** What there is, and between which seconds everything moved. */
async function readAccount(
  tx: Tx,
  userId: number,
): Promise<{ balance: number; first: number; last: number }> {
  const others = sql`from ledger where user_id = u.id and ${isOther}`;
  const [row] = rowsOf<{ balance: number; first: number | null; last: number | null }>(
    await tx.execute(sql`
      select quota + reserved as balance,
        least((select min(hour) from usage_hourly where user_id = u.id), (select min(created_at) ${others})) as first,
        greatest((select max(hour) from usage_hourly where user_id = u.id), (select max(created_at) ${others})) as last
      from users u where id = ${userId}::bigint`),
  );
  if (!row) throw fail('NOT_FOUND');
  const now = nowSec();
  return {
    balance: row.balance,
    first: Math.min(row.first ?? now, now),
    last: Math.max(row.last ?? now, now),
  };
}

/** The literal stands in the index's condition too. */
const isOther = sql.raw(`kind <> ${MOVEMENT.charge}`);

/** A CTE, so that the list is read once and not with every row. */
const startsOf = (starts: readonly number[]): SQL =>
  sql`starts as materialized (select ${numberList(starts)}::bigint[] as days)`;

/** The account's days from its first to its last, without their charges. */
async function readDays(tx: Tx, userId: number, starts: readonly number[]): Promise<Day[]> {
  const rows = rowsOf<{ day: number; moved: number }>(
    await tx.execute(sql`
      with ${startsOf(starts)}
      select width_bucket(created_at, days) as day, sum(delta)::bigint as moved
      from ledger, starts where user_id = ${userId}::bigint and ${isOther} group by 1`),
  );
  const moved = new Map(rows.map((row) => [row.day - 1, row.moved]));
  const days = starts.slice(1).map((end, day) => {
    const start = starts[day] ?? end;
    return { start, end, quota: 0, calls: 0, charged: 0, movedSince: 0 };
  });
  let movedSince = 0;
  for (const [at, day] of [...days.entries()].reverse()) {
    day.movedSince = movedSince;
    movedSince += moved.get(at) ?? 0;
  }
  return days;
}

/** Adds up what was charged from a day on to those that were read before; false where a turn may not read so much. */
async function readCharges(
  tx: Tx,
  userId: number,
  { book, from, reading }: { book: Book; from: number; reading: Reading },
): Promise<boolean> {
  const days = book.days.slice(from, book.from);
  const starts = [...days.map(({ start }) => start), days.at(-1)?.end ?? 0];
  const figures = await readFigures(tx, userId, { starts, reading });
  if (!figures) return false;
  const { ofDays, ofHours } = figures;
  // What of an hour belongs to the day that begins in it; the hourly figures gave all of it to the day before.
  const begun = starts.flatMap((start) => {
    const all = start % HOUR_SEC === 0 ? undefined : ofHours.get(start - (start % HOUR_SEC));
    return all ? [{ start, all }] : [];
  });
  const since = await chargedSince(tx, userId, begun.reverse(), reading);
  if (!since) return false;
  const add = (day: Day | undefined, { quota, calls }: Charged, sign: 1 | -1) => {
    if (!day) return;
    day.quota += sign * quota;
    day.calls += sign * calls;
  };
  for (const [at, day] of days.entries()) {
    const [own, began, ended] = [ofDays.get(at + 1), since.get(day.start), since.get(day.end)];
    if (own) add(day, own, 1);
    if (began) add(day, began, 1);
    if (ended) add(day, ended, -1);
  }
  let charged = book.days[book.from]?.charged ?? 0;
  for (const day of days.reverse()) {
    charged += day.quota;
    day.charged = charged;
  }
  book.from = from;
  return true;
}

/**
 * What was charged in whole hours: of each day, by its place from 1, and of the hours in which days begin. Null where a turn
 * may not read so much.
 */
async function readFigures(
  tx: Tx,
  userId: number,
  { starts, reading }: { starts: readonly number[]; reading: Reading },
): Promise<{ ofDays: Map<number, Charged>; ofHours: Map<number, Charged> } | null> {
  const begun = starts.filter((start) => start % HOUR_SEC !== 0).map((start) => start - (start % HOUR_SEC));
  const [first, end] = [starts[0] ?? 0, starts.at(-1) ?? 0];
  const hours = await hoursOf(tx, { userId, from: first - (first % HOUR_SEC), to: end }, reading.kept.whole);
  if (!hours) return null;
  const rows = rowsOf<Charged & { day: number | null; hour: number }>(
    await tx.execute(sql`
      with ${startsOf(starts)}, ${hours}
      select width_bucket(hour, days) as day, 0::bigint as hour, sum(quota)::bigint as quota, sum(calls)::bigint as calls
      from hours, starts where hour >= ${first}::bigint group by 1
      union all
      select null, hour, quota, calls from hours where hour = any(${numberList(begun)}::bigint[])`),
  );
  const [ofDays, ofHours] = [new Map<number, Charged>(), new Map<number, Charged>()];
  for (const { day, hour, ...charged } of rows) {
    if (day === null) ofHours.set(hour, charged);
    else ofDays.set(day, charged);
  }
  return { ofDays, ofHours };
}

/** The filters on lines that stand for themselves. */
function isShown({ kind, least, most, from, to }: StatementQuestion): SQL {
  const wanted: SQL[] = [sql`true`];
  if (kind !== undefined) wanted.push(sql`kind = ${kind}::smallint`);
  if (least !== undefined) wanted.push(sql`abs(delta) >= ${least}::bigint`);
  if (most !== undefined) wanted.push(sql`abs(delta) <= ${most}::bigint`);
  if (from !== undefined) wanted.push(sql`created_at >= ${from}::bigint`);
  if (to !== undefined) wanted.push(sql`created_at <= ${to}::bigint`);
  return sql.join(wanted, sql` and `);
}

/** A line that stands for itself; `since` is what it and all newer ones of its like come to. */
interface Movement extends LineKey {
  delta: number;
  note: string | null;
  since: number;
}

/**
 * The nearest of the page, and one more where there are more. What is newer is added up with them, unless the line before
 * them tells what it comes to.
 */
async function readMovements(tx: Tx, question: StatementQuestion): Promise<Movement[]> {
  const { userId, before, after, from, limit } = question;
  const keyOf = ({ created_at, ref, kind }: LineKey) =>
    sql`(${created_at}::bigint, ${ref}::uuid, ${kind}::smallint)`;
  const beyond = before
    ? sql`(created_at, ref, kind) < ${keyOf(before)}`
    : after
      ? sql`(created_at, ref, kind) > ${keyOf(after)}`
      : sql`true`;
  const since = before?.since;
  const added = [
    since === undefined ? sql`true` : beyond,
    from === undefined ? sql`true` : sql`created_at >= ${from}::bigint`,
  ];
  const order = after ? sql`created_at, ref, kind` : sql`created_at desc, ref desc, kind desc`;
  return rowsOf<Movement>(
    await tx.execute(sql`
      select * from (
        select created_at, ref, kind, delta, note, ${since ?? 0}::bigint + (sum(delta) over (
          order by created_at desc, ref desc, kind desc rows unbounded preceding
        ))::bigint as since
        from ledger where user_id = ${userId}::bigint and ${isOther} and ${sql.join(added, sql` and `)}
      ) moved
      where ${beyond} and ${isShown(question)} order by ${order} limit ${limit + 1}`),
  );
}
