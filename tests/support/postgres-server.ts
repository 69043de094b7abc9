/** A Postgres of the test's own, so that it can be stopped, started and frozen. */
import { chown, readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { migratePostgres } from '../../src/db/migrate.ts';
import { tempFolder } from './database.ts';

export interface PostgresServer {
  url: string;
  /** Of the postmaster, whose children serve the connections. */
  pid(): Promise<number>;
  start(): Promise<void>;
  /** At once, as a crash of the machine's service would. */
  stop(): Promise<void>;
  /** The server hangs: connections stay, nothing is answered. */
  freeze(): Promise<void>;
  thaw(): Promise<void>;
}

/** Started and migrated. */
export async function openPostgresServer(): Promise<PostgresServer> {
  const bin = await binFolder();
  const folder = await tempFolder();
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  if (process.getuid?.() === 0) await chown(folder, await idOf('-u'), await idOf('-g'));
  const data = join(folder, 'pg');
  await run([join(bin, 'initdb'), '-D', data, '-U', 'postgres', '-A', 'trust', '--no-sync']);
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=${folder} -c max_connections=50`;
  const control = (...args: string[]) => run([join(bin, 'pg_ctl'), '-D', data, '-w', ...args]);
  const postmaster = async (): Promise<number> =>
    Number((await Bun.file(join(data, 'postmaster.pid')).text()).split('\n')[0]);
  /** The postmaster and its children. */
  const signal = async (name: 'STOP' | 'CONT') => {
    const pid = String(await postmaster());
    const children = await Bun.$`ps -o pid= --ppid ${pid}`.nothrow().text();
    await Bun.$`kill -${name} ${[pid, ...children.split('\n').map((line) => line.trim())].filter(Boolean)}`.nothrow();
  };
  const server: PostgresServer = {
    url,
    pid: postmaster,
    start: () => control('-o', options, '-l', join(folder, 'log'), 'start'),
    stop: () => control('-m', 'immediate', 'stop'),
    freeze: () => signal('STOP'),
    thaw: () => signal('CONT'),
  };
  await server.start();
  await migratePostgres(url);
  return server;
}

/** Postgres refuses to run as root, so its own commands run as the user that its package made. */
async function run(command: string[]): Promise<void> {
  const asUser = process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', ...command] : command;
  const child = Bun.spawn(asUser, { cwd: '/', stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')} failed`);
}

const idOf = async (flag: '-u' | '-g'): Promise<number> => Number(await Bun.$`id ${flag} postgres`.text());

async function binFolder(): Promise<string> {
  const found = Bun.which('initdb');
  if (found) return join(found, '..');
  const root = '/usr/lib/postgresql';
  const versions = (await readdir(root)).sort((a, b) => Number(a) - Number(b));
  const newest = versions.at(-1);
  if (!newest) throw new Error(`there is no Postgres in ${root}`);
  return join(root, newest, 'bin');
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
