/** The relay's renderer of errors: what is thrown or came to nothing, in the caller's dialect, with the request id. */
import { AppError, fail } from '../../core/errors.ts';
import { isUnreachable } from '../../db/statement.ts';
import type { Dialect, PublicError } from '../../dialects/dialect.ts';
import { answerHeaders } from './answer-headers.ts';

/** The AppError that a thrown value stands for on the relay: a database that is away is 503, never 401 and never lack of quota. */
export const toRelayError = (error: unknown): AppError => {
  if (error instanceof AppError) return error;
  return fail(isUnreachable(error) ? 'unavailable' : 'internal', { cause: error });
};

/** An error for a caller who pays for what he is not shown. */
export const charged = ({ code, detail }: AppError): AppError => fail(code, { ...detail, isCharged: true });

export function publicError(error: AppError, requestId: string): PublicError {
  const { upstream } = error.detail;
  return {
    status: error.relayStatus,
    code: upstream?.code ?? error.code,
    message: `${error.text('en')} (request id: ${requestId})`,
    ...(upstream?.type ? { type: upstream.type } : {}),
    param: upstream?.param ?? error.detail.field ?? null,
  };
}

/** The whole answer of a failed call. */
export function errorReply(dialect: Dialect, error: AppError, requestId: string): Response {
  const told = publicError(error, requestId);
  const retryAfter = error.retryAfter(told.status);
  const headers = { ...answerHeaders(requestId, dialect), ...error.detail.headers };
  // The SDKs of OpenAI and Anthropic repeat a 5xx by themselves but for this header.
  if (error.detail.isCharged) headers['x-should-retry'] = 'false';
  if (retryAfter !== null) headers['retry-after'] = retryAfter;
  return new Response(JSON.stringify(dialect.errorBody(told)), { status: told.status, headers });
}
