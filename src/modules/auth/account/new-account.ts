/** Making an ordinary account, whichever way its owner came. */
import { openAccount as openBalance } from '../../../billing/ledger.ts';
import { USERNAME_MAX } from '../../../core/account-rules.ts';
import { AppError, fail } from '../../../core/errors.ts';
import { plainText } from '../../../core/ids.ts';
import { limits } from '../../../core/limits.ts';
import { unitsText } from '../../../core/money.ts';
import { ROLE } from '../../../core/roles.ts';
import type { Text } from '../../../core/text.ts';
import { HOUR_SEC } from '../../../core/time.ts';
import type { Tx } from '../../../db/client.ts';
import { identities } from '../../../db/schema/index.ts';
import type { Options } from '../../../options/store.ts';
import { allFit, type LimitRule, networkRules, requireFit } from '../../../platform/limiter.ts';
import type { Deps } from '../../deps.ts';
import { GIFT, type GiftDeps, give, type Withheld } from '../../gift/service.ts';
import { countGuest, recordInvitation } from '../../invitation/service.ts';
import { writeLog } from '../../log/service.ts';
import { type IdentityProvider, insertUser } from '../../user/service.ts';

/** Whether anybody may make an account at all; each way in has its own switch besides. */
export const registrationOpen = (options: Options): boolean =>
  options.get('RegisterEnabled') && !options.get('SelfUseModeEnabled');

const accountRules = (ip: string): LimitRule[] =>
  networkRules('register', limits.accountsAnHour, HOUR_SEC, ip);

/** One address makes only so many accounts an hour. Throws RATE_LIMIT. */
export async function spendAccount({ limiter }: Pick<Deps, 'limiter'>, ip: string): Promise<void> {
  await requireFit(limiter, accountRules(ip));
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
  identity?: { provider: IdentityProvider; issuer: string; subject: string; loginName: string };
}

export type OpenDeps = GiftDeps & Pick<Deps, 'changes'>;

/**
 * An ordinary user, with the gift of QuotaForNewUser and of his invitation where his proofs have not had them; answers his
 * id. Throws USERNAME_TAKEN, EMAIL_TAKEN, PHONE_TAKEN, IDENTITY_TAKEN.
 */
export function openAccount(deps: OpenDeps, given: NewAccount): Promise<number> {
  const { username, displayName = username, passwordHash, email = '', phone = '', affCode, identity } = given;
  return deps.changes.commit(async (tx) => {
    const inviter = await countGuest(tx, affCode);
    const id = await insertUser(tx, {
      username,
      displayName,
      passwordHash,
      email,
      phone,
      role: ROLE.user,
      quota: 0,
      ref: crypto.randomUUID(),
      inviterId: inviter?.id ?? 0,
    });
    if (identity) {
      const { provider, issuer, subject, loginName } = identity;
      const rows = await tx
        .insert(identities)
        .values({ user_id: id, provider, issuer, subject, login_name: loginName })
        .onConflictDoNothing()
        .returning({ id: identities.id });
      if (rows.length === 0) throw fail('IDENTITY_TAKEN');
    }
    await welcome(deps, tx, { id, username });
    const isVerified = email !== '' || phone !== '';
    if (inviter) await recordInvitation(tx, deps, inviter, { id, isVerified });
    return id;
  });
}

const NAME_TRIES = 5;

/** As `openAccount`, under a name of the prefix and random letters, which its owner can change. */
export async function openNamelessAccount(
  deps: OpenDeps,
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

/** The gift of a new user; what he gets, or why not, stands in his log. */
async function welcome(deps: OpenDeps, tx: Tx, { id, username }: { id: number; username: string }) {
  const quota = deps.options.get('QuotaForNewUser');
  if (quota === 0) return;
  const ref = crypto.randomUUID();
  const came = await give(deps, tx, { kind: GIFT.newUser, userId: id, quota }, async () => {
    await openBalance(tx, { userId: id, ref, amount: quota });
    return true;
  });
  await writeLog(tx, {
    type: 'system',
    user: { id, username, group: 'default' },
    ...(came === 'given'
      ? {
          text: {
            zh: `新用户注册赠送额度 ${unitsText(quota).zh}`,
            en: `A quota of ${unitsText(quota).en} for a new user`,
          },
          quota,
          other: { ref },
        }
      : { text: WITHHELD[came] }),
  });
}

const WITHHELD: Readonly<Record<Withheld, Text>> = {
  had: {
    zh: '此邮箱、手机或第三方账号已领取过新用户赠送额度',
    en: 'This mailbox, phone or third-party account has had the quota for new users before',
  },
  spent: {
    zh: '今日赠送额度已发完，未赠送新用户额度',
    en: 'All free quota of the day had been given away: none for this new user',
  },
  unfit: { zh: '未赠送新用户额度', en: 'No quota for this new user' },
};
