/** Making an account and signing in, by password. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { readKnown } from '../../../http/known-cookie.ts';
import { readCodeFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { requireHuman, turnstile } from '../captcha/human-check.ts';
import { answerSignIn } from '../routes-sign-in.ts';
import { checkPassword } from './login.ts';
import { register } from './register.ts';

const text = wireText(1_000).nullish();

const loginBody = z.object({ username: text, password: text });
const loginQuery = z.object({ turnstile });

const registerBody = z.object({
  username: text,
  password: text,
  password2: text,
  email: text,
  verification_code: text,
  aff_code: text,
});
const registerQuery = z.object({ turnstile });

export const passwordRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'password', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/user/login',
      async ({ body, query, coming }) => {
        await requireHuman(deps, coming.context, query.turnstile, 'login');
        const given = { username: body.username ?? '', password: body.password ?? '' };
        const known = readKnown(coming.request, coming.context);
        const account = await checkPassword(deps, { ...given, known, ip: coming.context.clientIp });
        return answerSignIn(deps, account, coming);
      },
      { guest: true, body: loginBody, query: loginQuery },
    )
    .post(
      '/user/register',
      async ({ body, query, context, request }) => {
        await requireHuman(deps, context, query.turnstile, 'register');
        await register(deps, {
          username: body.username ?? '',
          password: body.password ?? '',
          password2: body.password2 ?? '',
          email: body.email ?? '',
          code: body.verification_code ?? '',
          affCode: body.aff_code ?? '',
          ip: context.clientIp,
          flowId: readCodeFlow(request, context),
        });
        return done();
      },
      { guest: true, body: registerBody, query: registerQuery },
    );
