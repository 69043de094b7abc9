/** `/`: what this site is, for guests; how things stand, for those who are signed in. */
import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { Gauge } from 'lucide-react';
import { pageTitle } from '../lib/page-context.ts';
import { rootRoute } from './root.tsx';

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  staticData: {
    nav: { section: 'console', order: 0, icon: Gauge, label: 'nav.overview', can: 'canManageTokens' },
  },
  beforeLoad: ({ context: { boot } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
  },
  // With the page and not with all pages: what is asked for is told by its own chunk.
  loader: async ({ context }) => (await import('./home.page.tsx')).loadHome(context),
  head: ({ match: { context } }) =>
    pageTitle(context, context.t(context.boot.user ? 'nav.overview' : 'home.title')),
  component: lazyRouteComponent(() => import('./home.page.tsx'), 'HomePage'),
});
