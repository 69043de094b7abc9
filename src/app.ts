/** The composition root of HTTP: every plugin, in one visible order. */
import { Elysia } from 'elysia';
import { envelope } from './http/envelope.ts';
import { type GuardDeps, guard } from './http/guard.ts';
import type { Deps } from './modules/deps.ts';

/** The calls under `/api`; also what the pages' loaders call in process. */
export const createApi = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'api' }).use(envelope(deps)).use(guard(deps));

export type Api = ReturnType<typeof createApi>;
