import { afterAll, beforeAll, expect, it } from 'bun:test';
import { freshPostgresUrl } from '../../tests/support/database.ts';
import { type Stranger, strangerOn } from '../../tests/support/stranger.ts';
import { type Database, openPostgres } from './client.ts';
import { ensurePartitions } from './partitions.ts';
import { SQLSTATE, sqlState } from './statement.ts';

let db: Database;
let stranger: Stranger;
beforeAll(async () => {
  const url = await freshPostgresUrl();
  db = await openPostgres(url);
  stranger = strangerOn(url);
});
afterAll(async () => {
  await stranger.close();
  await db.close();
});

const DECEMBER = Date.UTC(2031, 11, 15) / 1000;
const monthsOf = async () =>
  (
    await db.query<{ name: string }>(`select tableoid::regclass::text as name from logs order by created_at`)
  ).map(({ name }) => name);

it('a month of a log that somebody holds is not waited for without an end, and is made later with its rows', async () => {
  await ensurePartitions(db, Date.UTC(2031, 8, 1) / 1000);
  for (const at of [DECEMBER, DECEMBER + 40 * 86_400])
    await db.query('insert into logs (created_at, user_id, type) values ($1, 1, 4)', [at]);
  expect(await monthsOf()).toEqual(['logs_2031_12', 'logs_default']);
  const letGo = await stranger.hold('logs', 'true');
  const said: unknown = await ensurePartitions(db, DECEMBER).catch((error: unknown) => error);
  expect([String(said), sqlState(said)]).toEqual([
    'Error: logs_2032_01 is not made yet: somebody has held the log for too long',
    SQLSTATE.lockNotAvailable,
  ]);
  // The months that are there need nobody's leave.
  await ensurePartitions(db, Date.UTC(2031, 8, 1) / 1000);
  await letGo();
  await ensurePartitions(db, DECEMBER);
  expect(await monthsOf()).toEqual(['logs_2031_12', 'logs_2032_01']);
});
