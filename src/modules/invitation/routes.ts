/** Inviting others: the code, what it is worth and whom it brought; and the way of rewards to the balance. */
import { Elysia } from 'elysia';
import { readPaging } from '../../core/wire/paging.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { invitedQuery, transferBody } from './contract.ts';
import { listInvited, type Owner, readAffCode, readTerms, spendTransfer, transfer } from './service.ts';

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
      async ({ viewer, body, context }) => ok(await move(deps, ownerOf(viewer, context), body.quota)),
      { auth: 'user', body: transferBody },
    )
    // The older name of the same call.
    .post(
      '/aff_transfer',
      async ({ viewer, body, context }) => ok(await move(deps, ownerOf(viewer, context), body.quota)),
      { auth: 'user', body: transferBody },
    );

async function move(deps: Deps, owner: Owner, quota: number | null = 0) {
  await spendTransfer(deps, owner.id);
  return balancesView(await transfer(deps, owner, quota ?? 0));
}

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
