/**
 * PGlite in a folder, for trial and small sites. Its first folder is made by a child process, because a fresh initdb
 * holds about a gigabyte for the rest of the process's life.
 */
import { existsSync } from 'node:fs';
import { chmod, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/pglite';
import { pause } from '../platform/pause.ts';
import type { Database, Orm } from './client.ts';
import { preparedQuery } from './embedded-prepared.ts';
import { asEmbedded } from './looks.ts';
import { migrateEmbedded } from './migrate.ts';
import { withFailpoints } from './moving.ts';
import * as schema from './schema/index.ts';
import { plainRow, type Row } from './statement.ts';
import { withTurns } from './turns.ts';

const UPKEEP_MS = 60_000;

/** Tables in which old versions of rows lie, or of their long values, which are kept beside them and counted apart. */
const TO_CLEAR = `
  select format('%I.%I', kept.schemaname, kept.relname) as name
    from pg_stat_user_tables kept
    join pg_class c on c.oid = kept.relid
    left join pg_stat_all_tables beside on beside.relid = c.reltoastrelid
   where kept.n_dead_tup + coalesce(beside.n_dead_tup, 0) > 0`;

/**
 * PGlite has no background workers. This often the tables that have changed are cleared of the old versions of their
 * rows, so that nobody fills the disk by saying one thing again and again, and the WAL is folded into the data files, so
 * that it stays small and a start is quick.
 */
export async function keepUp({ query, script }: Pick<Database, 'query' | 'script'>): Promise<void> {
  // What has changed is counted with a delay otherwise.
  await script('select pg_stat_force_next_flush()');
  const tables = await query<{ name: string }>(TO_CLEAR);
  if (tables.length > 0) await script(`vacuum ${tables.map(({ name }) => name).join(', ')}`);
  await script('checkpoint');
}

/** `dataDir` undefined keeps everything in memory (tests). */
export async function openEmbedded(dataDir?: string): Promise<Database> {
  const folder = dataDir === undefined ? undefined : join(dataDir, 'pg');
  if (folder && !existsSync(join(folder, 'PG_VERSION'))) await createFolder(folder);
  // Whatever it was before, or a copy made of it: what lies in it is nobody else's to read.
  if (folder) await chmod(folder, 0o700);
  const pg = await PGlite.create(folder ? { dataDir: folder } : {});
  await migrateEmbedded(pg);
  Bun.gc(true);
  return embeddedDatabase(pg);
}

export function embeddedDatabase(pg: PGlite): Database {
  const client = withPauses(pg);
  const prepared = preparedQuery(client);
  const plainRows = async <T>(ask: () => Promise<Row[]>): Promise<T[]> => {
    const rows = await ask();
    for (const row of rows) plainRow(row);
    return rows as T[];
  };
  const db: Database = {
    engine: 'pglite',
    orm: asEmbedded(withTurns(withFailpoints(drizzle(client, { schema }) as unknown as Orm))),
    query: (text, params = []) => plainRows(async () => (await client.query<Row>(text, [...params])).rows),
    queryByKey: (text, params = []) => plainRows(() => prepared(text, params)),
    async script(text) {
      await client.exec(text);
    },
    async listen(channel, callback) {
      return pg.listen(channel, callback);
    },
    async close() {
      clearInterval(upkeep);
      if (!pg.closed) await pg.close();
    },
  };
  const upkeep = setInterval(() => void keepUp(db).catch(() => undefined), UPKEEP_MS);
  upkeep.unref();
  return db;
}

/** What runs statements, `_runExclusiveTransaction` those that are prepared: before it takes the lock that others wait for. */
const RUNS: ReadonlySet<PropertyKey> = new Set(['query', 'exec', '_runExclusiveTransaction']);

/**
 * PGlite answers in microtasks: without a turn of the event loop before each statement, within transactions too, whoever
 * asks for many would leave none to anybody else of the process. The price is that a transaction holds the one lock for
 * those turns, too, and money waits behind it: a turn is short beside a statement, and of callers few have transactions at once.
 */
const withPauses = <Client extends object>(client: Client): Client =>
  new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      if (RUNS.has(name)) return (...asked: unknown[]) => pause().then(() => value.apply(target, asked));
      if (name !== 'transaction') return value.bind(target);
      return (work: (tx: object) => unknown) =>
        pause().then(() => value.call(target, (tx: object) => work(withPauses(tx))));
    },
  });

async function createFolder(folder: string): Promise<void> {
  // Made aside and renamed when whole: a start that dies half-way leaves nothing that looks like a database.
  const draft = `${folder}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  const child = Bun.spawn([process.execPath, import.meta.path, draft], { stdout: 'ignore', stderr: 'pipe' });
  if ((await child.exited) !== 0) {
    throw new Error(
      `The embedded database could not be made in ${folder}: ${await new Response(child.stderr).text()}`,
    );
  }
  await rename(draft, folder);
}

if (import.meta.main) {
  const [draft] = process.argv.slice(2);
  if (!draft) throw new Error('usage: embedded.ts FOLDER');
  const pg = await PGlite.create({ dataDir: draft });
  await migrateEmbedded(pg);
  await pg.exec('checkpoint');
  await pg.close();
}
