/**
 * How quick the console is on a large log: each call is made in process, as root and as the account with most calls, first
 * after a restart of the database (what the disk's cache holds stays), and then again and again; so is each page, as a
 * browser asks for it. Prints milliseconds to the last byte, processor time, which others on the machine leave as it is, and
 * what the process holds.
 *
 *     ./scripts/size [--pglite] [--rows N] [--days 365] [--rounds 5] [--only TEXT]
 */
import { rm } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { createApp } from '../../src/app.ts';
import { audit, auditText } from '../../src/billing/audit.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import type { Database } from '../../src/db/client.ts';
import { type Env, readEnv } from '../../src/env.ts';
import { foldUsage } from '../../src/modules/usage/fold.ts';
import { type Limiter, type LimitRule, limitState } from '../../src/platform/limiter.ts';
import { openRuntime } from '../../src/runtime.ts';
import { Client } from '../../tests/support/api.ts';
import { tempFolder } from '../../tests/support/database.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import { DAYS, fill, HEAVY, ROOT } from './fill.ts';
import { cpuOfPostgres, totalUs } from './linux.ts';
import { createDatabase, databaseUrl, postmasterOf } from './postgres.ts';

/** The longest that a page may take, p95. */
const BOUND_MS = 300;
const EXPORT_ROWS = 100_000;
const MEBIBYTE = 2 ** 20;

export interface Asked {
  as: 'root' | 'account';
  path: string;
  /** A page as HTML, else a call. */
  isPage?: boolean;
  /** It may take as long as it takes. */
  isExport?: boolean;
}

/** Filters of the log as its page has them; users are not asked for the last four. */
const FILTERS = [
  'type=2',
  'type=6',
  'token_name=first',
  'model_name=model-1',
  'model_name=%22model-30%22',
  'group=default',
  'code=upstream_error',
];
const ADMIN_FILTERS = [
  `username=${HEAVY}`,
  'username=account-7',
  'channel=3',
  'status=200',
  'description=model',
];
const DIMENSIONS = ['model', 'token', 'group', 'code'];
const ADMIN_DIMENSIONS = ['user', 'channel'];
/** Zones whose days begin within a part of a day, and within an hour. */
const ZONES = ['America/New_York', 'Asia/Kolkata'];
const ORDERS = ['-cost', 'token', '-duration'];
const METRICS = ['quota', 'calls', 'tokens', 'input', 'output', 'cached', 'failed', 'first'];

/** What the page of the log asks for beside its time, and what it asks for administrators alone. */
const SEARCHES = [
  'type=2',
  'type=6',
  'token=first',
  'model=model-1',
  'group=default',
  'code=upstream_error',
  'sort=-cost',
  'p=50&size=100',
];
const ADMIN_SEARCHES = [
  `user=${HEAVY}`,
  `user=${HEAVY}&model=model-1`,
  'channel=3',
  'status=200',
  'detail=model',
];

const nameOf = (filter: string): string => filter.split('=')[0] ?? '';

/** Each filter alone, and each pair of different ones. */
const aloneAndInPairs = (filters: readonly string[]): string[] => [
  '',
  ...filters,
  ...filters.flatMap((one, n) =>
    filters.slice(n + 1).flatMap((other) => (nameOf(one) === nameOf(other) ? [] : [`${one}&${other}`])),
  ),
];

/** A token of the account, and the last call that was charged to it. */
async function namesOf(db: Database): Promise<{ token_id: number; request_id: string }> {
  const [row] = await db.query<{ token_id: number; request_id: string }>(
    `select token_id, request_id from logs where type = 2 and username = $1 order by created_at desc limit 1`,
    [HEAVY],
  );
  if (!row) throw new Error('the account has made no calls');
  return row;
}

