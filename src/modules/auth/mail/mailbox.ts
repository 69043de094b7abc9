/** Letters that anybody can ask for: the code that proves a mailbox, and the link that sets a new password. */
import { and, eq, isNull, sql } from 'drizzle-orm';
import { fail, type Locale } from '../../../core/errors.ts';
import { passwordText, secretText } from '../../../core/ids.ts';
import { limits } from '../../../core/limits.ts';
import { USER_STATUS } from '../../../core/roles.ts';
import { users } from '../../../db/schema/index.ts';
import { publicAddress } from '../../../options/public-address.ts';
import { turnOfUser } from '../../../platform/passwords.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import { localeOf } from '../../notification/service.ts';
import type { SessionService } from '../../session/service.ts';
import { type CodeDeps, issueCode } from '../codes.ts';
import { sendWithin } from '../messages.ts';
import { passwordMark } from '../second-factor/pending.ts';
import { readEmail } from './address.ts';
import { codeLetter, knownLetter, resetLetter } from './letters.ts';

type MailboxDeps = CodeDeps & Pick<Deps, 'db' | 'env' | 'log' | 'mailer' | 'options' | 'secrets'>;

export interface MailWish {
  email: string;
  ip: string;
  /** What this browser keeps of accounts that were signed in to with it. */
  known: string | null;
  locale: Locale;
}

async function ownerOf({ db }: Pick<Deps, 'db'>, email: string) {
  const [row] = await db.orm
    .select({
      id: users.id,
      status: users.status,
      password_hash: users.password_hash,
      language: users.language,
      login_ip: users.login_ip,
    })
    .from(users)
    .where(and(eq(sql`lower(${users.email})`, email), isNull(users.deleted_at)));
  return row;
}

/**
 * Sends a code to the mailbox, or, where it has an account already, says so to its owner: the caller cannot tell which.
 * Throws MAIL_ADDRESS, EMAIL_DOMAIN, EMAIL_ALIAS, MAIL_UNSET, RATE_LIMIT.
 */
export async function sendCode(
  deps: MailboxDeps,
  { email, ip, known, locale, flowId }: MailWish & { flowId: string },
): Promise<void> {
  const to = readEmail(deps.options, email);
  if (!deps.mailer.isSet()) throw fail('MAIL_UNSET');
  const site = deps.options.get('SystemName');
  const message = { kind: 'mail', subject: to, ip, known } as const;
  await sendWithin(
    deps,
    message,
    () => ownerOf(deps, to),
    async () => {
      const code = await issueCode(deps, { channel: 'mail', subject: to, flowId });
      const owner = await ownerOf(deps, to);
      const letter = owner ? knownLetter(site, localeOf(owner, locale)) : codeLetter(site, code, locale);
      deps.mailer.post({ to, ...letter });
    },
  );
}

const resetKey = (token: string): string => `reset:${sha256(token)}`;

/**
 * Sends a link that sets a new password, if the mailbox has an account; the caller cannot tell. The link is built from
 * the site's configured address: what a caller says of the host must not decide where the secret goes. Throws
 * MAIL_ADDRESS, MAIL_UNSET, RESET_NO_ADDRESS, RATE_LIMIT.
 */
export async function sendResetLink(
  deps: MailboxDeps,
  { email, ip, known, locale }: MailWish,
): Promise<void> {
  const { mailer, oneTime, options } = deps;
  if (email.trim() === '') throw fail('FIELD_EMPTY');
  const to = email.trim().toLowerCase();
  const address = publicAddress(deps);
  if (!mailer.isSet()) throw fail('MAIL_UNSET');
  if (address === '') throw fail('RESET_NO_ADDRESS');
  const message = { kind: 'reset', subject: to, ip, known } as const;
  await sendWithin(
    deps,
    message,
    () => ownerOf(deps, to),
    async () => {
      const owner = await ownerOf(deps, to);
      if (!owner || owner.status !== USER_STATUS.active) return;
      const token = secretText();
      await oneTime.put(resetKey(token), `${owner.id}:${passwordMark(owner)}:${to}`, limits.resetSec);
      const link = new URL('/user/reset', address);
      link.search = new URLSearchParams({ email: to, token }).toString();
      mailer.post({ to, ...resetLetter(options.get('SystemName'), link.href, localeOf(owner, locale)) });
    },
  );
}

/**
 * Sets a random password, ends every way in that he had, and answers the password. His second factor, passkeys as well,
 * is still asked for: a mailbox alone is not he. Throws RESET_LINK, RATE_LIMIT.
 */
export async function resetPassword(
  deps: MailboxDeps & Pick<Deps, 'changes' | 'passwords'> & { sessions: SessionService },
  { email, token }: { email: string; token: string },
): Promise<string> {
  const key = resetKey(token.trim());
  const kept = await deps.oneTime.get(key);
  const [id, mark, ...rest] = kept?.split(':') ?? [];
  const userId = Number(id);
  const to = rest.join(':');
  if (kept === null || to !== email.trim().toLowerCase()) throw fail('RESET_LINK');
  const password = passwordText();
  const password_hash = await deps.passwords.hash(password, turnOfUser(userId));
  await deps.changes.commit(async (tx, touch) => {
    const [row] = await tx
      .select({ password_hash: users.password_hash })
      .from(users)
      // He may have been banned, cancelled or moved to another mailbox since the link was sent.
      .where(
        and(
          eq(users.id, userId),
          eq(sql`lower(${users.email})`, to),
          eq(users.status, USER_STATUS.active),
          isNull(users.deleted_at),
        ),
      )
      .for('update');
    // Or he has a new password by now: older links in his mailbox do not take it away from him. That makes the link good
    // for one use as well, and no fault before this is over costs it.
    if (!row || passwordMark(row) !== mark) throw fail('RESET_LINK');
    await tx.update(users).set({ password_hash }).where(eq(users.id, userId));
    await deps.sessions.endAccess(tx, touch, userId);
    touch('users', userId);
  });
  // It opens nothing any more; that it can be forgotten too is no condition.
  await deps.oneTime.take(key).catch(() => null);
  return password;
}
