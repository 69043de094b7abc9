/**
 * Codes into tokens, and refresh tokens into new ones. Each works once: a condition on its row claims it. Whatever is
 * shown twice, or by another application than the one it was made for, was stolen from somebody: all that came of the
 * same sign-in ends then, whoever has it.
 */
import { and, eq, gt, isNull, lte, ne } from 'drizzle-orm';
import { type AppError, fail } from '../../core/errors.ts';
import { relayKey, secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { shareOfApp } from '../../core/share.ts';
import { nowSec } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { oauthGrants, oauthTokens, users } from '../../db/schema/index.ts';
import { ownCredential } from '../../platform/own-proof.ts';
import { sameSecret, sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import type { OAuthApp } from './apps.ts';

type TokenDeps = Pick<Deps, 'db' | 'changes' | 'secrets'>;
type Grant = typeof oauthGrants.$inferSelect;
type Kind = 'code' | 'refresh';

/** What is handed out. */
export interface Issued {
  userId: number;
  scopes: string[];
  access: string;
  refresh: string;
  expiresIn: number;
  /** Of a code that was asked for with one. */
  nonce: string;
}

export interface CodeProof {
  code: string;
  /** Null where it is left out, as OAuth 2.1 allows: the verifier proves more. */
  redirectUri: string | null;
  verifier: string;
}

/** RFC 7636, 4.1. */
const VERIFIER = /^[\w.~-]{43,128}$/;

/** The tokens for a code. Throws OAUTH_GRANT. */
export const exchangeCode = (deps: TokenDeps, app: OAuthApp, proof: CodeProof): Promise<Issued> =>
  spend(deps, { app, kind: 'code', given: proof.code }, async (tx, grant, row) => {
    const isRedirect = proof.redirectUri === null || proof.redirectUri === row.redirect_uri;
    const isProved = VERIFIER.test(proof.verifier) && sameSecret(sha256(proof.verifier), row.challenge);
    if (!isRedirect || !isProved) throw new Misused();
    return { ...(await issue(deps, tx, grant, grant.scopes)), nonce: row.nonce };
  });

/** New tokens for a refresh token, which is over. `scope`: less than was allowed, for the access token. Throws OAUTH_GRANT, OAUTH_SCOPE. */
export const rotate = (
  deps: TokenDeps,
  app: OAuthApp,
  { refresh, scope }: { refresh: string; scope: string | null },
): Promise<Issued> =>
  spend(deps, { app, kind: 'refresh', given: refresh }, async (tx, grant) => {
    const asked = scope === null ? grant.scopes : [...new Set(scope.split(' ').filter(Boolean))];
    // Thrown out of the transaction, so the token that brought it stays good.
    if (asked.length === 0 || asked.some((one) => !grant.scopes.includes(one))) throw fail('OAUTH_SCOPE');
    return issue(deps, tx, grant, asked);
  });

/** Thrown for what shows that somebody has what is not his. */
class Misused extends Error {}

interface Spending {
  app: OAuthApp;
  kind: Kind;
  given: string;
}

async function spend(
  deps: TokenDeps,
  { app, kind, given }: Spending,
  make: (tx: Tx, grant: Grant, row: typeof oauthTokens.$inferSelect) => Promise<Issued>,
): Promise<Issued> {
  const hash = sha256(given);
  try {
    return await deps.db.orm.transaction(async (tx) => {
      const grant = await holdGrant(tx, hash, kind);
      if (grant.app_id !== app.id) throw new Misused();
      const now = nowSec();
      const isFresh = and(isNull(oauthTokens.used_at), gt(oauthTokens.expires_at, now));
      const [claimed] = await tx
        .update(oauthTokens)
        .set({ used_at: now })
        .where(and(eq(oauthTokens.hash, hash), isFresh))
        .returning();
      if (!claimed) throw new Misused();
      return await make(tx, grant, claimed);
    });
  } catch (error) {
    if (!(error instanceof Misused)) throw error;
    // In a transaction of its own: all who race for one token hold its grant, and none could end it while they do.
    await endGrantOf(deps, hash);
    throw fail('OAUTH_GRANT');
  }
}

/** The grant of a code or token, which cannot be ended until the transaction is over. Throws OAUTH_GRANT. */
async function holdGrant(tx: Tx, hash: string, kind: Kind): Promise<Grant> {
  const [found] = await tx
    .select({ grant: oauthGrants })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grant_id))
    .innerJoin(users, eq(users.id, oauthGrants.user_id))
    .where(
      and(
        eq(oauthTokens.hash, hash),
        eq(oauthTokens.kind, kind),
        eq(users.status, USER_STATUS.active),
        isNull(users.deleted_at),
      ),
    )
    .for('key share', { of: oauthGrants });
  if (!found) throw fail('OAUTH_GRANT');
  return found.grant;
}

