/** `/admin-log`: what administrators changed, and the drawer of one change. */
import { nowSec } from '@core/time.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { History } from 'lucide-react';
import { FIRST_RANGE } from '../features/admin-log/first-range.ts';
import { RANGES, readRange, searchInstant } from '../features/log/range.ts';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchChoice, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  {
    range: searchChoice(RANGES),
    from: searchInstant('from'),
    to: searchInstant('to'),
    /** An action, or the part before its dot. */
    action: searchText,
    /** Name or id of who acted. */
    actor: searchText,
    /** Like `user:7`. */
    target: searchText,
    q: searchText,
  },
  { ...listFields },
);

export const adminLogRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/admin-log',
  staticData: {
    nav: { section: 'admin', order: 80, icon: History, label: 'nav.adminLog', can: 'canSeeAdminLog' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps }) => {
    const chosen = { ...deps, range: deps.range ?? FIRST_RANGE };
    const range = readRange(chosen, nowSec(), boot.preferences.timeZone);
    const query = {
      actor: deps.actor,
      action: deps.action,
      target: deps.target,
      keyword: deps.q,
      start_timestamp: range.from,
      end_timestamp: range.to,
    };
    const paging = { page: deps.p ?? 1, size: deps.size ?? boot.preferences.pageSize };
    const page = await loadPage(
      (asked) => api.get('/api/admin_action/', { query: { ...query, ...asked } }),
      paging,
    );
    return { page, range, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('adminLog.title')),
  component: lazyRouteComponent(() => import('./admin-log.page.tsx'), 'AdminLogPage'),
});

export const adminLogEntryRoute = createRoute({
  getParentRoute: () => adminLogRoute,
  path: '/$id',
  params: idParams,
  staticData: { drawer: '/admin-log' },
  loader: ({ context: { api }, params: { id } }) => api.get('/api/admin_action/:id', { params: { id } }),
  head: ({ match: { context } }) => pageTitle(context, context.t('adminLog.entry')),
  component: lazyRouteComponent(() => import('./admin-log.entry.page.tsx'), 'AdminLogDrawer'),
});
