/** Signing in with a user name, a mailbox or a phone number, and a password. */
import { and, eq, isNull, or, sql } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import { hasRole, USER_STATUS } from '../../../core/roles.ts';
import { users } from '../../../db/schema/index.ts';
import { ownMark } from '../../../platform/browser-marks.ts';
import { turnSubject } from '../../../platform/limiter.ts';
import { turnOfUser } from '../../../platform/passwords.ts';
import type { Deps } from '../../deps.ts';
import {
  attempt,
  attemptOr,
  byAccount,
  byName,
  byNetwork,
  byOwn,
  byPair,
} from '../../failed-attempts/service.ts';
import { normalName, type UserRow } from '../../user/service.ts';
import type { AuthDeps } from '../deps.ts';
import { standingOf } from '../standing.ts';
import { noteDefaultPassword } from './default-password.ts';

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
  if (account) {
    await noteDefaultPassword(deps.db, account, given.password);
    return account;
  }
  throw fail(deps.options.get('PasswordLoginEnabled') ? 'LOGIN_WRONG' : 'LOGIN_METHOD_CLOSED');
}

/** Counts the try where it belongs, and tells nobody which names exist or which are of one account. */
async function tryPassword(deps: AuthDeps, name: string, given: Login): Promise<UserRow | null> {
  const { ip, password } = given;
  const stranger = { who: turnSubject(ip) };
  // A flood is refused before it costs the database anything.
  if (!ownMark(deps.secrets, given.known)) deps.passwords.requireRoom(stranger);
  const account = await findAccount(deps, name);
  const standing = await standingOf(deps, account, given);
  // A mark of one account opens no way past the others' line.
  if (standing.as === 'stranger') deps.passwords.requireRoom(stranger);
  const turn = account && standing.as !== 'stranger' ? turnOfUser(account.id) : stranger;
  const verify = async (as: UserRow | null): Promise<UserRow | null> => {
    const isRight = await deps.passwords.verify(password, as?.password_hash ?? null, turn);
    if (!as || !isRight || as.status !== USER_STATUS.active) return null;
    // Root gets in by password always, or a slip on the settings page would lock everyone out.
    return deps.options.get('PasswordLoginEnabled') || hasRole(as.role, 'root') ? as : null;
  };
  const asOthers = async () => {
    const isHome = standing.as === 'home';
    const ofName = isHome
      ? byPair(deps, 'password', `name:${name}`, ip)
      : [...byNetwork(deps, 'password', ip), ...(await byName(deps, 'password', name, ip))];
    return attempt(deps, ofName, async () => {
      if (!account) return verify(null);
      // Name, address and number are one account. When the tries at it are used up by another of them, a refusal would
      // tell that they belong together: the try is wrong, whatever it was.
      const ofAccount = isHome
        ? byPair(deps, 'password', `id:${account.id}`, ip)
        : await byAccount(deps, 'password', account.id, ip);
      return attemptOr(
        deps,
        [ofAccount],
        () => verify(account),
        () => verify(null),
      );
    });
  };
  if (standing.as !== 'known') return asOthers();
  const ofBrowser = byOwn(deps, 'password', standing.browser);
  return attemptOr(deps, [ofBrowser], () => verify(account), asOthers);
}
