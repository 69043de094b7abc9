/**
 * The database: Postgres over Bun.sql, or PGlite in this process. Both speak through the same Drizzle type and the
 * same raw `query`, so that nobody above this folder knows which one it is.
 */

import { join } from 'node:path';
import { SQL } from 'bun';
import { limits } from '../core/limits.ts';
import { StartError } from '../env.ts';
import { redact } from '../platform/logger.ts';
import { isAwaited } from '../platform/on-behalf.ts';
import { withBriefLocks } from './brief.ts';
import { withFailpoints } from './moving.ts';
import type { Orm } from './orm.ts';
import * as schema from './schema/index.ts';
import { type Param, plainRow, type Row } from './statement.ts';
import { withTurns } from './turns.ts';

export type { Executor, Orm, Tx } from './orm.ts';

export interface Database {
  readonly engine: 'postgres' | 'pglite';
  readonly orm: Orm;
  /** One statement in one round trip, outside any transaction. Arrays go as literals with a cast (`numberList`), JSON as text with `::text::jsonb`. */
  query<T = Row>(text: string, params?: readonly Param[]): Promise<T[]>;
  /**
   * The same, for a fixed set of statements that find every row by its key and that callers wait for: planned once and
   * kept, and on Postgres on connections of their own, where no slow query stands before them and no plan reads a whole table.
   */
  queryByKey<T = Row>(text: string, params?: readonly Param[]): Promise<T[]>;
  /** Several statements without parameters, as a script. */
  script(text: string): Promise<void>;
  /** Calls back with the payload of every NOTIFY on `channel`; `onReconnect` when some may have been missed. */
  listen(
    channel: string,
    callback: (payload: string) => void,
    onReconnect: () => void,
  ): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export const migrationsFolder = join(import.meta.dir, '../../drizzle');

/**
 * Connections to Postgres for the console's callers and for every read whose cost its filters decide; for the server's own
 * work and the small look-ups of relay calls, which none of those holds up; and for what goes by `queryByKey`: two money
 * batches and recovery.
 */
const CONSOLE_POOL = 10;
const OWN_POOL = 6;
export const KEYED_POOL = 4;

/**
 * What the console asks has many branches, each over every month of the log: to compile it takes seconds of a processor, to
 * run it tenths of one.
 */
const SETTINGS = { jit: 'off' };

/**
 * What a connection's process on the server has learnt of tables and months, and what a large statement has left it with, is
 * given back with the connection, which ends between two statements or transactions. Those that listen must not end.
 */
const CONSOLE_LIFE_SEC = 600;

/** A server that is there takes a connection at once; one that is away is known to be by then. */
const CONNECT_SEC = 5;
/** Statements that still run at a stop may end; what takes longer is cut off, and whoever waits hears that. */
const CLOSE_SEC = 5;

/** Whatever a caller asks is broken off when nobody waits any more; what has a shorter deadline sets its own. */
const CONSOLE_SETTINGS = { ...SETTINGS, statement_timeout: String(limits.consoleStatementMs) };

/**
 * Plans are kept as they were made when the tables were small, and read all of them: a table that many short-lived rows
 * pass through is long then, though it holds few. To plan a money statement for its values takes longer than to run it,
 * so that no connection does it, not even the first times. The server gives up before we do, so that what we took for
 * failed does not happen later.
 */
export const KEYED_SETTINGS = {
  ...SETTINGS,
  enable_seqscan: 'off',
  plan_cache_mode: 'force_generic_plan',
  statement_timeout: String(limits.moneyStatementMs),
  lock_timeout: String(limits.moneyLockMs),
};

const VERSION_LEAST = 150_000;

/** The first question to a server. Throws StartError when it cannot be reached, refuses us or is too old. */
export async function requireServer(sql: SQL): Promise<void> {
  const refuse = (reason: string) => new StartError(`DATABASE_URL: ${reason}`);
  const rows: { version: number; name: string }[] = await sql
    .unsafe(`select current_setting('server_version_num')::int as version, version() as name`)
    .catch((error: unknown) => {
      throw refuse(
        `the database cannot be used: ${redact(error instanceof Error ? error.message : String(error))}`,
      );
    });
  const [server] = rows;
  if (!server || server.version < VERSION_LEAST)
    throw refuse(`Postgres 15 or newer is needed, this is ${server?.name}`);
}

/** Takes what a caller waits for to connections of the console, and all else to the server's own. */
const byWhoWaits = (own: SQL, asked: SQL): SQL =>
  new Proxy(own, {
    get(_, name) {
      const pool = isAwaited() ? asked : own;
      const value: unknown = Reflect.get(pool, name);
      return typeof value === 'function' ? value.bind(pool) : value;
    },
  });

export async function openPostgres(url: string): Promise<Database> {
  const { drizzle } = await import('drizzle-orm/bun-sql');
  // A statement with a name stays on its connection's server with its plan, and callers make new texts by what they filter
  // and by how much they send: only a fixed set of texts may have names.
  const common = { bigint: true, idleTimeout: 0, connectionTimeout: CONNECT_SEC, prepare: false } as const;
  const pool = (special: SQL.PostgresOrMySQLOptions) => new SQL(url, { ...common, ...special });
  const own = pool({ max: OWN_POOL, connection: SETTINGS });
  await requireServer(own);
  const asked = pool({ max: CONSOLE_POOL, connection: CONSOLE_SETTINGS, maxLifetime: CONSOLE_LIFE_SEC });
  const keyed = pool({ max: KEYED_POOL, connection: KEYED_SETTINGS, prepare: true });
  const sql = byWhoWaits(own, asked);
  const queryOn =
    (pool: SQL) =>
    async <T>(text: string, params: readonly Param[] = []): Promise<T[]> => {
      const rows = (await pool.unsafe(text, [...params])) as Row[];
      for (const row of rows) plainRow(row);
      return rows as T[];
    };
  return {
    engine: 'postgres',
    orm: withTurns(withBriefLocks(withFailpoints(drizzle(sql, { schema }) as unknown as Orm))),
    query: queryOn(sql),
    queryByKey: queryOn(keyed),
    async script(text) {
      await own.unsafe(text).simple();
    },
    async listen(channel, callback, onReconnect) {
      const subscription = await own.listen(channel, callback, onReconnect);
      return async () => {
        await subscription.unlisten();
      };
    },
    async close() {
      await Promise.all([own, asked, keyed].map((each) => each.close({ timeout: CLOSE_SEC })));
    },
  };
}
