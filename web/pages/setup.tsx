/** `/setup`: makes the first administrator, once. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { pageTitle } from '../lib/page-context.ts';
import { rootRoute } from './root.tsx';

const search = z.object({
  /** From the link that the start prints. Who comes without it types it in. */
  token: z.optional(z.string()),
});

export const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/setup',
  staticData: { failed: 'setup.stateFailed' },
  validateSearch: search,
  beforeLoad: ({ context: { boot } }) => {
    if (boot.status.setup) throw redirect({ href: '/' });
  },
  loader: ({ context }) => context.api.get('/api/setup/'),
  head: ({ match: { context } }) => pageTitle(context, context.t('setup.title')),
  component: lazyRouteComponent(() => import('./setup.page.tsx'), 'SetupPage'),
});
