/** Making an account, proving a mailbox, and setting a forgotten password: calls for everyone. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { readKnown } from '../../../http/known-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { requireHuman, turnstile } from '../captcha/human-check.ts';
import { register } from '../password/register.ts';
import { resetPassword, sendCode, sendResetLink } from './mailbox.ts';

const text = wireText(1_000).nullish();

const registerBody = z.object({
  username: text,
  password: text,
  password2: text,
  email: text,
  verification_code: text,
  aff_code: text,
});
const registerQuery = z.object({ turnstile });
const mailboxQuery = z.object({ email: text, turnstile });
const resetBody = z.object({ email: text, token: text });

export const registerRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'register', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/user/register',
      async ({ body, query, context }) => {
        await requireHuman(deps, context, query.turnstile, 'register');
        await register(deps, {
          username: body.username ?? '',
          password: body.password ?? '',
          password2: body.password2 ?? '',
          email: body.email ?? '',
          code: body.verification_code ?? '',
          affCode: body.aff_code ?? '',
          ip: context.clientIp,
        });
        return done();
      },
      { guest: true, body: registerBody, query: registerQuery },
    )
    .get(
      '/verification',
      async ({ query, context, request }) => {
        await requireHuman(deps, context, query.turnstile, 'register', 'bind');
        const { clientIp: ip, locale } = context;
        await sendCode(deps, { email: query.email ?? '', ip, known: readKnown(request, context), locale });
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
