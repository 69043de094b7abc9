/** `/task-like`: what users thought of their tasks, and the drawer of one such task. */
import { LIKE_ORDERS } from '@modules/like/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ThumbsUp } from 'lucide-react';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  { user: searchText, mark: searchChoice(['1', '2']) },
  { ...listFields, sort: searchOrder(LIKE_ORDERS) },
);

export const taskLikeRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/task-like',
  staticData: {
    nav: { section: 'admin', order: 70, icon: ThumbsUp, label: 'nav.taskLike', can: 'canSeeAllLogs' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, user, mark, sort } }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = { username: user, mark, sort };
    const page = await loadPage(
      (asked) => api.get('/api/task/like/admin', { query: { ...query, ...asked } }),
      paging,
    );
    return { page };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('like.title')),
  component: lazyRouteComponent(() => import('./task-like.page.tsx'), 'TaskLikePage'),
});

export const taskLikeEntryRoute = createRoute({
  getParentRoute: () => taskLikeRoute,
  path: '/$id',
  params: idParams,
  ...drawerOver('/task-like', 'like.task'),
  loader: async ({ context: { api }, params }) => api.get('/api/task/like/admin/:id', { params }),
  component: lazyRouteComponent(() => import('./task-like.entry.page.tsx'), 'TaskLikeDrawer'),
});
