/** `/api/admin_action`: what administrators did, for root. */
import { Elysia } from 'elysia';
import type { z } from 'zod';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery, readCappedPaging } from '../../core/wire/paging.ts';
import { askedText, readTime, timeQuery } from '../../core/wire/query.ts';
import { idParam } from '../../core/wire/whole.ts';
import type { SheetDeps } from '../../http/csv.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { ACTION_ORDERS } from './facts.ts';
import { type ActionFilter, exportActions, getAction, listActions } from './list.ts';

const filterQuery = timeQuery.extend({
  actor: askedText,
  action: askedText,
  target: askedText,
  keyword: askedText,
});
const listQuery = pagingQuery.extend({
  ...filterQuery.shape,
  /** Newest first without one; an order is one of the newest actions, as many as there are pages for. */
  sort: askedOrder(ACTION_ORDERS),
});

const filterOf = (query: z.output<typeof filterQuery>): ActionFilter => ({
  actor: query.actor,
  action: query.action,
  target: query.target,
  keyword: query.keyword,
  ...readTime(query),
});

export const adminActionRoutes = (deps: Deps & GuardDeps & SheetDeps) =>
  new Elysia({ name: 'admin-action', prefix: '/api/admin_action' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer }) =>
        ok(
          await listActions(
            deps,
            viewer.id,
            { ...filterOf(query), sort: query.sort },
            readCappedPaging(query),
          ),
        ),
      {
        auth: 'root',
        query: listQuery,
      },
    )
    .get(
      '/export',
      ({ query, viewer, context, request, still }) =>
        deps.sheets.answer({ request, context, still }, () => ({
          filename: 'admin-actions.csv',
          pages: exportActions(deps, viewer.id, filterOf(query)),
        })),
      {
        auth: 'root',
        acts: 'in-demo',
        query: filterQuery,
      },
    )
    .get('/:id', async ({ params, viewer }) => ok(await getAction(deps, viewer.id, params.id)), {
      auth: 'root',
      params: idParam,
    });
