/** What a browser keeps of the accounts that were signed in to with it: it outlives the sessions. */
import { limits } from '../core/limits.ts';
import type { RequestContext } from './context.ts';
import { readCookie, writeCookie } from './cookie.ts';

const NAME = 'known';

export const readKnown = (request: Request, context: RequestContext): string | null =>
  readCookie(request, context, NAME);

/** The Set-Cookie line that keeps it. */
export const keepKnown = (context: RequestContext, kept: string): string =>
  writeCookie(context, NAME, kept, limits.knownBrowserSec);
