/** `/user`: the accounts that an administrator governs, and the drawers over their list. */
import { USER_ORDERS } from '@modules/user/facts.ts';
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { loadPersonal } from '../features/personal/personal.ts';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    /** Part of a name or mailbox, or an id. */
    q: searchText,
    /** An invitation code; whoever has it, whatever else is asked. */
    aff: searchText,
    group: searchText,
  },
  {
    ...listFields,
    sort: searchOrder(USER_ORDERS),
  },
);

export const userRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/user',
  staticData: { nav: { section: 'admin', order: 30, icon: Users, label: 'nav.user', can: 'canManageUsers' } },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, q, aff, group, sort } }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = { keyword: q, aff_code: aff, group, sort };
    const [page, groups] = await Promise.all([
      loadPage((asked) => api.get('/api/user/search', { query: { ...query, ...asked } }), paging),
      api.get('/api/group/'),
    ]);
    return { page, groups, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('user.title')),
  component: lazyRouteComponent(() => import('./user.page.tsx'), 'UserPage'),
});

export const userAddRoute = createRoute({
  getParentRoute: () => userRoute,
  path: '/add',
  ...drawerOver('/user', 'user.newTitle'),
  component: lazyRouteComponent(() => import('./user.add.page.tsx'), 'UserAddDrawer'),
});

export const userEditRoute = createRoute({
  getParentRoute: () => userRoute,
  path: '/edit/$id',
  params: idParams,
  ...drawerOver('/user', 'user.editTitle'),
  loader: async ({ context: { api }, params: { id } }) => {
    const [user, twoFactor, passkeys] = await Promise.all([
      api.get('/api/user/:id', { params: { id } }),
      api.get('/api/user/:id/2fa', { params: { id } }),
      api.get('/api/user/:id/passkeys', { params: { id } }),
    ]);
    return { user, hasTwoFactor: twoFactor.enabled, passkeys };
  },
  component: lazyRouteComponent(() => import('./user.edit.page.tsx'), 'UserEditDrawer'),
});

/** Without an id: one's own profile, for everyone, over one's own settings. */
export const userSelfRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/user/edit',
  beforeLoad: ({ context: { boot } }) => {
    if (boot.user && !boot.user.may.act) throw redirect({ to: '/personal' });
  },
  staticData: { drawer: '/personal' },
  loader: ({ context: { api } }) => loadPersonal(api),
  head: ({ match: { context } }) => pageTitle(context, context.t('user.selfTitle')),
  component: lazyRouteComponent(() => import('./user.self.page.tsx'), 'UserSelfPage'),
});
