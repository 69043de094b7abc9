/**
 * The first run: makes the one root. That there is only one is the database's rule (`users_one_root`), so that of two
 * racing set-ups one wins, also on two hosts.
 */
import { join } from 'node:path';
import { eq } from 'drizzle-orm';
import { lengthOf, PASSWORD_MIN } from '../../core/account-rules.ts';
import { fail } from '../../core/errors.ts';
import { secretText } from '../../core/ids.ts';
import { ROLE } from '../../core/roles.ts';
import { users } from '../../db/schema/index.ts';
import { constraintOf } from '../../db/statement.ts';
import { keptSecret, sameSecret } from '../../platform/secrets.ts';
import { recordAction } from '../audit-log/service.ts';
import type { Deps } from '../deps.ts';
import { insertUser, readUsername, requirePasswordLength } from '../user/service.ts';

type SetupDeps = Pick<Deps, 'db' | 'env'>;

/** Quota units of root's first balance: 200 US dollars, or in self-use mode as much as never to think of it. */
const ROOT_QUOTA = 100_000_000;
const ROOT_QUOTA_SELF_USE = 1_000_000_000_000_000;

/** Databases that are known to have their root; that never changes back. */
const done = new WeakSet<Deps['db']>();

/** True once root exists. */
export async function isSetUp({ db }: Pick<Deps, 'db'>): Promise<boolean> {
  if (done.has(db)) return true;
  const [root] = await db.orm.select({ id: users.id }).from(users).where(eq(users.role, ROLE.root));
  if (root) done.add(db);
  return root !== undefined;
}

/**
 * What `POST /api/setup` demands of everyone who is not at this machine: SETUP_TOKEN, or a token that is kept in the
 * data folder. Null when the system is set up. Print it on the terminal, not in the log, which cuts secrets out.
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
  /** True when the caller sits at this machine. */
  local: boolean;
  ip: string;
}

/** Makes root. Throws SETUP_DONE, SETUP_TOKEN and the fields' refusals. */
export async function setUp(
  deps: SetupDeps & Pick<Deps, 'options' | 'passwords'>,
  given: Setup,
): Promise<void> {
  if (await isSetUp(deps)) throw fail('SETUP_DONE');
  if (!given.local && !sameSecret(given.token, await tokenOf(deps))) throw fail('SETUP_TOKEN');
  if (given.username.trim() === '') throw fail('SETUP_USERNAME');
  const username = readUsername(given.username);
  if (lengthOf(given.password) < PASSWORD_MIN) throw fail('SETUP_PASSWORD_SHORT');
  if (given.password !== given.confirmPassword) throw fail('PASSWORD_MISMATCH');
  requirePasswordLength(given.password);

  const passwordHash = await deps.passwords.hash(given.password);
  const quota = given.selfUse ? ROOT_QUOTA_SELF_USE : ROOT_QUOTA;
  const ref = crypto.randomUUID();
  const modes = { SelfUseModeEnabled: String(given.selfUse), DemoSiteEnabled: String(given.demo) };
  try {
    await deps.options.set(modes, async (tx) => {
      const id = await insertUser(tx, {
        username,
        displayName: 'Root User',
        passwordHash,
        role: ROLE.root,
        quota,
        ref,
      });
      await recordAction(tx, {
        actor: { id, role: ROLE.root, ip: given.ip },
        action: 'setup',
        target: `user:${id}`,
        detail: { ...modes, quota, ref },
      });
    });
    done.add(deps.db);
  } catch (error) {
    throw constraintOf(error) === 'users_one_root' ? fail('SETUP_DONE') : error;
  }
}
