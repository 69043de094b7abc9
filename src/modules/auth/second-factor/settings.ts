/**
 * Turning the second factor on and off. Turning it on takes two calls: the secret and the backup codes are shown once,
 * then a code proves that an authenticator has the secret. Both ends of its life end the user's other sessions.
 */

import { and, count, eq, isNull } from 'drizzle-orm';
import { renderSVG } from 'uqr';
import type { Actor, Owner } from '../../../core/actor.ts';
import { fail } from '../../../core/errors.ts';
import { plainText } from '../../../core/ids.ts';
import { canActOn } from '../../../core/roles.ts';
import { nowSec } from '../../../core/time.ts';
import type { Tx } from '../../../db/client.ts';
import { backupCodes, secondFactors, users } from '../../../db/schema/index.ts';
import { recordAction } from '../../audit-log/service.ts';
import type { Deps } from '../../deps.ts';
import { attemptAny } from '../../failed-attempts/service.ts';
import { readAccount } from '../account/account.ts';
import { requireReauthentication } from '../account/re-authentication.ts';
import type { AuthDeps } from '../deps.ts';
import { requirePasskeySession } from './asked.ts';
import {
  backupCodeHash,
  type FactorDeps,
  hasSecondFactor,
  requireSecondFactor,
  sealOwner,
} from './factor.ts';
import { newTotpSecret, totpAddress, totpStep } from './totp.ts';
import { attemptsOfSession } from './tries.ts';

type SettingDeps = AuthDeps & FactorDeps;

const BACKUP_CODES = 10;
/** Of 31 letters and digits each: 49 bits, of which a few thousand tries a year find nothing. */
const BACKUP_CODE_CHARS = 10;

export interface SecondFactorStatus {
  enabled: boolean;
  backup_codes_left: number;
}

export async function secondFactorStatus(
  { db }: Pick<Deps, 'db'>,
  userId: number,
): Promise<SecondFactorStatus> {
  if (!(await hasSecondFactor(db.orm, userId))) return { enabled: false, backup_codes_left: 0 };
  const [left] = await db.orm.select({ n: count() }).from(backupCodes).where(eq(backupCodes.user_id, userId));
  return { enabled: true, backup_codes_left: left?.n ?? 0 };
}

/** New codes in the place of all former ones. Answers them as they are written down: `abcde-fghjk`. */
async function replaceBackupCodes(deps: FactorDeps, tx: Tx, userId: number): Promise<string[]> {
  const codes = new Set<string>();
  while (codes.size < BACKUP_CODES) codes.add(plainText(BACKUP_CODE_CHARS));
  await tx.delete(backupCodes).where(eq(backupCodes.user_id, userId));
  await tx
    .insert(backupCodes)
    .values([...codes].map((code) => ({ user_id: userId, hash: backupCodeHash(deps, userId, code) })));
  const half = BACKUP_CODE_CHARS / 2;
  return [...codes].map((code) => `${code.slice(0, half)}-${code.slice(half)}`);
}

/** What is shown once, for the owner's authenticator and his drawer. */
export interface SecondFactorSetup {
  secret: string;
  /** For authenticators on the same device. */
  otpauth: string;
  /** The same as a picture: an SVG document. */
  qr: string;
  backup_codes: string[];
}

/**
 * A new secret with new backup codes; nothing asks for them before `enableSecondFactor`. Throws REAUTH_REQUIRED,
 * PASSKEY_SESSION, TWO_FACTOR_ON.
 */
export async function setUpSecondFactor(deps: SettingDeps, owner: Owner): Promise<SecondFactorSetup> {
  const account = await readAccount(deps, owner.id);
  await requireReauthentication(deps, owner, account);
  await requirePasskeySession(deps, deps.db.orm, owner);
  const secret = newTotpSecret();
  const sealed = deps.secrets.seal(secret, sealOwner(owner.id));
  const backup_codes = await deps.db.orm.transaction(async (tx) => {
    const [row] = await tx
      .insert(secondFactors)
      .values({ user_id: owner.id, secret_sealed: sealed })
      .onConflictDoUpdate({
        target: secondFactors.user_id,
        set: { secret_sealed: sealed, last_step: 0, created_at: nowSec() },
        setWhere: isNull(secondFactors.enabled_at),
      })
      .returning({ id: secondFactors.user_id });
    if (!row) throw fail('TWO_FACTOR_ON');
    return replaceBackupCodes(deps, tx, owner.id);
  });
  const otpauth = totpAddress(secret, { issuer: deps.options.get('SystemName'), label: account.username });
  return { secret, otpauth, qr: renderSVG(otpauth, { border: 2 }), backup_codes };
}

/**
 * From now on signing in takes a code; the other sessions end. `code` is one of the authenticator that was just set
 * up. Throws TWO_FACTOR_ON, TWO_FACTOR_SETUP, PASSKEY_SESSION, CODE_WRONG, RATE_LIMIT.
 */
