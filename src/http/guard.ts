/**
 * Who calls, and whether he may; and then what he sends. Both stand in `transform`, which runs before validation: a
 * stranger learns nothing of a call's schema, and has no body read that is not his to send.
 */
import { Elysia } from 'elysia';
import type { Still } from '../core/actor.ts';
import { isFromElsewhere, saysElsewhere, wayFromElsewhere } from '../core/elsewhere.ts';
import { AppError, fail } from '../core/errors.ts';
import { isRelayBearer } from '../core/key-text.ts';
import { isEmbedBearer, isGrantToken, type OAuthScope } from '../core/oauth.ts';
import { hasRole, ROLE, type RoleName } from '../core/roles.ts';
import type { Env } from '../env.ts';
import type { Options } from '../options/store.ts';
import type { Bringer } from '../platform/lookups.ts';
import { admitting } from './admitted.ts';
import { readBody, readBytes } from './body.ts';
import { SECRET } from './compress.ts';
import type { ConsoleBodies } from './console-bodies.ts';
import {
  actorOf,
  contextOf,
  type Embed,
  type Grant,
  ownerOf,
  type PeerSource,
  type RequestContext,
  type Viewer,
} from './context.ts';
import { readEmbedCookie } from './embed-cookie.ts';
import type { SessionCookie } from './session-cookie.ts';
import { readSignInFlow } from './sign-in-flow-cookie.ts';

/** Whom a credential lets in, as the database has him now. */
interface SignedIn {
  id: number;
  username: string;
  display_name: string;
  role: number;
  group_name: string;
}

/** What comes of a credential; `banned`: it is good, but its user is not allowed in. */
type Found<T> = { kind: 'found'; value: T } | { kind: 'none' } | { kind: 'banned' };

/** Whoever keeps sessions and access tokens, as far as the guard asks it. */
interface Credentials {
  /** The session of a cookie's random id. */
  find(randomId: string): Promise<Found<{ id: string; user: SignedIn }>>;
  /** Throws RATE_LIMIT when too many were nobody's of those that count with it. */
  findByAccessToken(token: string, bringer: Bringer): Promise<Found<{ hash: string; user: SignedIn }>>;
}

/** Whoever keeps what users let applications do. */
interface Grants {
  /** Throws RATE_LIMIT when too many were nobody's of those that count with it. */
  find(token: string, bringer: Bringer): Promise<Found<Grant & { user: SignedIn }>>;
  /** The session of a frame, by the random id that its browser has; the same limit. */
  findEmbed(randomId: string, bringer: Bringer): Promise<Found<Embed & { id: string; user: SignedIn }>>;
}

/** Whose a relay key is, as the relay knows him. */
interface KeyHolder {
  userId: number;
  username: string;
  tokenId: number;
  /** The key's, or its user's when it has none. */
  group: string;
  /** The application that made the key; null where it is the user's own. */
  appId: number | null;
}

/** Whoever lets relay keys in. */
interface RelayKeys {
  /** Throws whatever the relay refuses the key of these headers for. */
  find(headers: Headers, ip: string): Promise<KeyHolder>;
}

export interface GuardDeps {
  env: Env;
  sessions: Credentials;
  grants: Grants;
  relayKeys: RelayKeys;
  sessionCookie: SessionCookie;
  consoleBodies: ConsoleBodies;
  options: Options;
}

/** What finding out who calls needs. */
interface ViewerSources {
  sessions: Credentials;
  grants: Grants;
  sessionCookie: Pick<SessionCookie, 'read'>;
}

const viewerFrom = (user: SignedIn, sessionId: string | null): Viewer => ({
  id: user.id,
  username: user.username,
  displayName: user.display_name,
  role: user.role,
  group: user.group_name,
  sessionId,
});

const bearerOf = (request: Request): string | null =>
  /^Bearer\s+(\S+)$/i.exec(request.headers.get('authorization') ?? '')?.[1] ?? null;

