/** A gateway that starts while somebody holds rows on its database: it serves, and does later what could not be done yet. */
import { expect, it } from 'bun:test';
import { audit } from '../../src/billing/audit.ts';
import { openSpool } from '../../src/billing/spool.ts';
import { openPostgres } from '../../src/db/client.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { runtimeOver } from '../../src/runtime.ts';
import { holdOf, makeBilling, makeUser, settlementOf } from '../support/accounts.ts';
import { passwordWork, testEnv } from '../support/api.ts';
import { freshPostgresUrl } from '../support/database.ts';
import { strangerOn } from '../support/stranger.ts';

it('is ready, and charges what was left of the held account once it is let go', async () => {
  const url = await freshPostgresUrl();
  const db = await openPostgres(url);
  const stranger = strangerOn(url);
  const env = await testEnv({ DATABASE_URL: url });
  const userId = await makeUser(db, 1_000);
  // As in a database that nobody has started on for a month.
  const [last] = await db.query(
    `select max(relname) as name from pg_class where relname ~ '^logs_20\\d\\d_\\d\\d$'`,
  );
  await db.query(`drop table ${last?.name}`);
  const dead = await makeBilling(db, env.DATA_DIR);
  const [left, open] = [holdOf(userId, 0, 100), holdOf(userId, 0, 100)];
  for (const hold of [left, open]) await dead.billing.reserve(hold);
  await openSpool(env.DATA_DIR, dead.bootId).append([settlementOf(left.id, 60)]);
  const letGo = await Promise.all([stranger.hold('users', `id = ${userId}`), stranger.hold('logs', 'true')]);
  const lines: string[] = [];
  const log = createLogger('warn', (line) => void lines.push(line));
  const runtime = await runtimeOver(env, await openPostgres(url), log, { passwordWork });
  const account = async () =>
    (await db.query('select quota, reserved, used_quota from users where id = $1', [userId]))[0];
  expect(await account()).toEqual({ quota: 800, reserved: 200, used_quota: 0 });
  for (const event of ['logs.month_waits', 'billing.replay_waits'])
    expect(lines.filter((line) => line.includes(event))).toHaveLength(1);
  for (const each of letGo) await each();
  await runtime.recover();
  expect((await account())?.used_quota).toBe(60);
  expect((await audit(db)).findings).toEqual([]);
  await runtime.close();
  await stranger.close();
  await db.close();
});
