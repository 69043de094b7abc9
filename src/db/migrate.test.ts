/** What migrations do to rows that are there already. */
import { afterAll, beforeAll, describe, expect, it } from 'bun:test';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import { migrate } from 'drizzle-orm/bun-sql/migrator';
import { serverUrl } from '../../tests/support/database.ts';
import { audit } from '../billing/audit.ts';
import { readingsOf } from '../billing/statements.ts';
import type { JsonObject } from '../core/json.ts';
import { DAY_SEC, HOUR_SEC } from '../core/time.ts';
import { foldUsage } from '../modules/usage/fold.ts';
import { migrationsFolder, openPostgres } from './client.ts';
import { migratePostgres } from './migrate.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tollgate-migrations-'));
  await cp(migrationsFolder, folder, { recursive: true });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let databases = 0;

/** The address of a database in the state before the migration of that name. */
async function before(name: string): Promise<string> {
  const journalPath = 'meta/_journal.json';
  const journal: { entries: { tag: string }[] } = JSON.parse(
    await readFile(join(migrationsFolder, journalPath), 'utf8'),
  );
  const at = journal.entries.findIndex(({ tag }) => tag.endsWith(name));
  expect(at).toBeGreaterThan(0);
  await writeFile(
    join(folder, journalPath),
    JSON.stringify({ ...journal, entries: journal.entries.slice(0, at) }),
  );
  const database = `migrations_${process.pid}_${++databases}`;
  const server = new SQL(serverUrl(), { max: 1 });
  await server.unsafe(`create database ${database}`);
  await server.close();
  const url = Object.assign(new URL(serverUrl()), { pathname: `/${database}` }).href;
  const sql = new SQL(url, { max: 1 });
  await migrate(drizzle(sql), { migrationsFolder: folder });
  await sql.close();
  return url;
}

describe('the migration of rewards that can be taken back', () => {
  it('names the order that has paid an invitation where the ledger tells it, and guesses nowhere', async () => {
    const url = await before('taken_rewards');
    const sql = new SQL(url, { max: 1 });
    const ref = (n: number) => `00000000-0000-4000-8000-00000000000${n}`;
    const invite = (guest: number, trigger: string, paidAt: number | null) => sql`
      insert into invitations (invitee_id, inviter_id, ref, trigger, inviter_quota, invitee_quota, created_at, paid_at)
      values (${guest}, 1, ${crypto.randomUUID()}, ${trigger}, 5, 0, 0, ${paidAt})`;
    const move = (guest: number, kind: number, n: number, at: number) => sql`
      insert into ledger (ref, kind, user_id, delta, created_at) values (${ref(n)}, ${kind}, ${guest}, 9, ${at})`;
    const order = (guest: number, n: number) => sql`
      insert into topups (trade_no, ref, user_id, provider, method, quota, money, full_money, currency, places, code,
        created_at, expires_at)
      values (${`t${n}`}, ${ref(n)}, ${guest}, 'epay', 'alipay', 9, 9, 9, 'CNY', 2, '', 0, 0)`;
    // One by an order; by a code; by two orders at once; with no credit at that second; by another trigger; unpaid; by a
    // credit that is of no order.
    await invite(11, 'first_topup', 100);
    await invite(12, 'first_topup', 100);
    await invite(13, 'first_topup', 100);
    await invite(14, 'first_topup', 100);
    await invite(15, 'verified', 100);
    await invite(16, 'first_topup', null);
    await invite(17, 'first_topup', 100);
    for (const [guest, n] of [
      [11, 1],
      [13, 3],
      [13, 4],
      [14, 5],
      [15, 6],
      [16, 7],
    ] as const) {
      await order(guest, n);
      await move(guest, 2, n, guest === 14 ? 101 : 100);
    }
    await move(11, 5, 9, 100);
    await move(12, 3, 2, 100);
    await move(17, 2, 8, 100);
    await migratePostgres(url);
    const rows = await sql`select invitee_id::int as guest, paid_by from invitations order by 1`;
    expect([...rows]).toEqual(
      [11, 12, 13, 14, 15, 16, 17].map((guest) => ({ guest, paid_by: guest === 11 ? ref(1) : null })),
    );
    await sql.close();
  });
});

