import { afterAll, beforeAll, expect, it } from 'bun:test';
import { holdOf, makeBilling, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { freshDatabase } from '../../tests/support/database.ts';
import type { Database } from '../db/client.ts';
import { createLogger } from '../platform/logger.ts';
import { Metrics } from '../platform/metrics.ts';
import { createSettleQueue } from './settle-queue.ts';

let db: Database;
beforeAll(async () => {
  db = await freshDatabase('pglite');
});
afterAll(() => db.close());

it('alarms once of what nobody could pay, also when the answer of its batch is lost', async () => {
  const { billing } = await makeBilling(db);
  const userId = await makeUser(db, 100);
  const [poor, before] = [holdOf(userId, 0, 60), holdOf(userId, 0, 10)];
  for (const hold of [poor, before]) expect(await billing.reserve(hold)).toBe('granted');
  await billing.settle(settlementOf(before.id, 10));

  let faults = 1;
  const failing: Database = {
    ...db,
    queryByKey: (text, params) => {
      if (text.includes('from ledger') && faults-- > 0) throw new Error('a fault after the commit');
      return db.queryByKey(text, params);
    },
  };
  const lines: string[] = [];
  const log = createLogger('error', (line) => void lines.push(line));
  const queue = createSettleQueue(failing, log, new Metrics());
  const results = await Promise.all([
    queue.add(settlementOf(poor.id, 1_000)),
    queue.add(settlementOf(before.id, 10)),
  ]);
  expect(results.map(({ paid }) => paid)).toEqual([90, 10]);
  expect(lines.filter((line) => line.includes('billing.written_off'))).toHaveLength(1);
  expect(lines.join()).toContain('"quota":910');
  await billing.close();
});
