/**
 * Shows how the database finds what the console asks it for: every call under `/api` that reads is made in process, as
 * root and as an account, and each statement that it came to is explained, as it was sent, with its parameters. For a
 * database that `fill.ts` has filled; it only reads.
 *
 *     DATABASE_URL=postgres://… DATA_DIR=… bun scripts/benchmark/plans.ts [--full] [--only TEXT]
 *
 * A line a statement, the slowest last: its milliseconds, the pages that it touched, the call, and how its tables were
 * read. `--full` prints the whole plans before; `--only` asks the calls whose path holds the text. In the end stand the
 * reading calls that nobody asked here.
 */
import { parseArgs } from 'node:util';
import { SQL } from 'bun';
import { drizzle } from 'drizzle-orm/bun-sql';
import { createApi } from '../../src/api.ts';
import { audit } from '../../src/billing/audit.ts';
import { HOUR_SEC, nowSec } from '../../src/core/time.ts';
import { type Database, type Orm, openPostgres } from '../../src/db/client.ts';
import * as schema from '../../src/db/schema/index.ts';
import type { Param } from '../../src/db/statement.ts';
import { readEnv } from '../../src/env.ts';
import { createLogger } from '../../src/platform/logger.ts';
import { type Runtime, runtimeOver } from '../../src/runtime.ts';
import { Client } from '../../tests/support/api.ts';
import { HEAVY, ROOT } from './fill.ts';

interface Statement {
  text: string;
  params: readonly Param[];
}

export interface Explained {
  /** Whose statement it is: the path, or the name of a job. */
  call: string;
  text: string;
  ms: number;
  /** Pages of 8 KiB, found in memory and read. */
  pages: number;
  plan: readonly string[];
}

/** A database that notes what it is asked, while it is told to. */
interface Watched {
  db: Database;
  /** Runs `work`; what was asked meanwhile, each text once. */
  watch(work: () => Promise<unknown>): Promise<Statement[]>;
}

async function openWatched(url: string): Promise<Watched> {
  const inner = await openPostgres(url);
  const pool = new SQL(url, { max: 4, bigint: true });
  let noted: Statement[] | null = null;
  const note = (text: string, params: readonly unknown[] = []) =>
    noted?.push({ text, params: params as readonly Param[] });
  const orm = drizzle(pool, { schema, logger: { logQuery: note } }) as unknown as Orm;
  return {
    db: {
      ...inner,
      orm,
      query(text, params) {
        note(text, params);
        return inner.query(text, params);
      },
      queryByKey(text, params) {
        note(text, params);
        return inner.queryByKey(text, params);
      },
      async close() {
        await pool.close();
        await inner.close();
      },
    },
    async watch(work) {
      noted = [];
      await work();
      const found = noted;
      noted = null;
      return [...new Map(found.map((statement) => [statement.text, statement])).values()];
    },
  };
}

const READS = /^\s*(select|with)\b/i;
/** Statements that begin like reading ones and write, or lock. */
const WRITES =
  /\b(insert into|update \S+ set|update \S+ \S+ set|delete from|for update|set_config|pg_advisory)\b/i;

/** How the database goes about a statement, having done it. */
async function explain(sql: SQL, call: string, { text, params }: Statement): Promise<Explained> {
  const rows = await sql.unsafe(`explain (analyze, buffers) ${text}`, [...params]);
  const plan = rows.map((row: Record<string, string>) => String(row['QUERY PLAN']));
  const told = plan.join('\n');
  const number = (pattern: RegExp) => Number(pattern.exec(told)?.[1] ?? 0);
  return {
    call,
    text: text.replace(/\s+/g, ' ').trim(),
    ms: number(/Execution Time: ([\d.]+) ms/),
    // The first line of buffers is that of the whole.
    pages: number(/Buffers: shared hit=(\d+)/) + number(/Buffers: shared[^\n]*? read=(\d+)/),
    plan,
  };
}

const MONTH = /(?<=^logs)_(\d{4}_\d{2}|default)/;

