/** The second factor: its code at a sign-in, its owner's switches, and the one of administrators. */
import { Elysia } from 'elysia';
import { z } from 'zod';
import { wireText } from '../../../core/wire/text.ts';
import { idParam } from '../../../core/wire/whole.ts';
import type { RequestContext, Viewer } from '../../../http/context.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { keepKnown, readKnown } from '../../../http/known-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { readAccount } from '../account/account.ts';
import { rememberBrowser } from '../known-browser.ts';
import { answerSecondFactor } from '../routes-sign-in.ts';
import { redeemFactor } from './factor.ts';
import {
  disableSecondFactor,
  enableSecondFactor,
  forceSecondFactorOff,
  renewBackupCodes,
  secondFactorOf,
  secondFactorStatus,
  setUpSecondFactor,
} from './settings.ts';

const codeBody = z.object({ code: wireText(100).nullish() });

export const secondFactorRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  /** Turning it on or off voids all marks of browsers; this one has just proved both. Its new cookie. */
  const markAnew = async (request: Request, context: RequestContext, { id }: Viewer): Promise<string> => {
    const account = await readAccount(deps, id);
    return keepKnown(context, await rememberBrowser(deps, readKnown(request, context), account));
  };

  return new Elysia({ name: 'second-factor', prefix: '/api/user' })
    .use(guard(deps))
    .post(
      '/login/2fa',
      ({ body, coming }) =>
        answerSecondFactor(deps, (who) => redeemFactor(deps, who, body.code ?? ''), coming),
      {
        guest: true,
        body: codeBody,
      },
    )
    .get('/2fa/status', async ({ viewer }) => ok(await secondFactorStatus(deps, viewer.id)), { auth: 'user' })
    .post('/2fa/setup', async ({ owner }) => ok(await setUpSecondFactor(deps, owner)), { auth: 'user' })
    .post(
      '/2fa/enable',
      async ({ body, viewer, context, request, set, owner }) => {
        await enableSecondFactor(deps, owner, body.code ?? '');
        set.headers['set-cookie'] = await markAnew(request, context, viewer);
        return done();
      },
      { auth: 'user', body: codeBody },
    )
    .post(
      '/2fa/disable',
      async ({ body, viewer, context, request, set, owner }) => {
        await disableSecondFactor(deps, owner, body.code ?? '');
        set.headers['set-cookie'] = await markAnew(request, context, viewer);
        return done();
      },
      { auth: 'user', body: codeBody },
    )
    .post(
      '/2fa/backup_codes',
      async ({ body, owner }) => ok({ backup_codes: await renewBackupCodes(deps, owner, body.code ?? '') }),
      { auth: 'user', body: codeBody },
    )
    .get(
      '/:id/2fa',
      async ({ params, actor }) => ok({ enabled: await secondFactorOf(deps, actor, params.id) }),
      { auth: 'admin', params: idParam },
    )
    .delete(
      '/:id/2fa',
      async ({ params, actor, owner }) => {
        await forceSecondFactorOff(deps, { ...actor, ...owner }, params.id);
        return done();
      },
      { auth: 'admin', params: idParam },
    );
};
