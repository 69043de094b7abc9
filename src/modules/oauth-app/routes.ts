/**
 * `/api/oauth` and `/.well-known` for applications that sign in here. What a browser is sent to answers pages and
 * redirects; what programs call answers as RFC 6749 says, with the envelope's fields beside it where something is refused.
 */
import { eq } from 'drizzle-orm';
import { Elysia } from 'elysia';
import { AppError, type ErrorCode, fail } from '../../core/errors.ts';
import { limits } from '../../core/limits.ts';
import { needsProof } from '../../core/oauth.ts';
import { MINUTE_SEC } from '../../core/time.ts';
import { users } from '../../db/schema/index.ts';
import { type ConsentPage, consentPage } from '../../http/consent-page.ts';
import { contextOf, type PeerSource, type RequestContext, type Viewer } from '../../http/context.ts';
import { rulesOfQuestions, waysOfGuest } from '../../http/counted-by.ts';
import { authorise, type GuardDeps, guard, resolveCaller } from '../../http/guard.ts';
import { chosenTheme } from '../../http/language.ts';
import { errorDocument } from '../../http/page-error.ts';
import { requireFit } from '../../platform/limiter.ts';
import { reauthenticate } from '../auth/service.ts';
import type { Deps } from '../deps.ts';
import type { SessionDeps } from '../session/service.ts';
import {
  type Asked,
  answerAddress,
  approve,
  ask,
  hasConsented,
  issueCode,
  onceEach,
  queryOf,
  readDestination,
  readQuestion,
  readRequest,
  refuse,
  type Standing,
} from './authorize.ts';
import { authenticateClient } from './client.ts';
import { OPENID } from './facts.ts';
import { issuerOf, metadata } from './metadata.ts';
import { createSigning, type Signing } from './signing.ts';
import { errorWord, exchangeCode, type Issued, revoke, rotate } from './tokens.ts';
import { userInfo } from './userinfo.ts';

type OAuthDeps = Deps & GuardDeps & SessionDeps;

const wantsPage = ({ headers }: Pick<Request, 'headers'>): boolean =>
  headers.get('accept')?.includes('text/html') ?? false;

/** A browser on its way is shown what is wrong, in a page; whoever wants no page has the envelope. */
async function shown(
  { headers }: Request,
  { locale, requestId }: RequestContext,
  visit: () => Promise<Response>,
): Promise<Response> {
  try {
    return await visit();
  } catch (error) {
    if (!wantsPage({ headers }) || !(error instanceof AppError)) throw error;
    return errorDocument(error, locale, requestId);
  }
}

