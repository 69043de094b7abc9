/**
 * The benchmark. Every target is measured in turn, five rounds over, the raw pass-through first and last, and medians
 * are compared within this run only: figures of two runs, or of two machines, say little beside one another.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { SQL } from 'bun';
import { freePort, SETUP_TOKEN, setUpRelay } from '../../tests/support/gateway.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import { measureChoosing } from './choosing.ts';
import {
  cpuUs,
  familyCpuUs,
  layOut,
  load,
  ROOT,
  residentBytes,
  seedAccounts,
  startGateway,
  startServer,
  stopAll,
  type Target,
} from './processes.ts';
import { type Measured, mark, mid, PLAIN_HEAD, plainRow, STREAM_HEAD, streamRow, table } from './report.ts';
import { measureWords } from './words.ts';
import { type CallerDialect, CHUNK_EVERY_MS, CHUNKS, MODEL } from './workload.ts';

const { values: asked } = parseArgs({ options: { quick: { type: 'boolean' }, against: { type: 'string' } } });
const { quick = false, against } = asked;
const ROUNDS = quick ? 1 : 5;
const SECONDS = quick ? 0.5 : 2;
const WARM_UP_SECONDS = quick ? 1 : 5;
const STREAMS = quick ? 100 : 1_000;
/** So many that the machine is not full: what a chunk costs is compared on these. */
const FEWER_STREAMS = STREAMS / 5;
const CONNECTIONS = [1, 32, 200];
const ACCOUNTS = 1_000;

const work = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
const postgres = await openPostgresServer();
const postgresPid = await postgres.pid();

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));
process.on('exit', stopAll);

const series = new Map<string, Measured[]>();
const rounds = (name: string): Measured[] => series.get(name) ?? [];

interface Gateway {
  target: Target;
  keys: string[];
}

/** A gateway with its accounts, one channel to the mock, and prices; and the accounts' keys. */
async function gatewayOn(
  name: string,
  { databaseUrl, upstream, root = ROOT }: { databaseUrl: string; upstream: Target; root?: string },
): Promise<Gateway> {
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    NODE_ENV: 'production',
    BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
    DATA_DIR: join(work, name),
    DATABASE_URL: databaseUrl,
    PORT: String(freePort()),
    SETUP_TOKEN,
  };
  const keys = await seedAccounts(root, ACCOUNTS, env);
  const target = await startGateway(name, root, env);
  await setUpRelay({ base: `http://127.0.0.1:${target.port}` }, `http://127.0.0.1:${upstream.port}`, [MODEL]);
  return { target, keys };
}

async function plain(
  name: string,
  target: Target,
  connections: number,
  keys: readonly string[],
): Promise<void> {
  const before = { gateway: cpuUs(target.pid), postgres: familyCpuUs(postgresPid) };
  const figures = await load({
    port: target.port,
    kind: 'plain',
    connections,
    seconds: SECONDS,
    keys: [...keys],
  });
  series.set(`${name} ${connections}`, [
    ...rounds(`${name} ${connections}`),
    {
      ...figures,
      gatewayUs: (cpuUs(target.pid) - before.gateway) / figures.answered,
      postgresUs: (familyCpuUs(postgresPid) - before.postgres) / figures.answered,
    },
  ]);
}

let residentIdle = 0;
let residentMost = 0;

interface StreamLoad {
  target: Target;
  keys: readonly string[];
  count: number;
  dialect?: CallerDialect;
}

async function streams(name: string, { target, keys, count, dialect }: StreamLoad): Promise<void> {
  const cpuBefore = cpuUs(target.pid);
  const watched = name === 'Postgres streams';
  if (watched && residentIdle === 0) residentIdle = residentBytes(target.pid);
  const watch = setInterval(() => {
    if (watched) residentMost = Math.max(residentMost, residentBytes(target.pid));
  }, 100);
  const figures = await load({
    port: target.port,
    kind: 'streams',
    connections: count,
    seconds: 0,
    keys: [...keys],
    dialect,
  });
  clearInterval(watch);
  const gatewayUs = (cpuUs(target.pid) - cpuBefore) / (count * CHUNKS);
  series.set(name, [...rounds(name), { ...figures, gatewayUs }]);
}

/** The commit that is compared with, on a database of its own. */
async function gatewayBefore(commit: string, upstream: Target): Promise<Gateway> {
  const root = join(work, 'before-source');
  await layOut(commit, root);
  const server = new SQL(postgres.url);
  await server`create database before`;
  await server.close();
  const databaseUrl = Object.assign(new URL(postgres.url), { pathname: '/before' }).href;
  return gatewayOn('before', { databaseUrl, upstream, root });
}

