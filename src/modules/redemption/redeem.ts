/** A user turns a code into quota: exactly once, whoever races for it and whatever breaks in between. */
import { and, eq } from 'drizzle-orm';
import { adjustQuota, MOVEMENT } from '../../billing/ledger.ts';
import { fail } from '../../core/errors.ts';
import { unitsText } from '../../core/money.ts';
import { nowSec } from '../../core/time.ts';
import { redemptions } from '../../db/schema/index.ts';
import type { Deps } from '../deps.ts';
import { attempt, byNetwork, byOwn } from '../failed-attempts/service.ts';
import { writeLog } from '../log/service.ts';
import { lookupOf } from './codes.ts';
import { REDEMPTION_STATUS } from './facts.ts';
import { isRedeemable } from './service.ts';

type RedeemDeps = Pick<Deps, 'db' | 'secrets' | 'limiter' | 'options'>;

export interface Redeemer {
  id: number;
  username: string;
  group: string;
  ip: string;
}

/**
 * Adds a code's quota to the account and answers it. One message for codes that are unknown, used, disabled or expired:
 * it tells a guesser nothing. Throws REDEMPTION_NEEDED, REDEMPTION_INVALID, RATE_LIMIT, QUOTA_RANGE.
 */
export async function redeem(deps: RedeemDeps, redeemer: Redeemer, code: string): Promise<number> {
  if (code.trim() === '') throw fail('REDEMPTION_NEEDED');
  const rules = [
    ...byOwn(deps, 'redemption', `user:${redeemer.id}`),
    ...byNetwork(deps, 'redemption', redeemer.ip),
  ];
  return attempt(deps, rules, () => credit(deps, redeemer, code), 'REDEMPTION_INVALID');
}

/** The code is claimed by a condition on its row, and the claim and the credit are committed together. */
const credit = ({ db, secrets }: RedeemDeps, redeemer: Redeemer, code: string): Promise<number> =>
  db.orm.transaction(async (tx) => {
    const [claimed] = await tx
      .update(redemptions)
      .set({ status: REDEMPTION_STATUS.used, used_user_id: redeemer.id, used_time: nowSec() })
      .where(and(eq(redemptions.code_lookup, lookupOf(secrets, code)), isRedeemable()))
      .returning();
    if (!claimed) throw fail('REDEMPTION_INVALID');
    const { id, ref, quota } = claimed;
    await adjustQuota(tx, {
      userId: redeemer.id,
      kind: MOVEMENT.redemption,
      ref,
      delta: quota,
      note: `redemption:${id}`,
    });
    await writeLog(tx, {
      type: 'topUp',
      user: redeemer,
      text: {
        zh: `通过兑换码充值 ${unitsText(quota).zh}`,
        en: `Redeemed a code worth ${unitsText(quota).en}`,
      },
      quota,
      ip: redeemer.ip,
      other: { ref, redemption_id: id },
    });
    return quota;
  });
