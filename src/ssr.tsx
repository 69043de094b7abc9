/**
 * The pages: finds out who looks, in which language and with which choices, and has the console rendered. The loaders'
 * calls go to the API in process and inherit what was found out here.
 */

import { redirect } from '@tanstack/react-router';
import { Elysia } from 'elysia';
import type { Boot } from '../web/boot.ts';
import { renderPage } from '../web/entry-server.tsx';
import { type Api, apiOf, loginAddress } from '../web/lib/api.ts';
import { readPreferences } from '../web/lib/preferences.ts';
import { type Answer, isSignedOut, unwrap } from '../web/lib/unwrap.ts';
import { fail } from './core/errors.ts';
import { limits } from './core/limits.ts';
import { MINUTE_SEC, nowSec } from './core/time.ts';
import { policyOrigin } from './core/web-address.ts';
import type { Assets } from './http/assets.ts';
import {
  adoptContext,
  contextOf,
  type PeerSource,
  type RequestContext,
  turnOf,
  type Viewer,
} from './http/context.ts';
import { type CountingDeps, rulesOfUser, waysOfGuest, waysOfViewer } from './http/counted-by.ts';
import { isForFrame } from './http/embed-cookie.ts';
import { embedPage } from './http/embed-page.ts';
import { toAppError } from './http/envelope.ts';
import { type GuardDeps, markInProcess, mayOf, resolveViewer } from './http/guard.ts';
import { installableFile } from './http/installable.ts';
import { createKeptPages, newNonce } from './http/kept-pages.ts';
import { chosenTheme } from './http/language.ts';
import { errorDocument } from './http/page-error.ts';
import type { GiveFile } from './http/shared-files.ts';
import type { Deps } from './modules/deps.ts';
import { embedOriginOf } from './modules/oauth-app/service.ts';
import { paymentHosts } from './modules/payment/service.ts';
import { createFairGate } from './platform/fair-gate.ts';
import { requireFit } from './platform/limiter.ts';

export interface ApiHandler {
  handle(request: Request): Promise<Response>;
}

export interface PageDeps
  extends Pick<Deps, 'env' | 'options' | 'outgoing' | 'log' | 'limiter' | 'oneTime'>,
    GuardDeps,
    CountingDeps {
  assets: Assets;
}

/** What a form without JavaScript brings back to the page that it came from. */
export type PageExtras = Pick<Boot, 'loginAttempt'>;

export type Pages = ReturnType<typeof createPages>;

