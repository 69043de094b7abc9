/** The relay's calls. No parser, no cookies, no derived context: what runs here runs for every relayed call. */

import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { type AppError, fail } from '../../core/errors.ts';
import { own } from '../../core/own.ts';
import { hasRole } from '../../core/roles.ts';
import { pathOf } from '../../core/url-path.ts';
import type { PathFacts } from '../../dialects/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { drawingCalls, plusCalls } from '../../dialects/plain/midjourney.ts';
import { acceptedProtocol, openaiRealtime, realtimeKey } from '../../dialects/plain/openai-realtime.ts';
import { sunoActions } from '../../dialects/plain/suno.ts';
import { clientIpOf } from '../../http/context.ts';
import { type GuardDeps, receiveBody } from '../../http/guard.ts';
import type { RelayDeps } from '../deps.ts';
import { admitViewer, viewersCaller } from './admit.ts';
import { showSubscription, showTokenLog, showTokenUsage, showUsage } from './balance-calls.ts';
import { fetchDrawing, fetchDrawings, fetchSeed, showFilm, showPicture } from './drawing-reads.ts';
import {
  dialectOf,
  type Endpoint,
  endpoints,
  modelActions,
  modelRoots,
  sessionPath,
  toolEndpoint,
} from './endpoints.ts';
import type { Admission, Incoming } from './incoming.ts';
import { listModels, type ModelQuestion, showModel } from './model-calls.ts';
import { refusal } from './refusal.ts';
import { startReport } from './report.ts';
import { hearOfTask } from './task-notice.ts';
import { fetchSunoTask, fetchSunoTasks } from './task-reads.ts';
import { endToolSession } from './tool-session-call.ts';
import { listVideos, removeVideo, showVideo, showVideoFile } from './video-reads.ts';

/** Answers a call, whatever becomes of it. Never rejects. */
export type Handle = (incoming: Incoming, deps: RelayDeps) => Promise<Response>;

/** What Elysia gives. */
interface Arrival {
  request: Request;
  server: Server<unknown> | null;
}

/** Bodies are read when it is known whose they are. */
const RAW = { parse: 'none' } as const;

// Elysia looks for the path behind a host of at least four letters, unless it is told that hosts may be shorter.
const elysia = (name: string) => new Elysia({ name, normalize: false, handler: { standardHostname: false } });

/** What answers the relay's calls. */
export interface RelayRoutes {
  /** Tells a caller's address, and makes websockets. */
  server: Server<unknown> | null;
  fetch(request: Request): Response | Promise<Response>;
}

/** Calls of fixed paths need nothing of a router, and nearly all calls are of these; whatever else comes goes through it. */
export function relayRoutes(deps: RelayDeps, handle: Handle): RelayRoutes {
  const router = relayRouter(deps, handle);
  const atPath = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]));
  const routes: RelayRoutes = {
    server: null,
    fetch(request) {
      const { server } = routes;
      const endpoint = request.method === 'POST' ? atPath.get(pathOf(request.url)) : undefined;
      if (endpoint) return handle(incomingAt(endpoint, { request, server }, deps), deps);
      router.server = server;
      return router.fetch(request);
    },
  };
  return routes;
}

/** What the routes of a subject are added to, and what they have in common. */
interface Routing {
  app: ReturnType<typeof elysia>;
  deps: RelayDeps;
  call(incoming: Incoming): Promise<Response>;
  notAllowed(arrival: Arrival): Response;
}

export function relayRouter(deps: RelayDeps, handle: Handle) {
  const app = elysia('relay');
  const routing: Routing = {
    app,
    deps,
    call: (incoming) => handle(incoming, deps),
    // Handed on whole, what Elysia gives would be all that it can make: tables of the address's names and of headers.
    notAllowed: ({ request, server }) => refuse({ request, server }, fail('method_not_allowed'), deps),
  };
  addCalls(routing);
  addToolServices(routing);
  addSongs(routing);
  addFilms(routing);
  addDrawings(routing);
  addModels(routing);
  addBalances(routing);
  return app.all(
    '/*',
    ({ request, server }) => refuse({ request, server }, fail('unknown_operation'), deps),
    RAW,
  );
}

