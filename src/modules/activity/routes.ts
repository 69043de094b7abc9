/** `/api/activity` for administrators, and the list that users see. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { activityBody, dispatchBody, listQuery, manyBody, rewardBody } from './contract.ts';
import { beginDispatch, readDispatch } from './dispatch.ts';
import { dispatchRewards } from './reward.ts';
import {
  changeActivities,
  createActivity,
  getActivity,
  listActivities,
  openActivities,
  updateActivity,
} from './service.ts';

export const activityRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'activity', prefix: '/api' })
    .use(guard(deps))
    .get('/activity_list', async ({ viewer }) => ok(await openActivities(deps, viewer.id)), { auth: 'user' })
    .get(
      '/activity',
      async ({ query }) => {
        const paging = readPaging(query);
        const list = await listActivities(deps, query, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'admin', query: listQuery },
    )
    .get('/activity/:id', async ({ params }) => ok(await getActivity(deps, params.id)), {
      auth: 'admin',
      params: idParam,
    })
    .post('/activity', async ({ body, actor }) => ok(await createActivity(deps, actor, body)), {
      auth: 'admin',
      body: activityBody,
    })
    .post(
      '/activity/batch',
      async ({ body, actor, still }) =>
        ok(await changeActivities(deps, { ...actor, still }, body.action, body.ids)),
      { auth: 'admin', body: manyBody },
    )
    .put(
      '/activity/:id',
      async ({ params, body, actor }) => ok(await updateActivity(deps, actor, params.id, body)),
      { auth: 'admin', params: idParam, body: activityBody },
    )
    .post(
      '/activity/:id/dispatch',
      async ({ params, body, actor }) =>
        ok({ count: await beginDispatch(deps, actor, params.id, body.user_ids) }),
      { auth: 'admin', params: idParam, body: dispatchBody },
    )
    .get('/activity/:id/dispatch', async ({ params }) => ok(await readDispatch(deps, params.id)), {
      auth: 'admin',
      params: idParam,
    })
    .post(
      '/activity/reward',
      async ({ body, actor, still }) => ok(await dispatchRewards(deps, { ...actor, still }, body)),
      {
        auth: 'admin',
        body: rewardBody,
      },
    );