export async function enableSecondFactor(deps: SettingDeps, owner: Owner, code: string): Promise<void> {
  await readAccount(deps, owner.id);
  const [row] = await deps.db.orm.select().from(secondFactors).where(eq(secondFactors.user_id, owner.id));
  if (!row) throw fail('TWO_FACTOR_SETUP');
  if (row.enabled_at !== null) throw fail('TWO_FACTOR_ON');
  const secret = deps.secrets.open(row.secret_sealed, sealOwner(owner.id));
  const last_step = await attemptAny(deps, attemptsOfSession(deps, owner), async () =>
    totpStep(secret, code.replace(/\s/g, ''), Date.now()),
  );
  if (last_step === null) throw fail('CODE_WRONG');
  await deps.changes.commit(async (tx, touch) => {
    // Who is just signing in without a code waits here, and is then asked for one.
    await tx.select({ id: users.id }).from(users).where(eq(users.id, owner.id)).for('update');
    // The first passkey may have been added since it was set up.
    await requirePasskeySession(deps, tx, owner);
    const enabled = await tx
      .update(secondFactors)
      .set({ enabled_at: nowSec(), last_step })
      .where(
        and(
          eq(secondFactors.user_id, owner.id),
          isNull(secondFactors.enabled_at),
          // Another window may have begun anew meanwhile: that secret is not the proven one.
          eq(secondFactors.secret_sealed, row.secret_sealed),
        ),
      )
      .returning({ id: secondFactors.user_id });
    if (enabled.length === 0) throw fail('TWO_FACTOR_SETUP');
    await deps.sessions.endAll(tx, touch, owner.id, owner.sessionId);
  });
}

/** Forgets a user's second factor, whether it was on or only begun. */
export async function dropSecondFactor(tx: Tx, userId: number): Promise<boolean> {
  await tx.delete(backupCodes).where(eq(backupCodes.user_id, userId));
  const gone = await tx
    .delete(secondFactors)
    .where(eq(secondFactors.user_id, userId))
    .returning({ at: secondFactors.enabled_at });
  return gone.some(({ at }) => at !== null);
}

/** Turned off by its owner, with a code; his other sessions end. Throws REAUTH_REQUIRED, TWO_FACTOR_OFF, CODE_WRONG, RATE_LIMIT. */
export async function disableSecondFactor(deps: SettingDeps, owner: Owner, code: string): Promise<void> {
  const account = await readAccount(deps, owner.id);
  await requireReauthentication(deps, owner, account);
  if (!(await hasSecondFactor(deps.db.orm, owner.id))) throw fail('TWO_FACTOR_OFF');
  await requireSecondFactor(deps, { id: owner.id, tries: attemptsOfSession(deps, owner) }, code);
  await deps.changes.commit(async (tx, touch) => {
    await dropSecondFactor(tx, owner.id);
    await deps.sessions.endAll(tx, touch, owner.id, owner.sessionId);
  });
}

/** New backup codes, shown once; the former ones are void. Throws TWO_FACTOR_OFF, CODE_WRONG, RATE_LIMIT. */
export async function renewBackupCodes(deps: SettingDeps, owner: Owner, code: string): Promise<string[]> {
  await readAccount(deps, owner.id);
  if (!(await hasSecondFactor(deps.db.orm, owner.id))) throw fail('TWO_FACTOR_OFF');
  await requireSecondFactor(deps, { id: owner.id, tries: attemptsOfSession(deps, owner) }, code);
  return deps.db.orm.transaction((tx) => replaceBackupCodes(deps, tx, owner.id));
}

/** Whether a user whom the actor may act on has it on. Throws NOT_FOUND, USER_LEVEL. */
export async function secondFactorOf(
  { db }: Pick<Deps, 'db'>,
  actor: Actor,
  userId: number,
): Promise<boolean> {
  const [row] = await db.orm.select().from(users).where(eq(users.id, userId));
  if (!row) throw fail('NOT_FOUND');
  if (!canActOn(actor, row) && row.id !== actor.id) throw fail('USER_LEVEL');
  return hasSecondFactor(db.orm, userId);
}

/**
 * Turned off for a user who has lost his authenticator and his backup codes: by whoever may act on him, recorded, and
 * all his sessions end. Nobody does this to himself, or his code would protect nothing. Throws NOT_FOUND, USER_LEVEL,
 * REAUTH_REQUIRED, TWO_FACTOR_OFF.
 */
export async function forceSecondFactorOff(
  deps: SettingDeps,
  actor: Actor & Owner,
  userId: number,
): Promise<void> {
  await requireReauthentication(deps, actor, await readAccount(deps, actor.id));
  await deps.changes.commit(async (tx, touch) => {
    const [row] = await tx.select().from(users).where(eq(users.id, userId)).for('update');
    if (!row) throw fail('NOT_FOUND');
    if (row.id === actor.id || !canActOn(actor, row)) throw fail('USER_LEVEL');
    if (row.deleted_at !== null) throw fail('NOT_FOUND');
    if (!(await dropSecondFactor(tx, userId))) throw fail('TWO_FACTOR_OFF');
    await deps.sessions.endAll(tx, touch, userId);
    await recordAction(tx, {
      actor,
      action: 'user.two_factor_off',
      target: `user:${userId}`,
      changes: { two_factor: { before: true, after: false } },
      concerns: {
        userId,
        username: row.username,
        group: row.group_name,
        text: {
          zh: '管理员关闭了该账号的两步验证',
          en: 'An administrator turned off the two-factor authentication of the account',
        },
      },
    });
  });
}
