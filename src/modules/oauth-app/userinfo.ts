/** Who a user is, as far as an application may know. */
import { eq } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { users } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';

/** `may` tells which scopes it has. Throws SESSION_EXPIRED when he is no more. */
export async function userInfo(
  { db }: Pick<Deps, 'db'>,
  userId: number,
  may: (scope: 'profile' | 'balance') => boolean,
) {
  const [user] = await db.orm.select().from(users).where(eq(users.id, userId));
  if (!user) throw fail('SESSION_EXPIRED');
  return {
    // It never changes, and is never another's.
    sub: String(user.id),
    ...(may('profile') && {
      name: user.display_name || user.username,
      preferred_username: user.username,
    }),
    ...(may('balance') && {
      /** Quota units. */
      quota: user.quota + user.reserved,
      used_quota: user.used_quota,
      request_count: user.request_count,
    }),
  };
}
