/**
 * The cookie of the console in a frame of an application. Browsers send it to frames of other sites, but keep a store of
 * its own for each page around them, so that what was begun in one is not there in another, nor outside of frames.
 */
import { isEmbedBearer } from '../core/oauth.ts';
import type { RequestContext } from './context.ts';
import { nameOf, readCookie } from './cookie.ts';

const NAME = 'embed';

/** A Set-Cookie line; `maxAgeSec` 0 removes the cookie. On http browsers take it from this very machine alone. */
export const writeEmbedCookie = (context: RequestContext, randomId: string, maxAgeSec: number): string =>
  `${nameOf(context, NAME)}=${randomId}; Path=/; HttpOnly; Secure; SameSite=None; Partitioned; Max-Age=${maxAgeSec}`;

/** The random id of the frame's session; null outside of frames, where browsers without such stores would send it too. */
export function readEmbedCookie(request: Request, context: RequestContext): string | null {
  if (request.headers.get('sec-fetch-dest') === 'document') return null;
  const id = readCookie(request, context, NAME);
  return id !== null && isEmbedBearer(id) ? id : null;
}

/** Whether the browser says that the page is for a frame. */
export const isForFrame = ({ headers }: Request): boolean =>
  headers.get('sec-fetch-dest') === 'iframe' || headers.get('sec-fetch-dest') === 'frame';
