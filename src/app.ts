/** The composition root of HTTP: every plugin, in one visible order. */
import { Elysia } from 'elysia';
import { apiLimit } from './http/api-limit.ts';
import { bodies } from './http/body.ts';
import { demo } from './http/demo.ts';
import { envelope } from './http/envelope.ts';
import { type GuardDeps, guard } from './http/guard.ts';
import { authRoutes } from './modules/auth/routes.ts';
import type { Deps } from './modules/deps.ts';
import { optionRoutes } from './modules/option/routes.ts';
import { setupRoutes } from './modules/setup/routes.ts';
import { statusRoutes } from './modules/status/routes.ts';
import { userRoutes } from './modules/user/routes.ts';

/** The calls under `/api`; also what the pages' loaders call in process. */
export const createApi = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'api' })
    .use(envelope(deps))
    .use(apiLimit(deps))
    .use(demo(deps))
    .use(bodies(deps))
    .use(guard(deps))
    .use(statusRoutes(deps))
    .use(setupRoutes(deps))
    .use(authRoutes(deps))
    .use(userRoutes(deps))
    .use(optionRoutes(deps));

export type Api = ReturnType<typeof createApi>;
