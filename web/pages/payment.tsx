/** `/payment`: everyone's orders. */
import { nowSec } from '@core/time.ts';
import { PAYMENT_PROVIDERS, TOPUP_STATUSES } from '@modules/payment/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { CreditCard } from 'lucide-react';
import { RANGES, readRange, searchInstant } from '../features/log/range.ts';
import { FIRST_RANGE } from '../features/payment/first-range.ts';
import { listFields, loadPage, pageSearch, searchChoice, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  {
    range: searchChoice(RANGES),
    from: searchInstant('from'),
    to: searchInstant('to'),
    status: searchChoice(TOPUP_STATUSES),
    provider: searchChoice(PAYMENT_PROVIDERS),
    /** An order's number, the provider's reference, a user's id or part of his name. */
    q: searchText,
  },
  { p: listFields.p, size: listFields.size },
);

export const paymentRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/payment',
  staticData: {
    nav: { section: 'admin', order: 25, icon: CreditCard, label: 'nav.payment', can: 'canSeeChannelMenu' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps }) => {
    const { timeZone, pageSize } = boot.preferences;
    const range = readRange({ ...deps, range: deps.range ?? FIRST_RANGE }, nowSec(), timeZone);
    const query = {
      keyword: deps.q,
      status: deps.status,
      provider: deps.provider,
      start_timestamp: range.from,
      end_timestamp: range.to,
    };
    const paging = { page: deps.p ?? 1, size: deps.size ?? pageSize };
    const page = await loadPage((asked) => api.get('/api/topup/', { query: { ...query, ...asked } }), paging);
    return { page, range };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('payment.all')),
  component: lazyRouteComponent(() => import('./payment.page.tsx'), 'PaymentPage'),
});
