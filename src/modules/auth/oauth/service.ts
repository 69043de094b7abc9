/**
 * Signing in, registering and binding by an account of a third party: by the subject that never changes of it, never by
 * a name, which it may give up to somebody else.
 */

import { and, eq, isNull, ne, or, sql } from 'drizzle-orm';
import { DISPLAY_NAME_MAX } from '../../../core/account-rules.ts';
import type { WayIn } from '../../../core/actor.ts';
import { AppError, fail, type Locale } from '../../../core/errors.ts';
import { hasRole } from '../../../core/roles.ts';
import { among } from '../../../db/among.ts';
import type { Executor, Tx } from '../../../db/client.ts';
import { requireWayIn } from '../../../db/hold-way-in.ts';
import { identities, users } from '../../../db/schema/index.ts';
import type { Options } from '../../../options/store.ts';
import type { Deps } from '../../deps.ts';
import { markGivenUp } from '../../gift/service.ts';
import { type IdentityProvider, lockUser, type UserRow } from '../../user/service.ts';
import {
  type OpenDeps,
  openNamelessAccount,
  registrationOpen,
  spendAccount,
} from '../account/new-account.ts';
import { readEmail } from '../mail/address.ts';
import { partyLetter } from '../mail/letters.ts';
import { type TellDeps, tellMailbox } from '../mail/tell.ts';
import { asksSecondFactor } from '../second-factor/asked.ts';
import { isOpen, oauthProviders } from './providers.ts';
import { telegramBot } from './telegram.ts';
import type { ThirdParty } from './third-party.ts';
import { wechatServer } from './wechat.ts';

type BindDeps = TellDeps & Pick<Deps, 'changes'>;
type AccountDeps = OpenDeps & BindDeps & Pick<Deps, 'limiter' | 'env'>;

const identityProviders: readonly string[] = [
  'github',
  'google',
  'oidc',
  'linuxdo',
  'wechat',
  'telegram',
] satisfies IdentityProvider[];

export const isIdentityProvider = (name: string): name is IdentityProvider =>
  identityProviders.includes(name);

const isThirdParty = ({ provider, issuers, subject }: Pick<ThirdParty, 'provider' | 'issuers' | 'subject'>) =>
  and(eq(identities.provider, provider), among(identities.issuer, issuers), eq(identities.subject, subject));

/** Whose it is. Throws ACCOUNT_CANCELLED when its owner is no more, IDENTITY_PAUSED where a password lets him in instead. */
async function findOwner(
  { db, options }: Pick<Deps, 'db' | 'options'>,
  party: ThirdParty,
): Promise<UserRow | null> {
  const [row] = await db.orm
    .select({ user: users, paused: identities.paused })
    .from(identities)
    .innerJoin(users, eq(users.id, identities.user_id))
    .where(isThirdParty(party))
    // Where an issuer was known by two names, what it is called now is the truth.
    .orderBy(sql`${identities.issuer} = ${party.issuers[0]} desc`)
    .limit(1);
  if (!row) return null;
  const { user, paused } = row;
  if (user.deleted_at !== null) throw fail('ACCOUNT_CANCELLED');
  if (paused && takesPassword(options, user))
    throw fail('IDENTITY_PAUSED', { params: { provider: party.title } });
  return user;
}

/** What he is called there now, which his settings show, and what the issuer is called. */
async function keepNames(db: Executor, userId: number, party: ThirdParty): Promise<void> {
  const [issuer] = party.issuers;
  const isOther = or(ne(identities.login_name, party.loginName), ne(identities.issuer, issuer));
  await db
    .update(identities)
    .set({ login_name: party.loginName, issuer })
    .where(and(isThirdParty(party), eq(identities.user_id, userId), isOther));
}

/**
 * The account that a third party's account opens; one is made where there is none and registration is open. Throws
 * ACCOUNT_CANCELLED, IDENTITY_PAUSED, REGISTER_CLOSED, RATE_LIMIT.
 */
