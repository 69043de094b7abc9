/** `/aipy-conf/marketplace`: applications that companion clients can install. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute, entrySearch } from './aipy-conf.tsx';

export const marketplaceRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/marketplace',
  validateSearch: entrySearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context, deps }) =>
    (await import('../features/desk/load-marketplace.ts')).loadMarketplace(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.marketplace')),
  component: lazyRouteComponent(() => import('./aipy-conf.marketplace.page.tsx'), 'MarketplacePage'),
});
