/** `/oauth-apps`: applications that users sign in to with their accounts here, and the drawers over their list. */
import { OAUTH_APP_ORDERS } from '@modules/oauth-app/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch({ q: searchText }, { ...listFields, sort: searchOrder(OAUTH_APP_ORDERS) });

export const oauthAppsRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/oauth-apps',
  staticData: {
    nav: { section: 'admin', order: 55, icon: KeyRound, label: 'nav.oauthApps', can: 'canManageOAuthApps' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, q, sort } }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = { keyword: q, sort };
    const page = await loadPage(
      (asked) => api.get('/api/oauth_app/admin/', { query: { ...query, ...asked } }),
      paging,
    );
    return { page, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('oauthApp.title')),
  component: lazyRouteComponent(() => import('./oauth-apps.page.tsx'), 'OAuthAppsPage'),
});

export const oauthAppsAddRoute = createRoute({
  getParentRoute: () => oauthAppsRoute,
  path: '/add',
  ...drawerOver('/oauth-apps', 'oauthApp.newTitle'),
  component: lazyRouteComponent(() => import('./oauth-apps.add.page.tsx'), 'OAuthAppAddDrawer'),
});

export const oauthAppsEditRoute = createRoute({
  getParentRoute: () => oauthAppsRoute,
  path: '/edit/$id',
  params: idParams,
  ...drawerOver('/oauth-apps', 'oauthApp.editTitle'),
  loader: async ({ context: { api }, params: { id } }) => ({
    app: await api.get('/api/oauth_app/admin/:id', { params: { id } }),
  }),
  component: lazyRouteComponent(() => import('./oauth-apps.edit.page.tsx'), 'OAuthAppEditDrawer'),
});
