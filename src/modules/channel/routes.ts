/** The calls under `/api/channel`, and the lists of models that channels make. */

import { Elysia } from 'elysia';
import { isSold } from '../../billing/price.ts';
import { reasonText } from '../../core/reasons.ts';
import type { Locale, Text } from '../../core/text.ts';
import { idParam } from '../../core/wire/whole.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { type Progress, readProgress } from '../../jobs/progress.ts';
import type { Deps } from '../deps.ts';
import { acceptsUnset } from '../notification/service.ts';
import { updateBalance } from './balance.ts';
import {
  editTag,
  fixAbilities,
  removeChannels,
  removeDisabled,
  setStatusOf,
  setStatusOfTag,
  tagChannels,
} from './batch.ts';
import {
  batchStatusBody,
  batchTagBody,
  copyQuery,
  createBody,
  fetchModelsBody,
  idsBody,
  keyIdsBody,
  listQuery,
  progressQuery,
  type SurveyDetail,
  scopeQuery,
  tagBody,
  tagEditBody,
  testQuery,
  updateBody,
  usableQuery,
} from './contract.ts';
import { copyChannel } from './copy.ts';
import { enableKeys, listKeys } from './key-list.ts';
import { listChannels, listTags } from './list.ts';
import { channelTypes, enabledModels, knownModels, modelsByType, usableModels } from './models.ts';
import { type ChannelProbe, fetchModels, fetchModelsOf, testChannel } from './probe.ts';
import { createChannels, getChannel, removeChannel, updateChannel } from './service.ts';
import { BALANCE_JOB, cancelSurvey, TEST_JOB, testMany, updateBalances } from './survey.ts';

/** `probe` makes the calls to upstreams: it is the relay's. */
export const channelRoutes = (deps: Deps & GuardDeps, probe: ChannelProbe) =>
  new Elysia({ name: 'channel', prefix: '/api/channel' })
    .use(guard(deps))
    .use(batchRoutes(deps))
    .use(surveyRoutes(deps, probe))
    .get('/', async ({ query, context }) => ok(await listChannels(deps, query, context.locale)), {
      auth: 'admin',
      query: listQuery,
    })
    .get('/search', async ({ query, context }) => ok(await listChannels(deps, query, context.locale)), {
      auth: 'admin',
      query: listQuery,
    })
    .get('/types', ({ context }) => ok(channelTypes(context.locale)), { auth: 'admin' })
    .get('/tags', async () => ok(await listTags(deps)), { auth: 'admin' })
    .get('/models', async () => ok(await knownModels(deps)), { auth: 'admin' })
    .get('/models_enabled', async () => ok(await enabledModels(deps)), { auth: 'admin' })
    .get(
      '/test/:id',
      async ({ params, query, viewer, context }) => {
        const tester = { ...viewer, ip: context.clientIp };
        const { success, reason, timeMs, model } = await testChannel(deps, probe, {
          id: params.id,
          model: query.model,
          tester,
          wish: { stream: query.stream ?? false },
        });
        // The one answer with its time beside `data`: in seconds, also of a failure.
        const message = reason ? reasonText(reason)[context.locale] : '';
        return { success, message, time: timeMs / 1000, data: { model } };
      },
      { auth: 'admin', acts: true, params: idParam, query: testQuery },
    )
    .get(
      '/update_balance/:id',
      async ({ params }) => {
        const { balance } = await updateBalance(deps, probe, params.id);
        // Beside `data`, like the time of a test.
        return { ...done(), balance };
      },
      { auth: 'admin', acts: true, params: idParam },
    )
    .get('/fetch_models/:id', async ({ params }) => ok(await fetchModelsOf(deps, probe, params.id)), {
      auth: 'admin',
      acts: true,
      params: idParam,
    })
    .post(
      '/fetch_models',
      async ({ body, actor }) => {
        const { type, base_url, key, other } = body;
        const given = { type, baseUrl: base_url ?? '', key: key ?? '', other: other ?? '' };
        return ok(await fetchModels(deps, probe, actor, given));
      },
      { auth: 'admin', body: fetchModelsBody },
    )
    .get('/:id/keys', async ({ params, context }) => ok(await listKeys(deps, params.id, context.locale)), {
      auth: 'admin',
      params: idParam,
    })
    .post(
      '/:id/keys/enable',
      async ({ params, body: { ids }, actor }) =>
        ok(await enableKeys(deps, actor, { channelId: params.id, ids })),
      { auth: 'admin', params: idParam, body: keyIdsBody },
    )
    .get('/:id', async ({ params, context }) => ok(await getChannel(deps, params.id, context.locale)), {
      auth: 'admin',
      params: idParam,
    })
    .post('/', async ({ body, actor }) => ok({ ids: await createChannels(deps, actor, body) }), {
      auth: 'admin',
      body: createBody,
    })
    .put(
      '/',
      async ({ body, context, actor }) => ok(await updateChannel(deps, actor, body, context.locale)),
      { auth: 'admin', body: updateBody },
    )
    .delete(
      '/:id',
      async ({ params, actor }) => {
        await removeChannel(deps, actor, params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    );

/** What is done to many channels at once; each answers how many it was done to. */
const batchRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'channel-batch' })
    .use(guard(deps))
    .post('/batch', async ({ body, actor }) => ok(await removeChannels(deps, actor, body.ids)), {
      auth: 'admin',
      body: idsBody,
    })
    .post(
      '/batch/tag',
      async ({ body: { ids, tag }, actor }) => ok(await tagChannels(deps, actor, { ids, tag: tag ?? '' })),
      { auth: 'admin', body: batchTagBody },
    )
    .post(
      '/batch/status',
      async ({ body: { ids, status }, actor }) =>
        ok(await setStatusOf(deps, actor, { ids, enabled: status === 1 })),
      { auth: 'admin', body: batchStatusBody },
    )
    .delete('/disabled', async ({ actor }) => ok(await removeDisabled(deps, actor)), { auth: 'admin' })
    .post(
      '/fix',
      async ({ actor }) => {
        const { rows, changed } = await fixAbilities(deps, actor);
        return { ...ok(rows), details: { changed } };
      },
      { auth: 'admin' },
    )
    .post(
      '/copy/:id',
      async ({ params, query, actor }) => {
        const suffix = query.suffix ?? ' copy';
        return ok({ id: await copyChannel(deps, actor, { id: params.id, suffix }) });
      },
      { auth: 'admin', params: idParam, query: copyQuery },
    )
    .put('/tag', async ({ body, actor }) => ok(await editTag(deps, actor, body)), {
      auth: 'admin',
      body: tagEditBody,
    })
    .post(
      '/tag/enabled',
      async ({ body: { tag, reset_keys }, actor }) => {
        const how = { tag, enabled: true, resetKeys: reset_keys ?? false };
        return ok(await setStatusOfTag(deps, actor, how));
      },
      { auth: 'admin', body: tagBody },
    )
    .post(
      '/tag/disabled',
      async ({ body: { tag }, actor }) => {
        const how = { tag, enabled: false, resetKeys: false };
        return ok(await setStatusOfTag(deps, actor, how));
      },
      { auth: 'admin', body: tagBody },
    );

