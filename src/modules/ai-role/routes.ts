/** `/api/ai-role`: roles, for companion clients and for the administrators who write them. */
import { Elysia } from 'elysia';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { etag } from '../../http/etag.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { idsBody, listQuery, roleBody } from './contract.ts';
import { createRole, deleteRole, deleteRoles, listRoles, updateRole } from './service.ts';

export const aiRoleRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'ai-role', prefix: '/api/ai-role' })
    .use(guard(deps))
    .use(etag)
    .get('/', async () => ok(await listRoles(deps)), { auth: 'client', etag: true })
    .get('/admin', async ({ query }) => ok(await listRoles(deps, query)), {
      auth: 'admin',
      etag: true,
      query: listQuery,
    })
    .post('/admin', async ({ body, actor }) => ok(await createRole(deps, actor, body)), {
      auth: 'admin',
      body: roleBody,
    })
    .post(
      '/admin/batch',
      async ({ body, actor, still }) => ok(await deleteRoles(deps, { ...actor, still }, body.ids)),
      {
        auth: 'admin',
        body: idsBody,
      },
    )
    .put(
      '/admin/:id',
      async ({ params, body, actor }) => ok(await updateRole(deps, actor, params.id, body)),
      {
        auth: 'admin',
        params: idParam,
        body: roleBody,
      },
    )
    .delete(
      '/admin/:id',
      async ({ params, actor }) => {
        await deleteRole(deps, actor, params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    );
