import { expect, test } from 'bun:test';
import { fill, HEAVY } from '../../scripts/benchmark/fill.ts';
import { plansOf } from '../../scripts/benchmark/plans.ts';
import { audit } from '../../src/billing/audit.ts';
import { type Database, openPostgres } from '../../src/db/client.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runtimeOver } from '../../src/runtime.ts';
import { passwordWork, testEnv } from '../support/api.ts';
import { freshDatabase, freshPostgresUrl } from '../support/database.ts';

const ROWS = 4_000;

const log = createLogger('error', (line) => void process.stderr.write(line));
const runtimeOn = async (db: Database) => runtimeOver(await testEnv(), db, log, { passwordWork });

test('a filled database has the shares that it should, and books that hold, also when it was filled in two goes', async () => {
  const db = await freshDatabase('postgres');
  const runtime = await runtimeOn(db);
  await fill(runtime, ROWS, { until: 1_500 });
  expect((await audit(db)).findings).toEqual([]);
  expect(fill(runtime, ROWS + 1)).rejects.toThrow(`is to hold ${ROWS} rows`);
  await fill(runtime, ROWS);
  await fill(runtime, ROWS);
  expect((await audit(db)).findings).toEqual([]);

  const [shares] = await db.query(
    `select count(*) as rows, count(distinct request_id) as ids, count(*) filter (where username = $1) as heavy,
       count(*) filter (where type = 6 and quota = 0) as refused, count(*) filter (where model_name = 'model-1') as first,
       count(*) filter (where model_name = 'model-2') as second, count(distinct channel_id) as channels,
       (max(created_at) - min(created_at)) / 86400 as days from logs where type in (2, 6)`,
    [HEAVY],
  );
  const about = (share: number) => [share * 0.85 * ROWS, share * 1.15 * ROWS] as const;
  expect(shares).toMatchObject({ rows: ROWS, ids: ROWS, channels: 20, days: 89 });
  expect(shares?.heavy).toBeWithin(...about(0.2));
  expect(shares?.refused).toBeWithin(...about(0.05));
  // One by the sum of 1 to 1/50, and half of that.
  expect(shares?.first).toBeWithin(...about(0.2223));
  expect(shares?.second).toBeWithin(...about(0.1111));
  const [moved] = await db.query(
    `select (select count(*) from ledger where kind = 1) as charges,
       (select sum(calls) from usage_hourly)::bigint as calls, (select count(*) from logs_default) as astray`,
  );
  expect(moved).toMatchObject({ charges: moved?.calls, astray: 0 });
  await runtime.close();
}, 120_000);

test('does not touch a database that holds anything else', async () => {
  const db = await freshDatabase('postgres');
  await db.query(`insert into users (username, aff_code) values ('somebody', 'code')`);
  const runtime = await runtimeOn(db);
  expect(fill(runtime, ROWS)).rejects.toThrow('an empty one is needed');
  expect(await db.query('select 1 from logs')).toEqual([]);
  await runtime.close();
}, 60_000);

test('the plans of all that the console reads are shown', async () => {
  const url = await freshPostgresUrl();
  const runtime = await runtimeOn(await openPostgres(url));
  await fill(runtime, 1_000);
  await runtime.close();
  const { explained, failed } = await plansOf(url, runtimeOn);
  expect(failed).toEqual([]);
  for (const path of [
    '/api/log/',
    '/api/log/self/stat',
    '/api/user/search',
    '/api/token/page',
    '/api/channel/',
    'audit',
  ])
    expect(explained.some(({ call, plan, ms }) => call.startsWith(path) && ms > 0 && plan.length > 2)).toBe(
      true,
    );
  // The list and its count are two statements, and who reads it is a third.
  const ofLog = explained.filter(({ call }) => call === '/api/log/');
  expect(ofLog.filter(({ text }) => text.includes('from logs'))).toHaveLength(2);
}, 120_000);
