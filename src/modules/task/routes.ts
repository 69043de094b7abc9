/** The calls under `/api/task`, and those of drawings under `/api/mj`. */
import { Elysia } from 'elysia';
import type { z } from 'zod';
import { can } from '../../core/roles.ts';
import { readCappedPaging } from '../../core/wire/paging.ts';
import { readTime, type timeQuery } from '../../core/wire/query.ts';
import { idParam } from '../../core/wire/whole.ts';
import { shareOf } from '../../http/context.ts';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { allDrawingQuery, allQuery, fileQuery, ownDrawingQuery, ownQuery } from './contract.ts';
import { type TaskFiles, taskWithFiles } from './files.ts';
import { listDrawings, listTasks, type TaskFilter } from './list.ts';

type Filter = Omit<TaskFilter, 'isDrawing'>;

const filterOf = (query: z.output<typeof allQuery>): Filter => ({
  ...timeOf(query),
  taskId: query.task_id,
  platform: query.platform,
  action: query.action,
  status: query.status,
  sort: query.sort,
});

/** Anything below is seconds: as milliseconds it would be the year 1973. */
const SECONDS_BELOW = 1e11;
const millisOf = (at: number): number => (at < SECONDS_BELOW ? at * 1000 : at);

/** The last second is meant whole. */
function timeOf(query: z.output<typeof timeQuery>): Pick<Filter, 'fromMs' | 'toMs'> {
  const { from, to } = readTime(query);
  return {
    fromMs: from === undefined ? undefined : millisOf(from),
    toMs: to === undefined ? undefined : millisOf(to) + (to < SECONDS_BELOW ? 999 : 0),
  };
}

const drawingFilterOf = (query: z.output<typeof allDrawingQuery>): Filter => ({
  ...timeOf(query),
  taskId: query.mj_id,
  action: query.action,
  status: query.status,
  sort: query.sort,
});

export const drawingRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'drawing', prefix: '/api/mj' })
    .use(guard(deps))
    .get(
      '/',
      async ({ query, viewer: { id }, context: { locale } }) => {
        const filter = {
          ...drawingFilterOf(query),
          username: query.username,
          // 0 is "any channel".
          channelId: query.channel_id || undefined,
        };
        return ok(await listDrawings(deps, { id, locale }, filter, readCappedPaging(query)));
      },
      { auth: 'admin', query: allDrawingQuery },
    )
    .get(
      '/self',
      async ({ query, viewer: { id }, context: { locale } }) => {
        const filter = { ...drawingFilterOf(query), ownerId: id };
        return ok(await listDrawings(deps, { id, locale }, filter, readCappedPaging(query)));
      },
      { auth: 'user', query: ownDrawingQuery },
    );

export const taskRoutes = (deps: Deps & GuardDeps, files: TaskFiles) =>
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
    )
    .get(
      '/:id/content',
      async ({ params, query: { variant, piece = 0 }, viewer, context, request }) => {
        const { id, role } = viewer;
        const row = await taskWithFiles(deps, params.id, can(role, 'canSeeAllLogs') ? null : id);
        // Nobody reads what follows a head that was asked for alone.
        const left = request.method === 'HEAD' ? AbortSignal.abort() : request.signal;
        const reader = { userId: id, share: shareOf(viewer), ip: context.clientIp, left };
        return files.answer({ row, variant, piece }, reader);
      },
      { auth: 'user', acts: 'in-demo', params: idParam, query: fileQuery },
    );
