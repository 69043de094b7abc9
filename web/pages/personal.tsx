/** `/personal`: one's own account. */
import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { UserRound } from 'lucide-react';
import { loadPersonal } from '../features/personal/personal.ts';
import { pageTitle } from '../lib/page-context.ts';
import { consoleRoute } from './console.tsx';

export const personalRoute = createRoute({
  getParentRoute: () => consoleRoute,
  path: '/personal',
  staticData: {
    nav: { section: 'personal', order: 20, icon: UserRound, label: 'nav.personal', can: 'canManageSelf' },
  },
  loader: ({ context: { api } }) => loadPersonal(api),
  head: ({ match: { context } }) => pageTitle(context, context.t('personal.title')),
  component: lazyRouteComponent(() => import('./personal.page.tsx'), 'PersonalPage'),
});
