import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { makeUser } from '../../tests/support/accounts.ts';
import { openApi, type TestApi } from '../../tests/support/api.ts';
import { engines } from '../../tests/support/database.ts';
import { audit, noteLogsDeleted } from '../billing/audit.ts';
import { DAY_SEC, nowSec } from '../core/time.ts';
import { createLogger } from '../platform/logger.ts';
import { Metrics, prometheusText } from '../platform/metrics.ts';
import { dailyWork, startDaily } from './daily.ts';

const log = createLogger('error');

for (const engine of engines) {
  describe(`daily work on ${engine}`, () => {
    let api: TestApi;
    beforeAll(async () => {
      api = await openApi(engine);
    });
    afterAll(() => api.close());
    const aDayPasses = () => api.deps.db.query(`update leases set until = until - ${DAY_SEC}`);

    it('is done by one of several processes, and again a day later', async () => {
      let times = 0;
      const work = [{ name: 'count', run: async () => void times++ }];
      const processes = [1, 2, 3].map(() => startDaily({ ...api.deps, log }, work));
      const rounds = () => Promise.all(processes.map(({ round }) => round()));
      expect((await rounds()).flat()).toEqual(['count']);
      expect((await rounds()).flat()).toEqual([]);
      await aDayPasses();
      expect((await rounds()).flat()).toEqual(['count']);
      expect(times).toBe(2);
      for (const { stop } of processes) await stop();
      expect((await rounds()).flat()).toEqual([]);
    });

    it('that fails is due at once, and keeps no other work back', async () => {
      let faults = 1;
      const broken = async () => {
        if (faults-- > 0) throw new Error('not now');
      };
      const daily = startDaily({ ...api.deps, log }, [
        { name: 'broken', run: broken },
        { name: 'other', run: async () => undefined },
      ]);
      expect(await daily.round()).toEqual(['other']);
      expect(prometheusText([api.deps.metrics.snapshot()])).toContain(
        'tollgate_daily_failures_total{work="broken"} 1',
      );
      expect(await daily.round()).toEqual(['broken']);
      await daily.stop();
    });

    it('forgets sessions that are over', async () => {
      const { db } = api.deps;
      const userId = await makeUser(db, 0);
      const cookies = await Promise.all(
        [1, 2].map(() => api.deps.sessions.begin(userId, { ip: '', userAgent: '' })),
      );
      await db.query(
        `update sessions set seen_at = seen_at - ${31 * DAY_SEC} where id = (select min(id) from sessions)`,
      );
      await aDayPasses();
      const daily = startDaily({ ...api.deps, log }, dailyWork(api.deps));
      expect(await daily.round()).toContain('sessions');
      await daily.stop();
      const left = await db.query('select 1 from sessions where user_id = $1', [userId]);
      expect([cookies.length, left.length]).toEqual([2, 1]);
      await aDayPasses();
    });

    it('keeps the tokens of this month and the last', async () => {
      const { db } = api.deps;
      const months = [0, 20, 70, 400].map((days) => nowSec() - days * DAY_SEC);
      await db.query(
        `insert into usage_months (user_id, sold_name, month, tokens)
         select 1, n::text, month_begin(at), 1 from unnest($1::bigint[]) with ordinality as m(at, n)`,
        [`{${months.join()}}`],
      );
      await aDayPasses();
      const daily = startDaily({ ...api.deps, log }, dailyWork(api.deps));
      expect(await daily.round()).toContain('months');
      await daily.stop();
      const left = await db.query<{ name: string }>('select sold_name as name from usage_months order by 1');
      expect(left.map(({ name }) => name)).toEqual(['1', '2']);
      await db.query('delete from usage_months');
      await aDayPasses();
    });

    it('removes orders that nobody paid when no money can come for them any more', async () => {
      const { db } = api.deps;
      const order = async (status: string, ageDays: number) => {
        const tradeNo = `${status}${ageDays}`;
        const at = nowSec() - ageDays * DAY_SEC;
        await db.query(
          `insert into topups (trade_no, ref, user_id, provider, method, quota, money, currency, places, status,
             created_at, expires_at)
           values ($1, $2, 1, 'epay', 'alipay', 1, 1, 'CNY', 2, $3, $4::bigint, $4::bigint + 1800)`,
          [tradeNo, crypto.randomUUID(), status, at],
        );
        return tradeNo;
      };
      const old = [await order('expired', 91), await order('failed', 200)];
      const kept = [
        await order('expired', 89),
        await order('failed', 60),
        await order('pending', 91),
        await order('success', 400),
        await order('refunded', 400),
        await order('disputed', 400),
        await order('reinstated', 400),
      ];
      await aDayPasses();
      const daily = startDaily({ ...api.deps, log }, dailyWork(api.deps));
      expect(await daily.round()).toContain('unpaid');
      await daily.stop();
      const left = await db.query<{ trade_no: string }>('select trade_no from topups');
      const names = left.map(({ trade_no }) => trade_no);
      expect(names.filter((name) => old.includes(name))).toEqual([]);
      expect(names).toEqual(expect.arrayContaining(kept));
      await db.query('delete from topups');
      await aDayPasses();
    });

    it('makes the coming months of the log, and folds charges older than it', async () => {
      const { db, options } = api.deps;
      const userId = await makeUser(db, 1_000);
      const old = nowSec() - 400 * DAY_SEC;
      const charge = async (at: number) => {
        await db.query(
          `insert into ledger (ref, kind, user_id, delta, created_at) values ($1, 1, $2, -10, $3)`,
          [crypto.randomUUID(), userId, at],
        );
        // Of hours whose log is gone.
        await db.query(
          `insert into usage_hourly values (0, $1, 1, 1, 'gpt-4o', 'default', 1, 1, 1, 10)
           on conflict (hour, user_id, token_id, channel_id, model_name, group_name)
             do update set quota = usage_hourly.quota + 10`,
          [userId],
        );
      };
      for (const at of [old, old, nowSec()]) await charge(at);
      await db.query('update users set quota = 970, used_quota = 30 where id = $1', [userId]);
      await db.orm.transaction((tx) => noteLogsDeleted(tx, 1));
      const months = (
        await db.query<{ name: string }>(
          `select relname as name from pg_class where relname ~ '^logs_[0-9]{4}_[0-9]{2}$' order by relname`,
        )
      ).map(({ name }) => name);
      const last = months.at(-1);
      await db.query(`drop table ${last}`);

      const daily = startDaily({ db, log, metrics: new Metrics() }, dailyWork({ db, options }));
      expect(await daily.round()).toEqual([
        'partitions',
        'sessions',
        'oauth',
        'unpaid',
        'erased',
        'tokens',
        'gifts',
        'quarters',
        'months',
        'logs',
        'usage',
        'tasks',
        'fold',
      ]);
      const charges = await db.query<{ delta: number }>(
        'select delta from ledger where user_id = $1 and kind = 1 order by created_at',
        [userId],
      );
      expect(charges.map(({ delta }) => delta)).toEqual([-20, -10]);
      expect(await db.query('select 1 from pg_class where relname = $1', [last ?? ''])).toHaveLength(1);
      expect((await audit(db)).findings).toEqual([]);

      await options.set({ 'log.retention_days': '0' });
      await charge(old);
      await db.query('update users set quota = 960, used_quota = 40 where id = $1', [userId]);
      await aDayPasses();
      expect(await daily.round()).toContain('fold');
      expect(await db.query('select 1 from ledger where user_id = $1 and kind = 1', [userId])).toHaveLength(
        3,
      );
      await daily.stop();
    });
  });
}
