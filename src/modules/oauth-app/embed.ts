/**
 * The console inside an application. Its server asks for a token in its user's name, which lives a minute and works once;
 * the page in the frame turns it into a session that is bound to the user, the application and the page around it.
 */
import { desc, eq } from 'drizzle-orm';
import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { hasRole } from '../../core/roles.ts';
import { shareOfApp } from '../../core/share.ts';
import { asIs } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import { embedSessions, oauthApps, oauthGrants } from '../../db/schema/index.ts';
import { ownCredential } from '../../platform/own-proof.ts';
import { sha256 } from '../../platform/secrets.ts';
import type { Deps } from '../deps.ts';
import { isOfApp } from './facts.ts';

type EmbedDeps = Pick<Deps, 'db' | 'oneTime' | 'options'>;

const kept = z.object({ userId: z.number(), grantId: z.string(), appId: z.number(), origin: z.string() });
export type EmbedToken = z.infer<typeof kept>;

/** Whom a token is for: a user who let an application show his console, and the page that will be around it. */
export interface EmbedFor {
  user: { id: number; role: number };
  grant: { grantId: string; appId: number };
  origin: string;
}

const keyOf = (token: string): string => `embed:${sha256(token)}`;
const SHAPE = /^oae_[\w-]{43}$/;

/**
 * Throws EMBED_ROLE for administrators, EMBED_ORIGIN for a page that root has not named, EMBED_ORIGIN_OF_APP for one
 * where no redirect address of the application is.
 */
export async function makeEmbedToken(
  { db, oneTime, options }: EmbedDeps,
  { user, grant, origin }: EmbedFor,
): Promise<string> {
  if (hasRole(user.role, 'admin')) throw fail('EMBED_ROLE');
  const params = { origin: asIs(origin.slice(0, 200)) };
  if (!options.get('EmbedOrigins').includes(origin)) throw fail('EMBED_ORIGIN', { params });
  const { grantId, appId } = grant;
  const [app] = await db.orm
    .select({ redirects: oauthApps.redirect_uris })
    .from(oauthApps)
    .where(eq(oauthApps.id, appId));
  if (!app || !isOfApp(app.redirects, origin)) throw fail('EMBED_ORIGIN_OF_APP', { params });
  const token = `oae_${secretText(256)}`;
  const value: EmbedToken = { userId: user.id, grantId, appId, origin };
  await oneTime.put(keyOf(token), JSON.stringify(value), limits.embedTokenSec);
  return token;
}

/** The page that may frame what shows this token; null for a token that is none. It stays good. */
export async function embedOriginOf(
  { oneTime }: Pick<Deps, 'oneTime'>,
  token: string,
): Promise<string | null> {
  return read(SHAPE.test(token) ? await oneTime.get(keyOf(token)) : null)?.origin ?? null;
}

/** Uses a token up. Throws EMBED_TOKEN. */
export async function takeEmbedToken({ oneTime }: Pick<Deps, 'oneTime'>, token: string): Promise<EmbedToken> {
  const taken = read(SHAPE.test(token) ? await oneTime.take(keyOf(token)) : null);
  if (!taken) throw fail('EMBED_TOKEN');
  return taken;
}

function read(text: string | null): EmbedToken | null {
  const found = kept.safeParse(text === null ? null : parseJson(text));
  return found.success ? found.data : null;
}

/** Begins the session of a token that was taken, and answers its random id. Throws EMBED_TOKEN where the sign-in has ended meanwhile. */
export async function beginEmbed(
  { db, secrets }: Pick<Deps, 'db' | 'secrets'>,
  { userId, grantId, appId, origin }: EmbedToken,
): Promise<string> {
  const holder = shareOfApp(appId, userId);
  const randomId = ownCredential(secrets, 'frame', holder, `oab_${secretText(256)}`);
  await db.orm.transaction(async (tx) => {
    const [grant] = await tx
      .select({ id: oauthGrants.id })
      .from(oauthGrants)
      .where(eq(oauthGrants.id, grantId))
      .for('key share');
    if (!grant) throw fail('EMBED_TOKEN');
    const expires_at = nowSec() + limits.embedSessionSec;
    await tx.insert(embedSessions).values({ id: sha256(randomId), grant_id: grantId, origin, expires_at });
    const surplus = tx
      .select({ id: embedSessions.id })
      .from(embedSessions)
      .where(eq(embedSessions.grant_id, grantId))
      .orderBy(desc(embedSessions.expires_at))
      .offset(limits.embedSessionsOfGrant);
    await tx.delete(embedSessions).where(among(embedSessions.id, surplus));
  });
  return randomId;
}
