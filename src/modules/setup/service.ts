/**
 * The first run: makes the one root. That there is only one is the database's rule (`users_one_root`), so that of two
 * racing set-ups one wins, also on two hosts.
 * Whoever is not that one leaves nothing behind: no id, no row, no hash in the line for passwords.
 */
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { lengthOf, PASSWORD_MIN } from '../../core/account-rules.ts';
import { changesBetween } from '../../core/admin-actions.ts';
import { requireUncommonPassword } from '../../core/common-passwords.ts';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { OneByOne } from '../../core/one-by-one.ts';
import { ROLE } from '../../core/roles.ts';
import type { Executor } from '../../db/client.ts';
import { users } from '../../db/schema/index.ts';
import { constraintOf } from '../../db/statement.ts';
import { keptSecret, sameSecret } from '../../platform/secrets.ts';
import { recordDone } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { insertUser, readUsername, requirePasswordLength, type UserRow } from '../user/service.ts';

type SetupDeps = Pick<Deps, 'db' | 'env'>;

/** Quota units of root's first balance: 200 US dollars, or in self-use mode as much as never to think of it. */
const ROOT_QUOTA = 100_000_000;
const ROOT_QUOTA_SELF_USE = 1_000_000_000_000_000;

/** Databases that are known to have their root; that never changes back. */
const done = new WeakSet<Deps['db']>();

/** True once root exists. */
export async function isSetUp({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  if (done.has(db)) return true;
  const found = await hasRoot(db.orm);
  if (found) done.add(db);
  return found;
}

async function hasRoot(executor: Executor): Promise<boolean> {
  const [root] = await executor.select({ id: users.id }).from(users).where(eq(users.role, ROLE.root));
  return root !== undefined;
}

/**
 * What `POST /api/setup` demands of everyone, since an address that looks local may be a proxy's: SETUP_TOKEN, or a
 * token that is kept in the data folder. Null when the system is set up. Print it on the terminal, not in the log,
 * which cuts secrets out.
 */
export async function setupToken(deps: SetupDeps): Promise<string | null> {
  return (await isSetUp(deps)) ? null : tokenOf(deps);
}

const tokenOf = ({ env }: SetupDeps): Promise<string> =>
  env.SETUP_TOKEN
    ? Promise.resolve(env.SETUP_TOKEN)
    : keptSecret(join(env.DATA_DIR, 'setup-token'), () => secretText(128));

export interface Setup {
  username: string;
  password: string;
  confirmPassword: string;
  selfUse: boolean;
  demo: boolean;
  token: string;
  ip: string;
}

type MakerDeps = SetupDeps & Pick<Deps, 'options' | 'passwords'>;

/** Makes root, and answers his account. Throws SETUP_DONE, SETUP_TOKEN and the fields' refusals. */
export async function setUp(deps: MakerDeps, given: Setup): Promise<UserRow> {
  if (await isSetUp(deps)) throw fail('SETUP_DONE');
  if (!sameSecret(given.token, await tokenOf(deps))) throw fail('SETUP_TOKEN');
  if (given.username.trim() === '') throw fail('SETUP_USERNAME');
  const username = readUsername(given.username);
  if (lengthOf(given.password) < PASSWORD_MIN) throw fail('SETUP_PASSWORD_SHORT');
  if (given.password !== given.confirmPassword) throw fail('PASSWORD_MISMATCH');
  requirePasswordLength(given.password);
  requireUncommonPassword(given.password);
  return setUps.do(deps.db, () => makeRoot(deps, { ...given, username }));
}

/** So that who comes second finds it done and costs nothing. Only holders of the token get here. */
const setUps = new OneByOne<Deps['db']>();

async function makeRoot(deps: MakerDeps, given: Setup): Promise<UserRow> {
  if (await isSetUp(deps)) throw fail('SETUP_DONE');
  const passwordHash = await deps.passwords.hash(given.password);
  const quota = given.selfUse ? ROOT_QUOTA_SELF_USE : ROOT_QUOTA;
  const ref = crypto.randomUUID();
  const modes = { SelfUseModeEnabled: String(given.selfUse), DemoSiteEnabled: String(given.demo) };
  let made: UserRow | undefined;
  try {
    await deps.options.set(modes, async (tx) => {
      // Another process that is as far waits at the rows of the options, and looks when this one has committed.
      if (await hasRoot(tx)) throw fail('SETUP_DONE');
      const id = await insertUser(tx, {
        username: given.username,
        displayName: 'Root User',
        passwordHash,
        role: ROLE.root,
        quota,
        ref,
      });
      await recordDone(tx, {
        actor: { id, ip: given.ip },
        action: 'setup',
        target: `user:${id}`,
        changes: changesBetween({}, { username: given.username, role: ROLE.root, quota, ...modes }),
        facts: { ref },
      });
      [made] = await tx.select().from(users).where(eq(users.id, id));
    });
    done.add(deps.db);
  } catch (error) {
    throw constraintOf(error) === 'users_one_root' ? fail('SETUP_DONE') : error;
  }
  if (!made) throw new Error('root was made and is not there');
  return made;
}