export async function accountOf(
  deps: AccountDeps,
  party: ThirdParty,
  coming: { ip: string; affCode: string; locale: Locale },
): Promise<UserRow> {
  const owner = await findOwner(deps, party);
  if (owner) await keepNames(deps.db.orm, owner.id, party);
  const known = owner ?? (await linkByEmail(deps, party, coming.locale));
  if (known) return known;
  if (!registrationOpen(deps.options)) throw fail('REGISTER_CLOSED');
  await spendAccount(deps, coming.ip);
  try {
    await openFor(deps, party, coming.affCode);
  } catch (error) {
    // Two tabs that came back at once: the other one made the account.
    if (!isCode(error, 'IDENTITY_TAKEN')) throw error;
  }
  const made = await findOwner(deps, party);
  if (!made) throw fail('IDENTITY_TAKEN');
  return made;
}

const isCode = (error: unknown, code: AppError['code']): boolean =>
  error instanceof AppError && error.code === code;

/** A mailbox that is taken, or that the site does not accept, is left out: it proves nothing about other accounts. */
async function openFor(deps: AccountDeps, party: ThirdParty, affCode: string): Promise<void> {
  const { provider, issuers, subject, loginName, prefix } = party;
  const given = {
    displayName: [...party.displayName.trim()].slice(0, DISPLAY_NAME_MAX).join('') || undefined,
    passwordHash: null,
    affCode,
    identity: { provider, issuer: issuers[0], subject, loginName },
  };
  const email = acceptedEmail(deps.options, party);
  try {
    await openNamelessAccount(deps, prefix, { ...given, email });
  } catch (error) {
    if (!isCode(error, 'EMAIL_TAKEN')) throw error;
    await openNamelessAccount(deps, prefix, given);
  }
}

function acceptedEmail(options: Options, { email }: ThirdParty): string {
  if (email === '') return '';
  try {
    return readEmail(options, email);
  } catch (error) {
    if (error instanceof AppError) return '';
    throw error;
  }
}

/**
 * With `oauth.link_by_email`, the account with the mailbox that the third party has verified; from now on it is bound.
 * Administrators, and who has a second factor, bind by hand: whoever runs a provider could otherwise walk in as one of
 * them, and be bound to what he cannot open.
 */
async function linkByEmail(deps: AccountDeps, party: ThirdParty, locale: Locale): Promise<UserRow | null> {
  if (!deps.options.get('oauth.link_by_email') || party.email === '') return null;
  const [account] = await deps.db.orm
    .select()
    .from(users)
    .where(and(eq(sql`lower(${users.email})`, party.email.toLowerCase()), isNull(users.deleted_at)));
  if (!account || hasRole(account.role, 'admin')) return null;
  // It would be bound before he has shown his code or his passkey.
  if (await asksSecondFactor(deps, deps.db.orm, account.id)) return null;
  await attach(deps, account.id, party, locale);
  return account;
}

/**
 * Makes it a way into its owner's account; again is the same as once, and one that is paused lets in again. Throws
 * IDENTITY_TAKEN, IDENTITY_OTHER, NOT_FOUND when the account is cancelled, SESSION_EXPIRED.
 */
export const bind = (deps: BindDeps, owner: WayIn, party: ThirdParty, locale: Locale): Promise<void> =>
  attach(deps, owner.id, party, locale, owner);

/** The same, and the mailbox is told. The account is held meanwhile, so that one that is being cancelled gains none. */
async function attach(
  deps: BindDeps,
  userId: number,
  party: ThirdParty,
  locale: Locale,
  owner: WayIn | null = null,
): Promise<void> {
  const opened = await deps.changes.commit(async (tx) => {
    const user = await lockUser(tx, userId);
    if (owner) await requireWayIn(tx, owner);
    return (await insertParty(tx, userId, party)) ? user : null;
  });
  if (opened) await tellMailbox(deps, opened, locale, 'party', partyLetter(party.title));
}

/** Whether it did not let him in before. Throws IDENTITY_TAKEN, IDENTITY_OTHER. */
async function insertParty(tx: Tx, userId: number, party: ThirdParty): Promise<boolean> {
  const { provider, issuers, subject, loginName, title } = party;
  // Under a name that its issuer had before, it is no other account.
  const [known] = await tx.select().from(identities).where(isThirdParty(party));
  if (known) {
    if (known.user_id !== userId) throw fail('IDENTITY_TAKEN');
    return openAgain(tx, userId, provider);
  }
  const made = await tx
    .insert(identities)
    .values({ user_id: userId, provider, issuer: issuers[0], subject, login_name: loginName })
    .onConflictDoNothing()
    .returning({ id: identities.id });
  if (made.length > 0) return true;
  const [held] = await tx.select().from(identities).where(isThirdParty(party));
  if (!held) throw fail('IDENTITY_OTHER', { params: { provider: title } });
  if (held.user_id !== userId) throw fail('IDENTITY_TAKEN');
  return false;
}

