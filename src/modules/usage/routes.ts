/** The calls under `/api/data`: usage over time. */
import { Elysia } from 'elysia';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { ownRowsQuery, ownUsageQuery, rowsQuery, usageQuery } from './contract.ts';
import { usageReport, usageRows } from './service.ts';

export const usageRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'usage', prefix: '/api/data' })
    .use(guard(deps))
    .get('/', async ({ query, viewer: { id } }) => ok(await usageRows(deps, { id }, query)), {
      auth: 'admin',
      query: rowsQuery,
    })
    .get(
      '/self',
      async ({ query, viewer: { id } }) => ok(await usageRows(deps, { id, ownerId: id }, query)),
      {
        auth: 'user',
        query: ownRowsQuery,
      },
    )
    .get('/usage', async ({ query, viewer: { id } }) => ok(await usageReport(deps, { id }, query)), {
      auth: 'admin',
      query: usageQuery,
    })
    .get(
      '/self/usage',
      async ({ query, viewer: { id } }) => ok(await usageReport(deps, { id, ownerId: id }, query)),
      { auth: 'user', query: ownUsageQuery },
    );
