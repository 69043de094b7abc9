/**
 * How quick the console is on a large log: each call is made in process, as root and as the account with most calls, first
 * after a restart of the database (what the disk's cache holds stays), and then again and again. Prints milliseconds to the last byte and what the process holds.
 *
 *     ./scripts/size [--rows 10000000] [--rounds 5]
 */
import { parseArgs } from 'node:util';
import { createApi } from '../../src/app.ts';
import { audit, auditText } from '../../src/billing/audit.ts';
import { DAY_SEC, nowSec } from '../../src/core/time.ts';
import { readEnv } from '../../src/env.ts';
import { foldUsage } from '../../src/modules/usage/fold.ts';
import { openRuntime } from '../../src/runtime.ts';
import { Client } from '../../tests/support/api.ts';
import { tempFolder } from '../../tests/support/database.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import { fill, HEAVY, ROOT } from './fill.ts';
import { createDatabase, databaseUrl } from './postgres.ts';

/** The longest that a page may take, p95. */
const BOUND_MS = 300;
const EXPORT_ROWS = 100_000;
const MEBIBYTE = 2 ** 20;

export interface Asked {
  as: 'root' | 'account';
  path: string;
  /** No page: it may take as long as it takes. */
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
];
const ADMIN_FILTERS = [
  `username=${HEAVY}`,
  'username=account-7',
  'channel=3',
  'status=200',
  'description=model',
];
const DIMENSIONS = ['model', 'token', 'group'];
const ADMIN_DIMENSIONS = ['user', 'channel'];
const METRICS = ['quota', 'calls', 'tokens', 'cached', 'failed', 'first'];

const nameOf = (filter: string): string => filter.split('=')[0] ?? '';

/** Each filter alone, and each pair of different ones. */
export const aloneAndInPairs = (filters: readonly string[]): string[] => [
  '',
  ...filters,
  ...filters.flatMap((one, n) =>
    filters.slice(n + 1).flatMap((other) => (nameOf(one) === nameOf(other) ? [] : [`${one}&${other}`])),
  ),
];

export function questions(now: number): Asked[] {
  const since = (days: number) => `start_timestamp=${now - days * DAY_SEC}`;
  return (['root', 'account'] as const).flatMap((as): Asked[] => {
    const own = as === 'account' ? 'self' : '';
    const filters = as === 'account' ? FILTERS : [...FILTERS, ...ADMIN_FILTERS];
    const views = aloneAndInPairs(filters).flatMap((filter) =>
      [1, 90].flatMap((days) => [
        `/api/log/${own}?${since(days)}&${filter}&page_size=20`,
        `/api/log/${own ? 'self/' : ''}stat?${since(days)}&${filter}`,
      ]),
    );
    const charts = [...DIMENSIONS, ...(as === 'account' ? [] : ADMIN_DIMENSIONS)].flatMap((dimension) =>
      METRICS.map(
        (metric) =>
          `/api/data/${own ? 'self/' : ''}usage?${since(90)}&dimension=${dimension}&metric=${metric}&step=day&time_zone=Asia/Shanghai`,
      ),
    );
    const pages = [...views, `/api/log/${own}?p=1000&page_size=100`, '/api/log/names', ...charts];
    return [
      ...pages.map((path): Asked => ({ as, path })),
      { as, path: `/api/log/export?${since(90)}`, isExport: true },
    ];
  });
}

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.ceil(times.length * share) - 1] ?? Number.NaN;

interface Took extends Asked {
  cold: number;
  warm: number[];
}

/** Reads an answer to its last byte, or to so many lines. */
async function read(client: Client, { path, isExport }: Asked): Promise<number> {
  const began = performance.now();
  const headers = new Headers({
    host: 'localhost',
    cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  });
  if (client.userId !== null) headers.set('new-api-user', String(client.userId));
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
  url: string;
  /** Forgets what its memory holds; undefined for a database that is not ours. */
  restart?: () => Promise<void>;
  close(): Promise<void>;
}

