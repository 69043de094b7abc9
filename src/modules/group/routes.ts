/** The call under `/api/group`. */
import { Elysia } from 'elysia';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { groupNames } from './service.ts';

export const groupRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'group', prefix: '/api/group' })
    .use(guard(deps))
    .get('/', () => ok(groupNames(deps.options)), { auth: 'user' });
