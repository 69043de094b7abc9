/** Writing and reading cookies that no script may see. */
import { cookiesIn } from '../core/cookies.ts';
import type { RequestContext } from './context.ts';

/** The __Host- prefix makes browsers refuse a cookie that a sibling subdomain tries to plant; it needs https. */
export const nameOf = (context: RequestContext, name: string): string =>
  context.https ? `__Host-${name}` : name;

/** A Set-Cookie line; `maxAgeSec` 0 removes the cookie. */
export const writeCookie = (
  context: RequestContext,
  name: string,
  value: string,
  maxAgeSec: number,
): string =>
  `${nameOf(context, name)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${maxAgeSec}${context.https ? '; Secure' : ''}`;

export const readCookie = (request: Request, context: RequestContext, name: string): string | null =>
  cookiesIn(request.headers.get('cookie') ?? '')(nameOf(context, name));
