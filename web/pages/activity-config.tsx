/** `/activity-config`: the activities that administrators keep, and the drawers over their list. */
import { ACTIVITY_ORDERS, ACTIVITY_STATES } from '@modules/activity/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Megaphone } from 'lucide-react';
import { idParams } from '../lib/id-param.ts';
import { listFields, loadPage, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { type PageContext, pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    /** Part of a name. */
    q: searchText,
    state: searchChoice(ACTIVITY_STATES),
  },
  { ...listFields, sort: searchOrder(ACTIVITY_ORDERS) },
);

export const activityConfigRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/activity-config',
  staticData: {
    nav: {
      section: 'admin',
      order: 60,
      icon: Megaphone,
      label: 'nav.activityConfig',
      can: 'canManageActivities',
    },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, q, state, sort } }) => {
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const query = { q, state, sort };
    const page = await loadPage(
      (asked) => api.get('/api/activity', { query: { ...query, ...asked } }),
      paging,
    );
    return { page, query };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('nav.activityConfig')),
  component: lazyRouteComponent(() => import('./activity-config.page.tsx'), 'ActivityConfigPage'),
});

const loadActivity = async ({ api }: PageContext, id: string) => ({
  activity: await api.get('/api/activity/:id', { params: { id } }),
});

export const activityAddRoute = createRoute({
  getParentRoute: () => activityConfigRoute,
  path: '/add',
  ...drawerOver('/activity-config', 'activity.newTitle'),
  component: lazyRouteComponent(() => import('./activity-config.add.page.tsx'), 'ActivityAddDrawer'),
});

export const activityEditRoute = createRoute({
  getParentRoute: () => activityConfigRoute,
  path: '/edit/$id',
  params: idParams,
  ...drawerOver('/activity-config', 'activity.editTitle'),
  loader: ({ context, params: { id } }) => loadActivity(context, id),
  component: lazyRouteComponent(() => import('./activity-config.edit.page.tsx'), 'ActivityEditDrawer'),
});

export const activityRewardRoute = createRoute({
  getParentRoute: () => activityConfigRoute,
  path: '/reward/$id',
  params: idParams,
  ...drawerOver('/activity-config', 'activity.sendReward'),
  // Whoever comes back while rewards are sent is shown that, and nothing that was loaded before.
  gcTime: 0,
  loader: async ({ context, params: { id } }) => {
    const [activity, last] = await Promise.all([
      loadActivity(context, id),
      context.api.get('/api/activity/:id/dispatch', { params: { id } }),
    ]);
    return { ...activity, last };
  },
  component: lazyRouteComponent(() => import('./activity-config.reward.page.tsx'), 'ActivityRewardDrawer'),
});
