/** What the filters of the log offer: names that its reader's rows have, from the newest hours. */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { boundedRead } from '../../db/bounded-read.ts';
import { rowsOf } from '../../db/statement.ts';
import type { Deps } from '../deps.ts';
import { ofUser } from './filter.ts';
import type { LogReader } from './list.ts';

export interface LogNames {
  /** Those of one user: of who reads his own, else of who is asked for. */
  tokens: string[];
  models: string[];
  groups: string[];
  /** Ours, of calls that failed. */
  codes: string[];
  /** For those who see all. */
  channels: { id: number; name: string }[];
}

/** Charged calls, and those that came to nothing: a model or a group may have no others. */
const newestFigures = (table: SQL, code: SQL, whose: SQL): SQL => sql`
  select distinct model_name, group_name, code from (
    select model_name, group_name, ${code} as code from ${table} where ${whose} order by hour desc limit ${limits.namesLooked}
  ) as newest`;

/** `username`: whose tokens are offered to who sees all. Throws LOG_TIMEOUT. */
export const logNames = (
  { db }: Pick<Deps, 'db'>,
  { id, scope }: LogReader,
  username?: string,
): Promise<LogNames> =>
  boundedRead(db, { reader: id, ms: limits.logReadMs }, async (tx) => {
    const isOwn = scope === 'own';
    const [own = sql`true`] = ofUser(isOwn ? { ownerId: id } : {});
    const [owner] = ofUser(isOwn ? { ownerId: id } : { username });
    const used = rowsOf<{ model_name: string; group_name: string; code: string }>(
      await tx.execute(sql`
        select * from (${newestFigures(sql`usage_hourly`, sql`''`, own)}) as charged
        union all
        select * from (${newestFigures(sql`failures_hourly`, sql`code`, own)}) as failed`),
    );
    const tokens = owner
      ? rowsOf<{ name: string }>(
          await tx.execute(sql`
            select distinct name from tokens where ${owner} and deleted_at is null
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
      codes: names(({ code }) => code),
      channels,
    };
  });
