import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { fill, HEAVY } from '../../scripts/benchmark/fill.ts';
import { type Explained, plansOf } from '../../scripts/benchmark/plans.ts';
import { audit } from '../../src/billing/audit.ts';
import { DAY_PART_SEC } from '../../src/core/time.ts';
import { FOLDED_DIMENSIONS, FOLDED_HOURS } from '../../src/core/usage-folds.ts';
import { type Database, openPostgres } from '../../src/db/client.ts';
import { EVERYBODY, foldUsage } from '../../src/modules/usage/fold.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runtimeOver } from '../../src/runtime.ts';
import { passwordWork, testEnv } from '../support/api.ts';
import { freshDatabase, freshPostgresUrl, tempFolder } from '../support/database.ts';
import { inLong, often, usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';

const ROWS = 4_000;

const log = createLogger('error', (line) => void process.stderr.write(line));
const runtimeOn = async (db: Database) => runtimeOver(await testEnv(), db, log, { passwordWork });

test(
  'a filled database has the shares that it should, and books that hold, also when it was filled in two goes',
  async () => {
    const db = await freshDatabase('postgres');
    const runtime = await runtimeOn(db);
    // Three rows or four a part of a day: some of these goes begin within one that was folded.
    for (const until of usually([1_500, 1_501, 1_502], 1_503, 1_504)) {
      await fill(runtime, ROWS, { until });
      await foldUsage(db);
    }
    expect((await audit(db)).findings).toEqual([]);
    await expect(fill(runtime, ROWS + 1)).rejects.toThrow(`is to hold ${ROWS} rows`);
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
    expect(shares).toMatchObject({ rows: ROWS, ids: ROWS, channels: 20, days: 364 });
    expect(shares?.heavy).toBeWithin(...about(0.2));
    expect(shares?.refused).toBeWithin(...about(0.05));
    // One by the sum of 1 to 1/50, and half of that.
    expect(shares?.first).toBeWithin(...about(0.2223));
    expect(shares?.second).toBeWithin(...about(0.1111));
    const [moved] = await db.query(
      `select (select count(*) from ledger where kind = 1) as charges,
       (select sum(calls) from usage_hourly)::bigint as calls, (select count(*) from logs_default) as astray,
       (select sum(first_calls) from usage_hourly)::bigint as timed, (select sum(first_ms) from usage_hourly)::bigint as ms,
       (select sum((other ->> 'frt')::bigint) from logs)::bigint as logged_ms`,
    );
    expect(moved).toMatchObject({
      charges: moved?.calls,
      astray: 0,
      timed: moved?.calls,
      ms: moved?.logged_ms,
    });
    await foldUsage(db);
    const inFolded = 'in (select part from usage_parts where part not in (select part from usage_late))';
    const [sums] = await db.query(
      `select (select sum(calls) from usage_folded
         where user_id = ${EVERYBODY} and dimension = ${FOLDED_DIMENSIONS.group}
           and hours = ${FOLDED_HOURS.part} and part ${inFolded})::bigint as folded,
       (select sum(calls) from usage_hourly where hour / ${DAY_PART_SEC} * ${DAY_PART_SEC} ${inFolded})::bigint as hourly`,
    );
    expect(sums?.folded).toBe(sums?.hourly);
    await runtime.close();
  },
  patience(120_000),
);

describe('the size of what the console reads', () => {
  const sizeOf = async (env: Record<string, string>, ...args: string[]) => {
    const child = Bun.spawn(['./scripts/size', '--rows', '150', '--rounds', '1', ...args], {
      cwd: join(import.meta.dir, '../..'),
      env: { ...process.env, ...env },
      stdout: 'pipe',
      stderr: 'pipe',
    });
    const [out, err] = await Promise.all([
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ]);
    // How long it takes here decides how it ends, and is not judged.
    return { out, err: err.trim(), ended: await child.exited };
  };

  const onPostgres = async () => ({ DATABASE_URL: await freshPostgresUrl(), DATA_DIR: await tempFolder() });
  const places: [string, () => Promise<Record<string, string>>, string[]][] = [
    ['an embedded database', async () => ({ DATABASE_URL: '' }), ['--pglite']],
    ['Postgres', onPostgres, []],
  ];
  // Half a minute each: an ordinary run fills and explains by the same code, and only reads the arguments of the program.
  test.each(places.slice(0, often(0, 2)))(
    'is measured on %s, cold, warm and by processor time',
    async (_name, env, args) => {
      const { out, err } = await sizeOf(await env(), ...args, '--only', 'type=6&token_name');
      expect(err).toMatch(/^150 of 150 rows\n\d+ parts of days folded in \d+ ms$/);
      // Lists and sums of root and of an account, over a day and over 90.
      const lines = out.split('\n').filter((line) => line.includes('type=6&token_name=first'));
      expect(lines).toHaveLength(8);
      for (const line of lines) expect(line).toMatch(/^( +\d+){4} {2}(SLOW )?(root|account) \/api\/log\//);
      expect(out).toMatch(/^150 rows of 365 days, 8 pages, .* by processor time\. Memory \d+ MiB/m);
      expect(out).toContain('Every unit is accounted for.');
    },
    patience(120_000),
  );

  test('refuses what is no number of rows', async () => {
    const { out, err, ended } = await sizeOf({ DATABASE_URL: '' }, '--pglite', '--rows', 'many');
    expect({ out, ended }).toEqual({ out: '', ended: 1 });
    expect(err).toContain('--rows, --days and --rounds take whole numbers');
  });
});

test('does not touch a database that holds anything else', async () => {
  const db = await freshDatabase('postgres');
  await db.query(`insert into users (username, aff_code) values ('somebody', 'code')`);
  const runtime = await runtimeOn(db);
  await expect(fill(runtime, ROWS)).rejects.toThrow('an empty one is needed');
  expect(await db.query('select 1 from logs')).toEqual([]);
  await runtime.close();
});

describe('the plans of', () => {
  /** Of the calls whose path holds `only`, in a database of a thousand rows. */
  const explained = async (only: string) => {
    const url = await freshPostgresUrl();
    const runtime = await runtimeOn(await openPostgres(url));
    await fill(runtime, 1_000);
    await runtime.close();
    const plans = await plansOf(url, runtimeOn, { only });
    expect(plans.failed).toEqual([]);
    return plans.explained;
  };
  const isShown = (plans: Explained[], path: string): boolean =>
    plans.some(({ call, plan, ms }) => call.startsWith(path) && ms > 0 && plan.length > 2);

  test(
    'a list are shown, and of its count',
    async () => {
      const plans = await explained('/api/log/?type=4');
      expect(isShown(plans, '/api/log/?type=4')).toBe(true);
      // The list and its count are two statements, and who reads it is a third.
      const ofList = plans.filter(({ call }) => call === '/api/log/?type=4');
      expect(ofList.filter(({ text }) => text.includes('from logs'))).toHaveLength(2);
    },
    patience(120_000),
  );

  inLong.it(
    'all that the console reads are shown',
    async () => {
      const plans = await explained('');
      const paths = ['/api/log/', '/api/log/self/stat', '/api/user/search', '/api/token/page'];
      for (const path of [...paths, '/api/channel/', 'audit'])
        expect([path, isShown(plans, path)]).toEqual([path, true]);
    },
    patience(120_000),
  );
});
