/** What is known of a browser that asks to be let in to an account: whose guesses count against whom depends on it. */
import { and, eq } from 'drizzle-orm';
import { hasRole } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import { sessions } from '../../db/schema/index.ts';
import { addressSubject } from '../../platform/limiter.ts';
import type { Deps } from '../deps.ts';
import { isAlive } from '../session/service.ts';
import type { UserRow } from '../user/service.ts';
import { knownBrowser } from './known-browser.ts';

/**
 * `known`: its account was signed in to with it before. `home`: root, from a network where he has a session or signed
 * in last; he alone, because others would learn from it which names exist.
 */
export type Standing = { as: 'known'; browser: string } | { as: 'home' } | { as: 'stranger' };

export interface SignInClient {
  ip: string;
  /** What this browser keeps of accounts that were signed in to with it. */
  known: string | null;
}

const STRANGER: Standing = { as: 'stranger' };

export async function standingOf(
  deps: Pick<Deps, 'db' | 'secrets'>,
  account: UserRow | null,
  { ip, known }: SignInClient,
): Promise<Standing> {
  if (!account) return STRANGER;
  const browser = await knownBrowser(deps, known, account);
  if (browser !== null) return { as: 'known', browser };
  if (!hasRole(account.role, 'root')) return STRANGER;
  return (await isHome(deps, account, ip)) ? { as: 'home' } : STRANGER;
}

/** Whether the account has a session in this network, or signed in from it last; asks the same where there is none. */
export async function isHome(
  { db }: Pick<Deps, 'db'>,
  account: Pick<UserRow, 'id' | 'login_ip'> | null,
  ip: string,
): Promise<boolean> {
  const open = await db.orm
    .select({ ip: sessions.ip })
    .from(sessions)
    .where(and(eq(sessions.user_id, account?.id ?? 0), isAlive(nowSec())));
  const networks = [account?.login_ip ?? '', ...open.map((session) => session.ip)]
    .filter(Boolean)
    .map(addressSubject);
  return networks.includes(addressSubject(ip));
}
