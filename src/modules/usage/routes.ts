/** The calls under `/api/data`: usage over time. */
import { Elysia } from 'elysia';
import type { SheetDeps } from '../../http/csv.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import {
  ownRowsQuery,
  ownSheetQuery,
  ownUsageQuery,
  ROWS_FROM,
  rowsQuery,
  sheetQuery,
  type UsageRow,
  usageQuery,
} from './contract.ts';
import { exportUsage } from './export.ts';
import { usageReport, usageRows } from './service.ts';

const FILE = 'dashboard.csv';

/** The rows alone, as old consoles read them; where older ones were left out, a header says so. */
function rowsWith(
  { headers }: { headers: Record<string, string | number> },
  { rows, cutAt }: { rows: UsageRow[]; cutAt: number | null },
) {
  if (cutAt !== null) headers[ROWS_FROM] = String(cutAt);
  return ok(rows);
}

export const usageRoutes = (deps: Deps & GuardDeps & SheetDeps) =>
  new Elysia({ name: 'usage', prefix: '/api/data' })
    .use(guard(deps))
    .get('/', async ({ query, viewer: { id }, set }) => rowsWith(set, await usageRows(deps, { id }, query)), {
      auth: 'admin',
      query: rowsQuery,
    })
    .get(
      '/self',
      async ({ query, viewer: { id }, set }) =>
        rowsWith(set, await usageRows(deps, { id, ownerId: id }, query)),
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
    )
    .get(
      '/usage/export',
      ({ query, viewer: { id }, context, request, still }) =>
        deps.sheets.answer({ request, context, still }, () => ({
          filename: FILE,
          pages: exportUsage(deps, { id, locale: context.locale }, query),
        })),
      { auth: 'admin', acts: 'in-demo', query: sheetQuery },
    )
    .get(
      '/self/usage/export',
      ({ query, viewer: { id }, context, request, still }) =>
        deps.sheets.answer({ request, context, still }, () => ({
          filename: FILE,
          pages: exportUsage(deps, { id, ownerId: id, locale: context.locale }, query),
        })),
      { auth: 'user', acts: 'in-demo', query: ownSheetQuery },
    );
