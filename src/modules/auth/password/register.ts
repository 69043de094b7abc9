/** Making an account for oneself with a user name and a password. */
import { eq, sql } from 'drizzle-orm';
import { lengthOf, PASSWORD_MIN } from '../../../core/account-rules.ts';
import { requireUncommonPassword } from '../../../core/common-passwords.ts';
import { fail } from '../../../core/errors.ts';
import { users } from '../../../db/schema/index.ts';
import { turnSubject } from '../../../platform/limiter.ts';
import type { Deps } from '../../deps.ts';
import { readUsername, requirePasswordLength } from '../../user/service.ts';
import { type OpenDeps, openAccount, requireAccountsLeft, spendAccount } from '../account/new-account.ts';
import { type CodeDeps, redeemCodeAfter } from '../codes.ts';
import { readEmail } from '../mail/address.ts';
import { passwordRegistrationOpen } from '../service.ts';

type RegisterDeps = CodeDeps & OpenDeps & Pick<Deps, 'passwords'>;

export interface Registration {
  username: string;
  password: string;
  password2: string;
  email: string;
  code: string;
  affCode: string;
  ip: string;
  /** Of this browser; null when it has none. */
  flowId: string | null;
}

/**
 * Makes the account and answers its id. A mailbox belongs to it only by the code that went there. Throws
 * REGISTER_CLOSED, RATE_LIMIT, CODE_WRONG, EMAIL_TAKEN, USERNAME_TAKEN and the fields' refusals.
 */
export async function register(deps: RegisterDeps, given: Registration): Promise<number> {
  const { options } = deps;
  const { ip, flowId } = given;
  if (!passwordRegistrationOpen(options)) throw fail('REGISTER_CLOSED');
  if (given.username.trim() === '' || given.password === '') throw fail('LOGIN_FIELDS');
  const username = readUsername(given.username);
  if (lengthOf(given.password) < PASSWORD_MIN) throw fail('REGISTER_PASSWORD_SHORT');
  requirePasswordLength(given.password);
  requireUncommonPassword(given.password);
  if (given.password !== given.password2) throw fail('PASSWORD_MISMATCH');
  const hasEmail = given.email.trim() !== '';
  const isEmailNeeded = options.get('EmailVerificationEnabled');
  if (isEmailNeeded && (!hasEmail || given.code.trim() === '')) throw fail('EMAIL_NEEDED');
  const email = hasEmail ? readEmail(options, given.email) : '';
  // Asked before the code is used up; that names are unique is the database's own rule.
  if (await isNameTaken(deps, username)) throw fail('USERNAME_TAKEN');
  const prepare = async (): Promise<string> => {
    await requireAccountsLeft(deps, ip);
    const hash = await deps.passwords.hash(given.password, { who: turnSubject(ip) });
    await spendAccount(deps, ip);
    return hash;
  };
  const passwordHash = hasEmail
    ? await redeemCodeAfter(deps, { channel: 'mail', subject: email, flowId }, given.code, prepare)
    : await prepare();
  return openAccount(deps, { username, passwordHash, email, affCode: given.affCode });
}

async function isNameTaken({ db }: Pick<Deps, 'db'>, username: string): Promise<boolean> {
  const [row] = await db.orm
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.username})`, username.toLowerCase()));
  return row !== undefined;
}
