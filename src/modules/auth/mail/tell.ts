/** What an account's mailbox is told of new ways in, so that its owner hears of what somebody else has opened. */
import type { Locale } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { hasRole } from '../../../core/roles.ts';
import { DAY_SEC, HOUR_SEC } from '../../../core/time.ts';
import { type LimitRule, takeFirst, type Ways } from '../../../platform/limiter.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import type { Letter } from '../../mail/service.ts';
import { localeOf } from '../../notification/service.ts';
import type { UserRow } from '../../user/service.ts';

export type TellDeps = Pick<Deps, 'limiter' | 'log' | 'mailer' | 'options'>;

/** What it is told of. Each has bounds of its own: who uses up one by what matters little hides nothing of another. */
export type Told = 'mailbox' | 'party' | 'passkey' | 'token';

type Addressee = Pick<UserRow, 'id' | 'email' | 'language' | 'username' | 'role' | 'quota' | 'reserved'>;

/**
 * In the language of the account, or else in that of who asks; nothing where there is no mailbox, or no mail is sent. What
 * is beyond the bounds is written down in its place: what is told of has happened all the same.
 */
export async function tellMailbox(
  { limiter, log, mailer, options }: TellDeps,
  account: Addressee,
  asked: Locale,
  told: Told,
  letter: (site: string, username: string, locale: Locale) => Letter,
): Promise<void> {
  if (account.email === '' || !mailer.isSet()) return;
  const { ok } = await takeFirst(limiter, waysToTell(account, told));
  if (!ok) return log.warn('letter.withheld', { user_id: account.id, letter: told });
  const words = letter(options.get('SystemName'), account.username, localeOf(account, asked));
  mailer.post({ to: account.email, ...words });
}

/**
 * Letters have a budget beside that of codes, so that they use up none. Half of it is for the first of its kind that a
 * mailbox is told in a day: who has many told to his own accounts hides nothing of another's. A mailbox has a count
 * of its own, for what a thief has told to his is none of what its owner is told. As a hundred mailboxes use up the first
 * ones, too, an account shares the budget with those alone that hold as much: to hide its letter takes a hundred of them.
 */
function waysToTell(account: Addressee, told: Told): Ways {
  const { id, email } = account;
  const ofMailbox = (limit: number): LimitRule => ({
    key: `letters:${told}:${id}:${sha256(email.toLowerCase())}`,
    limit,
    windowSec: DAY_SEC,
  });
  const ofSite = (limit: number): LimitRule => ({
    key: `letters:${told}:site:${standingOf(account)}`,
    limit,
    windowSec: HOUR_SEC,
  });
  return [
    [ofMailbox(limits.lettersOfKind), ofSite(limits.lettersOfSite / 2)],
    [ofMailbox(1), ofSite(limits.lettersOfSite)],
  ];
}

/**
 * Balances of as many digits are alike, with what calls under way hold. A part for each network would be used up by the
 * thief's own accounts behind his.
 */
const standingOf = ({ role, quota, reserved }: Addressee): string =>
  hasRole(role, 'admin') ? 'admins' : `digits-${String(quota + reserved).length}`;
