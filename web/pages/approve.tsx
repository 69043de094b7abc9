/** `/approve`: an application asks for a relay key; its user gives it one, or does not. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { pageTitle } from '../lib/page-context.ts';
import { plainText, searchOf } from '../lib/search-field.ts';
import { consoleRoute } from './console.tsx';

/** Which request it is; taken out of the address as soon as it is remembered. */
const search = searchOf({ code: plainText });

export const approveRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/approve',
  validateSearch: search,
  head: ({ match: { context } }) => pageTitle(context, context.t('approve.title')),
  component: lazyRouteComponent(() => import('./approve.page.tsx'), 'ApprovePage'),
});
