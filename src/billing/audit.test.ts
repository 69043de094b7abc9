import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdOf, makeChannel, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase, tempFolder } from '../../tests/support/database.ts';
import { requestId } from '../core/ids.ts';
import { HOUR_SEC, nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { audit, auditText, noteLogsDeleted } from './audit.ts';
import { askForAudit, serveAudit } from './audit-socket.ts';
import { adjustQuota, MOVEMENT, takeBack } from './ledger.ts';
import { grantReward, REWARD, transferRewards } from './rewards.ts';
import { orphanSome, reserveAll, settleAll } from './statements.ts';

for (const engine of engines) {
  describe(`the audit on ${engine}`, () => {
    let db: Database;
    let userId: number;
    let open: string;
    let orphan: string;
    const paid = requestId();
    const addOrder = (user: number, ref: string, quota: number) =>
      db.query(
        `insert into topups (trade_no, ref, user_id, provider, method, quota, money, currency, places, status, expires_at)
         values ($1::text, $1::text::uuid, $2, 'epay', 'alipay', $3, 100, 'CNY', 2, 'success', 0)`,
        [ref, user, quota],
      );

    /** A user with a settled, an open, an orphaned and an overdrawn call. */
    beforeAll(async () => {
      db = await freshDatabase(engine);
      userId = await makeUser(db, 1_000);
      const tokenId = await makeToken(db, userId, 900);
      const channelId = await makeChannel(db);
      const call = async (owner: string, amount: number) => {
        const hold = holdOf(userId, tokenId, amount);
        await reserveAll(db, [{ ...hold, extends: false }], owner);
        return hold.id;
      };
      await settleAll(db, [settlementOf(await call('a', 100), 60, { channelId })]);
      orphan = await call('dead', 10);
      await orphanSome(db, ['dead']);
      await settleAll(db, [settlementOf(await call('a', 100), 5_000, { channelId })]);
      await db.query('update users set quota = quota + 500 where id = $1', [userId]);
      await db.query('insert into ledger values ($1, 2, $2, 500, $3, null)', [paid, userId, nowSec()]);
      await addOrder(userId, paid, 500);
      await db.query('update tokens set remain_quota = 500 where id = $1', [tokenId]);
      open = await call('a', 200);
    }, 60_000);
    afterAll(() => db.close());

    test('finds nothing wrong after every kind of end, and lists orphans and write-offs', async () => {
      const report = await audit(db);
      expect(report).toMatchObject({ findings: [], users: 1, openReservations: 1 });
      expect(report.orphans).toMatchObject([{ id: orphan, user_id: userId }]);
      expect(report.writeOffs).toMatchObject([{ user_id: userId, quota: 4_060 }]);
      expect(auditText(report)).toContain('Every unit is accounted for.');
    });

    /** Breaks something, sees what the audit says, mends it. */
    const planted = async (breaking: string, mending: string) => {
      await db.script(breaking);
      const { findings } = await audit(db);
      await db.script(mending);
      expect((await audit(db)).findings).toEqual([]);
      return findings.map(({ check, expected, found }) => ({ check, off: found - expected }));
    };

    test('finds a balance that moved without a ledger row', async () => {
      expect(
        await planted('update users set quota = quota + 7', 'update users set quota = quota - 7'),
      ).toEqual([{ check: 'quota + reserved = ledger', off: 7 }]);
    });

    test('finds a ledger row of a user that is not there', async () => {
      const ref = requestId();
      expect(
        await planted(
          `insert into ledger values ('${ref}', 4, 999999, 3, 0, null)`,
          `delete from ledger where ref = '${ref}'`,
        ),
      ).toEqual([{ check: 'quota + reserved = ledger', off: -3 }]);
    });

    test('finds a reservation that holds something else than the user’s row says', async () => {
      expect(
        await planted(
          `update reservations set amount = amount - 1 where id = '${open}'`,
          `update reservations set amount = amount + 1 where id = '${open}'`,
        ),
      ).toEqual([{ check: 'reserved = open reservations', off: 1 }]);
    });

    test('finds an order that is paid and was not credited, and a credit that nobody paid for', async () => {
      const off = (n: number) => [{ check: 'top-ups = paid orders', off: n }];
      expect(
        await planted(
          `update topups set status = 'pending' where ref = '${paid}'`,
          `update topups set status = 'success' where ref = '${paid}'`,
        ),
      ).toEqual(off(500));
      expect(
        await planted(
          `update topups set quota = 501 where ref = '${paid}'`,
          `update topups set quota = 500 where ref = '${paid}'`,
        ),
      ).toEqual(off(-1));
      // The same quota for somebody else: one is missing, one is too many.
      expect(
        await planted(
          `update topups set user_id = 999999 where ref = '${paid}'`,
          `update topups set user_id = ${userId} where ref = '${paid}'`,
        ),
      ).toEqual([...off(500), ...off(-500)]);
    });

    test('finds a wrong used_quota', async () => {
      expect(
        await planted(
          'update users set used_quota = used_quota + 2',
          'update users set used_quota = used_quota - 2',
        ),
      ).toEqual([{ check: 'used_quota = charges', off: 2 }]);
    });

    test('finds a log row that the hourly figures do not know, and the other way round', async () => {
      const row = `insert into logs (created_at, user_id, type, quota, prompt_tokens, content) values (${nowSec()}, ${userId}, 2, 9, 8, 'planted')`;
      expect(await planted(row, "delete from logs where content = 'planted'")).toEqual([
        { check: 'usage_hourly.calls = logs', off: -1 },
        { check: 'usage_hourly.quota = logs', off: -9 },
        { check: 'usage_hourly.prompt_tokens = logs', off: -8 },
      ]);
      expect(
        await planted(
          'update usage_hourly set quota = quota + 1',
          'update usage_hourly set quota = quota - 1',
        ),
      ).toEqual([
        { check: 'charges = usage_hourly', off: 1 },
        { check: 'usage_hourly.quota = logs', off: 1 },
      ]);
    });

    test('compares hours with the log from where log rows were deleted', async () => {
      const old = 1_000 * HOUR_SEC;
      await db.query("insert into usage_hourly values ($1, $2, 1, 1, 'gpt-4o', 'default', 1, 2, 3, 4)", [
        old,
        userId,
      ]);
      await db.query('insert into ledger values ($1, 1, $2, -4, $3, null)', [requestId(), userId, old]);
      await db.query('update users set quota = quota - 4, used_quota = used_quota + 4 where id = $1', [
        userId,
      ]);
      expect((await audit(db)).findings).toHaveLength(4);
      await db.orm.transaction((tx) => noteLogsDeleted(tx, old + 1));
      await db.orm.transaction((tx) => noteLogsDeleted(tx, old - 10 * HOUR_SEC));
      expect((await audit(db)).findings).toEqual([]);
    });

    test('finds a reward that waits without a row, and a transfer that is on one side only', async () => {
      const grant = { userId, kind: REWARD.invitation, amount: 90, ref: requestId(), causeId: userId + 1 };
      const transfer = { userId, amount: 40, ref: requestId() };
      await db.orm.transaction((tx) => grantReward(tx, grant));
      await db.orm.transaction((tx) => transferRewards(tx, transfer));
      expect((await audit(db)).findings).toEqual([]);
      expect(
        await planted(
          'update users set aff_quota = aff_quota + 5',
          'update users set aff_quota = aff_quota - 5',
        ),
      ).toEqual([{ check: 'aff_quota = rewards - transfers', off: 5 }]);
      expect(
        await planted('update users set activity_quota = 3', 'update users set activity_quota = 0'),
      ).toEqual([{ check: 'activity_quota = rewards - transfers', off: 3 }]);
      expect(
        await planted('update users set aff_history_quota = 80', 'update users set aff_history_quota = 90'),
      ).toEqual([{ check: 'aff_history_quota = rewards', off: -10 }]);
      expect(
        await planted(
          `update rewards set ref = '${requestId()}' where ref = '${transfer.ref}'`,
          `update rewards set ref = '${transfer.ref}' where amount < 0`,
        ),
      ).toEqual([
        { check: 'transfers of rewards = ledger', off: 40 },
        { check: 'transfers of rewards = ledger', off: -40 },
      ]);
    });

    test('is answered by a running server through its socket', async () => {
      const folder = await tempFolder();
      const stop = await serveAudit(db, folder);
      expect(await askForAudit(folder)).toEqual(await audit(db));
      await stop();
      await expect(askForAudit(folder)).rejects.toThrow();
    });

    test('counts and charges what is not to be logged, and does not miss it in the log', async () => {
      const before = await db.query('select count(*)::int as n from logs');
      const hold = holdOf(userId, await makeToken(db, userId), 40);
      await reserveAll(db, [{ ...hold, extends: false }], 'a');
      const settled = await settleAll(db, [settlementOf(hold.id, 30, { unlogged: true })]);
      expect(settled.get(hold.id)).toMatchObject({ paid: 30 });
      expect(await db.query('select count(*)::int as n from logs')).toEqual(before);
      expect(await db.query('select delta from ledger where ref = $1', [hold.id])).toEqual([{ delta: -30 }]);
      expect((await audit(db)).findings).toEqual([]);
      // A row that is missing though it was to be written is missed all the same.
      await db.query('update usage_unlogged set calls = calls + 1');
      expect((await audit(db)).findings).toMatchObject([{ check: 'usage_hourly.calls = logs' }]);
      await db.query('update usage_unlogged set calls = calls - 1');
    });

    test('finds a payment that was taken back and of which something stayed', async () => {
      const [user, ref, undone] = [await makeUser(db, 0), requestId(), requestId()];
      await addOrder(user, ref, 900);
      const tx = db.orm.transaction.bind(db.orm);
      await tx((t) => adjustQuota(t, { userId: user, kind: MOVEMENT.topUp, ref, delta: 900 }));
      await db.query('update users set quota = quota - 300 where id = $1', [user]);
      await db.query('insert into ledger values ($1, 9, $2, -300, $3, null)', [requestId(), user, nowSec()]);
      expect(await tx((t) => takeBack(t, { userId: user, ref: undone, amount: 900 }))).toEqual({
        taken: 600,
        writtenOff: 300,
      });
      const reversal = `insert into topup_reversals (ref, topup_id, kind, money, quota)
        select '${undone}', id, 'refund', 100, 900 from topups where ref = '${ref}'`;
      const check = 'taken back + written off = payments taken back';
      expect(await planted('select 1', reversal)).toEqual([{ check, off: 600 }]);
      expect(
        await planted(
          `update ledger set note = '299' where ref = '${undone}' and kind = 10`,
          `update ledger set note = '300' where ref = '${undone}' and kind = 10`,
        ),
      ).toEqual([{ check, off: -1 }]);
    });
  });
}
