/**
 * Who calls. The cookie carries a random id, the row decides: it is read again at most five seconds later, so that a ban or
 * a demotion works on every process, and at once on the one where it happened.
 */
import { and, eq, lt, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { accessTokens, sessions, users } from '../../db/schema/index.ts';
import { type Bringer, createLookups } from '../../platform/lookups.ts';
import { createRecent } from '../../platform/recent.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { isAlive } from './own.ts';

/** A signed-in user as the database has it now. */
export interface SessionUser {
  id: number;
  username: string;
  display_name: string;
  role: number;
  group_name: string;
  status: number;
}

export interface FoundSession {
  /** SHA-256 of the cookie's random id. */
  id: string;
  user: SessionUser;
  createdAt: number;
  confirmedAt: number;
}

export interface FoundAccessToken {
  /** SHA-256 of it. */
  hash: string;
  user: SessionUser;
}

/** `banned`: the credential is good but its user is not allowed in. */
export type Found<T> = { kind: 'found'; value: T } | { kind: 'none' } | { kind: 'banned' };

/** Renewing writes a row; once an hour is enough for a sliding month. */
const RENEW_SEC = 3600;
/** When an access token was last used is known to the minute. */
const USED_SEC = 60;

/** How those are found that cookies and access tokens are of. */
export function createFinder({ db, changes, ...deps }: Pick<Deps, 'db' | 'changes' | 'limiter' | 'secrets'>) {
  const lookups = createLookups(deps, 'api');
  // Both are asked for before any limit can know whose a call is.
  const bounds = { keepMs: limits.sessionCacheMs, max: limits.sessionsCached };
  const foundSessions = createRecent<Found<FoundSession>>({
    ...bounds,
    ownerOf: (found) => (found.kind === 'found' ? String(found.value.user.id) : null),
  });
  const foundTokens = createRecent<Found<FoundAccessToken>>({
    ...bounds,
    isKept: ({ kind }) => kind !== 'none',
    ownerOf: (found) => (found.kind === 'found' ? String(found.value.user.id) : null),
  });
  // A change of a user's rights or of any of his ways in drops all of his, and nobody else's: both kinds name users.
  const drop = (userId: string | undefined) => {
    foundSessions.drop(userId);
    foundTokens.drop(userId);
  };
  changes.on('sessions', drop);
  changes.on('users', drop);

  return {
    /** The session of a cookie's random id. */
    find(randomId: string): Promise<Found<FoundSession>> {
      const id = sha256(randomId);
      return foundSessions.get(id, () => readSession(db, id));
    },

    /** The user of a management access token. Throws RATE_LIMIT when too many were nobody's of those that count with it. */
    findByAccessToken(token: string, bringer: Bringer): Promise<Found<FoundAccessToken>> {
      const hash = sha256(token);
      return foundTokens.get(hash, async () => {
        const brought = { kind: 'access-token', text: token, ...bringer } as const;
        const found = await lookups.look(brought, () => readAccessToken(db, hash));
        return found ?? { kind: 'none' };
      });
    },
  };
}

const userColumns = {
  id: users.id,
  username: users.username,
  display_name: users.display_name,
  role: users.role,
  group_name: users.group_name,
  status: users.status,
};

async function readSession({ orm }: Pick<Database, 'orm'>, id: string): Promise<Found<FoundSession>> {
  const now = nowSec();
  const [row] = await orm
    .select({ session: sessions, user: userColumns })
    .from(sessions)
    .innerJoin(users, eq(users.id, sessions.user_id))
    .where(and(eq(sessions.id, id), isAlive(now), sql`${users.deleted_at} is null`));
  if (!row) return { kind: 'none' };
  if (row.user.status !== USER_STATUS.active) return { kind: 'banned' };
  const { created_at, confirmed_at, seen_at } = row.session;
  if (seen_at < now - RENEW_SEC) await orm.update(sessions).set({ seen_at: now }).where(eq(sessions.id, id));
  return { kind: 'found', value: { id, user: row.user, createdAt: created_at, confirmedAt: confirmed_at } };
}

async function readAccessToken(
  { orm }: Pick<Database, 'orm'>,
  hash: string,
): Promise<Found<FoundAccessToken> | null> {
  const [row] = await orm
    .select({ user: userColumns, usedAt: accessTokens.used_at })
    .from(accessTokens)
    .innerJoin(users, eq(users.id, accessTokens.user_id))
    .where(and(eq(accessTokens.hash, hash), sql`${users.deleted_at} is null`));
  if (!row) return null;
  if (row.user.status !== USER_STATUS.active) return { kind: 'banned' };
  const now = nowSec();
  if (row.usedAt <= now - USED_SEC) {
    await orm
      .update(accessTokens)
      .set({ used_at: now })
      .where(and(eq(accessTokens.hash, hash), lt(accessTokens.used_at, now)));
  }
  return { kind: 'found', value: { hash, user: row.user } };
}