describe('the migration of what was told of payments', () => {
  it('takes what each cause took for what it came to, and a refund for a refund', async () => {
    const url = await before('told_reversals');
    const sql = new SQL(url, { max: 1 });
    const [order] = await sql`
      insert into topups (trade_no, ref, user_id, provider, method, quota, money, currency, places, expires_at, status)
      values ('t', ${crypto.randomUUID()}, 1, 'stripe', 'stripe', 90, 90, 'USD', 2, 0, 'reinstated') returning id`;
    const rows = [
      ['refund', '', 30],
      ['dispute', 'dp_1', 20],
      ['refund', '', 10],
      ['dispute', 'dp_2', 5],
      ['dispute', 'dp_1', 7],
      ['won', 'dp_1', 27],
    ] as const;
    for (const [kind, cause, money] of rows) {
      await sql`insert into topup_reversals (ref, topup_id, kind, cause, money, quota)
        values (${crypto.randomUUID()}, ${order.id}, ${kind}, ${cause}, ${money}, ${money})`;
    }
    await migratePostgres(url);
    const told = await sql`select told::int from topup_reversals order by id`;
    expect(told.map((row: { told: number }) => row.told)).toEqual([30, 20, 40, 5, 27, 0]);
    expect([...(await sql`select status from topups`)]).toEqual([{ status: 'refunded' }]);
    await sql.close();
  });
});

describe('the migration of fuel packs to verified users', () => {
  const addUser = "insert into users (username, aff_code) values ('una', 'una')";
  it.each([
    ['a new site', '', []],
    ['a site in use, which keeps what it had', addUser, [{ value: 'false' }]],
    [
      'a site that has set it',
      `${addUser}; insert into options (key, value) values ('fuel_pack.verified_only', 'true')`,
      [{ value: 'true' }],
    ],
  ])('leaves alone %s', async (_, script, options) => {
    const url = await before('fuel_pack_networks');
    const sql = new SQL(url, { max: 1 });
    if (script !== '') await sql.unsafe(script);
    await migratePostgres(url);
    const rows = await sql`select value from options where key = 'fuel_pack.verified_only'`;
    expect([...rows]).toEqual(options);
    await sql.close();
  });
});

describe('the migration of the room of tokens', () => {
  it('clears the lists of those that were deleted, and of no other', async () => {
    const url = await before('token_rooms');
    const sql = new SQL(url, { max: 1 });
    await sql`insert into users (id, username, aff_code) overriding system value values (7, 'una', 'una')`;
    const token = (name: string, deletedAt: number | null) => sql`
      insert into tokens (user_id, name, key_lookup, key_hint, model_limits, allow_ips, deleted_at)
      values (7, ${name}, ${name}, '', '{a,b}', '{10.0.0.1}', ${deletedAt})`;
    await token('deleted', 1);
    await token('live', null);
    await sql.close();
    await migratePostgres(url);
    const after = new SQL(url, { max: 1 });
    const rows =
      await after`select name, model_limits::text as models, allow_ips::text as ips from tokens order by id`;
    expect([...rows]).toEqual([
      { name: 'deleted', models: '{}', ips: '{}' },
      { name: 'live', models: '{a,b}', ips: '{10.0.0.1}' },
    ]);
    await after.close();
  });
});

