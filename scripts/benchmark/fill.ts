/**
 * Fills a database with a usage log as a busy site has it, by SQL alone and with books that hold: how fast the console
 * reads it is then seen with `plans.ts`. 10 million rows take Postgres some minutes and 15 GB.
 *
 *     DATABASE_URL=postgres://… DATA_DIR=… bun scripts/benchmark/fill.ts [--rows 10000000] [--days 365]
 *
 * 1,001 accounts of two tokens each, of whom one has made a fifth of all calls; 20 channels; 50 models, called by Zipf's
 * law; one call in twenty was refused; all over the last year, or so many days. Only an empty database is filled. What was broken off
 * goes on where it was when it is started once more with the same number of rows. Ends with 1 when the books do not hold.
 */
import { parseArgs } from 'node:util';
import { sql } from 'drizzle-orm';
import { createApi } from '../../src/api.ts';
import { type AuditReport, audit, auditText } from '../../src/billing/audit.ts';
import { MOVEMENT, openAccount } from '../../src/billing/ledger.ts';
import { affCode, relayKey } from '../../src/core/ids.ts';
import { maskKey } from '../../src/core/key-text.ts';
import { DAY_PART_SEC, DAY_SEC, nowSec } from '../../src/core/time.ts';
import type { Database, Tx } from '../../src/db/client.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { tokens, users } from '../../src/db/schema/user.ts';
import { rowsOf } from '../../src/db/statement.ts';
import { readEnv } from '../../src/env.ts';
import { openRuntime, type Runtime } from '../../src/runtime.ts';
import { Client } from '../../tests/support/api.ts';

export const ROOT = { username: 'root', password: 'Passw0rd1' };
/** Who has made a fifth of all calls; signs in as root does. */
export const HEAVY = 'account-0';
const MODELS = Array.from({ length: 50 }, (_, i) => `model-${i + 1}`);

const ACCOUNTS = 1_001;
const CHANNELS = 20;
const HEAVY_SHARE = 0.2;
const REFUSED_SHARE = 0.05;
/** A year. */
export const DAYS = 365;
/** No month is shorter. */
const MONTH_DAYS = 28;
const BALANCE = 1_000_000_000_000;
/** Rows of a transaction. */
const BATCH = 200_000;
/** Name of the row of `meta` that tells how far it is. */
const PROGRESS = 'filled_log';

interface Progress {
  total: number;
  /** Over which the rows are spread; what was begun without it is of a year. */
  days?: number;
  done: number;
  /** Unix seconds of the first row. */
  from: number;
}

/** Throws where the database holds anything else, or is to hold another number of rows. */
export async function fill(
  runtime: Runtime,
  total: number,
  {
    until = total,
    days = DAYS,
    say = () => {},
  }: { until?: number; days?: number; say?: (what: string) => void } = {},
): Promise<void> {
  const { db } = runtime;
  let progress = await progressOf(db);
  if (!progress) {
    await makeAccounts(runtime);
    const begun = { total, days, done: 0, from: nowSec() - days * DAY_SEC };
    for (let day = 0; day <= days; day += MONTH_DAYS) await ensurePartitions(db, begun.from + day * DAY_SEC);
    await db.orm.transaction((tx) => note(tx, begun));
    progress = begun;
  }
  const { from, days: begunDays = DAYS } = progress;
  if (progress.total !== total || begunDays !== days)
    throw new Error(`this database is to hold ${progress.total} rows of ${begunDays} days`);
  let { done } = progress;
  while (done < until) {
    const next = Math.min(done + BATCH, until);
    await db.orm.transaction((tx) => fillBatch(tx, { total, days, done, from }, next));
    done = next;
    say(`${done} of ${total} rows`);
  }
  // An embedded database is measured as sites have it: nothing gathers figures about its tables.
  if (db.engine === 'postgres') await db.script('vacuum analyze');
}

async function progressOf(db: Database): Promise<Progress | null> {
  const [row] = await db.query<{ value: string }>('select value from meta where name = $1', [PROGRESS]);
  if (row) return JSON.parse(row.value) as Progress;
  const [found] = await db.query<{ n: number }>('select count(*)::int as n from users');
  if (found?.n !== 0) throw new Error('this database has accounts already: an empty one is needed');
  return null;
}

const note = (tx: Tx, progress: Progress) =>
  tx.execute(sql`insert into meta (name, value) values (${PROGRESS}, ${JSON.stringify(progress)})
    on conflict (name) do update set value = excluded.value`);

