/** Who calls with an application's access token, and what for. */
import { and, eq, gt, isNull } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { isGrantToken } from '../../core/oauth.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { oauthApps, oauthGrants, oauthTokens, users } from '../../db/schema/index.ts';
import { createLookups } from '../../platform/lookups.ts';
import { createRecent } from '../../platform/recent.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { OPENID } from './facts.ts';

/** A user at an application, as the database has both now. */
export interface FoundGrant {
  user: { id: number; username: string; display_name: string; role: number; group_name: string };
  appId: number;
  appName: string;
  scopes: readonly string[];
  /** Of the access token. */
  expiresAt: number;
}

type Found = { kind: 'found'; value: FoundGrant } | { kind: 'none' } | { kind: 'banned' };

export type Grants = ReturnType<typeof createGrants>;

export function createGrants({ db, changes, limiter }: Pick<Deps, 'db' | 'changes' | 'limiter'>) {
  const lookups = createLookups(limiter, 'oauth');
  const found = createRecent<Found>({
    keepMs: limits.sessionCacheMs,
    max: limits.sessionsCached,
    isKept: ({ kind }) => kind !== 'none',
    ownerOf: (one) => (one.kind === 'found' ? String(one.value.user.id) : null),
  });
  changes.on('users', (id) => found.drop(id));
  changes.on('sessions', (id) => found.drop(id));
  return {
    /** Throws RATE_LIMIT when too many from `ip` were nobody's. */
    async find(token: string, ip: string): Promise<Found> {
      if (!isGrantToken(token)) return { kind: 'none' };
      const hash = sha256(token);
      const one = await found.get(hash, async () => {
        const read = await lookups.look(hash, ip, () => readGrant(db, token));
        return read ?? { kind: 'none' };
      });
      // What is kept for seconds may have ended within them.
      return one.kind === 'found' && one.value.expiresAt <= nowSec() ? { kind: 'none' } : one;
    },
  };
}

async function readGrant({ orm }: Pick<Database, 'orm'>, token: string): Promise<Found | null> {
  const now = nowSec();
  const [row] = await orm
    .select({
      user: {
        id: users.id,
        username: users.username,
        display_name: users.display_name,
        role: users.role,
        group_name: users.group_name,
      },
      status: users.status,
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
  const { user, status, appId, appName, allowed, granted, expiresAt } = row;
  if (status !== USER_STATUS.active) return { kind: 'banned' };
  const scopes = granted.filter((scope) => scope === OPENID || allowed.includes(scope));
  return { kind: 'found', value: { user, appId, appName, scopes, expiresAt } };
}

/** The grant of an access token that may call the relay; null for every other. */
export async function readRelayGrant(db: Pick<Database, 'orm'>, token: string): Promise<FoundGrant | null> {
  const read = await readGrant(db, token);
  return read?.kind === 'found' && read.value.scopes.includes('relay') ? read.value : null;
}