/**
 * Who calls, where it is he himself. An application that calls for him is nobody here: it does what it was allowed to at
 * the calls that name it, and everywhere else it is a guest.
 */
export async function resolveViewer(
  request: Request,
  context: RequestContext,
  deps: ViewerSources,
): Promise<Viewer | null> {
  const caller = await resolveCaller(request, context, deps);
  return caller?.grant ? null : caller;
}

/** Finds out who calls, and notes it: the database is asked once, and again when the body of a write has come. */
export async function resolveCaller(
  request: Request,
  context: RequestContext,
  deps: ViewerSources,
): Promise<Viewer | null> {
  if (context.viewer !== undefined) return context.viewer;
  // Noted when it is known: after a fault of the database nobody must be taken for a stranger.
  context.viewer = await findViewer(request, context, deps);
  return context.viewer;
}

/**
 * Who has the relay key of a request, or why it is refused; null without one. Noted beside the viewer: a key is nobody's
 * way in but where a call says so.
 */
export async function resolveKeyHolder(
  request: Request,
  context: RequestContext,
  deps: Pick<GuardDeps, 'relayKeys'>,
): Promise<Viewer | AppError | null> {
  if (context.keyHolder !== undefined) return context.keyHolder;
  const bearer = bearerOf(request);
  if (!bearer || !isRelayBearer(bearer)) return null;
  try {
    context.keyHolder = holderFrom(await deps.relayKeys.find(request.headers, context.clientIp));
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    context.keyHolder = error;
  }
  return context.keyHolder;
}

/** He has no rights but those of an ordinary user, whoever he is. What an application makes is not his own. */
function holderFrom({ userId, username, tokenId, group, appId }: KeyHolder): Viewer {
  if (appId !== null) throw fail('SCOPE_MISSING');
  return {
    id: userId,
    username,
    displayName: username,
    role: ROLE.user,
    group,
    sessionId: null,
    relayToken: tokenId,
  };
}

/** Who makes a call that companion clients make, too: by a relay key, or as anywhere else. Throws why a key is refused. */
async function resolveClient(
  request: Request,
  context: RequestContext,
  deps: GuardDeps,
): Promise<Viewer | null> {
  const holder = await resolveKeyHolder(request, context, deps);
  if (holder instanceof AppError) throw holder;
  if (holder) context.viewer = holder;
  return resolveCaller(request, context, deps);
}

async function findViewer(
  request: Request,
  context: RequestContext,
  deps: ViewerSources,
): Promise<Viewer | null> {
  const bearer = bearerOf(request);
  if (bearer && isRelayBearer(bearer)) {
    context.refusal = 'ACCESS_TOKEN_INVALID';
    return null;
  }
  if (bearer && isGrantToken(bearer)) {
    const found = await deps.grants.find(bearer, bringerOf(request, context));
    if (found.kind === 'found') {
      const { user, grantId, appId, scopes } = found.value;
      return { ...viewerFrom(user, null), grant: { grantId, appId, scopes } };
    }
    context.refusal = found.kind === 'banned' ? 'USER_DISABLED' : 'ACCESS_TOKEN_INVALID';
    return null;
  }
  if (bearer && isEmbedBearer(bearer)) return embedded(bearer, request, context, deps);
  if (bearer) {
    const found = await deps.sessions.findByAccessToken(bearer, bringerOf(request, context));
    if (found.kind === 'found')
      return { ...viewerFrom(found.value.user, null), accessToken: found.value.hash };
    context.refusal = found.kind === 'banned' ? 'USER_DISABLED' : 'ACCESS_TOKEN_INVALID';
    return null;
  }
  const randomId = await deps.sessionCookie.read(request, context);
  if (randomId) {
    const found = await deps.sessions.find(randomId);
    if (found.kind === 'found') return viewerFrom(found.value.user, found.value.id);
    context.refusal = found.kind === 'banned' ? 'USER_DISABLED' : 'SESSION_EXPIRED';
  }
  const ofFrame = readEmbedCookie(request, context);
  return ofFrame === null ? null : embedded(ofFrame, request, context, deps);
}

