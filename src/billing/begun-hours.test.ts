/** A statement of days that begin within an hour is what the ledger says, however many charges that takes to be read. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { makeUser } from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { dayStarts } from '../core/days.ts';
import { limits } from '../core/limits.ts';
import { DAY_SEC, HOUR_SEC } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { foldUsage } from '../modules/usage/fold.ts';
import { readingTurn } from './begun-hours.ts';
import { foldLedger } from './fold.ts';
import { MOVEMENT } from './ledger.ts';
import { readStatement } from './statement.ts';

/** A midnight of UTC. */
const START = 1_767_225_600;
const DAYS = 6;
const KATHMANDU = 'Asia/Kathmandu';
/** Where a day of Kathmandu begins. */
const BEGIN_SEC = 18 * HOUR_SEC + 900;
const MOST = 20;

describe.each(engines)('hours in which a day begins, on %s', (engine) => {
  let db: Database;
  let userId: number;
  const { countCap } = limits;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    userId = await makeUser(db, 0);
    Object.assign(limits, { countCap: engine === 'pglite' ? MOST / limits.embeddedLooks : MOST });
    setSystemTime((START + DAYS * DAY_SEC + BEGIN_SEC + 600) * 1000);
    for (let day = 0; day < DAYS; day++) {
      await charge(Array.from({ length: 30 }, (_, n) => START + day * DAY_SEC + n * 2_800));
      // On both sides of the midnight; some in one second.
      await charge(Array.from({ length: 5 + 9 * day }, (_, n) => at(day) - 800 + n * 40));
      await charge(Array.from({ length: 3 }, () => at(day) + 5));
    }
    await charge(Array.from({ length: 90 }, () => at(4) + 77));
    // The day that it is began ten minutes ago.
    await charge(Array.from({ length: 3 * MOST }, (_, n) => at(DAYS) - 100 + n * 3));
  });
  afterAll(async () => {
    setSystemTime();
    Object.assign(limits, { countCap });
    await db.close();
  });

  const at = (day: number): number => START + day * DAY_SEC + BEGIN_SEC;

  /** As settlements write them, by many tokens. */
  const charge = async (times: readonly number[]) => {
    const rows = times.map((time, n) => `(${time}, ${n % 80}, ${1 + ((time + n) % 50)})`).join(', ');
    await db.query(
      `with c (at, token, paid) as (values ${rows}), le as (
         insert into ledger select gen_random_uuid(), 1, $1::bigint, -paid, at, null from c
       )
       insert into usage_hourly select at / 3600 * 3600, $1::bigint, token, 1, 'm', 'g', count(*), 1, 1, sum(paid) from c
       group by 1, 3 on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
         calls = usage_hourly.calls + excluded.calls, quota = usage_hourly.quota + excluded.quota`,
      [userId],
    );
  };

  /** The days with charges, newest first, in how many turns, and what is done between these. */
  async function read(
    between: (turn: number) => Promise<unknown> = async () => undefined,
    fresh = { ...db },
  ) {
    for (let turn = 1; turn < 200; turn++) {
      const found = await fresh.orm.transaction((tx) =>
        readStatement(
          tx,
          { userId, timeZone: KATHMANDU, kind: MOVEMENT.charge, limit: 50 },
          readingTurn(fresh),
        ),
      );
      if (found)
        return { turns: turn, days: found.lines.map(({ day, delta }) => [day?.from, -delta, day?.calls]) };
      await between(turn);
    }
    throw new Error('there is always more to read');
  }

  const expected = async () => {
    const charges = await db.query<{ created_at: number; delta: number }>(
      'select created_at, delta from ledger where user_id = $1 and kind = 1 and note is null',
      [userId],
    );
    const starts = dayStarts(START, at(DAYS) + 600, KATHMANDU);
    return starts
      .map((start, n) => {
        const own = charges.filter(
          ({ created_at }) => created_at >= start && created_at < (starts[n + 1] ?? Number.POSITIVE_INFINITY),
        );
        return [start, own.reduce((sum, { delta }) => sum - delta, 0), own.length];
      })
      .filter(([, quota]) => quota !== 0)
      .reverse();
  };

  test('are read in turns, so many charges at once, and kept', async () => {
    const fresh = { ...db };
    const found = await read(undefined, fresh);
    expect(found.days).toEqual(await expected());
    expect(found.days).toHaveLength(DAYS + 2);
    expect(found.turns).toBeGreaterThan(6);
    expect(await read(undefined, fresh)).toEqual({ turns: 1, days: found.days });
  });

  test('are read again where charges come late, also between two turns, and in the hour that it is', async () => {
    const fresh = { ...db };
    const late = (turn: number) => charge([at(turn % DAYS) + 20 + turn, at(5) + 33, at(DAYS) + 200]);
    const found = await read((turn) => (turn < 5 ? late(turn) : Promise.resolve()), fresh);
    expect(found.days).toEqual(await expected());
    await late(3);
    const again = await read(undefined, fresh);
    expect(again.days).toEqual(await expected());
    expect(again.days).not.toEqual(found.days);
  });

  test('are the same from the figures as they were folded', async () => {
    expect(await foldUsage(db)).toBeGreaterThan(10);
    const [busy] = await db.query<{ hour: number }>(
      'select max(part) as hour from usage_folded where user_id = $1 and dimension = 3 and hours = 1',
      [userId],
    );
    expect(busy?.hour).toBeGreaterThan(START);
    expect((await read()).days).toEqual(await expected());
    // Figures of what is folded are not looked at, unless it is late.
    const change = (by: number) =>
      db.query('update usage_hourly set quota = quota + $1 where hour = $2', [by, busy?.hour ?? 0]);
    await change(1);
    expect((await read()).days).toEqual(await expected());
    await change(-1);
    await charge([at(4) + 600]);
    await db.query('insert into usage_late values ($1 / 28800 * 28800)', [at(4)]);
    expect((await read()).days).toEqual(await expected());
  });

  /** As a job that ends behind its first slice: what was charged up to five seconds behind the midnight, no more of its hour. */
  const foldInto = async (day: number) => {
    const [row] = await db.query<{ n: number }>(
      'select count(*)::int as n from ledger where kind = 1 and note is null and created_at < $1',
      [at(day) + 6],
    );
    const end = new AbortController();
    const query: Database['query'] = (text, params) => {
      end.abort();
      return db.query(text, params);
    };
    const { foldCharges } = limits;
    Object.assign(limits, { foldCharges: row?.n });
    try {
      expect(await foldLedger({ ...db, query }, at(day) + HOUR_SEC, end.signal)).toBe(row?.n ?? 0);
    } finally {
      Object.assign(limits, { foldCharges });
    }
    const left = await db.query(
      'select from ledger where kind = 1 and note is null and created_at >= $1 and created_at < $1 + 2700',
      [at(day)],
    );
    return left.length;
  };

  /** It is the same of who has read it before, of who reads it now, and of who reads it when all of it is folded. */
  const isWholeOnceReached = async (day: number) => {
    const before = { ...db };
    const exact = await read(undefined, before);
    const left = await foldInto(day);
    const whole = await read();
    expect(whole.days).not.toEqual(exact.days);
    expect((await read(undefined, before)).days).toEqual(whole.days);
    await foldLedger(db, at(day) + HOUR_SEC);
    expect((await read(undefined, before)).days).toEqual(whole.days);
    expect((await read()).days).toEqual(whole.days);
    return left;
  };

  test('are whole once folding has reached them, in every process, whatever is left of them', async () => {
    expect(await isWholeOnceReached(0)).toBeGreaterThan(0);
    expect(await isWholeOnceReached(1)).toBeLessThan(MOST);
  });

  test('stay whole once their charges are folded into months, also between two turns', async () => {
    const end = START + (DAYS - 1) * DAY_SEC;
    const folded = await read((turn) => (turn === 3 ? foldLedger(db, end) : Promise.resolve()));
    await foldLedger(db, end);
    expect((await read()).days).toEqual(folded.days);
    const all = (days: (number | undefined)[][]) => days.reduce((sum, [, quota = 0]) => sum + quota, 0);
    const [{ quota } = { quota: 0 }] = await db.query<{ quota: number }>(
      'select sum(quota)::bigint as quota from usage_hourly where user_id = $1',
      [userId],
    );
    expect(all(folded.days)).toBe(quota);
  });

  test('are whole once folding has reached them where more is left than a turn may read', async () => {
    expect(await isWholeOnceReached(5)).toBeGreaterThan(MOST);
  });

  test('are folded in the order of time, by whole hours', async () => {
    await charge([at(DAYS) - 10 * DAY_SEC, at(DAYS) - 10 * DAY_SEC + 1]);
    expect(await foldLedger(db, at(DAYS) - 10 * DAY_SEC + 1)).toBe(0);
  });
});
