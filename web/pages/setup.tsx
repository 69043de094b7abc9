/** `/setup`: makes the first administrator, once. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { plainText, searchOf } from '../lib/search-field.ts';
import { rootRoute } from './root.tsx';

const search = searchOf({
  /** From the link that the start prints. Who comes without it types it in. */
  token: plainText,
});

export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  staticData: { plain: true, failed: 'setup.stateFailed' },
  validateSearch: search,
  beforeLoad: ({ context: { boot } }) => {
    if (boot.status.setup) throw redirect({ href: '/' });
  },
  loader: ({ context }) => context.api.get('/api/setup/'),
  head: ({ match: { context } }) => pageTitle(context, context.t('setup.title')),
  component: lazyRouteComponent(() => import('./setup.page.tsx'), 'SetupPage'),
});