/** Who sees the console inside an application. */
async function embedded(
  randomId: string,
  request: Request,
  context: RequestContext,
  { grants }: ViewerSources,
): Promise<Viewer | null> {
  const found = await grants.findEmbed(randomId, bringerOf(request, context));
  if (found.kind === 'found') {
    const { id, user, appId, origin, scopes } = found.value;
    delete context.refusal;
    return { ...viewerFrom(user, id), embed: { appId, origin, scopes } };
  }
  context.refusal = found.kind === 'banned' ? 'USER_DISABLED' : 'SESSION_EXPIRED';
  return null;
}

/** The header names the user that the page believes in; after a switch in another tab it is somebody else. */
function checkUserHeader(request: Request, viewer: Viewer): boolean {
  const header = request.headers.get('new-api-user');
  if (header === null) return false;
  if (header !== String(viewer.id)) throw fail('USER_MISMATCH');
  return true;
}

/** A page of another site can send our cookie along, but neither set the header nor fake these two. */
export function provesSameOrigin(request: Request, context: RequestContext): boolean {
  if (request.headers.get('sec-fetch-site') === 'same-origin') return true;
  return request.headers.get('origin') === context.origin;
}

/** How a request came from another site. */
export const wayOf = (request: Request, context: RequestContext) =>
  // A browser that does not say how brings the cookie of who is on his way in only where he came himself.
  wayFromElsewhere(request.headers, context.origin, () => readSignInFlow(request, context) !== null);

/** Where the credential of a request counts, as what a guest asks for does. */
const bringerOf = (request: Request, context: RequestContext): Bringer => ({
  ip: context.clientIp,
  apart: wayOf(request, context) ?? '',
});

/**
 * Who may make a call: he himself from this role on, and with `scope` an application that he let do so; `any` for all that
 * he let in. `framed` lets him make a call that writes in a frame of an application, too: with a scope, where he let it do
 * that. `client`: every user, and a client to which he gave one of his relay keys.
 */
type Admission =
  | RoleName
  | 'client'
  | { least: RoleName; scope?: OAuthScope | 'any'; framed?: OAuthScope | 'any' };

const admittedBy = (admission: Admission): Exclude<Admission, string> =>
  typeof admission === 'string' ? { least: admission === 'client' ? 'user' : admission } : admission;

/**
 * The viewer, or the refusal: 401 not signed in, 401 another user, 403 cross-site, 403 scope missing, 403 not in a
 * frame, 403 role too low.
 */
export async function authorise(
  request: Request,
  admission: Admission,
  deps: GuardDeps,
  server?: PeerSource | null,
): Promise<Viewer> {
  const { least, scope, framed } = admittedBy(admission);
  const context = contextOf(request, deps.env, server);
  const resolve = admission === 'client' ? resolveClient : resolveCaller;
  const viewer = await resolve(request, context, deps);
  if (!viewer) throw fail(context.refusal ?? 'AUTH_REQUIRED');
  if (viewer.grant && !allows(viewer.grant, scope)) throw fail('SCOPE_MISSING');
  const named = checkUserHeader(request, viewer);
  if (viewer.sessionId !== null && !named && !isInProcess(request) && !provesSameOrigin(request, context)) {
    throw fail('CROSS_SITE');
  }
  // Whoever has the frame's session may be the application around it, which was allowed to show and no more.
  if (writes(request) && !isLet(viewer, framed)) throw fail('EMBED_CONFIRM');
  if (!hasRole(viewer.role, least)) throw fail('FORBIDDEN_ROLE');
  return viewer;
}

/**
 * What somebody sends, and who he is once it has come: a body may take a minute, in which he may have lost what let him
 * in. Throws what `authoriseAgain` and `read` throw.
 */
