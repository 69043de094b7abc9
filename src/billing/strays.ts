/** Reservations that no call stands behind: the answer to theirs was lost with a connection. */
import { limits } from '../core/limits.ts';
import { inPieces } from '../core/pieces.ts';
import type { Database } from '../db/client.ts';
import type { Logger } from '../platform/logger.ts';
import { heldRows, releaseAll } from './statements.ts';

/**
 * Frees those of a process that it knows no call of. Younger ones than `beforeSec` may be under way in ways that nobody can
 * tell yet; those of which somebody holds a row stay as they are.
 */
export async function releaseStrays(
  { db, bootId, log }: { db: Database; bootId: string; log: Logger },
  beforeSec: number,
  isKnown: (id: string) => boolean,
): Promise<void> {
  const rows = await db.query<{ id: string }>(
    'select id from reservations where owner = $1 and orphaned_at is null and created_at < $2',
    [bootId, beforeSec],
  );
  const strays = rows.map((row) => row.id).filter((id) => !isKnown(id));
  for (const some of inPieces(strays, limits.batchEmbedded)) {
    const held = new Set(await heldRows(db, some.map(callName)));
    const free = some.filter((id) => !held.has(callName(id)));
    const released = await releaseAll(db, free);
    if (released > 0) log.warn('billing.released', { released });
  }
}

const callName = (id: string) => `call ${id}` as const;
