/** The groups that there are, and those that a caller may use. */
import { Elysia } from 'elysia';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { DEFAULT_GROUP } from '../../options/checks.ts';
import type { Deps } from '../deps.ts';
import { groupNames, usableGroups } from './service.ts';

export const groupRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'group', prefix: '/api' })
    .use(guard(deps))
    .get(
      '/user/self/groups',
      ({ viewer }) => ok(Object.fromEntries(usableGroups(deps.options, viewer.group))),
      { auth: 'user' },
    )
    .get(
      '/user/groups',
      ({ guestViewer }) =>
        ok(Object.fromEntries(usableGroups(deps.options, guestViewer?.group ?? DEFAULT_GROUP))),
      { guest: true },
    )
    .get('/group/', () => ok(groupNames(deps.options)), { auth: 'user' });
