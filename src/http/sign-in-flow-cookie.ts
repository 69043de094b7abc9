/**
 * A sign-in flow: known by a random id that a browser keeps while it is on its way in. What somebody else started, such
 * as a sign-in with a third party, cannot be finished in this browser, because the id does not come along.
 */
import { secretText } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { RequestContext, Viewer } from './context.ts';
import { readCookie, writeCookie } from './cookie.ts';

const NAME = 'visit';
const SHAPE = /^[\w-]{43}$/;

/** The id that this browser brought, or null. */
export function readSignInFlow(request: Request, context: RequestContext): string | null {
  const id = readCookie(request, context, NAME);
  return id !== null && SHAPE.test(id) ? id : null;
}

export interface SignInFlow {
  id: string;
  /** The Set-Cookie line that keeps it. */
  cookie: string;
}

const flowOf = (context: RequestContext, id: string): SignInFlow => ({
  id,
  cookie: writeCookie(context, NAME, id, limits.signInFlowSec),
});

/** A new sign-in flow for this browser. */
export const newSignInFlow = (context: RequestContext): SignInFlow => flowOf(context, secretText(256));

/** This browser's sign-in flow for another while, so that what is under way in its other tabs goes on; else a new one. */
export const keepSignInFlow = (request: Request, context: RequestContext): SignInFlow =>
  flowOf(context, readSignInFlow(request, context) ?? secretText(256));

/** The Set-Cookie line that ends a sign-in flow. */
export const endSignInFlow = (context: RequestContext): string => writeCookie(context, NAME, '', 0);

/**
 * Who calls with his access token keeps no cookies, and has a flow by who he is. An application that calls for him has none
 * of his: it could use up the tries of a code that he is just bringing.
 */
const tokenFlow = (viewer: Viewer | null | undefined): string | null =>
  viewer?.accessToken === undefined ? null : `token:${viewer.id}`;

/** The flow in which a code by mail or phone is asked for; a browser is given its cookie. */
export function keepCodeFlow(
  request: Request,
  context: RequestContext,
  set: { headers: Record<string, unknown> },
): string {
  const ofToken = tokenFlow(context.viewer);
  if (ofToken !== null) return ofToken;
  const signInFlow = keepSignInFlow(request, context);
  // On refusals too: the message may come all the same.
  set.headers['set-cookie'] = signInFlow.cookie;
  return signInFlow.id;
}

/** The flow that such a code is brought in, or null for who has asked for none. */
export const readCodeFlow = (request: Request, context: RequestContext): string | null =>
  tokenFlow(context.viewer) ?? readSignInFlow(request, context);