export function createPages(deps: PageDeps, api: ApiHandler) {
  const gate = createFairGate({
    atOnce: limits.pagesAtOnce,
    ofOneAtOnce: limits.pagesOfOneAtOnce,
    waitingMax: limits.pagesWaiting,
    ofOneWaitingMax: limits.pagesOfOneWaiting,
  });
  const kept = createKeptPages();

  const render = async (request: Request, context: RequestContext, extras: PageExtras): Promise<Response> => {
    const serverApi = inProcess(api, context, new URL(request.url));
    const boot = { ...(await bootOf(deps, request, context, serverApi)), ...extras };
    const nonce = givenNonce(request) ?? newNonce();
    const input = { request: pageRequest(request), boot, api: serverApi, nonce, files: deps.assets };
    const page = await renderPage(input);
    const frames = ancestorsOf(deps, request, context);
    return withHeaders(page, deps, context, { nonce, status: boot.status, frames });
  };

  /** What stands in for the page until the address has been cleared of what an application put there. */
  const begin = async (request: Request, context: RequestContext): Promise<Response> => {
    const url = new URL(request.url);
    const token = url.searchParams.get('oToken');
    const isFramed = isForFrame(request);
    const status = await statusFrom(inProcess(api, context, url));
    const nonce = newNonce();
    // Only the page for which the token was made frames what it opens.
    const origin = isFramed && token !== null ? await embedOriginOf(deps, token) : null;
    const frames = ancestorsOf(deps, request, context, origin);
    const policy = policyOf(deps, { nonce, status, frames });
    const theme = chosenTheme(request);
    const page = embedPage({ locale: context.locale, theme, nonce, policy, isFramed });
    page.headers.set('x-request-id', context.requestId);
    return page;
  };

  return {
    /** The page of a request's address, as a whole document, a redirect or an error page; never throws. */
    async answer(request: Request, server: PeerSource | null, extras: PageExtras = {}): Promise<Response> {
      const context = contextOf(request, deps.env, server);
      try {
        const viewer = await resolveViewer(request, context, deps);
        const isFixed = viewer === null && isFixedPage(request, context, extras);
        const isBeginning = isOpenedByApplication(request) || isGuestInFrame(deps, request, viewer);
        const visit = { request, context, viewer };
        // Before anything is read that the browser brings along.
        await requireFewPages(deps, isFixed ? 'kept-pages' : 'pages', visit);
        if (isBeginning) return await begin(request, context);
        const rendered = () => render(request, context, extras).finally(othersTurn);
        const make = () => gate.run(turnOf(context), rendered, limits.pageAloneMs);
        if (!isFixed) return await make();
        return await kept.answer(keptPageKey(deps, request, context), context.requestId, async () => {
          await requireFewPages(deps, 'pages', visit);
          return make();
        });
      } catch (error) {
        const refused = toAppError(error, '');
        if (refused.code === 'INTERNAL') {
          deps.log.error('page.failed', {
            request_id: context.requestId,
            error: refused.detail.cause ?? error,
          });
        }
        return errorDocument(refused, context.locale, context.requestId);
      }
    },
  };
}

/** A page may wait for nobody: without that all that wait for their turn would be rendered before anybody else had his. */
const othersTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** How many pages one may ask for in a minute; kept ones cost little. */
const PAGE_LIMITS = { pages: limits.pagesAMinute, 'kept-pages': limits.keptPagesAMinute };

/** Throws RATE_LIMIT for who asks for more pages than anybody reads. */
async function requireFewPages(
  deps: PageDeps,
  kind: keyof typeof PAGE_LIMITS,
  { request, context, viewer }: { request: Request; context: RequestContext; viewer: Viewer | null },
): Promise<void> {
  const bound = { limit: PAGE_LIMITS[kind], windowSec: MINUTE_SEC };
  const guest = waysOfGuest(deps, kind, bound, { request, context });
  const ways = viewer
    ? waysOfViewer(viewer, rulesOfUser(kind, viewer, bound, context.clientIp), guest)
    : guest;
  await requireFit(deps.limiter, ...ways);
}

/** Pages that are alike for all guests of a language: what they show depends on the options alone. */
const FIXED_PAGES: readonly string[] = [
  '/login',
  '/register',
  '/reset',
  '/terms/terms-of-service.html',
  '/terms/privacy-policy.html',
];

/** Whether a guest asks for such a page, and brings nothing of his own that it would show. */
function isFixedPage(request: Request, context: RequestContext, extras: PageExtras): boolean {
  const { pathname, search } = new URL(request.url);
  const isOwn =
    Object.keys(extras).length > 0 ||
    context.refusal !== undefined ||
    request.method !== 'GET' ||
    request.headers.has('authorization') ||
    givenNonce(request) !== null;
  return !isOwn && search === '' && FIXED_PAGES.includes(pathname);
}

/** What such a page depends on. */
function keptPageKey({ options }: PageDeps, request: Request, context: RequestContext): string {
  const { pathname } = new URL(request.url);
  const { locale, origin, https } = context;
  const preferences = readPreferences(
    request.headers.get('cookie') ?? '',
    options.get('DefaultCollapseSidebar'),
  );
  return JSON.stringify([pathname, locale, origin, https, preferences, options.version]);
}

