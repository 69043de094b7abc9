/** Errors in OpenAI's form, which all of its wires share. */
import { isObject, type JsonObject } from '../../core/json.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { hasFields, textOf } from '../fields.ts';
import { dataFrame } from '../frames.ts';

/** OpenAI's own words for classes of errors, by status; SDKs choose their exception by the status alone. */
const typeOf = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
};

export const errorBody = ({ status, code, message, type, param }: PublicError): JsonObject => ({
  error: { message, type: type ?? typeOf(status), param: param ?? null, code },
});

export const errorFrame = (error: PublicError): string => dataFrame(JSON.stringify(errorBody(error)));

/** The error that an answer or a frame carries instead of content; null when it carries none. */
export function readError(body: JsonObject): UpstreamErrorBody | null {
  const { error } = body;
  if (typeof error === 'string' && error !== '') return { message: error };
  // Some gateways have an empty one beside each answer.
  if (!isObject(error) || !hasFields(error)) return null;
  const code = typeof error.code === 'number' ? String(error.code) : textOf(error.code);
  return { message: textOf(error.message) ?? '', type: textOf(error.type), code, param: textOf(error.param) };
}
