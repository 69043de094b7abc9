/** `/api/setup`: the first run, which lets in whoever makes it. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { isSetUp, setUp } from '../../setup/service.ts';
import { answerSignIn } from '../routes-sign-in.ts';

const text = wireText(1_000).nullish();

const setupBody = z.object({
  username: text,
  password: text,
  confirmPassword: text,
  SelfUseModeEnabled: z.boolean().nullish(),
  DemoSiteEnabled: z.boolean().nullish(),
  setup_token: text,
});

export const setupRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'setup', prefix: '/api/setup' })
    .use(guard(deps))
    .get(
      '/',
      async () => {
        const status = await isSetUp(deps);
        return ok({ status, root_init: status, database_type: deps.db.engine });
      },
      { guest: true },
    )
    .post(
      '/',
      async ({ body, coming }) => {
        const root = await setUp(deps, {
          username: body.username ?? '',
          password: body.password ?? '',
          confirmPassword: body.confirmPassword ?? '',
          selfUse: body.SelfUseModeEnabled ?? false,
          demo: body.DemoSiteEnabled ?? false,
          token: body.setup_token ?? '',
          ip: coming.context.clientIp,
        });
        return answerSignIn(deps, root, coming);
      },
      { guest: true, body: setupBody },
    );
