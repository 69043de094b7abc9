import { expect, test } from 'bun:test';
import { freshDatabase } from '../../tests/support/database.ts';

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
