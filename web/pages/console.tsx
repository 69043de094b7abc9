/** All pages that need a signed-in user; sends others to sign in and back again. */
import { createRoute, redirect } from '@tanstack/react-router';
import { withQuery } from '../lib/api.ts';
import { rootRoute } from './root.tsx';

export const consoleRoute = createRoute({
  getParentRoute: () => rootRoute,
  id: '_console',
  beforeLoad: ({ context: { boot }, location }) => {
    if (boot.user) return;
    if (!boot.status.setup) throw redirect({ href: '/setup' });
    throw redirect({
      href: withQuery('/login', { expired: boot.sessionEnded || undefined, next: location.href }),
    });
  },
});
