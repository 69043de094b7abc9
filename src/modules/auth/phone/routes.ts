/** Codes by text message, and what one can do with them: sign in and register. Calls for everyone. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { readKnown } from '../../../http/known-cookie.ts';
import { keepCodeFlow, readCodeFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { answerSignIn } from '../routes-sign-in.ts';
import { enterByPhone, registerByPhone, sendPhoneCode } from './phone.ts';

const text = wireText(1_000).nullish();

const codeBody = z.object({ mobile: text });
const loginBody = z.object({ phone_number: text, code: text, aff: text });
const registerBody = z.object({ phone_number: text, code: text, aff_code: text });

export const phoneRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'phone', prefix: '/api' })
    .use(guard(deps))
    .post(
      '/sms/code',
      async ({ body, context, request, set }) => {
        await sendPhoneCode(deps, {
          phone: body.mobile ?? '',
          ip: context.clientIp,
          known: readKnown(request, context),
          flowId: keepCodeFlow(request, context, set),
        });
        return done();
      },
      { guest: true, body: codeBody },
    )
    .post(
      '/user/login/mobile',
      async ({ body, coming }) => {
        const account = await enterByPhone(deps, {
          phone: body.phone_number ?? '',
          code: body.code ?? '',
          affCode: body.aff ?? '',
          ip: coming.context.clientIp,
          flowId: readCodeFlow(coming.request, coming.context),
        });
        return answerSignIn(deps, account, coming);
      },
      { guest: true, body: loginBody },
    )
    .post(
      '/user/register/mobile',
      async ({ body, context, request }) => {
        await registerByPhone(deps, {
          phone: body.phone_number ?? '',
          code: body.code ?? '',
          affCode: body.aff_code ?? '',
          ip: context.clientIp,
          flowId: readCodeFlow(request, context),
        });
        return done();
      },
      { guest: true, body: registerBody },
    );