describe('the migration of parts of days', () => {
  it('reads from a log that is full what a settlement would have noted, and moves nothing else', async () => {
    const url = await before('usage_parts');
    const sql = new SQL(url, { max: 1 });
    const start = 1_700_000_000 - (1_700_000_000 % DAY_SEC);
    const others: JsonObject[] = [
      {},
      { cache_tokens: 12, frt: 340 },
      { cache_tokens: 0, frt: 0 },
      { cache_tokens: 12.5, frt: 81.4 },
      { cache_tokens: -3, frt: -1_000 },
      { frt: -0.4 },
      { cache_tokens: '7', frt: '9' },
      { cache_tokens: null, frt: [1] },
      { cache_tokens: 1e30 },
    ];
    const calls = Array.from({ length: 900 }, (_, n) => ({
      id: crypto.randomUUID(),
      at: start + ((n * 7_919) % (12 * DAY_SEC)),
      user: 1 + (n % 3),
      token: n % 2,
      channel: n % 5,
      model: `m${n % 4}`,
      // Nobody has read so much more than once.
      other: others[n === 899 ? 8 : n % 8] ?? {},
    }));
    await sql.unsafe(`
      insert into users (id, username, aff_code, quota, used_quota, request_count) overriding system value
        select n, 'u' || n, 'c' || n, 0, 300, 300 from generate_series(1, 3) n;
      insert into ledger (ref, kind, user_id, delta, created_at)
        select gen_random_uuid(), 4, n, 300, 0 from generate_series(1, 3) n;
      create table logs_2023_12 (like logs including defaults);
      alter table logs attach partition logs_2023_12 for values from (1701388800) to (1704067200)`);
    await sql`
      with c as (
        select * from jsonb_to_recordset(${JSON.stringify(calls)}::text::jsonb)
          as c(id uuid, at bigint, "user" bigint, token bigint, channel bigint, model text, other jsonb)
      ), l as (
        insert into logs (created_at, request_id, user_id, token_id, channel_id, type, model_name, group_name, quota,
          prompt_tokens, completion_tokens, other)
        select at, id, "user", token, channel, 2, model, 'default', 1, 3, 4, other from c
      )
      insert into ledger (ref, kind, user_id, delta, created_at) select id, 1, "user", -1, at from c`;
    // A failed call counts nowhere, nor does what is told of an hour whose figures are away.
    await sql.unsafe(`
      insert into usage_hourly
        select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, group_name, count(*), sum(prompt_tokens),
          sum(completion_tokens), sum(quota) from logs group by 1, 2, 3, 4, 5, 6;
      insert into logs (created_at, request_id, user_id, channel_id, type, model_name, group_name, other)
        select created_at, gen_random_uuid(), user_id, channel_id, 4, model_name, group_name, '{"frt": 5, "cache_tokens": 5}'
        from logs limit 100`);
    await sql.close();
    await migratePostgres(url);

    const db = await openPostgres(url);
    expect((await audit(db)).findings).toEqual([]);
    const hours = new Map<string, { cached: number; ms: number; timed: number }>();
    for (const { at, user, token, channel, model, other } of calls) {
      const { cached, firstMs } = readingsOf({ other });
      const key = [at - (at % HOUR_SEC), user, token, channel, model].join();
      const hour = hours.get(key) ?? { cached: 0, ms: 0, timed: 0 };
      hour.cached += Math.min(cached, Number.MAX_SAFE_INTEGER);
      hour.ms += Math.max(firstMs, 0);
      hour.timed += firstMs >= 0 ? 1 : 0;
      hours.set(key, hour);
    }
    const rows = await db.query<{ key: string; cached: number; ms: number; timed: number }>(
      `select concat_ws(',', hour, user_id, token_id, channel_id, model_name) as key, cached_tokens as cached,
         first_ms as ms, first_calls as timed from usage_hourly`,
    );
    expect(new Map(rows.map(({ key, ...hour }) => [key, hour]))).toEqual(hours);
    expect(await foldUsage(db)).toBe(12 * 3);
    expect((await audit(db)).findings).toEqual([]);
    await db.close();
  });
});