const inLanguage = (text: Text | string | null, locale: Locale): string =>
  typeof text === 'string' ? text : (text?.[locale] ?? '');

/** The results of a job in the reader's words. */
const told = (job: Progress<SurveyDetail> | null, locale: Locale) =>
  job && {
    ...job,
    results: job.results.map(({ message, ...result }) => ({
      ...result,
      ...(message !== undefined && { message: inLanguage(message, locale) }),
    })),
  };

/** Tests and balances of many, in the background: begun, followed and stopped from any process. */
const surveyRoutes = (deps: Deps & GuardDeps, probe: ChannelProbe) =>
  new Elysia({ name: 'channel-survey' })
    .use(guard(deps))
    .get(
      '/test',
      async ({ query, viewer, actor }) => {
        const tester = { ...viewer, ip: actor.ip };
        return ok({ accepted: true, total: await testMany(deps, probe, { scope: query, tester, actor }) });
      },
      { auth: 'admin', acts: true, query: scopeQuery },
    )
    .get(
      '/test/status',
      async ({ query, context }) =>
        ok(told(await readProgress<SurveyDetail>(deps.db, TEST_JOB, query.after), context.locale)),
      {
        auth: 'admin',
        query: progressQuery,
      },
    )
    .post('/test/cancel', async ({ actor }) => ok(await cancelSurvey(deps, actor, TEST_JOB)), {
      auth: 'admin',
    })
    .get(
      '/update_balance',
      async ({ query, actor }) => {
        const how = { scope: query, actor };
        return ok({ accepted: true, total: await updateBalances(deps, probe, how) });
      },
      { auth: 'admin', acts: true, query: scopeQuery },
    )
    .get(
      '/update_balance/status',
      async ({ query, context }) =>
        ok(told(await readProgress<SurveyDetail>(deps.db, BALANCE_JOB, query.after), context.locale)),
      { auth: 'admin', query: progressQuery },
    )
    .post('/update_balance/cancel', async ({ actor }) => ok(await cancelSurvey(deps, actor, BALANCE_JOB)), {
      auth: 'admin',
    });

/** Lists of models outside `/api/channel`. */
export const modelRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'models', prefix: '/api' })
    .use(guard(deps))
    .get('/models', () => ok(modelsByType()), { auth: 'user' })
    .get(
      '/user/models',
      async ({ viewer, query }) => {
        const models = await usableModels(deps, viewer.group, query.group);
        if (query.sold !== 'true') return ok(models);
        const acceptUnset = await acceptsUnset(deps, viewer.id);
        return ok(models.filter((model) => isSold(deps.options, model, acceptUnset)));
      },
      { auth: 'user', query: usableQuery },
    );
