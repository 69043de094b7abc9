/** `/register`: makes an account with a user name and a password. */
import { safeNext } from '@core/next-path.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { plainText, searchOf } from '../lib/search-field.ts';
import { rootRoute } from './root.tsx';

const search = searchOf({
  next: plainText,
  /** The invitation code of the link that led here. */
  aff: plainText,
});

export const registerRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/register',
  staticData: { plain: true },
  validateSearch: search,
  beforeLoad: ({ context: { boot }, search: { next } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
    if (boot.user) throw redirect({ href: safeNext(next) });
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('register.title')),
  component: lazyRouteComponent(() => import('./register.page.tsx'), 'RegisterPage'),
});
