/** Accounts: their rules, how one is made, and what the API shows of one. */

import { and, eq, isNull } from 'drizzle-orm';
import { openAccount } from '../../billing/ledger.ts';
import {
  DISPLAY_NAME_MAX,
  hasPasswordLength,
  isSoundPassword,
  lengthOf,
  USERNAME_MAX,
} from '../../core/account-rules.ts';
import { type ErrorCode, fail } from '../../core/errors.ts';
import { affCode } from '../../core/ids.ts';
import { invariant } from '../../core/invariant.ts';
import { normalised } from '../../core/normalised.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { nowSec } from '../../core/time.ts';
import { among } from '../../db/among.ts';
import type { Touch } from '../../db/changes.ts';
import type { Database, Executor, Tx } from '../../db/client.ts';
import { backupCodes, identities, passkeys, secondFactors, tokens, users } from '../../db/schema/index.ts';
import { constraintOf, isUniqueViolation } from '../../db/statement.ts';
import type { Secrets } from '../../platform/secrets.ts';
import { forgetCustomModels } from '../custom-model/service.ts';
import { markAllGivenUp } from '../gift/service.ts';
import type { SessionService } from '../session/service.ts';

/** Control characters, and what shows as nothing or turns the direction of what follows. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}]/u;

/**
 * The user name as it is stored: in one form of Unicode, so that nobody is called what another name only looks like.
 * Throws USERNAME_LENGTH, USERNAME_CHARS, and USERNAME_TAKEN for what only an erased account is called.
 */
export function readUsername(text: string): string {
  const name = normalName(text);
  if (name === '' || lengthOf(name) > USERNAME_MAX) throw fail('USERNAME_LENGTH');
  if (UNSEEN.test(name)) throw fail('USERNAME_CHARS');
  if (PSEUDONYM.test(name)) throw fail('USERNAME_TAKEN');
  return name;
}

/** What an account is called whose owner was erased. */
export const pseudonymOf = (userId: number): string => `deleted-${userId}`;

const PSEUDONYM = /^deleted-\d+/i;

/** The form in which names are stored, and in which those that are typed are looked for. */
export const normalName = (text: string): string => normalised(text).trim();

/** Throws DISPLAY_NAME_LENGTH. */
export function readDisplayName(text: string): string {
  const name = text.trim();
  if (lengthOf(name) > DISPLAY_NAME_MAX) throw fail('DISPLAY_NAME_LENGTH');
  return name;
}

/** What somebody has, in quota units, what his calls under way hold of it besides, and whether he has ever called. Throws NOT_FOUND. */
export async function accountState(
  { orm }: Pick<Database, 'orm'>,
  userId: number,
): Promise<{ quota: number; reserved: number; has_called: boolean }> {
  const [row] = await orm
    .select({ quota: users.quota, reserved: users.reserved, calls: users.request_count })
    .from(users)
    .where(eq(users.id, userId));
  if (!row) throw fail('NOT_FOUND');
  return { quota: row.quota, reserved: row.reserved, has_called: row.calls > 0 };
}

/** A password that an administrator gives. Throws PASSWORD_LENGTH. */
export function requirePasswordLength(password: string): void {
  if (!hasPasswordLength(password)) throw fail('PASSWORD_LENGTH');
}

/** A password that its owner chooses. Throws PASSWORD_RULE. */
export function requireOwnPassword(password: string): void {
  if (!isSoundPassword(password)) throw fail('PASSWORD_RULE');
}

export interface NewUser {
  username: string;
  displayName: string;
  /** Null for who signs in another way. */
  passwordHash: string | null;
  role: number;
  /** A mailbox that is proved to be his; empty for none. */
  email?: string;
  /** A phone number that is proved to be his; empty for none. */
  phone?: string;
  /** Who invited him. */
  inviterId?: number;
  /** First balance, quota units. */
  quota: number;
  /** Kept in the row that causes the account, see `Movement.ref`. */
  ref: string;
}

/** Inserts an account and its first balance. Throws USERNAME_TAKEN, EMAIL_TAKEN, PHONE_TAKEN. A second root breaks `users_one_root`. */
export async function insertUser(tx: Tx, given: NewUser): Promise<number> {
  const { username, displayName, passwordHash, role, email = '', phone = '', inviterId = 0 } = given;
  for (;;) {
    const [row] = await tx
      .insert(users)
      .values({
        username,
        display_name: displayName,
        password_hash: passwordHash,
        role,
        email,
        phone,
        inviter_id: inviterId,
        aff_code: affCode(),
      })
      // Another account has this random code already: the next one will do.
      .onConflictDoNothing({ target: users.aff_code })
      .returning({ id: users.id })
      .catch((error: unknown) => {
        throw takenBy(error);
      });
    if (!row) continue;
    if (given.quota > 0) {
      await openAccount(tx, { userId: row.id, ref: given.ref, amount: given.quota });
    }
    return row.id;
  }
}

const TOKEN_DISABLED = 2;

/** The first step of cancelling an account, before its row is locked: the order in which money locks. */
export async function disableTokens(tx: Tx, touch: Touch, userId: number): Promise<void> {
  await tx.update(tokens).set({ status: TOKEN_DISABLED }).where(eq(tokens.user_id, userId));
  touch('users', userId);
}

