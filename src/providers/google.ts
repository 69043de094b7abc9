/** What Google's two services have in common: safety settings, and errors that may come in a list of one. */
import { isObject, type JsonObject } from '../core/json.ts';
import type { FaultReading, UpstreamCall } from './provider.ts';

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
  const named = new Set(given.map((setting) => (isObject(setting) ? setting.category : undefined)));
  const { geminiSafety } = settings;
  const added = SAFETY_CATEGORIES.flatMap((category) => {
    const threshold = geminiSafety[category] ?? geminiSafety.default;
    return named.has(category) || !threshold ? [] : [{ category, threshold }];
  });
  return added.length === 0 ? body : { ...body, safetySettings: [...given, ...added] };
}

/** What Google says of files and caches that a caller names and that are not there, or not this account's. */
const NOT_THE_CALLERS = /permission to access the file |cachedcontent not found/i;

/** A model or file that may not be there says nothing of the key. */
const NOT_THERE = /may not exist/i;

/**
 * A key that does not exist is told as a bad request: only the details say that it is the key. Any other 403 is about
 * the key or its account (PERMISSION_DENIED).
 */
export function readGoogleFault(status: number, body: unknown): FaultReading | null {
  const at = Array.isArray(body) ? body[0] : body;
  const error = isObject(at) && isObject(at.error) ? at.error : null;
  if (!error || typeof error.message !== 'string') return null;
  const details = Array.isArray(error.details) ? error.details : [];
  const isKeys = details.some(
    (detail) => isObject(detail) && typeof detail.reason === 'string' && detail.reason.startsWith('API_KEY_'),
  );
  const word = typeof error.status === 'string' ? error.status : undefined;
  const reading = { error: { message: error.message, type: word, code: word } };
  // A caller could take a channel out by naming somebody else's file.
  if (status === 403 && NOT_THE_CALLERS.test(error.message))
    return { ...reading, keyDead: false, status: 400, isCallers: true };
  if (isKeys) return { ...reading, keyDead: true, status: 401 };
  const isThere = !NOT_THERE.test(error.message);
  return { ...reading, keyDead: status === 401 || (status === 403 && isThere), isCallers: !isThere };
}
