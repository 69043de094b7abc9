/** A user's passkeys: added, named and removed by him, or removed by whoever may act on him. */
import { and, count, eq } from 'drizzle-orm';
import type { Actor, Owner } from '../../../core/actor.ts';
import { fail, type Locale } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { canActOn } from '../../../core/roles.ts';
import type { Tx } from '../../../db/client.ts';
import { requireWayIn } from '../../../db/hold-way-in.ts';
import { passkeys, sessions, users } from '../../../db/schema/index.ts';
import { recordAction } from '../../audit-log/service.ts';
import type { Deps } from '../../deps.ts';
import { lockUser } from '../../user/service.ts';
import { readAccount } from '../account/account.ts';
import { requireProvedOwner } from '../account/re-authentication.ts';
import type { AuthDeps } from '../deps.ts';
import { PASSKEY_NAME_MAX } from '../facts.ts';
import { passkeyLetter } from '../mail/letters.ts';
import { type TellDeps, tellMailbox } from '../mail/tell.ts';
import { requirePasskeySession } from '../second-factor/asked.ts';
import { hasSecondFactor, requireSecondFactor } from '../second-factor/factor.ts';
import { attemptsOfSession } from '../second-factor/tries.ts';
import { askForKey, readKey, requireSite } from './ceremony.ts';
import type { PasskeyItem, Registration } from './contract.ts';
import { type PasskeyRow, passkeysOf } from './rows.ts';
import type { PasskeySite } from './site.ts';

type OwnDeps = AuthDeps & Pick<Deps, 'oneTime'>;

export const shownPasskeys = (rows: readonly PasskeyRow[], { rpId }: PasskeySite): PasskeyItem[] =>
  rows.map(({ id, name, rp_id, created_at, used_at, second_only }) => ({
    id,
    name,
    host: rp_id,
    here: rp_id === rpId,
    created_at,
    used_at,
    second_only,
  }));

/** Throws PASSKEY_NAME. */
function readName(text: string): string {
  const name = text.trim();
  if (name === '' || [...name].length > PASSKEY_NAME_MAX) throw fail('PASSKEY_NAME');
  return name;
}

/** A challenge is for the session that asked for it; who has none proves nothing either. */
const askerOf = ({ sessionId }: Owner) => ({ ceremony: 'register', id: sessionId ?? '' }) as const;

/**
 * A passkey is both factors: where a second one is asked for, the password alone gives none and takes none away. Throws
 * REAUTH_REQUIRED, PASSKEY_SESSION, CODE_WRONG, RATE_LIMIT.
 */
async function requireBothFactors(deps: OwnDeps, owner: Owner, code: string): Promise<void> {
  await requireProvedOwner(deps, owner);
  await requirePasskeySession(deps, deps.db.orm, owner);
  if (!(await hasSecondFactor(deps.db.orm, owner.id))) return;
  await requireSecondFactor(deps, { id: owner.id, tries: attemptsOfSession(deps, owner) }, code);
}

/**
 * What his browser is given to make one. Throws PASSKEY_SITE, REAUTH_REQUIRED, PASSKEY_SESSION, CODE_WRONG, RATE_LIMIT,
 * PASSKEY_TOO_MANY.
 */
export async function beginPasskey(deps: OwnDeps, owner: Owner, site: PasskeySite, code: string) {
  requireSite(site);
  await requireBothFactors(deps, owner, code);
  const account = await readAccount(deps, owner.id);
  const known = await passkeysOf(deps.db.orm, owner.id);
  if (known.length >= limits.passkeysPerUser) throw fail('PASSKEY_TOO_MANY');
  return askForKey(deps, site, askerOf(owner), {
    id: account.id,
    username: account.username,
    displayName: account.display_name || account.username,
    siteName: deps.options.get('SystemName'),
    known: known.filter(({ rp_id }) => rp_id === site.rpId),
  });
}

/**
 * The challenge was given for both factors; his session is one with a passkey from now on, and his mailbox is told.
 * Throws PASSKEY_SITE, PASSKEY_NAME, REAUTH_REQUIRED, PASSKEY_FAILED, PASSKEY_KNOWN, PASSKEY_TOO_MANY, PASSKEY_SESSION,
 * SESSION_EXPIRED.
 */
