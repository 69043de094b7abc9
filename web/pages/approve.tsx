/** `/approve`: an application asks for a relay key; its user gives it one, or does not. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as z from 'zod/mini';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

export const approveRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/approve',
  /** Which request it is; taken out of the address as soon as it is remembered. */
  validateSearch: z.object({ code: z.optional(z.string()) }),
  head: ({ match: { context } }) => pageTitle(context, context.t('approve.title')),
  component: lazyRouteComponent(() => import('./approve.page.tsx'), 'ApprovePage'),
});
