/** `/api/mail`: root tries whether mail goes out. */

import { Elysia } from 'elysia';
import { z } from 'zod';
import { fail } from '../../core/errors.ts';
import { asIs } from '../../core/text.ts';
import { wireText } from '../../core/wire/text.ts';
import { done } from '../../http/envelope.ts';
import { type GuardDeps, guard } from '../../http/guard.ts';
import { MailError } from '../../platform/mail.ts';
import type { Deps } from '../deps.ts';
import { testMail } from './texts.ts';

const address = z.email().max(254);

export const mailRoutes = (deps: Deps & GuardDeps) =>
  new Elysia({ name: 'mail', prefix: '/api/mail' }).use(guard(deps)).post(
    '/test',
    async ({ body, context }) => {
      const to = address.safeParse(body.to.trim());
      if (!to.success) throw fail('MAIL_ADDRESS');
      const site = deps.options.get('SystemName');
      await deps.mailer.send({ to: to.data, ...testMail(site, context.locale) }).catch((error: unknown) => {
        throw error instanceof MailError
          ? fail('MAIL_UNSENT', { params: { reason: asIs(error.message) } })
          : error;
      });
      return done();
    },
    { auth: 'root', body: z.object({ to: wireText(300) }) },
  );
