/** Signing in with a password, and what a signed-in user reads and changes of his own account. */
import { and, eq, isNull, or, sql } from 'drizzle-orm';
import { requireUncommonPassword } from '../../core/common-passwords.ts';
import { fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { hasRole, USER_STATUS } from '../../core/roles.ts';
import { users } from '../../db/schema/index.ts';
import type { Options } from '../../options/store.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { turnOfUser } from '../../platform/passwords.ts';
import type { Deps } from '../deps.ts';
import { notifySetting } from '../notification/service.ts';
import type { SessionService } from '../session/service.ts';
import type { Sms } from '../sms/service.ts';
import {
  boundAccounts,
  boundNames,
  normalName,
  readDisplayName,
  readUsername,
  requireOwnPassword,
  takenBy,
  type UserRow,
  userView,
} from '../user/service.ts';
import { registrationOpen } from './account/new-account.ts';
import { type Owner, requireOwner } from './account/owner.ts';
import { bringsMarks } from './known-browser.ts';
import { standingOf } from './standing.ts';
import { attempt, attemptOr, byAccount, byNetwork, byOwn, byPair } from './wrong-tries.ts';

export type AuthDeps = Pick<Deps, 'db' | 'changes' | 'options' | 'passwords' | 'limiter' | 'secrets'> & {
  sessions: SessionService;
};

/** Whether anybody may make an account with a user name and a password. */
export const passwordRegistrationOpen = (options: Options): boolean =>
  registrationOpen(options) && options.get('PasswordRegisterEnabled');

interface PhoneSwitches {
  options: Options;
  sms: Pick<Sms, 'isSet'>;
}

/** Whether anybody may sign in with a phone number and a code. */
export const phoneLoginOpen = ({ options, sms }: PhoneSwitches): boolean =>
  options.get('PhoneLoginEnabled') && sms.isSet();

/** Whether anybody may make an account with a phone number and a code. */
export const phoneRegistrationOpen = ({ options, sms }: PhoneSwitches): boolean =>
  registrationOpen(options) && options.get('PhoneRegisterEnabled') && sms.isSet();

const LANGUAGES = ['zh', 'en'];

export interface Login {
  username: string;
  password: string;
  ip: string;
  /** What this browser keeps of accounts that were signed in to with it. */
  known: string | null;
}

/**
 * The account that a text names: by e-mail address or phone number, else by user name. Both of the former are
 * verified, so that a user name which looks like one shadows nobody.
 */
async function findAccount({ db }: Pick<Deps, 'db'>, text: string): Promise<UserRow | null> {
  const byContact = or(
    and(sql`${users.email} <> ''`, eq(sql`lower(${users.email})`, text.toLowerCase())),
    and(sql`${users.phone} <> ''`, eq(users.phone, text)),
  );
  const rows = await db.orm
    .select()
    .from(users)
    .where(
      and(
        isNull(users.deleted_at),
        // As it is written too: of some letters the database makes other small ones than we do.
        or(eq(users.username, text), eq(sql`lower(${users.username})`, text.toLowerCase()), byContact),
      ),
    )
    .orderBy(sql`(${byContact}) desc, ${users.username} = ${text} desc`)
    .limit(1);
  return rows[0] ?? null;
}

/**
 * The account that the name and password open. An unknown name, a wrong password and a banned user are told apart
 * neither by the answer nor by its time. Throws LOGIN_FIELDS, LOGIN_WRONG, LOGIN_METHOD_CLOSED, RATE_LIMIT.
 */
export async function checkPassword(deps: AuthDeps, given: Login): Promise<UserRow> {
  // One form before tries are counted: other spellings of a name must not be other accounts to the limit.
  const name = normalName(given.username);
  if (name === '' || given.password === '') throw fail('LOGIN_FIELDS');
  const account = await tryPassword(deps, name, given);
  if (account) return account;
  throw fail(deps.options.get('PasswordLoginEnabled') ? 'LOGIN_WRONG' : 'LOGIN_METHOD_CLOSED');
}

/** Counts the try where it belongs, and tells nobody which names exist or which are of one account. */
async function tryPassword(deps: AuthDeps, name: string, given: Login): Promise<UserRow | null> {
  const { ip, password } = given;
  const stranger = { who: turnSubject(ip) };
  // A flood is refused before it costs the database anything.
  if (!bringsMarks(deps.secrets, given.known)) deps.passwords.requireRoom(stranger);
  const account = await findAccount(deps, name);
  const standing = await standingOf(deps, account, given);
  const turn = account && standing.as !== 'stranger' ? turnOfUser(account.id) : stranger;
  const verify = async (as: UserRow | null): Promise<UserRow | null> => {
    const isRight = await deps.passwords.verify(password, as?.password_hash ?? null, turn);
    if (!as || !isRight || as.status !== USER_STATUS.active) return null;
    // Root gets in by password always, or a slip on the settings page would lock everyone out.
    return deps.options.get('PasswordLoginEnabled') || hasRole(as.role, 'root') ? as : null;
  };
  if (standing.as === 'known') {
    return attempt(deps, byOwn(deps, 'password', standing.browser), () => verify(account));
  }
  const countOf = (subject: string) =>
    standing.as === 'home'
      ? Promise.resolve(byPair(deps, 'password', subject, ip))
      : byAccount(deps, 'password', subject, ip);
  const ofNetwork = standing.as === 'home' ? [] : byNetwork(deps, 'password', ip, limits.triesOfNetwork);
  return attempt(deps, [...ofNetwork, ...(await countOf(`name:${name}`))], async () => {
    if (!account) return verify(null);
    // Name, address and number are one account. When the tries at it are used up by another of them, a refusal would
    // tell that they belong together: the try is wrong, whatever it was.
    const ofAccount = await countOf(`id:${account.id}`);
    return attemptOr(
      deps,
      ofAccount,
      () => verify(account),
      () => verify(null),
    );
  });
}

/** That the account still has the password that it had when it was read. */
export const samePassword = ({ password_hash }: Pick<UserRow, 'password_hash'>) =>
  sql`${users.password_hash} is not distinct from ${password_hash}`;

/** Throws SESSION_EXPIRED when he is no more. */
export async function readAccount({ db }: Pick<Deps, 'db'>, userId: number): Promise<UserRow> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, userId));
  if (!row) throw fail('SESSION_EXPIRED');
  return row;
}

