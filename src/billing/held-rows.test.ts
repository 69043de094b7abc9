/** Rows that others hold: only the calls that need them wait, and whoever holds one from the console does not for long. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { sql } from 'drizzle-orm';
import fc from 'fast-check';
import {
  holdOf,
  makeBilling,
  makeChannel,
  makeToken,
  makeUser,
  settlementOf,
} from '../../tests/support/accounts.ts';
import { freshPostgresUrl } from '../../tests/support/database.ts';
import { often } from '../../tests/support/long.ts';
import { patience } from '../../tests/support/patience.ts';
import { type Stranger, strangerOn } from '../../tests/support/stranger.ts';
import { until } from '../../tests/support/waits.ts';
import { limits } from '../core/limits.ts';
import { takeTime } from '../db/brief.ts';
import { type Database, openPostgres } from '../db/client.ts';
import { isUnreachable, rowsOf } from '../db/statement.ts';
import { audit } from './audit.ts';
import { adjustQuota, MOVEMENT } from './ledger.ts';

let db: Database;
let stranger: Stranger;
let channel: number;
beforeAll(async () => {
  const url = await freshPostgresUrl();
  db = await openPostgres(url);
  stranger = strangerOn(url);
  channel = await makeChannel(db);
});
afterAll(async () => {
  expect((await audit(db)).findings).toEqual([]);
  await stranger.close();
  await db.close();
});

type Held = 'users' | 'tokens' | 'channels';

/** Holds a row until it is let go. */
const hold = (table: Held, id: number) => stranger.hold(table, `id = ${id}`);

interface Account {
  userId: number;
  tokenId: number;
}

const open = async (quota = 100_000): Promise<Account> => {
  const userId = await makeUser(db, quota);
  return { userId, tokenId: await makeToken(db, userId) };
};

const call = ({ userId, tokenId }: Account) => holdOf(userId, tokenId, 100);

const accountOf = async ({ userId }: Account) =>
  (await db.query('select quota, reserved, used_quota from users where id = $1', [userId]))[0];

const codeOf = (error: unknown): unknown =>
  typeof error === 'object' && error && 'code' in error ? error.code : error;

describe('a row that somebody holds', () => {
  it('holds up the calls that need it, and none of the others that share their batches', async () => {
    const [held, ...others] = await Promise.all(Array.from({ length: 6 }, () => open()));
    if (!held) throw new Error('an account');
    const { billing, metrics } = await makeBilling(db);
    const before = others.map(call);
    expect(await Promise.all([call(held), ...before].map(billing.reserve))).not.toContain('refused');
    const letGo = await hold('users', held.userId);
    const waiting = Array.from({ length: 5 }, () => billing.reserve(call(held)).catch(codeOf));
    const granted = others.map((account) => billing.reserve(call(account)));
    expect(new Set(await Promise.all(granted))).toEqual(new Set(['granted']));
    const settled = await Promise.all(
      before.map(({ id }) => billing.settle(settlementOf(id, 30, { channelId: channel }))),
    );
    expect(settled.every(({ committed, paid }) => committed && paid === 30)).toBe(true);
    // Who comes later is not kept waiting either, though more of the held one come with him.
    waiting.push(billing.reserve(call(held)).catch(codeOf));
    const batches = () => metrics.snapshot().tollgate_batches_total?.samples[0]?.[1] ?? 0;
    const soFar = batches();
    expect(await Promise.all(others.map((account) => billing.reserve(call(account))))).not.toContain(
      'refused',
    );
    expect(batches()).toBe(soFar + 1);
    // That is no lack of quota, and the database is not away.
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['OVERLOADED']));
    await letGo();
    expect(await billing.reserve(call(held))).toBe('granted');
    expect(await accountOf(held)).toEqual({ quota: 99_800, reserved: 200, used_quota: 0 });
    await billing.close();
  });

  it.each(['users', 'tokens', 'channels'] as const)(
    'of %s lets a settlement that needs it lie on disk, and be charged once when it is let go',
    async (table) => {
      const [held, other] = [await open(), await open()];
      const channelId = await makeChannel(db);
      const { billing } = await makeBilling(db);
      const [of, beside] = [call(held), call(other)];
      await Promise.all([of, beside].map(billing.reserve));
      const id = { users: held.userId, tokens: held.tokenId, channels: channelId }[table];
      const letGo = await hold(table, id);
      const settled = billing.settle(settlementOf(of.id, 40, { channelId }));
      expect(await billing.settle(settlementOf(beside.id, 40, { channelId: channel }))).toMatchObject({
        committed: true,
      });
      expect(await settled).toEqual({ paid: 40, writtenOff: 0, committed: false });
      expect(await accountOf(held)).toEqual({ quota: 99_900, reserved: 100, used_quota: 0 });
      await letGo();
      await until('nothing is held', async () => (await accountOf(held))?.reserved === 0);
      expect(await accountOf(held)).toEqual({ quota: 99_960, reserved: 0, used_quota: 40 });
      await billing.close();
    },
    patience(30_000),
  );

  /** What a world is made of, by fast-check: it names the seed of one that fails. */
  const which = fc.nat();
  const holder = fc.array(
    fc.record({
      table: fc.constantFrom<Held>('users', 'tokens', 'channels'),
      which,
      heldMs: fc.integer({ min: 0, max: 1.5 * limits.moneyLockMs }),
      restMs: fc.integer({ min: 0, max: limits.moneyLockMs }),
    }),
    { minLength: 3, maxLength: 3 },
  );
  const calls = fc.array(
    fc.record({ account: which, channel: which, charge: fc.integer({ min: 1, max: 9 }) }),
    {
      minLength: 50,
      maxLength: 50,
    },
  );
  const world = fc.noBias(
    fc.record({
      holders: fc.array(holder, { minLength: 2, maxLength: 2 }),
      callers: fc.array(calls, { minLength: 40, maxLength: 40 }),
    }),
  );

  type World = typeof world extends fc.Arbitrary<infer W> ? W : never;

  it(
    'keeps every sum, whichever rows are held and let go while calls come and go',
    async () => {
      await fc.assert(fc.asyncProperty(world, keepsEverySum), {
        numRuns: often(1, 10),
        // To make a world smaller takes as many of them again as there are things in it.
        endOnFailure: true,
      });
    },
    patience(90_000),
  );

  async function keepsEverySum({ holders, callers }: World) {
    const accounts = [await open(3_000), await open(3_000), await open(3_000), await open(3_000)] as const;
    const channels = [channel, await makeChannel(db)] as const;
    const { billing, bootId } = await makeBilling(db);
    const pick = <T>(all: readonly [T, ...T[]], which: number): T => all[which % all.length] ?? all[0];
    let holding = holders.length;
    const held = holders.map(async (turns) => {
      for (const { table, which, heldMs, restMs } of turns) {
        const { userId, tokenId } = pick(accounts, which);
        const letGo = await hold(
          table,
          { users: userId, tokens: tokenId, channels: pick(channels, which) }[table],
        );
        await Bun.sleep(heldMs);
        await letGo();
        await Bun.sleep(restMs);
      }
      holding--;
    });
    const paid = new Map<number, number>();
    const ends = new Map<string, number>();
    const called = callers.map(async (calls) => {
      for (let n = 0; holding > 0; n++) {
        const { account, channel, charge } = calls[n % calls.length] ?? { account: 0, channel: 0, charge: 1 };
        const of = call(pick(accounts, account));
        const answer = await billing.reserve(of).catch(codeOf);
        ends.set(String(answer), (ends.get(String(answer)) ?? 0) + 1);
        if (answer !== 'granted') continue;
        await billing.settle(settlementOf(of.id, charge, { channelId: pick(channels, channel) }));
        paid.set(of.userId, (paid.get(of.userId) ?? 0) + charge);
      }
    });
    await Promise.all([...held, ...called]);
    await billing.drain();
    const isOpen = async () =>
      (await db.query('select 1 from reservations where owner = $1', [bootId])).length > 0;
    await until('all is settled', async () => !(await isOpen()));
    for (const account of accounts) {
      const used = paid.get(account.userId) ?? 0;
      expect(await accountOf(account)).toEqual({ quota: 3_000 - used, reserved: 0, used_quota: used });
    }
    expect(ends.get('granted')).toBeGreaterThan(100);
    expect([...ends.keys()].filter((end) => !['granted', 'refused', 'OVERLOADED'].includes(end))).toEqual([]);
    await billing.close();
  }
});

