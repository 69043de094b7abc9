/** `/model-hub`: what models there are and what they cost, for everybody. */
import { HUB_ORDERS } from '@modules/model-hub/facts.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { rootRoute } from './root.tsx';

const PAGE_SIZE = 20;

const search = pageSearch(
  {
    q: searchText,
    billing: searchChoice(['tokens', 'call', 'tiers', 'video']),
    tag: searchText,
    vendor: searchText,
  },
  {
    ...listFields,
    sort: searchOrder(HUB_ORDERS),
    /** The group whose prices are shown. */
    group: searchText,
    /** The model whose row is open. */
    open: searchText,
  },
);

export const modelHubRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/model-hub',
  validateSearch: search,
  beforeLoad: ({ context: { boot } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
  },
  // What is shown of a row or whose prices are shown asks for no new rows.
  loaderDeps: ({ search: { p, size, sort, q, billing, tag, vendor } }) => ({
    p,
    size,
    sort,
    q,
    billing,
    tag,
    vendor,
  }),
  loader: ({ context: { api }, deps: { p = 1, size = PAGE_SIZE, q, ...filter } }) =>
    loadPage((asked) => api.get('/api/pricing/page', { query: { keyword: q, ...filter, ...asked } }), {
      page: p,
      size,
    }),
  head: ({ match: { context } }) => pageTitle(context, context.t('hub.title')),
  component: lazyRouteComponent(() => import('./model-hub.page.tsx'), 'ModelHubPage'),
});
