/** `/oauth/login`: where applications send people to sign in with their accounts here; leads on with the same query. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { rootRoute } from './root.tsx';

export const oauthLoginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth/login',
  head: ({ match: { context } }) => pageTitle(context, context.t('oauthLogin.title')),
  component: lazyRouteComponent(() => import('./oauth.login.page.tsx'), 'OAuthLoginPage'),
});
