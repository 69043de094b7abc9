/** `/aipy-conf/suppliers`: for which suppliers users bring keys, and which keys they have brought. */
import { CUSTOM_MODEL_ORDERS } from '@modules/custom-model/facts.ts';
import { SUPPLIER_ORDERS } from '@modules/supplier/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { listFields, loadPage, orderAmong, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { aipyConfRoute } from './aipy-conf.tsx';

/** `view=configs`: all users' configurations, of which `q` is a part of a user's or a supplier's name. `edit`: the supplier whose drawer is open, by its id, or `new`. */
const search = pageSearch(
  { view: searchChoice(['configs']), q: searchText },
  { ...listFields, sort: searchOrder([...SUPPLIER_ORDERS, ...CUSTOM_MODEL_ORDERS]), edit: searchText },
);

export const suppliersRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/suppliers',
  validateSearch: search,
  loaderDeps: ({ search: { view, q, p, size, sort } }) => ({ view, q, p, size, sort }),
  loader: async ({ context: { api, boot }, deps: { view, q, p, size, sort } }) => {
    if (view === 'configs') {
      const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
      const configs = await loadPage(async (asked) => {
        const query = { keyword: q, sort: orderAmong(CUSTOM_MODEL_ORDERS, sort), ...asked };
        const { data, total } = await api.getWhole('/api/user/custom-models/conf/all', { query });
        return { items: data, total };
      }, paging);
      return { suppliers: [], types: [], configs };
    }
    const [suppliers, types] = await Promise.all([
      api.get('/api/supplier/admin', { query: { sort: orderAmong(SUPPLIER_ORDERS, sort) } }),
      api.get('/api/supplier/admin/types'),
    ]);
    return { suppliers, types, configs: null };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.suppliers')),
  component: lazyRouteComponent(() => import('./aipy-conf.suppliers.page.tsx'), 'SuppliersPage'),
});
