/** The calls under `/api/channel`, and the lists of models that channels make. */
import { Elysia } from 'elysia';
import { actorOf } from '../../http/context.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { createBody, fetchModelsBody, idParam, listQuery, testQuery, updateBody } from './contract.ts';
import { listChannels } from './list.ts';
import { channelTypes, enabledModels, knownModels, modelsByType, usableModels } from './models.ts';
import { type ChannelProbe, fetchModels, fetchModelsOf, testChannel } from './probe.ts';
import { createChannels, getChannel, removeChannel, updateChannel } from './service.ts';

/** `probe` makes the calls to upstreams: it is the relay's. */
export const channelRoutes = (deps: Deps & GuardDeps, probe: ChannelProbe) =>
  new Elysia({ name: 'channel', prefix: '/api/channel' })
    .use(guard(deps))
    .get('/', async ({ query }) => ok(await listChannels(deps, query)), { auth: 'admin', query: listQuery })
    .get('/search', async ({ query }) => ok(await listChannels(deps, query)), {
      auth: 'admin',
      query: listQuery,
    })
    .get('/types', () => ok(channelTypes()), { auth: 'admin' })
    .get('/models', async () => ok(await knownModels(deps)), { auth: 'admin' })
    .get('/models_enabled', async () => ok(await enabledModels(deps)), { auth: 'admin' })
    .get(
      '/test/:id',
      async ({ params, query, viewer, context }) => {
        const tester = { ...viewer, ip: context.clientIp };
        const { success, message, timeMs } = await testChannel(deps, probe, {
          id: params.id,
          model: query.model,
          tester,
        });
        // The one answer with its result beside `data`: `time` in seconds, also of a failure.
        return { success, message, time: timeMs / 1000 };
      },
      { auth: 'admin', params: idParam, query: testQuery },
    )
    .get('/fetch_models/:id', async ({ params }) => ok(await fetchModelsOf(deps, probe, params.id)), {
      auth: 'admin',
      params: idParam,
    })
    .post(
      '/fetch_models',
      async ({ body, viewer, context }) => {
        const { type, base_url, key, other } = body;
        const given = { type, baseUrl: base_url ?? '', key: key ?? '', other: other ?? '' };
        return ok(await fetchModels(deps, probe, actorOf(viewer, context), given));
      },
      { auth: 'admin', body: fetchModelsBody },
    )
    .get('/:id', async ({ params }) => ok(await getChannel(deps, params.id)), {
      auth: 'admin',
      params: idParam,
    })
    .post(
      '/',
      async ({ body, viewer, context }) =>
        ok({ ids: await createChannels(deps, actorOf(viewer, context), body) }),
      { auth: 'admin', body: createBody },
    )
    .put(
      '/',
      async ({ body, viewer, context }) => ok(await updateChannel(deps, actorOf(viewer, context), body)),
      { auth: 'admin', body: updateBody },
    )
    .delete(
      '/:id',
      async ({ params, viewer, context }) => {
        await removeChannel(deps, actorOf(viewer, context), params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    );

/** Lists of models outside `/api/channel`. */
export const modelRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'models', prefix: '/api' })
    .use(guard(deps))
    .get('/models', () => ok(modelsByType()), { auth: 'user' })
    .get('/user/models', async ({ viewer }) => ok(await usableModels(deps, viewer.group)), { auth: 'user' });
