/**
 * The benchmark. Every target is measured in turn, five rounds over, the raw pass-through first and last, and medians
 * are compared within this run only: figures of two runs, or of two machines, say little beside one another.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, setUpRelay } from '../../tests/support/gateway.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import {
  cpuUs,
  familyCpuUs,
  load,
  residentBytes,
  runScript,
  startGateway,
  startServer,
  stopAll,
  type Target,
} from './processes.ts';
import { type Measured, mark, mid, PLAIN_HEAD, plainRow, STREAM_HEAD, streamRow, table } from './report.ts';
import { CHUNK_EVERY_MS, CHUNKS, MODEL } from './workload.ts';

const quick = process.argv.includes('--quick');
const ROUNDS = quick ? 1 : 5;
const SECONDS = quick ? 0.5 : 2;
const WARM_UP_SECONDS = quick ? 1 : 5;
const STREAMS = quick ? 100 : 1_000;
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

/** A gateway with its accounts, one channel to the mock, and prices; and the accounts' keys. */
async function gatewayOn(name: string, databaseUrl: string, upstream: Target) {
  const env: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: process.env.HOME ?? '',
    NODE_ENV: 'production',
    BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
    DATA_DIR: join(work, name),
    DATABASE_URL: databaseUrl,
    PORT: String(freePort()),
  };
  const keys = JSON.parse(await runScript('seed.ts', [String(ACCOUNTS)], env)) as string[];
  const target = await startGateway(name, env);
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

async function streams(name: string, target: Target, keys: readonly string[]): Promise<void> {
  const cpuBefore = cpuUs(target.pid);
  const watched = name === 'Postgres';
  if (watched && residentIdle === 0) residentIdle = residentBytes(target.pid);
  const watch = setInterval(() => {
    if (watched) residentMost = Math.max(residentMost, residentBytes(target.pid));
  }, 100);
  const figures = await load({
    port: target.port,
    kind: 'streams',
    connections: STREAMS,
    seconds: 0,
    keys: [...keys],
  });
  clearInterval(watch);
  const gatewayUs = (cpuUs(target.pid) - cpuBefore) / (STREAMS * CHUNKS);
  series.set(`${name} streams`, [...rounds(`${name} streams`), { ...figures, gatewayUs }]);
}

async function measure(): Promise<void> {
  const mock = await startServer('direct', 'mock.ts');
  const raw = await startServer('raw', 'raw.ts', [`http://127.0.0.1:${mock.port}`]);
  const onPostgres = await gatewayOn('postgres', postgres.url, mock);
  const onPglite = await gatewayOn('pglite', '', mock);
  const oneKey = onPostgres.keys.slice(0, 1);

  // The compilers of a process come to rest only after some thousand calls.
  for (const { port, keys } of [
    { port: raw.port, keys: oneKey },
    { port: onPostgres.target.port, keys: onPostgres.keys },
    { port: onPglite.target.port, keys: onPglite.keys },
  ]) {
    await load({ port, kind: 'plain', connections: 32, seconds: WARM_UP_SECONDS, keys });
  }

  for (let round = 1; round <= ROUNDS; round++) {
    process.stderr.write(`round ${round} of ${ROUNDS}\n`);
    for (const connections of CONNECTIONS) {
      await plain('raw', raw, connections, oneKey);
      await plain('direct', mock, connections, oneKey);
      await plain('Postgres', onPostgres.target, connections, onPostgres.keys);
      await plain('Postgres, one account', onPostgres.target, connections, oneKey);
      await plain('PGlite', onPglite.target, connections, onPglite.keys);
    }
    await streams('direct', mock, oneKey);
    await streams('raw', raw, oneKey);
    await streams('Postgres', onPostgres.target, onPostgres.keys);
  }
  for (const connections of CONNECTIONS) await plain('raw', raw, connections, oneKey);
}

function report(): void {
  console.log(
    `\n${cpus().length} cores shared by load, gateway, mock and Postgres (fsync on); ${ACCOUNTS} accounts; medians of ${ROUNDS} rounds of ${SECONDS} s\n`,
  );
  for (const connections of CONNECTIONS) {
    const rows = ['direct', 'raw', 'Postgres', 'Postgres, one account', 'PGlite'].map((name) =>
      plainRow(
        name,
        rounds(`${name} ${connections}`),
        rounds(`direct ${connections}`),
        rounds(`raw ${connections}`),
      ),
    );
    console.log(`${connections} connections\n${table(PLAIN_HEAD, rows)}\n`);
  }
  const rows = ['direct', 'raw', 'Postgres'].map((name) =>
    streamRow(name, rounds(`${name} streams`), rounds('direct streams')),
  );
  console.log(
    `${STREAMS} streams at once, ${CHUNKS} chunks, ${CHUNK_EVERY_MS} ms apart\n${table(STREAM_HEAD, rows)}`,
  );
  const perStream = Math.max(residentMost - residentIdle, 0) / STREAMS / 1024;
  console.log(`memory of the gateway: ${Math.round(perStream)} KiB a stream\n`);

  const ofRaw = (connections: number) =>
    mid(rounds(`Postgres ${connections}`), 'rate') / mid(rounds(`raw ${connections}`), 'rate');
  const hot = (connections: number) =>
    mid(rounds(`Postgres, one account ${connections}`), 'rate') /
    mid(rounds(`Postgres ${connections}`), 'rate');
  const late = mid(rounds('Postgres streams'), 'p99') / mid(rounds('direct streams'), 'p99');
  const failed = [...series.values()].flat().reduce((sum, one) => sum + one.failed, 0);
  console.log(mark('billed calls of raw at 32 connections', ofRaw(32), ofRaw(32) >= 0.15, '0.15 or more'));
  console.log(mark('billed calls of raw at 200 connections', ofRaw(200), ofRaw(200) >= 0.4, '0.4 or more'));
  console.log(mark('one hot account of many at 32', hot(32), hot(32) >= 0.9, '0.9 or more'));
  console.log(mark('one hot account of many at 200', hot(200), hot(200) >= 0.9, '0.9 or more'));
  console.log(mark('p99 of streams of direct', late, late <= 1.1, '1.1 or less'));
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
