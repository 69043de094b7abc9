/** Errors in OpenAI's form, which all of its wires share. */
import type { JsonObject } from '../../core/json.ts';
import type { PublicError } from '../dialect.ts';

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
