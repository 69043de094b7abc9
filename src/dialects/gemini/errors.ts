/** Errors in Google's envelope. SDKs choose their exception by the status. */
import type { JsonObject } from '../../core/json.ts';
import type { PublicError, UpstreamErrorBody } from '../dialect.ts';
import { objectOf, objectsOf, textOf } from '../fields.ts';

const WORDS: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  401: 'UNAUTHENTICATED',
  402: 'PERMISSION_DENIED',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  408: 'DEADLINE_EXCEEDED',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  500: 'INTERNAL',
  501: 'UNIMPLEMENTED',
  503: 'UNAVAILABLE',
  504: 'DEADLINE_EXCEEDED',
  529: 'UNAVAILABLE',
};

export const statusWord = (status: number): string =>
  WORDS[status] ?? (status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT');

/** The code that machines match on stands where Google's own services put theirs. */
export const errorBody = ({ status, code, message }: PublicError): JsonObject => ({
  error: {
    code: status,
    message,
    status: statusWord(status),
    details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code.toUpperCase() }],
  },
});

export const dataFrame = (body: JsonObject): string => `data: ${JSON.stringify(body)}\r\n\r\n`;

export const errorFrame = (error: PublicError): string => dataFrame(errorBody(error));

/** The error that an answer or a frame carries; null when it carries none. */
export function readError(body: JsonObject): UpstreamErrorBody | null {
  const error = objectOf(body.error);
  if (!error) return null;
  const reason = objectsOf(error.details).find((detail) => typeof detail.reason === 'string')?.reason;
  return {
    message: textOf(error.message) ?? '',
    type: textOf(error.status),
    code: textOf(reason) ?? (typeof error.code === 'number' ? String(error.code) : textOf(error.code)),
  };
}
