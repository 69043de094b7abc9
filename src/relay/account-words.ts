/**
 * What upstreams say of the operator's own account with them (its money, plan, organisation, projects) is nobody's
 * business but his. Here it is known by its words and kept from callers, and the words by which a key is finished act.
 */
import { type AppError, fail } from '../core/errors.ts';
import type { UpstreamErrorBody } from '../dialects/dialect.ts';
import type { Options } from '../options/store.ts';
import { wordsIn } from '../options/words.ts';
import { type Failure, failureOfAnswer } from './outcome.ts';
import type { RelayRequest } from './request.ts';
import { textsIn } from './sensitive.ts';

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

/** True when an upstream's words tell something of the operator's account. */
export function tellsOfAccount(said: string): boolean {
  const text = said.replaceAll('_', ' ');
  return OF_THE_ACCOUNT.some((pattern) => pattern.test(text));
}

type Asked = Pick<RelayRequest, 'body' | 'facts' | 'headers' | 'query' | 'upload'>;

/** The failure as callers may hear of it, and whether its words say that the key is finished. */
export function judged(failure: Failure, request: Asked, { options }: { options: Options }): Failure {
  const { said, keyDead, error } = failure;
  if (said === '') return failure;
  const word = wordsIn(options, 'AutomaticDisableKeywords').find(said);
  if (word === null && keyDead === null && !tellsOfAccount(said)) return failure;
  const isEcho = word !== null && isFrom(request, word);
  const finalWords = word !== null && !isEcho && speaksOfItself(failure) ? failure.reason : null;
  // What tells a status only says nothing of the account.
  if (error.code !== 'upstream_rejected' && error.code !== 'upstream_error')
    return { ...failure, finalWords };
  const { cause } = error.detail;
  const isEchoed = error.code === 'upstream_rejected' && keyDead === null && isEcho;
  return {
    ...failure,
    finalWords,
    // Another channel's account may be well.
    retryable: true,
    error: isEchoed
      ? fail('upstream_rejected', { status: failure.status, params: { reason: UNSAID }, cause })
      : fail('upstream_auth', { internal: failure.reason, cause }),
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
  return failure.reason === '' ? fail('upstream_cut') : failure.error;
}

const UNSAID = 'The upstream service rejected the request.';

/** Statuses by which an upstream may speak of itself and of the key. */
const speaksOfItself = ({ status, isCallers }: Failure): boolean =>
  !isCallers && ([400, 401, 402, 403, 429].includes(status) || status >= 500);

/** Whether the word came from the caller, whose request an upstream may repeat, folded or decoded. */
function isFrom({ body, facts, headers, query, upload }: Asked, word: string): boolean {
  const texts = [facts.model, ...headers.values(), ...query.values(), ...textsIn(body)];
  for (const { filename } of upload?.files ?? []) texts.push(filename);
  const wanted = bare(word);
  return bare(texts.join(' ')).includes(wanted) || bare(decoded(texts.join(' '))).includes(wanted);
}

/** Letters and digits alone, as any reader would fold them; a list of nothing else is compared as it stands. */
const bare = (text: string): string => {
  const folded = text.normalize('NFKC').toLowerCase();
  return folded.replace(/[^\p{L}\p{N}]+/gu, '') || folded;
};

const decoded = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (bytes) => Buffer.from(bytes.replaceAll('%', ''), 'hex').toString());
