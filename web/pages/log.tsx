/** `/log`: what was called, what it cost and why. Users see their own calls, admins all. */
import { ALL_LOG_ORDERS } from '@modules/log/facts.ts';
import { createRoute, lazyRouteComponent, useSearch } from '@tanstack/react-router';
import { ReceiptText } from 'lucide-react';
import { PendingDrawer } from '../components/shell/pending-drawer.tsx';
import { LOG_DRAWER_LOOK } from '../features/log/drawer-look.ts';
import { rangeFields } from '../features/log/range.ts';
import { listFields, pageSearch, searchNumber, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const logSearch = pageSearch(
  {
    ...rangeFields,
    type: searchChoice(['1', '2', '3', '4', '5', '6', '7']),
    token: searchText,
    tokenId: searchNumber('bigint'),
    model: searchText,
    group: searchText,
    code: searchText,
    channel: searchNumber('bigint'),
    user: searchText,
    detail: searchText,
    status: searchNumber('smallint'),
    request: searchText,
  },
  {
    ...listFields,
    sort: searchOrder(ALL_LOG_ORDERS),
    /** The row that is opened by itself: its number or its request id. */
    id: searchText,
  },
);

export const logRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/log',
  staticData: {
    nav: { section: 'console', order: 30, icon: ReceiptText, label: 'nav.log', can: 'canManageTokens' },
  },
  validateSearch: logSearch,
  // What a row opens changes nothing of the list.
  loaderDeps: ({ search: { id: _, ...search } }) => search,
  // With the page and not with all pages: what is asked for is told by its own chunk.
  loader: async ({ context, deps }) => (await import('./log.page.tsx')).loadLog(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('log.title')),
  component: lazyRouteComponent(() => import('./log.page.tsx'), 'LogPage'),
});

/** One row by itself, where the address says which. */
export const logRowRoute = createRoute({
  getParentRoute: () => logRoute,
  path: '/',
  ...drawerOver('/log', 'log.title', { field: 'id', look: LOG_DRAWER_LOOK }),
  loaderDeps: ({ search: { id } }) => ({ id }),
  loader: async ({ context: { api }, deps: { id } }) =>
    id === undefined ? undefined : (await import('./log.page.tsx')).readRow(api, id),
  pendingComponent: PendingRow,
  component: lazyRouteComponent(() => import('./log.page.tsx'), 'OpenedRow'),
});

function PendingRow() {
  const { id } = useSearch({ from: '/_console/log/' });
  return id !== undefined && <PendingDrawer />;
}
