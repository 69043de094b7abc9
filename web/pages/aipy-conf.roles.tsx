/** `/aipy-conf/roles`: roles that companion clients can take. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute, entrySearch } from './aipy-conf.tsx';

export const rolesRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/roles',
  validateSearch: entrySearch,
  loader: async ({ context: { api } }) => ({ roles: await api.get('/api/ai-role/admin') }),
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.roles')),
  component: lazyRouteComponent(() => import('./aipy-conf.roles.page.tsx'), 'RolesPage'),
});
