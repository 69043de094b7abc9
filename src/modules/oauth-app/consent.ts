/** What one user has agreed that one application may do, as all that the application does for him leans on it. */
import { and, eq } from 'drizzle-orm';
import { nowSec } from '../../core/time.ts';
import type { Database, Tx } from '../../db/client.ts';
import { holdUser } from '../../db/hold-user.ts';
import { oauthConsents } from '../../db/schema/index.ts';

export const ofBoth = (userId: number, appId: number) =>
  and(eq(oauthConsents.user_id, userId), eq(oauthConsents.app_id, appId));

/**
 * Whether it stands. It cannot be withdrawn before the transaction is over, so that nothing made by it outlives it unseen.
 * His row before it, as whoever ends his ways in locks them: what is made here refers to him.
 */
export async function holdConsent(tx: Tx, userId: number, appId: number): Promise<boolean> {
  await holdUser(tx, userId);
  const held = await tx
    .select({ id: oauthConsents.app_id })
    .from(oauthConsents)
    .where(ofBoth(userId, appId))
    .for('key share');
  return held.length > 0;
}

/** The scopes that one page told of together, as the standard writes them (RFC 6749, 3.3). */
const written = (scopes: readonly string[]): string => [...scopes].sort().join(' ');

export const scopesOfPage = (page: string): string[] => page.split(' ');

/**
 * Whether a page has told of all of these together. What was told on two pages does not add up: together they may let an
 * application do more than either said.
 */
export const wasTold = (pages: readonly string[], scopes: readonly string[]): boolean =>
  pages.some((page) => scopes.every((scope) => scopesOfPage(page).includes(scope)));

/** With one page more, and without those of which it tells all again. */
export const withPage = (pages: readonly string[], scopes: readonly string[]): string[] => {
  const page = written(scopes);
  return [...pages.filter((before) => !wasTold([page], scopesOfPage(before))), page];
};

/** When an application last did something for somebody is known to the minute. */
const USED_SEC = 60;

/** Notes that it does now; `usedAt` is what was known before. */
export async function noteUse(
  { orm }: Pick<Database, 'orm'>,
  { userId, appId, usedAt }: { userId: number; appId: number; usedAt: number },
): Promise<void> {
  const now = nowSec();
  if (usedAt > now - USED_SEC) return;
  await orm.update(oauthConsents).set({ used_at: now }).where(ofBoth(userId, appId));
}