export async function addPasskey(
  deps: OwnDeps & TellDeps,
  owner: Owner,
  site: PasskeySite,
  given: { name: string; response: Registration; locale: Locale },
): Promise<{ id: number }> {
  requireSite(site);
  const name = readName(given.name);
  await requireProvedOwner(deps, owner);
  const key = await readKey(deps, site, askerOf(owner), given.response);
  const { made, account } = await deps.db.orm.transaction(async (tx) => {
    const account = await lockUser(tx, owner.id);
    // A recovery that this waited for has ended the session: what it adds would outlive it.
    await requireWayIn(tx, owner);
    // Another session may have added the first one since the challenge was given.
    await requirePasskeySession(deps, tx, owner);
    const [row] = await tx.select({ n: count() }).from(passkeys).where(eq(passkeys.user_id, owner.id));
    if ((row?.n ?? 0) >= limits.passkeysPerUser) throw fail('PASSKEY_TOO_MANY');
    const [made] = await tx
      .insert(passkeys)
      .values({ ...key, name, user_id: owner.id })
      .onConflictDoNothing({ target: passkeys.credential_id })
      .returning({ id: passkeys.id });
    if (!made) throw fail('PASSKEY_KNOWN');
    await tx
      .update(sessions)
      .set({ with_passkey: true })
      .where(eq(sessions.id, owner.sessionId ?? ''));
    return { made, account };
  });
  await tellMailbox(deps, account, given.locale, 'passkey', passkeyLetter);
  return made;
}

const ofUser = (userId: number, id: number) => and(eq(passkeys.id, id), eq(passkeys.user_id, userId));

/** Throws PASSKEY_NAME, NOT_FOUND. */
export async function renamePasskey(
  { db }: Pick<Deps, 'db'>,
  userId: number,
  id: number,
  text: string,
): Promise<void> {
  const name = readName(text);
  const named = await db.orm
    .update(passkeys)
    .set({ name })
    .where(ofUser(userId, id))
    .returning({ id: passkeys.id });
  if (named.length === 0) throw fail('NOT_FOUND');
}

/** Answers its name. Throws NOT_FOUND. */
async function drop(tx: Tx, userId: number, id: number): Promise<string> {
  const [gone] = await tx.delete(passkeys).where(ofUser(userId, id)).returning({ name: passkeys.name });
  if (!gone) throw fail('NOT_FOUND');
  return gone.name;
}

/**
 * His other sessions end: one of them may have begun with it. Throws REAUTH_REQUIRED, PASSKEY_SESSION, CODE_WRONG,
 * RATE_LIMIT, NOT_FOUND, SESSION_EXPIRED.
 */
export async function removePasskey(deps: OwnDeps, owner: Owner, id: number, code: string): Promise<void> {
  await requireBothFactors(deps, owner, code);
  await deps.changes.commit(async (tx, touch) => {
    await lockUser(tx, owner.id);
    await requireWayIn(tx, owner);
    // Codes may have been turned off since one was given: then passkeys are all that is asked for.
    await requirePasskeySession(deps, tx, owner);
    await drop(tx, owner.id, id);
    await deps.sessions.endAll(tx, touch, owner.id, owner.sessionId);
  });
}

/** Those of a user whom the actor may act on. Throws NOT_FOUND, USER_LEVEL. */
export async function passkeysFor(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  userId: number,
): Promise<PasskeyRow[]> {
  const [user] = await db.orm.select().from(users).where(eq(users.id, userId));
  if (!user) throw fail('NOT_FOUND');
  if (!canActOn(actor, user) && user.id !== actor.id) throw fail('USER_LEVEL');
  return passkeysOf(db.orm, userId);
}

/**
 * Removed from a user who has lost it or been robbed of it: recorded, and all his sessions end. One's own are removed
 * among the personal settings. Throws REAUTH_REQUIRED, NOT_FOUND, USER_LEVEL.
 */
export async function removePasskeyOf(
  deps: OwnDeps,
  actor: Actor & Owner,
  userId: number,
  id: number,
): Promise<void> {
  await requireProvedOwner(deps, actor);
  await deps.changes.commit(async (tx, touch) => {
    const user = await lockUser(tx, userId);
    if (user.id === actor.id || !canActOn(actor, user)) throw fail('USER_LEVEL');
    const name = await drop(tx, userId, id);
    await deps.sessions.endAll(tx, touch, userId);
    await recordAction(tx, {
      actor,
      action: 'user.passkey_remove',
      target: `user:${userId}`,
      changes: { passkey: { before: name } },
      concerns: {
        userId,
        username: user.username,
        group: user.group_name,
        text: {
          zh: '管理员移除了该账号的一个通行密钥',
          en: 'An administrator removed a passkey of the account',
        },
      },
    });
  });
}
