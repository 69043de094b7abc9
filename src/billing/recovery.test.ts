import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { mkdir, readdir, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  holdOf,
  makeBilling,
  makeChannel,
  makeToken,
  makeUser,
  settlementOf,
} from '../../tests/support/accounts.ts';
import {
  type Engine,
  engines,
  freshDatabase,
  freshPostgresUrl,
  tempFolder,
} from '../../tests/support/database.ts';
import { patience } from '../../tests/support/patience.ts';
import { type Stranger, strangerOn } from '../../tests/support/stranger.ts';
import { limits } from '../core/limits.ts';
import { nowSec } from '../core/time.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { audit } from './audit.ts';
import { type RecoveryDeps, startRecovery } from './recovery.ts';
import { openSpool } from './spool.ts';
import { orphanAll, reserveAll, type StampedSettlement } from './statements.ts';

let db: Database;
let userId: number;
let tokenId: number;

const open = async (engine: Engine) => {
  db = await freshDatabase(engine);
  userId = await makeUser(db, 1_000);
  tokenId = await makeToken(db, userId, 500);
};

/** A process: its billing and its recovery, stopped when told. */
async function process(
  dataDir?: string,
  more: Partial<Pick<RecoveryDeps, 'livingBoots' | 'silentSec'>> = {},
) {
  const made = await makeBilling(db, dataDir);
  const recovery = await startRecovery({ ...made, db, livingBoots: () => [], ...more });
  return { ...made, recovery };
}

/** A process that dies with one call open. */
async function deadWithCall(dataDir?: string) {
  const dead = await process(dataDir);
  const hold = holdOf(userId, tokenId, 100);
  await dead.billing.reserve(hold);
  dead.recovery.stop();
  return { ...dead, hold };
}

const reservation = async (id: string) => {
  const [row] = await db.query<{ amount: number; orphaned: boolean }>(
    'select amount, orphaned_at is not null as orphaned from reservations where id = $1',
    [id],
  );
  return row;
};
const silentSince = (bootId: string, sec: number) =>
  db.query('update instances set seen_at = $2 where boot_id = $1', [bootId, nowSec() - sec]);

/** Nobody else holds the lease from an earlier test. */
const freeLease = () => db.query('delete from leases');

for (const engine of engines) {
  describe(`recovery on ${engine}`, () => {
    beforeAll(() => open(engine));
    afterAll(async () => {
      expect((await audit(db)).findings).toEqual([]);
      await db.close();
    });

    test('gives back at once what a dead process of the same folder held, and keeps the row', async () => {
      const folder = await tempFolder();
      const { hold } = await deadWithCall(folder);
      const next = await process(folder);
      expect(await reservation(hold.id)).toEqual({ amount: 0, orphaned: true });
      expect(await db.query('select quota, reserved from users where id = $1', [userId])).toEqual([
        { quota: 1_000, reserved: 0 },
      ]);
      expect(await db.query('select remain_quota from tokens where id = $1', [tokenId])).toEqual([
        { remain_quota: 500 },
      ]);
      expect(next.metrics.snapshot().tollgate_orphans_total?.samples).toEqual([
        ['tollgate_orphans_total', 1],
      ]);
      next.recovery.stop();
    });

    test('replays what a dead process spooled before it gives anything back', async () => {
      const folder = await tempFolder();
      const { hold, bootId } = await deadWithCall(folder);
      await openSpool(folder, bootId).append([settlementOf(hold.id, 30)]);
      const next = await process(folder);
      expect(await reservation(hold.id)).toBeUndefined();
      expect(next.metrics.snapshot().tollgate_orphans_total).toBeUndefined();
      next.recovery.stop();
    });

    test('gives nothing back while it cannot read what is to be charged', async () => {
      const folder = await tempFolder();
      const { hold, bootId } = await deadWithCall(folder);
      await openSpool(folder, bootId).append([settlementOf(hold.id, 30)]);
      // Before the file of the dead one in the order of names.
      const unreadable = join(folder, 'spool', '0.replay');
      await mkdir(unreadable);
      const next = await process(folder);
      expect(await reservation(hold.id)).toEqual({ amount: 100, orphaned: false });
      await rmdir(unreadable);
      await next.recovery.round();
      expect(await reservation(hold.id)).toBeUndefined();
      expect(next.metrics.snapshot().tollgate_orphans_total).toBeUndefined();
      next.recovery.stop();
    });

    test('forgets orphans after 30 days and boots after a day', async () => {
      const { recovery } = await process();
      const { hold, bootId } = await deadWithCall();
      await db.query(
        `with u as (update users set quota = quota + 100, reserved = reserved - 100 where id = $1),
           t as (update tokens set remain_quota = remain_quota + 100 where id = $2)
         update reservations set amount = 0, orphaned_at = $3 where id = $4`,
        [userId, tokenId, nowSec() - limits.orphanKeepSec - 60, hold.id],
      );
      await silentSince(bootId, 2 * 86_400);
      await freeLease();
      await recovery.round();
      expect(await reservation(hold.id)).toBeUndefined();
      expect(await db.query('select 1 from instances where boot_id = $1', [bootId])).toEqual([]);
      recovery.stop();
    });
  });
}

