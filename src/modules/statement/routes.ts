/** Statements under `/api/user`: one's own, and for administrators anybody's whom they may read. */
import { Elysia } from 'elysia';
import type { Locale } from '../../core/errors.ts';
import { idParam } from '../../core/wire/whole.ts';
import type { SheetDeps } from '../../http/csv.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { askedLanguage } from '../../http/language.ts';
import type { Deps } from '../deps.ts';
import { filterQuery, pageQuery } from './contract.ts';
import { accountFor, exportStatement, statementPage } from './service.ts';

const FILE = 'statement.csv';

/** A program names no language, and finds a column by the name that it has in English. */
const localeOf = (request: Request): Locale => askedLanguage(request) ?? 'en';

const readerOf = <Who extends object>(who: Who, request: Request) => ({ ...who, left: request.signal });

/** One's own account. */
const ownOf = (viewer: { id: number; username: string }, request: Request) => ({
  ...viewer,
  reader: readerOf(viewer, request),
});

export const statementRoutes = (deps: Deps & GuardDeps & SheetDeps) =>
  new Elysia({ name: 'statement', prefix: '/api/user' })
    .use(guard(deps))
    .get(
      '/statement',
      async ({ query, viewer, request }) => ok(await statementPage(deps, ownOf(viewer, request), query)),
      { auth: 'user', query: pageQuery },
    )
    .get(
      '/statement/export',
      ({ query, viewer, context, request, still }) =>
        deps.sheets.answer({ request, context, still }, () => ({
          filename: FILE,
          pages: exportStatement(deps, { ...ownOf(viewer, request), locale: localeOf(request) }, query),
        })),
      { auth: 'user', acts: 'in-demo', query: filterQuery },
    )
    .get(
      '/:id/statement',
      async ({ params, query, actor, request }) =>
        ok(await statementPage(deps, await accountFor(deps, readerOf(actor, request), params.id), query)),
      { auth: 'admin', params: idParam, query: pageQuery },
    )
    .get(
      '/:id/statement/export',
      ({ params, query, actor, context, request, still }) =>
        deps.sheets.answer({ request, context, still }, async () => ({
          filename: FILE,
          pages: exportStatement(
            deps,
            {
              ...(await accountFor(deps, readerOf(actor, request), params.id)),
              locale: localeOf(request),
            },
            query,
          ),
        })),
      { auth: 'admin', acts: 'in-demo', params: idParam, query: filterQuery },
    );
