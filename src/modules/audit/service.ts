/** The last audit of the books, as a row that every process reads. */
import type { Database } from '../../db/client.ts';
import type { AuditResult } from './contract.ts';

const NAME = 'audit';

/** Null before the first one. */
export async function lastAudit(db: Pick<Database, 'query'>): Promise<AuditResult | null> {
  const [row] = await db.query<{ value: string }>('select value from meta where name = $1', [NAME]);
  return row ? JSON.parse(row.value) : null;
}

export async function keepAudit(db: Pick<Database, 'query'>, result: AuditResult): Promise<void> {
  await db.query(
    `insert into meta (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [NAME, JSON.stringify(result)],
  );
}
