/** `/aipy-conf/suppliers`: for which suppliers users bring keys, and which keys they have brought. */
import { SUPPLIER_ORDERS } from '@modules/supplier/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageSearch, searchChoice, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute } from './aipy-conf.tsx';

/** `view=configs`: all users' configurations, of which `q` is a part of a user's or a supplier's name. `edit`: the supplier whose drawer is open, by its id, or `new`. */
const search = pageSearch(
  { view: searchChoice(['configs']), q: searchText },
  { sort: searchOrder(SUPPLIER_ORDERS), edit: searchText },
);

export const suppliersRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/suppliers',
  validateSearch: search,
  loaderDeps: ({ search: { view, q, sort } }) => ({ view, q, sort }),
  loader: async ({ context: { api }, deps: { view, q, sort } }) => {
    if (view === 'configs') {
      const { data, total } = await api.getWhole('/api/user/custom-models/conf/all', {
        query: { keyword: q },
      });
      return { suppliers: [], types: [], configs: { items: data, total } };
    }
    const [suppliers, types] = await Promise.all([
      api.get('/api/supplier/admin', { query: { sort } }),
      api.get('/api/supplier/admin/types'),
    ]);
    return { suppliers, types, configs: null };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.suppliers')),
  component: lazyRouteComponent(() => import('./aipy-conf.suppliers.page.tsx'), 'SuppliersPage'),
});
