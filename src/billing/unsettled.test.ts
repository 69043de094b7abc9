import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { holdOf, makeBilling, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import type { Database } from '../db/client.ts';
import { audit } from './audit.ts';

/** No column for seconds takes so many. */
const TOO_LONG = { useTimeSec: 3_000_000_000 };

for (const engine of engines) {
  describe(`a settlement that ${engine} refuses for good`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await freshDatabase(engine);
    });
    afterAll(() => db.close());

    it('is given up with an alarm, and what it held is given back; others beside it are charged', async () => {
      const { billing, bootId, dataDir, lines } = await makeBilling(db, undefined, undefined, {
        settleRetryMs: 20,
      });
      const userId = await makeUser(db, 1_000);
      const [bad, good] = [holdOf(userId, 0, 300), holdOf(userId, 0, 200)];
      for (const hold of [bad, good]) expect(await billing.reserve(hold)).toBe('granted');
      const settled = await Promise.all([
        billing.settle(settlementOf(bad.id, 250, TOO_LONG)),
        billing.settle(settlementOf(good.id, 150)),
      ]);
      expect(settled.map(({ committed }) => committed)).toEqual([false, true]);
      const file = join(dataDir, 'spool', `${bootId}.jsonl`);
      for (const until = performance.now() + patience(30_000); existsSync(file); await Bun.sleep(20)) {
        if (performance.now() > until) throw new Error('it was never given up');
      }
      const [user] = await db.query('select quota, reserved, used_quota from users where id = $1', [userId]);
      expect(user).toEqual({ quota: 850, reserved: 0, used_quota: 150 });
      expect(lines.filter((line) => line.includes('billing.settle_refused'))).toHaveLength(1);
      expect(lines.filter((line) => line.includes('billing.given_up')).join()).toContain('"quota":250');
      // Told once more, it finds nothing to charge.
      await billing.settle(settlementOf(bad.id, 250));
      expect(await db.query('select 1 from ledger where ref = $1::uuid', [bad.id])).toEqual([]);
      expect((await audit(db)).findings).toEqual([]);
      await billing.close();
    });
  });
}
