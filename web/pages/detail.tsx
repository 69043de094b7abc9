/** `/detail`: what was used over time. Users see their own, admins everybody's. */
import { DIMENSIONS, METRICS, STEPS, USAGE_ORDERS } from '@modules/usage/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ChartColumn } from 'lucide-react';
import { rangeFields } from '../features/log/range.ts';
import { pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  { ...rangeFields, step: searchChoice(STEPS), user: searchText },
  { by: searchChoice(DIMENSIONS), metric: searchChoice(METRICS), sort: searchOrder(USAGE_ORDERS) },
);

export const detailRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/detail',
  staticData: {
    nav: {
      section: 'console',
      order: 10,
      icon: ChartColumn,
      label: 'nav.detail',
      can: 'canManageTokens',
      needs: 'enable_data_export',
    },
  },
  validateSearch: search,
  // The table is put in order where it is shown: nothing is asked again for it.
  loaderDeps: ({ search: { sort: _, ...search } }) => search,
  // With the page and not with all pages: what is asked for is told by its own chunk.
  loader: async ({ context, deps }) => (await import('./detail.page.tsx')).loadUsage(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('usage.title')),
  component: lazyRouteComponent(() => import('./detail.page.tsx'), 'DetailPage'),
});