describe('a transaction of the console', () => {
  it('that does nothing more is ended before calls wait for it in vain', async () => {
    const account = await open();
    const { billing } = await makeBilling(db);
    const held = Promise.withResolvers<void>();
    const granted = Promise.withResolvers<void>();
    const sleeper = db.orm.transaction(async (tx) => {
      await adjustQuota(tx, {
        userId: account.userId,
        kind: MOVEMENT.adminEdit,
        ref: crypto.randomUUID(),
        delta: 1_000,
      });
      held.resolve();
      await granted.promise;
      await tx.execute(sql`select 1`);
    });
    const ended = sleeper.then(
      () => 'done',
      () => 'ended',
    );
    await held.promise;
    expect(await billing.reserve(call(account)).finally(granted.resolve)).toBe('granted');
    expect(await ended).toBe('ended');
    expect(await accountOf(account)).toEqual({ quota: 99_900, reserved: 100, used_quota: 0 });
    await billing.close();
  });

  it('that waits for a row lets go of those that it has, and says that the service is busy', async () => {
    const [first, second] = [await open(), await open()];
    const { billing } = await makeBilling(db);
    const letGo = await hold('users', second.userId);
    const both = db.orm.transaction(async (tx) => {
      for (const { userId } of [first, second])
        await tx.execute(sql`update users set request_count = request_count where id = ${userId}`);
    });
    expect(await Promise.all([billing.reserve(call(first)), both.catch(isUnreachable)])).toEqual([
      'granted',
      true,
    ]);
    await letGo();
    await billing.close();
  });

  it('that only reads, or says so, has time', async () => {
    const waits = sql`select current_setting('lock_timeout') as lock,
      current_setting('idle_in_transaction_session_timeout') as idle`;
    const read = await db.orm.transaction((tx) => tx.execute(waits), { accessMode: 'read only' });
    const none = { lock: '0', idle: '0' };
    expect(rowsOf(read)).toEqual([none]);
    const wrote = await db.orm.transaction(async (tx) => [
      ...rowsOf(await tx.execute(waits)),
      ...rowsOf(await takeTime(tx).then(() => tx.execute(waits))),
    ]);
    expect(wrote).toEqual([{ lock: '1s', idle: '1s' }, none]);
    expect(await db.query(`select current_setting('lock_timeout') as lock`)).toEqual([{ lock: '0' }]);
  });
});
