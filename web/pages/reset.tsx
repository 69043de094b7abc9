/** `/reset` asks for the mail that sets a new password, `/user/reset` is where its link leads. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { plainText, searchOf } from '../lib/search-field.ts';
import { rootRoute } from './root.tsx';

export const resetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/reset',
  staticData: { plain: true },
  beforeLoad: ({ context: { boot } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('reset.title')),
  component: lazyRouteComponent(() => import('./reset.page.tsx'), 'ResetPage'),
});

const link = searchOf({ email: plainText, token: plainText });

export const userResetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/user/reset',
  staticData: { plain: true },
  validateSearch: link,
  head: ({ match: { context } }) => pageTitle(context, context.t('reset.confirmTitle')),
  component: lazyRouteComponent(() => import('./user.reset.page.tsx'), 'UserResetPage'),
});
