/** `/api/option`: root reads and changes the settings. */

import { Elysia } from 'elysia';
import { z } from 'zod';
import { optionPanels } from '../../core/option-panels.ts';
import { wireText } from '../../core/wire/text.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { fieldsOf } from './fields.ts';
import { changeOptions, listOptions, resetModelRatios } from './service.ts';

const VALUE_MAX = 2_000_000;
/** Addresses and secrets, and as many of them as form one place. */
const ALSO_VALUE_MAX = 10_000;
const ALSO_MAX = 10;

/** The spec's values are strings; scripts like to send the number or boolean itself. */
const optionText = (longest: number) =>
  z.union([wireText(longest), z.number().transform(String), z.boolean().transform(String), z.null()]);

const changeBody = z.object({
  key: wireText(200),
  value: optionText(VALUE_MAX),
  /** Changed with it, all or none: an address that leads elsewhere needs its secret again. */
  also: z
    .array(z.object({ key: wireText(200), value: optionText(ALSO_VALUE_MAX) }))
    .max(ALSO_MAX)
    .optional(),
  /** Groups that are still in use may go. */
  confirm: z.boolean().optional(),
});

export const optionRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'option', prefix: '/api/option' })
    .use(guard(deps))
    .get('/', () => ok(listOptions(deps.options)), { auth: 'root' })
    .get('/fields', ({ query, context }) => ok(fieldsOf(deps.options, query.panel, context.locale)), {
      auth: 'root',
      query: z.object({ panel: z.enum(optionPanels).optional() }),
    })
    .put(
      '/',
      async ({ body, actor }) => {
        const { also = [], confirm, ...first } = body;
        const changes = [first, ...also].map(({ key, value }) => ({ key, text: value }));
        await changeOptions(deps, actor, { changes, isConfirmed: confirm === true });
        return done();
      },
      { auth: 'root', body: changeBody },
    )
    .post(
      '/rest_model_ratio',
      async ({ actor }) => {
        await resetModelRatios(deps, actor);
        return done();
      },
      { auth: 'root' },
    );
