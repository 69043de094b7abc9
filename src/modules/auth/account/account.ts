/** The row of an account, and what is asked of it in one way everywhere. */
import { eq, sql } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import { users } from '../../../db/schema/index.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../user/service.ts';

/** That the account still has the password that it had when it was read. */
export const samePassword = ({ password_hash }: Pick<UserRow, 'password_hash'>) =>
  sql`${users.password_hash} is not distinct from ${password_hash}`;

/** Throws SESSION_EXPIRED when he is no more. */
export async function readAccount({ db }: Pick<Deps, 'db'>, userId: number): Promise<UserRow> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, userId));
  if (!row) throw fail('SESSION_EXPIRED');
  return row;
}
