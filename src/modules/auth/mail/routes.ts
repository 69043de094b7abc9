/** Proving a mailbox, and setting a forgotten password: calls for everyone. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { readKnown } from '../../../http/known-cookie.ts';
import { keepCodeFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { requireHuman, turnstile } from '../captcha/human-check.ts';
import { resetPassword, sendCode, sendResetLink } from './mailbox.ts';

const text = wireText(1_000).nullish();

const mailboxQuery = z.object({ email: text, turnstile });
const resetBody = z.object({ email: text, token: text });

export const mailboxRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'mailbox', prefix: '/api' })
    .use(guard(deps))
    .get(
      '/verification',
      async ({ query, context, request, set }) => {
        await requireHuman(deps, context, query.turnstile, 'register', 'bind');
        const { clientIp: ip, locale } = context;
        await sendCode(deps, {
          email: query.email ?? '',
          ip,
          known: readKnown(request, context),
          locale,
          flowId: keepCodeFlow(request, context, set),
        });
        return done();
      },
      { guest: true, ownSite: true, acts: true, query: mailboxQuery },
    )
    .get(
      '/reset_password',
      async ({ query, context, request }) => {
        await requireHuman(deps, context, query.turnstile, 'reset');
        const { clientIp: ip, locale } = context;
        await sendResetLink(deps, {
          email: query.email ?? '',
          ip,
          known: readKnown(request, context),
          locale,
        });
        return done();
      },
      { guest: true, ownSite: true, acts: true, query: mailboxQuery },
    )
    .post(
      '/user/reset',
      async ({ body }) => {
        const { email, token } = body;
        return ok(await resetPassword(deps, { email: email ?? '', token: token ?? '' }));
      },
      { guest: true, body: resetBody },
    );