const ofUser = (userId: number, provider: IdentityProvider) =>
  and(eq(identities.user_id, userId), eq(identities.provider, provider));

/** Whether it was paused. */
async function openAgain(tx: Tx, userId: number, provider: IdentityProvider): Promise<boolean> {
  const opened = await tx
    .update(identities)
    .set({ paused: false })
    .where(and(ofUser(userId, provider), eq(identities.paused, true)))
    .returning({ id: identities.id });
  return opened.length > 0;
}

/**
 * Lets an account that was bound before a recovery in again: its owner has seen that it is his. Throws NOT_FOUND where
 * none is paused, SESSION_EXPIRED.
 */
export async function keep(
  { changes }: Pick<Deps, 'changes'>,
  owner: WayIn,
  provider: IdentityProvider,
): Promise<void> {
  await changes.commit(async (tx) => {
    await lockUser(tx, owner.id);
    await requireWayIn(tx, owner);
    if (!(await openAgain(tx, owner.id, provider))) throw fail('NOT_FOUND');
  });
}

/**
 * Takes a third party's account away from a user; of two calls at once the second sees what the first has left. Throws
 * NOT_FOUND, SESSION_EXPIRED, IDENTITY_LAST when he could not sign in any more.
 */
export async function unbind(
  { changes, options, secrets }: Pick<Deps, 'changes' | 'options' | 'secrets'>,
  owner: WayIn,
  provider: IdentityProvider,
): Promise<void> {
  await changes.commit(async (tx) => {
    const user = await lockUser(tx, owner.id);
    await requireWayIn(tx, owner);
    const others = await tx
      .select({ provider: identities.provider })
      .from(identities)
      .where(and(eq(identities.user_id, user.id), ne(identities.provider, provider)));
    if (!canSignIn(options, user, others)) throw fail('IDENTITY_LAST');
    const [gone] = await tx.delete(identities).where(ofUser(user.id, provider)).returning();
    if (!gone) throw fail('NOT_FOUND');
    await markGivenUp(tx, secrets, user.id, gone);
  });
}

/** Whether one way in that is open is left to him. A mailbox is one, because a forgotten password can be set by it. */
function canSignIn(options: Options, user: UserRow, bound: readonly { provider: string }[]): boolean {
  return (
    (takesPassword(options, user) && (user.password_hash !== null || user.email !== '')) ||
    (options.get('PhoneLoginEnabled') && user.phone !== '') ||
    bound.some(({ provider }) => isOpenParty(options, provider))
  );
}

/** Whether a password lets him in. Only then there is one, a new one, in the place of what is paused. */
const takesPassword = (options: Options, { role }: Pick<UserRow, 'role'>): boolean =>
  options.get('PasswordLoginEnabled') || hasRole(role, 'root');

const isOpenParty = (options: Options, provider: string): boolean => {
  const open: Record<string, boolean> = {
    ...Object.fromEntries(Object.values(oauthProviders).map((each) => [each.name, isOpen(each, options)])),
    wechat: wechatServer(options) !== null,
    telegram: telegramBot(options) !== null,
  };
  return open[provider] ?? false;
};

/** The fields of the status object that show the buttons: only what is switched on and has all that it needs. */
export const oauthFlags = (options: Options) => ({
  github_oauth: isOpen(oauthProviders.github, options),
  google_oauth: isOpen(oauthProviders.google, options),
  oidc_enabled: isOpen(oauthProviders.oidc, options),
  linuxdo_oauth: isOpen(oauthProviders.linuxdo, options),
  wechat_login: wechatServer(options) !== null,
  telegram_oauth: telegramBot(options) !== null,
  // What its script wants to know; anybody who writes to the bot can see it.
  telegram_bot_id: telegramBot(options)?.id ?? '',
});
