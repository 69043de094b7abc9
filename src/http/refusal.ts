/** What refuses outside of any part's own words: nothing internal is told. */
import type { AppError } from '../core/errors.ts';
import type { RequestContext } from './context.ts';

export function refusal(refused: AppError, context: RequestContext): Response {
  const retryAfter = refused.retryAfter(refused.apiStatus);
  return Response.json(
    { success: false, message: refused.text(context.locale), code: refused.code },
    {
      status: refused.apiStatus,
      headers: {
        'x-request-id': context.requestId,
        'cache-control': 'no-store',
        ...(retryAfter === null ? {} : { 'retry-after': retryAfter }),
      },
    },
  );
}
