/** The relay's calls. No parser, no cookies, no derived context: what runs here runs for every relayed call. */

import { join } from 'node:path';
import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { type AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { hasRole } from '../../core/roles.ts';
import { asIs } from '../../core/text.ts';
import { pathOf } from '../../core/url-path.ts';
import type { Dialect, PathFacts, RequestFacts } from '../../dialects/dialect.ts';
import { gemini } from '../../dialects/gemini/dialect.ts';
import { openaiChat } from '../../dialects/openai-chat/dialect.ts';
import { acceptedProtocol, openaiRealtime, realtimeKey } from '../../dialects/plain/openai-realtime.ts';
import { clientIpOf } from '../../http/context.ts';
import { authorise, type GuardDeps } from '../../http/guard.ts';
import type { SocketPeer } from '../../platform/sockets.ts';
import { answerHeaders } from '../answer/answer-headers.ts';
import { errorReply, toRelayError } from '../answer/error-reply.ts';
import { refusingPeer } from '../answer/realtime.ts';
import type { RelayDeps } from '../deps.ts';
import { handle } from '../handle.ts';
import type { Held, Upload } from '../request.ts';
import { type Admitted, admitViewer, authenticate } from './admit.ts';
import { readRequestBody } from './body.ts';
import { callersBody } from './callers-body.ts';
import { answerCount } from './count-call.ts';
import { dialectOf, type Endpoint, endpoints, modelActions, modelRoots } from './endpoints.ts';
import { type ModelShape, modelShapeOf, usableModels } from './models.ts';
import { type Report, startReport } from './report.ts';
import { isForm, readUpload } from './upload.ts';

type Host = Server<unknown> | null;

export function relayRoutes(deps: RelayDeps) {
  // Elysia looks for the path behind a host of at least four letters, unless it is told that hosts may be shorter.
  const app = new Elysia({ name: 'relay', normalize: false, handler: { standardHostname: false } });
  for (const endpoint of endpoints) {
    app
      .post(
        endpoint.path,
        // The process waits for it at a stop.
        ({ request, server }) => deps.stopping.track(serve(request, server, endpoint, deps)),
        { parse: 'none' },
      )
      .all(
        endpoint.path,
        ({ request, server }) => refuse(request, server, fail('method_not_allowed'), deps),
        {
          parse: 'none',
        },
      );
  }
  app
    .get('/v1/realtime', ({ request, server }) => deps.stopping.track(serveSocket(request, server, deps)), {
      parse: 'none',
    })
    .all('/v1/realtime', ({ request, server }) => refuse(request, server, fail('method_not_allowed'), deps), {
      parse: 'none',
    });
  for (const root of modelRoots) {
    app
      .post(
        `${root}/*`,
        ({ request, server }) => deps.stopping.track(serveAction(request, server, root, deps)),
        { parse: 'none' },
      )
      .get(root, ({ request, server }) => listModels(request, server, deps), { parse: 'none' })
      .get(
        `${root}/*`,
        ({ request, server, params }) => showModel(request, server, decoded(params['*']), deps),
        { parse: 'none' },
      )
      .all(root, ({ request, server }) => refuse(request, server, fail('method_not_allowed'), deps), {
        parse: 'none',
      });
  }
  return app.all('/*', ({ request, server }) => refuse(request, server, fail('unknown_operation'), deps), {
    parse: 'none',
  });
}

/** The console's own chat: a call of the relay under a session instead of a key. */
export function playgroundRoutes(deps: RelayDeps & GuardDeps) {
  const endpoint = { operation: 'chat', dialect: openaiChat } as const;
  const admission = bySession(deps);
  return new Elysia({ name: 'playground', normalize: false, handler: { standardHostname: false } })
    .post(
      '/pg/chat/completions',
      ({ request, server }) =>
        deps.stopping.track(serve(request, server, endpoint, deps, NO_PATH, admission)),
      { parse: 'none' },
    )
    .all('/*', ({ request, server }) => refuse(request, server, fail('unknown_operation'), deps), {
      parse: 'none',
    });
}

/** A name that is not well encoded is nobody's. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const NO_QUERY = new URLSearchParams();

const queryOf = (url: string): URLSearchParams => {
  const at = url.indexOf('?');
  return at < 0 ? NO_QUERY : new URLSearchParams(url.slice(at));
};

const NO_PATH: PathFacts = {};

/** A call whose path names the model and the action; with another action it is no call. */
function serveAction(request: Request, server: Host, root: string, deps: RelayDeps): Promise<Response> {
  const rest = pathOf(request.url).slice(root.length + 1);
  const colon = rest.lastIndexOf(':');
  const action = rest.slice(colon + 1);
  const endpoint = colon > 0 && Object.hasOwn(modelActions, action) ? modelActions[action] : undefined;
  if (!endpoint) return Promise.resolve(refuse(request, server, fail('unknown_operation'), deps));
  const path = { model: decoded(rest.slice(0, colon)), stream: endpoint.stream };
  return serve(request, server, endpoint, deps, path);
}

interface Incoming {
  request: Request;
  server: Host;
  ip: string;
  /** Of the address, where one may stand there. */
  key?: string | null;
}

/** Finds out who calls, before the body is read, and what of it is the call's. Throws what keeps him out. */
type Admission = (
  incoming: Incoming,
  read: (userId: number) => Promise<JsonObject>,
) => Promise<{ admitted: Admitted; body: JsonObject }>;

const byKey =
  (deps: RelayDeps): Admission =>
  async ({ request: { headers }, ip, key }, read) => {
    const admitted = await authenticate({ headers, ip, key }, deps);
    return { admitted, body: await read(admitted.caller.userId) };
  };

/** The field `group` of such a call chooses among the groups that the user may use; it goes no further. */
const bySession =
  (deps: RelayDeps & GuardDeps): Admission =>
  async ({ request, server }, read) => {
    const viewer = await authorise(request, 'user', deps, server);
    if (viewer.sessionId === null) throw fail('AUTH_REQUIRED');
    if (deps.options.get('DemoSiteEnabled') && !hasRole(viewer.role, 'root')) throw fail('DEMO_READONLY');
    const { group, ...body } = await read(viewer.id);
    return { admitted: await admitViewer(viewer.id, group, deps), body };
  };

async function serve(
  request: Request,
  server: Host,
  endpoint: Omit<Endpoint, 'path'>,
  deps: RelayDeps,
  path = NO_PATH,
  admission = byKey(deps),
): Promise<Response> {
  const report = startReport(request, clientIpOf(request, deps.env, server).ip, deps);
  const { id, ip, startedAt } = report;
  const { operation, dialect, joiner } = endpoint;
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    const place = deps.calls.enter(ip);
    report.hold(place);
    const { headers } = request;
    const query = queryOf(request.url);
    // Only Google's clients put their key there.
    const key = path.model && query.get('key');
    let upload: Upload | undefined;
    const { admitted, body: came } = await admission({ request, server, ip, key }, async (userId) => {
      place.of(userId);
      const read = await readBody(request, endpoint, userId, deps);
      report.hold(read.held);
      upload = read.upload;
      return read.body;
    });
    const { body, dropped, kept } = callersBody(came, endpoint);
    const facts = factsOf(dialect, body, upload ? { ...path, files: upload.files } : path, kept);
    report.model = facts.model;
    const wantsCost = headers.get('x-include-cost') === '1';
    const answer = operation === 'count-tokens' ? answerCount : handle;
    return await answer(
      {
        id,
        ip,
        operation,
        dialect,
        headers,
        query,
        path,
        body,
        dropped,
        upload,
        joiner: joiner?.(query) ?? null,
        facts,
        startedAt,
        wantsCost,
        left: request.signal,
        hold: report.hold,
        ended: report.ended,
      },
      admitted,
      deps,
    );
  } catch (thrown) {
    return failed(toRelayError(thrown), report, deps, dialect);
  }
}

