/** What the lists that companion clients are served have in common: their bound, and the record of each change. */
import { count } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Actor } from '../../core/actor.ts';
import { type AdminActionName, changesBetween } from '../../core/admin-actions.ts';
import { fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Tx } from '../../db/client.ts';
import { recordAction } from '../audit-log/service.ts';

/** Throws DESK_FULL. Two at once may go over it by one: it bounds what a client reads, and is no promise. */
export async function requireRoom(tx: Tx, table: PgTable, most: number): Promise<void> {
  const [there] = await tx.select({ n: count() }).from(table);
  if ((there?.n ?? 0) >= most) throw fail('DESK_FULL', { params: { most } });
}

interface EntryChange {
  actor: Actor;
  action: AdminActionName;
  target: string;
  /** Empty where there was, or is, no entry. */
  before: JsonObject;
  after: JsonObject;
}

/** Nothing is told of a change that changes nothing. */
export async function recordChange(tx: Tx, { before, after, ...action }: EntryChange): Promise<void> {
  const changes = changesBetween(before, after);
  if (Object.keys(changes).length > 0) await recordAction(tx, { ...action, changes });
}
