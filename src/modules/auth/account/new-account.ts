/** Making an ordinary account, whichever way its owner came. */
import { USERNAME_MAX } from '../../../core/account-rules.ts';
import { AppError, fail } from '../../../core/errors.ts';
import { plainText } from '../../../core/ids.ts';
import { limits } from '../../../core/limits.ts';
import { ROLE } from '../../../core/roles.ts';
import type { Tx } from '../../../db/client.ts';
import { identities } from '../../../db/schema/index.ts';
import type { Options } from '../../../options/store.ts';
import { allFit, type LimitRule, networkRules } from '../../../platform/limiter.ts';
import type { Deps } from '../../deps.ts';
import { countGuest, recordInvitation } from '../../invitation/service.ts';
import { writeLog } from '../../log/service.ts';
import { type IdentityProvider, insertUser } from '../../user/service.ts';

const HOUR_SEC = 3_600;

/** Whether anybody may make an account at all; each way in has its own switch besides. */
export const registrationOpen = (options: Options): boolean =>
  options.get('RegisterEnabled') && !options.get('SelfUseModeEnabled');

const accountRules = (ip: string): LimitRule[] =>
  networkRules('register', limits.accountsAnHour, HOUR_SEC, ip);

/** One address makes only so many accounts an hour. Throws RATE_LIMIT. */
export async function spendAccount({ limiter }: Pick<Deps, 'limiter'>, ip: string): Promise<void> {
  const { ok, retryAfterSec } = allFit(await limiter.takeAll(accountRules(ip)));
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}

/** The same without counting one: before work that a refused caller should not cause. Throws RATE_LIMIT. */
export async function requireAccountsLeft({ limiter }: Pick<Deps, 'limiter'>, ip: string): Promise<void> {
  const states = await Promise.all(accountRules(ip).map((rule) => limiter.peek(rule)));
  const { ok, retryAfterSec } = allFit(states);
  if (!ok) throw fail('RATE_LIMIT', { retryAfterSec });
}

export interface NewAccount {
  username: string;
  /** The user name unless given. */
  displayName?: string;
  /** Null for who signs in another way. */
  passwordHash: string | null;
  /** Proved to be his; empty or absent for none. */
  email?: string;
  /** Proved to be his; empty or absent for none. */
  phone?: string;
  /** Of who invited him; empty or unknown for nobody. */
  affCode: string;
  /** The account of a third party by which he came. */
  identity?: { provider: IdentityProvider; subject: string; loginName: string };
}

/**
 * An ordinary user with the gift of QuotaForNewUser, and of his invitation; answers his id. Throws USERNAME_TAKEN, EMAIL_TAKEN, PHONE_TAKEN,
 * IDENTITY_TAKEN.
 */
export function openAccount(
  { changes, options }: Pick<Deps, 'changes' | 'options'>,
  given: NewAccount,
): Promise<number> {
  const { username, displayName = username, passwordHash, email = '', phone = '', affCode, identity } = given;
  const quota = options.get('QuotaForNewUser');
  const ref = crypto.randomUUID();
  return changes.commit(async (tx) => {
    const inviter = await countGuest(tx, affCode);
    const id = await insertUser(tx, {
      username,
      displayName,
      passwordHash,
      email,
      phone,
      role: ROLE.user,
      quota,
      ref,
      inviterId: inviter?.id ?? 0,
    });
    if (identity) {
      const { provider, subject, loginName } = identity;
      const rows = await tx
        .insert(identities)
        .values({ user_id: id, provider, subject, login_name: loginName })
        .onConflictDoNothing()
        .returning({ id: identities.id });
      if (rows.length === 0) throw fail('IDENTITY_TAKEN');
    }
    if (quota > 0) await writeGift(tx, { id, username, quota, ref });
    const isVerified = email !== '' || phone !== '';
    if (inviter) await recordInvitation(tx, options, inviter, { id, isVerified });
    return id;
  });
}

const NAME_TRIES = 5;

/** As `openAccount`, under a name of the prefix and random letters, which its owner can change. */
export async function openNamelessAccount(
  deps: Pick<Deps, 'changes' | 'options'>,
  prefix: string,
  given: Omit<NewAccount, 'username'>,
): Promise<number> {
  for (let tries = 1; ; tries++) {
    const username = `${prefix}_${plainText(USERNAME_MAX - prefix.length - 1)}`;
    try {
      return await openAccount(deps, { ...given, username });
    } catch (error) {
      const isNameTaken = error instanceof AppError && error.code === 'USERNAME_TAKEN';
      if (!isNameTaken || tries === NAME_TRIES) throw error;
    }
  }
}

const writeGift = (tx: Tx, given: { id: number; username: string; quota: number; ref: string }) =>
  writeLog(tx, {
    type: 'system',
    user: { id: given.id, username: given.username, group: 'default' },
    text: { zh: `新用户注册赠送额度 ${given.quota}`, en: `A quota of ${given.quota} for a new user` },
    quota: given.quota,
    other: { ref: given.ref },
  });
