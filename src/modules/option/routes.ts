/** `/api/option`: root reads and changes the settings. */

import { Elysia } from 'elysia';
import { z } from 'zod';
import { optionPanels } from '../../core/option-panels.ts';
import { wireText } from '../../core/wire/text.ts';
import { done, ok } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import type { Deps } from '../deps.ts';
import { fieldsOf } from './fields.ts';
import { changeOption, listOptions, resetModelRatios } from './service.ts';

const VALUE_MAX = 2_000_000;

/** The spec's values are strings; scripts like to send the number or boolean itself. */
const changeBody = z.object({
  key: wireText(200),
  value: z.union([
    wireText(VALUE_MAX),
    z.number().transform(String),
    z.boolean().transform(String),
    z.null(),
  ]),
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
        const { key, value, confirm } = body;
        await changeOption(deps, actor, {
          key,
          text: value,
          isConfirmed: confirm === true,
        });
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