/** What upstreams answer, by fixed paths. */
function addCalls({ app, deps, call, notAllowed }: Routing): void {
  for (const endpoint of endpoints) {
    app
      .post(
        endpoint.path,
        ({ request, server }) => call(incomingAt(endpoint, { request, server }, deps)),
        RAW,
      )
      .all(endpoint.path, notAllowed, RAW);
  }
  app
    .get(sessionPath, ({ request, server }) => call(sessionAt({ request, server }, deps)), RAW)
    .all(sessionPath, notAllowed, RAW);
}

/** The operator's tool services. */
function addToolServices({ app, deps, call, notAllowed }: Routing): void {
  app
    .post(
      '/mcp/:name',
      ({ request, server, params }) => {
        const incoming = incomingAt(toolEndpoint, { request, server }, deps);
        return call({ ...incoming, path: { model: decoded(params.name) } });
      },
      RAW,
    )
    .delete(
      '/mcp/:name',
      ({ request, server, params }) => {
        const ip = ipOf({ request, server }, deps);
        return deps.stopping.track(endToolSession({ request, ip, name: decoded(params.name) }, deps));
      },
      RAW,
    )
    // No stream of the service's own is offered.
    .all('/mcp/:name', notAllowed, RAW);
}

/** Music, as clients of Suno ask for it. */
function addSongs({ app, deps, call, notAllowed }: Routing): void {
  app
    .post(
      '/suno/submit/:action',
      ({ request, server, params }) => {
        const action = own(sunoActions, params.action.toLowerCase());
        if (!action) return refuse({ request, server }, fail('unknown_operation'), deps);
        const { dialect, model } = action;
        const incoming = incomingAt({ operation: 'task', dialect }, { request, server }, deps);
        return call({ ...incoming, path: { model } });
      },
      RAW,
    )
    .all('/suno/submit/:action', notAllowed, RAW)
    .post(
      '/suno/fetch',
      ({ request, server }) => fetchSunoTasks({ request, ip: ipOf({ request, server }, deps) }, deps),
      RAW,
    )
    .all('/suno/fetch', notAllowed, RAW)
    .get(
      '/suno/fetch/:id',
      ({ request, server, params }) =>
        fetchSunoTask({ request, ip: ipOf({ request, server }, deps) }, decoded(params.id), deps),
      RAW,
    )
    .all('/suno/fetch/:id', notAllowed, RAW);
}

/** What has become of films; they are asked for by a fixed path. */
function addFilms({ app, deps, notAllowed }: Routing): void {
  app
    .get(
      '/v1/videos',
      ({ request, server }) =>
        listVideos({ request, ip: ipOf({ request, server }, deps) }, queryOf(request.url), deps),
      RAW,
    )
    .get(
      '/v1/videos/:id',
      ({ request, server, params }) =>
        showVideo({ request, ip: ipOf({ request, server }, deps) }, decoded(params.id), deps),
      RAW,
    )
    .delete(
      '/v1/videos/:id',
      ({ request, server, params }) =>
        removeVideo({ request, ip: ipOf({ request, server }, deps) }, decoded(params.id), deps),
      RAW,
    )
    .all('/v1/videos/:id', notAllowed, RAW)
    .get(
      '/v1/videos/:id/content',
      ({ request, server, params }) =>
        showVideoFile(
          { request, ip: ipOf({ request, server }, deps) },
          decoded(params.id),
          queryOf(request.url),
          deps,
        ),
      RAW,
    )
    .all('/v1/videos/:id/content', notAllowed, RAW);
}

