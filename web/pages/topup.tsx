/** `/topup`: the wallet. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { Wallet } from 'lucide-react';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

export const topupRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/topup',
  staticData: {
    nav: { section: 'personal', order: 10, icon: Wallet, label: 'nav.wallet', can: 'canManageSelf' },
  },
  loader: async ({ context: { api } }) => ({ account: await api.get('/api/user/self') }),
  head: ({ match: { context } }) => pageTitle(context, context.t('wallet.title')),
  component: lazyRouteComponent(() => import('./topup.page.tsx'), 'WalletPage'),
});
