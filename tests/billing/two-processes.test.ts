/**
 * Two real processes on one Postgres, on the same few accounts and channels, while a third one edits balances and gives
 * back what dead processes and lost connections held.
 */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { reserveAtOnce, settleAtOnce } from '../../src/billing/at-once.ts';
import { audit } from '../../src/billing/audit.ts';
import { adjustQuota, MOVEMENT, setTokenQuota } from '../../src/billing/ledger.ts';
import { orphanAll, releaseAll, reserveAll } from '../../src/billing/statements.ts';
import { openPostgres } from '../../src/db/client.ts';
import { holdOf, makeChannel, makeToken, makeUser, settlementOf } from '../support/accounts.ts';
import { freshPostgresUrl } from '../support/database.ts';

const SECONDS = 10;

test('two processes for ten seconds: no deadlock, no error, every sum holds', async () => {
  const url = await freshPostgresUrl();
  const db = await openPostgres(url);
  const users = await Promise.all([500_000, 20_000, 500_000, 3_000].map((quota) => makeUser(db, quota)));
  const tokens: string[] = [];
  for (const userId of users) {
    for (const remain of [null, 5_000, null]) tokens.push(`${userId}:${await makeToken(db, userId, remain)}`);
  }
  const channels = [await makeChannel(db), await makeChannel(db), await makeChannel(db)];
  const script = join(import.meta.dir, 'load-process.ts');
  const command = [process.execPath, script, url, String(SECONDS), tokens.join(','), channels.join(',')];
  const children = [0, 1].map(() => Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' }));

  let running = true;
  let [reserved, settled] = [0, 0];
  const alongside = async (work: (userId: number, tokenId: number) => Promise<unknown>) => {
    while (running) {
      const pair = tokens[Math.floor(Math.random() * tokens.length)] ?? '';
      const [userId = 0, tokenId = 0] = pair.split(':').map(Number);
      await work(userId, tokenId);
      await Bun.sleep(5);
    }
  };
  const third = [
    alongside((userId, tokenId) =>
      db.orm.transaction(async (tx) => {
        await setTokenQuota(tx, { tokenId, unlimited: Math.random() < 0.5, remainQuota: 20_000 });
        await adjustQuota(tx, { userId, kind: MOVEMENT.adminEdit, ref: crypto.randomUUID(), delta: 1_000 });
      }),
    ),
    alongside(async (userId, tokenId) => {
      const [dead, lost] = [holdOf(userId, tokenId, 40), holdOf(userId, tokenId, 30)];
      await reserveAll(db, [{ ...dead, extends: false }], 'dead');
      await reserveAll(db, [{ ...lost, extends: false }], 'lost');
      await orphanAll(db, ['dead']);
      await releaseAll(db, [lost.id]);
    }),
  ];
  // Calls that all fit and are covered, in batches as large as those of the others.
  const atOnce = () =>
    alongside(async (userId, tokenId) => {
      const holds = tokens.slice(0, 6).map((pair) => {
        const [user = userId, token = tokenId] = pair.split(':').map(Number);
        return holdOf(user, token, 1 + Math.floor(Math.random() * 50));
      });
      if (!(await reserveAtOnce(db, holds, 'third'))) return;
      reserved++;
      const items = holds.map((held) => ({
        settlement: settlementOf(held.id, 1, { channelId: channels[held.amount % 3] }),
        held,
      }));
      if (await settleAtOnce(db, items)) settled++;
    });
  third.push(atOnce(), atOnce(), atOnce());
  const seen = await Promise.all(
    children.map(
      async (child) => JSON.parse(await new Response(child.stdout).text()) as Record<string, unknown>,
    ),
  );
  running = false;
  await Promise.all(third);
  // Of the dead, what somebody held just then is left to the next round, as in the product.
  expect((await orphanAll(db, ['dead'])).held).toBe(0);

  for (const process of seen) {
    expect(process.errors).toEqual([]);
    expect(process.granted).toBeGreaterThan(500);
    expect(process.refused).toBeGreaterThan(0);
  }
  expect(reserved).toBeGreaterThan(50);
  expect(settled).toBe(reserved);
  const report = await audit(db);
  expect(report.findings).toEqual([]);
  expect(report.openReservations).toBe(0);
  // Refused batches are sent again in halves, so only the database knows of statements that failed on the way.
  const [stats] = await db.query(
    'select deadlocks, xact_rollback as failed from pg_stat_database where datname = current_database()',
  );
  expect(stats).toEqual({ deadlocks: 0, failed: 0 });
  await db.close();
});