/** Drawing, as clients of such proxies ask for it. */
function addDrawings({ app, deps, call, notAllowed }: Routing): void {
  for (const [root, mode] of DRAWING_ROOTS) {
    const question = ({ request, server }: Arrival) => ({ request, ip: ipOf({ request, server }, deps) });
    for (const dialect of [...drawingCalls, ...plusCalls]) {
      const path = `${root}${dialect.path}`;
      app
        .post(
          path,
          ({ request, server }) => {
            const incoming = incomingAt({ operation: 'task', dialect }, { request, server }, deps);
            return call(mode === null ? incoming : { ...incoming, path: { mode } });
          },
          RAW,
        )
        .all(path, notAllowed, RAW);
    }
    app
      .get(
        `${root}/task/:id/fetch`,
        ({ request, server, params }) =>
          fetchDrawing(question({ request, server }), decoded(params.id), deps),
        RAW,
      )
      .get(
        `${root}/task/:id/image-seed`,
        ({ request, server, params }) => fetchSeed(question({ request, server }), decoded(params.id), deps),
        RAW,
      )
      .post(
        `${root}/task/list-by-condition`,
        ({ request, server }) => fetchDrawings(question({ request, server }), deps),
        RAW,
      )
      .post(
        `${root}/notify`,
        ({ request, server }) =>
          hearOfTask({ ...question({ request, server }), query: queryOf(request.url) }, deps),
        RAW,
      )
      .get(
        `${root}/image/:id`,
        ({ request, server, params }) => showPicture(question({ request, server }), decoded(params.id), deps),
        RAW,
      )
      .get(
        `${root}/video/:id`,
        ({ request, server, params }) =>
          showFilm(question({ request, server }), decoded(params.id), queryOf(request.url), deps),
        RAW,
      );
  }
}

/** Models: which there are, and Google's calls, whose paths name theirs. */
function addModels({ app, deps, call, notAllowed }: Routing): void {
  for (const root of modelRoots) {
    app
      .post(
        `${root}/*`,
        ({ request, server }) => {
          const incoming = actionAt(root, { request, server }, deps);
          return incoming ? call(incoming) : refuse({ request, server }, fail('unknown_operation'), deps);
        },
        RAW,
      )
      .get(root, ({ request, server }) => listModels(questionAt({ request, server }, deps), deps), RAW)
      .get(
        `${root}/*`,
        ({ request, server, params }) =>
          showModel(questionAt({ request, server }, deps), decoded(params['*']), deps),
        RAW,
      )
      .all(root, notAllowed, RAW);
  }
}

/** What is left of a key and its user, and what became of it. */
function addBalances({ app, deps, notAllowed }: Routing): void {
  for (const [path, show] of BALANCE_CALLS) {
    app
      .get(path, ({ request, server }) => show({ request, ip: ipOf({ request, server }, deps) }, deps), RAW)
      .all(path, notAllowed, RAW);
  }
}

/** Clients of drawing proxies choose how fast something is drawn by a step before the path. */
const DRAWING_ROOTS = [
  ['/mj', null],
  ['/mj-fast/mj', 'fast'],
  ['/mj-relax/mj', 'relax'],
  ['/mj-turbo/mj', 'turbo'],
] as const;

/** Clients put OpenAI's billing calls behind an address that ends with `/v1`, or without it. */
const BALANCE_CALLS = [
  ...['/v1', ''].flatMap(
    (root) =>
      [
        [`${root}/dashboard/billing/subscription`, showSubscription],
        [`${root}/dashboard/billing/usage`, showUsage],
      ] as const,
  ),
  ['/api/usage/token', showTokenUsage],
  ['/api/log/token', showTokenLog],
] as const;

/** The console's own chat: a call of the relay under a session instead of a key. */
export function playgroundRoutes(deps: RelayDeps & GuardDeps, handle: Handle) {
  const endpoint = { operation: 'chat', dialect: openaiChat } as const;
  return elysia('playground')
    .post(
      '/pg/chat/completions',
      ({ request, server }) => {
        const incoming = incomingAt(endpoint, { request, server }, deps);
        return handle({ ...incoming, admission: bySession({ request, server }, deps) }, deps);
      },
      RAW,
    )
    .all('/*', ({ request, server }) => refuse({ request, server }, fail('unknown_operation'), deps), RAW);
}