/** Serves the built files and, for every other GET, a page. Mounted last: what is no call is a page. */
export const pageRoutes = (deps: PageDeps, pages: Pages, give: GiveFile) =>
  new Elysia({ name: 'pages' }).get('/*', ({ request, server }) => {
    const { pathname } = new URL(request.url);
    if (pathname.startsWith('/api/')) throw fail('UNKNOWN_ROUTE');
    const file = deps.assets.find(request);
    if (file) return give(request, server, file);
    const { locale } = contextOf(request, deps.env, server);
    const name = deps.options.get('SystemName');
    return installableFile(request, { name, locale }) ?? pages.answer(request, server);
  });

/** Rendering has its own request: always a GET, ended by a deadline of ours and not by the reader's patience. */
function pageRequest(request: Request): Request {
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(fail('UNAVAILABLE', { internal: 'page deadline' })),
    limits.pageMs,
  );
  timer.unref();
  return new Request(request.url, {
    headers: { 'user-agent': request.headers.get('user-agent') ?? '' },
    signal: controller.signal,
  });
}

/** The API as a loader on the server sees it: the same calls, in process, as the viewer of the page. */
function inProcess(api: ApiHandler, context: RequestContext, page: URL): Api {
  const call = async (method: string, address: string): Promise<Answer> => {
    if (method !== 'GET') throw new Error('the server renders pages and writes nothing');
    const request = new Request(`http://localhost${address}`);
    adoptContext(request, context);
    markInProcess(request);
    try {
      return await unwrap(await api.handle(request));
    } catch (error) {
      if (isSignedOut(error)) throw redirect({ href: loginAddress(page.pathname + page.search) });
      throw error;
    }
  };
  const browserOnly = () => Promise.reject(new Error('the server renders pages: this call is the browser’s'));
  return apiOf({ call, getOnce: browserOnly, file: browserOnly });
}

/** Everything that the page is told at once. Throws when the database cannot say who looks. */
async function bootOf(deps: PageDeps, request: Request, context: RequestContext, api: Api): Promise<Boot> {
  const { options } = deps;
  const viewer = await resolveViewer(request, context, deps);
  return {
    user: viewer && {
      id: viewer.id,
      username: viewer.username,
      displayName: viewer.displayName,
      role: viewer.role,
      may: mayOf(viewer),
    },
    locale: context.locale,
    preferences: readPreferences(request.headers.get('cookie') ?? '', options.get('DefaultCollapseSidebar')),
    status: await statusFrom(api),
    origin: context.origin,
    now: nowSec(),
    requestId: context.requestId,
    sessionEnded: context.refusal !== undefined,
    channelMenuOpen: options.get('AdminChannelMenuEnabled'),
    keysShownOnce: options.get('TokenKeyReveal') === 'once',
  };
}

const statusFrom = (api: Api): Promise<Boot['status']> =>
  api.get('/api/status').catch((cause: unknown) => {
    throw fail('STATUS_FAILED', { cause });
  });

/** Pages on which somebody proves who he is or allows something: framed, they could be pressed unseen. */
const NEVER_FRAMED: readonly string[] = [
  '/login',
  '/register',
  '/reset',
  '/setup',
  '/approve',
  '/oauth/login',
];

/** The path as the router reads it, in whatever letters it is written; null for one that means nothing. */
function plainPath(request: Request): string | null {
  try {
    const path = decodeURIComponent(new URL(request.url).pathname);
    return path
      .toLowerCase()
      .replace(/\/+/g, '/')
      .replace(/(.)\/$/, '$1');
  } catch {
    return null;
  }
}

const isNeverFramed = (request: Request): boolean => {
  const path = plainPath(request);
  return path === null || NEVER_FRAMED.includes(path);
};

/**
 * Who may frame a page: what is shown inside an application nobody but its page, what guests see whom root has named.
 * Nobody frames what somebody sees who is signed in here himself: he could be made to press it unseen.
 */
