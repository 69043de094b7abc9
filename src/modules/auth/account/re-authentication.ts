/** Re-authentication: whether it is the owner himself who asks for what a passer-by at an open browser must not do. */
import { eq } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { nowSec } from '../../../core/time.ts';
import { sessions, users } from '../../../db/schema/index.ts';
import { turnOfUser } from '../../../platform/passwords.ts';
import { sha256 } from '../../../platform/secrets.ts';
import { attempt, byOwn } from '../../failed-attempts/service.ts';
import type { UserRow } from '../../user/service.ts';
import type { AuthDeps } from '../deps.ts';
import { type FactorDeps, requireSecondFactor } from '../second-factor/factor.ts';
import { attemptsOfSession } from '../second-factor/tries.ts';
import { readAccount } from './account.ts';

/** Who asks. */
export interface Owner {
  id: number;
  /** Null for callers with an access token. */
  sessionId: string | null;
  ip: string;
}

/** What of an account its proof needs. */
type Provable = Pick<UserRow, 'password_hash'>;

/** What he gives to prove that it is he. */
export interface Proof {
  password?: string | null;
  /** Of his second factor, or a backup code. */
  code?: string | null;
}

/**
 * He signed in or proved himself in this session just now, or gives the password along. Throws REAUTH_REQUIRED,
 * PASSWORD_WRONG, RATE_LIMIT.
 */
export async function requireReauthentication(
  deps: AuthDeps,
  owner: Owner,
  row: Provable,
  password?: string | null,
): Promise<void> {
  if (await isReauthenticated(deps, owner, row, password)) return;
  if (!(await deps.sessions.reauthenticatedRecently(owner.sessionId))) throw fail('REAUTH_REQUIRED');
}

/** The same for a call that takes no password along. Throws REAUTH_REQUIRED, SESSION_EXPIRED when he is no more. */
export const requireProvedOwner = async (deps: AuthDeps, owner: Owner): Promise<void> =>
  requireReauthentication(deps, owner, await readAccount(deps, owner.id));

/**
 * Renews the proof of his session, so that what he asks for in the next ten minutes is his wish. Throws REAUTH_REQUIRED
 * when he gives nothing that proves him (who has no password signs in again) or has no session, PASSWORD_WRONG,
 * CODE_WRONG, RATE_LIMIT.
 */
export async function reauthenticate(
  deps: AuthDeps & FactorDeps,
  owner: Owner,
  { password, code }: Proof,
): Promise<void> {
  const { id, sessionId } = owner;
  const [row] = await deps.db.orm
    .select({ password_hash: users.password_hash })
    .from(users)
    .where(eq(users.id, id));
  if (!row || sessionId === null) throw fail('REAUTH_REQUIRED');
  if (code) await requireSecondFactor(deps, { id, tries: attemptsOfSession(deps, owner) }, code);
  else if (!(await isReauthenticated(deps, owner, row, password))) throw fail('REAUTH_REQUIRED');
  const confirmed = await deps.db.orm
    .update(sessions)
    .set({ confirmed_at: nowSec() })
    .where(eq(sessions.id, sessionId))
    .returning({ id: sessions.id });
  // The console inside an application proves nobody: what needs a proof is done on this site itself.
  if (confirmed.length === 0) throw fail('EMBED_CONFIRM');
}

/** Whether what he gives proves him; false when he gives nothing that could. Throws PASSWORD_WRONG, RATE_LIMIT. */
async function isReauthenticated(
  deps: AuthDeps,
  owner: Owner,
  row: Provable,
  password: Proof['password'],
): Promise<boolean> {
  const { password_hash } = row;
  if (!password || password_hash === null) return false;
  const wayIn = owner.sessionId ?? `token:${owner.id}`;
  await spendProof(deps, wayIn);
  // A counter of the session's own: nobody outside fills it, and it fills nobody's.
  const tries = byOwn(deps, 'confirm', wayIn);
  const turn = turnOfUser(owner.id);
  const isRight = await attempt(deps, tries, () => deps.passwords.verify(password, password_hash, turn));
  if (!isRight) throw fail('PASSWORD_WRONG');
  return true;
}

/** Right passwords cost a hash as well, and these go ahead of others': nobody needs many. Throws RATE_LIMIT. */
async function spendProof({ limiter }: Pick<AuthDeps, 'limiter'>, wayIn: string): Promise<void> {
  const { ok, retryAfterSec } = await limiter.take({
    key: `proofs:${sha256(wayIn)}`,
    limit: limits.reauthenticationsOfSession,
    windowSec: limits.reauthenticationsSec,
  });
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}
