/**
 * A visit: a random id that a browser keeps while it is on its way in. What somebody else started, such as a sign-in
 * with a third party, cannot be finished in this browser, because the id does not come along.
 */
import { secretText } from '../core/ids.ts';
import { limits } from '../core/limits.ts';
import type { RequestContext } from './context.ts';
import { readCookie, writeCookie } from './cookie.ts';

const NAME = 'visit';
const SHAPE = /^[\w-]{43}$/;

/** The id that this browser brought, or null. */
export function readVisit(request: Request, context: RequestContext): string | null {
  const id = readCookie(request, context, NAME);
  return id !== null && SHAPE.test(id) ? id : null;
}

export interface Visit {
  id: string;
  /** The Set-Cookie line that keeps it. */
  cookie: string;
}

const visitOf = (context: RequestContext, id: string): Visit => ({
  id,
  cookie: writeCookie(context, NAME, id, limits.visitSec),
});

/** A new visit for this browser. */
export const newVisit = (context: RequestContext): Visit => visitOf(context, secretText(256));

/** This browser's visit for another while, so that what is under way in its other tabs goes on; else a new one. */
export const keepVisit = (request: Request, context: RequestContext): Visit =>
  visitOf(context, readVisit(request, context) ?? secretText(256));

/** The Set-Cookie line that ends a visit. */
export const endVisit = (context: RequestContext): string => writeCookie(context, NAME, '', 0);
