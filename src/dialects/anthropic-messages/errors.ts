/** Errors in Anthropic's envelope. SDKs choose their exception by the status, tools by the type. */
import type { JsonObject } from '../../core/json.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { objectOf, textOf } from '../fields.ts';
import { frame } from './write-stream.ts';

const TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  408: 'timeout_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'overloaded_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

const errorType = (status: number): string =>
  TYPES[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');

export const errorBody = ({ status, code, message }: PublicError): JsonObject => ({
  type: 'error',
  error: { type: errorType(status), message, code },
});

export function errorFrame(error: PublicError): string {
  const { error: said } = errorBody(error);
  return frame('error', { error: said });
}

/** The error that an answer or an event carries; null when it carries none. */
export function readError(body: JsonObject): UpstreamErrorBody | null {
  const error = objectOf(body.error);
  if (body.type !== 'error' && !error) return null;
  return {
    message: textOf(error?.message) ?? textOf(body.message) ?? '',
    type: textOf(error?.type),
    code: textOf(error?.code),
  };
}
