/** `/log`: what was called, what it cost and why. Users see their own calls, admins all. */

import { can } from '@core/roles.ts';
import { nowSec } from '@core/time.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { ReceiptText } from 'lucide-react';
import { rangeFields, readRange } from '../features/log/range.ts';
import type { DataOf } from '../lib/calls.ts';
import {
  listFields,
  loadPage,
  pageSearch,
  searchChoice,
  searchNumber,
  searchText,
} from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const logSearch = pageSearch(
  {
    ...rangeFields,
    type: searchChoice(['1', '2', '3', '4', '5']),
    token: searchText,
    model: searchText,
    group: searchText,
    channel: searchNumber('bigint'),
    user: searchText,
    detail: searchText,
    id: searchText,
  },
  {
    ...listFields,
  },
);

/** The sums over everything that the filters have. */
export type LogSums = DataOf<'get', '/api/log/stat'>;

export const logRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/log',
  staticData: {
    nav: { section: 'console', order: 30, icon: ReceiptText, label: 'nav.log', can: 'canManageTokens' },
  },
  validateSearch: logSearch,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps }) => {
    const seesAll = can(boot.user?.role ?? 0, 'canSeeAllLogs');
    const range = readRange(deps, nowSec(), boot.preferences.timeZone);
    const filter = {
      type: deps.type,
      token_name: deps.token,
      model_name: deps.model,
      group: deps.group,
      request_id: deps.id,
      start_timestamp: range.from,
      end_timestamp: range.to,
      ...(seesAll ? { username: deps.user, channel: deps.channel, description: deps.detail } : {}),
    };
    const [page, sums] = await Promise.all([
      loadPage(
        (asked) => api.get(seesAll ? '/api/log/' : '/api/log/self/', { query: { ...filter, ...asked } }),
        {
          page: deps.p ?? 1,
          size: deps.size ?? boot.preferences.pageSize,
        },
      ),
      api.get(seesAll ? '/api/log/stat' : '/api/log/self/stat', { query: filter }),
    ]);
    return { page, sums, seesAll, range };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('log.title')),
  component: lazyRouteComponent(() => import('./log.page.tsx'), 'LogPage'),
});