async function questions(db: Database, now: number): Promise<Asked[]> {
  const since = (days: number) => `start_timestamp=${now - days * DAY_SEC}`;
  const { token_id, request_id } = await namesOf(db);
  const everybodys = [...FILTERS, `token_id=${token_id}`, `request_id=${request_id}`];
  return (['root', 'account'] as const).flatMap((as): Asked[] => {
    const own = as === 'account' ? 'self' : '';
    const filters = as === 'account' ? everybodys : [...everybodys, ...ADMIN_FILTERS];
    const views = aloneAndInPairs(filters).flatMap((filter) =>
      [1, 90].flatMap((days) => [
        `/api/log/${own}?${since(days)}&${filter}&page_size=20`,
        `/api/log/${own ? 'self/' : ''}stat?${since(days)}&${filter}`,
      ]),
    );
    const charts = `/api/data/${own ? 'self/' : ''}usage?`;
    const usage = `${charts}${since(90)}&step=day&time_zone=Asia/Shanghai`;
    const details = [...DIMENSIONS, ...(as === 'account' ? [] : ADMIN_DIMENSIONS)].flatMap((dimension) => [
      ...METRICS.map((metric) => `${usage}&dimension=${dimension}&metric=${metric}`),
      ...ZONES.map((zone) => `${charts}${since(90)}&step=day&time_zone=${zone}&dimension=${dimension}`),
      `${charts}${since(14)}&step=hour&dimension=${dimension}`,
    ]);
    const pages = [
      ...views,
      `/api/log/${own}?p=1000&page_size=100`,
      '/api/log/names',
      ...ORDERS.map((order) => `/api/log/${own}?${since(90)}&sort=${order}&page_size=20`),
      ...details,
      ...(as === 'account'
        ? []
        : DIMENSIONS.map((dimension) => `${usage}&username=${HEAVY}&dimension=${dimension}`)),
      `/api/data/${own}?${since(28)}`,
    ];
    return [
      ...pages.map((path): Asked => ({ as, path })),
      { as, path: `/api/log/${request_id}/receipt` },
      ...(as === 'account' ? [] : [{ as, path: `/api/user/search?keyword=${HEAVY}` }]),
      ...browsed(as, request_id),
      { as, path: `/api/log/export?${since(90)}`, isExport: true },
    ];
  });
}

