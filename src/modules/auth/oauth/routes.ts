/** `/api/oauth`: going to a third party and coming back, with the intent to sign in or to bind an account of it. */

import { Elysia } from 'elysia';
import { z } from 'zod';
import { fail } from '../../../core/errors.ts';
import { limits } from '../../../core/limits.ts';
import { safeNext } from '../../../core/next-path.ts';
import { asIs } from '../../../core/text.ts';
import { wireText } from '../../../core/wire/text.ts';
import { ownerOf, type RequestContext, type Viewer } from '../../../http/context.ts';
import { type Coming, shelvesOfBegun } from '../../../http/counted-by.ts';
import { done, ok } from '../../../http/envelope.ts';
import { authorise, type GuardDeps, guard } from '../../../http/guard.ts';
import { keepSignInFlow, readSignInFlow } from '../../../http/sign-in-flow-cookie.ts';
import { publicAddress } from '../../../options/public-address.ts';
import type { Deps } from '../../deps.ts';
import type { SessionDeps } from '../../session/service.ts';
import { requireProvedOwner } from '../account/re-authentication.ts';
import type { OAuthProviderName } from '../facts.ts';
import { answerSignIn, type ComingGuest } from '../routes-sign-in.ts';
import { createDiscovery, discover } from './discovery.ts';
import { exchange } from './exchange.ts';
import { beginAt, beginPlain, type Flow, type FlowStart, takeFlow } from './flow.ts';
import { isOpen, type OAuthProvider, oauthProviders } from './providers.ts';
import { accountOf, bind, isIdentityProvider, keep, unbind } from './service.ts';
import type { ThirdParty } from './third-party.ts';

const text = (max: number) => wireText(max).nullish();

/** What comes back with the visitor when he has signed in; it is kept until then, whoever he is. */
const beginning = z
  .object({ aff: text(100), oauth_login_params: text(2_000), next: text(2_000) })
  .refine((given) => Buffer.byteLength(JSON.stringify(given)) <= limits.carriedBytes, 'too much to keep');

const callback = z.object({
  code: text(4_000),
  state: text(200),
  redirect: text(2_000),
  iss: text(2_000),
  error: text(200),
});

/** The parts of a guest route's context that every call here needs. */
interface Arrival extends ComingGuest {
  server: Parameters<typeof authorise>[3];
}

/** Throws UNKNOWN_ROUTE. */
function providerNamed(name: string): OAuthProvider {
  if (Object.hasOwn(oauthProviders, name)) return oauthProviders[name as OAuthProviderName];
  throw fail('UNKNOWN_ROUTE');
}

