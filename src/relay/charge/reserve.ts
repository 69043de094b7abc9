/** Holds quota for a call before anything goes upstream, and explains when that is refused. */

import { type CallQuote, ownKeyQuote, quoteFor, toolPrices, videoQuote } from '../../billing/price.ts';
import { DECIMAL_ONE, type Decimal, decimalOf } from '../../core/decimal.ts';
import { type AppError, type ErrorDetail, fail } from '../../core/errors.ts';
import { invariant } from '../../core/invariant.ts';
import { amountText } from '../../core/money.ts';
import { type CallBound, type ReserveStep, reserveSteps } from '../../core/price-bound.ts';
import { countedCalls, type Price, type Quote, weighed } from '../../core/price-formula.ts';
import { USER_STATUS } from '../../core/roles.ts';
import { asIs, type Text } from '../../core/text.ts';
import type { Reading } from '../../core/tool-reading.ts';
import { ownKeyOf, type Tier } from '../../modules/channel/model.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { TOKEN_STATUS } from '../../modules/token/facts.ts';
import { NO_TOKEN } from '../../modules/token/state.ts';
import type { Options } from '../../options/store.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { callBound } from './estimate.ts';

/** The options that price a call, as the refusal names them. */
const PRICED_BY = {
  any: { zh: '倍率或价格', en: 'ModelRatio or ModelPrice' },
  call: { zh: '每次调用的价格', en: 'ModelPrice' },
  film: { zh: '视频价格', en: 'VideoPrice' },
} as const satisfies Record<string, Text>;

/** The refusal of a call that nothing prices. */
export const priceMissing = (model: string, by: keyof typeof PRICED_BY): AppError =>
  fail('price_not_configured', { params: { model: asIs(model), price: PRICED_BY[by] } });

/**
 * The price of this call, frozen, and weighed by what it asks for; with the caller's own key, what the gateway takes for
 * carrying it. Throws price_not_configured.
 */
export function quoteOf(
  { facts }: RelayRequest,
  caller: Caller,
  tiers: readonly Tier[],
  { options }: RelayDeps,
): CallQuote {
  if (ownKeyOf(tiers)) return ownKeyQuote(options);
  const { model, callFactor, filmSize } = facts;
  const { group, userGroup, acceptUnset } = caller;
  const quote =
    filmSize === undefined
      ? quoteFor(options, { model, group, userGroup, acceptUnset })
      : videoQuote(options, { model, size: filmSize, group, userGroup });
  if (!quote) throw priceMissing(model, filmSize === undefined ? 'any' : 'film');
  return callFactor === undefined ? quote : weighed(quote, decimalOf(callFactor) ?? DECIMAL_ONE);
}

/**
 * The price of a model that does something for a call of another one, before the group's ratio, which is that of the call.
 * Of a price with tiers it is the first: what is done comes in short pieces, each a prompt of its own. Null where
 * nothing prices it.
 */
export function priceBeside(
  model: string,
  { group, userGroup, acceptUnset }: Pick<Caller, 'group' | 'userGroup' | 'acceptUnset'>,
  { options }: Pick<RelayDeps, 'options'>,
): Price | null {
  const quote = quoteFor(options, { model, group, userGroup, acceptUnset });
  if (!quote) return null;
  const { price } = quote;
  return price.kind === 'call' ? price : { kind: 'tokens', ratios: price.ratios };
}

/** What the tools of an upstream cost the caller: with his own key nothing, here. */
export const pricesOfTools = (
  { source }: Quote,
  { options }: RelayDeps,
): Readonly<Record<string, Decimal>> => (source === 'own_key' ? {} : toolPrices(options));

/** What a hold depends on beside its price. */
interface Terms {
  reading: Reading;
  /** Quota units that are held in any case. */
  least: number;
}

