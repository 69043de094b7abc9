/** What a token, or its user, had, has used and has left: for calls that show it to the token's program. */
import { eq } from 'drizzle-orm';
import { tokenHolds } from '../../billing/ledger.ts';
import { limits } from '../../core/limits.ts';
import { tokens, users } from '../../db/schema/user.ts';
import { createRecent } from '../../platform/recent.ts';
import type { Deps } from '../deps.ts';
import type { Caller } from './callers.ts';

/** Quota units. */
export interface Balance {
  used: number;
  /** With what calls under way hold; null where nothing limits it but the account. */
  left: number | null;
}

type Db = Pick<Deps, 'db'>;

/**
 * Balances as they were within the last second, so that a program which asks without a pause reads them once in it; but
 * never as they were before a change of a token or a user was answered.
 */
export interface Balances {
  /** Of the token alone. Null when it was removed meanwhile. */
  ofToken(caller: Caller): Promise<Balance | null>;
  /** Of the whole account. */
  ofAccount(caller: Caller): Promise<Balance | null>;
}

export function keepBalances(deps: Pick<Deps, 'changes' | 'db'>): Balances {
  const keep = () =>
    createRecent<Balance | null>({
      keepMs: limits.balanceKeptMs,
      max: limits.balancesKept,
      isKept: (balance) => balance !== null,
      ownerOf: (_, id) => id,
    });
  const ofTokens = keep();
  const ofUsers = keep();
  // Each stands in one row, and goes with it alone: whoever renames himself in a loop makes nobody else's be read anew.
  deps.changes.on('tokens', ofTokens.drop);
  deps.changes.on('users', ofUsers.drop);
  return {
    ofToken: (caller) => ofTokens.get(String(caller.tokenId), () => tokenBalance(deps, caller)),
    ofAccount: (caller) => ofUsers.get(String(caller.userId), () => accountBalance(deps, caller)),
  };
}

async function tokenBalance({ db }: Db, { tokenId }: Caller): Promise<Balance | null> {
  const [row] = await db.orm
    .select({ used: tokens.used_quota, left: tokens.remain_quota, unlimited: tokens.unlimited_quota })
    .from(tokens)
    .where(eq(tokens.id, tokenId));
  if (!row) return null;
  if (row.unlimited) return { used: row.used, left: null };
  const held = (await tokenHolds(db.orm, [tokenId])).get(tokenId) ?? 0;
  return { used: row.used, left: row.left + held };
}

async function accountBalance({ db }: Db, { userId }: Caller): Promise<Balance | null> {
  const [row] = await db.orm
    .select({ used: users.used_quota, quota: users.quota, reserved: users.reserved })
    .from(users)
    .where(eq(users.id, userId));
  return row ? { used: row.used, left: row.quota + row.reserved } : null;
}
