import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { limits } from '../core/limits.ts';
import { boundedRead } from './bounded-read.ts';
import type { Database } from './client.ts';
import { rowsOf, SQLSTATE, sqlState } from './statement.ts';

const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe.each(engines)('a bounded read, on %s', (engine) => {
  let db: Database;
  beforeAll(async () => {
    db = await freshDatabase(engine);
  });
  afterAll(() => db.close());

  test('reads one snapshot, however much is written meanwhile', async () => {
    const count = () => sql`select count(*)::int as n from meta`;
    const counts = await boundedRead(db, { reader: 1, ms: 1_000 }, async (tx) => {
      const before = rowsOf(await tx.execute(count()));
      // PGlite has one connection: nothing can be written beside a transaction.
      if (engine === 'postgres') await db.query(`insert into meta (name, value) values ('n', 'v')`);
      return [before, rowsOf(await tx.execute(count()))];
    });
    expect(counts[0]).toEqual(counts[1] ?? []);
  });

  test('writes nothing', async () => {
    const error = await failure(
      boundedRead(db, { reader: 1, ms: 1_000 }, (tx) =>
        tx.execute(sql`insert into meta (name, value) values ('w', 'v')`),
      ),
    );
    expect(sqlState(error)).toBe('25006');
  });
});

test('on the embedded engine readers together rest as long as they read, and hold up nobody else', async () => {
  const db = await freshDatabase('pglite');
  const read = (reader: number) =>
    boundedRead(db, { reader, ms: 1_000 }, async () => {
      const began = performance.now();
      await Bun.sleep(100);
      return { began, ended: performance.now() };
    });
  const [first, second] = await Promise.all([read(1), read(2)]);
  await db.query('select 1');
  const free = performance.now();
  const third = await read(1);
  expect(second.began - first.ended).toBeGreaterThan(90);
  expect(third.began - second.ended).toBeGreaterThan(90);
  expect(free).toBeLessThan(third.began);
  await db.close();
});

test('Postgres breaks off what takes too long, and only that', async () => {
  const db = await freshDatabase('postgres');
  const sleep = (seconds: number) => sql`select pg_sleep(${seconds}::float8)`;
  const began = performance.now();
  const error = await failure(boundedRead(db, { reader: 1, ms: 100 }, (tx) => tx.execute(sleep(10))));
  expect(error).toMatchObject({ code: 'LOG_TIMEOUT' });
  expect(sqlState(error)).toBe(SQLSTATE.queryCanceled);
  expect(performance.now() - began).toBeLessThan(5_000);
  // Whoever asks, it is none of the server's own connections, which have no deadline.
  const usual = sql`select reset_val as ms from pg_settings where name = 'statement_timeout'`;
  const rows = await boundedRead(db, { reader: 1, ms: 1_000 }, (tx) => tx.execute(usual));
  expect(rowsOf(rows)).toEqual([{ ms: String(limits.consoleStatementMs) }]);
  // The deadline does not stay behind on the connection.
  await Promise.all(Array.from({ length: 10 }, () => db.orm.execute(sleep(0.3))));
  await db.close();
});

test('many slow reads at once leave connections for others', async () => {
  const db = await freshDatabase('postgres');
  const reading = Array.from({ length: 20 }, (_, reader) =>
    boundedRead(db, { reader, ms: 10_000 }, (tx) => tx.execute(sql`select pg_sleep(0.2)`)),
  );
  let left = true;
  const done = Promise.all(reading).finally(() => {
    left = false;
  });
  let most = 0;
  while (left) {
    const [row] = await db.query<{ n: number }>(`select count(*)::int as n from pg_stat_activity
      where datname = current_database() and state = 'active' and query like '%pg_sleep(0.2)' `);
    most = Math.max(most, row?.n ?? 0);
  }
  await done;
  expect(most).toBeGreaterThan(0);
  expect(most).toBeLessThanOrEqual(limits.logReadsAtOnce);
  await db.close();
});

test('who reads much leaves places to others, and waits alone', async () => {
  const db = await freshDatabase('postgres');
  const gate = Promise.withResolvers<void>();
  const hold = (reader: number) => boundedRead(db, { reader, ms: 10_000 }, () => gate.promise);
  const greedy = Array.from({ length: limits.logReadsOfOneAtOnce + limits.logReadsOfOneWaiting }, () =>
    hold(1),
  );
  expect(await failure(hold(1))).toMatchObject({ code: 'RATE_LIMIT' });
  expect(await boundedRead(db, { reader: 2, ms: 10_000 }, async () => 'read')).toBe('read');
  gate.resolve();
  await Promise.all(greedy);
  await db.close();
});
