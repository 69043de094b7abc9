import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { callEngines, freshDatabase } from '../../../tests/support/database.ts';
import { limits } from '../../core/limits.ts';
import { LOG_TYPE } from '../../core/log-types.ts';
import { HOUR_SEC } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { foldUsage } from '../usage/fold.ts';
import type { LogFilter } from './filter.ts';
import { countPaged, readPage, readRows } from './list.ts';
import { countLogs, mostLooked, outcomesOf, spans, sumLogs, sumUsage } from './totals.ts';

const START = 1_700_000_000;
/** More than three parts of days, of which the first and the last are not whole. */
const HOURS = 30;

/** Rows over some hours, their hourly figures, and hours of figures whose rows retention took away. */
async function fill(db: Database): Promise<void> {
  await db.query(`insert into logs (created_at, user_id, token_id, channel_id, type, token_name, model_name, group_name, quota, prompt_tokens, completion_tokens)
    select ${START} + (i * 7919) % ${HOURS * HOUR_SEC}, i % 3, i % 4, i % 2, case when i % 5 = 0 then 4 else 2 end, 't' || (i % 2),
      'm' || (i % 3), case when i % 2 = 0 then 'default' else 'vip' end, i, i % 11, i % 7
    from generate_series(1, 600) i`);
  await db.query(`insert into usage_hourly
    select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*),
      sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint
    from logs where type = 2 group by 1, 2, 3, 4, 5, 6`);
  await db.query(
    `insert into usage_hourly values (${START - 90 * HOUR_SEC}, 0, 0, 0, 'm0', 'default', 1000, 1, 1, 1)`,
  );
}

const time = fc.integer({ min: START - HOUR_SEC, max: START + (HOURS + 1) * HOUR_SEC });
const filters: fc.Arbitrary<LogFilter> = fc.record(
  {
    ownerId: fc.constantFrom(0, 1, 2, 9),
    tokenIds: fc.constantFrom([0], [3], [1, 2], []),
    modelName: fc.constantFrom('m1', '"m1"', 'm', '%2', 'x'),
    group: fc.constantFrom('default', 'vip'),
    channelId: fc.constantFrom(0, 1),
    from: time,
    to: time,
  },
  { requiredKeys: [] },
);

/** What a filter asks for, said once more. */
const condition = (filter: LogFilter): string =>
  [
    filter.type === undefined ? 'type <> 7' : `type = ${filter.type}`,
    filter.ownerId === undefined ? '' : `user_id = ${filter.ownerId}`,
    filter.tokenIds === undefined ? '' : `token_id = any('{${filter.tokenIds}}')`,
    filter.tokenName ? `token_name = '${filter.tokenName}'` : '',
    filter.modelName?.startsWith('"')
      ? `model_name = '${filter.modelName.slice(1, -1)}'`
      : filter.modelName && `model_name like '%${filter.modelName}%'`,
    filter.group ? `group_name = '${filter.group}'` : '',
    filter.channelId === undefined ? '' : `channel_id = ${filter.channelId}`,
    filter.from === undefined ? '' : `created_at >= ${filter.from}`,
    filter.to === undefined ? '' : `created_at <= ${filter.to}`,
  ]
    .filter(Boolean)
    .join(' and ');