/** The personal view of document 3. */
export async function readSelf(deps: Pick<Deps, 'db' | 'options'>, userId: number) {
  const row = await readAccount(deps, userId);
  return {
    ...userView(row, (await boundAccounts(deps.db.orm, [userId])).get(userId)),
    // A text, as clients of such gateways parse it.
    setting: JSON.stringify(notifySetting(row.setting, deps.options)),
    // Of activities and fuel packs, which nobody can have got anything by yet.
    activity_quota: 0,
    activity_history_quota: 0,
    history_fuel_pack_quota: 0,
    language: row.language,
    bound: await boundNames(deps.db.orm, userId),
    /** Without one he proves himself by signing in again. */
    has_password: row.password_hash !== null,
  };
}

export interface SelfUpdate {
  username?: string | null;
  displayName?: string | null;
  language?: string | null;
  password?: string | null;
  originalPassword?: string | null;
}

/**
 * Changes one's own account. A new password ends every session and the access token; answers the random id of a new
 * session for this browser then, else null. Throws PASSWORD_RULE, PASSWORD_WRONG, REAUTH_REQUIRED and the fields' refusals.
 */
export async function updateSelf(
  deps: AuthDeps,
  self: Owner & { userAgent: string },
  given: SelfUpdate,
): Promise<string | null> {
  const row = await readAccount(deps, self.id);
  const changed: Partial<typeof users.$inferInsert> = {};
  if (given.username && given.username !== row.username) changed.username = readUsername(given.username);
  if (given.displayName != null && given.displayName !== row.display_name) {
    changed.display_name = readDisplayName(given.displayName);
  }
  if (given.language && LANGUAGES.includes(given.language)) changed.language = given.language;
  if (given.password) {
    requireOwnPassword(given.password);
    requireUncommonPassword(given.password);
    await requireOwner(deps, self, row, given.originalPassword);
    changed.password_hash = await deps.passwords.hash(given.password, turnOfUser(self.id));
  }
  if (Object.keys(changed).length === 0) return null;
  // The proof was of the password that was read; of two changes at once the second has proved nothing.
  const asProved = changed.password_hash ? samePassword(row) : undefined;
  return deps.changes.commit(async (tx, touch) => {
    const updated = await tx
      .update(users)
      .set(changed)
      .where(and(eq(users.id, self.id), isNull(users.deleted_at), asProved))
      .returning({ id: users.id })
      .catch((error: unknown) => {
        throw takenBy(error);
      });
    if (updated.length === 0) throw fail('REAUTH_REQUIRED');
    touch('users', self.id);
    if (!changed.password_hash) return null;
    await deps.sessions.endAccess(tx, touch, self.id);
    return self.sessionId === null ? null : deps.sessions.begin(self.id, self, tx);
  });
}

/**
 * Makes the owner's management access token anew and answers it, this once. A session must be proved; who calls with the
 * present token has all that it opens. Throws REAUTH_REQUIRED, SESSION_EXPIRED.
 */
export async function issueAccessToken(deps: AuthDeps, owner: Owner): Promise<string> {
  if (owner.sessionId !== null) await requireOwner(deps, owner, await readAccount(deps, owner.id));
  return deps.changes.commit(async (tx, touch) => {
    if (!(await deps.sessions.hold(tx, owner.id, owner.sessionId))) throw fail('SESSION_EXPIRED');
    return deps.sessions.replaceAccessToken(tx, touch, owner.id);
  });
}
