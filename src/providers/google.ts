/**
 * What Google's two services have in common: safety settings, errors that may come in a list of one, and answers that hold
 * nothing of what was asked for.
 */
import { isObject, type JsonObject } from '../core/json.ts';
import { objectOf, objectsOf, textOf } from '../dialects/fields.ts';
import { readUsage } from '../dialects/gemini/usage.ts';
import type { FaultReading, Finished, UpstreamCall } from './provider.ts';
import { refusal } from './vendor-operation.ts';

const SAFETY_CATEGORIES = [
  'HARM_CATEGORY_HARASSMENT',
  'HARM_CATEGORY_HATE_SPEECH',
  'HARM_CATEGORY_SEXUALLY_EXPLICIT',
  'HARM_CATEGORY_DANGEROUS_CONTENT',
  'HARM_CATEGORY_CIVIC_INTEGRITY',
] as const;

/** The operator's threshold for each category of which the caller says nothing. */
export function withSafety(body: JsonObject, { settings }: Pick<UpstreamCall, 'settings'>): JsonObject {
  const given = Array.isArray(body.safetySettings) ? body.safetySettings : [];
  const isNamed = (category: string) =>
    given.some((setting) => isObject(setting) && setting.category === category);
  const { geminiSafety } = settings;
  const added = SAFETY_CATEGORIES.flatMap((category) => {
    const threshold = geminiSafety[category] ?? geminiSafety.default;
    return isNamed(category) || !threshold ? [] : [{ category, threshold }];
  });
  return added.length === 0 ? body : { ...body, safetySettings: [...given, ...added] };
}

/** What Google says of files and caches that a caller names and that are not there, or not this account's. */
const NOT_THE_CALLERS = /permission to access the file |cachedcontent not found/i;

/** Said of a key that was found in public, without any reason in the details. */
const OF_THE_KEY = /^your api key (?:was|is|has)\b/i;

/** A model or file that may not be there says nothing of the key. */
const NOT_THERE = /may not exist/i;

/**
 * Reasons of an error (google.rpc.ErrorInfo, google/api/error_reason.proto) by which the key or the project behind it is
 * finished, beside all that begin with `API_KEY_`.
 */
const OF_THE_ACCOUNT = new Set([
  'SERVICE_DISABLED',
  'BILLING_DISABLED',
  'CONSUMER_SUSPENDED',
  'CONSUMER_INVALID',
  'USER_PROJECT_DENIED',
  'ACCOUNT_STATE_INVALID',
  'GCP_SUSPENDED',
]);

/** What is called. The same reasons are told of a project whose bucket a caller names, and of services behind tools. */
const CALLED = new Set(['generativelanguage.googleapis.com', 'aiplatform.googleapis.com']);

function isOfTheAccount(detail: unknown): boolean {
  if (!isObject(detail) || typeof detail.reason !== 'string') return false;
  if (!detail.reason.startsWith('API_KEY_') && !OF_THE_ACCOUNT.has(detail.reason)) return false;
  const { service } = isObject(detail.metadata) ? detail.metadata : {};
  return typeof service !== 'string' || CALLED.has(service);
}

/**
 * A key that does not exist is told as a bad request: only the details say that it is the key. A 403 without such
 * details (PERMISSION_DENIED) may be about the account or about what a caller named.
 */
export function readGoogleFault(status: number, body: unknown): FaultReading | null {
  const at = Array.isArray(body) ? body[0] : body;
  const error = isObject(at) && isObject(at.error) ? at.error : null;
  if (!error || typeof error.message !== 'string') return null;
  const details = Array.isArray(error.details) ? error.details : [];
  const word = typeof error.status === 'string' ? error.status : undefined;
  const reading = { error: { message: error.message, type: word, code: word } };
  if (details.some(isOfTheAccount)) {
    return { ...reading, keyDead: true, ...(status === 400 && { status: 401 }) };
  }
  // A caller could take a channel out by naming somebody else's file.
  if (status === 403 && NOT_THE_CALLERS.test(error.message))
    return { ...reading, status: 400, isCallers: true };
  const isThere = !NOT_THERE.test(error.message);
  const isOfTheKey = status === 403 && OF_THE_KEY.test(error.message);
  return {
    ...reading,
    ...(isOfTheKey && { keyDead: true }),
    isDenied: status === 403 && isThere,
    isCallers: !isThere,
  };
}

export const partsIn = (body: JsonObject): JsonObject[] =>
  objectsOf(body.candidates).flatMap(({ content }) => objectsOf(objectOf(content)?.parts));

/**
 * It answers in words as well, and leaves out without a word what its filters have stopped. All who serve the model would, so
 * that it is about what was asked; it bills what it has read and written.
 */
export function nothingMade(body: JsonObject, what: 'picture' | 'sound'): Finished {
  const isSaid = partsIn(body).some(({ text }) => textOf(text));
  const message = isSaid ? `it answered in words, and made no ${what}` : `no ${what} was made`;
  return refusal(400, { message, code: 'content_filter' }, readUsage(body.usageMetadata));
}
