/** A user's fuel pack: whether there is one, and the call that claims it. */
import { Elysia } from 'elysia';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { claimFuelPack, fuelPackStatus } from './service.ts';

export const fuelPackRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'fuel-pack', prefix: '/api/user' })
    .use(guard(deps))
    .get(
      '/fuel_pack',
      async ({ viewer, context }) =>
        ok(
          await claimFuelPack(deps, {
            id: viewer.id,
            username: viewer.username,
            group: viewer.group,
            ip: context.clientIp,
          }),
        ),
      { auth: 'user', acts: true },
    )
    .get('/fuel_pack/status', async ({ viewer }) => ok(await fuelPackStatus(deps, viewer.id)), {
      auth: 'user',
    });