/** Only the service knows how much there is in what its account keeps. */
function factsOf(
  dialect: Dialect,
  body: JsonObject,
  path: PathFacts,
  kept: string | undefined,
): RequestFacts {
  const facts = dialect.readRequest(body, path);
  if (kept === undefined) return facts;
  return {
    ...facts,
    sharedContext: facts.sharedContext ?? kept,
    prompt: { ...facts.prompt, unseen: true },
  };
}

/** A call that becomes a websocket. Callers with a key are told there what is wrong, because browsers read nothing else. */
async function serveSocket(request: Request, server: Host, deps: RelayDeps): Promise<Response> {
  const report = startReport(request, clientIpOf(request, deps.env, server).ip, deps);
  const { id, ip, startedAt } = report;
  const { headers } = request;
  const upgrade = (peer: SocketPeer): boolean =>
    server?.upgrade(request, {
      data: peer,
      headers: { 'x-request-id': id, 'x-oneapi-request-id': id, ...acceptedProtocol(headers) },
    }) ?? false;
  let isKnown = false;
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    const place = deps.calls.enter(ip);
    report.hold(place);
    const admitted = await authenticate({ headers, ip, key: realtimeKey(headers) }, deps);
    place.of(admitted.caller.userId);
    if (headers.get('upgrade')?.toLowerCase() !== 'websocket') {
      throw fail('invalid_request', {
        params: { reason: { zh: '请使用 WebSocket 连接', en: 'A websocket is expected.' } },
      });
    }
    isKnown = true;
    const query = queryOf(request.url);
    const path = { model: query.get('model') ?? undefined };
    const facts = openaiRealtime.readRequest({}, path);
    report.model = facts.model;
    return await handle(
      {
        id,
        ip,
        operation: 'realtime',
        dialect: openaiRealtime,
        headers,
        query,
        path,
        body: {},
        joiner: null,
        facts,
        startedAt,
        wantsCost: false,
        left: request.signal,
        upgrade,
        hold: report.hold,
        ended: report.ended,
      },
      admitted,
      deps,
    );
  } catch (thrown) {
    const error = toRelayError(thrown);
    const answer = failed(error, report, deps, openaiRealtime);
    return isKnown && upgrade(refusingPeer(error, id)) ? new Response(null) : answer;
  }
}

