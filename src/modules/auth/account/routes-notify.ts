/** `/api/user/setting`: how a user is warned. */
import { Elysia } from 'elysia';
import { notifySettingBody } from '../../../core/wire/notify-setting.ts';
import { done } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { readCodeFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { changeNotifySetting, testNotifySetting } from './notify-setting.ts';

export const notifyRoutes = (deps: Deps & GuardDeps & SessionDeps) =>
  new Elysia({ name: 'notify', prefix: '/api/user/setting' })
    .use(guard(deps))
    .put(
      '/',
      async ({ body, viewer, context, request }) => {
        const flowId = readCodeFlow(request, context);
        await changeNotifySetting(deps, { id: viewer.id, ip: context.clientIp, flowId }, body);
        return done();
      },
      { auth: 'user', body: notifySettingBody },
    )
    // With what is stored: a form saves before it tries.
    .post(
      '/test',
      async ({ viewer, context }) => {
        await testNotifySetting(deps, viewer.id, context.locale);
        return done();
      },
      { auth: 'user' },
    );
