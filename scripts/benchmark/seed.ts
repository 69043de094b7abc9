/** Fills a fresh database, named by the environment, with accounts that never run dry. Prints their relay keys as JSON. */
import { openAccount } from '../../src/billing/ledger.ts';
import { affCode, relayKey } from '../../src/core/ids.ts';
import { maskKey } from '../../src/core/key-text.ts';
import { tokens, users } from '../../src/db/schema/user.ts';
import { readEnv } from '../../src/env.ts';
import { openRuntime } from '../../src/runtime.ts';

const BALANCE = 1_000_000_000_000;

const [count = '1000'] = process.argv.slice(2);
const runtime = await openRuntime(readEnv(), { migrate: true });
const keys: string[] = [];
await runtime.db.orm.transaction(async (tx) => {
  for (let i = 0; i < Number(count); i++) {
    const [user] = await tx
      .insert(users)
      .values({ username: `account-${i}`, aff_code: affCode() })
      .returning({ id: users.id });
    if (!user) throw new Error('the account was not inserted');
    await openAccount(tx, { userId: user.id, amount: BALANCE, ref: crypto.randomUUID() });
    const key = relayKey();
    await tx.insert(tokens).values({
      user_id: user.id,
      name: 'bench',
      key_lookup: runtime.secrets.lookup(key),
      key_hint: maskKey(key),
      unlimited_quota: true,
    });
    keys.push(`sk-${key}`);
  }
});
await runtime.close();
console.log(JSON.stringify(keys));
process.exit(0);
