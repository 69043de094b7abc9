/**
 * What is left, as a program with a relay key asks: in the form of OpenAI's billing calls, which it has withdrawn and
 * clients still make, and of the family's own call.
 */
import { type AppError, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { callerLog } from '../../modules/log/list.ts';
import type { Balance } from '../../modules/token/balance.ts';
import type { Caller } from '../../modules/token/callers.ts';
import { NO_TOKEN } from '../../modules/token/state.ts';
import type { RelayDeps } from '../deps.ts';
import { answerReader, type Pace, type Question } from './reader.ts';

const BALANCE_PACE: Pace = { name: 'balance', aMinute: limits.balanceCallsAMinute };

type Render = (caller: Caller, deps: RelayDeps) => Promise<object>;

const answerTo =
  (render: Render, pace = BALANCE_PACE) =>
  (question: Question, deps: RelayDeps): Promise<Response> =>
    answerReader(question, { dialect: openaiChat, pace }, deps, ({ caller }) => render(caller, deps));

/** Stands for no limit in the billing calls, which have no word for it. */
const NO_LIMIT = 100_000_000;
/** The total is told in hundredths. */
const HUNDREDTHS = 100;

/** Of the token or of its user, as the option says; who may not be told of the account is told of his token alone. */
const askedBalance = (caller: Caller, deps: RelayDeps): Promise<Balance> =>
  deps.options.get('DisplayTokenStatEnabled') || !caller.seesAccount
    ? ownBalance(caller, deps)
    : accountBalance(caller, deps);

/** An application without a token of its own has nothing but what it was let see of the account. Throws SCOPE_MISSING. */
async function ownBalance(caller: Caller, deps: RelayDeps): Promise<Balance> {
  if (caller.tokenId !== NO_TOKEN) return required(await deps.balances.ofToken(caller));
  if (!caller.seesAccount) throw fail('SCOPE_MISSING');
  return accountBalance(caller, deps);
}

const accountBalance = async (caller: Caller, deps: RelayDeps): Promise<Balance> =>
  required(await deps.balances.ofAccount(caller));

function required(balance: Balance | null): Balance {
  if (!balance) throw gone();
  return balance;
}

/** Its token was removed after the key was looked up. */
const gone = (): AppError => fail('invalid_api_key');

/** In dollars, or in quota units where the operator shows those. */
const shown = (quota: number, { options }: RelayDeps): number =>
  options.get('DisplayInCurrencyEnabled') ? quota / options.get('QuotaPerUnit') : quota;

/** What it had in all, until when. */
export const showSubscription = answerTo(async (caller, deps) => {
  const { used, left } = await askedBalance(caller, deps);
  const limit = left === null ? NO_LIMIT : shown(left + used, deps);
  return {
    object: 'billing_subscription',
    has_payment_method: true,
    soft_limit_usd: limit,
    hard_limit_usd: limit,
    system_hard_limit_usd: limit,
    access_until: Math.max(caller.expiredTime, 0),
  };
});

/** What it has used. */
export const showUsage = answerTo(async (caller, deps) => {
  const { used } = await askedBalance(caller, deps);
  return { object: 'list', total_usage: shown(used, deps) * HUNDREDTHS };
});

/** All of it in quota units, with what limits the token. */
export const showTokenUsage = answerTo(async (caller, deps) => {
  const { used, left } = await ownBalance(caller, deps);
  return {
    success: true,
    code: true,
    message: 'ok',
    data: {
      object: 'token_usage',
      name: caller.tokenName,
      total_granted: (left ?? 0) + used,
      total_used: used,
      total_available: left ?? 0,
      unlimited_quota: left === null,
      model_limits: Object.fromEntries([...(caller.modelLimits ?? [])].map((model) => [model, true])),
      model_limits_enabled: caller.modelLimits !== null,
      expires_at: Math.max(caller.expiredTime, 0),
    },
  };
});

/** Its newest rows in the log, as its user sees them. */
export const showTokenLog = answerTo(
  async (caller, deps) => ({
    success: true,
    message: '',
    data: await callerLog(deps, caller),
  }),
  { name: 'token-log', aMinute: limits.tokenLogCallsAMinute },
);