export async function receiveBody<T>(
  request: Request,
  admission: Admission,
  deps: GuardDeps,
  server: PeerSource | null,
  read: (viewer: Viewer) => Promise<T>,
): Promise<{ viewer: Viewer; body: T }> {
  const before = await authorise(request, admission, deps, server);
  const body = await read(before);
  return { viewer: await authoriseAgain(request, admission, deps, server, before), body };
}

/**
 * The same viewer, looked for once more among what is kept for seconds, which a change drops at once. Throws what
 * `authorise` throws, and SESSION_EXPIRED where he comes in by another way, or with other rights, than before.
 */
async function authoriseAgain(
  request: Request,
  admission: Admission,
  deps: GuardDeps,
  server: PeerSource | null,
  before: Viewer,
): Promise<Viewer> {
  forgetViewer(contextOf(request, deps.env, server));
  const viewer = await authorise(request, admission, deps, server);
  if (!Bun.deepEquals(rightOf(before), rightOf(viewer))) throw fail('SESSION_EXPIRED');
  return viewer;
}

/** He is asked for again by whoever asks next. */
function forgetViewer(context: RequestContext): void {
  delete context.viewer;
  delete context.refusal;
  delete context.keyHolder;
}

/** By what somebody is in, and what he may there. */
const rightOf = ({ id, role, sessionId, accessToken, relayToken, grant, embed }: Viewer) => ({
  id,
  role,
  sessionId,
  accessToken,
  relayToken,
  grant,
  embed,
});

const allows = ({ scopes }: { scopes: readonly string[] }, scope?: OAuthScope | 'any'): boolean =>
  scope === 'any' || (scope !== undefined && scopes.includes(scope));

/** Whether whole keys may be shown here: in a frame only where the application may make some, and had them anyway. */
export const seesKeys = (viewer: Viewer): boolean => isLet(viewer, 'tokens:create');

/** Whether he may do what writes: in a frame what its application was let do, with that scope. */
const isLet = ({ embed }: Viewer, framed?: OAuthScope | 'any'): boolean => !embed || allows(embed, framed);

/** What pages offer to be done besides reading; the same fact by which calls are let in. */
export const mayOf = (viewer: Viewer) => ({
  /** All that is his alone. */
  act: isLet(viewer),
  keepTokens: isLet(viewer, 'tokens:create'),
  chat: isLet(viewer, 'relay'),
});

/** Throws DEMO_READONLY on a site that shows itself only, for everybody but root. */
export async function requireNoDemo(
  request: Request,
  server: PeerSource | null,
  deps: GuardDeps,
): Promise<void> {
  if (!deps.options.get('DemoSiteEnabled')) return;
  const viewer = await resolveViewer(request, contextOf(request, deps.env, server), deps);
  if (!viewer || !hasRole(viewer.role, 'root')) throw fail('DEMO_READONLY');
}

const inProcess = new WeakSet<Request>();
/** True for a call that a page's loader makes on the server. */
export const isInProcess = (request: Request) => inProcess.has(request);

/** Marks a GET that a page's loader makes on the server: it came through no browser and needs no proof of origin. */
export const markInProcess = (request: Request): void => void inProcess.add(request);

interface GuardInput {
  request: Request;
  server: PeerSource | null;
}

/** A call before it is validated. */
interface Arrival extends GuardInput {
  /** The path as it is registered. */
  route: string;
  body: unknown;
}

/** Where the headers of its answer are noted. */
interface Answering {
  set: { headers: Record<string, string | number> };
}

const writes = ({ method }: Request): boolean => method !== 'GET' && method !== 'HEAD';

