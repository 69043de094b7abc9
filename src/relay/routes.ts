/** The relay's calls. No parser, no cookies, no derived context: what runs here runs for every relayed call. */
import type { Server } from 'bun';
import { Elysia } from 'elysia';
import { type AppError, fail } from '../core/errors.ts';
import { clientIpOf } from '../http/context.ts';
import { authenticate } from './admit.ts';
import { readRequestBody } from './body.ts';
import type { RelayDeps } from './deps.ts';
import { defaultDialect, type Endpoint, endpoints } from './endpoints.ts';
import { errorReply, toRelayError } from './error-reply.ts';
import { handle } from './handle.ts';
import { modelCard, modelList, usableModels } from './models.ts';
import { type Report, startReport } from './report.ts';

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
  return app
    .get('/v1/models', ({ request, server }) => listModels(request, server, deps), { parse: 'none' })
    .get(
      '/v1/models/*',
      ({ request, server, params }) => showModel(request, server, decoded(params['*']), deps),
      { parse: 'none' },
    )
    .all('/v1/models', ({ request, server }) => refuse(request, server, fail('method_not_allowed'), deps), {
      parse: 'none',
    })
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

async function serve(
  request: Request,
  server: Host,
  { operation, dialect }: Endpoint,
  deps: RelayDeps,
): Promise<Response> {
  const report = startReport(request, clientIpOf(request, deps.env, server).ip, deps);
  const { id, ip, startedAt } = report;
  try {
    if (deps.stopping.begun) throw fail('stopping', { retryAfterSec: 5 });
    const { headers } = request;
    const admitted = await authenticate({ headers, ip }, deps);
    const { body, held } = await readRequestBody(request, deps.bodies);
    report.hold(held);
    const facts = dialect.readRequest(body, {});
    report.model = facts.model;
    const wantsCost = headers.get('x-include-cost') === '1';
    return await handle(
      {
        id,
        ip,
        operation,
        dialect,
        headers,
        query: queryOf(request.url),
        body,
        facts,
        startedAt,
        wantsCost,
        left: request.signal,
        ended: report.ended,
      },
      admitted,
      deps,
    );
  } catch (thrown) {
    return failed(toRelayError(thrown), report, deps, dialect);
  }
}

function failed(error: AppError, report: Report, deps: RelayDeps, dialect = defaultDialect): Response {
  const { relayStatus: status, code, detail } = error;
  report.ended({ status, code });
  if (code === 'internal') deps.log.error('relay.failed', { request_id: report.id, error: detail.cause });
  const reply = errorReply(dialect, error, report.id);
  if (code === 'stopping') reply.headers.set('connection', 'close');
  return reply;
}

function refuse(request: Request, server: Host, error: AppError, deps: RelayDeps): Response {
  return failed(error, startReport(request, clientIpOf(request, deps.env, server).ip, deps), deps);
}

async function listModels(request: Request, server: Host, deps: RelayDeps): Promise<Response> {
  return answerModels(request, server, deps, (names) => modelList(names));
}

async function showModel(request: Request, server: Host, model: string, deps: RelayDeps): Promise<Response> {
  return answerModels(request, server, deps, (names) => {
    if (!names.includes(model)) throw fail('model_not_found', { params: { model } });
    return modelCard(model);
  });
}

async function answerModels(
  request: Request,
  server: Host,
  deps: RelayDeps,
  render: (names: readonly string[]) => object,
): Promise<Response> {
  const report = startReport(request, clientIpOf(request, deps.env, server).ip, deps);
  const { id, ip } = report;
  try {
    const admitted = await authenticate({ headers: request.headers, ip }, deps);
    const body = render(usableModels(admitted, deps));
    report.ended({ status: 200, userId: admitted.caller.userId });
    return Response.json(body, { headers: { 'x-request-id': id, 'cache-control': 'no-store' } });
  } catch (thrown) {
    return failed(toRelayError(thrown), report, deps);
  }
}
