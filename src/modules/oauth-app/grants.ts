/** Who calls with an application's access token, and what for. */
import { and, eq, gt, isNull } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { isEmbedBearer, isGrantToken } from '../../core/oauth.ts';
import { hasRole, USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { embedSessions, oauthApps, oauthGrants, oauthTokens, users } from '../../db/schema/index.ts';
import { createLookups } from '../../platform/lookups.ts';
import { createRecent } from '../../platform/recent.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { isOfApp, OPENID } from './facts.ts';

interface GrantUser {
  id: number;
  username: string;
  display_name: string;
  role: number;
  group_name: string;
}

/** A user at an application, as the database has both now. */
export interface FoundGrant {
  user: GrantUser;
  grantId: string;
  appId: number;
  appName: string;
  scopes: readonly string[];
  /** Of the access token. */
  expiresAt: number;
}

/** A user who sees the console inside an application. */
export interface FoundEmbed {
  /** The hash of its random id. */
  id: string;
  user: GrantUser;
  appId: number;
  origin: string;
  /** What he let it do, as far as root still does. */
  scopes: readonly string[];
  expiresAt: number;
}

type Found<T> = { kind: 'found'; value: T } | { kind: 'none' } | { kind: 'banned' };

interface Held {
  user: GrantUser;
  expiresAt: number;
}

export type Grants = ReturnType<typeof createGrants>;

export function createGrants({
  db,
  changes,
  limiter,
  options,
}: Pick<Deps, 'db' | 'changes' | 'limiter' | 'options'>) {
  const lookups = createLookups(limiter, 'oauth');
  /** What is found by a random text, kept for seconds; null is nobody's, and counts. */
  const lately = <T extends Held>(read: (text: string) => Promise<Found<T> | null>) => {
    const found = createRecent<Found<T>>({
      keepMs: limits.sessionCacheMs,
      max: limits.sessionsCached,
      isKept: ({ kind }) => kind !== 'none',
      ownerOf: (one) => (one.kind === 'found' ? String(one.value.user.id) : null),
    });
    changes.on('users', (id) => found.drop(id));
    changes.on('sessions', (id) => found.drop(id));
    return async (text: string, ip: string): Promise<Found<T>> => {
      const hash = sha256(text);
      const one = await found.get(hash, async () => {
        const fresh = await lookups.look(hash, ip, () => read(text));
        return fresh ?? { kind: 'none' };
      });
      // What is kept for seconds may have ended within them.
      return one.kind === 'found' && one.value.expiresAt <= nowSec() ? { kind: 'none' } : one;
    };
  };
  const grantOf = lately((token) => readGrant(db, token));
  const embedOf = lately((randomId) => readEmbed(db, randomId));
  return {
    /** Throws RATE_LIMIT when too many from `ip` were nobody's. */
    async find(token: string, ip: string): Promise<Found<FoundGrant>> {
      return isGrantToken(token) ? grantOf(token, ip) : { kind: 'none' };
    },

    /** The session of a frame, while root lets the page around it embed the console. */
    async findEmbed(randomId: string, ip: string): Promise<Found<FoundEmbed>> {
      const one: Found<FoundEmbed> = isEmbedBearer(randomId) ? await embedOf(randomId, ip) : { kind: 'none' };
      const isIn = one.kind !== 'found' || options.get('EmbedOrigins').includes(one.value.origin);
      return isIn ? one : { kind: 'none' };
    },
  };
}

const userColumns = {
  id: users.id,
  username: users.username,
  display_name: users.display_name,
  role: users.role,
  group_name: users.group_name,
};

async function readEmbed(
  { orm }: Pick<Database, 'orm'>,
  randomId: string,
): Promise<Found<FoundEmbed> | null> {
  const id = sha256(randomId);
  const [row] = await orm
    .select({
      user: userColumns,
      status: users.status,
      appId: oauthApps.id,
      allowed: oauthApps.scopes,
      redirects: oauthApps.redirect_uris,
      granted: oauthGrants.scopes,
      origin: embedSessions.origin,
      expiresAt: embedSessions.expires_at,
    })
    .from(embedSessions)
    .innerJoin(oauthGrants, eq(oauthGrants.id, embedSessions.grant_id))
    .innerJoin(oauthApps, eq(oauthApps.id, oauthGrants.app_id))
    .innerJoin(users, eq(users.id, oauthGrants.user_id))
    .where(
      and(
        eq(embedSessions.id, id),
        gt(embedSessions.expires_at, nowSec()),
        oauthApps.enabled,
        isNull(users.deleted_at),
      ),
    );
  if (!row) return null;
  const { user, status, appId, allowed, redirects, granted, origin, expiresAt } = row;
  if (status !== USER_STATUS.active) return { kind: 'banned' };
  // Who was made an administrator meanwhile is none inside an application.
  if (hasRole(user.role, 'admin') || !allowed.includes('embed')) return { kind: 'none' };
  if (!isOfApp(redirects, origin)) return { kind: 'none' };
  const scopes = granted.filter((scope) => allowed.includes(scope));
  return { kind: 'found', value: { id, user, appId, origin, scopes, expiresAt } };
}

async function readGrant({ orm }: Pick<Database, 'orm'>, token: string): Promise<Found<FoundGrant> | null> {
  const now = nowSec();
  const [row] = await orm
    .select({
      user: userColumns,
      status: users.status,
      grantId: oauthGrants.id,
      appId: oauthApps.id,
      appName: oauthApps.name,
      allowed: oauthApps.scopes,
      granted: oauthTokens.scopes,
      expiresAt: oauthTokens.expires_at,
    })
    .from(oauthTokens)
    .innerJoin(oauthGrants, eq(oauthGrants.id, oauthTokens.grant_id))
    .innerJoin(oauthApps, eq(oauthApps.id, oauthGrants.app_id))
    .innerJoin(users, eq(users.id, oauthGrants.user_id))
    .where(
      and(
        eq(oauthTokens.hash, sha256(token)),
        eq(oauthTokens.kind, 'access'),
        gt(oauthTokens.expires_at, now),
        oauthApps.enabled,
        isNull(users.deleted_at),
      ),
    );
  if (!row) return null;
  const { user, status, grantId, appId, appName, allowed, granted, expiresAt } = row;
  if (status !== USER_STATUS.active) return { kind: 'banned' };
  const scopes = granted.filter((scope) => scope === OPENID || allowed.includes(scope));
  return { kind: 'found', value: { user, grantId, appId, appName, scopes, expiresAt } };
}

/** The grant of an access token that may call the relay; null for every other. */
export async function readRelayGrant(db: Pick<Database, 'orm'>, token: string): Promise<FoundGrant | null> {
  const read = await readGrant(db, token);
  return read?.kind === 'found' && read.value.scopes.includes('relay') ? read.value : null;
}
