/**
 * Console sessions and access tokens. The cookie carries a random id, the row decides: it is read again at most five
 * seconds later, so that a ban or a demotion works on every process, and at once on the one where it happened.
 */
import { and, desc, eq, gt, lt, ne, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import { type Device, readUserAgent } from '../../core/user-agent.ts';
import type { Touch } from '../../db/changes.ts';
import type { Database, Executor, Tx } from '../../db/client.ts';
import { accessTokens, identities, passkeys, sessions, users } from '../../db/schema/index.ts';
import { createLookups } from '../../platform/lookups.ts';
import { createRecent } from '../../platform/recent.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { endAppSignInsOf, endEmbed, endEmbedsOf, endGrantsOf } from '../oauth-app/service.ts';
import { lockTokensOfApp, removeTokensOfApp } from '../token/service.ts';

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

/** A session as its owner sees it among his others. */
export interface SessionEntry extends Device {
  /** The beginning of its id: enough to end it, of no use for signing in. */
  id: string;
  ip: string;
  created_at: number;
  seen_at: number;
  /** It is the one that asks. */
  current: boolean;
}

export interface FoundAccessToken {
  /** SHA-256 of it. */
  hash: string;
  user: SessionUser;
}

/** When the access token was made, and last used; 0 for never. */
export interface AccessTokenEntry {
  created_at: number;
  used_at: number;
}

/** `banned`: the credential is good but its user is not allowed in. */
export type Found<T> = { kind: 'found'; value: T } | { kind: 'none' } | { kind: 'banned' };

export type SessionService = ReturnType<typeof createSessionService>;

/** What a call needs that does more with sessions than to find out who calls. */
export interface SessionDeps {
  sessions: SessionService;
}

/** Renewing writes a row; once an hour is enough for a sliding month. */
const RENEW_SEC = 3600;
/** When an access token was last used is known to the minute. */
const USED_SEC = 60;
/** A proof so old still counts as given just now. */
const RECENT_SEC = 600;
const SHOWN_ID_CHARS = 12;

/** Those that still let somebody in. */
export const isAlive = (now: number) =>
  and(
    gt(sessions.seen_at, now - limits.sessionIdleSec),
    gt(sessions.created_at, now - limits.sessionAbsoluteSec),
  );

const userColumns = {
  id: users.id,
  username: users.username,
  display_name: users.display_name,
  role: users.role,
  group_name: users.group_name,
  status: users.status,
};

export function createSessionService(deps: Pick<Deps, 'db' | 'changes' | 'limiter'>) {
  const { db, changes } = deps;
  const lookups = createLookups(deps.limiter, 'api');
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

  const read = async (id: string): Promise<Found<FoundSession>> => {
    const now = nowSec();
    const [row] = await db.orm
      .select({ session: sessions, user: userColumns })
      .from(sessions)
      .innerJoin(users, eq(users.id, sessions.user_id))
      .where(and(eq(sessions.id, id), isAlive(now), sql`${users.deleted_at} is null`));
    if (!row) return { kind: 'none' };
    if (row.user.status !== USER_STATUS.active) return { kind: 'banned' };
    const { created_at, confirmed_at, seen_at } = row.session;
    if (seen_at < now - RENEW_SEC)
      await db.orm.update(sessions).set({ seen_at: now }).where(eq(sessions.id, id));
    return { kind: 'found', value: { id, user: row.user, createdAt: created_at, confirmedAt: confirmed_at } };
  };

  const readAccessToken = async (hash: string): Promise<Found<FoundAccessToken> | null> => {
    const [row] = await db.orm
      .select({ user: userColumns, usedAt: accessTokens.used_at })
      .from(accessTokens)
      .innerJoin(users, eq(users.id, accessTokens.user_id))
      .where(and(eq(accessTokens.hash, hash), sql`${users.deleted_at} is null`));
    if (!row) return null;
    if (row.user.status !== USER_STATUS.active) return { kind: 'banned' };
    const now = nowSec();
    if (row.usedAt <= now - USED_SEC) {
      await db.orm
        .update(accessTokens)
        .set({ used_at: now })
        .where(and(eq(accessTokens.hash, hash), lt(accessTokens.used_at, now)));
    }
    return { kind: 'found', value: { hash, user: row.user } };
  };

  return {
    /**
     * Begins a session and returns the random id for the cookie. Of a user who has as many as he may, the one that was
     * used least lately ends.
     */
    async begin(
      userId: number,
      from: { ip: string; userAgent: string; withPasskey?: boolean },
      executor: Executor = db.orm,
    ): Promise<string> {
      const id = secretText(256);
      await executor.insert(sessions).values({
        id: sha256(id),
        user_id: userId,
        ip: from.ip,
        user_agent: from.userAgent.slice(0, 300),
        with_passkey: from.withPasskey ?? false,
      });
      await endSurplus(executor, userId, sha256(id));
      return id;
    },

    /** The session of a cookie's random id. */
    async find(randomId: string): Promise<Found<FoundSession>> {
      const id = sha256(randomId);
      return foundSessions.get(id, () => read(id));
    },

    /** Whether its user signed in or proved himself in this session just now; never without one. */
    async reauthenticatedRecently(id: string | null): Promise<boolean> {
      if (id === null) return false;
      const [row] = await db.orm
        .select({ at: sessions.confirmed_at })
        .from(sessions)
        .where(eq(sessions.id, id));
      return row !== undefined && row.at >= nowSec() - RECENT_SEC;
    },

    /** The user of a management access token, who calls from `ip`. Throws RATE_LIMIT when too many from there were nobody's. */
    async findByAccessToken(token: string, ip: string): Promise<Found<FoundAccessToken>> {
      const hash = sha256(token);
      return foundTokens.get(hash, async () => {
        const found = await lookups.look(hash, ip, () => readAccessToken(hash));
        return found ?? { kind: 'none' };
      });
    },

    /** The user's sessions, the one that asks (`currentId`) first, then the last used. */
    async list(userId: number, currentId: string | null): Promise<SessionEntry[]> {
      const rows = await db.orm
        .select()
        .from(sessions)
        .where(and(eq(sessions.user_id, userId), isAlive(nowSec())))
        .orderBy(desc(eq(sessions.id, currentId ?? '')), desc(sessions.seen_at), sessions.id)
        .limit(limits.sessionsListed);
      return rows.map(({ id, ip, user_agent, created_at, seen_at }) => ({
        id: id.slice(0, SHOWN_ID_CHARS),
        ...readUserAgent(user_agent),
        ip,
        created_at,
        seen_at,
        current: id === currentId,
      }));
    },

    /** Ends one session, by the hash that is its id. */
    async end(id: string): Promise<void> {
      await changes.commit(async (tx, touch) => {
        const ended = await tx
          .delete(sessions)
          .where(eq(sessions.id, id))
          .returning({ of: sessions.user_id });
        for (const { of } of ended) touch('sessions', of);
      });
    },

    /** Ends the console of a user inside an application, by the hash that is its id. */
    endEmbedded: (userId: number, id: string): Promise<void> =>
      changes.commit((tx, touch) => endEmbed(tx, touch, userId, id)),

    /** Ends the user's session that the list shows with this id. Throws NOT_FOUND. */
    async endShown(userId: number, shownId: string): Promise<void> {
      await changes.commit(async (tx, touch) => {
        const ended = await tx
          .delete(sessions)
          .where(and(eq(sessions.user_id, userId), sql`left(${sessions.id}, ${SHOWN_ID_CHARS}) = ${shownId}`))
          .returning({ id: sessions.id });
        if (ended.length === 0) throw fail('NOT_FOUND');
        touch('sessions', userId);
      });
    },

    /** Ends a user's sessions inside the caller's transaction, all but `except` (the one that asked). */
    async endAll(tx: Tx, touch: Touch, userId: number, except?: string | null): Promise<void> {
      const mine = eq(sessions.user_id, userId);
      await tx.delete(sessions).where(except ? and(mine, ne(sessions.id, except)) : mine);
      await endEmbedsOf(tx, userId);
      touch('sessions', userId);
    },

    /** The same with his access token: whose rights change, gets in with those that he has now. */
    async endRights(tx: Tx, touch: Touch, userId: number): Promise<void> {
      await this.endAll(tx, touch, userId);
      await tx.delete(accessTokens).where(eq(accessTokens.user_id, userId));
    },

    /** The same with what applications hold in his name. What he has to sign in anew with stays his. */
    async endSignIns(tx: Tx, touch: Touch, userId: number): Promise<void> {
      await this.endRights(tx, touch, userId);
      await endAppSignInsOf(tx, userId);
    },

    /**
     * Ends every way in that somebody may have opened for himself: sessions, the access token, applications with the
     * tokens that they made; what was agreed to for applications is forgotten. Accounts of third parties are paused until
     * he keeps them. Passkeys let nobody in by themselves any more: what is asked for after the password stays that, or
     * the password would be all that is asked.
     * Called under the lock of the user's row, which whoever adds a passkey waits for.
     */
    async endAccess(tx: Tx, touch: Touch, userId: number): Promise<void> {
      // The sessions first: one that is held makes this wait, and then the token that it made is there to be seen.
      await this.endRights(tx, touch, userId);
      // Tokens before consents, as whoever withdraws one locks them; what is just being made by a consent is seen after it.
      await lockTokensOfApp(tx, null, userId);
      await endGrantsOf(tx, userId);
      await removeTokensOfApp(tx, touch, null, userId);
      await tx.update(identities).set({ paused: true }).where(eq(identities.user_id, userId));
      await tx.update(passkeys).set({ second_only: true }).where(eq(passkeys.user_id, userId));
    },

    /** Makes the user's access token anew and returns it; only its hash is kept. */
    issueAccessToken: (userId: number): Promise<string> =>
      changes.commit((tx, touch) => replaceAccessToken(tx, touch, userId)),

    /** The same inside the caller's transaction. */
    replaceAccessToken,

    /** Null when he has none. */
    async accessToken(userId: number): Promise<AccessTokenEntry | null> {
      const [row] = await db.orm
        .select({ created_at: accessTokens.created_at, used_at: accessTokens.used_at })
        .from(accessTokens)
        .where(eq(accessTokens.user_id, userId));
      return row ?? null;
    },

    async revokeAccessToken(userId: number): Promise<void> {
      await changes.commit(async (tx, touch) => {
        await tx.delete(accessTokens).where(eq(accessTokens.user_id, userId));
        touch('sessions', userId);
      });
    },
  };
}

/**
 * Ends what a user has beyond his number of sessions beside `begun`. One that is held for what its owner does in it stays
 * until another begins; what is kept of an ended one is over within seconds.
 */
const endSurplus = (executor: Executor, userId: number, begun: string) =>
  executor.execute(sql`
    delete from sessions where id in (
      select id from sessions where id in (
        select id from sessions where user_id = ${userId} and id <> ${begun}
          order by seen_at desc, created_at desc, id offset ${limits.sessionsOfUser - 1}
      ) for update skip locked
    )`);

/** Forgets sessions that let nobody in any more. */
export async function deleteOutlived(db: Pick<Database, 'query'>, signal: AbortSignal): Promise<void> {
  const now = nowSec();
  const bounds = [now - limits.sessionIdleSec, now - limits.sessionAbsoluteSec, limits.outlivedSessions];
  let deleted: number;
  do {
    const rows = await db.query(
      `delete from sessions where id in (
         select id from sessions where seen_at <= $1::bigint or created_at <= $2::bigint limit $3::int)
       returning 1`,
      bounds,
    );
    deleted = rows.length;
  } while (deleted === limits.outlivedSessions && !signal.aborted);
}

async function replaceAccessToken(tx: Tx, touch: Touch, userId: number): Promise<string> {
  const token = secretText(256);
  const hash = sha256(token);
  await tx
    .insert(accessTokens)
    .values({ user_id: userId, hash, created_at: nowSec() })
    .onConflictDoUpdate({
      target: accessTokens.user_id,
      set: { hash, created_at: nowSec(), used_at: 0 },
    });
  // The former one is nobody's from now on.
  touch('sessions', userId);
  return token;
}