/**
 * Cancels an account whose row is locked: nobody gets in by it any more, and what says who he was is gone, so that his
 * mailbox, phone and third-party accounts are free, though not for the gifts that he has had. The name stays taken, the
 * money and its history stay.
 */
export async function eraseAccount(
  { sessions, secrets }: { sessions: SessionService; secrets: Secrets },
  tx: Tx,
  touch: Touch,
  userId: number,
): Promise<void> {
  await forgetCustomModels(tx, touch, userId);
  await markAllGivenUp(tx, secrets, userId);
  for (const table of [identities, secondFactors, backupCodes, passkeys]) {
    await tx.delete(table).where(eq(table.user_id, userId));
  }
  await sessions.endAccess(tx, touch, userId);
  await tx
    .update(users)
    .set({
      status: USER_STATUS.banned,
      deleted_at: nowSec(),
      password_hash: null,
      display_name: '',
      email: '',
      phone: '',
      login_ip: '',
      setting: {},
    })
    .where(eq(users.id, userId));
  touch('users', userId);
}

const TAKEN: Readonly<Record<string, ErrorCode>> = {
  users_username: 'USERNAME_TAKEN',
  users_email: 'EMAIL_TAKEN',
  users_phone: 'PHONE_TAKEN',
};

/** USERNAME_TAKEN, EMAIL_TAKEN or PHONE_TAKEN when that is what a database error means, else the error. */
export function takenBy(error: unknown): unknown {
  const code = isUniqueViolation(error) ? TAKEN[constraintOf(error) ?? ''] : undefined;
  return code ? fail(code) : error;
}

export type UserRow = typeof users.$inferSelect;

/**
 * His row, held until the transaction is over: an account that is being cancelled gains no way in, and two that change its
 * ways in at once wait for one another. Throws NOT_FOUND when he is no more.
 */
export async function lockUser(tx: Tx, userId: number): Promise<UserRow> {
  const [user] = await tx
    .select()
    .from(users)
    .where(and(eq(users.id, userId), isNull(users.deleted_at)))
    .for('update');
  if (!user) throw fail('NOT_FOUND');
  return user;
}

/** Wire field of each provider's subject. */
const IDENTITY_FIELDS = {
  github: 'github_id',
  google: 'google_id',
  oidc: 'oidc_id',
  linuxdo: 'linux_do_id',
  wechat: 'wechat_id',
  telegram: 'telegram_id',
} as const;

/** A third party by which one can sign in. */
export type IdentityProvider = keyof typeof IDENTITY_FIELDS;

type IdentityField = (typeof IDENTITY_FIELDS)[keyof typeof IDENTITY_FIELDS];
type Bound = Partial<Record<IdentityField, string>>;

/** The third-party accounts of users, by user id. */
export async function boundAccounts(db: Executor, userIds: readonly number[]): Promise<Map<number, Bound>> {
  const bound = new Map<number, Bound>();
  if (userIds.length === 0) return bound;
  const rows = await db.select().from(identities).where(among(identities.user_id, userIds));
  for (const { user_id, provider, subject } of rows) {
    invariant(provider in IDENTITY_FIELDS, `identity of an unknown provider ${provider}`);
    const field = IDENTITY_FIELDS[provider as keyof typeof IDENTITY_FIELDS];
    bound.set(user_id, { ...bound.get(user_id), [field]: subject });
  }
  return bound;
}

/** By which name each third party knows the user, its subject where it gave none; and which of them are paused. */
export async function boundParties(
  db: Executor,
  userId: number,
): Promise<{ bound: Partial<Record<IdentityProvider, string>>; bound_paused: string[] }> {
  const rows = await db
    .select()
    .from(identities)
    .where(eq(identities.user_id, userId))
    .orderBy(identities.provider);
  return {
    bound: Object.fromEntries(
      rows.map(({ provider, login_name, subject }) => [provider, login_name || subject]),
    ),
    bound_paused: rows.filter(({ paused }) => paused).map(({ provider }) => provider),
  };
}

/** What the user himself sees of his account. `quota` is what he owns, calls under way included. */
export const userView = (row: UserRow, bound: Bound = {}) => ({
  id: row.id,
  username: row.username,
  // Never known; the form's field starts empty.
  password: '',
  display_name: row.display_name,
  role: row.role,
  status: row.status,
  email: row.email,
  phone: row.phone,
  group: row.group_name,
  quota: row.quota + row.reserved,
  used_quota: row.used_quota,
  request_count: row.request_count,
  aff_code: row.aff_code,
  aff_count: row.aff_count,
  aff_quota: row.aff_quota,
  aff_history_quota: row.aff_history_quota,
  inviter_id: row.inviter_id,
  created_at: row.created_at,
  login_ip: row.login_ip,
  github_id: bound.github_id ?? '',
  google_id: bound.google_id ?? '',
  oidc_id: bound.oidc_id ?? '',
  linux_do_id: bound.linux_do_id ?? '',
  wechat_id: bound.wechat_id ?? '',
  telegram_id: bound.telegram_id ?? '',
});

/** What administrators see besides. */
export const adminUserView = (row: UserRow, bound?: Bound) => ({
  ...userView(row, bound),
  remarks: row.remarks,
  DeletedAt: row.deleted_at,
  erased_at: row.erased_at,
});
