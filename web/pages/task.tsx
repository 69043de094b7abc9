/** `/task`: work that upstreams go on with, and the drawer of one such task. */
import { ALL_TASK_ORDERS } from '@modules/task/facts.ts';
import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { Music } from 'lucide-react';
import { rangeFields } from '../features/log/range.ts';
import { listFields, pageSearch, searchNumber, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';
import { drawerOver } from './drawer-over.ts';

const search = pageSearch(
  {
    ...rangeFields,
    /** Id of a task. */
    id: searchText,
    action: searchText,
    state: searchText,
    channel: searchNumber('bigint'),
    user: searchText,
  },
  { ...listFields, sort: searchOrder(ALL_TASK_ORDERS) },
);

export const taskRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/task',
  staticData: {
    nav: {
      section: 'console',
      order: 50,
      icon: Music,
      label: 'nav.task',
      can: 'canManageTokens',
      needs: 'enable_task',
    },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context, deps }) => (await import('./task.page.tsx')).loadTasks(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('task.title')),
  component: lazyRouteComponent(() => import('./task.page.tsx'), 'TaskPage'),
});

export const taskEntryRoute = createRoute({
  getParentRoute: () => taskRoute,
  path: '/$id',
  params: {
    parse: ({ id }: { id: string }) => {
      if (!/^[0-9a-f]{32}$/.test(id)) throw notFound();
      return { id };
    },
  },
  ...drawerOver('/task', 'task.entry'),
  loader: async ({ context, params: { id } }) =>
    (await import('./task.entry.page.tsx')).loadTask(context, id),
  component: lazyRouteComponent(() => import('./task.entry.page.tsx'), 'TaskDrawer'),
});