/** How the tables were read: which scans, by which indexes, of what. */
const waysOf = (plan: readonly string[]): string => {
  const ways = plan.flatMap((line) => {
    const [, scan, index, table] =
      /((?:Parallel )?(?:Seq|Index|Index Only|Bitmap Heap|Bitmap Index) Scan)(?: Backward)?(?: using (\S+))? on (\S+)/.exec(
        line,
      ) ?? [];
    if (!scan || scan.includes('Bitmap Index') || line.includes('never executed')) return [];
    // The months of the log are read alike.
    return [`${scan.replace(/ Scan$/, '').toLowerCase()} ${(index ?? table ?? '').replace(MONTH, '')}`];
  });
  return [...new Set(ways)].join(', ');
};

interface Asked {
  as: 'root' | 'account';
  path: string;
}

/** Every reading call, with each filter that changes how its rows are found. */
async function questions(db: Database): Promise<Asked[]> {
  const [heavy] = await db.query<{ id: number }>('select id from users where username = $1', [HEAVY]);
  const [row] = await db.query<{ request_id: string }>(
    'select request_id from logs where type = 2 order by created_at desc limit 1',
  );
  const now = nowSec();
  const day = `start_timestamp=${now - 24 * HOUR_SEC}&end_timestamp=${now}`;
  const week = `start_timestamp=${now - 7 * 24 * HOUR_SEC}&end_timestamp=${now}`;
  const all = (path: string) => [path, `${path}?${day}`, `${path}?${week}`];
  const byFilter = (path: string, more: readonly string[]) =>
    [
      'type=2',
      'type=4',
      'type=1',
      'model_name=model-1',
      'model_name=model-50',
      'model_name=nothing-%25',
      'token_name=second',
      'group=default',
      `request_id=${row?.request_id}`,
      ...more,
    ].flatMap((filter) => [`${path}?${filter}`, `${path}?${filter}&${day}`]);
  const root: string[] = [
    ...all('/api/log/'),
    '/api/log/?p=1000&page_size=100',
    ...byFilter('/api/log/', [
      `username=${HEAVY}`,
      'username=account-7',
      'channel=3',
      'description=upstream',
      `username=${HEAVY}&type=4`,
    ]),
    ...all('/api/log/stat'),
    ...byFilter('/api/log/stat', [`username=${HEAVY}`, 'username=account-7', 'channel=3']),
    '/api/user/',
    '/api/user/?p=10&page_size=100',
    '/api/user/search?keyword=account-77',
    '/api/user/search?group=default',
    `/api/user/${heavy?.id}`,
    `/api/user/${heavy?.id}/statement`,
    `/api/user/${heavy?.id}/statement?kind=1`,
    `/api/user/${heavy?.id}/statement/export?${week}`,
    '/api/channel/',
    '/api/channel/search?keyword=channel',
    '/api/channel/1',
    '/api/channel/models',
    '/api/channel/models_enabled',
    '/api/redemption/',
    '/api/redemption/search?keyword=a',
    '/api/admin_action/',
    '/api/admin_action/export',
    '/api/topup/',
    '/api/activity/',
    '/api/audit/',
    '/api/option/',
    '/api/model_hub/admin/',
    '/api/group/',
    '/api/models',
  ];
  const own: string[] = [
    ...all('/api/log/self'),
    '/api/log/self?p=1000&page_size=100',
    ...byFilter('/api/log/self', []),
    ...all('/api/log/self/stat'),
    ...byFilter('/api/log/self/stat', []),
    '/api/user/self',
    '/api/user/models',
    '/api/user/statement',
    '/api/user/statement?kind=1',
    `/api/user/statement?${week}`,
    `/api/user/statement/export?${week}`,
    '/api/user/topup/self',
    '/api/user/topup/methods',
    '/api/user/aff/terms',
    '/api/user/aff/invited',
    '/api/user/fuel_pack/status',
    '/api/activity_list',
    '/api/token/',
    '/api/token/page',
    '/api/token/search?keyword=first',
    '/api/pricing',
    '/api/model_hub/',
    '/api/status',
  ];
  return [
    ...root.map((path): Asked => ({ as: 'root', path })),
    ...own.map((path): Asked => ({ as: 'account', path })),
  ];
}