/** Who makes such a call: in a frame of an application what he let it spend. */
const PLAYER = { least: 'user', framed: 'relay' } as const;

/**
 * The field `group` of such a call chooses among the groups that the user may use; it goes no further. The database is
 * asked who he is before the body comes: what follows that belongs to the turn in which it is read.
 */
const bySession =
  ({ request, server }: Arrival, deps: RelayDeps & GuardDeps): Admission =>
  async (_, { read, met }) => {
    const { body: came } = await receiveBody(request, PLAYER, deps, server, async (player) => {
      if (player.sessionId === null) throw fail('AUTH_REQUIRED');
      if (deps.options.get('DemoSiteEnabled') && !hasRole(player.role, 'root')) throw fail('DEMO_READONLY');
      const caller = await viewersCaller(player, deps);
      return { caller, body: await read(player.id) };
    });
    const { group, ...body } = came.body;
    const admitted = admitViewer(came.caller, group, deps);
    met(admitted.caller);
    return { admitted, body };
  };

// ---- What arrives ------------------------------------------------------------------------------------------------

const NO_QUERY = new URLSearchParams();

const queryOf = (url: string): URLSearchParams => {
  const at = url.indexOf('?');
  return at < 0 ? NO_QUERY : new URLSearchParams(url.slice(at));
};

const NO_PATH: PathFacts = {};

const ipOf = ({ request, server }: Arrival, { env }: RelayDeps): string =>
  clientIpOf(request, env, server).ip;

const incomingAt = (endpoint: Omit<Endpoint, 'path'>, arrival: Arrival, deps: RelayDeps): Incoming => ({
  request: arrival.request,
  ip: ipOf(arrival, deps),
  endpoint,
  path: NO_PATH,
  query: queryOf(arrival.request.url),
});

/** A call whose path names the model and the action; null with another action, which is no call. */
function actionAt(root: string, arrival: Arrival, deps: RelayDeps): Incoming | null {
  const rest = pathOf(arrival.request.url).slice(root.length + 1);
  const colon = rest.lastIndexOf(':');
  const action = rest.slice(colon + 1);
  const endpoint = colon > 0 && Object.hasOwn(modelActions, action) ? modelActions[action] : undefined;
  if (!endpoint) return null;
  const incoming = incomingAt(endpoint, arrival, deps);
  const model = decoded(rest.slice(0, colon));
  // Only Google's clients put their key into the address.
  return { ...incoming, path: { model, stream: endpoint.stream }, key: model && incoming.query.get('key') };
}

/** A call that becomes a websocket. */
function sessionAt(arrival: Arrival, deps: RelayDeps): Incoming {
  const { request, server } = arrival;
  const incoming = incomingAt({ operation: 'realtime', dialect: openaiRealtime }, arrival, deps);
  return {
    ...incoming,
    path: { model: incoming.query.get('model') ?? undefined },
    key: realtimeKey(request.headers),
    upgrade: (peer, id) =>
      server?.upgrade(request, {
        data: peer,
        headers: { 'x-request-id': id, 'x-oneapi-request-id': id, ...acceptedProtocol(request.headers) },
      }) ?? false,
  };
}

function questionAt(arrival: Arrival, deps: RelayDeps): ModelQuestion {
  const { request } = arrival;
  const key = queryOf(request.url).get('key');
  const dialect = key ? gemini : dialectOf(pathOf(request.url), request.headers);
  return { request, ip: ipOf(arrival, deps), key, dialect };
}

/** A name that is not well encoded is nobody's. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function refuse(arrival: Arrival, error: AppError, deps: RelayDeps): Response {
  const { request } = arrival;
  const report = startReport(request, ipOf(arrival, deps), deps);
  return refusal(error, dialectOf(pathOf(request.url), request.headers), report, deps);
}
