/** `/activity-center`: what a user has been given, and what he can still get. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Gift } from 'lucide-react';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

export const activityCenterRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/activity-center',
  staticData: {
    nav: { section: 'personal', order: 40, icon: Gift, label: 'nav.activityCenter', can: 'canManageSelf' },
  },
  loader: async ({ context: { api } }) => {
    const [account, fuelPack, activities, terms, invited] = await Promise.all([
      api.get('/api/user/self'),
      api.get('/api/user/fuel_pack/status'),
      api.get('/api/activity_list'),
      api.get('/api/user/aff/terms'),
      api.get('/api/user/aff/invited'),
    ]);
    return { account, fuelPack, activities, terms, invited };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('nav.activityCenter')),
  component: lazyRouteComponent(() => import('./activity-center.page.tsx'), 'ActivityCenterPage'),
});
