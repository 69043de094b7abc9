/** `/payment`: everyone's orders. */
import { PAYMENT_PROVIDERS, TOPUP_ORDERS, TOPUP_STATUSES } from '@modules/payment/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { CreditCard } from 'lucide-react';
import { rangeFields } from '../features/log/range.ts';
import { listFields, pageSearch, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { searchChoice } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  {
    ...rangeFields,
    status: searchChoice(TOPUP_STATUSES),
    provider: searchChoice(PAYMENT_PROVIDERS),
    /** An order's number, the provider's reference, a user's id or part of his name, or `#` and an order's id. */
    q: searchText,
  },
  { ...listFields, sort: searchOrder(TOPUP_ORDERS) },
);

export const paymentRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/payment',
  staticData: {
    nav: { section: 'admin', order: 25, icon: CreditCard, label: 'nav.payment', can: 'canManageUsers' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  // With the page and not with all pages: what is asked for is told by its own chunk.
  loader: async ({ context, deps }) => (await import('./payment.page.tsx')).loadOrders(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('payment.all')),
  component: lazyRouteComponent(() => import('./payment.page.tsx'), 'PaymentPage'),
});
