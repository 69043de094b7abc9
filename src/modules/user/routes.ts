/** `/api/user` for administrators. */

import { Elysia } from 'elysia';
import { z } from 'zod';
import { COLUMN_MAX } from '../../core/bounds.ts';
import { fail } from '../../core/errors.ts';
import { askedOrder } from '../../core/wire/order.ts';
import { pagingQuery, readPaging } from '../../core/wire/paging.ts';
import { wireText } from '../../core/wire/text.ts';
import { typedId, typedWhole } from '../../core/wire/whole.ts';
import type { Viewer } from '../../http/context.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import type { SessionDeps } from '../session/service.ts';
import { createUser, getUser, manageUser, updateUser } from './admin.ts';
import { eraseUser } from './erase.ts';
import { MANAGE_ACTIONS, type ManageAction, USER_ORDERS } from './facts.ts';
import { listUsers } from './list.ts';

const TEXT_MAX = 1_000;
const text = wireText(TEXT_MAX);
/** Of quota, which may also be taken away. */
const units = typedWhole('bigint', -COLUMN_MAX.bigint);

const searchQuery = pagingQuery.extend({
  keyword: text.optional(),
  token: text.optional(),
  aff_code: text.optional(),
  group: text.optional(),
  /** Newest first without one. */
  sort: askedOrder(USER_ORDERS),
});

/** Empty fields are refused by the rule that names them both, not by their schema. */
const createBody = z.object({
  username: text.nullish(),
  password: text.nullish(),
  display_name: text.nullish(),
  role: z.number().int().nullish(),
});

/** A row may come back as GET gave it: null, and an empty password, keep what is there; other fields are ignored. */
const updateBody = z.object({
  id: typedId,
  username: text.nullish(),
  display_name: text.nullish(),
  password: text.nullish(),
  group: text.nullish(),
  remarks: text.nullish(),
  quota: units.nullish(),
  quota_before: units.nullish(),
  add_quota: units.nullish(),
  reason: text.nullish(),
});

/** What whoever finds it done takes back with the next button. */
const UNDONE_AT_ONCE: readonly ManageAction[] = ['enable', 'disable'];

const manageBody = z.object({ id: typedId, action: z.enum(MANAGE_ACTIONS) });

export const userRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  /**
   * Nobody is made an administrator, cancelled, erased or shut out of his account, from a browser that was left open.
   * Scripts have an access token, and all that it opens. Throws REAUTH_REQUIRED.
   */
  const requireRecentProof = async ({ sessionId }: Viewer): Promise<void> => {
    if (sessionId !== null && !(await deps.sessions.reauthenticatedRecently(sessionId)))
      throw fail('REAUTH_REQUIRED');
  };

  return new Elysia({ name: 'user', prefix: '/api/user' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer }) => {
        const paging = readPaging(query);
        const list = await listUsers(deps, viewer, {}, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'admin', query: pagingQuery },
    )
    .get(
      '/search',
      async ({ query, viewer }) => {
        const paging = readPaging(query);
        const list = await listUsers(deps, viewer, query, paging);
        return ok({ ...list, page: paging.page, page_size: paging.pageSize });
      },
      { auth: 'admin', query: searchQuery },
    )
    .get('/:id', async ({ params, actor }) => ok(await getUser(deps, actor, params.id)), {
      auth: 'admin',
      params: z.object({ id: typedId }),
    })
    .post(
      '/',
      async ({ body, actor }) => {
        const { username, password, display_name, role } = body;
        const created = await createUser(deps, actor, {
          username: username ?? '',
          password: password ?? '',
          displayName: display_name ?? '',
          ...(role != null && { role }),
        });
        return ok({ id: created });
      },
      { auth: 'admin', body: createBody },
    )
    .put(
      '/',
      async ({ body, viewer, actor }) => {
        const { display_name, quota_before, add_quota, ...same } = body;
        if (body.password) await requireRecentProof(viewer);
        await updateUser(deps, actor, {
          ...same,
          displayName: display_name,
          quotaBefore: quota_before,
          addQuota: add_quota,
        });
        return done();
      },
      { auth: 'admin', body: updateBody },
    )
    .delete(
      '/:id',
      async ({ params, viewer, actor }) => {
        await requireRecentProof(viewer);
        await eraseUser(deps, actor, params.id);
        return done();
      },
      { auth: 'root', params: z.object({ id: typedId }) },
    )
    .post(
      '/manage',
      async ({ body, viewer, actor }) => {
        const { id, action } = body;
        if (!UNDONE_AT_ONCE.includes(action)) await requireRecentProof(viewer);
        return ok(await manageUser(deps, actor, id, action));
      },
      { auth: 'admin', body: manageBody },
    );
};
