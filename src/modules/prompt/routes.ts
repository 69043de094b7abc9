/** `/api/prompt/suggest`: recommended prompts, for companion clients and for the administrators who write them. */
import { Elysia } from 'elysia';
import { can } from '../../core/roles.ts';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { etag } from '../../http/etag.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { adminQuery, listQuery, manyBody, type Prompt, promptBody } from './contract.ts';
import { keepPrompts } from './kept.ts';
import { changePrompts, createPrompt, deletePrompt, listPrompts, updatePrompt } from './service.ts';

export const promptRoutes = (deps: Deps & GuardDeps, offered = keepPrompts(deps, ok<Prompt[]>)) =>
  new Elysia({ name: 'prompt', prefix: '/api/prompt/suggest' })
    .use(guard(deps))
    .use(etag)
    .get(
      '/',
      async ({ guestViewer, query }) => {
        const seesAll = guestViewer !== null && can(guestViewer.role, 'canManageDesk');
        return seesAll ? ok(await listPrompts(deps, query, false)) : offered(query);
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
