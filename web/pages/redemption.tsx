/** `/redemption`: codes that add quota, and the drawers over their list. */
import { REDEMPTION_ORDERS, REDEMPTION_STATES } from '@modules/redemption/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Ticket } from 'lucide-react';
import { codesPage } from '../features/redemption/codes-page.ts';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    /** Part of a name, or an id. */
    q: searchText,
    status: searchChoice(REDEMPTION_STATES),
  },
  { ...listFields, sort: searchOrder(REDEMPTION_ORDERS) },
);

export const redemptionRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/redemption',
  staticData: {
    nav: { section: 'admin', order: 20, icon: Ticket, label: 'nav.redemption', can: 'canSeeChannelMenu' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, q, status, sort } }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = { keyword: q, status, sort };
    const page = await loadPage(codesPage(api, query), paging);
    return { page, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('redemption.title')),
  component: lazyRouteComponent(() => import('./redemption.page.tsx'), 'RedemptionPage'),
});

export const redemptionAddRoute = createRoute({
  getParentRoute: () => redemptionRoute,
  path: '/add',
  ...drawerOver('/redemption', 'redemption.newTitle'),
  component: lazyRouteComponent(() => import('./redemption.add.page.tsx'), 'RedemptionAddDrawer'),
});

export const redemptionEditRoute = createRoute({
  getParentRoute: () => redemptionRoute,
  path: '/edit/$id',
  params: idParams,
  ...drawerOver('/redemption', 'redemption.editTitle'),
  loader: async ({ context: { api }, params: { id } }) => ({
    code: await api.get('/api/redemption/:id', { params: { id } }),
  }),
  component: lazyRouteComponent(() => import('./redemption.edit.page.tsx'), 'RedemptionEditDrawer'),
});
