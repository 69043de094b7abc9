/** What a settlement does when the database does not take it: on a Postgres that is stopped, frozen and started. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { holdOf, makeBilling, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { tempFolder } from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { openPostgresServer, type PostgresServer } from '../../tests/support/postgres-server.ts';
import { limits } from '../core/limits.ts';
import { takeTime } from '../db/brief.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { audit } from './audit.ts';
import { openSpool } from './spool.ts';
import { orphanAll } from './statements.ts';

let server: PostgresServer;
let db: Database;
let userId: number;
let tokenId: number;

beforeAll(async () => {
  server = await openPostgresServer();
  db = await openPostgres(server.url);
  userId = await makeUser(db, 1_000_000);
  tokenId = await makeToken(db, userId);
});
afterAll(async () => {
  await db.close();
  await server.stop();
});

const spoolFile = (folder: string, boot: string) => join(folder, 'spool', `${boot}.jsonl`);

/** Until it holds, at most 20 s of a quiet machine. */
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await holds())) {
    if (performance.now() - started > patience(20_000)) throw new Error('it never held');
    await Bun.sleep(20);
  }
}

const used = async () => {
  const [row] = await db.query<{ used_quota: number; reserved: number }>(
    'select used_quota, reserved from users where id = $1',
    [userId],
  );
  return row;
};

