/** Signing in by a passkey: by itself, or in the place of the code after the password. */
import { eq } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import { users } from '../../../db/schema/index.ts';
import type { Shelf } from '../../../platform/one-time.ts';
import type { Deps } from '../../deps.ts';
import { attemptAny } from '../../failed-attempts/service.ts';
import type { UserRow } from '../../user/service.ts';
import type { FactorDeps, FactorOf } from '../second-factor/factor.ts';
import { pendingAccount } from '../second-factor/pending.ts';
import { askForProof, readProof, requireSite } from './ceremony.ts';
import type { Assertion } from './contract.ts';
import { passkeysOf } from './rows.ts';
import type { PasskeySite } from './site.ts';

type SignInDeps = FactorDeps & Pick<Deps, 'oneTime'>;

/** What a browser that nobody is known in is given. Throws PASSKEY_SITE. */
export async function beginSignIn(
  deps: SignInDeps,
  site: PasskeySite,
  flowId: string,
  shelves: readonly Shelf[],
) {
  requireSite(site);
  return askForProof(deps, site, { ceremony: 'sign-in', id: flowId, shelves });
}

/** The same for who has proved his first factor. Throws PASSKEY_SITE, SECOND_STEP_OVER, PASSKEY_NONE. */
export async function beginSecondStep(deps: SignInDeps, site: PasskeySite, flowId: string | null) {
  requireSite(site);
  const { account } = await pendingAccount(deps, flowId);
  const known = (await passkeysOf(deps.db.orm, account.id)).filter(({ rp_id }) => rp_id === site.rpId);
  if (known.length === 0) throw fail('PASSKEY_NONE');
  return askForProof(deps, site, { ceremony: 'second', id: flowId ?? '' }, known);
}

/** Whose passkey it is, and which. Throws PASSKEY_SITE, PASSKEY_FAILED, PASSKEY_SECOND_ONLY. */
export async function redeemPasskey(
  deps: SignInDeps,
  site: PasskeySite,
  { flowId, response }: { flowId: string | null; response: Assertion },
): Promise<{ account: UserRow; passkeyId: number }> {
  requireSite(site);
  if (flowId === null) throw fail('PASSKEY_FAILED');
  const row = await readProof(deps, site, { ceremony: 'sign-in', id: flowId }, response);
  if (!row) throw fail('PASSKEY_FAILED');
  if (row.second_only) throw fail('PASSKEY_SECOND_ONLY');
  const [account] = await deps.db.orm.select().from(users).where(eq(users.id, row.user_id));
  if (!account) throw fail('PASSKEY_FAILED');
  return { account, passkeyId: row.id };
}

/** Whether it is one of the account whose second step this is. Throws PASSKEY_SITE, RATE_LIMIT. */
export function redeemSecondPasskey(
  deps: SignInDeps,
  site: PasskeySite,
  who: FactorOf,
  { flowId, response }: { flowId: string | null; response: Assertion },
): Promise<boolean> {
  requireSite(site);
  return attemptAny(deps, who.tries, async () => {
    const row = await readProof(deps, site, { ceremony: 'second', id: flowId ?? '' }, response);
    return row?.user_id === who.id;
  });
}
