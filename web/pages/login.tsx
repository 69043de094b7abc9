/** `/login`: signs in and leads back to where the visitor came from. */

import { safeNext } from '@core/next-path.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { plainText, searchChoice, searchOf } from '../lib/search-field.ts';
import { rootRoute } from './root.tsx';

const search = searchOf({
  /** The path to return to. */
  next: plainText,
  /** The way of signing in that is shown, where several are open. */
  by: searchChoice(['phone', 'password']),
  /** The invitation code of the link that led here. */
  aff: plainText,
  /** Set between the two steps of a sign-in: by which kind of code it goes on, or by a passkey alone. */
  second: searchChoice(['code', 'backup', 'passkey']),
  /** Set beside it where a passkey will do as well. */
  passkey: searchChoice(['true']),
  /** Set when a session has ended, which is no error of the visitor's. */
  expired: searchChoice(['true']),
  /** Set when somebody has just made an account. */
  registered: searchChoice(['true']),
  /** Set when somebody has just signed out. */
  left: searchChoice(['true']),
});

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  staticData: { plain: true },
  validateSearch: search,
  beforeLoad: ({ context: { boot }, search: { next } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
    if (boot.user) throw redirect({ href: safeNext(next) });
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('login.title')),
  component: lazyRouteComponent(() => import('./login.page.tsx'), 'LoginPage'),
});