/** The pages that show what was used, and the administrators' way to a user. */
function browsed(as: Asked['as'], requestId: string): Asked[] {
  const searches = as === 'account' ? SEARCHES : [...SEARCHES, ...ADMIN_SEARCHES];
  const dimensions = as === 'account' ? DIMENSIONS : [...DIMENSIONS, ...ADMIN_DIMENSIONS];
  return [
    '/log',
    ...['', ...searches].map((search) => `/log?range=90d&${search}`),
    `/log?id=${requestId}`,
    ...dimensions.map((dimension) => `/detail?range=90d&step=day&by=${dimension}`),
    '/detail?range=90d&metric=first',
    ...(as === 'account' ? [] : [`/detail?range=90d&user=${HEAVY}`, `/user?q=${HEAVY}`]),
  ].map((path) => ({ as, path, isPage: true }));
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;

interface Took extends Asked {
  /** Milliseconds. */
  cold: number;
  warm: number[];
  /** Milliseconds of processors, a warm call. */
  cpu: number;
}

/** Reads an answer to its last byte, or to so many lines. */
async function read(client: Client, { path, isPage, isExport }: Asked): Promise<number> {
  const began = performance.now();
  const headers = new Headers({
    host: 'localhost',
    ...(isPage && { accept: 'text/html', 'accept-encoding': 'gzip' }),
    cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });
  if (client.userId !== null && !isPage) headers.set('new-api-user', String(client.userId));
  const answer = await client.handle(new Request(`http://localhost${path}`, { headers }));
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  if (!isExport || !answer.body) await answer.arrayBuffer();
  else {
    let lines = 0;
    for await (const piece of answer.body) {
      for (const byte of piece) if (byte === 10) lines++;
      if (lines >= EXPORT_ROWS) break;
    }
  }
  return performance.now() - began;
}

interface Place {
  env: Env;
  /** Forgets what its memory holds; undefined for a database that is not ours. */
  restart?: () => Promise<void>;
  close(): Promise<void>;
}

async function placeOf(isEmbedded: boolean): Promise<Place> {
  const env = { ...readEnv(), SETUP_TOKEN: crypto.randomUUID(), LOG_LEVEL: 'error' } as const;
  if (env.DATABASE_URL && !isEmbedded) return { env, close: async () => {} };
  const DATA_DIR = await tempFolder();
  const forget = () => rm(DATA_DIR, { recursive: true, force: true });
  // What an embedded one holds in memory goes when it is closed.
  if (isEmbedded)
    return { env: { ...env, DATA_DIR, DATABASE_URL: '' }, restart: async () => {}, close: forget };
  const server = await openPostgresServer();
  await createDatabase(server.url, 'size');
  return {
    env: { ...env, DATA_DIR, DATABASE_URL: databaseUrl(server.url, 'size') },
    async restart() {
      await server.stop();
      await server.start();
    },
    async close() {
      await server.stop();
      await forget();
    },
  };
}

/** How many calls and pages one may ask for is no part of what is measured. */
const unlimited = (limiter: Limiter): Limiter =>
  Object.assign(Object.create(limiter), {
    takeAll: async (rules: readonly LimitRule[]) => rules.map((rule) => limitState(rule, 0, 0)),
  });

const EMBEDDED_ROWS = '200000';
const ROWS = '10000000';

async function measure(
  { env, restart }: Omit<Place, 'close'>,
  { rows, days, rounds, only }: { rows: number; days: number; rounds: number; only: string },
): Promise<boolean> {
  const say = (what: string) => process.stderr.write(`${what}\n`);
  const filled = await openRuntime(env, { migrate: true });
  await fill(filled, rows, { days, say });
  const began = performance.now();
  const parts = await foldUsage(filled.db);
  say(`${parts} parts of days folded in ${Math.round(performance.now() - began)} ms`);
  if (filled.db.engine === 'postgres') await filled.db.script('vacuum analyze usage_folded, usage_parts');
  const books = await audit(filled.db);
  await filled.close();
  await restart?.();

  const postmaster = env.DATABASE_URL ? await postmasterOf(env.DATABASE_URL) : undefined;
  /** Milliseconds of this process and of the database. */
  const cpu = () => {
    const own = process.cpuUsage();
    const ofDatabase = postmaster === undefined ? 0 : totalUs(cpuOfPostgres(postmaster));
    return (own.user + own.system + ofDatabase) / 1_000;
  };
  const runtime = await openRuntime(env, { migrate: false });
  const limiter = unlimited(runtime.limiter);
  const { front } = await createApp({ ...runtime, limiter }, async () => [runtime.metrics.snapshot()]);
  const client = () => new Client(async (request) => front(request, null));
  const readers = {
    root: await client().login(ROOT.username, ROOT.password),
    account: await client().login(HEAVY, ROOT.password),
  };
  const took: Took[] = [];
  const rss = () => process.memoryUsage.rss() / MEBIBYTE;
  const before = rss();
  let most = before;
  for (const asked of (await questions(runtime.db, nowSec())).filter(({ path }) => path.includes(only))) {
    const cold = await read(readers[asked.as], asked);
    const warm: number[] = [];
    const used = cpu();
    while (warm.length < (asked.isExport ? 1 : rounds)) warm.push(await read(readers[asked.as], asked));
    took.push({ ...asked, cold, warm, cpu: (cpu() - used) / warm.length });
    most = Math.max(most, rss());
  }
  await runtime.close();

  const p95 = ({ warm }: Took) => quantile(warm, 0.95);
  took.sort((a, b) => p95(a) - p95(b));
  const head = [restart ? 'cold' : 'first', 'warm p50', 'warm p95', 'CPU'];
  console.log(`${head.map((text) => text.padStart(8)).join(' ')}  of a call, ms`);
  for (const one of took) {
    const isSlow = !one.isExport && p95(one) > BOUND_MS;
    const figures = [one.cold, quantile(one.warm, 0.5), p95(one), one.cpu]
      .map((ms) => ms.toFixed(0).padStart(8))
      .join(' ');
    console.log(`${figures}  ${isSlow ? 'SLOW ' : ''}${one.isPage ? 'page of ' : ''}${one.as} ${one.path}`);
  }
  const bounded = took.filter(({ isExport }) => !isExport);
  const slow = bounded.filter((one) => p95(one) > BOUND_MS);
  const spread = (times: readonly number[]) =>
    [0.5, 0.95, 1].map((share) => quantile(times, share).toFixed(0)).join(', ');
  console.log(`${rows} rows of ${days} days; p50, p95 and most:`);
  for (const [name, all] of [
    ['calls', bounded.filter(({ isPage }) => !isPage)],
    ['pages', bounded.filter(({ isPage }) => isPage)],
  ] as const) {
    if (all.length === 0) continue;
    console.log(
      `${all.length} ${name}: warm ${spread(all.flatMap(({ warm }) => warm))} ms, ` +
        `${restart ? 'cold' : 'the first time'} ${spread(all.map(({ cold }) => cold))} ms, ` +
        `of processors ${spread(all.map((one) => one.cpu))} ms; ` +
        `${all.filter((one) => p95(one) > BOUND_MS).length} over ${BOUND_MS} ms, ` +
        `${all.filter((one) => one.cpu > BOUND_MS).length} by processor time` +
        `${env.DATABASE_URL && postmaster === undefined ? ' without the database' : ''}.`,
    );
  }
  console.log(`Memory ${before.toFixed(0)} MiB, at most ${most.toFixed(0)}.`);
  console.log(
    `Load of the machine: ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')}.`,
  );
  console.log(auditText(books));
  return slow.length === 0 && books.findings.length === 0;
}

async function run(): Promise<boolean> {
  const { values } = parseArgs({
    options: {
      pglite: { type: 'boolean', default: false },
      rows: { type: 'string' },
      days: { type: 'string', default: String(DAYS) },
      rounds: { type: 'string', default: '5' },
      only: { type: 'string', default: '' },
    },
  });
  const rows = Number(values.rows ?? (values.pglite ? EMBEDDED_ROWS : ROWS));
  const days = Number(values.days);
  const rounds = Number(values.rounds);
  if (![rows, days, rounds].every((n) => Number.isSafeInteger(n) && n > 0)) {
    throw new Error('--rows, --days and --rounds take whole numbers');
  }
  const place = await placeOf(values.pglite);
  try {
    return await measure(place, { rows, days, rounds, only: values.only });
  } finally {
    await place.close();
  }
}

if (import.meta.main) process.exit((await run()) ? 0 : 1);