/** A new page: what was posted is not posted again when somebody goes back. */
const seeOther = (location: string): Response =>
  new Response(null, {
    status: 303,
    headers: { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' },
  });

/** Only somebody who signed in himself, in this browser, is asked and answers. Throws AUTH_REQUIRED. */
function askedOf({ id, username, group, sessionId, embed }: Viewer, { clientIp }: RequestContext): Asked {
  if (sessionId === null || embed) throw fail('AUTH_REQUIRED');
  return { id, username, group, sessionId, ip: clientIp };
}

interface Arrival {
  request: Request;
  server: PeerSource | null;
}

/** Where no page may be shown, who is not signed in is told to the application; null for every other request. */
async function answerGuest(
  deps: OAuthDeps,
  given: ReadonlyMap<string, string>,
  context: RequestContext,
): Promise<Response | null> {
  if (given.get('prompt') !== 'none') return null;
  const destination = await readDestination(deps, given);
  const read = readRequest(destination, given);
  const error = typeof read === 'string' ? read : 'login_required';
  return seeOther(answerAddress(destination, issuerOf(deps, context), { error }));
}

/** Refusals of a proof: he may try again. */
const UNPROVED: readonly ErrorCode[] = ['PASSWORD_WRONG', 'REAUTH_REQUIRED', 'RATE_LIMIT'];

/** How he proves that it is he before he allows this; null where nothing is to be proved. */
async function proofFor(
  { db, sessions }: OAuthDeps,
  { id, sessionId }: Asked,
  scopes: readonly string[],
): Promise<ConsentPage['proof']> {
  if (!needsProof(scopes) || (await sessions.reauthenticatedRecently(sessionId))) return null;
  const [user] = await db.orm.select({ hash: users.password_hash }).from(users).where(eq(users.id, id));
  return user?.hash ? 'password' : 'sign-in';
}

interface Visit {
  request: Request;
  context: RequestContext;
  asked: Asked;
}

/** The page on which he is asked; `refusal` where his proof was none. */
const question = async (
  deps: OAuthDeps,
  { request, context, asked }: Visit,
  { app, scopes, redirectUri }: Omit<Standing, 'challenge' | 'nonce'>,
  { ticket, refusal }: { ticket: string; refusal?: AppError },
): Promise<Response> =>
  consentPage({
    locale: context.locale,
    theme: chosenTheme(request),
    siteName: deps.options.get('SystemName'),
    appName: app.name,
    homepage: app.homepage,
    username: asked.username,
    scopes,
    redirectUri,
    ticket,
    proof: await proofFor(deps, asked, scopes),
    refusal,
  });

/** What an application asks of who is signed in: a code where he has agreed to it, else the question. */
async function answerAsked(
  deps: OAuthDeps,
  visit: Visit,
  given: ReadonlyMap<string, string>,
): Promise<Response> {
  const { asked, context } = visit;
  const destination = await readDestination(deps, given);
  const issuer = issuerOf(deps, context);
  const read = readRequest(destination, given);
  if (typeof read === 'string') return seeOther(answerAddress(destination, issuer, { error: read }));
  if (await hasConsented(deps, asked.id, read)) {
    return seeOther(answerAddress(read, issuer, { code: await issueCode(deps, asked, read) }));
  }
  if (read.prompt === 'none') return seeOther(answerAddress(read, issuer, { error: 'consent_required' }));
  await requireFit(deps.limiter, rulesOfQuestions(asked.id));
  return question(deps, visit, read, { ticket: await ask(deps, asked, read) });
}

/** What he decides on the page: he refuses, goes out to prove himself by his way in, or allows it. */
async function answerDecided(
  deps: OAuthDeps,
  visit: Visit,
  form: ReadonlyMap<string, string>,
): Promise<Response> {
  const { asked, context } = visit;
  const ticket = form.get('ticket') ?? '';
  switch (form.get('decision')) {
    case 'approve':
      return allow(deps, visit, ticket, form.get('password') ?? null);
    case 'again':
      return leaveToProve(deps, visit, await readQuestion(deps, asked, ticket));
    default: {
      const told = await refuse(deps, asked, ticket);
      return seeOther(answerAddress(told, issuerOf(deps, context), { error: 'access_denied' }));
    }
  }
}

/** Without a password the way in is the proof: he leaves, and comes back by it to be asked anew. */
async function leaveToProve(
  deps: OAuthDeps,
  { asked, context }: Visit,
  standing: Standing,
): Promise<Response> {
  await deps.sessions.end(asked.sessionId);
  const next = `/oauth/login?${queryOf(standing)}`;
  const answer = seeOther(`/login?${new URLSearchParams({ next })}`);
  answer.headers.set('set-cookie', deps.sessionCookie.clear(context));
  return answer;
}

/** The code; or the page again, for who has not proved himself. */
async function allow(
  deps: OAuthDeps,
  visit: Visit,
  ticket: string,
  password: string | null,
): Promise<Response> {
  const { request, asked, context } = visit;
  const standing = await readQuestion(deps, asked, ticket);
  try {
    if ((await proofFor(deps, asked, standing.scopes)) !== null) {
      await reauthenticate(deps, asked, { password });
    }
  } catch (refusal) {
    if (!wantsPage(request) || !(refusal instanceof AppError) || !UNPROVED.includes(refusal.code))
      throw refusal;
    return question(deps, visit, standing, { ticket, refusal });
  }
  const code = await approve(deps, asked, ticket, standing);
  return seeOther(answerAddress(standing, issuerOf(deps, context), { code }));
}

/** The visit of a browser on its way between an application and its user. */
const visitRoutes = (deps: OAuthDeps) => {
  const visitOf = async (
    request: Request,
    context: RequestContext,
    server: PeerSource | null,
  ): Promise<Visit> => {
    const asked = askedOf(await authorise(request, 'user', deps, server), context);
    return { request, context, asked };
  };

  return new Elysia({ name: 'oauth-visit', prefix: '/api/oauth' })
    .use(guard(deps))
    .get(
      '/authorize',
      ({ request, server, context }) =>
        shown(request, context, async () => {
          const url = new URL(request.url);
          const given = onceEach(url.searchParams);
          if (!(await resolveCaller(request, context, deps))) {
            const told = await answerGuest(deps, given, context);
            if (told) return told;
            // The page on the way has him sign in first, and comes back here.
            if (wantsPage(request)) return seeOther(`/oauth/login${url.search}`);
          }
          return answerAsked(deps, await visitOf(request, context, server), given);
        }),
      { guest: true, acts: true },
    )
    .post(
      '/authorize',
      ({ request, server, bytes, context }) =>
        shown(request, context, async () => {
          const visit = await visitOf(request, context, server);
          return answerDecided(deps, visit, onceEach(new URLSearchParams(new TextDecoder().decode(bytes))));
        }),
      { guestBytes: true },
    );
};

const FORM = 'application/x-www-form-urlencoded';

/** What an application itself calls. */
const clientRoutes = (deps: OAuthDeps, signing: Signing) => {
  const arrived = async (request: Request, context: RequestContext, bytes: Uint8Array) => {
    const calls = { limit: limits.oauthTokenCalls, windowSec: MINUTE_SEC };
    await requireFit(deps.limiter, ...waysOfGuest(deps, 'oauth-token', calls, { request, context }));
    const isForm = request.headers.get('content-type')?.startsWith(FORM) ?? false;
    const form = onceEach(new URLSearchParams(isForm ? new TextDecoder().decode(bytes) : ''));
    const authorization = request.headers.get('authorization');
    return { form, app: await authenticateClient(deps, { authorization, form }) };
  };

  const idTokenOf = (issuer: string, aud: string, { userId, scopes, nonce }: Issued) =>
    scopes.includes(OPENID)
      ? signing.idToken({ iss: issuer, sub: String(userId), aud, ...(nonce && { nonce }) })
      : undefined;

  return new Elysia({ name: 'oauth-client', prefix: '/api/oauth' })
    .use(guard(deps))
    .post(
      '/token',
      ({ request, bytes, context }) =>
        standard(context, async () => {
          const { form, app } = await arrived(request, context, bytes);
          const issued = await issuedFor(deps, app, form);
          const id_token = await idTokenOf(issuerOf(deps, context), app.client_id, issued);
          return {
            access_token: issued.access,
            token_type: 'Bearer' as const,
            expires_in: issued.expiresIn,
            refresh_token: issued.refresh,
            scope: issued.scopes.join(' '),
            ...(id_token && { id_token }),
          };
        }),
      { guestBytes: true },
    )
    .post(
      '/revoke',
      ({ request, bytes, context }) =>
        standard(context, async () => {
          const { form, app } = await arrived(request, context, bytes);
          await revoke(deps, app, form.get('token') ?? '');
          return {};
        }),
      { guestBytes: true },
    )
    .get(
      '/userinfo',
      ({ request, server, context }) =>
        standard(context, async () => {
          const { id, grant } = await authorise(request, { least: 'user', scope: 'any' }, deps, server);
          return userInfo(deps, id, (scope) => grant?.scopes.includes(scope) ?? true);
        }),
      { guest: true },
    );
};

/** The tokens for what the form brings. Throws OAUTH_GRANT, OAUTH_GRANT_TYPE, OAUTH_SCOPE. */
function issuedFor(
  deps: OAuthDeps,
  app: Parameters<typeof exchangeCode>[1],
  form: ReadonlyMap<string, string>,
): Promise<Issued> {
  switch (form.get('grant_type')) {
    case 'authorization_code':
      return exchangeCode(deps, app, {
        code: form.get('code') ?? '',
        redirectUri: form.get('redirect_uri') ?? null,
        verifier: form.get('code_verifier') ?? '',
      });
    case 'refresh_token':
      return rotate(deps, app, {
        refresh: form.get('refresh_token') ?? '',
        scope: form.get('scope') ?? null,
      });
    default:
      throw fail('OAUTH_GRANT_TYPE');
  }
}

/**
 * What a program is answered: what `work` answers, or a refusal by RFC 6749, 5.2 and RFC 6750, 3: the word for programs,
 * and how to prove oneself where that is what failed.
 */
async function standard<T>(
  { locale, requestId }: RequestContext,
  work: () => Promise<T>,
): Promise<T | Response> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const word = errorWord(error);
    const headers = new Headers({ 'x-request-id': requestId, 'cache-control': 'no-store' });
    const retryAfter = error.retryAfter(error.apiStatus);
    if (retryAfter !== null) headers.set('retry-after', retryAfter);
    if (error.code === 'OAUTH_CLIENT') headers.set('www-authenticate', 'Basic realm="oauth"');
    else if (error.apiStatus === 401 || word === 'insufficient_scope') {
      headers.set('www-authenticate', error.code === 'AUTH_REQUIRED' ? 'Bearer' : `Bearer error="${word}"`);
    }
    const body = {
      error: word,
      error_description: error.text('en'),
      success: false,
      message: error.text(locale),
      code: error.publicCode,
    };
    return Response.json(body, { status: error.apiStatus, headers });
  }
}

/** What everybody may read. */
const wellKnownRoutes = (deps: OAuthDeps, signing: Signing) => {
  const described = ({ request, server }: Arrival) =>
    metadata(issuerOf(deps, contextOf(request, deps.env, server)));
  return new Elysia({ name: 'oauth-well-known', prefix: '/.well-known' })
    .get('/openid-configuration', described)
    .get('/oauth-authorization-server', described)
    .get('/jwks.json', () => signing.keys());
};

export const oauthServerRoutes = (deps: OAuthDeps) => {
  const signing = createSigning(deps);
  return new Elysia({ name: 'oauth-server' })
    .use(visitRoutes(deps))
    .use(clientRoutes(deps, signing))
    .use(wellKnownRoutes(deps, signing));
};
