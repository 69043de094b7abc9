/** Whose rows somebody may be shown beside his own. */
import { eq, lt, or, type SQL } from 'drizzle-orm';
import type { Actor } from '../core/actor.ts';
import { users } from './schema/index.ts';

/**
 * Of a row's user in `users`: that it is the actor himself, or one whom he may act on, as `canActOn` has it. Of root there
 * is one.
 */
export const isOpenTo = ({ id, role }: Pick<Actor, 'id' | 'role'>): SQL | undefined =>
  or(eq(users.id, id), lt(users.role, role));
