/**
 * Fresh migrated databases. What they begin with is made once: a template on the Postgres of TEST_DATABASE_URL, by the
 * first who needs it, and of PGlite a folder and a dump of it, by `./scripts/test`, which keeps them for later runs.
 * Opening these takes half a second, making a PGlite folder six of CPU.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cp, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import { SQL } from 'bun';
import packages from '../../package.json';
import { nowSec } from '../../src/core/time.ts';
import { takeTime } from '../../src/db/brief.ts';
import { type Database, migrationsFolder, openPostgres } from '../../src/db/client.ts';
import { embeddedDatabase } from '../../src/db/embedded.ts';
import { migratePostgres } from '../../src/db/migrate.ts';
import { ensurePartitions } from '../../src/db/partitions.ts';
import { isLong } from './long.ts';

export type Engine = 'postgres' | 'pglite';
const isEngine = (name: string): name is Engine => name === 'postgres' || name === 'pglite';
/** Both; `./scripts/test quick` names one. */
export const engines: readonly Engine[] = (process.env.TEST_ENGINES ?? 'postgres,pglite')
  .split(',')
  .filter(isEngine);
/**
 * What calls are asked on. Their statements are the same on both, and PGlite takes three times as long for them: every run
 * proves on both the money's statements, each movement of quota and the database's own part, and a long one every call.
 */
export const callEngines = engines.filter((engine) => isLong || engine === 'postgres');

export const serverUrl = (): string => {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set: run the tests by ./scripts/test');
  return url;
};

const withName = (name: string): string => Object.assign(new URL(serverUrl()), { pathname: `/${name}` }).href;

async function asServer<T>(work: (sql: SQL) => Promise<T>): Promise<T> {
  const sql = new SQL(serverUrl(), { max: 1 });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

/** Any fixed number. The server drops the lock however its holder dies. */
const MAKING_LOCK = 7_202_612;

/** By one process at a time: test files run side by side. */
const alone = <T>(make: (sql: SQL) => Promise<T>): Promise<T> =>
  asServer(async (sql) => {
    await sql.unsafe('select pg_advisory_lock($1)', [MAKING_LOCK]);
    return make(sql);
  });

/** Names what was made after what it was made of, so that nothing old is used after a change of the schema. */
const made = ((): string => {
  const hash = new Bun.CryptoHasher('sha256');
  for (const file of readdirSync(migrationsFolder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (file.endsWith('.sql')) hash.update(file).update(readFileSync(join(migrationsFolder, file)));
  }
  hash.update(readFileSync(join(import.meta.dir, 'make-embedded.ts')));
  hash.update(packages.dependencies['@electric-sql/pglite']);
  return `tollgate_${hash.digest('hex').slice(0, 16)}`;
})();

/** What every process looks for when it starts, and would otherwise make in each of these databases anew. */
export const makeMonths = (db: Database): Promise<void> => ensurePartitions(db, nowSec());

let template: Promise<void> | undefined;

const makeTemplate = (): Promise<void> => {
  template ??= alone(async (sql) => {
    const known = await sql.unsafe('select 1 from pg_database where datname = $1', [made]);
    if (known.length > 0) return;
    const draft = `${made}_draft`;
    await sql.unsafe(`drop database if exists ${draft}`);
    await sql.unsafe(`create database ${draft}`);
    await migratePostgres(withName(draft));
    const db = await openPostgres(withName(draft));
    await makeMonths(db);
    await db.close();
    await sql.unsafe(`alter database ${draft} rename to ${made}`);
  });
  return template;
};

/** The address of a new, migrated, empty Postgres database. */
export async function freshPostgresUrl(): Promise<string> {
  await makeTemplate();
  return postgresCopy(withName(made));
}

/** The address of a copy of a Postgres database that nobody is connected to. */
export async function postgresCopy(url: string): Promise<string> {
  const name = `t_${crypto.randomUUID().replaceAll('-', '')}`;
  const template = new URL(url).pathname.slice(1);
  // Its files as they are: page by page through the log of the server it takes twice as long.
  await asServer((sql) => sql.unsafe(`create database ${name} template ${template} strategy file_copy`));
  return withName(name);
}

/** Postgres ends the statements of a dead client in its own time; an embedded database dies with its process. */
export async function othersEnd(db: Database): Promise<void> {
  const others = `select 1 from pg_stat_activity
    where datname = current_database() and state = 'active' and pid <> pg_backend_pid()`;
  while (db.engine === 'postgres' && (await db.query(others)).length > 0) await Bun.sleep(20);
}

/** What of PGlite is kept, a folder for each schema. */
export const embeddedTemplates = join(import.meta.dir, '../../dist/.test-embedded');
/** Holds `pg`, a migrated and empty PGlite, and `pg.tar`, its dump. */
export const embeddedTemplate = join(embeddedTemplates, made);

/** A DATA_DIR of its own with a migrated, empty PGlite: a server's second start, not its first. */
export async function embeddedFolder(): Promise<string> {
  const folder = await tempFolder();
  await cp(join(embeddedTemplate, 'pg'), join(folder, 'pg'), { recursive: true });
  return folder;
}

let compiled: Promise<WebAssembly.Module> | undefined;
/** Once a worker, for all its databases. */
const pgliteCode = (): Promise<WebAssembly.Module> => {
  compiled ??= Bun.file(fileURLToPath(import.meta.resolve('@electric-sql/pglite/pglite.wasm')))
    .bytes()
    .then((code) => new WebAssembly.Module(code));
  return compiled;
};

/** A migrated, empty one in memory. */
export async function freshEngine(): Promise<PGlite> {
  const loadDataDir = Bun.file(join(embeddedTemplate, 'pg.tar'));
  return PGlite.create({ loadDataDir, pgliteWasmModule: await pgliteCode() });
}

export async function freshDatabase(engine: Engine): Promise<Database> {
  if (engine === 'postgres') return openPostgres(await freshPostgresUrl());
  return embeddedDatabase(await freshEngine());
}

/**
 * From now on each of its transactions waits as long as it takes, for a row and for this process: where a test is about who
 * waits for whom, a stall of the machine must end neither.
 */
export function takeAllTime({ orm }: Pick<Database, 'orm'>): void {
  const transaction = orm.transaction.bind(orm);
  orm.transaction = (work, config) =>
    transaction(async (tx) => {
      await takeTime(tx);
      return work(tx);
    }, config);
}

/** A folder of its own for a test's DATA_DIR. */
export const tempFolder = (): Promise<string> => mkdtemp(join(tmpdir(), 'tollgate-test-'));
