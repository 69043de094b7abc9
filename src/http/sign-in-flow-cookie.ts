/**
 * A sign-in flow: known by a random id that a browser keeps while it is on its way in. What somebody else started, such
 * as a sign-in with a third party, cannot be finished in this browser, because the id does not come along.
 */
import { secretText } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { RequestContext } from './context.ts';
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