export interface Plans {
  explained: Explained[];
  /** Calls that were not answered well, with what they said. */
  failed: string[];
  /** Paths of reading calls that nobody asked. */
  unasked: string[];
}

/** Asks everything whose path holds `only`, and explains it. */
export async function plansOf(
  url: string,
  open: (db: Database) => Promise<Runtime>,
  { only = '', say = () => {} }: { only?: string; say?: (what: string) => void } = {},
): Promise<Plans> {
  const { db, watch } = await openWatched(url);
  const runtime = await open(db);
  const sql = new SQL(url, { max: 1, bigint: true });
  const plans: Plans = { explained: [], failed: [], unasked: [] };
  try {
    const api = createApi(runtime);
    const client = () => new Client(async (request) => api.handle(request));
    const readers = {
      root: await client().login(ROOT.username, ROOT.password),
      account: await client().login(HEAVY, ROOT.password),
    };
    const explainAll = async (call: string, statements: readonly Statement[]) => {
      for (const statement of statements) {
        if (!READS.test(statement.text) || WRITES.test(statement.text)) continue;
        plans.explained.push(await explain(sql, call, statement));
      }
    };
    const asked = await questions(db);
    for (const { as, path } of asked.filter((one) => one.path.includes(only))) {
      say(path);
      const found = await watch(async () => {
        const { status, success, text } = await readers[as].get(path);
        // An export is no envelope.
        if (status !== 200 || success === false)
          plans.failed.push(`${path}: ${status} ${text.slice(0, 200)}`);
      });
      await explainAll(path, found);
    }
    if ('audit'.includes(only)) await explainAll('audit', await watch(() => audit(db)));
    plans.unasked = unasked(api.routes, asked);
  } finally {
    await sql.close();
    await runtime.close();
  }
  return plans;
}

function unasked(routes: readonly { method: string; path: string }[], asked: readonly Asked[]): string[] {
  const paths = asked.map(({ path }) => (path.split('?')[0] ?? '').replace(/\/$/, ''));
  return routes
    .filter(({ method }) => method === 'GET')
    .map(({ path }) => path.replace(/\/$/, ''))
    .filter((path) => {
      const pattern = new RegExp(`^${path.replace(/:[^/]+/g, '[^/]+')}$`);
      return !paths.some((one) => pattern.test(one));
    })
    .sort();
}

async function run(): Promise<boolean> {
  const { values } = parseArgs({ options: { full: { type: 'boolean' }, only: { type: 'string' } } });
  const env = { ...readEnv(), LOG_LEVEL: 'error' } as const;
  if (!env.DATABASE_URL)
    throw new Error('DATABASE_URL is not set: only Postgres tells its buffers and times');
  const log = createLogger(env.LOG_LEVEL);
  const { explained, failed, unasked } = await plansOf(env.DATABASE_URL, (db) => runtimeOver(env, db, log), {
    only: values.only,
    say: (what) => process.stderr.write(`${what}\n`),
  });
  explained.sort((a, b) => a.ms - b.ms);
  if (values.full)
    for (const { call, text, plan } of explained) console.log(`${call}\n${text}\n${plan.join('\n')}\n`);
  console.log('       ms   pages  how the tables were read; call; statement');
  for (const { call, ms, pages, text, plan } of explained) {
    const ways = waysOf(plan) || 'no table';
    console.log(
      `${ms.toFixed(1).padStart(9)} ${String(pages).padStart(7)}  ${ways}; ${call}; ${text.slice(0, 50)}`,
    );
  }
  for (const each of failed) console.log(`FAILED  ${each}`);
  console.log(`\nnot asked: ${unasked.join(' ')}`);
  return failed.length === 0;
}

if (import.meta.main) process.exit((await run()) ? 0 : 1);
