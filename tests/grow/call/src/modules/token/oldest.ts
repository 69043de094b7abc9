/** A user's oldest token. */
import { and, asc, eq, isNull } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { tokens } from '../../db/schema/user.ts';
import type { Deps } from '../deps.ts';

export async function oldestToken(
  { db }: Pick<Deps, 'db'>,
  ownerId: number,
): Promise<{ id: number; name: string }> {
  const [oldest] = await db.orm
    .select({ id: tokens.id, name: tokens.name })
    .from(tokens)
    .where(and(eq(tokens.user_id, ownerId), isNull(tokens.deleted_at)))
    .orderBy(asc(tokens.id))
    .limit(1);
  if (!oldest) throw fail('NOT_FOUND');
  return oldest;
}
