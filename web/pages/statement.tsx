/** `/topup/statement`: every movement of one's balance; of another account for an administrator, by its id. */
import { nowSec } from '@core/time.ts';
import { LINE_KINDS } from '@modules/statement/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { RANGES, readRange, searchInstant } from '../features/log/range.ts';
import { FIRST_RANGE, readPlace } from '../features/statement/place.ts';
import { listFields, pageSearch, searchChoice, searchNumber, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const [charge, ...others] = Object.values(LINE_KINDS).map(String);

const search = pageSearch(
  {
    range: searchChoice(RANGES),
    from: searchInstant('from'),
    to: searchInstant('to'),
    kind: searchChoice([charge ?? '', ...others]),
  },
  {
    size: listFields.size,
    /** Where the page stands: behind a line, or before one. */
    p: searchText,
    /** Whose it is; one's own without. */
    user: searchNumber('bigint'),
  },
);

export const statementRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/topup/statement',
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps }) => {
    const { timeZone, pageSize } = boot.preferences;
    const range = readRange({ ...deps, range: deps.range ?? FIRST_RANGE }, nowSec(), timeZone);
    const filter = {
      kind: deps.kind,
      start_timestamp: range.from,
      end_timestamp: range.to,
      time_zone: timeZone,
    };
    const query = { ...filter, ...readPlace(deps.p), page_size: deps.size ?? pageSize };
    const id = deps.user?.trim();
    const statement = id
      ? await api.get('/api/user/:id/statement', { params: { id }, query })
      : await api.get('/api/user/statement', { query });
    return { statement, range, filter };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('statement.title')),
  component: lazyRouteComponent(() => import('./statement.page.tsx'), 'StatementPage'),
});
