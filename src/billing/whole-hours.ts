/**
 * What a user was charged in whole hours. Of a part of a day with many figures the hours are folded with it; its figures serve
 * where there are few, or it is not folded, or has to be again.
 *
 * Of parts that are not folded yet one user may have any number of figures. An embedded database, which serves nobody else
 * meanwhile, reads so many of them at once, the rest in further turns, and what it has read of an hour is kept: once an hour is
 * over, whatever comes to it says that its part is late, and says so until the part is folded. Hours in which charges may still
 * come without that are read at once, whatever they have.
 */
import { type SQL, sql } from 'drizzle-orm';
import { LRUCache } from 'lru-cache';
import { limits } from '../core/limits.ts';
import { DAY_PART_SEC, HOUR_SEC, nowSec } from '../core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS, FOLDED_PARTS } from '../core/usage-folds.ts';
import type { Tx } from '../db/client.ts';
import { inOrderOfIndex, isEmbedded, looksAt } from '../db/looks.ts';
import { numberList, rowsOf } from '../db/statement.ts';

/** Quota units, and of how many calls. */
export interface Charged {
  quota: number;
  calls: number;
}

/** By user and hour. */
export type WholeHours = LRUCache<string, Charged>;

export const wholeHours = (): WholeHours => new LRUCache({ max: limits.wholeHoursKept });

/** A time, [from, to), of one user, from a whole hour on. */
export interface HoursOfUser {
  userId: number;
  from: number;
  to: number;
}

type KnownHour = Charged & { hour: number };

/** What stands for the figures of some parts: hours of which is known what they come to, and hours that are unread. */
interface InPlace {
  parts: number[];
  known: KnownHour[];
  unread: number[];
}

const NOTHING: InPlace = { parts: [], known: [], unread: [] };

/** How `usage_folded` has the hours of who called much, by its groups, of which there are few (`modules/usage/fold.ts`). */
const BUSY_HOURS = sql.raw(`dimension = ${FOLDED_DIMENSIONS.group} and hours = ${FOLDED_HOURS.hour}`);

/** A CTE of the hours with what they come to; null where a turn may not read so much: the next one has less to read. */
export async function hoursOf(tx: Tx, of: HoursOfUser, cache: WholeHours): Promise<SQL | null> {
  const inPlace = isEmbedded(tx) ? await keepHours(tx, of, cache) : NOTHING;
  if (!inPlace) return null;
  const { userId, from, to } = of;
  const part = sql.raw(`${DAY_PART_SEC}::bigint`);
  const within = (hour: SQL) => sql`
    user_id = ${userId}::bigint and ${hour} >= greatest(parts.part, ${from}::bigint)
    and ${hour} < least(parts.part + ${part}, ${to}::bigint)`;
  const list = (numbers: readonly number[]) => sql`${numberList(numbers)}::bigint[]`;
  const { known, unread } = inPlace;
  const inTheirPlace = sql`
    union all
    select * from unnest(${list(known.map(({ hour }) => hour))}, ${list(known.map(({ quota }) => quota))}, ${list(known.map(({ calls }) => calls))})
    union all
    select u.* from unnest(${list(unread)}) as unread (hour) cross join lateral (
      select hour, quota, calls from usage_hourly where user_id = ${userId}::bigint and hour = unread.hour offset 0
    ) u`;
  return sql`
    parts as materialized (
      select part, part in (${sql.raw(FOLDED_PARTS)})
        and exists (
          select from usage_folded f where f.user_id = ${userId}::bigint and ${BUSY_HOURS}
            and f.part >= at.part and f.part < at.part + ${part}
        ) as is_folded
      from ${partsOf(of)} as at (part) where part <> all(${list(inPlace.parts)})
    ), hours as materialized (
      select hour, sum(quota)::bigint as quota, sum(calls)::bigint as calls from (
        select f.* from parts cross join lateral (
          select part as hour, quota, calls from usage_folded where ${within(sql`part`)} and ${BUSY_HOURS} offset 0
        ) f where is_folded
        union all
        select h.* from parts cross join lateral (
          select hour, quota, calls from usage_hourly where ${within(sql`hour`)} offset 0
        ) h where not is_folded
        ${inPlace.parts.length > 0 ? inTheirPlace : sql``}
      ) figures group by hour
    )`;
}

const partsOf = ({ from, to }: HoursOfUser): SQL =>
  sql`generate_series(${from - (from % DAY_PART_SEC)}::bigint, ${to - 1}::bigint, ${DAY_PART_SEC}::bigint)`;

/** Null where more is left to be kept than was read now. */
async function keepHours(tx: Tx, of: HoursOfUser, cache: WholeHours): Promise<InPlace | null> {
  const { userId, from, to } = of;
  const parts = rowsOf<{ part: number }>(
    await tx.execute(sql`
      select part from ${partsOf(of)} as at (part)
      where part not in (select part from usage_parts) and part not in (select part from usage_late)
        and exists (
          select from usage_hourly where user_id = ${userId}::bigint
            and hour >= at.part and hour < at.part + ${DAY_PART_SEC}::bigint
        )
      order by part desc`),
  ).map(({ part }) => part);
  const hours = parts
    .flatMap((part) => Array.from({ length: DAY_PART_SEC / HOUR_SEC }, (_, n) => part + n * HOUR_SEC))
    .filter((hour) => hour >= from && hour < to);
  const known = hours.flatMap((hour): KnownHour[] => {
    const charged = cache.get(keyOf(userId, hour));
    return charged ? [{ hour, ...charged }] : [];
  });
  const unread = hours.filter((hour) => !cache.has(keyOf(userId, hour)));
  const isOver = (hour: number) => hour + HOUR_SEC + limits.hourOverSec <= nowSec();
  const open = unread.filter((hour) => !isOver(hour));
  const over = unread.filter(isOver).sort((a, b) => b - a);
  const [newest] = over;
  const reached = newest === undefined ? null : await hourReached(tx, userId, [...open, ...over]);
  if (reached !== null) {
    // One at least, whatever it and those before it have.
    const before = over.slice(0, Math.max(over.indexOf(reached), 1));
    for (const { hour, ...charged } of await readHours(tx, userId, before)) {
      cache.set(keyOf(userId, hour), charged);
    }
    return null;
  }
  return known.length > 0 ? { parts, known, unread } : NOTHING;
}

const keyOf = (userId: number, hour: number): string => `${userId} ${hour}`;

/** The hour, in this order, in which more figures are read than a turn may look at; null where they are fewer. */
async function hourReached(tx: Tx, userId: number, hours: readonly number[]): Promise<number | null> {
  const found = await inOrderOfIndex(tx, () =>
    tx.execute(sql`
      select hour from unnest(${numberList(hours)}::bigint[]) as t (hour) cross join lateral (
        select from usage_hourly u where u.user_id = ${userId}::bigint and u.hour = t.hour offset 0
      ) figure
      limit 1 offset ${looksAt(tx, limits.usageLooked)}`),
  );
  return rowsOf<{ hour: number }>(found)[0]?.hour ?? null;
}

async function readHours(tx: Tx, userId: number, hours: readonly number[]): Promise<KnownHour[]> {
  return rowsOf(
    await tx.execute(sql`
      select hour, quota, calls from unnest(${numberList(hours)}::bigint[]) as t (hour) cross join lateral (
        select coalesce(sum(quota), 0)::bigint as quota, coalesce(sum(calls), 0)::bigint as calls from usage_hourly u
        where u.user_id = ${userId}::bigint and u.hour = t.hour
      ) sums`),
  );
}
