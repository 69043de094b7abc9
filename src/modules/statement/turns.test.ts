/** One request reads so many charges of hours in which days begin, and none for who has left; who asks again goes on. */
import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test';
import { makeUser } from '../../../tests/support/accounts.ts';
import { freshDatabase } from '../../../tests/support/database.ts';
import { limits } from '../../core/limits.ts';
import { HOUR_SEC } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { pageQuery } from './contract.ts';
import { statementPage } from './service.ts';

/** A midnight of Kathmandu, a quarter of an hour within an hour of UTC. */
const MIDNIGHT = 1_767_225_600 + 18 * HOUR_SEC + 900;
const MOST = 10;
const CHARGES = 8 * MOST;

const { countCap, statementTurns } = limits;
let db: Database;
let id: number;
beforeAll(async () => {
  db = await freshDatabase('pglite');
  id = await makeUser(db, 0);
  setSystemTime((MIDNIGHT + 5 * HOUR_SEC) * 1000);
  Object.assign(limits, { countCap: MOST / limits.embeddedLooks });
  await db.query(
    `insert into ledger select gen_random_uuid(), 1, $1::bigint, -1, $2::bigint + n, null from generate_series(1, ${CHARGES}) n`,
    [id, MIDNIGHT],
  );
  await db.query(`insert into usage_hourly values ($1, $2, 1, 1, 'm', 'g', ${CHARGES}, 1, 1, ${CHARGES})`, [
    MIDNIGHT - 900,
    id,
  ]);
});
afterAll(async () => {
  setSystemTime();
  Object.assign(limits, { countCap, statementTurns });
  await db.close();
});

const page = (from: Database, left = new AbortController().signal) =>
  statementPage(
    { db: from },
    { id, username: 'una', reader: { id, left } },
    pageQuery.parse({ time_zone: 'Asia/Kathmandu', page_size: '10' }),
  );

test('a request ends after so many turns, and the next one goes on', async () => {
  const fresh = { ...db };
  Object.assign(limits, { statementTurns: 3 });
  await expect(page(fresh)).rejects.toMatchObject({ code: 'LOG_TIMEOUT' });
  await expect(page(fresh)).rejects.toMatchObject({ code: 'LOG_TIMEOUT' });
  expect((await page(fresh)).items.map(({ delta, day }) => [delta, day?.from])).toEqual([
    [-CHARGES, MIDNIGHT],
  ]);
  Object.assign(limits, { statementTurns });
});

test('nothing more is read for who has left', async () => {
  await expect(page({ ...db }, AbortSignal.abort())).rejects.toMatchObject({ code: 'LOG_TIMEOUT' });
});
