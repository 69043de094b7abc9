/** Who calls with an application's access token, and what for. */
import { type SQL, sql } from 'drizzle-orm';
import { limits } from '../../core/limits.ts';
import { isEmbedBearer, isGrantToken } from '../../core/oauth.ts';
import { hasRole, USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import type { Database } from '../../db/client.ts';
import { rowsOf } from '../../db/statement.ts';
import { type Bringer, createLookups } from '../../platform/lookups.ts';
import type { CredentialKind } from '../../platform/own-proof.ts';
import { createRecent } from '../../platform/recent.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { noteUse } from './consent.ts';
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

export function createGrants({
  db,
  changes,
  options,
  ...deps
}: Pick<Deps, 'db' | 'changes' | 'limiter' | 'options' | 'secrets'>) {
  const lookups = createLookups(deps, 'oauth');
  /** What is found by a random text, kept for seconds; null is nobody's, and counts. */
  const lately = <T extends Held>(kind: CredentialKind, read: (text: string) => Promise<Found<T> | null>) => {
    const found = createRecent<Found<T>>({
      keepMs: limits.sessionCacheMs,
      max: limits.sessionsCached,
      isKept: ({ kind }) => kind !== 'none',
      ownerOf: (one) => (one.kind === 'found' ? String(one.value.user.id) : null),
    });
    changes.on('users', (id) => found.drop(id));
    changes.on('sessions', (id) => found.drop(id));
    return async (text: string, bringer: Bringer): Promise<Found<T>> => {
      const one = await found.get(sha256(text), async () => {
        const fresh = await lookups.look({ kind, text, ...bringer }, () => read(text));
        return fresh ?? { kind: 'none' };
      });
      // What is kept for seconds may have ended within them.
      return one.kind === 'found' && one.value.expiresAt <= nowSec() ? { kind: 'none' } : one;
    };
  };
  const grantOf = lately('app-token', (token) => readGrant(db, token));
  const embedOf = lately('frame', (randomId) => readEmbed(db, randomId));
  return {
    /** Throws RATE_LIMIT when too many were nobody's of those that count with it. */
    async find(token: string, bringer: Bringer): Promise<Found<FoundGrant>> {
      return isGrantToken(token) ? grantOf(token, bringer) : { kind: 'none' };
    },

    /** The session of a frame, while root lets the page around it embed the console. */
    async findEmbed(randomId: string, bringer: Bringer): Promise<Found<FoundEmbed>> {
      const one: Found<FoundEmbed> = isEmbedBearer(randomId)
        ? await embedOf(randomId, bringer)
        : { kind: 'none' };
      const isIn = one.kind !== 'found' || options.get('EmbedOrigins').includes(one.value.origin);
      return isIn ? one : { kind: 'none' };
    },
  };
}

/** A credential of an application, and the user for whom it stands. */
interface Whose {
  user: GrantUser;
  status: number;
  grant_id: string;
  app_id: number;
  app_name: string;
  /** What root lets it do, where it may be answered, and what its user let it do. */
  allowed: string[];
  redirects: string[];
  scopes: string[];
  origin: string;
  expires_at: number;
  used_at: number;
}

/** `held`: its `grant_id`, `scopes` (null for all of the sign-in), `origin` and `expires_at`, or nothing. Notes the use. */
async function readWhose(db: Pick<Database, 'orm'>, held: SQL): Promise<Whose | null> {
  const [row] = rowsOf<Omit<Whose, 'user'> & Omit<GrantUser, 'id'> & { user_id: number }>(
    await db.orm.execute(sql`
      select u.id as user_id, u.username, u.display_name, u.role, u.group_name, u.status,
        g.id as grant_id, a.id as app_id, a.name as app_name, a.scopes as allowed, a.redirect_uris as redirects,
        coalesce(h.scopes, g.scopes) as scopes, h.origin, h.expires_at, c.used_at
      from (${held}) h
      join oauth_grants g on g.id = h.grant_id
      join oauth_consents c on c.user_id = g.user_id and c.app_id = g.app_id
      join oauth_apps a on a.id = g.app_id
      join users u on u.id = g.user_id
      where h.expires_at > ${nowSec()}::bigint and a.enabled and u.deleted_at is null`),
  );
  if (!row) return null;
  const { user_id: id, username, display_name, role, group_name, ...rest } = row;
  await noteUse(db, { userId: id, appId: row.app_id, usedAt: row.used_at });
  return { ...rest, user: { id, username, display_name, role, group_name } };
}

async function readEmbed(db: Pick<Database, 'orm'>, randomId: string): Promise<Found<FoundEmbed> | null> {
  const id = sha256(randomId);
  const row = await readWhose(
    db,
    sql`select grant_id, null::text[] as scopes, origin, expires_at from embed_sessions where id = ${id}`,
  );
  if (!row) return null;
  const { user, status, app_id: appId, allowed, origin, expires_at: expiresAt } = row;
  if (status !== USER_STATUS.active) return { kind: 'banned' };
  // Who was made an administrator meanwhile is none inside an application.
  if (hasRole(user.role, 'admin') || !allowed.includes('embed')) return { kind: 'none' };
  if (!isOfApp(row.redirects, origin)) return { kind: 'none' };
  const scopes = row.scopes.filter((scope) => allowed.includes(scope));
  return { kind: 'found', value: { id, user, appId, origin, scopes, expiresAt } };
}

async function readGrant(db: Pick<Database, 'orm'>, token: string): Promise<Found<FoundGrant> | null> {
  const row = await readWhose(
    db,
    sql`select grant_id, scopes, '' as origin, expires_at from oauth_tokens where hash = ${sha256(token)} and kind = 'access'`,
  );
  if (!row) return null;
  const { user, status, grant_id: grantId, app_id: appId, app_name: appName, allowed } = row;
  if (status !== USER_STATUS.active) return { kind: 'banned' };
  const scopes = row.scopes.filter((scope) => scope === OPENID || allowed.includes(scope));
  return { kind: 'found', value: { user, grantId, appId, appName, scopes, expiresAt: row.expires_at } };
}

/** The grant of an access token that may call the relay; null for every other. */
export async function readRelayGrant(db: Pick<Database, 'orm'>, token: string): Promise<FoundGrant | null> {
  const read = await readGrant(db, token);
  return read?.kind === 'found' && read.value.scopes.includes('relay') ? read.value : null;
}