/**
 * `{ auth: 'admin' }` on a route lets in that role and above, with a scope also the applications that may, and
 * `{ auth: 'client' }` users and their clients with a relay key; it gives the handler `viewer` and `context`, and who he
 * is to the rules below: `actor` for what he does to others, `owner` for what he does to his own account, `still` to ask
 * again whether he may, for what goes on for long;
 * `{ guestBytes: true }` lets in everyone, as a guest, and gives the bytes of a body that is no JSON;
 * `{ guest: true }` lets in everyone and gives `guestViewer`, the viewer or null, and `coming`, what others are handed
 * of the call: were it taken as it stands, the router would make tables of its cookies and headers; with
 * `{ ownSite: true }` besides, no page of another site makes a visitor's browser call, and with
 * `{ ownSite: { with: 'code' } }` none does with that field in the query, where the call acts only then;
 * `{ ownSite: 'or-silent' }` also lets in who calls himself a browser and says no more. `{ acts: true }` stands on every
 * GET that does something: a page's loader makes none, or a link to a page would be enough to have it made; and a site
 * that shows itself only makes it for root alone, unless it says `'in-demo'`, because it changes nothing that a visitor
 * could spoil. In a frame of an application the latter alone are made; and of the calls that are no GET, those whose
 * `auth` says `framed`. `{ secret: true }` stands on every GET whose answer carries keys, unless they are masked: no
 * answer with a secret is compressed, as none of a call that does something is.
 */
export const guard = (deps: GuardDeps) =>
  new Elysia({ name: 'guard' }).macro({
    auth: (admission: Admission) => ({
      transform: admitting(admittedBy(admission).least, async (call: Arrival) => {
        const { request, server, route } = call;
        const context = contextOf(request, deps.env, server);
        if (!writes(request)) return void (await authorise(request, admission, deps, server));
        const read = () => readBody(request, route, context, deps.consoleBodies);
        call.body = (await receiveBody(request, admission, deps, server, read)).body;
      }),
      resolve: ({ request, server }: GuardInput) => {
        const context = contextOf(request, deps.env, server);
        const { viewer } = context;
        if (!viewer) throw fail('AUTH_REQUIRED');
        const still: Still = () => authoriseAgain(request, admission, deps, server, viewer);
        return { viewer, context, actor: actorOf(viewer, context), owner: ownerOf(viewer, context), still };
      },
    }),
    acts: (where: true | 'in-demo') => ({
      transform: async ({ request, server, set }: GuardInput & Answering) => {
        set.headers['cache-control'] = SECRET;
        if (isInProcess(request)) throw fail('UNKNOWN_ROUTE');
        if (where === 'in-demo') return;
        await requireNoDemo(request, server, deps);
        const viewer = await resolveViewer(request, contextOf(request, deps.env, server), deps);
        if (viewer?.embed) throw fail('EMBED_CONFIRM');
      },
    }),
    secret: (_: true) => ({
      transform: ({ query, set }: Answering & { query: Record<string, unknown> }) => {
        if (query.mask !== 'true') set.headers['cache-control'] = SECRET;
      },
    }),
    ownSite: (when: true | 'or-silent' | { with: string }) => ({
      transform: ({ request, server, query }: GuardInput & { query: Record<string, unknown> }) => {
        if (typeof when === 'object' && query[when.with] === undefined) return;
        const isRefused = when === 'or-silent' ? saysElsewhere : isFromElsewhere;
        const { origin } = contextOf(request, deps.env, server);
        if (isRefused(request.headers, origin)) throw fail('CROSS_SITE');
      },
    }),
    guest: (_: true) => ({
      transform: async (call: Arrival) => {
        const { request, server, route } = call;
        const context = contextOf(request, deps.env, server);
        await resolveViewer(request, context, deps);
        if (!writes(request)) return;
        call.body = await readBody(request, route, context, deps.consoleBodies);
        forgetViewer(context);
      },
      resolve: async ({ request, server, set }: GuardInput & Answering) => {
        const context = contextOf(request, deps.env, server);
        const guestViewer = await resolveViewer(request, context, deps);
        return { guestViewer, context, coming: { request, server, set, context, guestViewer } };
      },
    }),
    guestBytes: (_: true) => ({
      resolve: async ({ request, server }: GuardInput) => {
        const context = contextOf(request, deps.env, server);
        const bytes = await readBytes(request, context, deps.consoleBodies);
        forgetViewer(context);
        return { bytes, context };
      },
    }),
  });
