/**
 * What upstreams say of the operator's own account with them is nobody's business but his. Here it is kept from callers,
 * and the words by which a key is finished act.
 */

import { type AppError, fail } from '../../core/errors.ts';
import { reasonText } from '../../core/reasons.ts';
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';
import type { Options } from '../../options/store.ts';
import { wordsIn } from '../../options/words.ts';
import { type Asked, CallersWords } from './callers-words.ts';
import { blamed, type Failure, failureOfAnswer } from './outcome.ts';
import { meaningOf } from './statuses.ts';
import { tellingIn, tellsOfAccount } from './upstream-words.ts';

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
    retryable: !failure.hasGivenWay,
    error: fail('upstream_auth', { internal: reasonText(failure.reason).en, cause }),
  };
}

/**
 * The error that an upstream told in the middle of its answer, as callers may hear of it. A status is none there any more:
 * all are failures of the upstream's but those that its caller would bring about again.
 */
export function errorToTell(
  error: UpstreamErrorBody,
  hidden: readonly string[],
  request: Asked,
  deps: { options: Options },
): AppError {
  const status = error.status === 400 ? 400 : 502;
  const failure = judged(failureOfAnswer({ ...error, status }, hidden), request, deps);
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
