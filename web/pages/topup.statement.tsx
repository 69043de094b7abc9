/** `/topup/statement`: every movement of one's balance; of another account for an administrator, by its id. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { rangeFields } from '../features/log/range.ts';
import { STATEMENT_ORDERS } from '../features/statement/place.ts';
import { pageSearch, searchNumber, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  {
    ...rangeFields,
    kind: searchNumber('smallint'),
    /** Quota units, of what a line added or took. */
    least: searchNumber('bigint'),
    most: searchNumber('bigint'),
  },
  {
    /** Where the page stands: behind a line, or before one. */
    p: searchText,
    sort: searchOrder(STATEMENT_ORDERS),
    /** Whose it is; one's own without. */
    user: searchNumber('bigint'),
  },
);

export const statementRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/topup/statement',
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  // With the page and not with all pages: what is asked for is told by its own chunk.
  loader: async ({ context, deps }) =>
    (await import('./topup.statement.page.tsx')).loadStatement(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('statement.title')),
  component: lazyRouteComponent(() => import('./topup.statement.page.tsx'), 'StatementPage'),
});