async function placeOf(): Promise<Place> {
  const { DATABASE_URL } = readEnv();
  if (DATABASE_URL) return { url: DATABASE_URL, close: async () => {} };
  const server = await openPostgresServer();
  await createDatabase(server.url, 'size');
  return {
    url: databaseUrl(server.url, 'size'),
    async restart() {
      await server.stop();
      await server.start();
    },
    close: () => server.stop(),
  };
}

/** Limits of calls are no part of what is measured. */
const UNLIMITED = '1000000';

async function measure(
  { url, restart }: Omit<Place, 'close'>,
  rows: number,
  rounds: number,
): Promise<boolean> {
  const folder = await tempFolder();
  const env = {
    ...readEnv(),
    DATABASE_URL: url,
    DATA_DIR: folder,
    SETUP_TOKEN: crypto.randomUUID(),
    LOG_LEVEL: 'error',
  } as const;
  const say = (what: string) => process.stderr.write(`${what}\n`);
  const filled = await openRuntime(env, { migrate: true });
  await fill(filled, rows, { say });
  const began = performance.now();
  const parts = await foldUsage(filled.db);
  say(`${parts} parts of days folded in ${Math.round(performance.now() - began)} ms`);
  await filled.db.script('vacuum analyze');
  const books = await audit(filled.db);
  await filled.close();
  await restart?.();

  const runtime = await openRuntime(env, { migrate: false });
  const api = createApi(runtime);
  const client = () => new Client(async (request) => api.handle(request));
  const readers = {
    root: await client().login(ROOT.username, ROOT.password),
    account: await client().login(HEAVY, ROOT.password),
  };
  await readers.root.put('/api/option/', { key: 'ApiRateLimitSession', value: UNLIMITED });
  const took: Took[] = [];
  const rss = () => process.memoryUsage.rss() / MEBIBYTE;
  const before = rss();
  let most = before;
  for (const asked of questions(nowSec())) {
    const cold = await read(readers[asked.as], asked);
    const warm: number[] = [];
    while (warm.length < (asked.isExport ? 1 : rounds)) warm.push(await read(readers[asked.as], asked));
    most = Math.max(most, rss());
    took.push({ ...asked, cold, warm });
  }
  await runtime.close();

  const p95 = ({ warm }: Took) => quantile(warm, 0.95);
  took.sort((a, b) => p95(a) - p95(b));
  console.log('cold, ms  p95, ms');
  for (const one of took) {
    const isSlow = !one.isExport && p95(one) > BOUND_MS;
    console.log(
      `${one.cold.toFixed(0).padStart(8)} ${p95(one).toFixed(0).padStart(8)}  ${isSlow ? 'SLOW ' : ''}${one.as} ${one.path}`,
    );
  }
  const pages = took.filter(({ isExport }) => !isExport);
  const slow = pages.filter((one) => p95(one) > BOUND_MS);
  const all = pages.flatMap(({ warm }) => warm);
  console.log(
    `${rows} rows, ${pages.length} pages: p95 ${quantile(all, 0.95).toFixed(0)} ms warm, ` +
      `${quantile(
        pages.map(({ cold }) => cold),
        0.95,
      ).toFixed(0)} ms ${restart ? 'cold' : 'the first time'}; ${slow.length} over ${BOUND_MS} ms. ` +
      `Memory ${before.toFixed(0)} MiB, at most ${most.toFixed(0)}.`,
  );
  console.log(auditText(books));
  return slow.length === 0 && books.findings.length === 0;
}

async function run(): Promise<boolean> {
  const { values } = parseArgs({
    options: { rows: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '5' } },
  });
  const [rows, rounds] = [Number(values.rows), Number(values.rounds)];
  if (!Number.isSafeInteger(rows) || rows < 1 || !Number.isSafeInteger(rounds) || rounds < 1) {
    throw new Error('--rows and --rounds take whole numbers');
  }
  const place = await placeOf();
  try {
    return await measure(place, rows, rounds);
  } finally {
    await place.close();
  }
}

if (import.meta.main) process.exit((await run()) ? 0 : 1);
