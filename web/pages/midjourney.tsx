/** `/midjourney`: what was drawn, and how it went. */
import { ALL_TASK_ORDERS } from '@modules/task/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Brush } from 'lucide-react';
import { rangeFields } from '../features/log/range.ts';
import { listFields, pageSearch, searchNumber, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  {
    ...rangeFields,
    id: searchText,
    state: searchText,
    channel: searchNumber('bigint'),
    user: searchText,
  },
  { ...listFields, sort: searchOrder(ALL_TASK_ORDERS) },
);

export const drawingRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/midjourney',
  staticData: {
    nav: {
      section: 'console',
      order: 40,
      icon: Brush,
      label: 'nav.drawing',
      can: 'canManageTokens',
      needs: 'enable_drawing',
    },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context, deps }) => (await import('./midjourney.page.tsx')).loadDrawings(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('drawing.title')),
  component: lazyRouteComponent(() => import('./midjourney.page.tsx'), 'DrawingPage'),
});
