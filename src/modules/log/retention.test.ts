import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { makeUser } from '../../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../../tests/support/database.ts';
import { audit } from '../../billing/audit.ts';
import { DAY_SEC, HOUR_SEC, nowSec } from '../../core/time.ts';
import { takeTime } from '../../db/brief.ts';
import { ensurePartitions } from '../../db/partitions.ts';
import { deleteBefore } from './retention.ts';

test.each(engines)(
  'whole months and what is left of one go, with what tells of them, on %s',
  async (engine) => {
    const db = await freshDatabase(engine);
    const userId = await makeUser(db, 1_000);
    const now = nowSec();
    const before = now - (now % DAY_SEC) - 100 * DAY_SEC;
    const old = [before - 200 * DAY_SEC, before - 90 * DAY_SEC, before - HOUR_SEC];
    for (const at of old) await ensurePartitions(db, at);
    const months = async () =>
      (
        await db.query<{ n: number }>(
          `select count(*)::int as n from pg_inherits where inhparent = 'logs'::regclass`,
        )
      )[0]?.n;
    const made = (await months()) ?? 0;
    for (const at of [...old, before, now]) {
      const hour = at - (at % HOUR_SEC);
      await db.query(
        `insert into logs (created_at, user_id, token_id, channel_id, type, model_name, group_name, quota)
       values ($1, $2, 1, 1, 2, 'm', 'g', 10)`,
        [at, userId],
      );
      await db.query(`insert into usage_hourly values ($1, $2, 1, 1, 'm', 'g', 1, 0, 0, 10)`, [hour, userId]);
      await db.query(`insert into usage_unlogged values ($1, $2, 1, 1, 'n', 'g', 1, 0, 0, 0)`, [
        hour,
        userId,
      ]);
      await db.query(`insert into usage_hourly values ($1, $2, 1, 1, 'n', 'g', 1, 0, 0, 0)`, [hour, userId]);
      await db.query(`insert into failures_hourly values ($1, $2, 1, 1, 'm', 'g', 'c', 1)`, [hour, userId]);
      await db.query(
        `insert into ledger (ref, kind, user_id, delta, created_at) values ($1, 1, $2, -10, $3)`,
        [crypto.randomUUID(), userId, at],
      );
    }
    await db.query('update users set quota = 950, used_quota = 50, request_count = 10');
    expect((await audit(db)).findings).toEqual([]);

    expect(await deleteBefore({ db }, before, new AbortController().signal)).toBe(old.length);

    const timesOf = async (table: string, column: string) =>
      (await db.query<{ at: number }>(`select distinct ${column} as at from ${table} order by at`)).map(
        ({ at }) => at,
      );
    const hours = [before, now].map((at) => at - (at % HOUR_SEC));
    expect(await timesOf('logs', 'created_at')).toEqual([before, now]);
    expect(await timesOf('usage_unlogged', 'hour')).toEqual(hours);
    expect(await timesOf('failures_hourly', 'hour')).toEqual(hours);
    // What was used and paid is still known.
    expect(await timesOf('usage_hourly', 'hour')).toHaveLength(5);
    expect(await timesOf('ledger where kind = 1', 'created_at')).toHaveLength(5);
    expect((await months()) ?? 0).toBeLessThan(made);
    expect((await audit(db)).findings).toEqual([]);
    await db.close();
  },
);

test('a month that somebody reads stays for the next time, and holds up nothing else', async () => {
  const db = await freshDatabase('postgres');
  const now = nowSec();
  const before = now - (now % DAY_SEC) - 100 * DAY_SEC;
  const [held, free] = [before - 200 * DAY_SEC, before - 120 * DAY_SEC];
  for (const at of [held, free]) await ensurePartitions(db, at);
  for (const at of [held, free, before - HOUR_SEC, now]) {
    await db.query(`insert into logs (created_at, user_id, type) values ($1, 1, 4)`, [at]);
    await db.query(`insert into failures_hourly values ($1, 1, 1, 1, 'm', 'g', 'c', 1)`, [
      at - (at % HOUR_SEC),
    ]);
  }
  const name = `logs_${new Date(held * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
  const left = async (table: string, column: string) =>
    (await db.query<{ at: number }>(`select ${column} as at from ${table} order by 1`)).map(({ at }) => at);
  const { signal } = new AbortController();
  await db.orm.transaction(async (tx) => {
    await takeTime(tx);
    await tx.execute(sql.raw(`select 1 from ${name}`));
    await expect(deleteBefore({ db }, before, signal)).rejects.toThrow(name);
    expect(await left('logs', 'created_at')).toEqual([held, now]);
    expect(await left('failures_hourly', 'hour')).toEqual([now - (now % HOUR_SEC)]);
  });
  expect(await deleteBefore({ db }, before, signal)).toBe(1);
  expect(await left('logs', 'created_at')).toEqual([now]);
  await db.close();
});
