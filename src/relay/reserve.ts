/** Holds quota for a call before anything goes upstream, and explains when that is refused. */

import { monthTokensOf } from '../billing/month-use.ts';
import { goesByMonth, quoteFor } from '../billing/price.ts';
import { fail } from '../core/errors.ts';
import { type Quote, reserveAmount } from '../core/price-formula.ts';
import { USER_STATUS } from '../core/roles.ts';
import type { Tier } from '../modules/channel/model.ts';
import type { Caller } from '../modules/token/callers.ts';
import { NO_TOKEN, TOKEN_STATUS } from '../modules/token/state.ts';
import type { RelayDeps } from './deps.ts';
import { callBound } from './estimate.ts';
import type { RelayRequest } from './request.ts';

/** The price of this call, frozen. Throws price_not_configured. */
export async function priceOf(
  { facts }: RelayRequest,
  caller: Caller,
  { options, db }: RelayDeps,
): Promise<Quote> {
  const { model } = facts;
  const { userId, group, userGroup, acceptUnset } = caller;
  const monthTokens = goesByMonth(options, model) ? await monthTokensOf(db, userId, model) : 0;
  const quote = quoteFor(options, { model, group, userGroup, acceptUnset, monthTokens });
  if (!quote) throw fail('price_not_configured', { params: { model } });
  return quote;
}

/** Quota units that are held. Throws what stands in the way. */
export async function reserve(
  request: RelayRequest,
  caller: Caller,
  quote: Quote,
  tiers: readonly Tier[],
  deps: RelayDeps,
): Promise<number> {
  const { billing, options } = deps;
  const { userId, tokenId } = caller;
  const bound = callBound(request, tiers);
  const { amount, fallback } = reserveAmount(quote, bound, options.get('PreConsumedQuota'));
  for (const tried of fallback === null ? [amount] : [amount, fallback]) {
    const result = await billing.reserve({ id: request.id, userId, tokenId, amount: tried });
    if (result === 'granted') return tried;
  }
  throw await refusal(caller, fallback ?? amount, deps);
}

interface Standing {
  /** Null for a call without a token, or with one that is gone. */
  status: number | null;
  deleted_at: number | null;
  unlimited_quota: boolean;
  remain_quota: number;
  user_status: number;
  user_deleted_at: number | null;
}

/** Why quota was refused: one look at the token and its user. */
async function refusal({ tokenId, userId }: Caller, amount: number, { db }: RelayDeps): Promise<Error> {
  const [row] = await db.query<Standing>(
    `select t.status, t.deleted_at, coalesce(t.unlimited_quota, true) as unlimited_quota, t.remain_quota,
            u.status as user_status, u.deleted_at as user_deleted_at
       from users u left join tokens t on t.id = $1 where u.id = $2`,
    [tokenId, userId],
  );
  const isKeyless = tokenId === NO_TOKEN;
  if (!row || (!isKeyless && (row.deleted_at !== null || row.status !== TOKEN_STATUS.enabled))) {
    return fail('invalid_api_key');
  }
  if (row.user_deleted_at !== null || row.user_status !== USER_STATUS.active) return fail('user_disabled');
  if (!row.unlimited_quota && row.remain_quota < amount) return fail('token_quota_exhausted');
  return fail('insufficient_user_quota');
}
