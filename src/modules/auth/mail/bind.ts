/** Giving one's account a mailbox, or another one. */

import { and, eq, isNull } from 'drizzle-orm';
import type { Owner } from '../../../core/actor.ts';
import { fail, type Locale } from '../../../core/errors.ts';
import { requireWayIn } from '../../../db/hold-way-in.ts';
import { users } from '../../../db/schema/index.ts';
import { type GiftDeps, markGivenUp } from '../../gift/service.ts';
import { rewarding } from '../../invitation/service.ts';
import { takenBy } from '../../user/service.ts';
import { readAccount } from '../account/account.ts';
import { requireReauthentication } from '../account/re-authentication.ts';
import { type CodeDeps, redeemCode } from '../codes.ts';
import type { AuthDeps } from '../deps.ts';
import { readEmail } from './address.ts';
import { movedLetter } from './letters.ts';
import { type TellDeps, tellMailbox } from './tell.ts';

type BindDeps = AuthDeps & CodeDeps & GiftDeps & TellDeps;

export interface EmailBinding {
  email: string;
  /** The code that `GET /api/verification` sent there. */
  code: string;
  password?: string | null | undefined;
  locale: Locale;
  /** Of this browser; null when it has none. */
  flowId: string | null;
}

/**
 * Binds a mailbox that the code proves, and tells the one that was bound before. Whoever has the mailbox can set a new
 * password, so that only the owner himself may change it. Throws FIELD_EMPTY, MAIL_ADDRESS, EMAIL_DOMAIN, EMAIL_ALIAS,
 * CODE_NEEDED, REAUTH_REQUIRED, PASSWORD_WRONG, CODE_WRONG, EMAIL_TAKEN, SESSION_EXPIRED.
 */
export async function bindEmail(deps: BindDeps, owner: Owner, given: EmailBinding): Promise<void> {
  const { changes, options, secrets } = deps;
  if (given.email.trim() === '') throw fail('FIELD_EMPTY');
  const email = readEmail(options, given.email);
  if (given.code.trim() === '') throw fail('CODE_NEEDED');
  const row = await readAccount(deps, owner.id);
  // Asked before the code is used up: who has to prove himself first repeats the call with it. Who has no password signs
  // in again, or a stolen access token and a mailbox of the thief's would make the account his.
  await requireReauthentication(deps, owner, row, given.password);
  const { flowId } = given;
  await redeemCode(deps, { channel: 'mail', subject: email, flowId }, given.code);
  await changes.commit((tx, touch) =>
    rewarding(tx, deps, { userId: owner.id, trigger: 'verified' }, async () => {
      const mine = and(eq(users.id, owner.id), isNull(users.deleted_at));
      const [before] = await tx.select({ email: users.email }).from(users).where(mine).for('update');
      if (!before) throw fail('SESSION_EXPIRED');
      await requireWayIn(tx, owner);
      if (before.email !== '') await markGivenUp(tx, secrets, owner.id, before);
      await tx
        .update(users)
        .set({ email })
        .where(mine)
        .catch((error: unknown) => {
          throw takenBy(error);
        });
      touch('users', owner.id);
    }),
  );
  if (row.email.toLowerCase() !== email) await tellMailbox(deps, row, given.locale, 'mailbox', movedLetter);
}
