/** `/`: leads to where the visitor's work begins. */
import { createRoute, redirect } from '@tanstack/react-router';
import { rootRoute } from './root.tsx';

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: '/',
  beforeLoad: ({ context: { boot } }) => {
    if (!boot.status.setup) throw redirect({ href: '/setup' });
    throw redirect({ href: boot.user ? '/token' : '/login' });
  },
});
