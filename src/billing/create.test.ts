import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import {
  holdOf,
  makeBilling,
  makeChannel,
  makeToken,
  makeUser,
  settlementOf,
} from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import type { Database } from '../db/client.ts';
import { NO_TOKEN } from '../modules/token/state.ts';
import { audit } from './audit.ts';
import { adjustQuota, MOVEMENT, setQuota, setTokenQuota } from './ledger.ts';

const balance = async (db: Database, id: number) => {
  const [row] = await db.query<{
    quota: number;
    reserved: number;
    used_quota: number;
    request_count: number;
  }>('select quota, reserved, used_quota, request_count from users where id = $1', [id]);
  if (!row) throw new Error('no such user');
  return row;
};

for (const engine of engines) {
  describe(`billing on ${engine}`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await freshDatabase(engine);
    });
    afterAll(async () => {
      expect((await audit(db)).findings).toEqual([]);
      await db.close();
    });

    test.each([1, 3])(
      'grants exactly ten of 200 parallel calls on a balance for ten, over %p tokens',
      async (n) => {
        const { billing } = await makeBilling(db);
        const userId = await makeUser(db, 1_000);
        const tokens = await Promise.all(Array.from({ length: n }, () => makeToken(db, userId)));
        const holds = Array.from({ length: 200 }, (_, i) => holdOf(userId, tokens[i % n] ?? 0, 100));
        const seen: number[] = [];
        let watching = true;
        const watch = (async () => {
          while (watching) seen.push((await balance(db, userId)).quota);
        })();
        const results = await Promise.all(holds.map(billing.reserve));
        expect(results.filter((result) => result === 'granted')).toHaveLength(10);
        expect(await balance(db, userId)).toMatchObject({ quota: 0, reserved: 1_000 });
        const granted = holds.filter((_, i) => results[i] === 'granted');
        await Promise.all(granted.map(({ id }) => billing.settle(settlementOf(id, 60))));
        watching = false;
        await watch;
        // Whether it is seen while nothing is left is chance; never is it less.
        expect(Math.min(...seen)).toBeGreaterThanOrEqual(0);
        expect(await balance(db, userId)).toEqual({
          quota: 400,
          reserved: 0,
          used_quota: 600,
          request_count: 10,
        });
      },
    );

    test('grants by a token’s own limit, whatever the account has', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 1_000);
      const tokenId = await makeToken(db, userId, 250);
      const results = await Promise.all(
        Array.from({ length: 20 }, () => billing.reserve(holdOf(userId, tokenId, 100))),
      );
      expect(results.filter((result) => result === 'granted')).toHaveLength(2);
    });

    test('does not count a call as open that was settled while its extension was under way', async () => {
      const { billing, metrics } = await makeBilling(db);
      const userId = await makeUser(db, 1_000);
      const hold = holdOf(userId, await makeToken(db, userId), 100);
      await billing.reserve(hold);
      const extended = billing.extend(hold);
      const settled = billing.settle(settlementOf(hold.id, 60));
      expect(await extended).toBe('granted');
      await settled;
      expect(metrics.snapshot().tollgate_reservations_open?.samples).toEqual([
        ['tollgate_reservations_open', 0],
      ]);
    });

    test('holds what a call lacked beside the next ones of its user, and of no other', async () => {
      const { billing } = await makeBilling(db);
      const [user, other] = await Promise.all([makeUser(db, 1_000), makeUser(db, 1_000)]);
      const call = async (userId: number, charge: number, extended = 0) => {
        const hold = holdOf(userId, NO_TOKEN, 100);
        const granted = [await billing.reserve(hold)];
        if (extended > 0) granted.push(await billing.extend({ ...hold, amount: extended }));
        const { reserved } = await balance(db, userId);
        const { paid, writtenOff } = await billing.settle(settlementOf(hold.id, charge));
        return { granted, reserved, paid, writtenOff };
      };
      const give = async (quota: number) =>
        db.orm.transaction((tx) => setQuota(tx, { userId: user, ref: crypto.randomUUID(), quota }));

      expect(await call(user, 5_000, 50)).toEqual({
        granted: ['granted', 'granted'],
        reserved: 150,
        paid: 1_000,
        writtenOff: 4_000,
      });
      expect(await call(other, 50)).toMatchObject({ reserved: 100, paid: 50 });
      // 4,850 were lacking of what was asked for.
      await give(4_949);
      expect(await billing.reserve(holdOf(user, NO_TOKEN, 100))).toBe('refused');
      const free = holdOf(user, NO_TOKEN, 0);
      expect(await billing.reserve(free)).toBe('granted');
      await billing.settle(settlementOf(free.id, 0));
      await give(5_000);
      expect(await call(user, 60, 50)).toEqual({
        granted: ['granted', 'granted'],
        reserved: 5_000,
        paid: 60,
        writtenOff: 0,
      });
    });

    test('holds what a call lacked of its key’s own limit beside the next ones of that key, and of no other', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 100_000);
      const [key, other] = [await makeToken(db, userId, 1_000), await makeToken(db, userId, 10_000)];
      const call = async (tokenId: number, charge: number) => {
        const hold = holdOf(userId, tokenId, 100);
        const granted = await billing.reserve(hold);
        const { reserved } = await balance(db, userId);
        if (granted === 'granted') await billing.settle(settlementOf(hold.id, charge));
        return { granted, reserved };
      };
      const limit = (remainQuota: number) =>
        db.orm.transaction((tx) => setTokenQuota(tx, { tokenId: key, unlimited: false, remainQuota }));

      // Its key has room for that, so that nothing is lacking.
      expect(await call(key, 700)).toEqual({ granted: 'granted', reserved: 100 });
      expect(await call(key, 5_000)).toEqual({ granted: 'granted', reserved: 100 });
      await limit(4_999);
      expect(await call(key, 1)).toEqual({ granted: 'refused', reserved: 0 });
      await limit(5_000);
      expect(await call(key, 60)).toEqual({ granted: 'granted', reserved: 5_000 });
      expect(await call(other, 60)).toEqual({ granted: 'granted', reserved: 100 });
      expect(await call(NO_TOKEN, 60)).toEqual({ granted: 'granted', reserved: 100 });
    });

    test('counts the statements of each line, and how many calls shared them', async () => {
      const { billing, metrics } = await makeBilling(db);
      const userId = await makeUser(db, 1_000);
      const tokenId = await makeToken(db, userId);
      const holds = Array.from({ length: 5 }, () => holdOf(userId, tokenId, 10));
      await Promise.all(holds.map(billing.reserve));
      for (const { id } of holds) await billing.settle(settlementOf(id, 1));
      const { tollgate_batches_total: batches, tollgate_batch_items_total: items } = metrics.snapshot();
      // Those that arrive in one turn share a statement, those that wait for one another do not.
      expect(batches?.samples).toEqual([
        ['tollgate_batches_total{line="reserve"}', 1],
        ['tollgate_batches_total{line="settle"}', 5],
      ]);
      expect(items?.samples).toEqual([
        ['tollgate_batch_items_total{line="reserve"}', 5],
        ['tollgate_batch_items_total{line="settle"}', 5],
      ]);
    });

    test('grants a small call that stood behind a large one that does not fit', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 100);
      const tokenId = await makeToken(db, userId);
      const amounts = [500, 60, 400, 40, 300, 1];
      const results = await Promise.all(
        amounts.map((amount) => billing.reserve(holdOf(userId, tokenId, amount))),
      );
      expect(results).toEqual(['refused', 'granted', 'refused', 'granted', 'refused', 'refused']);
    });

    test('charges a call once, however often and from however many processes it is settled', async () => {
      const [one, other] = [await makeBilling(db), await makeBilling(db)];
      const userId = await makeUser(db, 1_000);
      const tokenId = await makeToken(db, userId);
      const hold = holdOf(userId, tokenId, 100);
      await one.billing.reserve(hold);
      const settled = await Promise.all(
        Array.from({ length: 100 }, (_, i) =>
          (i % 2 ? one : other).billing.settle(settlementOf(hold.id, 70)),
        ),
      );
      // Who comes too late learns what was paid.
      expect(new Set(settled.map(({ paid }) => paid))).toEqual(new Set([70]));
      expect(await one.billing.settle(settlementOf(hold.id, 70))).toMatchObject({
        paid: 70,
        committed: true,
      });
      expect(await balance(db, userId)).toEqual({
        quota: 930,
        reserved: 0,
        used_quota: 70,
        request_count: 1,
      });
      expect(await db.query('select quota from logs where request_id = $1', [hold.id])).toEqual([
        { quota: 70 },
      ]);
    });

    test('takes what a call costs beyond its reservation from the balance, and writes the rest off', async () => {
      const { billing, metrics, lines } = await makeBilling(db);
      const userId = await makeUser(db, 150);
      const tokenId = await makeToken(db, userId);
      const [a, b] = [holdOf(userId, tokenId, 100), holdOf(userId, tokenId, 20)];
      await billing.reserve(a);
      await billing.reserve(b);
      expect(await billing.settle(settlementOf(a.id, 400))).toEqual({
        paid: 130,
        writtenOff: 270,
        keyShort: false,
        committed: true,
      });
      expect(await balance(db, userId)).toEqual({
        quota: 0,
        reserved: 20,
        used_quota: 130,
        request_count: 1,
      });
      expect(lines.some((line) => line.includes('billing.written_off') && line.includes(a.id))).toBe(true);
      expect(metrics.snapshot().tollgate_written_off_quota_total?.samples).toEqual([
        ['tollgate_written_off_quota_total', 270],
      ]);
      await billing.settle(settlementOf(b.id, 0, { type: 4 }));
    });

    test('charges a failed call nothing and keeps its row', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 500);
      const tokenId = await makeToken(db, userId, 300);
      const hold = holdOf(userId, tokenId, 100);
      await billing.reserve(hold);
      const other = { error: { code: 'upstream_timeout' } };
      await billing.settle(settlementOf(hold.id, 0, { type: 4, other, promptTokens: 0 }));
      expect(await balance(db, userId)).toEqual({ quota: 500, reserved: 0, used_quota: 0, request_count: 0 });
      expect(await db.query('select remain_quota from tokens where id = $1', [tokenId])).toEqual([
        { remain_quota: 300 },
      ]);
      expect(await db.query('select type, quota, other from logs where request_id = $1', [hold.id])).toEqual([
        { type: 4, quota: 0, other },
      ]);
    });

    test('extends an open call as often as the balance allows, and never one that was settled', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 250);
      const tokenId = await makeToken(db, userId);
      const hold = holdOf(userId, tokenId, 100);
      expect(await billing.extend(hold)).toBe('refused');
      await billing.reserve(hold);
      expect(await billing.extend(hold)).toBe('granted');
      expect(await billing.extend(hold)).toBe('refused');
      expect(await balance(db, userId)).toMatchObject({ quota: 50, reserved: 200 });
      await billing.settle(settlementOf(hold.id, 190));
      expect(await billing.extend(hold)).toBe('refused');
      expect(await balance(db, userId)).toMatchObject({ quota: 60, reserved: 0 });
    });

    test('settles after an extension that is under way, and refuses one that comes then', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 250);
      const tokenId = await makeToken(db, userId);
      const hold = holdOf(userId, tokenId, 100);
      await billing.reserve(hold);
      const extended = billing.extend(hold);
      const settled = billing.settle(settlementOf(hold.id, 240));
      const late = billing.extend(hold);
      expect(await extended).toBe('granted');
      expect(await late).toBe('refused');
      expect(await settled).toMatchObject({ paid: 240, writtenOff: 0 });
      expect(await balance(db, userId)).toMatchObject({ quota: 10, reserved: 0 });
      expect(await db.query('select 1 from reservations where id = $1', [hold.id])).toEqual([]);
    });

    test('holds nothing for a free call, but asks whether token and user may work', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 0);
      const tokenId = await makeToken(db, userId);
      const free = holdOf(userId, tokenId, 0);
      expect(await billing.reserve(free)).toBe('granted');
      await billing.settle(settlementOf(free.id, 0));
      expect(await balance(db, userId)).toMatchObject({ quota: 0, reserved: 0, request_count: 1 });
      await db.query('update users set status = 2 where id = $1', [userId]);
      expect(await billing.reserve(holdOf(userId, tokenId, 0))).toBe('refused');
    });

    test('loses no adjustment that races with calls, and no call that races with adjustments', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 100_000);
      const tokenId = await makeToken(db, userId);
      const call = async () => {
        const hold = holdOf(userId, tokenId, 100);
        expect(await billing.reserve(hold)).toBe('granted');
        await billing.settle(settlementOf(hold.id, 30));
      };
      const adjust = (delta: number) =>
        db.orm.transaction((tx) =>
          adjustQuota(tx, { userId, kind: MOVEMENT.adminEdit, ref: crypto.randomUUID(), delta }),
        );
      const work = Array.from({ length: 60 }, async (_, i) => {
        await call();
        if (i % 3 === 0) await adjust(i % 2 ? 500 : -200);
      });
      await Promise.all(work);
      expect(await balance(db, userId)).toMatchObject({
        quota: 100_000 - 60 * 30 + 10 * 500 - 10 * 200,
        reserved: 0,
        used_quota: 60 * 30,
      });
    });

    test('sets a balance to what a form says under the row’s lock, held quota included', async () => {
      const { billing } = await makeBilling(db);
      const userId = await makeUser(db, 1_000);
      const tokenId = await makeToken(db, userId);
      const hold = holdOf(userId, tokenId, 300);
      await billing.reserve(hold);
      const set = (quota: number, quotaBefore?: number) =>
        db.orm.transaction((tx) => setQuota(tx, { userId, ref: crypto.randomUUID(), quota, quotaBefore }));
      await expect(set(2_000, 999)).rejects.toMatchObject({ code: 'QUOTA_CHANGED' });
      await expect(set(299)).rejects.toMatchObject({ code: 'QUOTA_HELD' });
      await expect(set(-1)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      expect(await set(2_000, 1_000)).toEqual({ quota: 2_000, delta: 1_000 });
      expect(await balance(db, userId)).toMatchObject({ quota: 1_700, reserved: 300 });
      await billing.settle(settlementOf(hold.id, 100));
      expect(await balance(db, userId)).toMatchObject({ quota: 1_900, reserved: 0 });
    });

    test('refuses what is no amount: a bug of its caller', async () => {
      const { billing } = await makeBilling(db);
      for (const amount of [NaN, -1, 0.5, 2 ** 53, 1e308, Infinity]) {
        await expect(billing.reserve(holdOf(1, 1, amount))).rejects.toThrow('invariant');
        expect(() => billing.settle(settlementOf(crypto.randomUUID(), amount))).toThrow('invariant');
      }
      expect(() => billing.settle(settlementOf(crypto.randomUUID(), 5, { type: 4 }))).toThrow('invariant');
    });

    test('keeps every sum under mixed load on few accounts and channels', async () => {
      const { billing } = await makeBilling(db);
      const users = await Promise.all([2_000, 500, 5_000].map((quota) => makeUser(db, quota)));
      const tokens = await Promise.all(
        users.flatMap((userId) =>
          [makeToken(db, userId), makeToken(db, userId, 700)].map(async (made) => ({
            userId,
            tokenId: await made,
          })),
        ),
      );
      const channels = await Promise.all([makeChannel(db), makeChannel(db)]);
      const call = async (i: number) => {
        const { userId, tokenId } = tokens[i % tokens.length] ?? { userId: 0, tokenId: 0 };
        const hold = holdOf(userId, tokenId, (i * 37) % 200);
        if ((await billing.reserve(hold)) === 'refused') return;
        if (i % 4 === 0) void billing.extend(hold);
        await billing.settle(
          settlementOf(hold.id, i % 5 === 0 ? 0 : (i * 53) % 300, {
            type: i % 5 === 0 ? 4 : 2,
            channelId: channels[i % 2] ?? 0,
          }),
        );
      };
      await Promise.all(Array.from({ length: 400 }, (_, i) => call(i)));
      await billing.drain();
      expect((await audit(db)).findings).toEqual([]);
      const [sums] = await db.query(
        `select (select sum(reserved) from users where id = any($1::bigint[]))::bigint as held,
           (select count(*) from reservations where user_id = any($1::bigint[]) and amount > 0) as open`,
        [`{${users.join(',')}}`],
      );
      expect(sums).toEqual({ held: 0, open: 0 });
    });
  });
}
