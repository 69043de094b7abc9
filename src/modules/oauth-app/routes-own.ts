/** `/api/oauth/grants`: what a user lets applications do, told and withdrawn. */
import { Elysia } from 'elysia';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { allowedApps, withdraw } from './consents.ts';

export const allowedAppRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'oauth-allowed', prefix: '/api/oauth/grants' })
    .use(guard(deps))
    .get('/', async ({ viewer, context }) => ok(await allowedApps(deps, viewer.id, context.locale)), {
      auth: 'user',
    })
    .delete(
      '/:id',
      async ({ params, viewer, context }) => {
        const { id, username, group } = viewer;
        await withdraw(deps, { id, username, group, ip: context.clientIp }, params.id);
        return done();
      },
      { auth: 'user', params: idParam },
    );
