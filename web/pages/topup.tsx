/** `/topup`: the wallet, and where payers come back to. */
import { RETURN_FIELD } from '@modules/payment/facts.ts';
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Wallet } from 'lucide-react';
import { listFields, loadPage, pageSearch, searchText } from '../lib/list-search.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

const search = pageSearch({}, { p: listFields.p, size: listFields.size, [RETURN_FIELD]: searchText });

export const topupRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/topup',
  staticData: {
    nav: { section: 'personal', order: 10, icon: Wallet, label: 'nav.wallet', can: 'canManageSelf' },
  },
  validateSearch: search,
  loaderDeps: ({ search }) => search,
  loader: async ({ context: { api, boot }, deps: { p, size, [RETURN_FIELD]: returned } }) => {
    const isOpen = boot.status.enable_online_topup;
    const paging = { page: p ?? 1, size: size ?? boot.preferences.pageSize };
    const [account, methods, orders, asked] = await Promise.all([
      api.get('/api/user/self'),
      isOpen ? api.get('/api/user/topup/methods') : null,
      loadPage((query) => api.get('/api/user/topup/self', { query }), paging),
      returned ? api.get('/api/user/topup/self', { query: { trade_no: returned, page_size: 1 } }) : null,
    ]);
    return {
      account,
      methods,
      orders: isOpen || orders.total > 0 ? orders : null,
      /** Undefined where nobody comes back; null for an order that nobody knows. */
      returned: asked ? (asked.items[0] ?? null) : undefined,
    };
  },
  head: ({ match: { context } }) => pageTitle(context, context.t('wallet.title')),
  component: lazyRouteComponent(() => import('./topup.page.tsx'), 'WalletPage'),
});
