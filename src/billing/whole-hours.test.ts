/** A statement over many hourly figures that are not folded is what the ledger says, however many turns that takes. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { holdOf, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { limits } from '../core/limits.ts';
import { DAY_PART_SEC, DAY_SEC, HOUR_SEC } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { foldUsage } from '../modules/usage/fold.ts';
import { readingTurn } from './begun-hours.ts';
import { MOVEMENT } from './ledger.ts';
import { openWholeBook, readStatement } from './statement.ts';
import { reserveAll, settleAll } from './statements.ts';

/** Within an hour, an hour after a part of a day began. */
const NOW = 1_767_225_600 + 2 * DAY_SEC + 9 * HOUR_SEC + 1_234;
const HOURS = 30;
/** Tokens that are charged in each hour. */
const TOKENS = 4;
/** Figures of the hours in which charges may still come, and of two more. */
const MOST = 5 * TOKENS;

describe.each(engines)('whole hours of many figures, on %s', (engine) => {
  const isEmbedded = engine === 'pglite';
  const { usageLooked } = limits;
  let db: Database;
  let userId: number;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    Object.assign(limits, { usageLooked: MOST / limits.embeddedLooks });
    setSystemTime(NOW * 1000);
    userId = await makeUser(db, 0);
    await charge(Array.from({ length: HOURS * TOKENS }, (_, n) => NOW - Math.floor(n / TOKENS) * HOUR_SEC));
  });
  afterAll(async () => {
    setSystemTime();
    Object.assign(limits, { usageLooked });
    await db.close();
  });

  /** As settlements write them, each by a token of its own. */
  async function charge(times: readonly number[], isLate = false) {
    const rows = times.map((at, n) => `(${at}, ${n % TOKENS}, ${1 + (n % 50)})`).join(', ');
    await db.query(
      `with c (at, token, paid) as (values ${rows}), le as (
         insert into ledger select gen_random_uuid(), 1, $1::bigint, -paid, at, null from c
       ), late as (
         insert into usage_late (part) select distinct at / ${DAY_PART_SEC} * ${DAY_PART_SEC} from c where ${isLate}
       )
       insert into usage_hourly select at / 3600 * 3600, $1::bigint, token, 1, 'm', 'g', count(*), 1, 1, sum(paid) from c
       group by 1, 3 on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
         calls = usage_hourly.calls + excluded.calls, quota = usage_hourly.quota + excluded.quota`,
      [userId],
    );
  }

  /** The days with charges, newest first, in how many turns, and what is done between these. */
  async function read(of: Database, between = async (_turn: number): Promise<unknown> => undefined) {
    for (let turn = 1; turn < 100; turn++) {
      const found = await of.orm.transaction((tx) =>
        readStatement(tx, { userId, timeZone: 'UTC', kind: MOVEMENT.charge, limit: 50 }, readingTurn(of)),
      );
      if (found)
        return { turns: turn, days: found.lines.map(({ day, delta }) => [day?.from, -delta, day?.calls]) };
      await between(turn);
    }
    throw new Error('there is always more to read');
  }

  const expected = () =>
    db
      .query<{ day: number; quota: number; calls: number }>(
        `select created_at / ${DAY_SEC} * ${DAY_SEC} as day, -sum(delta)::bigint as quota, count(*) as calls from ledger
         where user_id = $1 and kind = 1 group by 1 order by 1 desc`,
        [userId],
      )
      .then((days) => days.map(({ day, quota, calls }) => [day, quota, calls]));

  test('are read in turns, so many figures at once, and kept', async () => {
    const fresh = { ...db };
    const { turns, days } = await read(fresh);
    expect(days).toEqual(await expected());
    expect(days).toHaveLength(2);
    expect(turns).toBe(isEmbedded ? 1 + Math.ceil(((HOURS - 5) * TOKENS) / (MOST - 3 * TOKENS)) : 1);
    expect(await read(fresh)).toEqual({ turns: 1, days });
    // Nothing is read of what is kept.
    const rows = await db.query<{ json: string }>(
      `delete from usage_hourly where hour = $1::bigint / 3600 * 3600 returning to_json(usage_hourly)::text as json`,
      [NOW - 20 * HOUR_SEC],
    );
    expect(rows).toHaveLength(TOKENS);
    if (isEmbedded) expect((await read(fresh)).days).toEqual(days);
    for (const { json } of rows)
      await db.query(
        'insert into usage_hourly select * from json_populate_record(null::usage_hourly, $1::text::json)',
        [json],
      );
  });

  test('a sheet reads all of them before it begins', async () => {
    const fresh = { ...db };
    let book = null;
    for (let turn = 0; turn < 100 && !book; turn++)
      book = await fresh.orm.transaction((tx) =>
        openWholeBook(tx, { userId, timeZone: 'UTC' }, readingTurn(fresh)),
      );
    expect(book?.days.map(({ quota }) => quota).filter(Boolean)).toEqual(
      (await expected()).map(([, quota = 0]) => quota).reverse(),
    );
  });

  const at = NOW - 12 * HOUR_SEC;
  const late = NOW - 25 * HOUR_SEC;

  test('tell of charges that come meanwhile, late ones too', async () => {
    const fresh = { ...db };
    const found = await read(fresh, async (turn) => {
      await charge([NOW, NOW - HOUR_SEC]);
      if (turn > 3) await charge([at + turn, late + turn], true);
    });
    expect(found.days).toEqual(await expected());
  });

  test('tell of charges that come late to what was kept, also while their part is folded for the first time', async () => {
    const fresh = { ...db };
    await db.query('delete from usage_late');
    await read(fresh);
    await charge([late, at, NOW - 2 * HOUR_SEC], true);
    expect((await read(fresh)).days).toEqual(await expected());
    setSystemTime((NOW + DAY_SEC) * 1000);
    const { foldFigures } = limits;
    Object.assign(limits, { foldFigures: 5 });
    let left = 9;
    const dying: Database = {
      ...db,
      orm: new Proxy(db.orm, {
        get: (orm, name) => {
          if (name === 'transaction' && --left === 0) throw new Error('killed');
          return Reflect.get(orm, name);
        },
      }),
    };
    if (isEmbedded) await expect(foldUsage(dying)).rejects.toThrow('killed');
    setSystemTime(NOW * 1000);
    expect((await read(fresh)).days).toEqual(await expected());
    setSystemTime((NOW + DAY_SEC) * 1000);
    await foldUsage(db);
    setSystemTime(NOW * 1000);
    Object.assign(limits, { foldFigures });
    expect(await db.query('select from usage_late')).toEqual([]);
    expect((await read(fresh)).days).toEqual(await expected());
    await charge([late + 9], true);
    expect((await read(fresh)).days).toEqual(await expected());
  });

  test('are kept no sooner than what is settled of them says that it is late', async () => {
    userId = await makeUser(db, 1_000);
    const token = await makeToken(db, userId);
    const hour = NOW - (NOW % HOUR_SEC) + 3 * DAY_SEC;
    const last = hour + HOUR_SEC - 1;
    await charge(Array.from({ length: HOURS * TOKENS }, (_, n) => hour - Math.floor(n / TOKENS) * HOUR_SEC));
    const fresh = { ...db };
    // The latest moment at which it does not say so, and the first at which the hour is over.
    for (const after of [limits.lateUsageSec, limits.hourOverSec + 1]) {
      setSystemTime((last + after) * 1000);
      const hold = holdOf(userId, token, 5);
      await reserveAll(db, [{ ...hold, extends: false }], 'test');
      await read(fresh);
      expect((await settleAll(db, [settlementOf(hold.id, 5, { at: last })])).size).toBe(1);
      expect((await read(fresh)).days).toEqual(await expected());
    }
  });
});