describe('the migration of the tokens of months', () => {
  it('begins with what this month and the last came to, of models that tiers name, and goes on with it', async () => {
    const url = await before('_months');
    const sql = new SQL(url, { max: 1 });
    const month = (n: number) => {
      const now = new Date();
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - n, 1) / 1000;
    };
    await sql.unsafe(
      `insert into users (id, username, aff_code) overriding system value values (7, 'a', 'a'), (8, 'b', 'b')`,
    );
    const tiered = { 'gpt-5': { by: 'month', tiers: [] }, 'gpt-4o': [] };
    await sql`insert into options (key, value) values ('ModelTieredPrice', ${JSON.stringify(tiered)})`;
    for (const [user, name, sold, at, tokens] of [
      [7, 'gpt-5', null, month(0), 10],
      [7, 'gpt-5-low', 'gpt-5', month(0) + 7_200, 20],
      [7, 'gpt-5', null, month(1), 5],
      [7, 'gpt-5', null, month(0) - 3_600, 6],
      [7, 'gpt-5', null, month(2), 7],
      [7, 'o3', null, month(0), 9],
      [7, 'gpt-5', '', month(0), 3],
      [8, 'o3', null, month(0), 9],
    ] as const)
      await sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls,
        prompt_tokens, completion_tokens, quota, sold_name)
        values (${at}, ${user}, 1, ${sold === '' ? 0 : 1}, ${name}, 'default', 1, ${tokens - 1}, 1, 0, ${sold})`;
    await sql.close();
    await migratePostgres(url);
    const db = await openPostgres(url);
    const rows = 'select user_id, sold_name, month, tokens from usage_months order by month';
    expect(await db.query(rows)).toEqual([
      { user_id: 7, sold_name: 'gpt-5', month: month(1), tokens: 11 },
      { user_id: 7, sold_name: 'gpt-5', month: month(0), tokens: 30 },
    ]);
    expect(await db.query('select id, month_models from users order by id')).toEqual([
      { id: 7, month_models: ['gpt-5'] },
      { id: 8, month_models: null },
    ]);
    expect(await db.query('select month_tokens(8, $1, $2::bigint) as n', ['o3', month(0)])).toEqual([
      { n: 9 },
    ]);
    expect((await audit(db)).findings.filter(({ check }) => check.startsWith('usage_months'))).toEqual([]);
    await db.close();
  });
});

describe('the migration of months by what is sold', () => {
  it('lets this month go on by it, and leaves names that have prices of their own', async () => {
    const url = await before('month_of_sold');
    const sql = new SQL(url, { max: 1 });
    const hour = Math.floor(Date.now() / 1000 / HOUR_SEC) * HOUR_SEC;
    const tiered = { 'gpt-5-high': [], 'claude-4-thinking': [] };
    await sql`insert into options (key, value) values ('ModelTieredPrice', ${JSON.stringify(tiered)})`;
    const sold = {
      'gpt-5': null,
      'gpt-5-low': 'gpt-5',
      'openai/gpt-5.1-codex-max-xhigh': 'openai/gpt-5.1-codex-max',
      'gpt-5-high': null,
      'gpt-5-high-low': 'gpt-5-high',
      'gpt-50-low': null,
      'mistral-medium': null,
      'kimi-k2-thinking': null,
      'claude-4-thinking-thinking': 'claude-4-thinking',
      'claude-4-5-thinking-thinking': 'claude-4-5',
      'gemini-2.5-flash-thinking': 'gemini-2.5-flash',
      'gemini-2.5-flash-thinking-01024': 'gemini-2.5-flash',
      'gemini-2.5-flash-nothinking': 'gemini-2.5-flash',
      'gemini-2.5-flash-thinking-1234567': null,
    };
    for (const [name, at] of [
      ...Object.keys(sold).map((each) => [each, hour]),
      ['gpt-5-low', hour - 80 * DAY_SEC],
    ]) {
      await sql`insert into usage_hourly (hour, user_id, token_id, channel_id, model_name, group_name, calls,
        prompt_tokens, completion_tokens, quota) values (${at}, 7, 1, 1, ${name}, 'default', 1, 10, 1, 0)`;
    }
    await sql.close();
    await migratePostgres(url);
    const db = await openPostgres(url);
    const rows = await db.query<{ name: string; sold: string | null }>(
      'select model_name as name, sold_name as sold from usage_hourly where hour = $1',
      [hour],
    );
    expect(Object.fromEntries(rows.map((row) => [row.name, row.sold]))).toEqual(sold);
    const [counted] = await db.query(
      `select month_tokens(7, 'gemini-2.5-flash', since) as gemini, month_tokens(7, 'gpt-5', since) as gpt,
         month_tokens(7, 'gpt-5-high', since) as high, month_tokens(7, 'gpt-5-low', since) as low
       from (select extract(epoch from date_trunc('month', now() at time zone 'UTC') at time zone 'UTC')::bigint as since) m`,
    );
    expect(counted).toEqual({ gemini: 33, gpt: 22, high: 22, low: 0 });
    await db.close();
  });
});
