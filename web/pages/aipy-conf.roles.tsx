/** `/aipy-conf/roles`: roles that companion clients can take. */
import { AI_ROLE_ORDERS } from '@modules/ai-role/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageSearch, searchOrder } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { aipyConfRoute, entryFields } from './aipy-conf.tsx';

const search = pageSearch({}, { ...entryFields, sort: searchOrder(AI_ROLE_ORDERS) });

export const rolesRoute = createRoute({
  getParentRoute: () => aipyConfRoute,
  path: '/roles',
  validateSearch: search,
  loaderDeps: ({ search: { sort } }) => ({ sort }),
  loader: async ({ context: { api }, deps }) => ({
    roles: await api.get('/api/ai-role/admin', { query: deps }),
  }),
  head: ({ match: { context } }) => pageTitle(context, context.t('desk.tab.roles')),
  component: lazyRouteComponent(() => import('./aipy-conf.roles.page.tsx'), 'RolesPage'),
});
