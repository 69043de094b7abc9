/** `/api/prompt/suggest`: recommended prompts, for companion clients and for the administrators who write them. */
import { Elysia } from 'elysia';
import { can } from '../../core/roles.ts';
import { done, ok } from '../../http/envelope.ts';
import { etag } from '../../http/etag.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { adminQuery, idParam, listQuery, manyBody, promptBody } from './contract.ts';
import { changePrompts, createPrompt, deletePrompt, listPrompts, updatePrompt } from './service.ts';

export const promptRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'prompt', prefix: '/api/prompt/suggest' })
    .use(guard(deps))
    .use(etag)
    .get(
      '/',
      async ({ guestViewer, query }) => {
        const seesAll = guestViewer !== null && can(guestViewer.role, 'canManageDesk');
        return ok(await listPrompts(deps, query, !seesAll));
      },
      { guest: true, etag: true, query: listQuery },
    )
    // For their page, which is nobody else's.
    .get('/admin', async ({ query }) => ok(await listPrompts(deps, query, false)), {
      auth: 'admin',
      etag: true,
      query: adminQuery,
    })
    .post('/', async ({ body, actor }) => ok(await createPrompt(deps, actor, body)), {
      auth: 'admin',
      body: promptBody,
    })
    .post(
      '/batch',
      async ({ body, actor, still }) =>
        ok(await changePrompts(deps, { ...actor, still }, body.action, body.ids)),
      {
        auth: 'admin',
        body: manyBody,
      },
    )
    .put('/:id', async ({ params, body, actor }) => ok(await updatePrompt(deps, actor, params.id, body)), {
      auth: 'admin',
      params: idParam,
      body: promptBody,
    })
    .delete(
      '/:id',
      async ({ params, actor }) => {
        await deletePrompt(deps, actor, params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    );
