/**
 * What was charged in hours in which a day begins, from there on: where midnight lies within an hour of UTC, no hourly figure
 * tells it. The charges themselves do, of which somebody may have any number. So much of them is read at once as others can wait
 * for, the rest in further turns, and what was read is kept: as long as the hour's figures say that nothing came to it, its
 * sums are what they were. The hour that it is alone is read at once, whatever it has, because more comes to it meanwhile.
 *
 * An hour that folding has reached is whole, however many of its charges are left: nothing was charged since its day began, and all of it
 * before. So what is told goes by what is in the database alone, and is the same of every process, whatever it has kept.
 */
import { sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { limits } from '../core/limits.ts';
import { HOUR_SEC, nowSec } from '../core/time.ts';
import type { Database, Tx } from '../db/client.ts';
import { inOrderOfIndex, looksAt } from '../db/looks.ts';
import { numberList, rowsOf } from '../db/statement.ts';
import { reachedByFolding } from './fold.ts';
import { MOVEMENT } from './ledger.ts';
import { type Charged, type WholeHours, wholeHours } from './whole-hours.ts';

export interface BegunHour {
  /** Where the day begins. */
  start: number;
  /** All of its hour, as the figures have it. */
  all: Charged;
}

/** Of the charges from `downTo` to the end of the hour, as they were when all of the hour came to `hourQuota`. */
interface Kept extends Charged {
  hourQuota: number;
  downTo: number;
}

/** What was read of whole hours, and of those in which days begin. */
interface KeptHours {
  whole: WholeHours;
  begun: LRUCache<string, Kept>;
}

const keptOf = new WeakMap<Database, KeptHours>();

/** What one turn may read, and what was read before. */
export interface Reading {
  kept: KeptHours;
  /** Charges that it may still look at; as many as a fresh one when undefined. */
  left?: number;
}

/** Another turn over the same database. */
export function readingTurn(db: Database): Reading {
  let kept = keptOf.get(db);
  if (!kept) {
    kept = { whole: wholeHours(), begun: new LRUCache({ max: limits.begunHoursKept }) };
    keptOf.set(db, kept);
  }
  return { kept };
}

/** By the starts, newest first; null while there is more to read than the turn may: what it has read is kept for the next. */
export async function chargedSince(
  tx: Tx,
  userId: number,
  begun: readonly BegunHour[],
  reading: Reading,
): Promise<Map<number, Charged> | null> {
  const most = looksAt(tx, limits.countCap);
  const reached = await reachedByFolding(
    tx,
    userId,
    begun.map(({ start }) => start),
  );
  const found = new Map<number, Charged>();
  const fitting: BegunHour[] = [];
  let next: BegunHour | undefined;
  let left = reading.left ?? most;
  for (const hour of begun) {
    if (hour.all.quota === 0 || reached.has(hour.start)) continue;
    const known = knownOf(reading, userId, hour);
    if (known && known.downTo <= hour.start) found.set(hour.start, known);
    else if (isUnderWay(hour)) fitting.push(hour);
    else if (!next && hour.all.calls <= left) {
      left -= hour.all.calls;
      fitting.push(hour);
    } else next ??= hour;
  }
  if (next && left === most) await readSlice(tx, userId, next, reading, most);
  reading.left = left;
  for (const { start, ...charged } of await readAll(tx, userId, fitting)) found.set(start, charged);
  for (const hour of fitting) {
    const sums = found.get(hour.start) ?? { quota: 0, calls: 0 };
    if (!isUnderWay(hour)) keep(reading, userId, hour, { ...sums, downTo: hour.start });
  }
  return next ? null : found;
}

const endOf = ({ start }: BegunHour): number => (Math.floor(start / HOUR_SEC) + 1) * HOUR_SEC;

/** Its charges go on, so that nothing that was read of it stands: it is read at once, and again. */
const isUnderWay = (hour: BegunHour): boolean => endOf(hour) > nowSec();

const keyOf = (userId: number, { start }: BegunHour): string => `${userId} ${start}`;

function knownOf({ kept }: Reading, userId: number, hour: BegunHour): Kept | undefined {
  const known = kept.begun.get(keyOf(userId, hour));
  return known?.hourQuota === hour.all.quota ? known : undefined;
}

const keep = ({ kept }: Reading, userId: number, hour: BegunHour, read: Omit<Kept, 'hourQuota'>) =>
  kept.begun.set(keyOf(userId, hour), { ...read, hourQuota: hour.all.quota });

const ofCharges = (userId: number) => sql`
  user_id = ${userId}::bigint and kind = ${MOVEMENT.charge}::smallint`;

const SUMS = sql.raw('coalesce(sum(-delta), 0)::bigint as quota, count(*)::bigint as calls');

async function readAll(
  tx: Tx,
  userId: number,
  hours: readonly BegunHour[],
): Promise<(Charged & { start: number })[]> {
  if (hours.length === 0) return [];
  return rowsOf(
    await tx.execute(sql`
      select start, ${SUMS} from unnest(${numberList(hours.map(({ start }) => start))}::bigint[]) as starts (start)
        join ledger on ${ofCharges(userId)} and created_at >= start
          and created_at < (start / ${HOUR_SEC}::bigint + 1) * ${HOUR_SEC}::bigint
      group by start`),
  );
}

/** As many charges of an hour as a turn may look at, the newest that were not read; of a second all. */
async function readSlice(tx: Tx, userId: number, hour: BegunHour, reading: Reading, most: number) {
  const { downTo, quota, calls } = knownOf(reading, userId, hour) ?? {
    downTo: endOf(hour),
    quota: 0,
    calls: 0,
  };
  const ofRest = sql`${ofCharges(userId)} and created_at >= ${hour.start}::bigint`;
  const slice = await inOrderOfIndex(tx, () =>
    tx.execute(sql`
      with cut as materialized (
        select least(coalesce((
          select created_at from ledger where ${ofRest} and created_at < ${downTo}::bigint
          order by created_at desc nulls last limit 1 offset ${most}
        ), ${hour.start}::bigint), ${downTo - 1}::bigint) as since
      )
      select (select since from cut) as "from", ${SUMS} from ledger
      where ${ofRest} and created_at >= (select since from cut) and created_at < ${downTo}::bigint`),
  );
  const [row] = rowsOf<Charged & { from: number }>(slice);
  if (!row) return;
  keep(reading, userId, hour, { downTo: row.from, quota: quota + row.quota, calls: calls + row.calls });
}
