/** The calls under `/api/task`. */
import { Elysia } from 'elysia';
import type { z } from 'zod';
import { readCappedPaging } from '../../core/wire/paging.ts';
import { readTime } from '../../core/wire/query.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { allQuery, ownQuery } from './contract.ts';
import { listTasks, type TaskFilter } from './list.ts';

const filterOf = (query: z.output<typeof ownQuery>): TaskFilter => ({
  ...readTime(query),
  taskId: query.task_id,
  platform: query.platform,
  action: query.action,
  status: query.status,
});

export const taskRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'task', prefix: '/api/task' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer: { id }, context: { locale } }) => {
        const filter = {
          ...filterOf(query),
          username: query.username,
          // 0 is "any channel".
          channelId: query.channel_id || undefined,
        };
        const reader = { id, locale, isBrief: query.brief === 'true' };
        return ok(await listTasks(deps, reader, filter, readCappedPaging(query)));
      },
      { auth: 'admin', query: allQuery },
    )
    .get(
      '/self',
      async ({ query, viewer: { id }, context: { locale } }) => {
        const reader = { id, locale, isBrief: query.brief === 'true' };
        return ok(
          await listTasks(deps, reader, { ...filterOf(query), ownerId: id }, readCappedPaging(query)),
        );
      },
      { auth: 'user', query: ownQuery },
    );