/** Root and the channels as the console makes them, and the accounts with their balances and tokens. */
async function makeAccounts(runtime: Runtime): Promise<void> {
  const { db, env, passwords, secrets } = runtime;
  const api = createApi(runtime);
  const root = new Client(async (request) => api.handle(request));
  await succeeds(
    root.post('/api/setup', {
      ...ROOT,
      confirmPassword: ROOT.password,
      SelfUseModeEnabled: false,
      DemoSiteEnabled: false,
      setup_token: env.SETUP_TOKEN,
    }),
  );
  await root.login(ROOT.username, ROOT.password);
  for (let n = 1; n <= CHANNELS; n++) {
    await succeeds(
      root.post('/api/channel/', {
        name: `channel ${n}`,
        type: 1,
        key: `sk-upstream-${n}`,
        base_url: 'https://upstream.example',
        models: MODELS.join(','),
        group: 'default',
      }),
    );
  }
  const password_hash = await passwords.hash(ROOT.password);
  await db.orm.transaction(async (tx) => {
    for (let n = 0; n < ACCOUNTS; n++) {
      const username = `account-${n}`;
      const [user] = await tx
        .insert(users)
        .values({ username, password_hash, aff_code: affCode() })
        .returning({ id: users.id });
      if (!user) throw new Error('the account was not inserted');
      await openAccount(tx, { userId: user.id, amount: BALANCE, ref: crypto.randomUUID() });
      await tx.insert(tokens).values(
        ['first', 'second'].map((name) => {
          const key = relayKey();
          const [key_lookup, key_hint] = [secrets.lookup(key), maskKey(key)];
          return { user_id: user.id, name, key_lookup, key_hint, unlimited_quota: true };
        }),
      );
    }
  });
}

async function succeeds(answer: ReturnType<Client['get']>): Promise<void> {
  const { success, status, message } = await answer;
  if (!success) throw new Error(`${status} ${message}`);
}

/** By Zipf's law, each model's share of all calls together with those of the models before it. */
const modelBounds = (): number[] => {
  const shares = MODELS.map((_, i) => 1 / (i + 1));
  const all = shares.reduce((sum, share) => sum + share, 0);
  let below = 0;
  return shares.slice(0, -1).map((share) => (below += share / all));
};

/** A number from 0 to 1 that follows from the row's own and what it is for: a batch done again is the same. */
const chance = (use: number): string => `((hashint8extended(i, ${use}) & 2147483647) / 2147483648.0::float8)`;

/** Milliseconds to the first content. */
const FIRST_MS = '200 + i % 1500';
/** What a settled call tells of its price and its way. */
const CHARGED = `jsonb_build_object('model_price', -1, 'group_ratio', 1, 'user_group_ratio', -1, 'price_source', 'option',
  'model_ratio', 1.25, 'completion_ratio', 4, 'cache_tokens', 0, 'cache_ratio', 0.5, 'frt', ${FIRST_MS},
  'usage_source', 'upstream', 'stream_end', 'done', 'admin_info', jsonb_build_object('use_channel', jsonb_build_array(channel_id::text)))`;
const REFUSED = `jsonb_build_object('error', 'upstream_error', 'status', 502, 'text', jsonb_build_object('zh', '上游出错', 'en',
  'The upstream failed'), 'admin_info', jsonb_build_object('use_channel', jsonb_build_array(channel_id::text)))`;

