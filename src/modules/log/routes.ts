/** The calls under `/api/log`. */
import { Elysia } from 'elysia';
import type { z } from 'zod';
import { pagingQuery, readCappedPaging } from '../../core/wire/paging.ts';
import { askedText, readTime, timeQuery } from '../../core/wire/query.ts';
import { askedWhole } from '../../core/wire/whole.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import type { LogFilter } from './filter.ts';
import { listLogs, logStat } from './list.ts';

const ownQuery = pagingQuery.extend({
  ...timeQuery.shape,
  type: askedWhole('smallint'),
  token_name: askedText,
  model_name: askedText,
  group: askedText,
  request_id: askedText,
});
const allQuery = ownQuery.extend({
  username: askedText,
  channel: askedWhole('bigint'),
  description: askedText,
});

const ownFilter = (query: z.output<typeof ownQuery>): LogFilter => ({
  ...readTime(query),
  // 0 is the page's "all", and "any channel".
  type: query.type || undefined,
  tokenName: query.token_name,
  modelName: query.model_name,
  group: query.group,
  requestId: query.request_id,
});

const allFilter = (query: z.output<typeof allQuery>): LogFilter => ({
  ...ownFilter(query),
  username: query.username,
  channelId: query.channel || undefined,
  description: query.description,
});

export const logRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'log', prefix: '/api/log' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer: { id }, context: { locale } }) =>
        ok(await listLogs(deps, { id, scope: 'all', locale }, allFilter(query), readCappedPaging(query))),
      { auth: 'admin', query: allQuery },
    )
    .get('/stat', async ({ query, viewer }) => ok(await logStat(deps, viewer, allFilter(query))), {
      auth: 'admin',
      query: allQuery,
    })
    .get(
      '/self',
      async ({ query, viewer, context: { locale } }) => {
        const filter = { ...ownFilter(query), ownerId: viewer.id };
        return ok(
          await listLogs(deps, { id: viewer.id, scope: 'own', locale }, filter, readCappedPaging(query)),
        );
      },
      { auth: 'user', query: ownQuery },
    )
    .get(
      '/self/stat',
      async ({ query, viewer }) =>
        ok(await logStat(deps, viewer, { ...ownFilter(query), ownerId: viewer.id })),
      { auth: 'user', query: ownQuery },
    );
