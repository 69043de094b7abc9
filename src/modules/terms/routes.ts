/** `GET /api/terms/{document}`: what the pages under `/terms` show. */

import { Elysia } from 'elysia';
import { z } from 'zod';
import { ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { documents } from './facts.ts';
import { readTerms } from './service.ts';

export const termsRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'terms', prefix: '/api/terms' })
    .use(guard(deps))
    .get(
      '/:document',
      ({ params, context }) => ok(readTerms(deps.options, params.document, context.locale)),
      { guest: true, params: z.object({ document: z.enum(documents) }) },
    );