/** The rows after `done` up to `next`, with all that a settlement writes beside them, in one transaction. */
async function fillBatch(tx: Tx, progress: Required<Progress>, next: number): Promise<void> {
  const { total, days, done, from } = progress;
  const bounds = modelBounds().join(',');
  const names = MODELS.map((name) => `'${name}'`).join(',');
  const statements = [
    `create temp table batch on commit drop as
     with accounts as materialized (
       select u.id as user_id, u.username, row_number() over (order by u.id) - 1 as n, min(t.id) as first, max(t.id) as second
       from users u join tokens t on t.user_id = u.id group by u.id
     ), channel_ids as materialized (select array_agg(id order by id) as ids from channels
     ), drawn as (
       select i, ${from} + i * ${days * DAY_SEC}::bigint / ${total} as created_at,
         case when ${chance(1)} < ${HEAVY_SHARE} then 0 else 1 + floor(${chance(2)} * ${ACCOUNTS - 1})::int end as account,
         case when ${chance(3)} < ${REFUSED_SHARE} then 6 else 2 end as type,
         (array[${names}])[width_bucket(${chance(4)}, array[${bounds}]::float8[]) + 1] as model_name,
         1 + floor(${chance(5)} * ${CHANNELS})::int as channel, ${chance(6)} < 0.7 as is_first,
         1 + floor(${chance(7)} * 4000)::bigint as pt, 1 + floor(${chance(8)} * 1000)::bigint as ct
       from generate_series(${done}::bigint, ${next - 1}::bigint) i
     )
     select i, created_at, type, model_name, user_id, username, ids[channel] as channel_id,
       case when is_first then first else second end as token_id,
       case when is_first then 'first' else 'second' end as token_name,
       (lpad(to_hex(created_at * 1000 + i % 1000), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8'
         || substr(md5(i::text), 4, 15))::uuid as request_id,
       case when type = 2 then pt else 0 end as prompt_tokens, case when type = 2 then ct else 0 end as completion_tokens,
       case when type = 2 then pt + 4 * ct else 0 end as quota
     from drawn join accounts on n = account cross join channel_ids`,
    `insert into logs (created_at, request_id, user_id, token_id, channel_id, type, username, token_name, model_name,
       group_name, quota, prompt_tokens, completion_tokens, use_time, is_stream, ip, content, other)
     select created_at, request_id, user_id, token_id, channel_id, type, username, token_name, model_name, 'default', quota,
       prompt_tokens, completion_tokens, i % 30, i % 3 > 0, '203.0.113.' || i % 250,
       case when type = 2 then '' else 'The upstream failed' end, case when type = 2 then ${CHARGED} else ${REFUSED} end
     from batch order by i`,
    `insert into ledger (ref, kind, user_id, delta, created_at)
     select request_id, ${MOVEMENT.charge}, user_id, -quota, created_at from batch where type = 2 order by i`,
    `insert into failures_hourly
     select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, 'default', 'upstream_error', count(*)
     from batch where type = 6 group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
     on conflict (hour, user_id, token_id, channel_id, model_name, group_name, code) do update
       set calls = failures_hourly.calls + excluded.calls`,
    `insert into usage_hourly
     select created_at / 3600 * 3600, user_id, token_id, channel_id, model_name, 'default', count(*),
       sum(prompt_tokens)::bigint, sum(completion_tokens)::bigint, sum(quota)::bigint, 0, sum(${FIRST_MS})::bigint, count(*)
     from batch where type = 2 group by 1, 2, 3, 4, 5 order by 1, 2, 3, 4, 5
     on conflict (hour, user_id, token_id, channel_id, model_name, group_name) do update set
       calls = usage_hourly.calls + excluded.calls, prompt_tokens = usage_hourly.prompt_tokens + excluded.prompt_tokens,
       completion_tokens = usage_hourly.completion_tokens + excluded.completion_tokens,
       quota = usage_hourly.quota + excluded.quota, first_ms = usage_hourly.first_ms + excluded.first_ms,
       first_calls = usage_hourly.first_calls + excluded.first_calls`,
    // As a settlement does: the daily work may have folded the beginning of a part.
    `insert into usage_late (part)
     select distinct created_at / ${DAY_PART_SEC} * ${DAY_PART_SEC} from batch where type = 2`,
    ...[
      ['users', 'user_id', ', quota = t.quota - s.used, request_count = t.request_count + s.calls'],
      ['tokens', 'token_id', ', accessed_time = s.at'],
      ['channels', 'channel_id', ''],
    ].map(
      ([table, id, more]) =>
        `update ${table} t set used_quota = t.used_quota + s.used${more} from (
           select ${id} as id, sum(quota)::bigint as used, count(*) as calls, max(created_at) as at
           from batch where type = 2 group by 1
         ) s where t.id = s.id`,
    ),
  ];
  for (const statement of statements) rowsOf(await tx.execute(sql.raw(statement)));
  await note(tx, { total, days, done: next, from });
}

/** Fills the database of the environment and audits it. */
async function run(): Promise<AuditReport> {
  const { values } = parseArgs({
    options: {
      rows: { type: 'string', default: '10000000' },
      days: { type: 'string', default: String(DAYS) },
    },
  });
  const [total, days] = [Number(values.rows), Number(values.days)];
  if (![total, days].every((n) => Number.isSafeInteger(n) && n > 0)) {
    throw new Error('--rows and --days take whole numbers');
  }
  const runtime = await openRuntime(
    { ...readEnv(), SETUP_TOKEN: crypto.randomUUID(), LOG_LEVEL: 'error' },
    { migrate: true },
  );
  try {
    await fill(runtime, total, { days, say: (what) => process.stderr.write(`${what}\n`) });
    return await audit(runtime.db);
  } finally {
    await runtime.close();
  }
}

if (import.meta.main) {
  const found = await run();
  console.log(auditText(found));
  process.exit(found.findings.length > 0 ? 1 : 0);
}
