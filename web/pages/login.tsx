/** `/login`: signs in and leads back to where the visitor came from. */

import { safeNext } from '@core/next-path.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { pageTitle } from '../lib/page-context.ts';
import { rootRoute } from './root.tsx';

const search = z.object({
  /** The path to return to. */
  next: z.optional(z.string()),
  /** The way of signing in that is shown, where several are open. */
  by: z.catch(z.optional(z.enum(['phone', 'password'])), undefined),
  /** The invitation code of the link that led here. */
  aff: z.optional(z.string()),
  /** Set between the two steps of a sign-in: by which kind of code it goes on, or by a passkey alone. */
  second: z.catch(z.optional(z.enum(['code', 'backup', 'passkey'])), undefined),
  /** Set beside it where a passkey will do as well. */
  passkey: z.catch(z.optional(z.literal('true')), undefined),
  /** Set when a session has ended, which is no error of the visitor's. */
  expired: z.catch(z.optional(z.literal('true')), undefined),
  /** Set when somebody has just made an account. */
  registered: z.catch(z.optional(z.literal('true')), undefined),
  /** Set when somebody has just signed out. */
  left: z.catch(z.optional(z.literal('true')), undefined),
});

export const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/login',
  validateSearch: search,
  beforeLoad: ({ context: { boot }, search: { next } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
    if (boot.user) throw redirect({ href: safeNext(next) });
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('login.title')),
  component: lazyRouteComponent(() => import('./login.page.tsx'), 'LoginPage'),
});
