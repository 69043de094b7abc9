/** What a token, or its user, had, has used and has left: for calls that show it to the token's program. */
import { eq } from 'drizzle-orm';
import { tokenHolds } from '../../billing/ledger.ts';
import { tokens, users } from '../../db/schema/user.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './callers.ts';

/** Quota units. */
export interface Balance {
  used: number;
  /** With what calls under way hold; null where nothing limits it but the account. */
  left: number | null;
}

type Db = Pick<Deps, 'db'>;

/** Of the token alone. Null when it was removed meanwhile. */
export async function tokenBalance({ db }: Db, { tokenId }: Caller): Promise<Balance | null> {
  const [row] = await db.orm
    .select({ used: tokens.used_quota, left: tokens.remain_quota, unlimited: tokens.unlimited_quota })
    .from(tokens)
    .where(eq(tokens.id, tokenId));
  if (!row) return null;
  if (row.unlimited) return { used: row.used, left: null };
  const held = (await tokenHolds(db.orm, [tokenId])).get(tokenId) ?? 0;
  return { used: row.used, left: row.left + held };
}

/** Of the whole account. */
export async function accountBalance({ db }: Db, { userId }: Caller): Promise<Balance | null> {
  const [row] = await db.orm
    .select({ used: users.used_quota, quota: users.quota, reserved: users.reserved })
    .from(users)
    .where(eq(users.id, userId));
  return row ? { used: row.used, left: row.quota + row.reserved } : null;
}
