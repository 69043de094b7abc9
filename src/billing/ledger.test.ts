import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdOf, makeBilling, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { requestId } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import { HOUR_SEC } from '../core/time.ts';
import type { Database, Tx } from '../db/client.ts';
import { SQLSTATE, sqlState } from '../db/statement.ts';
import { audit } from './audit.ts';
import { foldLedger } from './fold.ts';
import {
  adjustQuota,
  MOVEMENT,
  openAccount,
  setQuota,
  setTokenQuota,
  takeBack,
  tokenHolds,
} from './ledger.ts';
import { settleAll } from './statements.ts';

for (const engine of engines) {
  describe(`the ledger on ${engine}`, () => {
    let db: Database;
    beforeAll(async () => {
      db = await freshDatabase(engine);
    });
    afterAll(() => db.close());

    const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.orm.transaction(work);
    const rows = (userId: number) =>
      db.query('select kind, delta, note from ledger where user_id = $1 order by kind, note', [userId]);
    const quotaOf = async (userId: number) =>
      (await db.query<{ quota: number }>('select quota from users where id = $1', [userId]))[0]?.quota;

    test('opens an account with a gift row, and without one when there is no gift', async () => {
      const [rich, poor] = [await makeUser(db, 700), await makeUser(db, 0)];
      expect(await rows(rich)).toEqual([{ kind: 4, delta: 700, note: null }]);
      expect(await rows(poor)).toEqual([]);
    });

    test('moves quota once a cause, together with the caller’s transaction', async () => {
      const userId = await makeUser(db, 100);
      const ref = requestId();
      const give = (t: Tx) =>
        adjustQuota(t, { userId, kind: MOVEMENT.adminEdit, ref, delta: 50, note: 'code' });
      expect(await tx(give)).toEqual({ quota: 150, delta: 50 });
      const twice = await tx(give).catch((error: unknown) => sqlState(error));
      expect(twice).toBe(SQLSTATE.uniqueViolation);
      const undone = tx(async (t) => {
        await adjustQuota(t, { userId, kind: MOVEMENT.topUp, ref, delta: 1_000 });
        throw new Error('the order failed');
      });
      await expect(undone).rejects.toThrow('the order failed');
      expect(await quotaOf(userId)).toBe(150);
      expect(await rows(userId)).toEqual([
        { kind: 4, delta: 100, note: null },
        { kind: 9, delta: 50, note: 'code' },
      ]);
    });

    test('refuses what a balance cannot be', async () => {
      const userId = await makeUser(db, 100);
      const adjust = (delta: number) =>
        tx((t) => adjustQuota(t, { userId, kind: MOVEMENT.adminEdit, ref: requestId(), delta }));
      await expect(adjust(-101)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      await expect(adjust(QUOTA_MAX)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      await expect(adjust(2 ** 60)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      await expect(adjust(0.5)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      expect(await adjust(QUOTA_MAX - 100)).toEqual({ quota: QUOTA_MAX, delta: QUOTA_MAX - 100 });
      expect(await adjust(-QUOTA_MAX)).toEqual({ quota: 0, delta: -QUOTA_MAX });
      const nobody = tx((t) => openAccount(t, { userId: 999_999, ref: requestId(), amount: 1 }));
      await expect(nobody).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('of two forms that saw the same balance, one is saved', async () => {
      const userId = await makeUser(db, 100);
      const save = (quota: number) =>
        tx((t) => setQuota(t, { userId, ref: requestId(), quota, quotaBefore: 100 }));
      const ends = await Promise.allSettled([save(500), save(900)]);
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      expect(ends.find(({ status }) => status === 'rejected')).toMatchObject({
        reason: { code: 'QUOTA_CHANGED' },
      });
    });

    describe('a token’s own limit', () => {
      const open = async (remain: number | null) => {
        const userId = await makeUser(db, 1_000);
        const tokenId = await makeToken(db, userId, remain);
        const { billing } = await makeBilling(db);
        const hold = holdOf(userId, tokenId, 300);
        expect(await billing.reserve(hold)).toBe('granted');
        const column = async () =>
          (
            await db.query<{ remain_quota: number }>('select remain_quota from tokens where id = $1', [
              tokenId,
            ])
          )[0]?.remain_quota;
        const set = (remainQuota: number, unlimited = false, quotaBefore?: number) =>
          tx((t) => setTokenQuota(t, { tokenId, unlimited, remainQuota, quotaBefore }));
        return {
          tokenId,
          column,
          set,
          settle: (charge: number) => billing.settle(settlementOf(hold.id, charge)),
        };
      };

      test('is set to what the form says, with what open calls hold inside it', async () => {
        const { tokenId, column, set, settle } = await open(500);
        expect(await tokenHolds(db.orm, [tokenId])).toEqual(new Map([[tokenId, 300]]));
        await set(800);
        expect(await column()).toBe(500);
        await settle(120);
        expect(await column()).toBe(680);
        expect(await tokenHolds(db.orm, [tokenId])).toEqual(new Map());
      });

      test('given back unchanged by a form, changes nothing', async () => {
        const { column, set, settle } = await open(500);
        await set(500, false, 500);
        await settle(120);
        expect(await column()).toBe(380);
      });

      test('is refused below what is held, or when it changed meanwhile', async () => {
        const { column, set, settle } = await open(500);
        await expect(set(299)).rejects.toMatchObject({ code: 'QUOTA_HELD' });
        await expect(set(900, false, 501)).rejects.toMatchObject({ code: 'QUOTA_CHANGED' });
        await expect(set(-1)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
        await settle(0);
        expect(await column()).toBe(500);
      });

      test('given to an unlimited token while a call is open, pays for that call', async () => {
        const { column, set, settle } = await open(null);
        await set(400);
        await settle(120);
        expect(await column()).toBe(280);
      });

      test('taken off while a call is open, stands still from then on', async () => {
        const { column, set, settle } = await open(500);
        await set(500, true);
        await settle(120);
        expect(await column()).toBe(500);
      });
    });

    test('folds old charges into one row a user and month, and every sum stays', async () => {
      const [one, other] = [await makeUser(db, 10_000), await makeUser(db, 10_000)];
      const { billing } = await makeBilling(db);
      const [january, february] = [Date.UTC(2024, 0, 5) / 1000, Date.UTC(2024, 1, 5) / 1000];
      const call = async (userId: number, at: number, charge: number) => {
        const hold = holdOf(userId, await makeToken(db, userId), 100);
        await billing.reserve(hold);
        await settleAll(db, [settlementOf(hold.id, charge, { at })]);
      };
      for (const charge of [1, 2, 3]) await call(one, january, charge);
      await call(one, february, 10);
      await call(other, january, 20);
      await call(other, february + 86_400, 40);
      expect(await foldLedger(db, february + 3_600)).toBe(5);
      await call(one, january, 4);
      expect(await foldLedger(db, february + 3_600)).toBe(1);
      expect(await foldLedger(db, february + 3_600)).toBe(0);
      const charges = await db.query(
        'select user_id, delta, note from ledger where kind = 1 and user_id = any($1::bigint[]) order by user_id, created_at',
        [`{${one},${other}}`],
      );
      expect(charges).toEqual([
        { user_id: one, delta: -10, note: 'folded' },
        { user_id: one, delta: -10, note: 'folded' },
        { user_id: other, delta: -20, note: 'folded' },
        { user_id: other, delta: -40, note: null },
      ]);
      expect((await audit(db)).findings).toEqual([]);
    });

    test('folds so many charges of a user by a statement', async () => {
      const { foldCharges } = limits;
      const user = await makeUser(db, 0);
      const old = Date.UTC(2023, 0, 5) / 1000;
      await db.query(
        'insert into ledger select gen_random_uuid(), kind, $1::bigint, delta, $2, null from (values (4, 7), (1, -1), (1, -2), (1, -4)) m(kind, delta)',
        [user, old],
      );
      const end = new AbortController();
      const query: Database['query'] = (text, params) => {
        end.abort();
        return db.query(text, params);
      };
      Object.assign(limits, { foldCharges: 2 });
      try {
        expect(await foldLedger({ ...db, query }, old + HOUR_SEC, end.signal)).toBe(2);
      } finally {
        Object.assign(limits, { foldCharges });
      }
      expect(await foldLedger(db, old + HOUR_SEC)).toBe(1);
      expect(
        await db.query('select delta, note from ledger where user_id = $1 order by delta', [user]),
      ).toEqual([
        { delta: -7, note: 'folded' },
        { delta: 7, note: null },
      ]);
      await db.query('delete from ledger where user_id = $1', [user]);
    });

    // The last one: what it takes back nobody has paid, and the audit says so.
    test('takes back what is there and writes the rest off, once, whoever spends meanwhile', async () => {
      const take = (userId: number, ref: string, amount: number) =>
        tx((t) => takeBack(t, { userId, ref, amount, note: 'topup:1' }));
      const rich = await makeUser(db, 500);
      const ref = requestId();
      expect(await take(rich, ref, 200)).toEqual({ taken: 200, writtenOff: 0 });
      expect(await take(rich, ref, 200).catch(sqlState)).toBe(SQLSTATE.uniqueViolation);
      expect(await quotaOf(rich)).toBe(300);
      expect(await rows(rich)).toEqual([
        { kind: 4, delta: 500, note: null },
        { kind: 12, delta: -200, note: 'topup:1' },
      ]);

      const poor = await makeUser(db, 30);
      expect(await take(poor, requestId(), 200)).toEqual({ taken: 30, writtenOff: 170 });
      expect(await take(poor, requestId(), 200)).toEqual({ taken: 0, writtenOff: 200 });
      expect(await quotaOf(poor)).toBe(0);
      expect(await rows(poor)).toEqual([
        { kind: 4, delta: 30, note: null },
        { kind: 10, delta: 0, note: '170' },
        { kind: 10, delta: 0, note: '200' },
        { kind: 12, delta: -30, note: 'topup:1' },
      ]);
      await expect(take(999_999, requestId(), 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(take(rich, requestId(), -1)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });

      const raced = await makeUser(db, 100);
      const all = await Promise.all(Array.from({ length: 20 }, () => take(raced, requestId(), 30)));
      expect(all.reduce((sum, { taken }) => sum + taken, 0)).toBe(100);
      expect(all.every(({ taken, writtenOff }) => taken + writtenOff === 30)).toBe(true);
      expect(await quotaOf(raced)).toBe(0);
    });
  });
}
