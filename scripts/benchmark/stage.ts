/** Everything that is measured, and what it stands on: started, filled with accounts, and stopped again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, SETUP_TOKEN, setUpRelay } from '../../tests/support/gateway.ts';
import { openPostgresServer } from '../../tests/support/postgres-server.ts';
import { createDatabase, databaseUrl, openEye, type PostgresEye } from './postgres.ts';
import {
  auditOf,
  layOut,
  ROOT,
  seedAccounts,
  startGateway,
  startServer,
  stopAll,
  stopGateway,
  type Target,
} from './processes.ts';
import { MODEL } from './workload.ts';

/** Whom the load asks, and with which keys. */
export interface Asked {
  target: Target;
  keys: string[];
}

interface Gateway extends Asked {
  env: Record<string, string>;
}

export interface Stage {
  mock: Target;
  /** The mock itself, and the smallest relay in front of it. */
  direct: Asked;
  raw: Asked;
  onPostgres: Asked;
  onPglite: Asked;
  /** The product as it was at the commit that is compared with, on Postgres too. */
  before: Asked | null;
  postgresPid: number;
  eye: PostgresEye;
  /** Stops the gateways of today, and audits their databases by their names. */
  audits(): Promise<{ name: string; isClean: boolean; text: string }[]>;
  close(): Promise<void>;
}

export interface StageSize {
  accounts: number;
  /** A commit. */
  against?: string;
}

export async function openStage({ accounts, against }: StageSize): Promise<Stage> {
  const work = await mkdtemp(join(tmpdir(), 'tollgate-bench-'));
  const postgres = await openPostgresServer();

  /** A gateway with its accounts, one channel to the mock, and prices; and the accounts' keys. */
  async function gatewayOn(name: string, url: string, upstream: Target, root = ROOT): Promise<Gateway> {
    const env: Record<string, string> = {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      NODE_ENV: 'production',
      BUN_CONFIG_MAX_HTTP_REQUESTS: '20000',
      DATA_DIR: join(work, name),
      DATABASE_URL: url,
      PORT: String(freePort()),
      SETUP_TOKEN,
    };
    const keys = await seedAccounts(root, accounts, env);
    const target = await startGateway(name, root, env);
    const base = `http://127.0.0.1:${target.port}`;
    await setUpRelay({ base }, `http://127.0.0.1:${upstream.port}`, [MODEL]);
    return { target, keys, env };
  }

  /** On a database of its own. */
  async function gatewayBefore(commit: string, upstream: Target): Promise<Gateway> {
    const root = join(work, 'before-source');
    await layOut(commit, root);
    await createDatabase(postgres.url, 'before');
    return gatewayOn('before', databaseUrl(postgres.url, 'before'), upstream, root);
  }

  const close = async () => {
    stopAll();
    await postgres.stop();
    await rm(work, { recursive: true, force: true });
  };
  try {
    const mock = await startServer('direct', 'mock.ts');
    const raw = await startServer('raw', 'raw.ts', {
      args: [`http://127.0.0.1:${mock.port}`],
      heapSocket: join(work, 'raw.sock'),
    });
    const onPostgres = await gatewayOn('postgres', postgres.url, mock);
    const onPglite = await gatewayOn('pglite', '', mock);
    const before = against === undefined ? null : await gatewayBefore(against, mock);
    const eye = await openEye(postgres.url);
    const anyKey = onPostgres.keys.slice(0, 1);
    return {
      mock,
      direct: { target: mock, keys: anyKey },
      raw: { target: raw, keys: anyKey },
      onPostgres,
      onPglite,
      before,
      postgresPid: await postgres.pid(),
      eye,
      async audits() {
        const gateways = [onPostgres, onPglite, ...(before ? [before] : [])];
        await Promise.all(gateways.map(({ target }) => stopGateway(target)));
        const names = { Postgres: onPostgres, PGlite: onPglite };
        const found = [];
        for (const [name, { env }] of Object.entries(names)) found.push({ name, ...(await auditOf(env)) });
        return found;
      },
      async close() {
        await eye.close();
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}
