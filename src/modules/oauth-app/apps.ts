/** Applications as root registers them. Every change is recorded; a secret is shown once, when it is made. */
import { and, count, eq, ilike, or, sql } from 'drizzle-orm';
import { lengthOf } from '../../core/account-rules.ts';
import type { Actor, LastingActor } from '../../core/actor.ts';
import { changesBetween, SECRET_CHANGED } from '../../core/admin-actions.ts';
import { eachRow } from '../../core/each-row.ts';
import { fail } from '../../core/errors.ts';
import { plainText, secretText } from '../../core/ids.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { isWebAddress } from '../../core/web-address.ts';
import type { Paging } from '../../core/wire/paging.ts';
import type { Touch } from '../../db/changes.ts';
import type { Tx } from '../../db/client.ts';
import { containing } from '../../db/like.ts';
import { orderBy } from '../../db/order.ts';
import { oauthApps, oauthConsents, oauthGrants } from '../../db/schema/index.ts';
import { sha256 } from '../../platform/secrets.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { lockTokensOfApp, removeTokensOfApp } from '../token/service.ts';
import type { CreateBody, ListQuery, OAuthAppItem, OAuthAppWithSecret, UpdateBody } from './contract.ts';
import {
  APP_NAME_MAX,
  isRedirect,
  OAUTH_SCOPES,
  type OAuthAppAction,
  type OAuthScope,
  REDIRECTS_MAX,
} from './facts.ts';

type AppDeps = Pick<Deps, 'db' | 'changes'>;
export type OAuthApp = typeof oauthApps.$inferSelect;

const CLIENT_ID_CHARS = 24;

const newSecret = (): string => `oas_${secretText(256)}`;

/** In the order asked for, else newest first; by a part of the name or the whole client id. */
export async function listApps(
  { db }: AppDeps,
  { keyword = '', sort }: ListQuery,
  { limit, offset }: Paging,
): Promise<{ items: OAuthAppItem[]; total: number }> {
  const text = keyword.trim();
  const where =
    text === '' ? undefined : or(ilike(oauthApps.name, containing(text)), eq(oauthApps.client_id, text));
  const rows = await db.orm
    .select({ app: oauthApps, users: usersOf })
    .from(oauthApps)
    .where(where)
    .orderBy(...orderBy(sort, orderColumns, oauthApps.id))
    .limit(limit)
    .offset(offset);
  const [total] = await db.orm.select({ n: count() }).from(oauthApps).where(where);
  return { items: rows.map(({ app, users }) => itemOf(app, users)), total: total?.n ?? 0 };
}

const usersOf = sql<number>`(select count(*)::int from ${oauthConsents} where ${oauthConsents.app_id} = ${oauthApps.id})`;

const orderColumns = {
  name: oauthApps.name,
  status: oauthApps.enabled,
  kind: sql`${oauthApps.secret_hash} is null`,
  users: usersOf,
  created: oauthApps.created_at,
};

const itemOf = (app: OAuthApp, users: number): OAuthAppItem => ({
  id: app.id,
  client_id: app.client_id,
  name: app.name,
  homepage: app.homepage,
  redirect_uris: app.redirect_uris,
  scopes: scopesIn(app.scopes),
  confidential: app.secret_hash !== null,
  enabled: app.enabled,
  users,
  created_at: app.created_at,
});

/** Those that there still are. */
export const scopesIn = (names: readonly string[]): OAuthScope[] =>
  OAUTH_SCOPES.filter((scope) => names.includes(scope));

/** Throws NOT_FOUND. */
export async function getApp({ db }: AppDeps, id: number): Promise<OAuthAppItem> {
  const [row] = await db.orm
    .select({ app: oauthApps, users: usersOf })
    .from(oauthApps)
    .where(eq(oauthApps.id, id));
  if (!row) throw fail('NOT_FOUND');
  return itemOf(row.app, row.users);
}

/** The application of a client id, while it is switched on. */
export async function findApp({ db }: Pick<Deps, 'db'>, clientId: string): Promise<OAuthApp | null> {
  const [row] = await db.orm
    .select()
    .from(oauthApps)
    .where(and(eq(oauthApps.client_id, clientId), oauthApps.enabled));
  return row ?? null;
}

/** Throws OAUTH_APPS_FULL and what the fields' rules refuse. */
export async function createApp(
  { db }: AppDeps,
  actor: Actor,
  body: CreateBody,
): Promise<OAuthAppWithSecret> {
  const values = {
    name: readName(body.name ?? ''),
    homepage: readHomepage(body.homepage ?? ''),
    redirect_uris: readRedirects(body.redirect_uris ?? []),
    scopes: readScopes(body.scopes ?? []),
    enabled: body.enabled ?? true,
  };
  const secret = body.confidential ? newSecret() : null;
  const made = await db.orm.transaction(async (tx) => {
    const [total] = await tx.select({ n: count() }).from(oauthApps);
    if ((total?.n ?? 0) >= limits.oauthApps)
      throw fail('OAUTH_APPS_FULL', { params: { most: limits.oauthApps } });
    const [row] = await tx
      .insert(oauthApps)
      .values({
        ...values,
        client_id: `app_${plainText(CLIENT_ID_CHARS)}`,
        secret_hash: secret === null ? null : sha256(secret),
        created_by: actor.id,
      })
      .returning();
    if (!row) throw new Error('the application was not inserted');
    await recordAction(tx, {
      actor,
      action: 'oauth_app.create',
      target: targetOf(row.id),
      changes: changesBetween({}, told(row)),
    });
    return row;
  });
  return { ...itemOf(made, 0), client_secret: secret };
}

