/**
 * What an attempt on a channel came to, and what follows from it: whether another channel may be tried, what the
 * caller is told, and whether the channel's key is finished. The upstream's own words are cleaned here, once.
 */

import type { Blame } from '../../core/blame.ts';
import { type AppError, type ErrorCode, fail } from '../../core/errors.ts';
import { isObject, parseJson } from '../../core/json.ts';
import { type Reason, type ReasonCode, reasonText } from '../../core/reasons.ts';
import { asIs } from '../../core/text.ts';
import { headOf } from '../../core/text-head.ts';
import type { UpstreamErrorBody } from '../../dialects/dialect.ts';
import { redact } from '../../platform/logger.ts';
import { overloaded } from '../../platform/overloaded.ts';
import type { FaultReading, Provider, TokenRefused } from '../../providers/provider.ts';
import type { Answer, Left, PlainAnswer, SocketAnswer, StreamAnswer, Unshown } from '../answer/answers.ts';
import type { Failed, Owes } from '../answer/failed.ts';
import { meaningOf } from './statuses.ts';
import {
  speaksOfContent,
  speaksOfLength,
  speaksOfMinute,
  speaksOfSeal,
  speaksOfSpent,
} from './upstream-words.ts';

/** Why there was no answer of any status. */
export type TransportFault =
  | 'connect'
  | 'connect-refused'
  | 'no-host'
  | 'tls'
  | 'proxy'
  | 'connect-timeout'
  | 'refused'
  | 'no-key'
  | 'bad-headers'
  | 'unserved'
  | 'no-room'
  | 'gave-way'
  | 'reset'
  | 'timeout'
  | 'no-http'
  | 'encoding'
  | 'malformed'
  | 'empty'
  | 'error-in-answer';

export interface Failure extends Failed {
  kind: 'failed';
  fault: TransportFault | 'status';
  /** Whose fault it is; key and channel are judged by this alone. */
  blame: Blame;
  /** With another key of the same channel it may go better. */
  mayBeKey: boolean;
  retryable: boolean;
  /** Its place is another's: nobody is asked any more, whatever it tells. */
  hasGivenWay?: true;
  /** The key was refused for good, by status or code, and why; null when it is not to blame. */
  keyDead: Reason | null;
  /** Access was refused, and in which words: where the request names nothing of others, the key is dead. */
  denied: Reason | null;
  /** It may be about something of others that the request names, and says nothing of key and channel. */
  isOfNamed: boolean;
  /** Why the key is finished by the operator's words for that; null where none of them was said. */
  finalWords: Reason | null;
  /** It says that of the account itself, which nothing that is asked for brings about. */
  isOfAccount: boolean;
  /** It is about what the caller named, whatever its words. */
  isCallers: boolean;
  /** It cannot open what is sealed in the request, which another account, or none, has sealed. */
  isOfSeal?: boolean;
  /** What its upstream is paid all the same, and whose answer it is. */
  owes?: Owes & { answer: Answer };
  retryAfterSec?: number;
  /** For the operator: the upstream's words in it are cleaned and cut. */
  reason: Reason;
}

/** What came of an attempt. */
export type Outcome = PlainAnswer | StreamAnswer | SocketAnswer | Left | Unshown | Failure;

/** Hears of a failure that may be the end of a key or channel. */
export type OnFailure = (failure: Failure) => void;

/**
 * The failure with its blame. This is decided here for all who go by it: the choice of who is asked next, circuit
 * breakers, what is disabled, figures and logs.
 */
export function blamed(failure: Omit<Failure, 'blame' | 'mayBeKey'>): Failure {
  const { status, fault, keyDead, finalWords, isOfNamed, isCallers } = failure;
  const { isOfContent = false, isOfSeal = false } = failure;
  const isCondemned = (keyDead ?? finalWords) !== null;
  const meaning = meaningOf(status);
  const blame = (): Blame => {
    if (fault === 'unserved' || isOfNamed) return 'nobody';
    if (isCondemned) return 'key';
    if (isOfContent || isOfSeal || (isCallers && status === 404)) return 'caller';
    return fault === 'timeout' ? 'late' : meaning.blame;
  };
  return {
    ...failure,
    blame: blame(),
    mayBeKey: isCondemned || (meaning.mayBeKey === true && !isOfContent && !isOfSeal),
  };
}

/** Codes and types by which vendors say that a key is finished (server-behaviour 12.1). */
const DEAD_CODES = new Set([
  'invalid_api_key',
  'account_deactivated',
  'billing_not_active',
  'Arrearage',
  'insufficient_quota',
  'authentication_error',
  'invalid_authentication_error',
  'exceeded_current_quota_error',
]);

