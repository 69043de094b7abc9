/** What the filters of the log offer: names that its reader's rows have, from the newest hours. */
import { sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import type { LogReader } from './list.ts';

export interface LogNames {
  tokens: string[];
  models: string[];
  groups: string[];
  /** For those who see all. */
  channels: { id: number; name: string }[];
}

/** Throws LOG_TIMEOUT. */
export const logNames = ({ db }: Pick<Deps, 'db'>, { id, scope }: LogReader): Promise<LogNames> =>
  boundedRead(db, { reader: id, ms: limits.logReadMs }, async (tx) => {
    const isOwn = scope === 'own';
    const used = rowsOf<{ model_name: string; group_name: string }>(
      await tx.execute(sql`
        select distinct model_name, group_name from (
          select model_name, group_name from usage_hourly
          where ${isOwn ? sql`user_id = ${id}::bigint` : sql`true`}
          order by hour desc limit ${limits.namesLooked}
        ) as newest`),
    );
    const tokens = isOwn
      ? rowsOf<{ name: string }>(
          await tx.execute(sql`
            select distinct name from tokens where user_id = ${id}::bigint and deleted_at is null
            order by name limit ${limits.namesOffered}`),
        )
      : [];
    const channels = isOwn
      ? []
      : rowsOf<{ id: number; name: string }>(
          await tx.execute(sql`select id, name from channels order by id limit ${limits.namesOffered}`),
        );
    const names = (of: (row: (typeof used)[number]) => string): string[] =>
      [...new Set(used.map(of))].filter(Boolean).sort().slice(0, limits.namesOffered);
    return {
      tokens: tokens.map(({ name }) => name),
      models: names(({ model_name }) => model_name),
      groups: names(({ group_name }) => group_name),
      channels,
    };
  });
