/**
 * Whether root has the password that everybody knows: the one that the first account of gateways of this family is given,
 * and that an import can have left. No hash tells it; his last sign-in by it does, and what is kept of that is the mark of the
 * hash which it opened: with any other password the mark fits no more.
 */
import { hasRole, ROLE } from '../../../core/roles.ts';
import type { Database } from '../../../db/client.ts';
import type { UserRow } from '../../user/service.ts';
import { passwordMark } from '../second-factor/pending.ts';

const DEFAULT_PASSWORD = '123456';

const NAME = 'default_password';

/** Keeps in mind that `account` was opened by `password`, where that is worth a warning. */
export async function noteDefaultPassword(
  db: Pick<Database, 'query'>,
  account: UserRow,
  password: string,
): Promise<void> {
  if (password !== DEFAULT_PASSWORD || !hasRole(account.role, 'root')) return;
  await db.query(
    `insert into meta (name, value) values ($1, $2)
     on conflict (name) do update set value = excluded.value`,
    [NAME, passwordMark(account)],
  );
}

/** `changed`: he had it once. Null where he never signed in by it. */
export async function rootPassword(db: Pick<Database, 'query'>): Promise<'default' | 'changed' | null> {
  const [row] = await db.query<{ mark: string; password_hash: string | null }>(
    'select m.value as mark, u.password_hash from meta m, users u where m.name = $1 and u.role = $2',
    [NAME, ROLE.root],
  );
  if (!row) return null;
  return passwordMark(row) === row.mark ? 'default' : 'changed';
}

/** Whether `account` is root's, and has it still. */
export const hasDefaultPassword = async (
  db: Pick<Database, 'query'>,
  { role }: Pick<UserRow, 'role'>,
): Promise<boolean> => hasRole(role, 'root') && (await rootPassword(db)) === 'default';
