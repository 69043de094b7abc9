/** The end of every way in: who proved that an account is his gets a session. */
import { and, eq, isNull } from 'drizzle-orm';
import { fail, type Locale } from '../../core/errors.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { passkeys, users } from '../../db/schema/index.ts';
import type { UserRow } from '../user/service.ts';
import { samePassword } from './account/account.ts';
import type { AuthDeps } from './deps.ts';
import { asksSecondFactor } from './second-factor/asked.ts';

/** From where somebody comes in. */
export interface Arrival {
  ip: string;
  userAgent: string;
  /** The session that this browser had; it ends. */
  oldSessionId: string | null;
  /** He has proved his second factor too. */
  withFactor: boolean;
  /** A passkey was that factor. */
  withPasskey?: boolean;
  /** What he came in by alone, where it was one. */
  passkeyId?: number;
  /** Chosen in this browser, also before it was known whose it is; null for none. */
  language: Locale | null;
}

/** Throws USER_DISABLED. */
export function requireActive(account: Pick<UserRow, 'status' | 'deleted_at'>): void {
  if (account.status !== USER_STATUS.active || account.deleted_at !== null) throw fail('USER_DISABLED');
}

/**
 * The random id of his new session, for the cookie. It begins only while the account is as it was when he proved that it
 * is his: a password that is changed, a ban, a second factor that comes or a passkey that comes or goes meanwhile ends sessions,
 * and would miss this one. Throws USER_DISABLED, SESSION_EXPIRED.
 */
export async function signIn(deps: AuthDeps, account: UserRow, arrival: Arrival): Promise<string> {
  requireActive(account);
  const asProved = and(eq(users.status, USER_STATUS.active), isNull(users.deleted_at), samePassword(account));
  const sessionId = await deps.db.orm.transaction(async (tx) => {
    // Locks the row, which all who end sessions change before.
    const entered = await tx
      .update(users)
      .set({
        login_at: nowSec(),
        login_ip: arrival.ip,
        ...(arrival.language && { language: arrival.language }),
      })
      .where(and(eq(users.id, account.id), asProved))
      .returning({ id: users.id });
    const isProved =
      arrival.passkeyId === undefined
        ? arrival.withFactor || !(await asksSecondFactor(deps, tx, account.id))
        : await isKept(tx, arrival.passkeyId);
    if (entered.length === 0 || !isProved) throw fail('SESSION_EXPIRED');
    return deps.sessions.begin(account.id, arrival, tx);
  });
  if (arrival.oldSessionId) await deps.sessions.end(arrival.oldSessionId);
  return sessionId;
}

/** Whether the passkey was not removed meanwhile, and still lets in by itself. */
const isKept = async (tx: Tx, id: number): Promise<boolean> => {
  const alone = and(eq(passkeys.id, id), eq(passkeys.second_only, false));
  return (await tx.select({ id: passkeys.id }).from(passkeys).where(alone)).length > 0;
};
