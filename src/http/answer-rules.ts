/** What holds for every answer, whoever made it: the headers that keep browsers from guessing, and the end of bodies that nobody reads. */
import { isGivenUp } from '../platform/given-up.ts';

/** One year. */
const HSTS = 'max-age=31536000';
/** What a console of forms and tables never asks a browser for. */
const PERMISSIONS =
  'camera=(), microphone=(), geolocation=(), payment=(), usb=(), serial=(), bluetooth=(), midi=()';

/** Half of such a body may have been read; the rest would be taken for the next request. */
const HALF_READ: readonly number[] = [408, 413];

/**
 * The answer with what every answer carries: types are never guessed, https stays https, and a page has no hands on
 * devices or on the windows of others. (The windows that it opens itself keep their link, for signing in with third parties.)
 */
export function completed(request: Request, answer: Response, https: boolean): Response {
  const { headers } = answer;
  headers.set('x-content-type-options', 'nosniff');
  if (https) headers.set('strict-transport-security', HSTS);
  if (headers.get('content-type')?.startsWith('text/html')) {
    headers.set('permissions-policy', PERMISSIONS);
    headers.set('cross-origin-opener-policy', 'same-origin-allow-popups');
  }
  if (answer.status >= 400 && isLeftUnread(request, answer.status)) headers.set('connection', 'close');
  return answer;
}

/** A refused caller may go on sending for hours what nobody reads; without its end the connection would be his. */
function isLeftUnread(request: Request, status: number): boolean {
  const { headers, bodyUsed } = request;
  const announced = headers.get('content-length');
  const hasBody = headers.has('transfer-encoding') || (announced !== null && announced !== '0');
  const isForm = headers.get('content-type')?.startsWith('multipart/') ?? false;
  return hasBody && (!bodyUsed || isForm || HALF_READ.includes(status) || isGivenUp(request));
}
