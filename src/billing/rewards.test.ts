import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { makeUser } from '../../tests/support/accounts.ts';
import { engines, freshDatabase } from '../../tests/support/database.ts';
import { requestId } from '../core/ids.ts';
import { QUOTA_MAX } from '../core/price-formula.ts';
import type { Database, Tx } from '../db/client.ts';
import { audit } from './audit.ts';
import { type Grant, grantReward, REWARD, transferRewards } from './rewards.ts';

for (const engine of engines) {
  describe(`rewards on ${engine}`, () => {
    let db: Database;
    let causes = 0;
    beforeAll(async () => {
      db = await freshDatabase(engine);
    });
    afterEach(async () => {
      expect((await audit(db)).findings).toEqual([]);
    });
    afterAll(() => db.close());

    const tx = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => db.orm.transaction(work);
    const grant = (userId: number, amount: number, more: Partial<Grant> = {}) =>
      tx((t) =>
        grantReward(t, {
          userId,
          amount,
          kind: REWARD.invitation,
          ref: requestId(),
          causeId: ++causes,
          ...more,
        }),
      );
    const transfer = (userId: number, amount: number) =>
      tx((t) => transferRewards(t, { userId, amount, ref: requestId() }));
    const balances = async (userId: number) => {
      const [row] = await db.query(
        'select quota, aff_quota, aff_history_quota, activity_quota, activity_history_quota from users where id = $1',
        [userId],
      );
      return row;
    };

    test('wait beside the balance, each kind in its own column', async () => {
      const userId = await makeUser(db, 100);
      expect(await grant(userId, 30)).toBe(true);
      expect(await grant(userId, 7, { kind: REWARD.activity, note: 'spring' })).toBe(true);
      expect(await balances(userId)).toEqual({
        quota: 100,
        aff_quota: 30,
        aff_history_quota: 30,
        activity_quota: 7,
        activity_history_quota: 7,
      });
      expect(await db.query('select kind from ledger where user_id = $1', [userId])).toEqual([{ kind: 4 }]);
      expect(
        await db.query('select kind, amount, cause_id, note from rewards where user_id = $1 order by kind', [
          userId,
        ]),
      ).toEqual([
        { kind: 1, amount: 30, cause_id: causes - 1, note: null },
        { kind: 2, amount: 7, cause_id: causes, note: 'spring' },
      ]);
    });

    test('are granted once a cause, however many race for it', async () => {
      const [one, other] = [await makeUser(db, 0), await makeUser(db, 0)];
      const [invited, activity] = [++causes, ++causes];
      const tries = Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : other));
      const invitations = await Promise.all(tries.map((id) => grant(id, 10, { causeId: invited })));
      expect(invitations.filter(Boolean)).toHaveLength(1);
      const kind = REWARD.activity;
      const activities = await Promise.all(tries.map((id) => grant(id, 10, { kind, causeId: activity })));
      expect(activities.filter(Boolean)).toHaveLength(2);
      const [first, second] = [await balances(one), await balances(other)];
      expect(Number(first?.aff_quota) + Number(second?.aff_quota)).toBe(10);
      expect([first?.activity_quota, second?.activity_quota]).toEqual([10, 10]);
    });

    test('fall with the transaction that caused them', async () => {
      const userId = await makeUser(db, 0);
      const undone = tx(async (t) => {
        await grantReward(t, { userId, kind: 1, amount: 10, ref: requestId(), causeId: ++causes });
        await transferRewards(t, { userId, amount: 4, ref: requestId() });
        throw new Error('the cause failed');
      });
      await expect(undone).rejects.toThrow('the cause failed');
      expect(await balances(userId)).toMatchObject({ quota: 0, aff_quota: 0, aff_history_quota: 0 });
      expect(await grant(userId, 10, { causeId: causes })).toBe(true);
    });

    test('are refused where nobody can own them, or nobody could count them', async () => {
      const userId = await makeUser(db, 0);
      for (const amount of [0, -1, 0.5, Number.NaN, QUOTA_MAX + 1]) {
        await expect(grant(userId, amount)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      }
      await expect(grant(999_999, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      expect(await grant(userId, QUOTA_MAX)).toBe(true);
      await expect(grant(userId, 1)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      await db.query('update users set deleted_at = 1 where id = $1', [userId]);
      await expect(grant(userId, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
      await expect(transfer(userId, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    test('are transferred exactly, those of invitations first, and told by the ledger', async () => {
      const userId = await makeUser(db, 5);
      await db.query('update users set quota = 2, reserved = 3 where id = $1', [userId]);
      await db.query(
        'insert into reservations (id, user_id, token_id, amount, owner, created_at) values ($1, $2, 0, 3, $3, 0)',
        [requestId(), userId, 'a'],
      );
      await grant(userId, 30);
      await grant(userId, 20, { kind: REWARD.activity });
      expect(await transfer(userId, 10)).toEqual({ quota: 15, affQuota: 20, activityQuota: 20 });
      expect(await transfer(userId, 25)).toEqual({ quota: 40, affQuota: 0, activityQuota: 15 });
      expect(await transfer(userId, 15)).toEqual({ quota: 55, affQuota: 0, activityQuota: 0 });
      expect(await balances(userId)).toMatchObject({
        quota: 52,
        aff_history_quota: 30,
        activity_history_quota: 20,
      });
      expect(
        await db.query('select delta from ledger where user_id = $1 and kind = 8 order by delta', [userId]),
      ).toEqual([{ delta: 10 }, { delta: 15 }, { delta: 25 }]);
      expect(
        await db.query(
          'select kind, amount from rewards where user_id = $1 and amount < 0 order by kind, amount',
          [userId],
        ),
      ).toEqual([
        { kind: 1, amount: -20 },
        { kind: 1, amount: -10 },
        { kind: 2, amount: -15 },
        { kind: 2, amount: -5 },
      ]);
    });

    test('are transferred no further than there are any, whoever races', async () => {
      const userId = await makeUser(db, 0);
      await grant(userId, 300);
      await grant(userId, 205, { kind: REWARD.activity });
      const ends = await Promise.allSettled(Array.from({ length: 100 }, () => transfer(userId, 10)));
      expect(ends.filter(({ status }) => status === 'fulfilled')).toHaveLength(50);
      for (const end of ends) {
        if (end.status === 'rejected') expect(end.reason).toMatchObject({ code: 'TRANSFER_SHORT' });
      }
      expect(await balances(userId)).toMatchObject({ quota: 500, aff_quota: 0, activity_quota: 5 });
    });

    test('are not transferred by half, by fractions, backwards, or beyond what a balance holds', async () => {
      const userId = await makeUser(db, QUOTA_MAX - 5);
      await grant(userId, 10);
      for (const amount of [0, -1, 0.5, Number.NaN, 11, 2 ** 60]) {
        await expect(transfer(userId, amount)).rejects.toMatchObject({ code: 'TRANSFER_SHORT' });
      }
      await expect(transfer(userId, 6)).rejects.toMatchObject({ code: 'QUOTA_RANGE' });
      expect(await transfer(userId, 5)).toMatchObject({ quota: QUOTA_MAX, affQuota: 5 });
      await expect(transfer(999_999, 1)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });
  });
}
