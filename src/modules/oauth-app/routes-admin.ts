/** `/api/oauth_app/admin`: root registers applications that sign in here. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { changeApps, createApp, getApp, listApps, removeApp, renewSecret, updateApp } from './apps.ts';
import { createBody, listQuery, manyBody, updateBody } from './contract.ts';

export const oauthAppRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'oauth-app', prefix: '/api/oauth_app/admin' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query }) => {
        const paging = readPaging(query);
        const list = await listApps(deps, query, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'root', query: listQuery },
    )
    .get('/:id', async ({ params }) => ok(await getApp(deps, params.id)), { auth: 'root', params: idParam })
    .post('/', async ({ body, actor }) => ok(await createApp(deps, actor, body)), {
      auth: 'root',
      body: createBody,
    })
    .post(
      '/batch',
      async ({ body, actor, still }) =>
        ok(await changeApps(deps, { ...actor, still }, body.action, body.ids)),
      {
        auth: 'root',
        body: manyBody,
      },
    )
    .put('/:id', async ({ params, body, actor }) => ok(await updateApp(deps, actor, params.id, body)), {
      auth: 'root',
      params: idParam,
      body: updateBody,
    })
    .post('/:id/secret', async ({ params, actor }) => ok(await renewSecret(deps, actor, params.id)), {
      auth: 'root',
      params: idParam,
    })
    .delete(
      '/:id',
      async ({ params, actor }) => {
        await removeApp(deps, actor, params.id);
        return done();
      },
      { auth: 'root', params: idParam },
    );
