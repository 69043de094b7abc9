/** The headers of answers. */
import type { Dialect } from '../../dialects/dialect.ts';
import type { Answer } from './answers.ts';

/** What every answer carries; nothing of the upstream's headers comes through. */
export function answerHeaders(
  requestId: string,
  { idHeader }: Pick<Dialect, 'idHeader'>,
  contentType = 'application/json',
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': contentType,
    'cache-control': 'no-store',
    'x-request-id': requestId,
    'x-oneapi-request-id': requestId,
  };
  if (idHeader) headers[idHeader] = requestId;
  return headers;
}

/** Names what of the request did not go up; nothing where all of it did. */
export const lostHeaders = ({ dropped }: Pick<Answer, 'dropped'>): Record<string, string> =>
  dropped.length > 0 ? { 'x-gateway-lost': dropped.join(', ') } : {};
