import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { holdOf, makeChannel, makeToken, makeUser, settlementOf } from '../../tests/support/accounts.ts';
import { engines, freshDatabase, tempFolder } from '../../tests/support/database.ts';
import { requestId } from '../core/ids.ts';
import { HOUR_SEC, nowSec } from '../core/time.ts';
import type { Database } from '../db/client.ts';
import { audit, auditText, noteLogsDeleted } from './audit.ts';
import { askForAudit, serveAudit } from './audit-socket.ts';
import { adjustQuota, MOVEMENT, takeBack } from './ledger.ts';
import { grantReward, REWARD, reinstateReward, takeBackReward, transferRewards } from './rewards.ts';
import { orphanAll, reserveAll, settleAll } from './statements.ts';

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
      await orphanAll(db, ['dead']);
      await settleAll(db, [settlementOf(await call('a', 100), 5_000, { channelId })]);
      await db.query('update users set quota = quota + 500 where id = $1', [userId]);
      await db.query('insert into ledger values ($1, 2, $2, 500, $3, null)', [paid, userId, nowSec()]);
      await addOrder(userId, paid, 500);
      await db.query('update tokens set remain_quota = 500 where id = $1', [tokenId]);
      open = await call('a', 200);
    });
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

    test('finds a code that is used and was not credited, and a credit without a code', async () => {
      const ref = requestId();
      const off = (n: number) => [{ check: 'codes redeemed = codes used', off: n }];
      await db.script(`
        insert into redemptions (ref, name, code_lookup, code_sealed, code_hint, status, quota, created_by, used_user_id)
          values ('${ref}', 'a', '${ref}', '', '', 3, 40, 1, ${userId});
        insert into ledger values ('${ref}', 3, ${userId}, 40, 0, null);
        update users set quota = quota + 40 where id = ${userId}`);
      const row = `update redemptions set status = %s where ref = '${ref}'`;
      // What is removed was used all the same.
      await db.script(`update redemptions set deleted_at = 1 where ref = '${ref}'`);
      expect(await planted(row.replace('%s', '1'), row.replace('%s', '3'))).toEqual(off(40));
      const worth = (quota: number) => `update redemptions set quota = ${quota} where ref = '${ref}'`;
      expect(await planted(worth(41), worth(40))).toEqual(off(-1));
      const by = (user: number) => `update redemptions set used_user_id = ${user} where ref = '${ref}'`;
      expect(await planted(by(999_999), by(userId))).toEqual([...off(40), ...off(-40)]);
    });

    test('finds a gift to an invited user that no invitation knows, and one that was noted and not given', async () => {
      const ref = requestId();
      const off = (n: number) => [{ check: 'gifts to invited users = invitations', off: n }];
      await db.script(`
        insert into invitations
          (invitee_id, inviter_id, ref, trigger, inviter_quota, invitee_quota, invitee_paid, created_at, paid_at)
          values (${userId}, ${userId - 1}, '${ref}', 'register', 0, 9, 9, 0, 0);
        insert into ledger values ('${ref}', 5, ${userId}, 9, 0, null);
        update users set quota = quota + 9 where id = ${userId}`);
      const paid = (quota: number) => `update invitations set invitee_paid = ${quota} where ref = '${ref}'`;
      expect(await planted(paid(0), paid(9))).toEqual(off(9));
      expect(await planted(paid(8), paid(9))).toEqual(off(1));
      const other = requestId();
      expect(
        await planted(
          `update invitations set ref = '${other}' where ref = '${ref}'`,
          `update invitations set ref = '${ref}' where ref = '${other}'`,
        ),
      ).toEqual(expect.arrayContaining([...off(9), ...off(-9)]));
    });

    test('finds fuel packs that were noted and not given, and given and not noted', async () => {
      const [first, last] = [requestId(), requestId()];
      await db.script(`
        insert into fuel_packs (user_id, ref, claimed_at, network, total_quota) values (${userId}, '${last}', 0, '', 50);
        insert into ledger values ('${first}', 7, ${userId}, 20, 0, null), ('${last}', 7, ${userId}, 30, 1, null);
        update users set quota = quota + 50 where id = ${userId}`);
      const total = (quota: number) =>
        `update fuel_packs set total_quota = ${quota} where user_id = ${userId}`;
      expect(await planted(total(80), total(50))).toEqual([{ check: 'fuel packs = ledger', off: 30 }]);
      const ref = (text: string) => `update fuel_packs set ref = '${text}' where user_id = ${userId}`;
      expect(await planted(ref(requestId()), ref(last))).toEqual([
        { check: 'last fuel pack = ledger', off: -1 },
      ]);
      const owner = (from: number, to: number) =>
        `update fuel_packs set user_id = ${to} where user_id = ${from}`;
      expect(await planted(owner(userId, 999_999), owner(999_999, userId))).toEqual([
        { check: 'fuel packs = ledger', off: -50 },
        { check: 'fuel packs = ledger', off: 50 },
        { check: 'last fuel pack = ledger', off: -1 },
      ]);
    });

    test('finds a wrong used_quota', async () => {
      expect(
        await planted(
          'update users set used_quota = used_quota + 2',
          'update users set used_quota = used_quota - 2',
        ),
      ).toEqual([{ check: 'used_quota = charges - refunds', off: 2 }]);
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

    test('finds cached tokens, first words and failed calls that the figures tell otherwise than the rows', async () => {
      const hour = nowSec() - (nowSec() % HOUR_SEC);
      const hold = holdOf(userId, await makeToken(db, userId), 10);
      await reserveAll(db, [{ ...hold, extends: false }], 'a');
      const other = { cache_tokens: 5, frt: 340 };
      await settleAll(db, [settlementOf(hold.id, 3, { modelName: 'read', other, at: hour })]);
      const refused = `insert into logs (created_at, user_id, type, group_name, content, other) values (${hour}, ${userId}, 6,
        'default', 'planted', '{"error":"no_channel"}')`;
      await db.script(
        `insert into failures_hourly values (${hour}, ${userId}, -1, 0, '', 'default', 'no_channel', 2); ${refused}`,
      );
      expect((await audit(db)).findings).toEqual([]);
      const off = (n: number) => [{ check: 'readings of usage_hourly = logs', off: n }];
      for (const [column, by] of Object.entries({ cached_tokens: 1, first_ms: -40, first_calls: 1 })) {
        const change = (sign: number) =>
          `update usage_hourly set ${column} = ${column} + ${sign * by} where model_name = 'read'`;
        expect([column, await planted(change(1), change(-1))]).toEqual([column, off(by)]);
      }
      const counted = (calls: number) =>
        `update failures_hourly set calls = ${calls} where code = 'no_channel'`;
      expect(await planted(counted(0), counted(2))).toEqual([{ check: 'failures_hourly >= logs', off: -1 }]);
      const code = (from: string, to: string) =>
        `update failures_hourly set code = '${to}' where code = '${from}'`;
      expect(await planted(code('no_channel', 'busy'), code('busy', 'no_channel'))).toEqual([
        { check: 'failures_hourly >= logs', off: -1 },
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

    test('finds a reward that was taken back with no payment, beyond its grant, or not given back', async () => {
      const [grantRef, orderRef, taking, winning] = [requestId(), requestId(), requestId(), requestId()];
      const guest = userId + 2;
      const grant = { userId, kind: REWARD.invitation, amount: 90, ref: grantRef, causeId: guest };
      await db.orm.transaction((tx) => grantReward(tx, grant));
      await db.script(`
        insert into invitations (invitee_id, inviter_id, ref, trigger, inviter_quota, invitee_quota, inviter_paid,
          created_at, paid_at, paid_by)
        values (${guest}, ${userId}, '${grantRef}', 'first_topup', 90, 0, 90, 0, 0, '${orderRef}');
        insert into topups (trade_no, ref, user_id, provider, method, quota, money, full_money, currency, places, code,
          created_at, expires_at)
        values ('taken', '${orderRef}', ${guest}, 'epay', 'alipay', 9, 9, 9, 'CNY', 2, '', 0, 0);
        insert into topup_reversals (ref, topup_id, kind, cause, told, money, quota)
        select '${taking}', id, 'dispute', 'dp', 9, 9, 0 from topups where trade_no = 'taken'`);
      const take = { userId, grantRef, ref: taking, amount: 30 };
      expect(await db.orm.transaction((tx) => takeBackReward(tx, take))).toBe(30);
      expect((await audit(db)).findings).toEqual([]);
      const own = `ref = '${taking}'`;
      const balance = (delta: number) =>
        `update users set aff_quota = aff_quota + ${delta} where id = ${userId}`;
      expect(
        await planted(
          `update rewards set ref = '${winning}' where ${own}`,
          `update rewards set ref = '${taking}' where ref = '${winning}'`,
        ),
      ).toEqual([{ check: 'rewards taken back = payments taken back', off: -30 }]);
      expect(
        await planted(
          `update rewards set amount = -91 where ${own}; ${balance(-61)}`,
          `update rewards set amount = -30 where ${own}; ${balance(61)}`,
        ),
      ).toEqual([
        { check: 'rewards taken back within their grant', off: 1 },
        { check: 'rewards taken back within their share', off: 1 },
      ]);
      await db.script(`
        insert into topup_reversals (ref, topup_id, kind, cause, told, money, quota)
        select '${winning}', id, 'won', 'dp', 0, 9, 0 from topups where trade_no = 'taken'`);
      expect((await audit(db)).findings).toMatchObject([
        { check: 'rewards taken back within their share', expected: 0, found: 30 },
      ]);
      const give = { userId, grantRef, ref: winning, amount: 30 };
      await db.orm.transaction((tx) => reinstateReward(tx, give));
      expect((await audit(db)).findings).toEqual([]);
      await expect(db.orm.transaction((tx) => reinstateReward(tx, give))).rejects.toThrow();
      await expect(db.orm.transaction((tx) => takeBackReward(tx, take))).rejects.toThrow();
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
      const reversal = `insert into topup_reversals (ref, topup_id, kind, told, money, quota)
        select '${undone}', id, 'refund', 100, 100, 900 from topups where ref = '${ref}'`;
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
