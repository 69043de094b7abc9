/** `/topup`: the wallet, and where payers come back to. */
import { CANCEL_FIELD, RETURN_FIELD, TOPUP_ORDERS } from '@modules/payment/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Wallet } from 'lucide-react';
import { listFields, pageSearch, searchNumber, searchOrder, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch(
  {},
  {
    ...listFields,
    sort: searchOrder(TOPUP_ORDERS),
    [RETURN_FIELD]: searchText,
    [CANCEL_FIELD]: searchText,
    /** The order that a line of the statement is about, by its id. */
    order: searchNumber('bigint'),
  },
);

export const topupRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/topup',
  staticData: {
    nav: { section: 'personal', order: 10, icon: Wallet, label: 'nav.wallet', can: 'canManageSelf' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  // With the page and not with all pages: what is asked for is told by its own chunk.
  loader: async ({ context, deps }) => (await import('./topup.page.tsx')).loadWallet(context, deps),
  head: ({ match: { context } }) => pageTitle(context, context.t('wallet.title')),
  component: lazyRouteComponent(() => import('./topup.page.tsx'), 'WalletPage'),
});
