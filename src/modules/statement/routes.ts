/** Statements under `/api/user`: one's own, and for administrators anybody's whom they may read. */
import { Elysia } from 'elysia';
import type { SheetDeps } from '../../http/csv.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { filterQuery, idParam, pageQuery } from './contract.ts';
import { accountFor, exportStatement, statementPage } from './service.ts';

const FILE = 'statement.csv';

export const statementRoutes = (deps: Deps & GuardDeps & SheetDeps) =>
  new Elysia({ name: 'statement', prefix: '/api/user' })
    .use(guard(deps))
    .get(
      '/statement',
      async ({ query, viewer }) => ok(await statementPage(deps, { ...viewer, readerId: viewer.id }, query)),
      { auth: 'user', query: pageQuery },
    )
    .get(
      '/statement/export',
      ({ query, viewer, context, request }) =>
        deps.sheets.answer({ request, context }, () => ({
          filename: FILE,
          pages: exportStatement(deps, { ...viewer, readerId: viewer.id, locale: context.locale }, query),
        })),
      { auth: 'user', acts: 'in-demo', query: filterQuery },
    )
    .get(
      '/:id/statement',
      async ({ params, query, actor }) =>
        ok(await statementPage(deps, await accountFor(deps, actor, params.id), query)),
      { auth: 'admin', params: idParam, query: pageQuery },
    )
    .get(
      '/:id/statement/export',
      ({ params, query, actor, context, request }) =>
        deps.sheets.answer({ request, context }, async () => ({
          filename: FILE,
          pages: exportStatement(
            deps,
            { ...(await accountFor(deps, actor, params.id)), locale: context.locale },
            query,
          ),
        })),
      { auth: 'admin', acts: 'in-demo', params: idParam, query: filterQuery },
    );
