/** What an account's mailbox is told of tokens: whoever sat at its owner's open browser keeps what he makes there. */
import { eq } from 'drizzle-orm';
import type { Locale } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC } from '../../core/time.ts';
import { users } from '../../db/schema/index.ts';
import { type TellDeps, tellMailbox } from '../auth/service.ts';
import { hasOwn } from '../custom-model/service.ts';
import type { Deps } from '../deps.ts';
import type { Letter } from '../mail/service.ts';
import { isLifted } from './bounds.ts';
import type { TokenBounds } from './contract.ts';
import { TOKEN_STATUS } from './facts.ts';
import type { Maker } from './fields.ts';

/**
 * Tells of a token that may spend much of what he has, and was bounded more closely `before`. Those of scripts and of
 * applications come by what he has let in before. Never rejects: the token is there, and its key is told this once.
 */
export const tellOfToken = (
  deps: TellDeps & Pick<Deps, 'db'>,
  maker: Maker,
  asked: Locale,
  token: TokenBounds,
  before?: TokenBounds,
): Promise<void> =>
  tell(deps, maker, asked, token, before).catch((error) => deps.log.warn('mail', { error }));

async function tell(
  deps: Parameters<typeof tellOfToken>[0],
  { id, sessionId, isHimself }: Maker,
  asked: Locale,
  token: TokenBounds,
  before?: TokenBounds,
): Promise<void> {
  if (sessionId === null || !isHimself || !deps.mailer.isSet()) return;
  if (token.status !== TOKEN_STATUS.enabled || (before && !isLifted(before, token))) return;
  const { email, language, username, role, quota, reserved } = users;
  const [account] = await deps.db.orm
    .select({ email, language, username, role, quota, reserved })
    .from(users)
    .where(eq(users.id, id));
  if (!account || account.email === '') return;
  const spends = await whatItSpends(deps, id, token, account.quota);
  if (spends) await tellMailbox(deps, { id, ...account }, asked, 'token', LETTERS[spends]);
}

type Spent = 'balance' | 'suppliers';

/** What of its owner's it may spend much of; null for nothing. No quota bounds what it spends at suppliers. */
async function whatItSpends(
  deps: Pick<Deps, 'db' | 'limiter'>,
  ownerId: number,
  token: TokenBounds,
  balance: number,
): Promise<Spent | null> {
  if (!(await isLittle(deps, ownerId, token, balance))) return 'balance';
  return token.own_keys && (await hasOwn(deps, ownerId)) ? 'suppliers' : null;
}

/**
 * Whether it may spend less of the balance than what is told of, also together with the others of the day that were so little: many of
 * them would spend as much as one.
 */
async function isLittle(
  { limiter }: Pick<Deps, 'limiter'>,
  ownerId: number,
  { unlimited_quota, remain_quota }: TokenBounds,
  balance: number,
): Promise<boolean> {
  if (unlimited_quota) return false;
  const limit = Math.ceil(balance * limits.tokenToldPart) - 1;
  const rule = { key: `token-quotas:${ownerId}`, limit, windowSec: DAY_SEC, cost: remain_quota };
  return (await limiter.take(rule)).ok;
}

const WHAT_TO_DO = {
  zh: '如果不是本人操作，请立即登录，在“令牌”页删除您不认识的令牌，检查其余令牌的限制，并修改密码。仅修改密码不会使令牌失效。',
  en: 'If this was not you, sign in at once, delete the tokens that you do not know and look at the limits of the others on the page of tokens, and change your password. A new password alone does not end a token.',
};

const LETTERS: Record<Spent, (site: string, username: string, locale: Locale) => Letter> = {
  balance: (site, username, locale) =>
    locale === 'zh'
      ? {
          subject: `${site} 有令牌可以花费您一半的余额`,
          text: `您好，您的账号 ${username} 有一个令牌从现在起可以单独，或与一天内新建、放宽的其他令牌一起，花费一半或更多的余额。\n\n${WHAT_TO_DO.zh}`,
        }
      : {
          subject: `An API token at ${site} may spend half of your balance`,
          text: `An API token of your account ${username} may spend half of its balance or more from now on, alone or together with others that were made or given more within a day.\n\n${WHAT_TO_DO.en}`,
        },
  suppliers: (site, username, locale) =>
    locale === 'zh'
      ? {
          subject: `${site} 有令牌可以使用您自己的供应商密钥`,
          text: `您好，您的账号 ${username} 有一个令牌从现在起可以使用您自己在供应商处的密钥，这部分花费不受令牌额度的限制。\n\n${WHAT_TO_DO.zh}`,
        }
      : {
          subject: `An API token at ${site} may use your own keys at suppliers`,
          text: `An API token of your account ${username} may use your own keys at suppliers from now on. The quota of the token does not bound what it spends there.\n\n${WHAT_TO_DO.en}`,
        },
};
