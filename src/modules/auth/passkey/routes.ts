/** Passkeys: signing in by one, their owner's, and those that administrators remove. */
import { Elysia } from 'elysia';
import { idParam } from '../../../core/wire/whole.ts';
import type { RequestContext } from '../../../http/context.ts';
import { shelvesOfBegun } from '../../../http/counted-by.ts';
import { done, ok } from '../../../http/envelope.ts';
import { type GuardDeps, guard } from '../../../http/guard.ts';
import { keepSignInFlow, readSignInFlow } from '../../../http/sign-in-flow-cookie.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { answerPasskey, answerSecondFactor } from '../routes-sign-in.ts';
import {
  addBody,
  beginBody,
  codeBody,
  type OwnPasskeys,
  passkeyParams,
  renameBody,
  signInBody,
  userPasskeyParams,
} from './contract.ts';
import {
  addPasskey,
  beginPasskey,
  passkeysFor,
  removePasskey,
  removePasskeyOf,
  renamePasskey,
  shownPasskeys,
} from './own.ts';
import { passkeysOf } from './rows.ts';
import { beginSecondStep, beginSignIn, redeemPasskey, redeemSecondPasskey } from './sign-in.ts';
import { passkeySite } from './site.ts';

export const passkeyRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const siteOf = (context: RequestContext) => passkeySite(deps, context);

  return new Elysia({ name: 'passkey', prefix: '/api/user' })
    .use(guard(deps))
    .post(
      '/login/passkey/begin',
      async ({ body, context, request, set }) => {
        const site = siteOf(context);
        if (body.second) return ok(await beginSecondStep(deps, site, readSignInFlow(request, context)));
        // Whoever keeps no cookie begins a new flow with each call, of which a challenge is kept.
        const shelves = shelvesOfBegun(deps, 'passkey-flow', { request, context });
        const flow = keepSignInFlow(request, context);
        set.headers['set-cookie'] = flow.cookie;
        return ok(await beginSignIn(deps, site, flow.id, shelves));
      },
      { guest: true, ownSite: true, body: beginBody },
    )
    .post(
      '/login/passkey',
      async ({ body, coming }) => {
        const { context, request } = coming;
        const site = siteOf(context);
        const given = { flowId: readSignInFlow(request, context), response: body.response };
        if (body.second)
          return answerSecondFactor(deps, (who) => redeemSecondPasskey(deps, site, who, given), coming, {
            withPasskey: true,
          });
        const proved = await redeemPasskey(deps, site, given);
        return answerPasskey(deps, proved, coming);
      },
      { guest: true, ownSite: true, body: signInBody },
    )
    .get(
      '/passkeys',
      async ({ viewer, context }) => {
        const site = siteOf(context);
        const items = shownPasskeys(await passkeysOf(deps.db.orm, viewer.id), site);
        return ok<OwnPasskeys>({ items, obstacle: site.obstacle, host: site.rpId });
      },
      { auth: 'user' },
    )
    .post(
      '/passkeys/begin',
      async ({ body, owner, context }) =>
        ok(await beginPasskey(deps, owner, siteOf(context), body.code ?? '')),
      { auth: 'user', body: codeBody },
    )
    .post(
      '/passkeys',
      async ({ body, owner, context }) =>
        ok(await addPasskey(deps, owner, siteOf(context), { ...body, locale: context.locale })),
      { auth: 'user', body: addBody },
    )
    .put(
      '/passkeys/:passkey',
      async ({ body, params, viewer }) => {
        await renamePasskey(deps, viewer.id, params.passkey, body.name);
        return done();
      },
      { auth: 'user', body: renameBody, params: passkeyParams },
    )
    .delete(
      '/passkeys/:passkey',
      async ({ body, params, owner }) => {
        await removePasskey(deps, owner, params.passkey, body.code ?? '');
        return done();
      },
      { auth: 'user', body: codeBody, params: passkeyParams },
    )
    .get(
      '/:id/passkeys',
      async ({ params, actor, context }) =>
        ok(shownPasskeys(await passkeysFor(deps, actor, params.id), siteOf(context))),
      { auth: 'admin', params: idParam },
    )
    .delete(
      '/:id/passkeys/:passkey',
      async ({ params, actor, owner }) => {
        await removePasskeyOf(deps, { ...actor, ...owner }, params.id, params.passkey);
        return done();
      },
      { auth: 'admin', params: userPasskeyParams },
    );
};
