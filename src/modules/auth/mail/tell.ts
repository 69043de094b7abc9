/** What an account's mailbox is told of new ways in, so that its owner hears of what somebody else has opened. */
import type { Locale } from '../../../core/errors.ts';
import type { Deps } from '../../deps.ts';
import type { Letter } from '../../mail/service.ts';
import { localeOf } from '../../notification/service.ts';
import type { UserRow } from '../../user/service.ts';

export type TellDeps = Pick<Deps, 'mailer' | 'options'>;

/** In the language of the account, or else in that of who asks; nothing where there is no mailbox, or no mail is sent. */
export function tellMailbox(
  { mailer, options }: TellDeps,
  account: Pick<UserRow, 'email' | 'language' | 'username'>,
  asked: Locale,
  letter: (site: string, username: string, locale: Locale) => Letter,
): void {
  if (account.email === '' || !mailer.isSet()) return;
  const words = letter(options.get('SystemName'), account.username, localeOf(account, asked));
  mailer.post({ to: account.email, ...words });
}
