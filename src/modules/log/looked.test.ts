/** How many figures the log's sums look at on an embedded database, and what they tell where there are more. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { makeUser } from '../../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../../tests/support/database.ts';
import { limits } from '../../core/limits.ts';
import { DAY_PART_SEC, DAY_SEC, HOUR_SEC } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { foldUsage } from '../usage/fold.ts';
import type { LogFilter } from './filter.ts';
import { countPaged, logStat } from './list.ts';

/** In the middle of a part of a day. */
const NOW = 1_767_225_600 + 3 * DAY_SEC + 12 * HOUR_SEC;
const HOURS = 30;
/** Figures of an hour, each of two calls. */
const EACH = 4;
/** Of one user's four hours. */
const MOST = 4 * EACH;

describe.each(engines)('figures that sums of the log look at, on %s', (engine) => {
  const isEmbedded = engine === 'pglite';
  const { usageLooked } = limits;
  let db: Database;
  let id: number;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    id = await makeUser(db, 0);
    setSystemTime(NOW * 1000 + 999);
    Object.assign(limits, { usageLooked: isEmbedded ? MOST / limits.embeddedLooks : 1_000 });
    await db.query(
      `insert into usage_hourly
       select $2::bigint - h * 3600, $1::bigint, t, 1, 'm' || t, 'default', 2, 0, 0, 5 from generate_series(1, ${HOURS}) h, generate_series(1, ${EACH}) t`,
      [id, NOW],
    );
    // None of them has a row.
    await db.query(
      `insert into failures_hourly
       select $2::bigint - h * 3600, $1::bigint, t, 1, 'm' || t, 'default', 'x' || t % 2, 1 from generate_series(1, ${HOURS}) h, generate_series(1, 2) t`,
      [id, NOW],
    );
  });
  afterAll(async () => {
    setSystemTime();
    Object.assign(limits, { usageLooked });
    await db.close();
  });

  const stat = async (hours: number, more: LogFilter = {}) => {
    const given = { ownerId: id, from: NOW - hours * HOUR_SEC, to: NOW - 1, ...more };
    const { calls, failed, success, looked } = await logStat({ db }, { id }, given);
    return { calls, failed, success, looked };
  };
  const exact = (hours: number, of_hours = false) => {
    const success = { calls: hours * EACH * 2, failed: hours * 2, of_hours };
    return { calls: success.calls, failed: success.failed, success, looked: null };
  };
  /** Of a time that begins within an hour. */
  const within = (hours: number) => stat(hours, { from: NOW - hours * HOUR_SEC + 5 });
  const withinTold = (hours: number) => ({
    ...exact(hours, true),
    calls: (hours - 1) * EACH * 2,
    failed: null,
  });
  const cut = (rows: number, hours: number, calls = hours * EACH * 2) => ({
    calls,
    failed: null,
    success: null,
    looked: { rows, back_to: NOW - hours * HOUR_SEC },
  });

  test('are all while they are few', async () => {
    expect(await stat(4)).toEqual(exact(4));
    expect(await within(4)).toEqual(withinTold(4));
  });

  test('are the newest where they are more, and what is told of them says so', async () => {
    expect(await stat(5)).toEqual(isEmbedded ? cut(MOST, 4) : exact(5));
    expect(await stat(10)).toEqual(isEmbedded ? cut(MOST, 4) : exact(10));
    expect(await stat(10, { modelName: 'm1' })).toMatchObject(
      isEmbedded ? cut(MOST, 4, 4 * 2) : { calls: 20, failed: 10, looked: null },
    );
  });

  test('are no more where a time begins within an hour of which not all has rows', async () => {
    expect(await within(5)).toEqual(
      isEmbedded ? { calls: 4 * EACH * 2, failed: null, success: null, looked: null } : withinTold(5),
    );
  });

  test('are no more of calls that came to nothing, either', async () => {
    // Those of nine hours are more than are looked at, and nothing is charged in these.
    const id = await makeUser(db, 0);
    await db.query(
      'insert into failures_hourly select hour, $1, token_id, 1, model_name, $2, code, 1 from failures_hourly',
      [id, 'vip'],
    );
    const of = async (hours: number) => (await stat(hours, { ownerId: id })).failed;
    expect(await of(8)).toBe(16);
    expect(await of(9)).toBe(isEmbedded ? null : 18);
  });

  test('are none for a page of few rows, which are counted themselves', async () => {
    await db.query(
      'insert into usage_unlogged select hour, user_id, token_id, channel_id, model_name, group_name, calls, 0, 0, quota from usage_hourly where hour < $1',
      [NOW - HOUR_SEC],
    );
    await db.query(
      `insert into logs (created_at, user_id, type, token_id, model_name) select $2::bigint - i, $1::bigint, 2, 1, 'm1' from generate_series(1, 7) i`,
      [id, NOW - HOUR_SEC / 2],
    );
    const filter = { ownerId: id, type: 2, from: NOW - HOURS * HOUR_SEC, to: NOW - 1 };
    const counted = await db.orm.transaction((tx) => countPaged(tx, filter));
    // The figures have one more, whose row is gone.
    expect(counted).toEqual({ total: isEmbedded ? 7 : 8, looked: null });
    await db.query('delete from logs');
    await db.query('delete from usage_unlogged');
  });

  test('of calls without a row are those of who is asked for, however many others have', async () => {
    const other = await makeUser(db, 0);
    const unlogged = (hour: number, of: number, tokens: number) =>
      db.query(
        `insert into usage_unlogged select $1::bigint, $2::bigint, t, 1, 'm', 'default', 1, 0, 0, 5 from generate_series(1, $3::bigint) t`,
        [hour, of, tokens],
      );
    await unlogged(NOW - 2 * HOUR_SEC, id, 1);
    await unlogged(NOW - HOUR_SEC, other, MOST);
    const filter = { ownerId: id, type: 2, from: NOW - 2 * HOUR_SEC, to: NOW - 1 };
    const counted = await db.orm.transaction((tx) => countPaged(tx, filter));
    await db.query('delete from usage_unlogged');
    expect(counted).toEqual({ total: 2 * EACH * 2 - 1, looked: null });
  });

  test('are those that are not folded', async () => {
    setSystemTime((NOW + 7 * HOUR_SEC) * 1000);
    expect(await foldUsage(db)).toBeGreaterThan(3);
    setSystemTime(NOW * 1000 + 999);
    const folded = Math.floor(NOW / DAY_PART_SEC) * DAY_PART_SEC;
    const hours = (NOW - folded) / HOUR_SEC + 3 * (DAY_PART_SEC / HOUR_SEC);
    // Nothing else is read of these.
    for (const table of ['usage_hourly', 'failures_hourly'])
      await db.query(`delete from ${table} where hour < $1 and hour >= $2`, [
        folded,
        NOW - (hours - 1) * HOUR_SEC,
      ]);
    expect(await stat(hours)).toEqual(exact(hours));
    expect(await within(hours + 1)).toMatchObject({ calls: hours * EACH * 2, failed: null });
    expect(await stat(hours, { code: 'x1' })).toMatchObject({ failed: hours });
    expect(await stat(hours, { tokenIds: [2], modelName: 'm2' })).toMatchObject({
      calls: hours * 2,
      failed: hours,
    });
  });

  test('of a user’s folded sums by several things at once are so many more', async () => {
    Object.assign(limits, { usageLooked: 2 * EACH });
    await db.query('delete from usage_hourly');
    const found = await stat(28, { tokenIds: [2], modelName: 'm2' });
    expect(found).toMatchObject(isEmbedded ? { calls: 2 * 8 * 2, failed: null } : { calls: 3 * 8 * 2 });
    Object.assign(limits, { usageLooked: MOST / limits.embeddedLooks });
  });

  test('do not tell of a token where a flood’s calls of a folded part have none', async () => {
    const hour = NOW - 7 * DAY_SEC;
    await db.query(
      "insert into failures_hourly values ($1, $2, 1, 1, 'm1', 'default', 'x', 1), ($1, $2, -1, 0, '', 'default', 'x', 5)",
      [hour, id],
    );
    expect(await foldUsage(db)).toBe(1);
    const of = (more: LogFilter) => stat(0, { from: NOW - 8 * DAY_SEC, to: NOW - 6 * DAY_SEC, ...more });
    expect(await of({})).toMatchObject({ failed: 6 });
    expect(await of({ tokenIds: [1] })).toMatchObject({ failed: null });
  });
});
