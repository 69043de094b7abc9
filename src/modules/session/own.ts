/** The sessions of a user: how they begin, what he sees of them, how one ends. */
import { and, desc, eq, gt, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { limits } from '../../core/limits.ts';
import { nowSec } from '../../core/time.ts';
import { type Device, readUserAgent } from '../../core/user-agent.ts';
import type { Database, Executor } from '../../db/client.ts';
import { sessions } from '../../db/schema/index.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { endEmbed } from '../oauth-app/service.ts';

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

/** A proof so old still counts as given just now. */
const RECENT_SEC = 600;
const SHOWN_ID_CHARS = 12;

/** Those that still let somebody in. */
export const isAlive = (now: number) =>
  and(
    gt(sessions.seen_at, now - limits.sessionIdleSec),
    gt(sessions.created_at, now - limits.sessionAbsoluteSec),
  );

export function createOwnSessions({ db, changes }: Pick<Deps, 'db' | 'changes'>) {
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

    /** Whether its user signed in or proved himself in this session just now; never without one. */
    async reauthenticatedRecently(id: string | null): Promise<boolean> {
      if (id === null) return false;
      const [row] = await db.orm
        .select({ at: sessions.confirmed_at })
        .from(sessions)
        .where(eq(sessions.id, id));
      return row !== undefined && row.at >= nowSec() - RECENT_SEC;
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