interface Body {
  body: JsonObject;
  held: Held;
  upload?: Upload;
}

/** What the caller sends: JSON, or a form where the call takes one. */
async function readBody(
  request: Request,
  { form }: Pick<Endpoint, 'form'>,
  userId: number,
  { bodies, uploads, env }: RelayDeps,
): Promise<Body> {
  if (form && isForm(request.headers)) {
    const folder = join(env.DATA_DIR, 'tmp');
    const upload = await readUpload(request, { folder, room: uploads.of(userId) });
    return { body: upload.fields, held: upload.held, upload };
  }
  if (form === 'always') {
    throw fail('invalid_request', {
      params: {
        reason: { zh: '请以 multipart/form-data 表单发送', en: 'A form (multipart/form-data) is expected.' },
      },
    });
  }
  return readRequestBody(request, bodies.of(userId));
}

function failed(error: AppError, report: Report, deps: RelayDeps, dialect: Dialect): Response {
  const { relayStatus: status, code, detail } = error;
  report.ended({ status, code });
  if (code === 'internal') deps.log.error('relay.failed', { request_id: report.id, error: detail.cause });
  const reply = errorReply(dialect, error, report.id);
  if (code === 'stopping') reply.headers.set('connection', 'close');
  return reply;
}

function refuse(request: Request, server: Host, error: AppError, deps: RelayDeps): Response {
  const report = startReport(request, clientIpOf(request, deps.env, server).ip, deps);
  return failed(error, report, deps, dialectOf(pathOf(request.url), request.headers));
}

async function listModels(request: Request, server: Host, deps: RelayDeps): Promise<Response> {
  return answerModels(request, server, deps, (shape, names) => shape.list(names));
}

async function showModel(request: Request, server: Host, model: string, deps: RelayDeps): Promise<Response> {
  return answerModels(request, server, deps, (shape, names) => {
    if (!names.includes(model)) throw fail('model_not_found', { params: { model: asIs(model) } });
    return shape.card(model);
  });
}

async function answerModels(
  request: Request,
  server: Host,
  deps: RelayDeps,
  render: (shape: ModelShape, names: readonly string[]) => object,
): Promise<Response> {
  const report = startReport(request, clientIpOf(request, deps.env, server).ip, deps);
  const { id, ip } = report;
  const key = queryOf(request.url).get('key');
  const dialect = key ? gemini : dialectOf(pathOf(request.url), request.headers);
  try {
    const admitted = await authenticate({ headers: request.headers, ip, key }, deps);
    const body = render(modelShapeOf(dialect), usableModels(admitted, deps));
    report.ended({ status: 200, userId: admitted.caller.userId });
    return Response.json(body, { headers: answerHeaders(id, dialect) });
  } catch (thrown) {
    return failed(toRelayError(thrown), report, deps, dialect);
  }
}