async function measure(): Promise<void> {
  const mock = await startServer('direct', 'mock.ts');
  const raw = await startServer('raw', 'raw.ts', [`http://127.0.0.1:${mock.port}`]);
  const onPostgres = await gatewayOn('postgres', { databaseUrl: postgres.url, upstream: mock });
  const onPglite = await gatewayOn('pglite', { databaseUrl: '', upstream: mock });
  const before = against === undefined ? null : await gatewayBefore(against, mock);
  const oneKey = onPostgres.keys.slice(0, 1);

  // The compilers of a process come to rest only after some thousand calls.
  for (const { target, keys } of [{ target: raw, keys: oneKey }, onPostgres, onPglite, before ?? []].flat()) {
    const { port } = target;
    await load({ port, kind: 'plain', connections: 32, seconds: WARM_UP_SECONDS, keys: [...keys] });
  }

  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS}\n`);
    for (const connections of CONNECTIONS) {
      await plain('raw', raw, connections, oneKey);
      await plain('direct', mock, connections, oneKey);
      // Whichever goes first has the emptier machine: they take turns.
      if (before && round % 2 === 0) await plain('before', before.target, connections, before.keys);
      await plain('Postgres', onPostgres.target, connections, onPostgres.keys);
      if (before && round % 2 === 1) await plain('before', before.target, connections, before.keys);
      await plain('Postgres, one account', onPostgres.target, connections, oneKey);
      await plain('PGlite', onPglite.target, connections, onPglite.keys);
    }
    await streams('direct streams', { target: mock, keys: oneKey, count: STREAMS });
    await streams('raw streams', { target: raw, keys: oneKey, count: STREAMS });
    await streams('Postgres streams', { ...onPostgres, count: STREAMS });

    await streams('direct few', { target: mock, keys: oneKey, count: FEWER_STREAMS });
    if (before) await streams('before few', { ...before, count: FEWER_STREAMS });
    await streams('same dialect few', { ...onPostgres, count: FEWER_STREAMS });
    await streams('converted few', { ...onPostgres, count: FEWER_STREAMS, dialect: 'anthropic' });
  }
  for (const connections of CONNECTIONS) await plain('raw', raw, connections, oneKey);
}

function report(): void {
  console.log(
    `\n${cpus().length} cores shared by load, gateway, mock and Postgres (fsync on); ${ACCOUNTS} accounts; medians of ${ROUNDS} rounds of ${SECONDS} s\n`,
  );
  for (const connections of CONNECTIONS) {
    const names = [
      'direct',
      'raw',
      'Postgres',
      'Postgres, one account',
      'PGlite',
      ...(against ? ['before'] : []),
    ];
    const rows = names.map((name) =>
      plainRow(
        name,
        rounds(`${name} ${connections}`),
        rounds(`direct ${connections}`),
        rounds(`raw ${connections}`),
      ),
    );
    console.log(`${connections} connections\n${table(PLAIN_HEAD, rows)}\n`);
  }
  const streamTable = (count: number, kind: string, names: readonly string[]) => {
    const rows = names.map((name) => streamRow(name, rounds(`${name} ${kind}`), rounds(`direct ${kind}`)));
    console.log(
      `${count} streams at once, ${CHUNKS} chunks, ${CHUNK_EVERY_MS} ms apart\n${table(STREAM_HEAD, rows)}\n`,
    );
  };
  streamTable(FEWER_STREAMS, 'few', ['direct', ...(against ? ['before'] : []), 'same dialect', 'converted']);
  streamTable(STREAMS, 'streams', ['direct', 'raw', 'Postgres']);
  const perStream = Math.max(residentMost - residentIdle, 0) / STREAMS / 1024;
  console.log(`memory of the gateway: ${Math.round(perStream)} KiB a stream\n`);

  const choosing = measureChoosing();
  for (const { name, us } of choosing)
    console.log(`choosing among 1,000 channels, ${name}: ${us.toFixed(1)} µs`);
  const scans = measureWords();
  for (const { name, ms } of scans) console.log(`looking for 10,000 words in ${name}: ${ms.toFixed(2)} ms`);
  console.log('');

  const ofRaw = (connections: number) =>
    mid(rounds(`Postgres ${connections}`), 'rate') / mid(rounds(`raw ${connections}`), 'rate');
  const hot = (connections: number) =>
    mid(rounds(`Postgres, one account ${connections}`), 'rate') /
    mid(rounds(`Postgres ${connections}`), 'rate');
  const late = mid(rounds('Postgres streams'), 'p99') / mid(rounds('direct streams'), 'p99');
  const chunk = (name: string) => mid(rounds(`${name} few`), 'gatewayUs');
  const converted = chunk('converted') / chunk('same dialect');
  const failed = [...series.values()].flat().reduce((sum, one) => sum + one.failed, 0);
  console.log(mark('billed calls of raw at 32 connections', ofRaw(32), ofRaw(32) >= 0.15, '0.15 or more'));
  console.log(mark('billed calls of raw at 200 connections', ofRaw(200), ofRaw(200) >= 0.4, '0.4 or more'));
  console.log(mark('one hot account of many at 32', hot(32), hot(32) >= 0.9, '0.9 or more'));
  console.log(mark('one hot account of many at 200', hot(200), hot(200) >= 0.9, '0.9 or more'));
  console.log(mark('p99 of streams of direct', late, late <= 1.1, '1.1 or less'));
  console.log(mark('a converted chunk of one passed on', converted, converted <= 3, '3 or less'));
  if (against) {
    for (const connections of [32, 200]) {
      const [now, then] = ['Postgres', 'before'].map((name) => mid(rounds(`${name} ${connections}`), 'rate'));
      const share = (now ?? Number.NaN) / (then ?? Number.NaN);
      console.log(mark(`billed calls of ${against} at ${connections}`, share, share >= 0.95, '0.95 or more'));
    }
    const share = chunk('same dialect') / chunk('before');
    console.log(mark(`a chunk of ${against}`, share, share <= 1.05, '1.05 or less'));
  }
  const slowest = Math.max(...choosing.map(({ us }) => us));
  console.log(mark('microseconds of the slowest choice', slowest, slowest < 20, 'less than 20'));
  console.log(mark('failed calls', failed, failed === 0, 'none'));
}

try {
  await measure();
  report();
} finally {
  stopAll();
  await postgres.stop();
  await rm(work, { recursive: true, force: true });
}
process.exit(0);
