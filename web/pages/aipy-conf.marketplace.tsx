/** `/aipy-conf/marketplace`: applications that companion clients can install. */
import { APPLICATION_ORDERS } from '@modules/application/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageSearch, searchOrder } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute, entryFields } from './aipy-conf.tsx';

const search = pageSearch({}, { ...entryFields, sort: searchOrder(APPLICATION_ORDERS) });

export const marketplaceRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/marketplace',
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context, deps }) =>
    (await import('./aipy-conf.marketplace.page.tsx')).loadMarketplace(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.marketplace')),
  component: lazyRouteComponent(() => import('./aipy-conf.marketplace.page.tsx'), 'MarketplacePage'),
});
