import { expect, test } from 'bun:test';
import { sql } from 'drizzle-orm';
import { freshDatabase } from '../../tests/support/database.ts';
import { rowsOf } from './statement.ts';

test('what goes by key is never planned for its values, and never reads a whole table', async () => {
  const db = await freshDatabase('postgres');
  try {
    const settings = `select current_setting('plan_cache_mode') as plans, current_setting('enable_seqscan') as scans`;
    expect(await db.queryByKey(settings)).toEqual([{ plans: 'force_generic_plan', scans: 'off' }]);
    expect(await db.query(settings)).toEqual([{ plans: 'auto', scans: 'on' }]);
  } finally {
    await db.close();
  }
});

test('nothing is compiled: what the console asks costs less than that', async () => {
  const db = await freshDatabase('postgres');
  try {
    const settings = `select current_setting('jit') as jit`;
    const own = [{ jit: 'off' }];
    expect([await db.query(settings), await db.queryByKey(settings)]).toEqual([own, own]);
    expect(rowsOf(await db.orm.execute(sql.raw(settings)))).toEqual(own);
  } finally {
    await db.close();
  }
});