/**
 * Codes of other gateways, which hold ahead what a call may cost: the balance behind the key may be used up, or too small
 * for this call alone, by whatever limit of tokens its caller has set.
 */
const HELD_CODES = new Set(['insufficient_user_quota', 'token_quota_exhausted']);

/** The same where they may also speak of what the request names. */
const DENIAL_CODES = new Set(['permission_error', 'forbidden']);

/**
 * A 402 of OpenRouter's for a call that may cost more than is left, while smaller ones are answered: "requires more
 * credits, or fewer max_tokens. You requested up to 65536 tokens, but can only afford 30104".
 */
const TOO_DEAR = /\bcan only afford\b|\bfewer (?:max_)?tokens\b/i;

/** Names of fields that say what of the service is asked for, which is a matter of the account's rights. */
const OF_THE_SERVICE = new Set(['model', 'stream']);

const REASON_MAX = 500;
const SAID_MAX = 8_192;

/** Texts that must not be seen whatever they look like: a channel's keys, its host. Shorter ones would tear words apart. */
const HIDDEN_LEAST = 4;

/** An upstream's text made fit for strangers: without keys, addresses and control characters, and bounded. */
export function cleanText(text: string, hidden: readonly string[] = []): string {
  let bare = headOf(text, 8 * REASON_MAX);
  for (const secret of hidden) if (secret.length >= HIDDEN_LEAST) bare = bare.replaceAll(secret, '***');
  const clean = redact(bare)
    .replace(/\b(?:https?|wss?):\/\/[^\s"'<>)\]]+/gi, '[address]')
    .replace(/\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?\b/g, '[address]')
    .replace(/\p{Cc}+/gu, ' ')
    .trim();
  return clean.length > REASON_MAX ? `${clean.slice(0, REASON_MAX)}…` : clean;
}

/** Names of the operator's organisation, projects and people with the upstream. */
const NAMES: readonly [RegExp, string][] = [
  [/\b(?:org|proj|user|acct|cus|sub|asst|file)[-_][A-Za-z0-9]{12,}/g, '***'],
  [/\barn:aws[\w-]*:[^\s"'`]+/g, 'arn:***'],
  [/\b(projects|subscriptions|resourceGroups)\/[^\s/"'`]+/g, '$1/***'],
  [/\baccounts\/[0-9a-f]{32}/g, 'accounts/***'],
  [/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g, '***'],
];

/** Cleaned text as callers may read it. */
const forCallers = (clean: string): string =>
  NAMES.reduce((text, [pattern, instead]) => text.replace(pattern, instead), clean);

/** An upstream's text as callers may read it. */
export const wordsForCallers = (text: string, hidden: readonly string[]): string =>
  forCallers(cleanText(text, hidden));

const textAt = (body: unknown, ...path: (string | number)[]): string | undefined => {
  let at: unknown = body;
  for (const step of path) {
    if (Array.isArray(at) && typeof step === 'number') at = at[step];
    else if (isObject(at)) at = at[step];
    else return undefined;
  }
  return typeof at === 'string' && at !== '' ? at : undefined;
};

/** Where vendors put the message of an error, in the order in which they are looked up. */
const MESSAGE_PLACES: readonly (readonly (string | number)[])[] = [
  ['error', 'message'],
  ['error'],
  ['message'],
  ['msg'],
  ['err'],
  ['error_msg'],
  ['header', 'message'],
  ['response', 'error', 'message'],
  ['detail'],
  ['detail', 0, 'msg'],
  ['message', 'detail', 0, 'msg'],
  ['errors', 0, 'message'],
  ['base_resp', 'status_msg'],
  ['Response', 'Error', 'Message'],
];

/** The error of a failed answer, in whichever of the common shapes it has. */
export function readErrorBody(status: number, body: unknown): UpstreamErrorBody {
  // Gemini's and some relays' errors come as a list of one.
  const at = Array.isArray(body) ? body[0] : body;
  const error = isObject(at) && isObject(at.error) ? at.error : isObject(at) ? at : {};
  const message = MESSAGE_PLACES.map((path) => textAt(at, ...path)).find(Boolean);
  const code =
    typeof error.code === 'string' || typeof error.code === 'number' ? String(error.code) : undefined;
  return {
    message: message ?? `bad response status code ${status}`,
    type: typeof error.type === 'string' ? error.type : undefined,
    code,
    param: typeof error.param === 'string' ? error.param : null,
  };
}

/** The failure that an answer of an error status means. */
export function failureOfStatus(
  status: number,
  bodyText: string,
  provider: Pick<Provider, 'readFault'>,
  retryAfter: string | null,
  hidden: readonly string[] = [],
): Failure {
  const body = parseJson(bodyText);
  const reading: FaultReading = provider.readFault?.(status, body) ?? { error: readErrorBody(status, body) };
  const failure = failureOf(reading.status ?? status, 'status', reading, hidden, retryAfterSec(retryAfter));
  // What a proxy before it refuses, in words for people, the next one may serve.
  const isOfProxy = body === undefined && failure.blame === 'caller';
  return { ...failure, retryable: failure.retryable || isOfProxy };
}

/** The failure of a key that its vendor gave no token for, or that can be no key of his. */
export function failureOfToken(
  { answer, secrets }: TokenRefused,
  provider: Pick<Provider, 'readFault'>,
  key: string,
): Failure {
  const status = answer.status < 400 ? 502 : answer.status;
  return failureOfStatus(status, answer.text, provider, null, [key, ...secrets]);
}

/** Codes, or types where there is none, by which an error within an answer says that it is about its request. */
const OF_REQUEST = new Set([
  'context_length_exceeded',
  'content_filter',
  'content_policy_violation',
  // Alibaba's, which looks at what its models say as they say it.
  'data_inspection_failed',
  'DataInspectionFailed',
]);

/**
 * All that OpenAI answers by a status of 400 and more is called so, an account without capacity as well, and gateways call
 * their own trouble so: it is about the request where it names what of it is wrong.
 */
const OF_ANY = 'invalid_request_error';

/** The failure of an answer whose status was fine but whose content is an error. */
export const failureOfAnswer = (error: UpstreamErrorBody, hidden: readonly string[] = []): Failure =>
  failureOf(statusMeant(error), 'error-in-answer', { error }, hidden);

/** Which status an error would have had that is told within an answer: its code may be that. */
function statusMeant({ status, code, type, param }: UpstreamErrorBody): number {
  if (status !== undefined) return status;
  if (code && /^[45]\d\d$/.test(code)) return Number(code);
  const kind = code ?? type ?? '';
  return OF_REQUEST.has(kind) || (kind === OF_ANY && param) ? 400 : 502;
}

/** Each fault as a caller hears of it, whom addresses, certificates and keys of others do not concern. */
const TOLD: Readonly<Partial<Record<TransportFault, ReasonCode>>> = {
  'connect-refused': 'connect',
  'no-host': 'connect',
  tls: 'connect',
  proxy: 'connect',
  refused: 'connect',
  'no-key': 'connect',
  'bad-headers': 'connect',
  'no-http': 'malformed',
  encoding: 'malformed',
};

/** The failure of a call that got no answer; `detail` is what else the operator may want to know. */
export function failureOfTransport(
  fault: Exclude<TransportFault, 'error-in-answer'>,
  cause?: unknown,
  detail = '',
): Failure {
  const code: ErrorCode =
    fault === 'timeout' || fault === 'connect-timeout' ? 'upstream_timeout' : 'upstream_error';
  return blamed({
    kind: 'failed',
    status: 0,
    fault,
    error: fail(code, { params: { reason: reasonText({ code: TOLD[fault] ?? fault }) }, cause }),
    // An upstream that is slow to answer may have done the work, and the next one would be as slow.
    retryable: fault !== 'timeout',
    keyDead: null,
    denied: null,
    isOfNamed: false,
    finalWords: null,
    isOfAccount: false,
    isCallers: false,
    reason: { code: fault, detail },
    said: '',
  });
}

/** Another channel may bring fewer tools along. */
export const unaffordable = (): Failure => ({
  ...failureOfTransport('unserved'),
  error: fail('insufficient_user_quota'),
});

/** Others fill the memory, so that its answer cannot be read. The upstream has worked, and nobody is asked twice. */
export const noRoom = (error: AppError): Failure => ({
  ...failureOfTransport('no-room'),
  blame: 'nobody',
  error,
  retryable: false,
});

/**
 * Another needed its place before it had come to anything that its caller was shown. Nobody knows whether the upstream has
 * worked, and the next would be as slow.
 */
export const gaveWay = (): Failure => ({
  ...failureOfTransport('gave-way'),
  blame: 'nobody',
  error: overloaded('nothing came of it'),
  retryable: false,
});

/** The process stops, and its grace is over. */
export const stopped = (): Failure => ({
  ...failureOfTransport('connect'),
  blame: 'nobody',
  error: fail('stopping', { retryAfterSec: 5 }),
  retryable: false,
});

const TOO_MANY = 429;
const TOO_LARGE = 413;

function failureOf(
  given: number,
  fault: Failure['fault'],
  reading: FaultReading,
  hidden: readonly string[],
  retryAfter?: number,
): Failure {
  const { error: said } = reading;
  const isSpent = speaksOfSpent(given, said);
  const isOfMinute = !isSpent && speaksOfMinute(given, said);
  const isTooLong = isOfMinute || speaksOfLength(given, said);
  const status = (isSpent && TOO_MANY) || (isOfMinute && TOO_LARGE) || given;
  const words = cleanText(said.message, hidden);
  const isCoded = (codes: ReadonlySet<string>) => codes.has(said.code ?? '') || codes.has(said.type ?? '');
  const isTooDear = status === 402 && TOO_DEAR.test(said.message);
  const isHeld = isCoded(HELD_CODES);
  const isRefused = reading.keyDead ?? meaningOf(reading.keyStatus ?? status).condemnsKey === true;
  const isOfSeal = speaksOfSeal(status, said);
  const isDead = !isOfSeal && ((isRefused && !isTooDear) || isHeld || isCoded(DEAD_CODES));
  // Whoever serves it would refuse it, and some charge for that.
  const isOfContent = status === 403 && !isDead && speaksOfContent(said);
  // Who may not say something may still ask for everything else.
  const isDenied = !isDead && !isOfContent && !isOfSeal && (reading.isDenied || isCoded(DENIAL_CODES));
  const isOfField = !!said.param && !OF_THE_SERVICE.has(said.param) && said.code !== 'model_not_found';
  // What is not found where a field of the request names it, is missing wherever it is asked for.
  const isNotFound = status === 404 && isOfField;
  const isTheirs = isNotFound || isOfContent;
  const told: Reason = said.code
    ? { code: 'coded', values: { status, name: said.code }, said: words }
    : { code: 'answered', values: { status }, said: words };
  const error = (): AppError => {
    if (isTooLong) return rejected(400, words, { ...said, code: TOO_LONG });
    if (isTheirs || isOfSeal) return rejected(status, words, said);
    return callerError(status, words, said, retryAfter);
  };
  return blamed({
    kind: 'failed',
    status,
    fault,
    error: error(),
    // Another account may send more, or has not spent it yet.
    retryable: isSpent || isOfMinute || (!meaningOf(status).isFinal && !isTheirs),
    keyDead: isDead ? told : null,
    denied: isDenied ? told : null,
    isOfNamed: false,
    finalWords: null,
    isOfAccount: isDead && !isHeld,
    // A bad request that names a field of the request is about that.
    isCallers:
      isNotFound ||
      isOfSeal ||
      (reading.isCallers ?? (status === 400 && !!said.param && !OF_THE_SERVICE.has(said.param))),
    isOfContent,
    isOfSeal,
    retryAfterSec: retryAfter,
    reason: { code: 'said', said: words },
    said: [said.message.slice(0, SAID_MAX), said.code, said.type].join('\n'),
  });
}

const rejected = (status: number, reason: string, said: UpstreamErrorBody): AppError =>
  fail('upstream_rejected', {
    status,
    params: { reason: asIs(forCallers(reason)) },
    upstream: plainWords(said),
  });

const TOO_LONG: ErrorCode = 'context_length_exceeded';

/** What the caller sees of an upstream's status: his own mistakes as they are, the operator's troubles as ours. */
function callerError(status: number, reason: string, said: UpstreamErrorBody, retryAfter?: number): AppError {
  const { tells } = meaningOf(status);
  switch (tells) {
    case 'upstream_rejected':
      return rejected(status, reason, said);
    case 'upstream_error':
      return fail(tells, { params: { reason: asIs(forCallers(reason)) } });
    default:
      return fail(tells, {
        internal: reason,
        retryAfterSec: tells === 'upstream_busy' ? retryAfter : undefined,
      });
  }
}

/** Codes such as `context_length_exceeded` are what clients look for; whatever is no plain word is not handed on. */
const plainWords = ({ type, code, param }: UpstreamErrorBody) => ({
  type: wordIn(type),
  code: wordIn(code),
  param: wordIn(param) ?? null,
});

const wordIn = (value: string | null | undefined): string | undefined =>
  value && /^[\w.[\]-]{1,64}$/.test(value) ? value : undefined;

/** Seconds of a Retry-After header, which may also be a date; undefined when it says nothing usable. */
export function retryAfterSec(header: string | null, nowMs = Date.now()): number | undefined {
  if (!header) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) : (Date.parse(header) - nowMs) / 1000;
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), 3600) : undefined;
}
