/** Usage over time: one's own for users, everybody's for administrators. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { reserveAll, settleAll } from '../../../src/billing/statements.ts';
import { limits } from '../../../src/core/limits.ts';
import { DAY_SEC, HOUR_SEC } from '../../../src/core/time.ts';
import { parseDateTime } from '../../../src/core/time-text.ts';
import type { UsageReport, UsageRow } from '../../../src/modules/usage/contract.ts';
import { firstSpread } from '../../../src/modules/usage/sums.ts';
import { holdOf, makeChannel, makeToken, settlementOf } from '../../support/accounts.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';
import { patience } from '../../support/patience.ts';

const ZONE = 'Asia/Shanghai';
const at = (text: string): number => parseDateTime(text, ZONE) ?? Number.NaN;
const DAYS = `start_timestamp=${at('2026-05-01 00:00:00')}&end_timestamp=${at('2026-05-03 23:59:59')}&time_zone=${ZONE}`;

describe.each(callEngines)('usage over time, on %s', (engine) => {
  let api: TestApi;
  let una: TestUser;
  let mine: Client;
  let admin: Client;
  let channelId: number;
  const tokens: Record<string, number> = {};

  const charge = async (
    user: TestUser,
    time: string,
    amount: number,
    modelName: string,
    groupName = 'default',
  ) => {
    const hold = holdOf(user.id, tokens[user.username] ?? 0, amount);
    await reserveAll(api.deps.db, [{ ...hold, extends: false }], 'test');
    await settleAll(api.deps.db, [
      settlementOf(hold.id, amount, {
        at: at(time),
        modelName,
        groupName,
        channelId,
        username: user.username,
        other: { cache_tokens: 3, frt: user.username === 'una' ? 200 : 500 },
      }),
    ]);
  };
  const report = async (client: Client, query: string, path = '/api/data/usage'): Promise<UsageReport> => {
    const answer = await client.get(`${path}?${DAYS}&${query}`);
    if (!answer.success) throw new Error(answer.text);
    return answer.data;
  };
  const shown = ({ series }: UsageReport) => series.map(({ name, points }) => [name, points]);

  beforeAll(async () => {
    api = await openApi(engine);
    una = await api.createUser({ username: 'una', quota: 10_000 });
    const otto = await api.createUser({ username: 'otto', quota: 10_000 });
    for (const { id, username } of [una, otto]) tokens[username] = await makeToken(api.deps.db, id);
    channelId = await makeChannel(api.deps.db);
    mine = await api.as(una);
    admin = await api.as(await api.createUser({ username: 'amy', role: 10 }));
    await charge(una, '2026-04-29 12:00:00', 40, 'gpt-4o');
    await charge(una, '2026-05-01 00:00:00', 100, 'gpt-4o');
    await charge(una, '2026-05-01 23:59:59', 10, 'gpt-4o', 'vip');
    await charge(una, '2026-05-02 00:00:00', 200, 'gpt-4o-mini');
    await charge(otto, '2026-05-03 18:20:00', 1_000, 'gpt-4o');
    await charge(otto, '2026-05-04 00:00:00', 7, 'gpt-4o');
  }, patience(120_000));
  afterAll(() => api.close());

  it('is told by whole hours where parts of them have more calls than are looked at', async () => {
    const cap = limits.countCap * (engine === 'pglite' ? limits.embeddedLooks : 1);
    const bea = await api.createUser({ username: 'bea', quota: 10_000 });
    tokens.bea = await makeToken(api.deps.db, bea.id);
    const hers = await api.as(bea);
    const hour = at('2026-06-01 11:00:00');
    await charge(bea, '2026-06-01 11:20:00', 5, 'gpt-4o');
    await charge(bea, '2026-06-01 13:20:00', 7, 'gpt-4o');
    const own = async (from: string, to: string, more = '') => {
      const time = `start_timestamp=${at(`2026-06-01 ${from}`)}&end_timestamp=${at(`2026-06-01 ${to}`)}`;
      const { data, ...answer } = await hers.get(`/api/data/self/usage?${time}${more}`);
      if (!answer.success) throw new Error(answer.text);
      const report: UsageReport = data;
      return { from: report.from, to: report.to, starts: report.starts, quota: report.by_step.quota };
    };
    const add = (calls: number) =>
      api.deps.db.query(
        'update usage_hourly set calls = calls + $1, quota = quota + $1 where user_id = $2 and hour = $3',
        [calls, bea.id, hour],
      );
    // As many as are looked at: those that have no row are not seen.
    await add(cap - 1);
    const exact = { from: hour + 600, to: hour + 1_800, starts: [hour + 600], quota: [5] };
    expect(await own('11:10:00', '11:30:00')).toEqual(exact);
    await add(1);
    const whole = { from: hour, to: hour + HOUR_SEC - 1, starts: [hour], quota: [cap + 5] };
    expect(await own('11:10:00', '11:30:00')).toEqual(whole);
    // Steps that begin within an hour, in a zone of half hours.
    const kolkata = '&step=day&time_zone=Asia/Kolkata';
    expect(await own('00:10:00', '11:30:00', kolkata)).toEqual({
      from: at('2026-06-01 00:00:00'),
      to: hour + HOUR_SEC - 1,
      starts: [at('2026-06-01 00:00:00'), at('2026-06-01 03:00:00')],
      quota: [0, cap + 5],
    });
    // An hour before it that has few is cut as ever.
    expect(await own('13:10:00', '13:30:00')).toMatchObject({ from: hour + 7_800, quota: [7] });
    const rows = await hers.get(`/api/data/self?start_timestamp=${hour + 600}&end_timestamp=${hour + 1_800}`);
    expect(rows.data).toMatchObject([{ created_at: hour, count: cap + 1, quota: cap + 5 }]);
  });

  it('is told of everybody by model and day of the reader, with the time of the same length before', async () => {
    const found = await report(admin, 'step=day');
    expect(found).toMatchObject({
      dimension: 'model',
      metric: 'quota',
      step: 'day',
      time_zone: ZONE,
      starts: ['01', '02', '03'].map((day) => at(`2026-05-${day} 00:00:00`)),
      all: {
        calls: 4,
        quota: 1_310,
        prompt_tokens: 68,
        completion_tokens: 80,
        cached_tokens: 12,
        first_ms: 275,
        failed: 0,
      },
      by_step: {
        calls: [2, 1, 1],
        quota: [110, 200, 1_000],
        prompt_tokens: [34, 17, 17],
        completion_tokens: [40, 20, 20],
        cached_tokens: [6, 3, 3],
        first_ms: [200, 200, 500],
        failed: [0, 0, 0],
      },
      before: null,
      others: null,
      refresh_sec: 300,
    });
    expect(shown(found)).toEqual([
      ['gpt-4o', [110, 0, 1_000]],
      ['gpt-4o-mini', [0, 200, 0]],
    ]);
  });

  it.each([
    [
      'user',
      'quota',
      [
        ['otto', [0, 0, 1_000]],
        ['una', [110, 200, 0]],
      ],
    ],
    [
      'user',
      'calls',
      [
        ['una', [2, 1, 0]],
        ['otto', [0, 0, 1]],
      ],
    ],
    [
      'token',
      'tokens',
      [
        ['test', [74, 37, 0]],
        ['test', [0, 0, 37]],
      ],
    ],
    [
      'group',
      'calls',
      [
        ['default', [1, 1, 1]],
        ['vip', [1, 0, 0]],
      ],
    ],
    ['channel', 'quota', [['test', [110, 200, 1_000]]]],
    ['channel', 'input', [['test', [34, 17, 17]]]],
    ['channel', 'output', [['test', [40, 20, 20]]]],
    ['code', 'failed', []],
  ])('is told apart by %s, in %s', async (dimension, metric, expected) => {
    const found = await report(admin, `step=day&dimension=${dimension}&metric=${metric}`);
    expect(shown(found)).toEqual(expected as [string, number[]][]);
    expect(found.all).toMatchObject({ calls: 4, quota: 1_310 });
  });

  it('knows the time to the first content, cached tokens and failures, and where nobody knows', async () => {
    const { db } = api.deps;
    const hour = at('2026-05-02 07:00:00');
    await db.query(`insert into failures_hourly values
      (${hour}, ${una.id}, 1, ${channelId}, 'gpt-4o', 'default', 'upstream_error', 5),
      (${hour}, ${una.id}, 1, 0, '', 'default', 'model_not_found', 2)`);
    expect(shown(await report(admin, 'step=day&metric=failed'))).toEqual([
      ['gpt-4o', [0, 5, 0]],
      ['', [0, 2, 0]],
      ['gpt-4o-mini', [0, 0, 0]],
    ]);
    expect(shown(await report(admin, 'step=day&metric=first&dimension=user'))).toEqual([
      ['otto', [null, null, 500]],
      ['una', [200, 200, null]],
    ]);
    expect(shown(await report(admin, 'step=day&metric=cached&dimension=channel'))[0]).toEqual([
      'test',
      [6, 3, 3],
    ]);
    const byCode = await report(mine, 'step=day&dimension=code&metric=quota', '/api/data/self/usage');
    expect(byCode).toMatchObject({ metric: 'failed', all: { calls: 3, failed: 7 }, others: null });
    expect(shown(byCode)).toEqual([
      ['upstream_error', [0, 5, 0]],
      ['model_not_found', [0, 2, 0]],
    ]);
    // What was forgotten with the log is no zero.
    await db.query(`insert into meta (name, value) values ('logs_from', '${at('2026-05-02 00:00:00')}')`);
    expect(await report(admin, 'step=day')).toMatchObject({
      all: { failed: null },
      by_step: { failed: [null, 7, 0] },
    });
    await db.query(`delete from meta where name = 'logs_from'`);
    await db.query('delete from failures_hourly');
  });

  it('tells within what time half, and nearly all, had their first content, by rows in proportion to calls', async () => {
    expect((await report(admin, 'step=day')).first_spread).toEqual({ p50: 200, p95: 500, calls: 4 });
    const own = await report(mine, 'step=hour', '/api/data/self/usage');
    expect(own.first_spread).toEqual({ p50: 200, p95: 200, calls: 3 });
    const { deps } = api;
    const sampled = (starts: number[], calls: number[]) =>
      deps.db.orm.transaction((tx) =>
        firstSpread(
          tx,
          { starts, time: { from: starts[0] ?? 0, to: at('2026-05-03 23:59:59') }, filter: {} },
          calls,
        ),
      );
    const [first, , last] = ['01', '02', '03'].map((day) => at(`2026-05-${day} 00:00:00`));
    // Where there are more calls than are looked at, each step has its share, and one at least.
    expect(await sampled([first ?? 0, last ?? 0], [limits.usageSample, 0])).toMatchObject({
      p95: 200,
      calls: 3,
    });
    expect(await sampled([first ?? 0, last ?? 0], [1, 1e9])).toEqual({ p50: 200, p95: 500, calls: 2 });
    expect(await sampled([first ?? 0], [0])).toBeNull();
  });

  it('is a sheet of its table, in its order, whose columns have the sums that the page shows', async () => {
    const { db } = api.deps;
    const sheet = async (client: Client, path: string, query: string) => {
      const { text } = await client.get(`${path}?${DAYS}&${query}`);
      return text
        .replace('\uFEFF', '')
        .trim()
        .split('\r\n')
        .map((line) => line.split(','));
    };
    const names = (rows: string[][], column = 0) => rows.slice(1).map((row) => row[column]);
    const all = '/api/data/usage/export';
    const byModel = await sheet(admin, all, 'step=day');
    expect(byModel).toEqual([
      ['模型', '成功请求', '输入', '缓存输入', '输出', '失败', '首字（毫秒）', '额度', '美元'],
      ['gpt-4o', '3', '51', '9', '60', '0', '300', '1110', '0.00222'],
      ['gpt-4o-mini', '1', '17', '3', '20', '0', '200', '200', '0.0004'],
    ]);
    expect(names(await sheet(admin, all, 'sort=quota'))).toEqual(['gpt-4o-mini', 'gpt-4o']);
    expect(names(await sheet(admin, all, 'dimension=user&sort=-name'), 1)).toEqual(['una', 'otto']);
    expect(names(await sheet(mine, '/api/data/self/usage/export', 'dimension=group'))).toEqual([
      'default',
      'vip',
    ]);
    expect((await mine.get(`${all}?${DAYS}`)).success).toBe(false);
    // More names than the table has rows, one of which a sheet would take for a formula.
    await db.query(`insert into usage_hourly
      select ${at('2026-05-01 00:00:00')}, ${una.id}, 1, 1, case n when 1 then '=1+1' else 'm' || n end, 'planted', n, 10 * n, n, 100 * n
      from generate_series(1, 30) n`);
    try {
      const { all: sums, series, others } = await report(admin, 'metric=output');
      const many = await sheet(admin, all, 'metric=output&sort=-calls');
      expect(many).toHaveLength(series.length + 2);
      expect(many.at(-1)?.[0]).toBe(`其余 ${others?.count} 个`);
      const sum = (column: number) => many.slice(1).reduce((n, row) => n + Number(row[column]), 0);
      expect([1, 2, 4, 7].map(sum)).toEqual([
        sums.calls,
        sums.prompt_tokens,
        sums.completion_tokens,
        sums.quota,
      ]);
      expect(names(await sheet(admin, all, 'metric=output&sort=calls'))[0]).not.toBe('=1+1');
      await db.query(`update usage_hourly set completion_tokens = 999 where model_name = '=1+1'`);
      expect(names(await sheet(admin, all, 'metric=output'))[0]).toBe(`'=1+1`);
    } finally {
      await db.query(`delete from usage_hourly where group_name = 'planted'`);
    }
  });

  it('is told of one user by name, and of nobody by a name that nobody has', async () => {
    expect((await report(admin, 'step=day&username=OTTO')).by_step.quota).toEqual([0, 0, 1_000]);
    expect(await report(admin, 'step=day&username=nobody')).toMatchObject({
      all: { calls: 0 },
      series: [],
      before: null,
    });
  });

  it('is what was known of the days before, once anything was', async () => {
    const query = `start_timestamp=${at('2026-04-30 00:00:00')}&end_timestamp=${at('2026-04-30 23:59:59')}&step=hour`;
    const { data } = await mine.get(`/api/data/self/usage?${query}`);
    expect(data).toMatchObject({ all: { calls: 0 }, before: null });
    const later = `start_timestamp=${at('2026-05-01 00:00:00')}&end_timestamp=${at('2026-05-01 11:59:59')}`;
    expect((await mine.get(`/api/data/self/usage?${later}`)).data.before).toMatchObject({
      calls: 0,
      quota: 0,
    });
  });

  it('is one’s own for users, who learn nothing of channels and other users', async () => {
    const own = await report(mine, 'step=day&username=otto', '/api/data/self/usage');
    expect(own.all).toMatchObject({ calls: 3, quota: 310 });
    for (const dimension of ['user', 'channel']) {
      const answer = await mine.get(`/api/data/self/usage?${DAYS}&dimension=${dimension}`);
      expect(answer).toMatchObject({ success: false, code: 'BAD_PARAM', data: { field: 'dimension' } });
    }
    expect((await mine.get(`/api/data/usage?${DAYS}`)).success).toBe(false);
  });

  it('has rows by hour and model for consoles of before', async () => {
    const { data } = await admin.get(`/api/data/?${DAYS}`);
    const rows: UsageRow[] = data;
    expect(rows.map((row) => [row.created_at, row.model_name, row.count, row.quota, row.token_used])).toEqual(
      [
        [at('2026-05-01 00:00:00'), 'gpt-4o', 1, 100, 37],
        [at('2026-05-01 23:00:00'), 'gpt-4o', 1, 10, 37],
        [at('2026-05-02 00:00:00'), 'gpt-4o-mini', 1, 200, 37],
        [at('2026-05-03 18:00:00'), 'gpt-4o', 1, 1_000, 37],
      ],
    );
    expect(rows[0]).toMatchObject({ id: 1, user_id: 0, username: '' });
    expect((await admin.get(`/api/data/?${DAYS}&username=otto`)).data).toMatchObject([
      { username: 'otto', quota: 1_000 },
    ]);
    expect((await mine.get(`/api/data/self?${DAYS}`)).data).toHaveLength(3);
  });

  it('has rows of one’s own for a month and no longer', async () => {
    const rows = (days: number) =>
      mine.get(
        `/api/data/self?start_timestamp=${at('2026-05-01 00:00:00') - days * DAY_SEC}&end_timestamp=${at('2026-05-01 00:00:00')}`,
      );
    expect((await rows(30)).success).toBe(true);
    expect(await rows(31)).toMatchObject({ success: false, code: 'USAGE_SPAN' });
  });

  it.each(['/api/data/', '/api/data/usage'])('ends now, however far %s is asked to look', async (path) => {
    for (const end of [Number.MAX_SAFE_INTEGER, Date.now()]) {
      const answer = await admin.get(`${path}?start_timestamp=1&end_timestamp=${end}`);
      expect(answer).toMatchObject({ success: true });
    }
  });

  it('begins where something is known when it is asked for from the beginning', async () => {
    const { data } = await admin.get(
      `/api/data/usage?end_timestamp=${at('2026-05-03 23:59:59')}&step=week&time_zone=${ZONE}`,
    );
    expect(data.from).toBe(Math.floor(at('2026-04-29 12:00:00') / HOUR_SEC) * HOUR_SEC);
    expect(data.by_step.quota).toEqual([1_350]);
  });

  it('is told to nobody while the dashboard is off, and by day where that is the default', async () => {
    const { options } = api.deps;
    await options.set({ DataExportDefaultTime: 'day', DataExportInterval: '7' });
    try {
      expect(await report(admin, '')).toMatchObject({ step: 'day', refresh_sec: 420 });
      await options.set({ DataExportEnabled: 'false' });
      expect(await mine.get('/api/data/self')).toMatchObject({ success: false, code: 'USAGE_OFF' });
      expect(await admin.get('/api/data/usage')).toMatchObject({ success: false, code: 'USAGE_OFF' });
    } finally {
      await options.set({
        DataExportDefaultTime: 'hour',
        DataExportInterval: '5',
        DataExportEnabled: 'true',
      });
    }
  });
});
