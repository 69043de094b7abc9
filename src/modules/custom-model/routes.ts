/** `/api/user/custom-models`: users' own keys at suppliers, and what suppliers tell of them. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { ChannelProbe } from '../channel/service.ts';
import type { Deps } from '../deps.ts';
import { askBalance, askModels, checkOwn } from './ask.ts';
import { allQuery, balanceBody, checkQuery, createBody, modelsBody, updateBody } from './contract.ts';
import { createOwn, listAll, listOwn, removeOwn, updateOwn } from './service.ts';

export const customModelRoutes = (deps: Deps & GuardDeps, probe: ChannelProbe) =>
  new Elysia({ name: 'custom-model', prefix: '/api' })
    .use(guard(deps))
    .get('/user/custom-models/conf', async ({ viewer }) => ok(await listOwn(deps, viewer.id)), {
      auth: 'user',
    })
    .get(
      '/user/custom-models/conf/all',
      async ({ query, actor }) => {
        const isPaged = query.p !== undefined || query.page !== undefined;
        const { items, total } = await listAll(deps, actor, query, isPaged ? readPaging(query) : null);
        // Beside `data`, which clients know as the list itself.
        return { ...ok(items), total };
      },
      { auth: 'admin', query: allQuery },
    )
    .get(
      '/user/custom-models/conf/check',
      async ({ query, actor }) => ({
        // Beside `data`, as the balance of a channel.
        ...done(),
        balance: await checkOwn(deps, probe, actor, query.key ?? ''),
      }),
      { auth: 'user', acts: true, query: checkQuery },
    )
    .post(
      '/user/custom-models/conf',
      async ({ viewer, body }) => ok(await createOwn(deps, viewer.id, body)),
      { auth: 'user', body: createBody },
    )
    .put(
      '/user/custom-models/conf/:id',
      async ({ viewer, params, body }) => ok(await updateOwn(deps, viewer.id, params.id, body)),
      { auth: 'user', params: idParam, body: updateBody },
    )
    .delete(
      '/user/custom-models/conf/:id',
      async ({ viewer, params }) => {
        await removeOwn(deps, viewer.id, params.id);
        return done();
      },
      { auth: 'user', params: idParam },
    )
    .post(
      '/user/custom-models/models',
      async ({ actor, body }) => ok(await askModels(deps, probe, actor, body)),
      { auth: 'user', body: modelsBody },
    )
    .post(
      '/supplier/balance',
      async ({ actor, body }) => ({ ...done(), balance: await askBalance(deps, probe, actor, body) }),
      { auth: 'admin', body: balanceBody },
    );
