/** What calls and pages alike must know of applications that sign in here. */

import { urlOf } from '../../core/url.ts';

export { OAUTH_SCOPES, type OAuthScope } from '../../core/oauth.ts';

/** Asks for a signed statement of who signed in (OpenID Connect); open to every application. */
export const OPENID = 'openid';

export const APP_NAME_MAX = 50;
export const REDIRECTS_MAX = 20;
const ADDRESS_MAX = 2_000;

/** Schemes of their own that mean something to a browser, and so are nobody's application. */
const TAKEN_SCHEMES = /^(javascript|data|vbscript|file|blob|about|wss?|ftp|view-source|chrome|intent):/i;
const LOOPBACK = /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::\d{1,5})?(?=[/?]|$)/;

/** Whether an address may be registered: https, a loopback address over http, or a scheme of the application's own. */
export function isRedirect(text: string): boolean {
  const url = text.length <= ADDRESS_MAX ? urlOf(text) : null;
  if (!url || /[\s#*\\]|\p{Cc}/u.test(text)) return false;
  const { protocol, username, password } = url;
  if (username !== '' || password !== '') return false;
  if (protocol === 'https:') return text.startsWith('https://');
  if (protocol === 'http:') return LOOPBACK.test(text);
  return !TAKEN_SCHEMES.test(text) && /^[a-z][a-z\d+.-]*:/.test(text);
}

/**
 * Whether an application may be answered at `given`: letter for letter what it registered, but for the port of a
 * loopback address, which a program on the user's machine is given anew each time (RFC 8252, 7.3).
 */
export const isRegistered = (registered: readonly string[], given: string): boolean =>
  registered.some((one) => one === given || isSameLoopback(one, given));

function isSameLoopback(registered: string, given: string): boolean {
  const [one, other] = [LOOPBACK.exec(registered), LOOPBACK.exec(given)];
  if (!one || !other || !isRedirect(given)) return false;
  return one[1] === other[1] && registered.slice(one[0].length) === given.slice(other[0].length);
}

/** Whether a page's origin is one at which an application is answered, and so its own; a port is as free as there. */
export const isOfApp = (registered: readonly string[], origin: string): boolean =>
  registered.some((one) => {
    const loopback = LOOPBACK.exec(one);
    if (loopback) return loopback[1] === LOOPBACK.exec(origin)?.[1];
    const url = urlOf(one);
    return url?.protocol === 'https:' && url.origin === origin;
  });

/** What may be done to many applications at once. */
export const OAUTH_APP_ACTIONS = ['enable', 'disable'] as const;
export type OAuthAppAction = (typeof OAUTH_APP_ACTIONS)[number];

/** The columns by which its list can be ordered. */
export const OAUTH_APP_ORDERS = ['name', 'status', 'kind', 'users', 'created'] as const;
