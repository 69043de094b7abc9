/** One row of the log, its receipt, the sheet of the log, the names for its filters, and its end. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { audit } from '../../../src/billing/audit.ts';
import type { JsonObject } from '../../../src/core/json.ts';
import { nowSec } from '../../../src/core/time.ts';
import { channels, logs } from '../../../src/db/schema/index.ts';
import { type Client, openApi, type TestApi, type TestUser } from '../../support/api.ts';
import { callEngines } from '../../support/database.ts';

const PRICE = {
  model_price: -1,
  group_ratio: 0.8,
  user_group_ratio: -1,
  price_source: 'option',
  model_ratio: 1.25,
  completion_ratio: 4,
  cache_tokens: 300,
  cache_ratio: 0.5,
  usage_source: 'upstream',
};

describe.each(callEngines)('rows of the log, on %s', (engine) => {
  let api: TestApi;
  let una: TestUser;
  let mine: Client;
  let admin: Client;
  let root: Client;
  let channelId = 0;
  const requestId = Bun.randomUUIDv7();
  const refusedId = Bun.randomUUIDv7();
  const now = nowSec();

  const row = (user: TestUser, over: object) => ({
    created_at: now - 10,
    user_id: user.id,
    username: user.username,
    type: 2,
    token_name: 'laptop',
    token_id: 7,
    model_name: 'gpt-4o',
    group_name: 'vip',
    channel_id: channelId,
    quota: 2_450,
    prompt_tokens: 1_200,
    completion_tokens: 350,
    other: { ...PRICE, admin_info: { use_channel: ['1'], cost_ratio: 0.5 } } as JsonObject,
    ...over,
  });

  beforeAll(async () => {
    api = await openApi(engine);
    una = await api.createUser({ username: 'una' });
    const otto = await api.createUser({ username: 'otto' });
    admin = await api.as(await api.createUser({ username: 'amy', role: 10 }), { locale: 'en' });
    root = await api.root();
    mine = await api.as(una, { locale: 'en' });
    const { orm } = api.deps.db;
    const [channel] = await orm
      .insert(channels)
      .values({ type: 1, name: 'upstream one', models: ['gpt-4o'] })
      .returning({ id: channels.id });
    channelId = channel?.id ?? 0;
    await orm.insert(logs).values([
      row(una, { request_id: requestId }),
      row(una, { token_name: '=HYPERLINK("x")', quota: 10, created_at: now - 200, other: {} }),
      row(una, {
        type: 6,
        quota: 0,
        request_id: refusedId,
        content: '额度不足',
        created_at: now - 20,
        other: { error: 'insufficient_user_quota', status: 403, text: { zh: '额度不足', en: 'Not enough' } },
      }),
      row(otto, { quota: 5, other: {}, created_at: now - 30 }),
      row(otto, { type: 7, quota: 0, model_name: 'tested', other: {}, created_at: now - 31 }),
    ]);
    await api.deps.db.query(`insert into usage_hourly
      select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*),
        sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint
      from logs where type = 2 group by 1, 2, 3, 4, 5, 6`);
  });
  afterAll(() => api.close());

  it('is found by its number and by its request, by its owner and by administrators', async () => {
    const own = (await mine.get(`/api/log/${requestId}`)).data;
    expect(own).toMatchObject({ request_id: requestId, quota: 2_450, channel: 0, username: 'una' });
    expect(own.other).not.toContain('admin_info');
    const all = (await admin.get(`/api/log/${own.id}`)).data;
    expect(all).toMatchObject({ id: own.id, channel: channelId, channel_name: 'upstream one' });
    expect(all.other).toContain('admin_info');
    expect((await mine.get(`/api/log/${refusedId}`)).data).toMatchObject({ type: 6, content: 'Not enough' });
  });

  it('of another is not found, nor is one that does not exist', async () => {
    const { items } = (await admin.get('/api/log/?username=otto')).data;
    const stranger = { status: 200, success: false, code: 'NOT_FOUND' };
    for (const path of [`/api/log/${items[0].id}`, '/api/log/999999', `/api/log/${Bun.randomUUIDv7()}`]) {
      expect(await mine.get(path)).toMatchObject(stranger);
      expect(await mine.get(`${path}/receipt`)).toMatchObject(stranger);
      expect(await mine.post(`${path}/recompute`, {})).toMatchObject(stranger);
    }
    expect(await mine.get('/api/log/search')).toMatchObject(stranger);
    expect((await api.guest().get(`/api/log/${requestId}`)).status).toBe(401);
  });

  it('has a receipt whose lines make the charge, with a hash, and for administrators what it cost', async () => {
    const { receipt, hash, upstream } = (await mine.get(`/api/log/${requestId}/receipt`)).data;
    expect(receipt).toMatchObject({
      version: 1,
      request_id: requestId,
      model_name: 'gpt-4o',
      sum: '3062.5',
      groupRatio: '0.8',
      exact: '2450',
      formula_quota: 2_450,
      quota: 2_450,
      written_off: 0,
      usage: { input: 900, cacheRead: 300, output: 350 },
      price: { kind: 'tokens', source: 'option' },
    });
    expect(receipt.lines.map((line: { weighted: string }) => line.weighted)).toEqual([
      '1125',
      '187.5',
      '1750',
    ]);
    expect(upstream).toBeNull();
    expect(hash).toBe(new Bun.CryptoHasher('sha256').update(JSON.stringify(receipt)).digest('hex'));
    const seen = (await admin.get(`/api/log/${receipt.id}/receipt`)).data;
    expect(seen.hash).toBe(hash);
    expect(seen.upstream).toEqual({ cost_ratio: '0.5', cost: '1531.25', margin: '918.75' });
    expect(await mine.get(`/api/log/${refusedId}/receipt`)).toMatchObject({ code: 'NO_RECEIPT' });
  });

  it('is worked out again, and tells a receipt that is not its own', async () => {
    const { hash } = (await mine.get(`/api/log/${requestId}/receipt`)).data;
    const proof = { charged: 2_450, formula_quota: 2_450, matches: true, hash };
    expect((await mine.post(`/api/log/${requestId}/recompute`)).data).toEqual({
      ...proof,
      written_off: 0,
      hash_matches: null,
    });
    expect((await mine.post(`/api/log/${requestId}/recompute`, { hash })).data).toMatchObject({
      ...proof,
      hash_matches: true,
    });
    expect((await mine.post(`/api/log/${requestId}/recompute`, { hash: 'f00' })).data.hash_matches).toBe(
      false,
    );
    const { db } = api.deps;
    // Somebody who reaches the database and charges more than the formula gives.
    await db.query('update logs set quota = 9999 where request_id = $1', [requestId]);
    expect((await mine.post(`/api/log/${requestId}/recompute`, { hash })).data).toMatchObject({
      charged: 9_999,
      formula_quota: 2_450,
      matches: false,
      hash_matches: false,
    });
    // One who charges less, and one who charges less because the account was empty, as the ledger notes.
    await db.query('update logs set quota = 2000 where request_id = $1', [requestId]);
    const less = { charged: 2_000, formula_quota: 2_450 };
    expect((await mine.post(`/api/log/${requestId}/recompute`)).data).toMatchObject({
      ...less,
      written_off: 0,
      matches: false,
    });
    await db.query(
      `insert into ledger (ref, kind, user_id, delta, created_at, note) values ($1, 10, $2, 0, $3, '450')`,
      [requestId, una.id, now],
    );
    expect((await mine.post(`/api/log/${requestId}/recompute`)).data).toMatchObject({
      ...less,
      written_off: 450,
      matches: true,
    });
    await db.query('delete from ledger where ref = $1', [requestId]);
    await db.query('update logs set quota = 2450 where request_id = $1', [requestId]);
  });

  it('of a request that was given back is its charge, with what came back', async () => {
    const id = Bun.randomUUIDv7();
    const [charge, refund] = await api.deps.db.query<{ id: number }>(
      `insert into logs (created_at, user_id, type, quota, request_id) values ($1, $2, 2, 70, $3::uuid), ($1::bigint + 60, $2, 4, 70, $3::uuid)
       returning id`,
      [now, una.id, id],
    );
    expect((await mine.get(`/api/log/${id}`)).data).toMatchObject({
      id: charge?.id,
      type: 2,
      quota: 70,
      refunded: 70,
    });
    expect((await mine.get(`/api/log/${charge?.id}`)).data).toMatchObject({ id: charge?.id, refunded: 70 });
    expect((await mine.get(`/api/log/${refund?.id}`)).data).toMatchObject({
      id: refund?.id,
      type: 4,
      refunded: 0,
    });
    expect((await mine.get(`/api/log/${requestId}`)).data.refunded).toBe(0);
    await api.deps.db.query('delete from logs where request_id = $1', [id]);
  });

  describe('the sheet', () => {
    /** No cell here has a line of its own or a comma. */
    const lines = (text: string) =>
      text
        .replace(/^\uFEFF/, '')
        .trim()
        .split('\r\n');

    it('has the rows of the filter in the reader’s language, with sums that are the page’s', async () => {
      const answer = await mine.get('/api/log/export?type=2');
      expect(answer.status).toBe(200);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('x-total-rows')).toBe('2');
      const [head = '', ...rows] = lines(answer.text);
      const names = head.split(',');
      expect(names).toContain('quota');
      expect(names).not.toContain('channel');
      expect(names).not.toContain('user');
      const sum = rows.reduce((all, line) => all + Number(line.split(',').at(names.indexOf('quota'))), 0);
      expect(sum).toBe((await mine.get('/api/log/self/stat?type=2')).data.quota);
      expect(answer.text).toContain(`"'=HYPERLINK(""x"")"`);
    });

    it('tells what was spent and what came in apart, so that each adds up to what the page shows', async () => {
      const otta = await api.createUser({ username: 'otta' });
      await api.deps.db.query(`insert into logs (created_at, user_id, type, quota) values
        (${now}, ${otta.id}, 2, 70), (${now}, ${otta.id}, 2, 5), (${now}, ${otta.id}, 1, 5000), (${now}, ${otta.id}, 5, 12)`);
      await api.deps.db.query(
        `insert into usage_hourly values (${Math.floor(now / 3600) * 3600}, ${otta.id}, 0, 0, '', '', 2, 0, 0, 75)`,
      );
      const client = await api.as(otta, { locale: 'en' });
      const sums = async (query: string) => {
        const [head = '', ...rows] = lines((await client.get(`/api/log/export?${query}`)).text);
        const names = head.split(',');
        const sum = (name: string) =>
          rows.reduce((all, line) => all + Number(line.split(',')[names.indexOf(name)]), 0);
        const { quota } = (await client.get(`/api/log/self/stat?${query}`)).data;
        return { spent: sum('quota'), credited: sum('credited_quota'), page: quota };
      };
      expect(await sums('')).toEqual({ spent: 75, credited: 5_012, page: 75 });
      expect(await sums('type=2')).toEqual({ spent: 75, credited: 0, page: 75 });
      expect(await sums('type=1')).toEqual({ spent: 0, credited: 5_000, page: 5_000 });
      await api.deps.db.query(`delete from logs where user_id = ${otta.id}`);
      await api.deps.db.query(`delete from usage_hourly where user_id = ${otta.id}`);
    });

    it('knows of users and channels for administrators alone, whatever is asked for', async () => {
      const all = lines((await admin.get('/api/log/export')).text);
      expect(all[0]).toContain('user,');
      expect(all).toHaveLength(5);
      expect(lines((await admin.get('/api/log/export?username=otto')).text)).toHaveLength(2);
      expect(lines((await admin.get('/api/log/export?type=7')).text)).toHaveLength(2);
      expect(lines((await mine.get('/api/log/export?username=otto')).text)).toHaveLength(4);
      const zh = await (await api.as(una)).get('/api/log/export?type=6');
      expect(zh.text).toContain('额度不足');
      expect(zh.text).toContain('失败');
    });

    it('has an order by what its reader sees, and by nothing else', async () => {
      const { items } = (await admin.get('/api/log/?sort=-type')).data;
      const types = items.map(({ type }: { type: number }) => type);
      expect(types).toEqual(types.toSorted((a: number, b: number) => b - a));
      expect(new Set(types).size).toBeGreaterThan(1);
      for (const sort of ['user', '-channel']) {
        expect((await admin.get(`/api/log/?sort=${sort}`)).status).toBe(200);
        expect((await mine.get(`/api/log/self/?sort=${sort}`)).status).toBe(400);
      }
    });

    it('goes on over pieces, each row once', async () => {
      const many = await api.createUser({ username: 'many' });
      await api.deps.db.query(`insert into logs (created_at, user_id, type, quota, content, model_name)
        select ${now} - i / 3, ${many.id}, 2, 1, 'n' || i || 'n', case when i % 7 = 0 then 'rare' else 'usual' end
        from generate_series(1, 10001) i`);
      const client = await api.as(many);
      const numbers = async (query: string) =>
        lines((await client.get(`/api/log/export${query}`)).text)
          .slice(1)
          .map((line) => Number(/,n(\d+)n,/.exec(line)?.[1]));
      const all = Array.from({ length: 10_001 }, (_, n) => n + 1);
      const sorted = (list: number[]) => list.toSorted((a, b) => a - b);
      expect(sorted(await numbers(''))).toEqual(all);
      expect(sorted(await numbers('?model_name=rare'))).toEqual(all.filter((n) => n % 7 === 0));
      await api.deps.db.query(`delete from logs where user_id = ${many.id}`);
    });
  });

  it('are found by the status that the caller got, by administrators', async () => {
    const count = async (client: Client, path: string) => (await client.get(path)).data.total;
    expect(await count(admin, '/api/log/?status=403')).toBe(1);
    expect(await count(admin, '/api/log/?status=200')).toBe(3);
    expect(await count(admin, '/api/log/?status=500')).toBe(0);
    expect(await count(mine, '/api/log/self/?status=500')).toBe(3);
  });

  it('of a failed call are found by our code, also where the upstream has its own', async () => {
    await api.deps.db.orm.insert(logs).values(
      row(una, {
        type: 6,
        quota: 0,
        created_at: now - 90,
        other: { error: 'bad', reason: 'insufficient_user_quota' },
      }),
    );
    const count = async (query: string) => (await mine.get(`/api/log/self/?code=${query}`)).data.total;
    expect(await count('insufficient_user_quota')).toBe(2);
    expect(await count('bad')).toBe(0);
    expect(await count('insufficient_user_quota&type=2')).toBe(0);
    expect((await admin.get('/api/log/?code=insufficient_user_quota&username=otto')).data.total).toBe(0);
    await api.deps.db.query(`delete from logs where created_at = ${now - 90}`);
  });

  it('offers names that one’s own rows have, and all of them to administrators', async () => {
    await api.deps.db.query(`insert into failures_hourly values
      (${now}, ${una.id}, 1, 0, 'refused-only', 'closed', 'group_not_allowed', 2)`);
    expect((await mine.get('/api/log/names')).data).toEqual({
      tokens: [],
      models: ['gpt-4o', 'refused-only'],
      groups: ['closed', 'vip'],
      codes: ['group_not_allowed'],
      channels: [],
    });
    const all = (await admin.get('/api/log/names')).data;
    expect(all).toMatchObject({ tokens: [], channels: [{ id: channelId, name: 'upstream one' }] });
  });

  it('are deleted before a time by root alone, and the books stay whole', async () => {
    const path = `/api/log/?target_timestamp=${now - 100}`;
    for (const client of [mine, admin]) expect((await client.del(path)).status).toBe(403);
    for (const bad of ['0', String(now + 3_600), '']) {
      expect(await root.del(`/api/log/?target_timestamp=${bad}`)).toMatchObject({ status: 400 });
    }
    const findings = async () =>
      (await audit(api.deps.db)).findings.filter(({ check }) => check.startsWith('usage_hourly.'));
    const before = (await admin.get('/api/log/')).data.total;
    expect((await root.del(path)).data).toBe(1);
    expect((await admin.get('/api/log/')).data.total).toBe(before - 1);
    expect(await findings()).toEqual([]);
    expect((await root.del(path)).data).toBe(0);
  });
});