async function issue(
  { secrets }: Pick<Deps, 'secrets'>,
  tx: Tx,
  grant: Grant,
  scopes: string[],
): Promise<Issued> {
  // Letters and digits alone: where relay keys stand, a dash begins the number of a channel.
  const holder = shareOfApp(grant.app_id, grant.user_id);
  const access = ownCredential(secrets, 'app-token', holder, `oat_${relayKey()}`);
  const refresh = `oar_${secretText(256)}`;
  const now = nowSec();
  const ofGrant = { grant_id: grant.id };
  // Its code stays for as long as the grant does, so that a late second use of it is known.
  const isOver = and(lte(oauthTokens.expires_at, now), ne(oauthTokens.kind, 'code'));
  await tx.delete(oauthTokens).where(and(eq(oauthTokens.grant_id, grant.id), isOver));
  await tx.insert(oauthTokens).values([
    { ...ofGrant, hash: sha256(access), kind: 'access', expires_at: now + limits.oauthAccessSec, scopes },
    { ...ofGrant, hash: sha256(refresh), kind: 'refresh', expires_at: now + limits.oauthRefreshSec },
  ]);
  await tx
    .update(oauthGrants)
    .set({ expires_at: now + limits.oauthRefreshSec })
    .where(eq(oauthGrants.id, grant.id));
  return { userId: grant.user_id, scopes, access, refresh, expiresIn: limits.oauthAccessSec, nonce: '' };
}

/** Ends all that came of the sign-in to which a code or token belongs. */
const endGrantOf = ({ changes }: TokenDeps, hash: string, appId?: number): Promise<void> =>
  changes.commit(async (tx, touch) => {
    const [row] = await tx
      .select({ id: oauthTokens.grant_id })
      .from(oauthTokens)
      .where(eq(oauthTokens.hash, hash));
    if (!row) return;
    const [ended] = await tx
      .delete(oauthGrants)
      .where(and(eq(oauthGrants.id, row.id), appId === undefined ? undefined : eq(oauthGrants.app_id, appId)))
      .returning({ of: oauthGrants.user_id });
    // What was found for its tokens, at the console and at the relay.
    if (ended) touch('users', ended.of);
  });

/** RFC 7009: ends the whole sign-in, whichever of its tokens is given; one that is nobody's, or another's, is passed over. */
export const revoke = (deps: TokenDeps, app: OAuthApp, token: string): Promise<void> =>
  endGrantOf(deps, sha256(token), app.id);

/** For who answers calls in the form of RFC 6749, 5.2: the word for a refusal, or null for one that has none there. */
export function errorWord(error: AppError): string {
  switch (error.code) {
    case 'OAUTH_GRANT':
      return 'invalid_grant';
    case 'OAUTH_CLIENT':
      return 'invalid_client';
    case 'OAUTH_GRANT_TYPE':
      return 'unsupported_grant_type';
    case 'OAUTH_SCOPE':
      return 'invalid_scope';
    case 'SCOPE_MISSING':
      return 'insufficient_scope';
    case 'AUTH_REQUIRED':
    case 'ACCESS_TOKEN_INVALID':
    case 'SESSION_EXPIRED':
    case 'USER_DISABLED':
      return 'invalid_token';
    default:
      return error.apiStatus >= 500 || error.apiStatus === 429
        ? 'temporarily_unavailable'
        : 'invalid_request';
  }
}
