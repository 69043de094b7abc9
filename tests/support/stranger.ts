/** Somebody else on the same Postgres, whom nothing of ours bounds: an operator with a shell, a client whose network broke. */
import { SQL } from 'bun';

export interface Stranger {
  /** Holds the rows of a table for which `which` is true, until what it returns is called. */
  hold(table: string, which: string): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

export function strangerOn(url: string): Stranger {
  const sql = new SQL(url, { max: 8 });
  return {
    async hold(table, which) {
      const session = await sql.reserve();
      await session.unsafe('begin');
      await session.unsafe(`select 1 from ${table} where ${which} for update`);
      return async () => {
        await session.unsafe('commit');
        session.release();
      };
    },
    close: () => sql.close(),
  };
}
