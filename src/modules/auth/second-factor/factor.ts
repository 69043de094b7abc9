/** Checking a second factor: a code of the authenticator, or a backup code in its place. Each works once. */
import { and, eq, isNotNull, lt } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import type { Executor } from '../../../db/client.ts';
import { backupCodes, secondFactors } from '../../../db/schema/index.ts';
import type { Ways } from '../../../platform/limiter.ts';
import type { Deps } from '../../deps.ts';
import { attemptAny } from '../../failed-attempts/service.ts';
import { totpStep } from './totp.ts';

export type FactorDeps = Pick<Deps, 'db' | 'secrets' | 'limiter' | 'options'>;

/** Whose factor it is, and which counter its wrong codes have. */
export interface FactorOf {
  id: number;
  tries: Ways;
}

/** What a secret is sealed for. */
export const sealOwner = (userId: number): string => `second-factor:${userId}`;

/** Since when signing in as this user takes a second factor, in unix seconds; null while it does not. */
export async function factorSince(executor: Executor, userId: number): Promise<number | null> {
  const [row] = await executor
    .select({ at: secondFactors.enabled_at })
    .from(secondFactors)
    .where(eq(secondFactors.user_id, userId));
  return row?.at ?? null;
}

/** Whether signing in as this user takes a second factor. */
export const hasSecondFactor = async (executor: Executor, userId: number): Promise<boolean> =>
  (await factorSince(executor, userId)) !== null;

/** Uses a code up; false for a wrong or used one. Wrong tries count, however many come at once. Throws RATE_LIMIT. */
export const redeemFactor = (deps: FactorDeps, who: FactorOf, code: string): Promise<boolean> =>
  attemptAny(deps, who.tries, async () => {
    const text = code.replace(/[\s-]/g, '').toLowerCase();
    return (await redeemTotp(deps, who.id, text)) || (await redeemBackupCode(deps, who.id, text));
  });

/** Throws CODE_WRONG, RATE_LIMIT. */
export async function requireSecondFactor(deps: FactorDeps, who: FactorOf, code: string): Promise<void> {
  if (!(await redeemFactor(deps, who, code))) throw fail('CODE_WRONG');
}

async function redeemTotp({ db, secrets }: FactorDeps, userId: number, code: string): Promise<boolean> {
  const mine = and(eq(secondFactors.user_id, userId), isNotNull(secondFactors.enabled_at));
  const [row] = await db.orm.select().from(secondFactors).where(mine);
  if (!row) return false;
  const step = totpStep(secrets.open(row.secret_sealed, sealOwner(userId)), code, Date.now());
  if (step === null) return false;
  // Of two who bring the same code at once, one moves the step on.
  const moved = await db.orm
    .update(secondFactors)
    .set({ last_step: step })
    .where(and(mine, eq(secondFactors.secret_sealed, row.secret_sealed), lt(secondFactors.last_step, step)))
    .returning({ id: secondFactors.user_id });
  return moved.length === 1;
}

/** The hash is keyed, so that who reads the database cannot try all codes against it. */
export const backupCodeHash = ({ secrets }: Pick<Deps, 'secrets'>, userId: number, code: string): string =>
  secrets.lookup(`backup-code:${userId}:${code}`);

async function redeemBackupCode(deps: FactorDeps, userId: number, code: string): Promise<boolean> {
  if (!(await hasSecondFactor(deps.db.orm, userId))) return false;
  const used = await deps.db.orm
    .delete(backupCodes)
    .where(and(eq(backupCodes.user_id, userId), eq(backupCodes.hash, backupCodeHash(deps, userId, code))))
    .returning({ id: backupCodes.user_id });
  return used.length === 1;
}
