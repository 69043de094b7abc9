/** A long account opens at once: a million charges in a year (`./scripts/test long`), by several tokens and models. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { makeUser } from '../../tests/support/accounts.ts';
import { freshDatabase } from '../../tests/support/database.ts';
import { often } from '../../tests/support/long.ts';
import { patience } from '../../tests/support/patience.ts';
import { limits } from '../core/limits.ts';
import { nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { readingTurn } from './begun-hours.ts';
import { readStatement, type StatementQuestion } from './statement.ts';

/** A million when it is asked for long; seeding them takes half a minute. */
const CHARGES = often(20_000, 1_000_000);
const YEAR_SEC = 365 * 86_400;
const BOUND_MS = 300;

describe('a statement over many charges, on postgres', () => {
  let db: Database;
  let userId: number;
  beforeAll(async () => {
    db = await freshDatabase('postgres');
    userId = await makeUser(db, 0);
    const start = nowSec() - YEAR_SEC;
    // Every charge finds what it costs: the first line is a gift of all that is spent.
    await db.query(
      `insert into ledger select gen_random_uuid(), 1, $1::bigint, -(1 + n % 100), $2::bigint + n * ${YEAR_SEC / CHARGES}, null
       from generate_series(1, ${CHARGES}) n`,
      [userId, start],
    );
    await db.query(
      `insert into usage_hourly
       select created_at / 3600 * 3600, user_id, n % 4, n % 3, 'model-' || n % 5, 'default', count(*), 1, 1, -sum(delta)
       from (select *, row_number() over (order by created_at) as n from ledger where kind = 1) l group by 1, 2, 3, 4, 5`,
    );
    await db.query(
      `insert into ledger select gen_random_uuid(), case when n = 1 then 4 else 9 end, $1::bigint,
         case when n = 1 then 60000000 else 10 end, $2::bigint + (n - 1) * ${YEAR_SEC / 2_000}, 'reason ' || n
       from generate_series(1, 2000) n`,
      [userId, start - 1],
    );
    await db.query('update users set quota = (select sum(delta) from ledger) where id = $1', [userId]);
    await db.script('vacuum analyze');
  }, patience(300_000));
  afterAll(() => db?.close());

  const took = async (question: Partial<StatementQuestion>): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const began = performance.now();
      const found = await db.orm.transaction((tx) =>
        readStatement(tx, { userId, timeZone: 'Asia/Shanghai', limit: 20, ...question }, readingTurn(db)),
      );
      times.push(performance.now() - began);
      expect(found?.lines).toHaveLength(20);
    }
    return times.sort((a, b) => a - b)[2] ?? Number.NaN;
  };

  it('opens, is turned and is filtered within the bound, in whole and broken hours', async () => {
    const [row] = await db.query<{ n: number }>('select count(*)::int as n from usage_hourly');
    const before = {
      created_at: nowSec() - 300 * 86_400,
      ref: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
      kind: 1,
    };
    const figures = {
      rollup: row?.n,
      first: await took({}),
      deep: await took({ before }),
      kind: await took({ kind: 9 }),
      broken: await took({ timeZone: 'Asia/Kolkata' }),
    };
    process.stdout.write(`${JSON.stringify(figures)}\n`);
    for (const ms of [figures.first, figures.kind, figures.broken]) expect(ms).toBeLessThan(BOUND_MS);
    // Hundreds of pages on, all that is newer was added up.
    expect(figures.deep).toBeLessThan(limits.logReadMs);
  });
});