/**
 * Changes what the body names. What it may no longer do, or not at all while it is off, ends at once for all its users.
 * Throws NOT_FOUND and what the fields' rules refuse.
 */
export async function updateApp(
  deps: AppDeps,
  actor: Actor,
  id: number,
  body: UpdateBody,
): Promise<OAuthAppItem> {
  const given = {
    ...(body.name != null && { name: readName(body.name) }),
    ...(body.homepage != null && { homepage: readHomepage(body.homepage) }),
    ...(body.redirect_uris != null && { redirect_uris: readRedirects(body.redirect_uris) }),
    ...(body.scopes != null && { scopes: readScopes(body.scopes) }),
    ...(body.enabled != null && { enabled: body.enabled }),
  };
  await deps.changes.commit(async (tx, touch) => {
    const row = await lockApp(tx, id);
    const after = { ...row, ...given };
    const changes = changesBetween(told(row), told(after));
    if (Object.keys(changes).length === 0) return;
    await tx.update(oauthApps).set(given).where(eq(oauthApps.id, id));
    const isLess = !after.enabled || row.scopes.some((scope) => !after.scopes.includes(scope));
    if (isLess) await endGrants(tx, touch, id);
    await recordAction(tx, { actor, action: 'oauth_app.update', target: targetOf(id), changes });
  });
  return getApp(deps, id);
}

/** Does the same to several; answers to how many. Throws BATCH_STOPPED. */
export const changeApps = (
  deps: AppDeps,
  actor: LastingActor,
  action: OAuthAppAction,
  ids: readonly number[],
): Promise<number> =>
  eachRow(actor, ids, (id) => updateApp(deps, actor, id, { enabled: action === 'enable' }));

/** A new secret in the place of the old one, which ends at once. Throws NOT_FOUND, OAUTH_APP_PUBLIC. */
export async function renewSecret(deps: AppDeps, actor: Actor, id: number): Promise<OAuthAppWithSecret> {
  const secret = newSecret();
  await deps.db.orm.transaction(async (tx) => {
    const row = await lockApp(tx, id);
    if (row.secret_hash === null) throw fail('OAUTH_APP_PUBLIC');
    await tx
      .update(oauthApps)
      .set({ secret_hash: sha256(secret) })
      .where(eq(oauthApps.id, id));
    await recordAction(tx, {
      actor,
      action: 'oauth_app.secret',
      target: targetOf(id),
      changes: { client_secret: SECRET_CHANGED },
    });
  });
  return { ...(await getApp(deps, id)), client_secret: secret };
}

/** Removes it with all that its users let it do, and the tokens that it made in their names. Throws NOT_FOUND. */
export async function removeApp(deps: AppDeps, actor: Actor, id: number): Promise<void> {
  await deps.changes.commit(async (tx, touch) => {
    // In the order of who withdraws what he allowed it: whoever makes something by a consent holds that, and then the application.
    await lockTokensOfApp(tx, id);
    await tx.delete(oauthConsents).where(eq(oauthConsents.app_id, id));
    const row = await lockApp(tx, id);
    await endGrants(tx, touch, id);
    await tx.delete(oauthApps).where(eq(oauthApps.id, id));
    // What was allowed meanwhile went with it, which waits for whoever holds that: his token is there to be seen now.
    await removeTokensOfApp(tx, touch, id);
    await recordAction(tx, {
      actor,
      action: 'oauth_app.delete',
      target: targetOf(id),
      changes: changesBetween(told(row), {}),
    });
  });
}

async function lockApp(tx: Tx, id: number): Promise<OAuthApp> {
  const [row] = await tx.select().from(oauthApps).where(eq(oauthApps.id, id)).for('update');
  if (!row) throw fail('NOT_FOUND');
  return row;
}

/** What was found for their tokens is dropped, of each user once. */
async function endGrants(tx: Tx, touch: Touch, appId: number): Promise<void> {
  const ended = await tx
    .delete(oauthGrants)
    .where(eq(oauthGrants.app_id, appId))
    .returning({ of: oauthGrants.user_id });
  for (const userId of new Set(ended.map(({ of }) => of))) touch('users', userId);
}

const targetOf = (id: number): string => `oauth_app:${id}`;

const told = (
  app: Pick<OAuthApp, 'name' | 'homepage' | 'redirect_uris' | 'scopes' | 'enabled'>,
): JsonObject => ({
  name: app.name,
  homepage: app.homepage,
  redirect_uris: app.redirect_uris,
  scopes: app.scopes,
  enabled: app.enabled,
});

function readName(text: string): string {
  const name = text.trim();
  if (name === '' || lengthOf(name) > APP_NAME_MAX) throw fail('OAUTH_APP_NAME');
  return name;
}

function readHomepage(text: string): string {
  const address = text.trim();
  if (address !== '' && !isWebAddress(address)) throw fail('OAUTH_APP_HOMEPAGE');
  return address;
}

function readRedirects(given: readonly string[]): string[] {
  const addresses = [...new Set(given.map((text) => text.trim()).filter(Boolean))];
  if (addresses.length === 0 || addresses.length > REDIRECTS_MAX) {
    throw fail('OAUTH_APP_REDIRECTS', { params: { most: REDIRECTS_MAX } });
  }
  for (const address of addresses) {
    if (!isRedirect(address))
      throw fail('OAUTH_APP_REDIRECT', { params: { address: asIs(address.slice(0, 200)) } });
  }
  return addresses;
}

function readScopes(given: readonly string[]): OAuthScope[] {
  const known: readonly string[] = OAUTH_SCOPES;
  if (given.length === 0 || given.some((scope) => !known.includes(scope))) throw fail('OAUTH_APP_SCOPES');
  return scopesIn(given);
}
