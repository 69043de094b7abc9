/** What the benchmark asks of Postgres itself. */
import { SQL } from 'bun';
import { parentOf } from './linux.ts';

/** Both never go back. */
export interface Written {
  /** Transactions that wrote something: each has a number, readers have none. Unlike the statistics it is never late. */
  transactions: number;
  walBytes: number;
}

export interface PostgresEye {
  written(): Promise<Written>;
  /** Milliseconds of the median of some hundred commits, each of one row, one after the other. */
  commitMs(forMs: number): Promise<number>;
  close(): Promise<void>;
}

/** Looks from a database of its own, so that what it writes stands in nobody's books. */
export async function openEye(url: string): Promise<PostgresEye> {
  await createDatabase(url, 'eye');
  const sql = new SQL(databaseUrl(url, 'eye'), { max: 1 });
  await sql`create table bare (n bigint)`;
  await sql`insert into bare values (0)`;
  return {
    async written() {
      const [row] = await sql`select pg_snapshot_xmax(pg_current_snapshot())::text as transactions,
        (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::text as bytes`;
      return { transactions: Number(row.transactions), walBytes: Number(row.bytes) };
    },
    async commitMs(forMs) {
      const times: number[] = [];
      const until = performance.now() + forMs;
      for (let startedAt = performance.now(); startedAt < until; startedAt = performance.now()) {
        await sql`update bare set n = n + 1`;
        times.push(performance.now() - startedAt);
      }
      times.sort((a, b) => a - b);
      return times[times.length >> 1] ?? Number.NaN;
    },
    close: () => sql.close(),
  };
}

export const databaseUrl = (serverUrl: string, name: string): string =>
  Object.assign(new URL(serverUrl), { pathname: `/${name}` }).href;

export async function createDatabase(serverUrl: string, name: string): Promise<void> {
  const server = new SQL(serverUrl, { max: 1 });
  await server.unsafe(`create database ${name}`);
  await server.close();
}

/** The process whose children serve connections; undefined where that is on another machine. */
export async function postmasterOf(url: string): Promise<number | undefined> {
  const sql = new SQL(url, { max: 1 });
  try {
    const [row] = await sql`select pg_backend_pid() as pid`;
    return parentOf(Number(row.pid), 'postgres');
  } finally {
    await sql.close();
  }
}