describe('recovery beside a row that somebody holds', () => {
  let stranger: Stranger;
  beforeEach(async () => {
    const url = await freshPostgresUrl();
    db = await openPostgres(url);
    stranger = strangerOn(url);
  });
  afterEach(async () => {
    expect((await audit(db)).findings).toEqual([]);
    await stranger.close();
    await db.close();
  });

  const account = async () => {
    const userId = await makeUser(db, 10_000);
    return { userId, tokenId: await makeToken(db, userId, 9_000), channelId: await makeChannel(db) };
  };
  type Account = Awaited<ReturnType<typeof account>>;
  const call = ({ userId, tokenId }: Account) => holdOf(userId, tokenId, 10);
  const stateOf = async ({ userId, tokenId }: Account) =>
    (
      await db.query(
        `select reserved, u.used_quota as used, remain_quota as remain,
           (select count(*) from reservations r where r.user_id = u.id and r.orphaned_at is null) as open
         from users u join tokens t on t.user_id = u.id where u.id = $1 and t.id = $2`,
        [userId, tokenId],
      )
    )[0];
  const untouched = (open: number) => ({ reserved: 10 * open, used: 0, remain: 9_000 - 10 * open, open });
  const charged = (charges: number, waits = 0) => ({
    reserved: 10 * waits,
    used: 4 * charges,
    remain: 9_000 - 4 * charges - 10 * waits,
    open: waits,
  });

  /** A process that dies with so many calls of each account open, some of which lie in its spool. */
  async function deadWithCalls(accounts: readonly Account[], open: number, spooled: number) {
    const folder = await tempFolder();
    const dead = await process(folder);
    dead.recovery.stop();
    const left: StampedSettlement[] = [];
    for (const each of accounts) {
      const calls = Array.from({ length: open }, () => call(each));
      await Promise.all(calls.map(dead.billing.reserve));
      left.push(...calls.slice(0, spooled).map(({ id }) => settlementOf(id, 4, each)));
    }
    await openSpool(folder, dead.bootId).append(left);
    return folder;
  }

  // More calls of the held account than one look at them takes, before those of the other.
  test.each([
    ['users', 520, untouched(520)],
    ['tokens', 3, untouched(3)],
    // Of these only what was to be charged needs it.
    ['channels', 5, charged(0, 3)],
  ] as const)(
    'in %s a start is ready, charges and gives back of others, and later of its own',
    async (table, open, meanwhile) => {
      const [held, other] = [await account(), await account()];
      const folder = await deadWithCalls([held, other], open, 3);
      const id = { users: held.userId, tokens: held.tokenId, channels: held.channelId }[table];
      const letGo = await stranger.hold(table, `id = ${id}`);
      const next = await process(folder);
      expect(await stateOf(other)).toEqual(charged(3));
      expect(await stateOf(held)).toEqual(meanwhile);
      await letGo();
      await next.recovery.round();
      expect(await stateOf(held)).toEqual(charged(3));
      expect(await readdir(join(folder, 'spool'))).toEqual([]);
      next.recovery.stop();
      await next.billing.close();
    },
    patience(20_000),
  );

  test('frees the calls of others that nobody stands behind, and what the dead held', async () => {
    const [held, other, third] = [await account(), await account(), await account()];
    const folder = await tempFolder();
    const dead = await process(folder);
    dead.recovery.stop();
    const { billing, bootId, recovery } = await process(folder);
    // As a statement leaves them whose answer was lost.
    await reserveAll(
      db,
      [held, other].map((each) => ({ ...call(each), extends: false })),
      bootId,
    );
    await reserveAll(db, [{ ...call(third), extends: false }], dead.bootId);
    await db.query('update reservations set created_at = 0');
    const letGo = await stranger.hold('users', `id = ${held.userId}`);
    await recovery.round();
    expect(await Promise.all([held, other, third].map(stateOf))).toEqual([
      untouched(1),
      untouched(0),
      untouched(0),
    ]);
    await letGo();
    await recovery.round();
    expect(await stateOf(held)).toEqual(untouched(0));
    recovery.stop();
    await billing.close();
  });

  test.each(['leases', 'instances'])(
    'in %s a start is ready, and gives back what was held later',
    async (table) => {
      const one = await account();
      const folder = await deadWithCalls([one], 3, 1);
      const letGo = await stranger.hold(table, 'true');
      const next = await process(folder);
      expect(await stateOf(one)).toMatchObject({ used: 4 });
      await letGo();
      await next.recovery.round();
      expect(await stateOf(one)).toEqual(charged(1));
      next.recovery.stop();
      await next.billing.close();
    },
    patience(20_000),
  );

  test('forgets what nobody holds', async () => {
    const one = await account();
    const { billing, bootId, recovery } = await process();
    const [first, second] = [call(one), call(one)];
    await reserveAll(
      db,
      [first, second].map((each) => ({ ...each, extends: false })),
      'dead',
    );
    await orphanAll(db, ['dead']);
    await db.query('update reservations set orphaned_at = $1', [nowSec() - limits.orphanKeepSec - 60]);
    const letGo = await stranger.hold('reservations', `id = '${first.id}'`);
    await recovery.round();
    expect(await db.query('select id from reservations')).toEqual([{ id: first.id }]);
    await letGo();
    await recovery.round();
    expect(await db.query('select id from reservations where owner <> $1', [bootId])).toEqual([]);
    recovery.stop();
    await billing.close();
  });
});

