/** How many figures a chart looks at on an embedded database, and that it tells from when on. */
import { afterAll, beforeAll, describe, expect, setSystemTime, test } from 'bun:test';
import { openApi, type TestApi, type TestUser } from '../../../tests/support/api.ts';
import { engines } from '../../../tests/support/database.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC, HOUR_SEC } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { ROWS_FROM } from './contract.ts';
import { exportUsage } from './export.ts';
import { foldUsage } from './fold.ts';
import { mostCalledModels, usageReport } from './service.ts';

const NOW = 1_767_225_600 + 3 * DAY_SEC + 12 * HOUR_SEC;
const HOURS = 30;
/** Figures of an hour. */
const EACH = 4;
/** Of one user's four hours, and of everybody's sixteen. */
const MOST = 4 * EACH;

describe.each(engines)('figures that a chart looks at, on %s', (engine) => {
  const isEmbedded = engine === 'pglite';
  const { usageLooked } = limits;
  let api: TestApi;
  let db: Database;
  let id: number;
  let user: TestUser;
  beforeAll(async () => {
    api = await openApi(engine);
    db = api.deps.db;
    user = await api.createUser();
    ({ id } = user);
    setSystemTime(NOW * 1000 + 999);
    Object.assign(limits, { usageLooked: MOST / limits.embeddedLooks });
    await db.query(
      `insert into usage_hourly
       select $2::bigint - h * 3600, $1::bigint, t, 1, 'm' || t, 'default', 2, 0, 0, 5 from generate_series(1, ${HOURS}) h, generate_series(1, ${EACH}) t`,
      [id, NOW],
    );
  });
  afterAll(async () => {
    setSystemTime();
    Object.assign(limits, { usageLooked });
    await api.close();
  });

  const report = async (
    hours: number,
    { own = true, ...more }: { own?: boolean; dimension?: 'token' } = {},
  ) => {
    const query = { start_timestamp: NOW - hours * HOUR_SEC, end_timestamp: NOW - 1, ...more };
    const found = await usageReport(
      api.deps,
      { id, ...(own ? { ownerId: id } : {}) },
      { step: 'hour', ...query },
    );
    const { from, starts, all, before } = found;
    return { hours: (NOW - from) / HOUR_SEC, steps: starts.length, calls: all.calls, before: before?.calls };
  };
  const told = (hours: number, before?: number) => ({
    hours,
    steps: hours,
    calls: hours * EACH * 2,
    before,
  });

  test('are all while they are few, with those of the time before', async () => {
    expect(await report(2)).toEqual(told(2, 16));
  });

  test('are the newest, and the time before is not told where they are more', async () => {
    expect(await report(3)).toEqual(told(3, isEmbedded ? undefined : 24));
    expect(await report(4)).toEqual(told(4, isEmbedded ? undefined : 32));
    expect(await report(10)).toEqual(isEmbedded ? told(4) : told(10, 80));
    expect(await report(10, { dimension: 'token' })).toEqual(isEmbedded ? told(4) : told(10, 80));
    const own = await api.as(user);
    const rows = async (hours: number) => {
      const times = `start_timestamp=${NOW - hours * HOUR_SEC}&end_timestamp=${NOW - 1}`;
      const { data, headers } = await own.get(`/api/data/self?${times}`);
      return { rows: data.length, from: headers.get(ROWS_FROM) };
    };
    expect(await rows(4)).toEqual({ rows: 4 * EACH, from: null });
    expect(await rows(10)).toEqual(
      isEmbedded ? { rows: 4 * EACH, from: `${NOW - 4 * HOUR_SEC}` } : { rows: 10 * EACH, from: null },
    );
  });

  test('are told with whether older ones are left out, though as many steps are left', async () => {
    const half = 1_800;
    const told = async (hours: number) => {
      const query = { start_timestamp: NOW - hours * HOUR_SEC - half, end_timestamp: NOW - 1 };
      const reader = { id, ownerId: id };
      const { is_cut, starts } = await usageReport(api.deps, reader, { ...query, step: 'day' });
      const sheet = await Array.fromAsync(exportUsage(api.deps, { ...reader, locale: 'en' }, query));
      return { is_cut, steps: starts.length, last: sheet.join('').trim().split('\r\n').at(-1) };
    };
    expect(await told(2)).toEqual({ is_cut: false, steps: 1, last: expect.stringMatching(/^m\d,/) });
    const since = new Date((NOW - 4 * HOUR_SEC) * 1000).toISOString();
    expect(await told(9)).toEqual({
      is_cut: isEmbedded,
      steps: 1,
      last: isEmbedded ? `only since ${since},,,,,,,,` : expect.stringMatching(/^m\d,/),
    });
  });

  test('are more of everybody, whom administrators ask for', async () => {
    expect(await report(10, { own: false })).toEqual(told(10, isEmbedded ? undefined : 80));
    expect(await report(20, { own: false })).toMatchObject(isEmbedded ? told(16) : { hours: 20 });
  });

  test('are none where the newest hour has more', async () => {
    Object.assign(limits, { usageLooked: (EACH - 1) / limits.embeddedLooks });
    const { steps, calls } = await report(3);
    expect({ steps, calls }).toEqual(isEmbedded ? { steps: 1, calls: 0 } : { steps: 3, calls: 24 });
    Object.assign(limits, { usageLooked: MOST / limits.embeddedLooks });
  });

  test('are those that are not folded; of a user’s folded sums there are so many more', async () => {
    setSystemTime((NOW + 7 * HOUR_SEC) * 1000);
    await foldUsage(db);
    setSystemTime(NOW * 1000 + 999);
    const hours = 4 + 3 * 8;
    expect(await report(hours)).toMatchObject({ hours, calls: hours * EACH * 2 });
    Object.assign(limits, { usageLooked: 2 * EACH });
    await db.query('delete from usage_hourly where hour >= $1', [NOW - 4 * HOUR_SEC]);
    expect(await report(hours)).toMatchObject(
      isEmbedded ? { hours: 4 + 2 * 8, calls: 16 * EACH * 2 } : { hours, calls: 24 * EACH * 2 },
    );
    Object.assign(limits, { usageLooked: MOST / limits.embeddedLooks });
  });

  test('of the models that are called most are the folded ones, and no model is called by failures', async () => {
    await db.query("insert into failures_hourly values ($1, 1, 1, 1, 'm9', 'default', 'x', 900)", [
      NOW - HOUR_SEC,
    ]);
    await db.query("update usage_hourly set calls = calls + 50 where model_name = 'm4' and hour = $1", [
      NOW - 6 * HOUR_SEC,
    ]);
    const most = () => db.orm.transaction((tx) => mostCalledModels(tx, NOW - DAY_SEC + 5, 9));
    expect(await most()).toEqual(['m1', 'm2', 'm3', 'm4']);
    await db.query("insert into usage_hourly values ($1, $2, 1, 1, 'm3', 'default', 1, 0, 0, 0)", [NOW, id]);
    expect(await most()).toEqual(['m3', 'm1', 'm2', 'm4']);
  });
});
