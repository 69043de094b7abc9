/** `/api/task/like`: what users thought of their tasks. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { likeBody, listQuery } from './contract.ts';
import { keepLike, likedTask, listLikes } from './service.ts';

export const likeRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'like', prefix: '/api/task/like' })
    .use(guard(deps))
    .post(
      '/',
      async ({ body, viewer }) => {
        await keepLike(deps, viewer.id, body);
        return done();
      },
      { auth: 'client', body: likeBody },
    )
    .get('/admin', async ({ query }) => ok(await listLikes(deps, query, readPaging(query))), {
      auth: 'admin',
      query: listQuery,
    })
    .get('/admin/:id', async ({ params }) => ok(await likedTask(deps, params.id)), {
      auth: 'admin',
      params: idParam,
    });
