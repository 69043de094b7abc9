/** What users have agreed that applications may do for them: kept, told, withdrawn. */
import { and, desc, eq, sql } from 'drizzle-orm';
import { fail } from '../../core/errors.ts';
import { scopeTexts } from '../../core/oauth.ts';
import type { Locale, Text } from '../../core/text.ts';
import { nowSec } from '../../core/time.ts';
import type { Tx } from '../../db/client.ts';
import { oauthApps, oauthConsents, oauthGrants, tokens } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import { writeLog } from '../log/service.ts';
import { lockTokensOfApp, removeTokensOfApp } from '../token/service.ts';
import { scopesIn } from './apps.ts';
import { ofBoth, scopesOfPage, wasTold, withPage } from './consent.ts';
import type { AllowedApp } from './contract.ts';

/** A user who says what he wants of an application. */
export interface Consenter {
  id: number;
  username: string;
  group: string;
  ip: string;
}

interface NamedApp {
  id: number;
  name: string;
}

/** Adds what a page has told him of to what he has agreed to before; what is new stands in his log. */
export async function remember(
  tx: Tx,
  user: Consenter,
  app: NamedApp,
  scopes: readonly string[],
): Promise<void> {
  // Locks the row, whether it was there or not.
  const [row] = await tx
    .insert(oauthConsents)
    .values({ user_id: user.id, app_id: app.id, scopes: [] })
    .onConflictDoUpdate({
      target: [oauthConsents.user_id, oauthConsents.app_id],
      set: { updated_at: nowSec() },
    })
    .returning({ pages: oauthConsents.scopes });
  const before = row?.pages ?? [];
  if (wasTold(before, scopes)) return;
  await tx
    .update(oauthConsents)
    .set({ scopes: withPage(before, scopes) })
    .where(ofBoth(user.id, app.id));
  const may = { zh: textOf(scopes, 'zh'), en: textOf(scopes, 'en') };
  await note(tx, user, app, {
    zh: `允许应用“${app.name}”登录${may.zh && `，并可以：${may.zh}`}`,
    en: `Allowed the application “${app.name}” to sign in${may.en && `, and to ${may.en}`}`,
  });
}

const textOf = (scopes: readonly string[], locale: Locale): string =>
  scopeTexts(scopes)
    .map((text) => text[locale])
    .join(locale === 'zh' ? '；' : '; ');

const note = (tx: Tx, { ip, ...user }: Consenter, app: NamedApp, text: Text): Promise<void> =>
  writeLog(tx, { type: 'system', user, text, ip, other: { oauth_app_id: app.id } });

/** Those that a user lets do something, the last allowed first; no more than root may register. */
export async function allowedApps(
  { db }: Pick<Deps, 'db'>,
  userId: number,
  locale: Locale,
): Promise<AllowedApp[]> {
  const made = sql<number>`(select count(*)::int from ${tokens} where ${tokens.user_id} = ${oauthConsents.user_id}
    and ${tokens.oauth_app_id} = ${oauthConsents.app_id} and ${tokens.deleted_at} is null)`;
  const rows = await db.orm
    .select({ consent: oauthConsents, app: oauthApps, made })
    .from(oauthConsents)
    .innerJoin(oauthApps, eq(oauthApps.id, oauthConsents.app_id))
    .where(eq(oauthConsents.user_id, userId))
    .orderBy(desc(oauthConsents.created_at), desc(oauthConsents.app_id));
  return rows.map(({ consent, app, made: count }) => {
    const pages = consent.scopes.map(scopesOfPage);
    const may = new Set(pages.flatMap((scopes) => scopeTexts(scopes)));
    return {
      id: app.id,
      name: app.name,
      homepage: app.homepage,
      scopes: scopesIn(pages.flat()),
      may: [...may].map((text) => text[locale]),
      tokens: count,
      created_at: consent.created_at,
      used_at: consent.used_at,
    };
  });
}

/**
 * Ends all that an application may do for a user: its codes and tokens, its frames, and the relay tokens that it made. It
 * has to ask him anew. Throws NOT_FOUND.
 */
export const withdraw = ({ changes }: Pick<Deps, 'changes'>, user: Consenter, appId: number): Promise<void> =>
  changes.commit(async (tx, touch) => {
    const [app] = await tx
      .select({ id: oauthApps.id, name: oauthApps.name })
      .from(oauthApps)
      .where(eq(oauthApps.id, appId));
    // Tokens before consents, as whoever erases him locks them.
    await lockTokensOfApp(tx, appId, user.id);
    // Before all else: whoever begins a sign-in or makes a token by it holds it, and what he made is there to be seen then.
    const gone = await tx
      .delete(oauthConsents)
      .where(ofBoth(user.id, appId))
      .returning({ of: oauthConsents.user_id });
    if (!app || gone.length === 0) throw fail('NOT_FOUND');
    await tx.delete(oauthGrants).where(and(eq(oauthGrants.user_id, user.id), eq(oauthGrants.app_id, appId)));
    touch('users', user.id);
    const removed = await removeTokensOfApp(tx, touch, appId, user.id);
    await note(tx, user, app, {
      zh: `撤销了应用“${app.name}”的授权${removed > 0 ? `，并删除了它创建的 ${removed} 个令牌` : ''}`,
      en: `Withdrew what the application “${app.name}” was allowed${removed > 0 ? `, and deleted ${removed === 1 ? 'the token' : `the ${removed} tokens`} that it had made` : ''}`,
    });
  });
