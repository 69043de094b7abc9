/** What an account's mailbox is told of tokens: whoever sat at its owner's open browser keeps what he makes there. */
import { eq } from 'drizzle-orm';
import type { Locale } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { DAY_SEC } from '../../core/time.ts';
import { users } from '../../db/schema/index.ts';
import { type TellDeps, tellMailbox } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import type { Letter } from '../mail/service.ts';
import type { TokenBounds } from './contract.ts';
import type { Maker } from './fields.ts';

/**
 * Tells of a token that may spend all that he has, and did not `before`. Those of scripts and of applications come by what
 * he has let in before. Never rejects: the token is there, and its key is told this once.
 */
export const tellOfToken = (
  deps: TellDeps & Pick<Deps, 'db' | 'limiter' | 'log'>,
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
  const { email, language, username, quota } = users;
  const [account] = await deps.db.orm
    .select({ email, language, username, quota })
    .from(users)
    .where(eq(users.id, id));
  if (!account || account.email === '') return;
  const spendsAll = (bounds: TokenBounds) => bounds.unlimited_quota || bounds.remain_quota >= account.quota;
  if (!spendsAll(token) || (before && spendsAll(before))) return;
  const rule = { key: `token-letters:${id}`, limit: limits.tokenLetters, windowSec: DAY_SEC };
  if ((await deps.limiter.take(rule)).ok) tellMailbox(deps, account, asked, tokenLetter);
}

const tokenLetter = (site: string, username: string, locale: Locale): Letter =>
  locale === 'zh'
    ? {
        subject: `${site} 有令牌可以花费您的全部余额`,
        text: `您好，您的账号 ${username} 有一个令牌从现在起可以花费全部余额。\n\n如果不是本人操作，请立即登录，在“令牌”页删除它，并修改密码。仅修改密码不会使令牌失效。`,
      }
    : {
        subject: `An API token at ${site} may spend your whole balance`,
        text: `An API token of your account ${username} may spend its whole balance from now on.\n\nIf this was not you, sign in at once, delete it on the page of tokens, and change your password. A new password alone does not end a token.`,
      };
