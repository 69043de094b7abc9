/** Whether it is the owner himself who asks for what a passer-by at an open browser must not do. */
import { eq } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { nowSec } from '../../core/time.ts';
import { sessions } from '../../db/schema/index.ts';
import type { UserRow } from '../user/service.ts';
import { wrongTries } from './limit.ts';
import type { AuthDeps } from './service.ts';

/** A proof so old still counts as given just now. */
const RECENT_SEC = 600;

/** Who asks. */
export interface Owner {
  id: number;
  /** Null for callers with an access token. */
  sessionId: string | null;
  ip: string;
}

/**
 * He signed in or proved himself in this session just now, or gives the password along. Throws REAUTH_REQUIRED,
 * PASSWORD_WRONG, RATE_LIMIT.
 */
export async function requireOwner(
  deps: AuthDeps,
  owner: Owner,
  row: Pick<UserRow, 'username' | 'password_hash'>,
  password?: string | null,
): Promise<void> {
  if (password && row.password_hash !== null) {
    const tries = wrongTries(deps, { account: row.username, ip: owner.ip });
    await tries.require();
    if (await deps.passwords.verify(password, row.password_hash)) return;
    await tries.count();
    throw fail('PASSWORD_WRONG');
  }
  if (!(await provedRecently(deps, owner.sessionId))) throw fail('REAUTH_REQUIRED');
}

async function provedRecently({ db }: AuthDeps, sessionId: string | null): Promise<boolean> {
  if (sessionId === null) return false;
  const [row] = await db.orm
    .select({ at: sessions.confirmed_at })
    .from(sessions)
    .where(eq(sessions.id, sessionId));
  return row !== undefined && row.at >= nowSec() - RECENT_SEC;
}
