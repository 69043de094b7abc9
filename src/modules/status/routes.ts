/** `GET /api/status`. */
import { Elysia } from 'elysia';
import { contextOf } from '../../http/context.ts';
import { ok } from '../../http/envelope.ts';
import type { Deps } from '../deps.ts';
import { readStatus } from './service.ts';

export const statusRoutes = (deps: Deps) =>
  new Elysia({ name: 'status', prefix: '/api/status' }).get('/', async ({ request, server }) =>
    ok(await readStatus(deps, contextOf(request, deps.env, server))),
  );
