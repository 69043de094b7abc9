import { afterEach, expect, it } from 'bun:test';
import { freshPostgresUrl, tempFolder } from '../support/database.ts';
import {
  freePort,
  type Gateway,
  type GatewayOptions,
  spawnGateway,
  startGateway,
} from '../support/gateway.ts';
import { inLong, usually } from '../support/long.ts';
import { patience } from '../support/patience.ts';

const started: Gateway[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((gateway) => gateway.kill()));
});

const start = async (options: GatewayOptions = {}) => {
  const gateway = await startGateway(options);
  started.push(gateway);
  return gateway;
};

/** What a start that must fail says, and its exit code. */
const refusal = async (options: GatewayOptions) => {
  const gateway = await spawnGateway(options);
  started.push(gateway);
  return { code: await gateway.exited, output: gateway.output };
};

it('refuses a data folder that another process serves, and says which', async () => {
  const first = await start({ databaseUrl: await freshPostgresUrl() });
  const second = await refusal({ databaseUrl: await freshPostgresUrl(), dataDir: first.dataDir });
  expect(second.code).toBe(1);
  expect(second.output).toContain(`another server (process ${first.pid}) is already using ${first.dataDir}`);
});

inLong.it('takes a folder whose process was killed', async () => {
  const first = await start({ databaseUrl: await freshPostgresUrl() });
  await first.kill();
  started.push(await first.restart());
});

// A refusal stops one process as it stops several, which must not say it once each.
const PROCESSES = usually(['2'], '1');

it.each(PROCESSES)('refuses a port in use with %s processes', async (WORKERS) => {
  const first = await start({ databaseUrl: await freshPostgresUrl() });
  const databaseUrl = await freshPostgresUrl();
  const second = await refusal({ databaseUrl, port: first.options.port, env: { WORKERS } });
  expect(second.code).toBe(1);
  expect(second.output).toContain(`PORT: another program listens on 127.0.0.1:${first.options.port}`);
});

it('refuses a wrong environment before it touches anything', async () => {
  const dataDir = `${await tempFolder()}/new`;
  const { code, output } = await refusal({ dataDir, env: { LOG_LEVEL: 'loud', WORKERS: 'many' } });
  expect(code).toBe(1);
  expect(output).toContain('LOG_LEVEL: ');
  expect(output).toContain('WORKERS: ');
  expect(await Bun.file(`${dataDir}/lock.db`).exists()).toBe(false);
});

it.each(PROCESSES)(
  'refuses a database sealed with another secret key, with %s processes',
  async (WORKERS) => {
    const databaseUrl = await freshPostgresUrl();
    await (await start({ databaseUrl })).stop();
    const { code, output } = await refusal({ databaseUrl, env: { WORKERS } });
    expect(code).toBe(1);
    expect(output.match(/SECRET_KEY: /g)).toHaveLength(1);
    expect(output).not.toContain('    at ');
  },
);

it('refuses to run with too few outgoing calls', async () => {
  const { code, output } = await refusal({ env: { BUN_CONFIG_MAX_HTTP_REQUESTS: '256' } });
  expect(code).toBe(1);
  expect(output).toContain('BUN_CONFIG_MAX_HTTP_REQUESTS: ');
});

it.each(PROCESSES)(
  'ends with the reason when the database is not there, with %s processes',
  async (WORKERS) => {
    const databaseUrl = `postgres://postgres:hunter2@127.0.0.1:${freePort()}/x`;
    const { code, output } = await refusal({ databaseUrl, env: { WORKERS } });
    expect(code).toBe(1);
    expect(output).toContain('DATABASE_URL: ');
    expect(output).not.toContain('hunter2');
  },
);

it('says where to open it, how to set it up and how to reach it, but not in the log', async () => {
  const gateway = await start({ databaseUrl: await freshPostgresUrl(), env: { SETUP_TOKEN: 'take-me-in' } });
  await gateway.says('Caddyfile\n');
  expect(gateway.output).toContain(`Open ${gateway.base}/\n`);
  expect(gateway.output).toContain(`${gateway.base}/setup?token=take-me-in\n`);
  expect(gateway.output).toContain('ssh -L');
  expect(JSON.stringify(gateway.logLines)).not.toContain('take-me-in');
});

it(
  'makes its data folder for its owner only, and the embedded database in it',
  async () => {
    const dataDir = `${await tempFolder()}/deep/er`;
    await start({ dataDir });
    for (const folder of [dataDir, `${dataDir}/pg`]) {
      const { mode } = await Bun.file(folder).stat();
      expect([folder, mode & 0o777]).toEqual([folder, 0o700]);
    }
    expect(await Bun.file(`${dataDir}/pg/PG_VERSION`).exists()).toBe(true);
  },
  patience(180_000),
);
