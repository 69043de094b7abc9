/** `/oauth/github` and its kin: where third parties send people back to, to sign in or to bind an account of theirs. */
import { OAUTH_PROVIDERS } from '@modules/auth/facts.ts';
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { plainText, searchOf } from '../lib/search-field.ts';
import { rootRoute } from './root.tsx';

const search = searchOf({
  code: plainText,
  state: plainText,
  redirect: plainText,
  iss: plainText,
  error: plainText,
});

export const oauthRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/oauth/$provider',
  validateSearch: search,
  loader: ({ params }) => {
    const provider = OAUTH_PROVIDERS.find((known) => known === params.provider);
    if (!provider) throw notFound();
    return { provider };
  },
  head: ({ match: { context }, loaderData }) =>
    pageTitle(context, context.t(loaderData ? 'login.title' : 'notFound.title')),
  component: lazyRouteComponent(() => import('./oauth.page.tsx'), 'OAuthPage'),
});
