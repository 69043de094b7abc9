import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import type { JsonObject } from '../../../src/core/json.ts';
import { limits } from '../../../src/core/limits.ts';
import { nowSec } from '../../../src/core/time.ts';
import { takeTime } from '../../../src/db/brief.ts';
import { channels, logs } from '../../../src/db/schema/index.ts';
import type { LogItem } from '../../../src/modules/log/list.ts';
import { writeLog } from '../../../src/modules/log/service.ts';
import { makeToken } from '../../support/accounts.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

describe.each(callEngines)('the usage log, on %s', (engine) => {
  let api: TestApi;
  let una: TestUser;
  let otto: TestUser;
  let admin: Client;
  let mine: Client;
  let channelId: number;
  /** When this engine's rows were written: the first engine's tests take longer than a minute on a busy machine. */
  let now: number;
  const requestId = Bun.randomUUIDv7();

  const row = (user: TestUser, over: object) => ({
    created_at: now - 10,
    user_id: user.id,
    username: user.username,
    type: 2,
    token_name: 'laptop',
    token_id: 7,
    model_name: 'gpt-4o',
    group_name: 'default',
    channel_id: channelId,
    quota: 100,
    prompt_tokens: 10,
    completion_tokens: 20,
    use_time: 3,
    is_stream: true,
    ip: '1.2.3.4',
    content: 'ratio 1',
    other: { model_ratio: 1, admin_info: { use_channel: ['1'] } } as JsonObject,
    ...over,
  });

  beforeAll(async () => {
    api = await openApi(engine);
    now = nowSec();
    una = await api.createUser({ username: 'una' });
    otto = await api.createUser({ username: 'otto' });
    admin = await api.as(await api.createUser({ username: 'amy', role: 10 }));
    mine = await api.as(una);
    const { orm } = api.deps.db;
    const [channel] = await orm
      .insert(channels)
      .values({ type: 1, name: 'upstream one', models: ['gpt-4o'] })
      .returning({ id: channels.id });
    channelId = channel?.id ?? 0;
    await orm.insert(logs).values([
      row(una, { request_id: requestId }),
      row(una, {
        model_name: 'gpt-4o-mini',
        token_name: 'server',
        group_name: 'vip',
        quota: 7,
        created_at: now - 7_200,
      }),
      row(una, { type: 6, quota: 0, content: 'status 500', other: { error: 'x' }, created_at: now - 20 }),
      row(una, { type: 1, quota: 5_000, content: 'top-up', channel_id: 0, created_at: now - 90_000 }),
      row(otto, { model_name: '100%_model', channel_id: 999, created_at: now - 30 }),
    ]);
    // What the settlement writes beside the rows.
    await api.deps.db.query(`insert into usage_hourly
      select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*),
        sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint
      from logs where type = 2 group by 1, 2, 3, 4, 5, 6`);
    await api.deps.db.query(`insert into failures_hourly
      select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, 'x', count(*)
      from logs where type = 6 group by 1, 2, 3, 4, 5, 6`);
  });
  afterAll(() => api.close());

  const list = async (client: Client, path: string) => {
    const answer = await client.get(path);
    expect(answer).toMatchObject({ status: 200, success: true });
    return answer.data as {
      items: LogItem[];
      page: number;
      page_size: number;
      total: number;
      total_is_capped: boolean;
      looked: { rows: number; back_to: number } | null;
    };
  };
  const all = (query = '') => list(admin, `/api/log/?${query}`);
  const own = (query = '') => list(mine, `/api/log/self/?${query}`);

  it('shows an admin everything, newest first, in the wire’s words', async () => {
    const page = await all();
    expect(page).toMatchObject({ page: 1, page_size: 10, total: 5, total_is_capped: false });
    expect(page.items.map((item) => item.created_at)).toEqual([
      now - 10,
      now - 20,
      now - 30,
      now - 7_200,
      now - 90_000,
    ]);
    expect(page.items[0]).toEqual({
      id: expect.any(Number),
      created_at: now - 10,
      type: 2,
      content: 'ratio 1',
      user_id: una.id,
      username: 'una',
      token_name: 'laptop',
      token_id: 7,
      model_name: 'gpt-4o',
      quota: 100,
      prompt_tokens: 10,
      completion_tokens: 20,
      use_time: 3,
      is_stream: true,
      channel: channelId,
      channel_name: 'upstream one',
      group: 'default',
      ip: '1.2.3.4',
      other: expect.any(String),
      request_id: requestId,
    });
    expect(JSON.parse(page.items[0]?.other ?? '')).toEqual({
      model_ratio: 1,
      admin_info: { use_channel: ['1'] },
    });
    expect(page.items[2]).toMatchObject({ channel: 999, channel_name: '', request_id: '' });
  });

  it('shows a user his own rows only, without channels and what is for admins', async () => {
    const page = await own();
    expect(page.total).toBe(4);
    expect(
      page.items.every((item) => item.username === 'una' && item.channel === 0 && item.channel_name === ''),
    ).toBe(true);
    expect(JSON.parse(page.items[0]?.other ?? '')).toEqual({ model_ratio: 1 });
    for (const sneaky of ['username=otto', `channel=${channelId}`, 'description=top', `user_id=${otto.id}`]) {
      expect((await own(sneaky)).total).toBe(4);
    }
  });

  it('lets only admins see all', async () => {
    for (const path of ['/api/log/', '/api/log/stat']) {
      expect((await mine.get(path)).status).toBe(403);
      expect((await api.guest().get(path)).status).toBe(401);
    }
    expect((await api.guest().get('/api/log/self/')).status).toBe(401);
  });

  it('filters by each field', async () => {
    const count = async (query: string) => (await all(query)).total;
    expect(await count('type=2')).toBe(3);
    expect(await count('type=6')).toBe(1);
    expect(await count('type=4')).toBe(0);
    expect(await count('type=0')).toBe(5);
    expect(await count('type=5')).toBe(0);
    expect(await count('username=una')).toBe(4);
    expect(await count('username=UNA&type=2')).toBe(2);
    expect(await count('username=un')).toBe(0);
    expect(await count('token_name=server')).toBe(1);
    expect(await count('token_id=7&type=6')).toBe(1);
    expect(await count('model_name=%22GPT-4o%22')).toBe(0);
    expect(await count('group=vip')).toBe(1);
    expect(await count(`channel=${channelId}`)).toBe(3);
    expect(await count('channel=0')).toBe(5);
    expect(await count('description=500')).toBe(1);
    expect(await count(`request_id=${requestId}`)).toBe(1);
    expect(await count('request_id=not-an-id')).toBe(0);
    expect(await count(`start_timestamp=${now - 30}`)).toBe(3);
    expect(await count(`end_timestamp=${now - 30}`)).toBe(3);
    expect(await count(`start_timestamp=${now - 30}&end_timestamp=${now - 20}`)).toBe(2);
    expect(
      await count('type=&username=&token_name=&model_name=&channel=&group=&start_timestamp=&end_timestamp='),
    ).toBe(5);
  });

  it('leaves tests of channels out where no type is asked for', async () => {
    await api.deps.db.orm.insert(logs).values(row(otto, { type: 7, model_name: 'tested', quota: 0 }));
    expect((await all('model_name=tested')).total).toBe(0);
    expect((await all('model_name=tested&type=0')).total).toBe(0);
    expect((await all('model_name=tested&type=7')).total).toBe(1);
    await api.deps.db.query('delete from logs where type = 7');
  });

  it('takes % for anything in the model’s name, else looks for the text anywhere, and _ for itself', async () => {
    const count = async (text: string, more = '') =>
      (await all(`model_name=${encodeURIComponent(text)}${more}`)).total;
    for (const more of ['', '&type=2']) {
      expect(await count('gpt-4o%', more)).toBe(more ? 2 : 4);
      expect(await count('%mini', more)).toBe(1);
      expect(await count('4o-m', more)).toBe(1);
      expect(await count('gpt_4o', more)).toBe(0);
      expect(await count('%_model', more)).toBe(1);
      expect(await count('MINI', more)).toBe(1);
    }
  });

  it('pages from 1', async () => {
    const ids = async (query: string) => (await all(query)).items.map((item) => item.created_at);
    expect(await ids('p=2&page_size=2')).toEqual([now - 30, now - 7_200]);
    expect(await ids('p=0&page_size=1')).toEqual([now - 10]);
    expect(await ids('p=9')).toEqual([]);
    expect((await all('page_size=500')).page_size).toBe(100);
  });

  it('refuses pages beyond the newest rows that are looked at', async () => {
    const last = limits.countCap / 100;
    expect((await all(`p=${last}&page_size=100`)).items).toEqual([]);
    for (const path of ['/api/log/', '/api/log/self/', '/api/admin_action/']) {
      const client = path === '/api/admin_action/' ? await api.root() : mine;
      const reader = path === '/api/log/' ? admin : client;
      expect(await reader.get(`${path}?p=${last + 1}&page_size=100`)).toMatchObject({
        status: 400,
        code: 'PAGE_DEPTH',
        message: '只能翻阅最新的 100000 条记录，更早的请缩小时间范围',
      });
    }
  });

  it('tells how far it looked, from where a narrower time reaches every older row', async () => {
    const { countCap } = limits;
    Object.assign(limits, { countCap: engine === 'pglite' ? 2 / limits.embeddedLooks : 2 });
    try {
      const times: number[] = [];
      const looked: unknown[] = [];
      for (let to = now; to > 0; ) {
        const page = await all(`end_timestamp=${to}`);
        times.push(...page.items.map(({ created_at }) => created_at));
        looked.push(page.looked);
        to = page.looked?.back_to ?? 0;
      }
      expect(times).toEqual([10, 20, 30, 7_200, 90_000].map((ago) => now - ago));
      expect(looked).toEqual([{ rows: 2, back_to: now - 30 }, { rows: 2, back_to: now - 90_000 }, null]);
      expect(await all('group=vip')).toMatchObject({ items: [], total: 0, total_is_capped: true });
      expect((await admin.get('/api/log/stat?type=6')).data).toMatchObject({
        is_capped: true,
        looked: looked[0],
      });
      // The sheet goes on to what no page has.
      const sheet = async (query: string) => (await admin.get(`/api/log/export?${query}`)).headers;
      expect((await sheet('type=2')).get('x-total-rows')).toBe('3');
      expect((await sheet('')).get('x-total-rows')).toBeNull();
    } finally {
      Object.assign(limits, { countCap });
    }
  });

  it('answers 400 to what is no filter', async () => {
    for (const query of [
      'type=x',
      'channel=-1',
      'start_timestamp=1.5',
      `model_name=${encodeURIComponent('\0')}`,
    ]) {
      expect(await admin.get(`/api/log/?${query}`)).toMatchObject({ status: 400, code: 'BAD_PARAM' });
    }
  });

  describe('stat', () => {
    const stat = async (client: Client, path: string) => (await client.get(path)).data;

    it('sums quota and tokens of consumption, and the last minute whatever the time asked for', async () => {
      expect(await stat(admin, '/api/log/stat')).toEqual({
        quota: 207,
        token: 90,
        calls: 3,
        failed: 1,
        success: { calls: 3, failed: 1, of_hours: false },
        knows_unlogged: true,
        rpm: 2,
        tpm: 60,
        is_capped: false,
        looked: null,
      });
      expect(await stat(mine, '/api/log/self/stat')).toEqual({
        quota: 107,
        token: 60,
        calls: 2,
        failed: 1,
        success: { calls: 2, failed: 1, of_hours: false },
        knows_unlogged: true,
        rpm: 1,
        tpm: 30,
        is_capped: false,
        looked: null,
      });
      expect(await stat(admin, `/api/log/stat?end_timestamp=${now - 3_600}`)).toEqual({
        quota: 7,
        token: 30,
        calls: 1,
        failed: 0,
        success: { calls: 1, failed: 0, of_hours: false },
        knows_unlogged: true,
        rpm: 2,
        tpm: 60,
        is_capped: false,
        looked: null,
      });
    });

    it('honours the filters, those that the hourly figures do not know included', async () => {
      const quota = async (query: string) => (await stat(admin, `/api/log/stat?${query}`)).quota;
      expect(await quota('username=una')).toBe(107);
      expect(await quota('username=nobody')).toBe(0);
      expect(await quota('token_name=server')).toBe(7);
      expect(await quota('model_name=mini')).toBe(7);
      expect(await quota('username=una&model_name=gpt-4o')).toBe(107);
      expect(await quota('username=una&model_name=%22gpt-4o%22')).toBe(100);
      expect(await quota('model_name=%22gpt-4%22')).toBe(0);
      expect(await quota('token_id=7')).toBe(207);
      expect(await quota('token_id=8')).toBe(0);
      expect(await quota('group=vip')).toBe(7);
      expect(await quota(`channel=${channelId}`)).toBe(107);
      expect(await quota('type=0')).toBe(207);
      expect(await quota('type=2')).toBe(207);
      expect(await quota('type=1')).toBe(5_000);
      expect(await quota('type=1&username=otto')).toBe(0);
      expect(await quota('type=5')).toBe(0);
      expect(await stat(admin, '/api/log/stat?type=6')).toMatchObject({
        quota: 0,
        token: 30,
        calls: 0,
        failed: 1,
        success: null,
      });
      expect(await quota(`start_timestamp=${now - 25}`)).toBe(100);
    });

    it('counts failed calls of whole hours in full, also those without a row', async () => {
      const hour = (Math.floor(now / 3_600) - 5) * 3_600;
      await api.deps.db.query(`insert into failures_hourly values
        (${hour}, ${una.id}, 7, ${channelId}, 'gpt-4o', 'default', 'upstream_error', 40),
        (${hour}, ${una.id}, 7, 0, '', 'default', 'model_not_found', 2),
        (${hour}, ${otto.id}, 8, 0, 'gpt-4o', 'vip', 'upstream_error', 5)`);
      const failed = async (query: string) =>
        (await stat(admin, `/api/log/stat?end_timestamp=${hour + 3_599}&${query}`)).failed;
      expect(await failed('')).toBe(47);
      expect(await failed('type=6')).toBe(47);
      expect(await failed('type=2')).toBe(0);
      expect(await failed('username=una')).toBe(42);
      expect(await failed('group=vip')).toBe(5);
      expect(await failed(`channel=${channelId}`)).toBe(40);
      expect(await failed('model_name=gpt')).toBe(45);
      expect(await failed(`start_timestamp=${hour}`)).toBe(47);
      expect(await failed(`start_timestamp=${hour + 1}`)).toBeNull();
      expect(await failed('model_name=%22gpt%22')).toBe(0);
      expect(await failed('token_id=8')).toBe(5);
      expect(await failed('code=upstream_error')).toBe(45);
      expect(await failed('code=upstream_error&username=otto')).toBe(5);
      expect(await failed('code=upstream')).toBe(0);
      expect(await failed('code=upstream_error&type=2')).toBe(0);
      // Rows alone know of their names, and there are none.
      expect(await failed('token_name=laptop')).toBeNull();
      const own = async (query: string) =>
        (await stat(mine, `/api/log/self/stat?end_timestamp=${hour + 3_599}&${query}`)).failed;
      expect([await own(''), await own('code=model_not_found')]).toEqual([42, 2]);
      await api.deps.db.query(`delete from failures_hourly where hour = ${hour}`);
    });

    it('knows success rates within an hour where each call has a row, and else those of whole hours', async () => {
      const hour = (Math.floor(now / 3_600) - 20) * 3_600;
      const [una2, otto2] = [await api.createUser(), await api.createUser()];
      const { db } = api.deps;
      // Una's calls all have rows; of Otto's flood few do, and two calls of a minute were charged.
      await db.orm
        .insert(logs)
        .values([
          row(una2, { created_at: hour + 100 }),
          row(una2, { type: 6, quota: 0, created_at: hour + 100 }),
          row(una2, { type: 6, quota: 0, created_at: hour + 3_000, model_name: 'gpt-4o-mini' }),
          row(otto2, { created_at: hour + 100 }),
          row(otto2, { created_at: hour + 3_000 }),
          row(otto2, { type: 6, quota: 0, created_at: hour + 100 }),
        ]);
      await db.query(`insert into usage_hourly values (${hour}, ${una2.id}, 7, ${channelId}, 'gpt-4o', 'default', 1, 10, 20, 100),
        (${hour}, ${otto2.id}, 7, ${channelId}, 'gpt-4o', 'default', 2, 20, 40, 200)`);
      await db.query(`insert into failures_hourly values (${hour}, ${una2.id}, 7, 0, '', 'default', 'x', 2),
        (${hour}, ${otto2.id}, 7, ${channelId}, 'gpt-4o', 'default', 'x', 50)`);
      const of = async ({ username }: TestUser, query: string) => {
        const { calls, failed, success } = await stat(admin, `/api/log/stat?username=${username}&${query}`);
        return { calls, failed, success };
      };
      const minute = `start_timestamp=${hour + 90}&end_timestamp=${hour + 149}`;
      const rate = (calls: number, failed: number, of_hours = false) => ({ calls, failed, of_hours });
      expect(await of(una2, minute)).toEqual({ calls: 1, failed: 1, success: rate(1, 1) });
      expect(await of(una2, `${minute}&token_name=laptop`)).toEqual({
        calls: 1,
        failed: 1,
        success: rate(1, 1),
      });
      expect(await of(otto2, minute)).toEqual({ calls: 1, failed: null, success: rate(2, 50, true) });
      expect(await of(otto2, `${minute}&token_name=laptop`)).toEqual({
        calls: 1,
        failed: null,
        success: null,
      });
      const whole = `start_timestamp=${hour}&end_timestamp=${hour + 3_599}`;
      expect(await of(otto2, whole)).toEqual({ calls: 2, failed: 50, success: rate(2, 50) });
      // Some of the flood are told apart by their code alone: those of a model may be more.
      await db.query(
        `insert into failures_hourly values (${hour}, ${otto2.id}, -1, 0, '', 'default', 'x', 5)`,
      );
      expect(await of(otto2, whole)).toMatchObject({ failed: 55, success: rate(2, 55) });
      const ofModel = `${whole}&model_name=gpt-4o`;
      expect(await of(otto2, ofModel)).toEqual({ calls: 2, failed: null, success: null });
      // Calls that were charged without a row are in the figures of whole hours alone.
      await db.query(
        `insert into usage_unlogged values (${hour}, ${una2.id}, 7, ${channelId}, 'gpt-4o', 'default', 1, 1, 1, 1)`,
      );
      await db.query(`update usage_hourly set calls = 2 where user_id = ${una2.id}`);
      expect(await of(una2, minute)).toMatchObject({ failed: null, success: rate(2, 2, true) });
      for (const table of ['logs', 'usage_hourly', 'failures_hourly', 'usage_unlogged']) {
        await db.query(`delete from ${table} where user_id in (${una2.id}, ${otto2.id})`);
      }
    });

    it('knows a user’s tokens by name as well as by number, deleted and renamed ones too', async () => {
      const { db } = api.deps;
      const hour = (Math.floor(now / 3_600) - 5) * 3_600;
      const [kept, gone] = [await makeToken(db, una.id), await makeToken(db, una.id)];
      await db.query(`update tokens set deleted_at = 1 where id = ${gone}`);
      await db.query(`insert into usage_hourly values
        (${hour}, ${una.id}, ${kept}, ${channelId}, 'gpt-4o', 'default', 3, 10, 20, 100),
        (${hour}, ${una.id}, ${gone}, ${channelId}, 'gpt-4o', 'vip', 2, 10, 20, 10),
        (${hour}, ${una.id}, 7, ${channelId}, 'gpt-4o', 'vip', 9, 10, 20, 1000)`);
      await db.query(`insert into failures_hourly values
        (${hour}, ${una.id}, ${gone}, ${channelId}, 'gpt-4o', 'default', 'upstream_error', 4),
        (${hour}, ${una.id}, 7, 0, '', 'default', 'upstream_error', 5)`);
      await db.orm
        .insert(logs)
        .values(row(una, { created_at: hour + 9, token_id: kept, token_name: 'called so once' }));
      const of = (client: Client, path: string) =>
        stat(client, `${path}&start_timestamp=${hour}&end_timestamp=${hour + 3_599}`);
      const known = {
        quota: 110,
        calls: 5,
        failed: 4,
        success: { calls: 5, failed: 4, of_hours: false },
        knows_unlogged: true,
        looked: null,
      };
      expect(await of(mine, '/api/log/self/stat?token_name=test')).toMatchObject(known);
      expect(await of(admin, '/api/log/stat?token_name=test&username=una')).toMatchObject(known);
      expect(await of(mine, `/api/log/self/stat?token_name=test&token_id=${gone}`)).toMatchObject({
        calls: 2,
      });
      // Of everybody’s tokens rows alone know the names.
      expect(await of(admin, '/api/log/stat?token_name=test')).toMatchObject({
        calls: 0,
        success: null,
        knows_unlogged: false,
      });
      expect((await own('token_name=test')).items).toMatchObject([{ token_name: 'called so once' }]);
      expect((await own('token_name=laptop')).total).toBe(3);
      expect((await mine.get('/api/log/names')).data.tokens).toEqual(['test']);
      expect((await admin.get('/api/log/names?username=una')).data.tokens).toEqual(['test']);
      await db.query(`delete from logs where token_id = ${kept}`);
      await db.query(`delete from usage_hourly where hour = ${hour}`);
      await db.query(`delete from failures_hourly where hour = ${hour}`);
    });

    it('does not let a user look at others', async () => {
      expect((await stat(mine, '/api/log/self/stat?username=otto')).quota).toBe(107);
    });
  });

  it('a row that another part writes stands in its user’s log in the reader’s language', async () => {
    const writer = await api.createUser({ username: 'wes' });
    await writeLog(api.deps.db.orm, {
      type: 'activity',
      user: { ...writer, group: 'default' },
      text: { zh: '活动奖励', en: 'Activity reward' },
      quota: 12,
    });
    const answer = (await (await api.as(writer)).get('/api/log/self/')).data;
    expect(answer.items).toMatchObject([{ type: 5, content: '活动奖励', quota: 12, group: 'default' }]);
    expect(JSON.parse(answer.items[0].other)).toEqual({ text: { zh: '活动奖励', en: 'Activity reward' } });
    const english = await api.as(writer, { locale: 'en' });
    expect((await english.get('/api/log/self/')).data.items).toMatchObject([{ content: 'Activity reward' }]);
    for (const words of ['活动', 'activity rew']) {
      const found = await all(`username=wes&description=${encodeURIComponent(words)}`);
      expect(found.total).toBe(1);
    }
  });
});

it('a page that takes too long is broken off, and says so', async () => {
  const api = await openApi('postgres');
  const admin = await api.as(await api.createUser({ role: 10 }));
  // A table that is locked is the slowest of all.
  await api.deps.db.orm.transaction(async (tx) => {
    await takeTime(tx);
    await tx.execute('lock table logs in access exclusive mode');
    const answers = await Promise.all([admin.get('/api/log/'), admin.get('/api/log/stat')]);
    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 200, success: false, message: '查询超时，请缩小时间范围' });
    }
  });
  await api.close();
});