describe('recovery across hosts', () => {
  beforeAll(() => open('postgres'));
  afterAll(() => db.close());

  test('leaves living workers of the same folder alone', async () => {
    const folder = await tempFolder();
    const { hold, bootId, billing } = await deadWithCall(folder);
    const next = await process(folder, { livingBoots: () => [bootId] });
    expect(await reservation(hold.id)).toEqual({ amount: 100, orphaned: false });
    await billing.settle(settlementOf(hold.id, 0));
    next.recovery.stop();
  });

  const uptimeSec = async () => {
    const [up] = await db.query<{ sec: number }>(
      'select extract(epoch from clock_timestamp() - pg_postmaster_start_time())::int as sec',
    );
    return up?.sec ?? 0;
  };

  test('takes another host for dead only when it was silent for long enough', async () => {
    const { hold, bootId } = await deadWithCall();
    // Silence counts whole seconds between two rounded moments, and this one is rounded too: half a second each may be missing.
    while ((await uptimeSec()) < 5) await Bun.sleep(200);
    await freeLease();
    const other = await process(undefined, { silentSec: 3 });
    await silentSince(bootId, 0);
    await other.recovery.round();
    expect(await reservation(hold.id)).toEqual({ amount: 100, orphaned: false });
    await silentSince(bootId, 60);
    await other.recovery.round();
    expect(await reservation(hold.id)).toEqual({ amount: 0, orphaned: true });
    other.recovery.stop();
  });

  test('does not count the time in which the database was down as silence', async () => {
    const { hold, bootId, billing } = await deadWithCall();
    await freeLease();
    const up = await uptimeSec();
    const other = await process(undefined, { silentSec: up + 1_000 });
    await silentSince(bootId, up + 2_000);
    await other.recovery.round();
    expect(await reservation(hold.id)).toEqual({ amount: 100, orphaned: false });
    await billing.settle(settlementOf(hold.id, 0));
    other.recovery.stop();
  });

  test('runs in one process at a time, and goes on at once when that one is known dead', async () => {
    await freeLease();
    const folder = await tempFolder();
    const holder = await process(folder);
    holder.recovery.stop();
    const owner = async () =>
      (await db.query<{ owner: string }>("select owner from leases where name = 'recovery'"))[0]?.owner;
    expect(await owner()).toBe(holder.bootId);

    const elsewhere = await process();
    expect(await owner()).toBe(holder.bootId);
    const next = await process(folder);
    expect(await owner()).toBe(next.bootId);
    await db.query('update leases set until = 0');
    await elsewhere.recovery.round();
    expect(await owner()).toBe(elsewhere.bootId);
    elsewhere.recovery.stop();
    next.recovery.stop();
  });

  test('gives back what its own dead held also where another host judges, and leaves the silent to that one', async () => {
    await freeLease();
    const judge = await process(undefined, { silentSec: 0 });
    const folder = await tempFolder();
    const own = await deadWithCall(folder);
    const foreign = await deadWithCall();
    await silentSince(foreign.bootId, 60);
    const next = await process(folder, { silentSec: 0 });
    expect(await reservation(own.hold.id)).toEqual({ amount: 0, orphaned: true });
    expect(await reservation(foreign.hold.id)).toEqual({ amount: 100, orphaned: false });
    await judge.recovery.round();
    expect(await reservation(foreign.hold.id)).toEqual({ amount: 0, orphaned: true });
    judge.recovery.stop();
    next.recovery.stop();
  });

  test('says that a process lives by the database’s clock', async () => {
    const { bootId, recovery } = await process();
    const [row] = await db.query<{ age: number }>(
      'select extract(epoch from clock_timestamp())::bigint - seen_at as age from instances where boot_id = $1',
      [bootId],
    );
    expect(row?.age).toBeLessThanOrEqual(1);
    recovery.stop();
  });
});