export const oauthRoutes = (deps: Deps & GuardDeps & SessionDeps) => {
  const discovered = createDiscovery(deps.outgoing);

  /** Who is signed in, when somebody is; a page of another site does not get so far. */
  const viewerOf = async ({ guestViewer, request, server }: Arrival): Promise<Viewer | null> =>
    guestViewer && authorise(request, 'user', deps, server);

  const requireOpen = (provider: OAuthProvider): void => {
    if (!isOpen(provider, deps.options))
      throw fail('OAUTH_OFF', { params: { provider: asIs(provider.title) } });
  };

  const begin = (
    { request, context, set }: ComingGuest,
    viewer: Viewer | null,
    given: { aff?: string | null; oauth_login_params?: string | null; next?: string | null },
  ): FlowStart => {
    const signInFlow = keepSignInFlow(request, context);
    set.headers['set-cookie'] = signInFlow.cookie;
    return {
      flowId: signInFlow.id,
      userId: viewer?.id ?? null,
      reauthenticatedIn: null,
      aff: given.aff ?? '',
      loginParams: given.oauth_login_params ?? '',
      next: given.next ?? '',
      shelves: shelvesOfBegun(deps, 'oauth', { request, context }),
    };
  };

  const redirectUri = (provider: OAuthProvider, context: RequestContext): string => {
    const site = publicAddress(deps) || context.origin;
    return `${site.replace(/\/+$/, '')}/oauth/${provider.name}`;
  };

  /** Who came back from the provider, and what he had in mind. */
  const arrive = async (
    provider: OAuthProvider,
    { request, context }: Coming,
    viewer: Viewer | null,
    query: z.infer<typeof callback>,
  ): Promise<{ flow: Flow; party: ThirdParty }> => {
    const state = query.state ?? '';
    const flowId = readSignInFlow(request, context);
    const flow = await takeFlow(deps, {
      state,
      flowId,
      provider: provider.name,
      userId: viewer?.id ?? null,
    });
    requireOpen(provider);
    if (query.error) throw fail('OAUTH_DENIED', { params: { provider: asIs(provider.title) } });
    const found = await exchange(
      { ...deps, discovered },
      provider,
      { ...flow, redirectUri: flow.redirectUri ?? redirectUri(provider, context) },
      { code: query.code ?? '', state, iss: query.iss ?? '' },
    );
    const { name, title, prefix } = provider;
    const issuers = provider.issuers(deps.options);
    return { flow, party: { provider: name, title: asIs(title), prefix, issuers, ...found } };
  };

  return new Elysia({ name: 'oauth', prefix: '/api' })
    .use(guard(deps))
    .get(
      '/oauth/state',
      async ({ query, coming }) => {
        const viewer = await viewerOf(coming);
        return ok(await beginPlain(deps, begin(coming, viewer, query)));
      },
      { guest: true, ownSite: true, acts: true, query: beginning },
    )
    .post(
      '/oauth/:provider/start',
      async ({ params, body, coming }) => {
        const provider = providerNamed(params.provider);
        requireOpen(provider);
        const viewer = await viewerOf(coming);
        if (viewer) await requireProvedOwner(deps, ownerOf(viewer, coming.context));
        const address = await beginAt(deps, provider, {
          ...begin(coming, viewer, body),
          reauthenticatedIn: viewer?.sessionId ?? null,
          redirectUri: redirectUri(provider, coming.context),
        });
        return ok({ address });
      },
      { guest: true, ownSite: true, body: beginning },
    )
    .get(
      '/oauth/:provider',
      async ({ params, query, coming }) => {
        const provider = providerNamed(params.provider);
        const viewer = await viewerOf(coming);
        const { flow, party } = await arrive(provider, coming, viewer, query);
        const more = {
          oauth_login_params: flow.loginParams,
          next: safeNext(query.redirect || flow.next, viewer ? '/setting' : '/token'),
        };
        if (viewer) {
          const owner = ownerOf(viewer, coming.context);
          if (flow.reauthenticatedIn === null || flow.reauthenticatedIn !== viewer.sessionId) {
            await requireProvedOwner(deps, owner);
          }
          await bind(deps, owner, party, coming.context.locale);
          return { ...done(), message: 'bind', ...more };
        }
        const { clientIp: ip, locale } = coming.context;
        const account = await accountOf(deps, party, { ip, affCode: flow.aff, locale });
        return { ...(await answerSignIn(deps, account, coming)), ...more };
      },
      { guest: true, ownSite: true, acts: true, query: callback },
    )
    .post(
      '/oauth/:provider/keep',
      async ({ params, owner }) => {
        if (!isIdentityProvider(params.provider)) throw fail('UNKNOWN_ROUTE');
        await requireProvedOwner(deps, owner);
        await keep(deps, owner, params.provider);
        return done();
      },
      { auth: 'user' },
    )
    .delete(
      '/oauth/:provider',
      async ({ params, owner }) => {
        if (!isIdentityProvider(params.provider)) throw fail('UNKNOWN_ROUTE');
        await requireProvedOwner(deps, owner);
        await unbind(deps, owner, params.provider);
        return done();
      },
      { auth: 'user' },
    )
    .post(
      '/option/oidc_discovery',
      async ({ body }) => {
        const found = await discover(deps.outgoing, body.well_known ?? '');
        const { issuer, authorization_endpoint, token_endpoint, userinfo_endpoint } = found;
        return ok({ issuer, authorization_endpoint, token_endpoint, userinfo_endpoint });
      },
      { auth: 'root', body: z.object({ well_known: text(2_000) }) },
    );
};