/** What is held for a call, and the output limit that must be sent so that it costs no more. Throws what stands in the way. */
export async function reserve(
  request: RelayRequest,
  caller: Caller,
  quote: CallQuote,
  { reading, least }: Terms,
  deps: RelayDeps,
): Promise<ReserveStep> {
  const { billing, options } = deps;
  const { userId, tokenId } = caller;
  const { sold } = quote;
  if (quote.source === 'own_key' && !caller.unlimited) await requireLeft(caller, deps);
  let steps: readonly ReserveStep[] = reserveSteps(
    quote,
    bounded(quote, callBound(request, reading)),
    options.get('PreConsumedQuota'),
  ).map((step) => ({ ...step, amount: Math.max(step.amount, least) }));
  for (;;) {
    const [step, ...smaller] = steps;
    invariant(step !== undefined, 'there is an amount to try');
    const result = await billing.reserve({ id: request.id, userId, tokenId, sold, amount: step.amount });
    if (result === 'granted') return step;
    const standing = await standingOf(caller, deps);
    const why = whyRefused(caller, standing, (smaller.at(-1) ?? step).amount, deps);
    const lacksQuota = LACKS_QUOTA.has(why.code);
    // What does not fit now need not be tried.
    steps = lacksQuota ? smaller.filter(({ amount }) => amount <= spendable(standing)) : [];
    if (steps.length > 0) continue;
    throw why;
  }
}

/**
 * Where nothing is to be held, nothing is refused for what is left either: but a token that was given a limit ends at it,
 * whoever pays for the call. No money moves by this, so that a look is enough. Throws token_quota_exhausted.
 */
async function requireLeft(caller: Caller, deps: RelayDeps): Promise<void> {
  const standing = await standingOf(caller, deps);
  if (standing && !standing.unlimited_quota && standing.remain_quota <= 0) {
    throw whyRefused(caller, standing, 1, deps);
  }
}

/** A flat price is no matter of how much is asked for at once. */
const bounded = (quote: Quote, bound: CallBound): CallBound => ({
  ...bound,
  calls: countedCalls(quote, bound.calls),
});

const LACKS_QUOTA: ReadonlySet<string> = new Set(['token_quota_exhausted', 'insufficient_user_quota']);

interface Standing {
  /** Null for a call without a token, or with one that is gone. */
  status: number | null;
  deleted_at: number | null;
  unlimited_quota: boolean;
  remain_quota: number;
  quota: number;
  user_status: number;
  user_deleted_at: number | null;
}

/** One look at the token and its user; null when there is no such user. */
async function standingOf({ tokenId, userId }: Caller, { db }: RelayDeps): Promise<Standing | null> {
  const [row] = await db.query<Standing>(
    `select t.status, t.deleted_at, coalesce(t.unlimited_quota, true) as unlimited_quota, t.remain_quota,
            u.quota, u.status as user_status, u.deleted_at as user_deleted_at
       from users u left join tokens t on t.id = $1 where u.id = $2`,
    [tokenId, userId],
  );
  return row ?? null;
}

/** Quota units that could be held now. */
function spendable(row: Standing | null): number {
  if (!row) return 0;
  return row.unlimited_quota ? row.quota : Math.min(row.quota, row.remain_quota);
}

function whyRefused(
  { tokenId }: Caller,
  row: Standing | null,
  amount: number,
  { options }: Pick<RelayDeps, 'options'>,
): AppError {
  const isKeyless = tokenId === NO_TOKEN;
  if (!row || (!isKeyless && (row.deleted_at !== null || row.status !== TOKEN_STATUS.enabled))) {
    return fail('invalid_api_key');
  }
  if (row.user_deleted_at !== null || row.user_status !== USER_STATUS.active) return fail('user_disabled');
  if (!row.unlimited_quota && row.remain_quota < amount) {
    return fail('token_quota_exhausted', shortOf('token_quota_short', row.remain_quota, amount, options));
  }
  return fail('insufficient_user_quota', shortOf('user_quota_short', row.quota, amount, options));
}

/**
 * Who sees that something is left is told how much the call would have held of it. Of an account not how much is left: whoever
 * has a key of it, or is an application, may not be one to be told that.
 */
function shortOf(
  words: 'token_quota_short' | 'user_quota_short',
  left: number,
  held: number,
  options: Options,
): ErrorDetail {
  if (left <= 0 || left >= held) return {};
  const rules = {
    quotaPerUnit: options.get('QuotaPerUnit'),
    price: options.get('Price'),
    inCurrency: options.get('DisplayInCurrencyEnabled'),
  };
  return { words, params: { left: amountText(left, rules), held: amountText(held, rules) } };
}