describe('with the database away', () => {
  test('answers settle from disk, reservations with 503, and all commits when it is back', async () => {
    const { billing, bootId, dataDir } = await makeBilling(db);
    const before = (await used())?.used_quota ?? 0;
    const holds = Array.from({ length: 50 }, () => holdOf(userId, tokenId, 100));
    expect(new Set(await Promise.all(holds.map(billing.reserve)))).toEqual(new Set(['granted']));

    await server.stop();
    const settled = await Promise.all(holds.map(({ id }) => billing.settle(settlementOf(id, 30))));
    expect(settled.every(({ committed, paid }) => !committed && paid === 30)).toBe(true);
    const lines = (await readFile(spoolFile(dataDir, bootId), 'utf8')).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id).sort()).toEqual(holds.map(({ id }) => id).sort());
    const refused = billing.reserve(holdOf(userId, tokenId, 100));
    await expect(refused).rejects.toMatchObject({ code: 'unavailable' });

    await server.start();
    await until(() => !existsSync(spoolFile(dataDir, bootId)));
    expect(await used()).toEqual({ used_quota: before + 50 * 30, reserved: 0 });
    expect((await audit(db)).findings).toEqual([]);
    expect(await billing.reserve(holdOf(userId, tokenId, 0))).toBe('granted');
    await billing.close();
  });

  test('a crash under load charges every call that was answered once, and shows nobody a lack of quota', async () => {
    const { billing, bootId, dataDir } = await makeBilling(db);
    const before = (await used())?.used_quota ?? 0;
    const answered: string[] = [];
    let refusals = 0;
    let unavailable = 0;
    let running = true;
    const caller = async () => {
      while (running) {
        const hold = holdOf(userId, tokenId, 100);
        try {
          if ((await billing.reserve(hold)) === 'refused') refusals++;
          else {
            await billing.settle(settlementOf(hold.id, 7));
            answered.push(hold.id);
          }
        } catch (error) {
          expect(error).toMatchObject({ code: 'unavailable' });
          unavailable++;
          await Bun.sleep(5);
        }
      }
    };
    const callers = Array.from({ length: 40 }, caller);
    for (let i = 0; i < 2; i++) {
      await Bun.sleep(300);
      await server.stop();
      await Bun.sleep(300);
      await server.start();
    }
    const so = answered.length;
    await until(() => answered.length > so + 100);
    running = false;
    await Promise.all(callers);
    await until(() => !existsSync(spoolFile(dataDir, bootId)));
    expect(refusals).toBe(0);
    expect(unavailable).toBeGreaterThan(0);
    // What was granted in the instant of the crash but never heard of is freed later; here it is made old.
    await db.query('update reservations set created_at = 0 where owner = $1', [bootId]);
    await billing.releaseStrays();
    expect(await used()).toEqual({ used_quota: before + 7 * answered.length, reserved: 0 });
    expect((await audit(db)).findings).toEqual([]);
    await billing.close();
  });

  test('a hanging database holds no answer back for longer than the wait', async () => {
    const { billing, bootId, dataDir } = await makeBilling(db);
    const hold = holdOf(userId, tokenId, 100);
    await billing.reserve(hold);
    await server.freeze();
    const started = performance.now();
    const settled = await billing.settle(settlementOf(hold.id, 40));
    const waited = performance.now() - started;
    await server.thaw();
    expect(settled).toEqual({ paid: 40, writtenOff: 0, committed: false });
    expect(waited).toBeLessThan(limits.settleWaitMs + 2_000);
    await until(() => !existsSync(spoolFile(dataDir, bootId)));
    expect(await db.query('select quota from logs where request_id = $1', [hold.id])).toEqual([
      { quota: 40 },
    ]);
    await billing.close();
  });

  test('a database that hangs, or a row that is locked, is given up after two seconds and is no lack of quota', async () => {
    const { billing } = await makeBilling(db);
    const waited = async (code: string) => {
      const started = performance.now();
      const refused = await billing.reserve(holdOf(userId, tokenId, 100)).catch((error: unknown) => error);
      expect(refused).toMatchObject({ code });
      return performance.now() - started;
    };
    await server.freeze();
    const hung = await waited('unavailable');
    await server.thaw();
    const locked = await db.orm.transaction(async (tx) => {
      await takeTime(tx);
      await tx.execute(sql`select 1 from users where id = ${userId} for update`);
      return waited('OVERLOADED');
    });
    for (const ms of [hung, locked]) {
      expect(ms).toBeGreaterThan(1_800);
      expect(ms).toBeLessThan(6_000);
    }
    // What the frozen one did all the same, a stop gives back.
    await Bun.sleep(500);
    await billing.close();
    expect((await used())?.reserved).toBe(0);
  });

  test('a clean stop frees what a lost commit holds, however young, and nothing else', async () => {
    const { billing, bootId } = await makeBilling(db);
    const kept = holdOf(userId, tokenId, 100);
    await billing.reserve(kept);
    const stray = holdOf(userId, tokenId, 70);
    await db.query(
      `with u as (update users set quota = quota - 70, reserved = reserved + 70 where id = $1)
       insert into reservations (id, user_id, token_id, amount, owner, created_at)
       values ($2, $1, $3, 70, $4, extract(epoch from now())::bigint)`,
      [userId, stray.id, tokenId, bootId],
    );
    await billing.close();
    expect(await db.query('select id from reservations where owner = $1', [bootId])).toEqual([
      { id: kept.id },
    ]);
    await billing.settle(settlementOf(kept.id, 10));
    expect((await used())?.reserved).toBe(0);
    expect((await audit(db)).findings).toEqual([]);
  });

  test('what a dead process spooled is settled by the next one, though recovery was quicker', async () => {
    const folder = await tempFolder();
    const dead = await makeBilling(db, folder);
    const holds = Array.from({ length: 2 }, () => holdOf(userId, tokenId, 100));
    const old = holdOf(userId, tokenId, 100);
    for (const hold of [...holds, old]) await dead.billing.reserve(hold);
    await openSpool(folder, dead.bootId).append(holds.map(({ id }) => settlementOf(id, 60)));
    // A line as an older version wrote it, and the one that it was writing when it died.
    const { sold: _, ...older } = settlementOf(old.id, 60, { modelName: 'gpt-5-low' });
    await appendFile(
      spoolFile(folder, dead.bootId),
      `${JSON.stringify(older)}\n${JSON.stringify(settlementOf(holds[0]?.id ?? '', 60)).slice(0, 80)}`,
    );
    const before = (await used())?.used_quota ?? 0;
    expect(await orphanAll(db, [dead.bootId])).toEqual({ given: 3, held: 0 });

    const next = await makeBilling(db, folder);
    await next.billing.replay([next.bootId, dead.bootId]);
    expect((await used())?.used_quota).toBe(before);
    await next.billing.replay([next.bootId]);
    await next.billing.replay([next.bootId]);
    expect(await used()).toEqual({ used_quota: before + 180, reserved: 0 });
    expect(await db.query(`select sold_name from usage_hourly where model_name = 'gpt-5-low'`)).toEqual([
      { sold_name: 'gpt-5' },
    ]);
    expect(await readdir(join(folder, 'spool'))).toEqual([]);
    expect(next.lines.some((line) => line.includes('"settlements":3,"unreadable":1'))).toBe(true);
    expect((await audit(db)).findings).toEqual([]);
  });

  test('keeps the file of a dead process until the database takes it', async () => {
    const folder = await tempFolder();
    const hold = holdOf(userId, tokenId, 100);
    const dead = await makeBilling(db, folder);
    await dead.billing.reserve(hold);
    await openSpool(folder, dead.bootId).append([settlementOf(hold.id, 60)]);
    const next = await makeBilling(db, folder);
    await server.stop();
    await expect(next.billing.replay([])).rejects.toMatchObject({ code: 'unavailable' });
    await server.start();
    await until(() =>
      db.query('select 1').then(
        () => true,
        () => false,
      ),
    );
    await next.billing.replay([]);
    expect(await db.query('select quota from logs where request_id = $1', [hold.id])).toEqual([
      { quota: 60 },
    ]);
  });

  test('with no disk either: refuses, takes no new work, and still charges in the end', async () => {
    const { billing, dataDir } = await makeBilling(db);
    const hold = holdOf(userId, tokenId, 100);
    await billing.reserve(hold);
    await writeFile(join(dataDir, 'spool'), 'a file where the folder should be');
    await server.stop();
    await expect(billing.settle(settlementOf(hold.id, 50))).rejects.toMatchObject({ code: 'unavailable' });
    expect(billing.refusing).toBe(true);
    await expect(billing.reserve(holdOf(userId, tokenId, 1))).rejects.toMatchObject({ code: 'unavailable' });

    await rm(join(dataDir, 'spool'));
    await mkdir(join(dataDir, 'spool'));
    await until(() => !billing.refusing);
    await server.start();
    await until(
      async () =>
        (await db.query('select 1 from logs where request_id = $1', [hold.id]).catch(() => [])).length > 0,
    );
    await billing.close();
  });

  test('frees what a lost connection reserved for nobody', async () => {
    const { billing, bootId } = await makeBilling(db);
    const kept = holdOf(userId, tokenId, 100);
    await billing.reserve(kept);
    const stray = holdOf(userId, tokenId, 70);
    await db.query(
      `with u as (update users set quota = quota - 70, reserved = reserved + 70 where id = $1)
       insert into reservations (id, user_id, token_id, amount, owner, created_at) values ($2, $1, $3, 70, $4, 0)`,
      [userId, stray.id, tokenId, bootId],
    );
    await db.query('update reservations set created_at = 0 where id = $1', [kept.id]);
    await billing.releaseStrays();
    expect(await db.query('select id from reservations where owner = $1', [bootId])).toEqual([
      { id: kept.id },
    ]);
    await billing.settle(settlementOf(kept.id, 10));
    expect((await audit(db)).findings).toEqual([]);
    expect((await used())?.reserved).toBe(0);
  });
});
