/** Inviting others: the code, what it is worth and whom it brought; and the way of rewards to the balance. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { invitedQuery, transferBody } from './contract.ts';
import { listInvited, readAffCode, readTerms, transfer } from './service.ts';

export const invitationRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'invitation', prefix: '/api/user' })
    .use(guard(deps))
    .get('/aff', async ({ viewer }) => ok(await readAffCode(deps, viewer.id)), { auth: 'user' })
    .get('/aff/terms', async ({ viewer }) => ok(await readTerms(deps, viewer.id)), { auth: 'user' })
    .get(
      '/aff/invited',
      async ({ viewer, query }) => {
        const paging = readPaging(query);
        const list = await listInvited(deps, viewer.id, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'user', query: invitedQuery },
    )
    .post(
      '/quota_transfer',
      async ({ viewer, body, context }) =>
        ok(balancesView(await transfer(deps, ownerOf(viewer, context), body.quota ?? 0))),
      { auth: 'user', body: transferBody },
    )
    // The older call of the two, with a least amount.
    .post(
      '/aff_transfer',
      async ({ viewer, body, context }) => {
        const least = deps.options.get('aff_quota.min_transfer');
        return ok(balancesView(await transfer(deps, ownerOf(viewer, context), body.quota ?? 0, least)));
      },
      { auth: 'user', body: transferBody },
    );

const ownerOf = (viewer: { id: number; username: string; group: string }, context: { clientIp: string }) => ({
  id: viewer.id,
  username: viewer.username,
  group: viewer.group,
  ip: context.clientIp,
});

const balancesView = (after: { quota: number; affQuota: number; activityQuota: number }) => ({
  quota: after.quota,
  aff_quota: after.affQuota,
  activity_quota: after.activityQuota,
});
