/** The end of every way in: who proved that an account is his gets a session. */
import { eq } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import { users } from '../../db/schema/index.ts';
import type { UserRow } from '../user/service.ts';
import type { AuthDeps } from './service.ts';

/** From where somebody comes in. */
export interface Arrival {
  ip: string;
  userAgent: string;
  /** The session that this browser had; it ends. */
  oldSessionId: string | null;
}

/** Throws USER_DISABLED. */
export function requireActive(account: Pick<UserRow, 'status' | 'deleted_at'>): void {
  if (account.status !== USER_STATUS.active || account.deleted_at !== null) throw fail('USER_DISABLED');
}

/** The random id of his new session, for the cookie. Throws USER_DISABLED. */
export async function signIn(deps: AuthDeps, account: UserRow, arrival: Arrival): Promise<string> {
  requireActive(account);
  if (arrival.oldSessionId) await deps.sessions.end(arrival.oldSessionId);
  const sessionId = await deps.sessions.begin(account.id, arrival);
  await deps.db.orm
    .update(users)
    .set({ login_at: nowSec(), login_ip: arrival.ip })
    .where(eq(users.id, account.id));
  return sessionId;
}
