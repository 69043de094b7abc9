/**
 * Reserves and settles until TOLLGATE_KILL_AT kills it: `kill-process.ts USER TOKEN`, on the database that the
 * environment names. Says `reserved ID` and `settled ID` as a caller would learn it.
 */
import { writeSync } from 'node:fs';
import { startRecovery } from '../../src/billing/recovery.ts';
import { openDatabase } from '../../src/db/open.ts';
import { readEnv } from '../../src/env.ts';
import { armFailpoint } from '../../src/platform/failpoint.ts';
import { holdOf, makeBilling, settlementOf } from '../support/accounts.ts';

const [userId = 0, tokenId = 0] = process.argv.slice(2).map(Number);
const env = readEnv();
const db = await openDatabase(env, false);
const made = await makeBilling(db, env.DATA_DIR);
await startRecovery({ ...made, db, livingBoots: () => [] });
armFailpoint(env.TOLLGATE_KILL_AT);

async function caller(): Promise<void> {
  for (;;) {
    const hold = holdOf(userId, tokenId, 100);
    await made.billing.reserve(hold);
    writeSync(1, `reserved ${hold.id}\n`);
    await made.billing.settle(settlementOf(hold.id, 7));
    writeSync(1, `settled ${hold.id}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, caller));
