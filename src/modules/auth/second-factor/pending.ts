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
import { type FactorDeps, redeemFactor } from './factor.ts';
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

export interface FactorGiven {
  /** Of this browser; null when it has none. */
  flowId: string | null;
  code: string;
  ip: string;
  /** What this browser keeps of accounts that were signed in to with it. */
  known: string | null;
}

/**
 * The account whose sign-in is complete now. Throws CODE_WRONG, RATE_LIMIT, and SECOND_STEP_OVER when nothing is
 * pending here any more.
 */
export async function finishSecondFactor(deps: PendingDeps, given: FactorGiven): Promise<UserRow> {
  const { db, limiter, oneTime } = deps;
  const key = keyOf(given.flowId ?? '');
  const kept = given.flowId === null ? null : await oneTime.get(key);
  const pending = kept === null ? undefined : parseObject(kept);
  if (!pending) throw fail('SECOND_STEP_OVER');
  const [account] = await db.orm
    .select()
    .from(users)
    .where(eq(users.id, Number(pending.userId)));
  if (!account || account.deleted_at !== null || passwordMark(account) !== pending.password) {
    throw fail('SECOND_STEP_OVER');
  }
  // Counted before the code is looked at: tries sent at once are no more than five either.
  const { ok, remaining } = await limiter.take({
    key: `second-factor:${pending.id}`,
    limit: limits.codeTries,
    windowSec: limits.signInFlowSec,
  });
  const arrival = { ip: given.ip, standing: await standingOf(deps, account, given) };
  const factor = { id: account.id, tries: attemptsOfArrival(deps, account, arrival) };
  const isRight = ok && (await redeemFactor(deps, factor, given.code));
  if (!isRight && ok && remaining > 0) throw fail('CODE_WRONG');
  const wasMine = (await oneTime.take(key)) === kept;
  if (!isRight || !wasMine) throw fail('SECOND_STEP_OVER');
  return account;
}
