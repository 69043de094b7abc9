/** `/admin-log`: what administrators changed, and the drawer of one change. */
import { ACTION_ORDERS } from '@modules/audit-log/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { rangeFields } from '../features/log/range.ts';
import { idParams } from '../lib/id-param.ts';
import { listFields, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    ...rangeFields,
    /** An action, or the part before its dot. */
    action: searchText,
    /** Name or id of who acted. */
    actor: searchText,
    /** Like `user:7`. */
    target: searchText,
    q: searchText,
  },
  { ...listFields, sort: searchOrder(ACTION_ORDERS) },
);

export const adminLogRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/admin-log',
  staticData: {
    nav: { section: 'admin', order: 80, icon: History, label: 'nav.adminLog', can: 'canSeeAdminLog' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  // In a chunk of its own: few ever open this page, and all load what stands here.
  loader: async ({ context, deps }) => (await import('./admin-log.page.tsx')).loadActions(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('adminLog.title')),
  component: lazyRouteComponent(() => import('./admin-log.page.tsx'), 'AdminLogPage'),
});

export const adminLogEntryRoute = createRoute({
  getParentRoute: () => adminLogRoute,
  path: '/$id',
  params: idParams,
  ...drawerOver('/admin-log', 'adminLog.entry'),
  loader: ({ context: { api }, params: { id } }) => api.get('/api/admin_action/:id', { params: { id } }),
  component: lazyRouteComponent(() => import('./admin-log.entry.page.tsx'), 'AdminLogDrawer'),
});
