/** The calls under `/api/log`. */
import { Elysia } from 'elysia';
import type { z } from 'zod';
import type { Locale } from '../../core/errors.ts';
import { can } from '../../core/roles.ts';
import { readCappedPaging } from '../../core/wire/paging.ts';
import type { Viewer } from '../../http/context.ts';
import type { SheetDeps } from '../../http/csv.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import {
  allFilter,
  allQuery,
  deleteQuery,
  namesQuery,
  ownFilter,
  ownQuery,
  recomputeBody,
  rowParam,
} from './contract.ts';
import { deleteLogs } from './delete.ts';
import { countExport, exportLogs } from './export.ts';
import { type LogPaging, type LogReader, listLogs, logStat } from './list.ts';
import { logNames } from './names.ts';
import { readLog, readReceipt, recompute } from './one.ts';

const FILE = 'usage.csv';

/** As much as who asks may see. */
const readerOf = ({ id, role }: Viewer, { locale }: { locale: Locale }): LogReader => ({
  id,
  scope: can(role, 'canSeeAllLogs') ? 'all' : 'own',
  locale,
});

const pagingOf = (query: z.output<typeof ownQuery> | z.output<typeof allQuery>): LogPaging => ({
  ...readCappedPaging(query),
  sort: query.sort,
});

export const logRoutes = (deps: Deps & GuardDeps & SheetDeps) =>
  new Elysia({ name: 'log', prefix: '/api/log' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer: { id }, context: { locale } }) =>
        ok(await listLogs(deps, { id, scope: 'all', locale }, allFilter(query), pagingOf(query))),
      { auth: 'admin', query: allQuery },
    )
    .delete('/', async ({ query, actor }) => ok(await deleteLogs(deps, actor, query.target_timestamp ?? 0)), {
      auth: 'root',
      query: deleteQuery,
    })
    .get('/stat', async ({ query, viewer }) => ok(await logStat(deps, viewer, allFilter(query))), {
      auth: 'admin',
      query: allQuery,
    })
    .get(
      '/self',
      async ({ query, viewer, context: { locale } }) => {
        const filter = { ...ownFilter(query), ownerId: viewer.id };
        return ok(await listLogs(deps, { id: viewer.id, scope: 'own', locale }, filter, pagingOf(query)));
      },
      { auth: 'user', query: ownQuery },
    )
    .get(
      '/self/stat',
      async ({ query, viewer }) =>
        ok(await logStat(deps, viewer, { ...ownFilter(query), ownerId: viewer.id })),
      { auth: 'user', query: ownQuery },
    )
    .use(rowRoutes(deps));

/** What everybody asks of what he may see: administrators of all rows, users of their own. */
const rowRoutes = (deps: Deps & GuardDeps & SheetDeps) =>
  new Elysia({ name: 'log-rows' })
    .use(guard(deps))
    .get(
      '/export',
      ({ query, viewer, context, request, still }) =>
        deps.sheets.answer({ request, context, still }, async () => {
          const reader = readerOf(viewer, context);
          const filter =
            reader.scope === 'all' ? allFilter(query) : { ...ownFilter(query), ownerId: viewer.id };
          const total = await countExport(deps, reader, filter);
          return {
            filename: FILE,
            pages: exportLogs(deps, reader, filter),
            ...(total === null ? {} : { headers: { 'x-total-rows': String(total) } }),
          };
        }),
      { auth: 'user', acts: 'in-demo', query: allQuery },
    )
    .get(
      '/names',
      async ({ query, viewer, context }) =>
        ok(await logNames(deps, readerOf(viewer, context), query.username)),
      { auth: 'user', query: namesQuery },
    )
    .get(
      '/:row',
      async ({ params, viewer, context }) => ok(await readLog(deps, readerOf(viewer, context), params.row)),
      { auth: 'user', params: rowParam },
    )
    .get(
      '/:row/receipt',
      async ({ params, viewer, context }) =>
        ok(await readReceipt(deps, readerOf(viewer, context), params.row)),
      { auth: 'user', params: rowParam },
    )
    .post(
      '/:row/recompute',
      async ({ params, body, viewer, context }) =>
        ok(await recompute(deps, readerOf(viewer, context), { id: params.row, ...body })),
      { auth: { least: 'user', framed: 'any' }, params: rowParam, body: recomputeBody },
    );
