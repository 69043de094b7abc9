/**
 * What upstreams say of the operator's own account with them (its money, plan, organisation, projects) is nobody's
 * business but his. Here it is known by its words and kept from callers, and the words by which a key is finished act.
 */

import { type AppError, fail } from '../../core/errors.ts';
import { reasonText } from '../../core/reasons.ts';
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';
import type { Options } from '../../options/store.ts';
import { wordsIn } from '../../options/words.ts';
import { type Asked, CallersWords } from './callers-words.ts';
import { blamed, type Failure, failureOfAnswer } from './outcome.ts';
import { meaningOf } from './statuses.ts';

/** An underscore stands for a blank: codes such as `billing_hard_limit_reached` are words too. */
const OF_MONEY = [
  /\bbilling\b|\binvoices?\b|\bunpaid\b|\bpaid (?:plan|tier|account)\b|\bfree (?:tier|plan|trial)\b/,
  /\b(?:credit|account|prepaid|remaining|wallet|insufficient|your) balance\b|\bbalance (?:is|was|too|insufficient|exhausted)\b/,
  /\binsufficient (?:credits?|funds?|quota)\b|\b(?:out of|no|more|add|buy|purchase|enough|used up|your) credits?\b/,
  /\bcredits? (?:are|have|has|is|balance|limit|required|remaining|exhausted|expired)\b/,
  /\bquota\b.{0,40}\b(?:exceeded|exhausted|insufficient|reached|used up)\b|\b(?:exceeded|exhausted|reached|current|your)\b.{0,40}\bquota\b/,
  /\b(?:hard|soft|spend|spending|usage|budget|monthly|daily) (?:limit|cap)\b/,
  /\bpayment (?:method|required|failed|is|due|overdue)\b|\b(?:overdue|past due) payment\b|\btop up\b|\btop-up\b|\brecharge\b|\barrear|\bgood standing\b/,
  /\b(?:your|current) (?:plan|subscription)\b|\bsubscription (?:has|is|expired|required)\b|\bplans? (?:&|and) billing\b/,
  /欠费|余额|充值|账单|额度|配额|套餐|付费|资源包|计费/,
];
const OF_IDENTITY = [
  /\b(?:your|this|the|for|in|of|by) organi[sz]ation\b|\borgani[sz]ation (?:has|is|must|was|id|named|['"`[(:]|org-)/,
  /\b(?:your|this|the|upstream|aws|cloud) account\b|\baccount (?:is|has|id|number|not|does|deactivated|suspended|disabled)\b/,
  /\bapi ?-?key\b|\baccess key\b|\bsecurity token\b|\bcredentials?\b|\bservice account\b/,
  /\b(?:your|this) project\b|\bproject (?:id|number|has|is|['"`#]|\d)|\bconsumer ['"`]|\bhas not been used in project\b/,
  /账户|帐户|账号|帐号|实名|密钥|组织机构|您的组织/,
];
const OF_THE_ACCOUNT = [...OF_MONEY, ...OF_IDENTITY].map(({ source }) => new RegExp(source, 'iu'));

/** What of an upstream's words tells something of the operator's account. */
function tellingIn(said: string): string[] {
  const text = said.replaceAll('_', ' ');
  return OF_THE_ACCOUNT.flatMap((pattern) => text.match(pattern)?.slice(0, 1) ?? []);
}

/** Whether an upstream's words tell something of the operator's account with it. */
export const tellsOfAccount = (said: string): boolean => tellingIn(said).length > 0;

/** The failure as callers may hear of it, and whether key and account are to blame for it. */
export function judged(failure: Failure, request: Asked, { options }: { options: Options }): Failure {
  const { said, status, isCallers } = failure;
  if (said === '') return failure;
  const callers = new CallersWords(request);
  const word = wordsIn(options, 'AutomaticDisableKeywords').find(said);
  const isOfOthers = meaningOf(status).mayBeOfOthers === true;
  const isOfItems = status === 404 && !isCallers && callers.nameItems;
  const isOnlyDenied = failure.denied !== null && word === null;
  const mayBeOfOthers =
    (isOnlyDenied && callers.runTools) ||
    ((failure.denied !== null || word !== null || isOfOthers) && callers.nameOthers);
  const keyDead = failure.keyDead ?? (mayBeOfOthers ? null : failure.denied);
  const isOfContent = failure.isOfContent === true && !(word !== null && tellsOfAccount(word));
  const isFinal =
    word !== null && !mayBeOfOthers && !isOfContent && speaksOfItself(failure) && !callers.hold(word);
  const failed = blamed({
    ...failure,
    keyDead,
    finalWords: isFinal ? failure.reason : null,
    // Others, such as "operation not allowed", may be said of what was asked for.
    isOfAccount: failure.isOfAccount || (isFinal && tellsOfAccount(word)),
    isOfNamed: keyDead === null && ((mayBeOfOthers && isOfOthers) || isOfItems),
  });
  const telling = tellingIn(callers.namesTakenFrom(said));
  if (word !== null && !isCallers) telling.push(word);
  if (keyDead === null && telling.length === 0) return failed;
  const { error } = failure;
  // What tells a status only says nothing of the account.
  if (error.code !== 'upstream_rejected' && error.code !== 'upstream_error') return failed;
  const { cause, upstream } = error.detail;
  const isHis = isCallers || telling.every((words) => callers.hold(words));
  if (keyDead === null && (isHis || isOfContent) && error.code === 'upstream_rejected') {
    const params = { reason: isOfContent ? FORBIDDEN : UNSAID };
    return {
      ...failed,
      error: fail('upstream_rejected', { status, params, upstream: { param: upstream?.param }, cause }),
    };
  }
  return {
    ...failed,
    // Another channel's account may be well.
    retryable: true,
    error: fail('upstream_auth', { internal: reasonText(failure.reason).en, cause }),
  };
}

/** The error that an upstream told in the middle of its answer, as callers may hear of it. */
export function errorToTell(
  error: UpstreamErrorBody,
  hidden: readonly string[],
  request: Asked,
  deps: { options: Options },
): AppError {
  const failure = judged(failureOfAnswer({ ...error, status: 502 }, hidden), request, deps);
  return failure.reason.said === '' ? fail('upstream_cut') : failure.error;
}

/** The Chinese text says itself that it was refused; the English one is this reason alone. */
const UNSAID = {
  zh: '具体原因未予转述',
  en: 'The upstream service rejected the request.',
};

/** The same of what its upstream will not answer: its words name the account. */
const FORBIDDEN = {
  zh: '内容违反其使用政策',
  en: 'The upstream service refused this content: it violates its usage policy.',
};

/** The upstream may speak of itself and of the key. */
const speaksOfItself = ({ status, isCallers }: Failure): boolean =>
  !isCallers && meaningOf(status).speaksOfItself === true;
