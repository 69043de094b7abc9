/** Making an account for oneself with a user name and a password. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { lengthOf, PASSWORD_MIN } from '../../core/account-rules.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { ROLE } from '../../core/roles.ts';
import type { Tx } from '../../db/client.ts';
import { users } from '../../db/schema/index.ts';
import { addressSubject } from '../../platform/limiter.ts';
import type { Deps } from '../deps.ts';
import { writeLog } from '../log/service.ts';
import { insertUser, readUsername, requirePasswordLength } from '../user/service.ts';
import { type CodeDeps, redeemCode } from './codes.ts';
import { readEmail } from './email.ts';
import { passwordRegistrationOpen } from './service.ts';

type RegisterDeps = CodeDeps & Pick<Deps, 'db' | 'changes' | 'passwords'>;

const HOUR_SEC = 3_600;

export interface Registration {
  username: string;
  password: string;
  password2: string;
  email: string;
  code: string;
  affCode: string;
  ip: string;
}

/**
 * Makes the account and answers its id. A mailbox belongs to it only by the code that went there. Throws
 * REGISTER_CLOSED, RATE_LIMIT, CODE_WRONG, EMAIL_TAKEN, USERNAME_TAKEN and the fields' refusals.
 */
export async function register(deps: RegisterDeps, given: Registration): Promise<number> {
  const { options } = deps;
  if (!passwordRegistrationOpen(options)) throw fail('REGISTER_CLOSED');
  if (given.username.trim() === '' || given.password === '') throw fail('LOGIN_FIELDS');
  const username = readUsername(given.username);
  if (lengthOf(given.password) < PASSWORD_MIN) throw fail('REGISTER_PASSWORD_SHORT');
  requirePasswordLength(given.password);
  if (given.password !== given.password2) throw fail('PASSWORD_MISMATCH');
  const hasEmail = given.email.trim() !== '';
  const isEmailNeeded = options.get('EmailVerificationEnabled');
  if (isEmailNeeded && (!hasEmail || given.code.trim() === '')) throw fail('EMAIL_NEEDED');
  const email = hasEmail ? readEmail(options, given.email) : '';
  // Asked before the code is used up; that names are unique is the database's own rule.
  if (await isNameTaken(deps, username)) throw fail('USERNAME_TAKEN');
  if (hasEmail) await redeemCode(deps, { channel: 'mail', subject: email, ip: given.ip }, given.code);
  await spendAccount(deps, given.ip);
  const passwordHash = await deps.passwords.hash(given.password);
  return makeAccount(deps, { username, passwordHash, email, affCode: given.affCode });
}

async function isNameTaken({ db }: Pick<Deps, 'db'>, username: string): Promise<boolean> {
  const [row] = await db.orm
    .select({ id: users.id })
    .from(users)
    .where(eq(sql`lower(${users.username})`, username.toLowerCase()));
  return row !== undefined;
}

/** One address makes only so many accounts an hour. Throws RATE_LIMIT. */
async function spendAccount({ limiter }: Pick<Deps, 'limiter'>, ip: string): Promise<void> {
  const { ok, retryAfterSec } = await limiter.take({
    key: `register:${addressSubject(ip)}`,
    limit: limits.accountsAnHour,
    windowSec: HOUR_SEC,
  });
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}

interface NewAccount {
  username: string;
  passwordHash: string;
  /** Empty for none. */
  email: string;
  /** Of who invited him; empty or unknown for nobody. */
  affCode: string;
}

/** An ordinary user with the gift of QuotaForNewUser. Throws USERNAME_TAKEN, EMAIL_TAKEN. */
function makeAccount(
  { changes, options }: Pick<Deps, 'changes' | 'options'>,
  { affCode, ...account }: NewAccount,
): Promise<number> {
  const quota = options.get('QuotaForNewUser');
  const ref = crypto.randomUUID();
  return changes.commit(async (tx) => {
    const inviterId = await countInvitation(tx, affCode);
    const { username } = account;
    const id = await insertUser(tx, {
      ...account,
      displayName: username,
      role: ROLE.user,
      quota,
      ref,
      inviterId,
    });
    if (quota > 0) {
      const text = {
        zh: `新用户注册赠送额度 ${quota}`,
        en: `A quota of ${quota} for a new user`,
      };
      await writeLog(tx, {
        type: 'system',
        user: { id, username, group: 'default' },
        text,
        quota,
        other: { ref },
      });
    }
    return id;
  });
}

/** The id of who invited with this code, 0 for nobody; he has one more guest. */
async function countInvitation(tx: Tx, affCode: string): Promise<number> {
  if (affCode.trim() === '') return 0;
  const [row] = await tx
    .update(users)
    .set({ aff_count: sql`${users.aff_count} + 1` })
    .where(and(eq(users.aff_code, affCode.trim()), isNull(users.deleted_at)))
    .returning({ id: users.id });
  return row?.id ?? 0;
}
