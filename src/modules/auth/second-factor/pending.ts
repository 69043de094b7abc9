/**
 * A sign-in between its first factor and its second: kept under the sign-in flow of the browser that began it, for ten
 * minutes and five wrong codes.
 */
import { eq } from 'drizzle-orm';
import { fail } from '../../../core/errors.ts';
import { parseObject } from '../../../core/json.ts';
import { limits } from '../../../core/limits.ts';
import { users } from '../../../db/schema/index.ts';
import { sha256 } from '../../../platform/secrets.ts';
import type { Deps } from '../../deps.ts';
import type { UserRow } from '../../user/service.ts';
import { standingOf } from '../standing.ts';
import type { FactorDeps, FactorOf } from './factor.ts';
import { attemptsOfArrival } from './tries.ts';

type PendingDeps = FactorDeps & Pick<Deps, 'oneTime'>;

const keyOf = (flowId: string): string => `second-factor:${sha256(flowId)}`;

/** Says of two moments whether the password was the same: one that is changed voids what was begun with the old one. */
export const passwordMark = ({ password_hash }: Pick<UserRow, 'password_hash'>): string =>
  sha256(password_hash ?? '');

/** Remembers who proved his first factor. Throws UNAVAILABLE while that cannot be kept. */
export async function beginSecondFactor(
  { oneTime }: Pick<Deps, 'oneTime'>,
  flowId: string,
  account: UserRow,
): Promise<void> {
  const pending = { id: crypto.randomUUID(), userId: account.id, password: passwordMark(account) };
  await oneTime.put(keyOf(flowId), JSON.stringify(pending), limits.signInFlowSec);
}

export interface FactorArrival {
  /** Of this browser; null when it has none. */
  flowId: string | null;
  ip: string;
  /** What this browser keeps of accounts that were signed in to with it. */
  known: string | null;
}

interface PendingSignIn {
  account: UserRow;
  /** Of this one sign-in. */
  id: string;
  /** As it is kept. */
  kept: string;
}

/** Who proved his first factor in this flow. Throws SECOND_STEP_OVER when nothing is pending here any more. */
export async function pendingAccount(
  { db, oneTime }: Pick<PendingDeps, 'db' | 'oneTime'>,
  flowId: string | null,
): Promise<PendingSignIn> {
  const kept = flowId === null ? null : await oneTime.get(keyOf(flowId));
  const pending = kept === null ? undefined : parseObject(kept);
  if (kept === null || !pending) throw fail('SECOND_STEP_OVER');
  const [account] = await db.orm
    .select()
    .from(users)
    .where(eq(users.id, Number(pending.userId)));
  if (!account || account.deleted_at !== null || passwordMark(account) !== pending.password) {
    throw fail('SECOND_STEP_OVER');
  }
  return { account, id: String(pending.id), kept };
}

/**
 * The account whose sign-in is complete now, when what was brought redeems its factor. Throws CODE_WRONG, RATE_LIMIT, and
 * SECOND_STEP_OVER when nothing is pending here any more.
 */
export async function finishSecondFactor(
  deps: PendingDeps,
  given: FactorArrival,
  redeem: (factor: FactorOf) => Promise<boolean>,
): Promise<UserRow> {
  const { limiter, oneTime } = deps;
  const { account, id, kept } = await pendingAccount(deps, given.flowId);
  // Counted before the code is looked at: tries sent at once are no more than five either.
  const { ok, remaining } = await limiter.take({
    key: `second-factor:${id}`,
    limit: limits.codeTries,
    windowSec: limits.signInFlowSec,
  });
  const arrival = { ip: given.ip, standing: await standingOf(deps, account, given) };
  const factor = { id: account.id, tries: attemptsOfArrival(deps, account, arrival) };
  const isRight = ok && (await redeem(factor));
  if (!isRight && ok && remaining > 0) throw fail('CODE_WRONG');
  const wasMine = (await oneTime.take(keyOf(given.flowId ?? ''))) === kept;
  if (!isRight || !wasMine) throw fail('SECOND_STEP_OVER');
  return account;
}