function ancestorsOf(
  { options }: PageDeps,
  request: Request,
  { viewer: caller }: RequestContext,
  ofToken: string | null = null,
): string {
  if (isNeverFramed(request)) return "'none'";
  // To an application a page is what a guest sees.
  const viewer = caller?.grant ? null : caller;
  const only = ofToken ?? viewer?.embed?.origin;
  if (only) return only;
  if (viewer) return "'none'";
  const origins = options.get('EmbedOrigins');
  return origins.length > 0 ? `'self' ${origins.join(' ')}` : "'none'";
}

/** The query of document 3, by which an application opens the console. */
function isOpenedByApplication(request: Request): boolean {
  const { searchParams } = new URL(request.url);
  const isPage = request.method === 'GET' && givenNonce(request) === null;
  return isPage && ['oToken', 'oUser', 'layout'].some((name) => searchParams.has(name));
}

/** Where a browser keeps no cookie for the frame, its page has what stands in for one. */
const isGuestInFrame = ({ options }: PageDeps, request: Request, viewer: Viewer | null): boolean =>
  viewer === null && isForFrame(request) && !isNeverFramed(request) && options.get('EmbedOrigins').length > 0;

/** The nonce of the page in whose place this one is written; nobody gives one to a page that a browser itself opens. */
function givenNonce({ headers }: Request): string | null {
  const nonce = headers.get('sec-fetch-dest') === 'empty' ? headers.get('x-page-nonce') : null;
  return nonce !== null && /^[\w-]{22}$/.test(nonce) ? nonce : null;
}

interface Policy {
  nonce: string;
  status: Boot['status'];
  /** Who may frame it. */
  frames: string;
}

/** What the operator tells visitors: text with pictures from anywhere, or the address of a page that is framed. */
const CONTENTS = ['Notice', 'HomePageContent', 'About'] as const;

/** What may run in a page, and around it. */
function policyOf(deps: PageDeps, { nonce, status, frames: ancestors }: Policy): string {
  const { options } = deps;
  // The human check runs by the nonce; pages of the operator's choice are shown without any power here.
  const frames = [
    "'self'",
    ...(status.turnstile_check ? [HUMAN_CHECK_ORIGIN] : []),
    ...new Set(CONTENTS.map((name) => policyOrigin(options.get(name)))),
  ].filter(Boolean);
  const showsPictures = [...CONTENTS, 'Footer' as const].some((name) => /<img|!\[/i.test(options.get(name)));
  const policy = [
    "default-src 'self'",
    `script-src 'self' 'nonce-${nonce}'`,
    "style-src 'self' 'unsafe-inline'",
    `img-src 'self' data: ${showsPictures ? 'https: ' : ''}${policyOrigin(status.logo)}`.trim(),
    // Songs and films come by calls of the console's own, and are played from what those answered.
    'media-src blob:',
    `frame-src ${frames.join(' ')}`,
    `connect-src ${["'self'", ...(status.telegram_oauth ? [TELEGRAM_ORIGIN] : [])].join(' ')}`,
    `frame-ancestors ${ancestors}`,
    `form-action ${["'self'", ...paymentHosts(deps)].join(' ')}`,
    "base-uri 'none'",
    "object-src 'none'",
  ];
  return policy.join('; ');
}

/** What stands on every page's answer: who may frame it, what may run in it, that nobody keeps it. */
function withHeaders(page: Response, deps: PageDeps, context: RequestContext, policy: Policy): Response {
  const { headers } = page;
  headers.set('content-security-policy', policyOf(deps, policy));
  headers.set('cache-control', 'no-store');
  headers.set('referrer-policy', 'same-origin');
  headers.set('x-request-id', context.requestId);
  if (page.status === 503) headers.set('retry-after', fail('UNAVAILABLE').retryAfter(503) ?? '');
  if (context.refusal !== undefined) headers.append('set-cookie', deps.sessionCookie.clear(context));
  return page;
}

/** Where the widget of the human check comes from. */
const HUMAN_CHECK_ORIGIN = 'https://challenges.cloudflare.com';

/** Whom Telegram's script asks who the visitor is. */
const TELEGRAM_ORIGIN = 'https://oauth.telegram.org';