describe.each(callEngines)('totals, on %s', (engine) => {
  let db: Database;
  const part = engine === 'pglite' ? limits.embeddedLooks : 1;
  const cap = limits.countCap * part;
  beforeAll(async () => {
    db = await freshDatabase(engine);
    await fill(db);
  });
  afterAll(() => db.close());

  test.each(['hourly', 'folded'])(
    'the %s figures and the rows at both ends say what the rows alone say',
    async (kind) => {
      if (kind === 'folded') expect(await foldUsage(db)).toBeGreaterThan(3);
      await fc.assert(
        fc.asyncProperty(filters, async (given) => {
          const filter = { ...given, type: LOG_TYPE.consumption };
          const [expected] = await db.query<{ calls: number; quota: number; tokens: number }>(`
          select count(*)::bigint as calls, coalesce(sum(quota), 0)::bigint as quota,
            coalesce(sum(prompt_tokens + completion_tokens), 0)::bigint as tokens
          from logs where ${condition(filter)}`);
          const { sums, count } = await db.orm.transaction(async (tx) => ({
            sums: await sumLogs(tx, filter),
            count: await countLogs(tx, filter),
          }));
          expect(sums).toEqual({ ...(expected ?? { calls: -1, quota: -1, tokens: -1 }), looked: null });
          expect(count).toEqual({ total: sums.calls, looked: null });
        }),
        { numRuns: 150 },
      );
    },
  );

  test('a page has its rows in their order, and says how many all pages have', () =>
    fc.assert(
      fc.asyncProperty(
        filters,
        fc.record(
          { type: fc.constantFrom(2, 4, 6), tokenName: fc.constantFrom('t0', 't1', 'x') },
          { requiredKeys: [] },
        ),
        fc.record({ limit: fc.integer({ min: 1, max: 200 }), offset: fc.integer({ min: 0, max: 300 }) }),
        fc.constantFrom(undefined, 'cost', '-input'),
        async (given, more, { limit, offset }, sort) => {
          const filter = { ...given, ...more };
          const order = {
            newest: 'created_at desc, id desc',
            cost: 'quota, id',
            '-input': 'prompt_tokens desc, id desc',
          }[sort ?? 'newest'];
          const rows = await db.query<{ id: number }>(
            `select id from logs where ${condition(filter)} order by ${order}`,
          );
          const page = await db.orm.transaction((tx) => readPage(tx, filter, { limit, offset, sort }));
          expect(page.rows.map(({ id }) => id)).toEqual(
            rows.slice(offset, offset + limit).map(({ id }) => id),
          );
          expect(page).toMatchObject({ total: rows.length, looked: null });
        },
      ),
      { numRuns: 100 },
    ));

  test('of two things at once the newest hourly figures are summed, up to a bound that is told', async () => {
    const filter = { type: LOG_TYPE.consumption, channelId: 1, group: 'vip' };
    const sum = (more: LogFilter, most: number) =>
      db.orm.transaction((tx) => sumUsage(tx, { ...filter, ...more }, { hours: most }));
    const [{ n } = { n: 0 }] = await db.query<{ n: number }>(
      'select count(*)::bigint as n from usage_hourly',
    );
    const all = await sum({}, n);
    expect(all.looked).toBeNull();
    const half = Math.floor(n / 2);
    // The fewest are less than one hour has.
    for (const most of [1, 2, half]) {
      const some = await sum({}, most);
      // Whole hours of them: what is left of an hour would stand in neither view.
      const [{ back_to } = { back_to: 0 }] = await db.query<{ back_to: number }>(
        `select hour + ${HOUR_SEC} as back_to from usage_hourly order by hour desc limit 1 offset ${most}`,
      );
      expect(some.looked).toEqual({ rows: most, back_to });
      expect(some.calls).toBeWithin(most === half ? 1 : 0, all.calls);
      const older = await sum({ to: back_to - 1 }, n);
      expect(some.calls + older.calls).toBe(all.calls);
      expect(some.quota + older.quota).toBe(all.quota);
    }
    // A bound for each user: others' figures are not looked at.
    expect(await sum({ ownerId: 1 }, half)).toEqual(await sum({ ownerId: 1 }, n));
  });

  test('what the hourly figures do not know is counted up to the bound', async () => {
    const count = (filter: LogFilter) => db.orm.transaction((tx) => countLogs(tx, filter));
    expect(await count({})).toEqual({ total: 600, looked: null });
    expect(await count({ type: LOG_TYPE.system })).toEqual({ total: 120, looked: null });
    await db.query(`insert into logs (created_at, user_id, type)
      select ${START}, 77, 3 from generate_series(1, ${cap + 1})`);
    expect(await count({ ownerId: 77 })).toEqual({ total: cap, looked: { rows: cap, back_to: START } });
    await db.query('delete from logs where id = (select max(id) from logs)');
    expect(await count({ ownerId: 77 })).toEqual({ total: cap, looked: null });
  });

  test.each<[LogFilter, number]>([
    [{ ownerId: 1, status: 502 }, limits.scatteredCap],
    [{ ownerId: 1, description: 'x' }, limits.scatteredCap],
    [{ ownerId: 1, appId: 4 }, limits.scatteredCap],
    [{ username: 'una', appId: 4 }, limits.scatteredCap],
    [{ ownerId: 1 }, limits.countCap],
    [{ appId: 4 }, limits.countCap],
  ])('looks at fewer rows where those of one user are sought by what is in whole rows: %j', (filter, most) =>
    db.orm.transaction(async (tx) => {
      expect(mostLooked(tx, filter)).toBe(most * part);
    }),
  );

  test('a part of a name of a model is found in any letters, and what is asked for is no pattern', async () => {
    await db.query(`insert into logs (created_at, user_id, type, model_name)
      values (${START}, 76, 3, 'Err_R_1'), (${START}, 76, 3, 'err-r-2')`);
    const named = (modelName: string) =>
      db.orm.transaction(async (tx) => (await countLogs(tx, { ownerId: 76, modelName })).total);
    expect(await named('ERR')).toBe(2);
    expect(await named('%eRR%')).toBe(2);
    expect(await named('_1')).toBe(1);
    expect(await named('%R_%')).toBe(1);
    expect(await named('%er%2')).toBe(1);
    expect(await named('err%1')).toBe(1);
  });

  test('what the hourly figures do not know is summed up to a bound, the newest of it', async () => {
    const sum = (filter: LogFilter) => db.orm.transaction((tx) => sumLogs(tx, filter));
    await db.query(`insert into logs (created_at, user_id, type, quota, prompt_tokens, completion_tokens)
      select ${START} + i, 78, 4, 1, 2, 3 from generate_series(1, ${cap}) i`);
    const all = { calls: cap, quota: cap, tokens: 5 * cap, looked: null };
    expect(await sum({ ownerId: 78 })).toEqual(all);
    await db.query(
      `insert into logs (created_at, user_id, type, quota) values (${START - 9}, 78, 4, 1000000)`,
    );
    expect(await sum({ ownerId: 78 })).toEqual({ ...all, looked: { rows: cap, back_to: START - 9 } });
    // A newer one pushes the oldest of them out.
    await db.query(
      `insert into logs (created_at, user_id, type, quota) values (${START + 2 * cap}, 78, 4, 50)`,
    );
    const newest = { ...all, quota: cap + 49, tokens: 5 * (cap - 1) };
    expect(await sum({ ownerId: 78, type: 4 })).toEqual({
      ...newest,
      looked: { rows: cap, back_to: START + 1 },
    });
    expect(await sum({ ownerId: 78, from: START + cap })).toMatchObject({
      calls: 2,
      quota: 51,
      looked: null,
    });
  });

  describe('of more rows than are looked at', () => {
    const MOST = 10;
    const OWNER = 79;
    const old = { request: crypto.randomUUID(), at: START - 5_000 };
    const looked = { rows: MOST, back_to: old.at };
    const inOne = <T>(run: (tx: Tx) => Promise<T>): Promise<T> => db.orm.transaction(run);
    const page = (filter: LogFilter, offset = 0) =>
      inOne((tx) => readRows(tx, { ownerId: OWNER, ...filter }, { limit: 100, offset }, MOST));
    beforeAll(async () => {
      await db.query(`insert into logs (created_at, user_id, type, token_name, model_name, request_id, quota)
        values (${old.at}, ${OWNER}, 2, 'lost', 'zz-1', '${old.request}', 5)`);
      await db.query(`insert into logs (created_at, user_id, type, token_name, model_name, quota)
        select ${START} + i, ${OWNER}, 2, 'kept', 'm1', 1 from generate_series(1, ${MOST}) i`);
      await db.query(`insert into usage_hourly
        select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*), 0, 0,
          sum(quota)::bigint
        from logs where user_id = ${OWNER} group by 1, 2, 3, 4, 5, 6`);
    });

    test.each<LogFilter>([{ tokenName: 'lost' }, { type: 2, tokenName: 'lost' }, { modelName: '%zz%' }])(
      'what only an older one has is not looked for: %p',
      async (given) => {
        const filter = { ownerId: OWNER, ...given };
        expect(await inOne((tx) => countLogs(tx, filter, MOST))).toEqual({ total: 0, looked });
        expect(await inOne((tx) => sumLogs(tx, filter, MOST))).toEqual({
          calls: 0,
          quota: 0,
          tokens: 0,
          looked,
        });
        expect(await page(given)).toEqual([]);
      },
    );

    test('pieces of hours are looked at up to the bound, the newest first', async () => {
      const sum = (filter: LogFilter) =>
        inOne((tx) => sumLogs(tx, { ownerId: OWNER, type: 2, ...filter }, MOST - 1));
      const some = { calls: MOST - 1, quota: MOST - 1, tokens: 0 };
      const back = { rows: MOST - 1, back_to: START + 1 };
      // Within an hour.
      expect(await sum({ from: START, to: START + MOST })).toEqual({ ...some, looked: back });
      expect(await sum({ from: START + 2, to: START + MOST })).toEqual({ ...some, looked: null });
      // Whole hours behind it are older than what was looked at.
      expect(await sum({ to: START + MOST })).toEqual({ ...some, looked: back });
      // The piece at the beginning, and whole hours before it, which are newer.
      expect(await sum({ from: START })).toEqual({ ...some, looked: back });
      expect(await sum({ from: START - HOUR_SEC })).toMatchObject({ calls: MOST, looked: null });
      const asked = { ownerId: OWNER, type: 2, from: START, to: START + MOST };
      expect(await inOne((tx) => countLogs(tx, asked, MOST - 1))).toEqual({ total: MOST - 1, looked: back });
    });

    test('a time or a request leads to it', async () => {
      for (const given of [{ tokenName: 'lost', to: old.at }, { requestId: old.request }]) {
        const filter = { ownerId: OWNER, ...given };
        expect(await page(given)).toMatchObject([{ created_at: old.at }]);
        expect(await inOne((tx) => countLogs(tx, filter, MOST))).toEqual({ total: 1, looked: null });
        expect(await inOne((tx) => sumLogs(tx, filter, MOST))).toMatchObject({ quota: 5, looked: null });
      }
    });

    test('what became of a call that has its row is known, whatever others have none', async () => {
      await db.query(`insert into failures_hourly values
        (${START - (START % HOUR_SEC)}, ${OWNER}, 0, 0, '', 'default', 'flood', 5)`);
      const outcomes = (filter: LogFilter, charged: number) =>
        inOne((tx) => outcomesOf(tx, { ownerId: OWNER, ...filter }, charged, MOST));
      expect(await outcomes({ requestId: old.request }, 1)).toEqual({
        failed: 0,
        success: { calls: 1, failed: 0, of_hours: false },
      });
      expect(await outcomes({ requestId: crypto.randomUUID() }, 0)).toEqual({ failed: null, success: null });
      expect(await outcomes({ tokenName: 'lost', to: START }, 1)).toEqual({ failed: null, success: null });
    });

    test('pages end with the newest, also where the hourly figures know of more', async () => {
      const counted = (filter: LogFilter) =>
        inOne((tx) => countPaged(tx, { ownerId: OWNER, ...filter }, MOST));
      for (const filter of [{}, { type: 2 }]) {
        expect(await page(filter)).toHaveLength(MOST);
        expect(await page(filter, MOST)).toEqual([]);
        expect(
          await inOne((tx) => readPage(tx, { ownerId: OWNER, ...filter }, { limit: 100, offset: 0 }, MOST)),
        ).toMatchObject({ total: MOST, looked });
        expect(await counted(filter)).toEqual({ total: MOST, looked });
      }
      expect(await counted({ type: 2, modelName: 'zz' })).toEqual({ total: 0, looked });
      expect(await counted({ type: 2, from: START })).toEqual({ total: MOST, looked: null });
      expect(await inOne((tx) => sumLogs(tx, { ownerId: OWNER, type: 2 }, MOST))).toMatchObject({
        calls: MOST + 1,
        quota: MOST + 5,
        looked: null,
      });
    });
  });
});

test('the whole hours and the pieces around them cover the asked time, once', () => {
  fc.assert(
    fc.property(
      fc.option(fc.nat(20_000), { nil: undefined }),
      fc.option(fc.nat(20_000), { nil: undefined }),
      fc.nat(20_000),
      (from, to, oldest) => {
        const { start, firstHour, lastHour, end } = spans({ from, to }, oldest);
        if (end <= start) return firstHour === end && lastHour === end;
        const inOrder = start <= firstHour && firstHour <= lastHour && lastHour <= end;
        const isWhole = firstHour === lastHour || firstHour % HOUR_SEC === 0;
        return inOrder && isWhole && start === Math.max(from ?? 0, oldest);
      },
    ),
  );
});
