/**
 * Console sessions. The cookie carries a random id, the row decides: it is read again at most five seconds later, so
 * that a ban or a demotion works on every process, and at once on the one where it happened.
 */
import { and, eq, gt, ne, sql } from 'drizzle-orm';
import { secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { accessTokens, sessions, users } from '../../db/schema/index.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';

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

/** `banned`: the credential is good but its user is not allowed in. */
export type Found<T> = { kind: 'found'; value: T } | { kind: 'none' } | { kind: 'banned' };

export type SessionService = ReturnType<typeof createSessionService>;

/** Renewing writes a row; once an hour is enough for a sliding month. */
const RENEW_SEC = 3600;

const userColumns = {
  id: users.id,
  username: users.username,
  display_name: users.display_name,
  role: users.role,
  group_name: users.group_name,
  status: users.status,
};

export function createSessionService(deps: Pick<Deps, 'db' | 'changes'>) {
  const { db, changes } = deps;
  const cache = new Map<string, { found: Found<FoundSession>; until: number }>();
  let changeCount = 0;
  // A change of a user's rights or of any session drops everything: the cache only spares bursts of one page's calls.
  const drop = () => {
    changeCount++;
    cache.clear();
  };
  changes.on('sessions', drop);
  changes.on('users', drop);

  const read = async (id: string): Promise<Found<FoundSession>> => {
    const now = nowSec();
    const [row] = await db.orm
      .select({ session: sessions, user: userColumns })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.user_id))
      .where(
        and(
          eq(sessions.id, id),
          gt(sessions.seen_at, now - limits.sessionIdleSec),
          gt(sessions.created_at, now - limits.sessionAbsoluteSec),
          sql`${users.deleted_at} is null`,
        ),
      );
    if (!row) return { kind: 'none' };
    if (row.user.status !== USER_STATUS.active) return { kind: 'banned' };
    const { created_at, confirmed_at, seen_at } = row.session;
    if (seen_at < now - RENEW_SEC)
      await db.orm.update(sessions).set({ seen_at: now }).where(eq(sessions.id, id));
    return { kind: 'found', value: { id, user: row.user, createdAt: created_at, confirmedAt: confirmed_at } };
  };

  return {
    /** Begins a session and returns the random id for the cookie. */
    async begin(userId: number, from: { ip: string; userAgent: string }): Promise<string> {
      const id = secretText(256);
      await db.orm.insert(sessions).values({
        id: sha256(id),
        user_id: userId,
        ip: from.ip,
        user_agent: from.userAgent.slice(0, 300),
      });
      return id;
    },

    /** The session of a cookie's random id. */
    async find(randomId: string): Promise<Found<FoundSession>> {
      const id = sha256(randomId);
      const held = cache.get(id);
      if (held && held.until > Date.now()) return held.found;
      const asOf = changeCount;
      const found = await read(id);
      if (cache.size > 10_000) cache.clear();
      // What changed meanwhile may have been read as it was before.
      if (asOf === changeCount) cache.set(id, { found, until: Date.now() + limits.sessionCacheMs });
      return found;
    },

    /** The user of a management access token. */
    async findByAccessToken(token: string): Promise<Found<SessionUser>> {
      const [row] = await db.orm
        .select(userColumns)
        .from(accessTokens)
        .innerJoin(users, eq(users.id, accessTokens.user_id))
        .where(and(eq(accessTokens.hash, sha256(token)), sql`${users.deleted_at} is null`));
      if (!row) return { kind: 'none' };
      return row.status === USER_STATUS.active ? { kind: 'found', value: row } : { kind: 'banned' };
    },

    /** Ends one session, by the hash that is its id. */
    async end(id: string): Promise<void> {
      await changes.commit(async (tx, touch) => {
        await tx.delete(sessions).where(eq(sessions.id, id));
        touch('sessions', id);
      });
    },

    /** Ends a user's sessions inside the caller's transaction, all but `except` (the one that asked). */
    async endAll(tx: Tx, touch: Touch, userId: number, except?: string | null): Promise<void> {
      const mine = eq(sessions.user_id, userId);
      await tx.delete(sessions).where(except ? and(mine, ne(sessions.id, except)) : mine);
      touch('sessions');
    },

    /** Ends every way in that was opened with old rights or an old password: sessions and the access token. */
    async endAccess(tx: Tx, touch: Touch, userId: number): Promise<void> {
      await tx.delete(accessTokens).where(eq(accessTokens.user_id, userId));
      await this.endAll(tx, touch, userId);
    },

    /** Makes the user's access token anew and returns it; only its hash is kept. */
    async issueAccessToken(userId: number): Promise<string> {
      const token = secretText(256);
      const hash = sha256(token);
      await db.orm
        .insert(accessTokens)
        .values({ user_id: userId, hash })
        .onConflictDoUpdate({
          target: accessTokens.user_id,
          set: { hash, created_at: nowSec(), used_at: 0 },
        });
      return token;
    },
  };
}
