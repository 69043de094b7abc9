/**
 * The front door. Each part of the server is an Elysia app of its own, so that the hooks of one (sessions, limits,
 * body rules) never run for another; this sends a request to its part by the first step of its path. Finished requests
 * are logged here, but for the relay's, which knows more of them and logs each when its stream has ended.
 */
import { type AppError, fail } from './core/errors.ts';
import { limits } from './core/limits.ts';
import { own } from './core/own.ts';
import { behindHost, inSingleSlashes, pathOf } from './core/url-path.ts';
import { hasMoreParts } from './core/wire/lists.ts';
import type { Env } from './env.ts';
import { completed } from './http/answer-rules.ts';
import { type Coding, codingFor, compressed, isOfWholeType, isRead } from './http/compress.ts';
import {
  clientIpOf,
  connectionOf,
  contextOf,
  isHttps,
  type PeerSource,
  type RequestContext,
  shareOf,
} from './http/context.ts';
import type { Coming } from './http/counted-by.ts';
import { toAppError } from './http/envelope.ts';
import { hostNamedBy, isHost } from './http/host.ts';
import { isLarge, type LargeAnswers } from './http/large-answers.ts';
import type { OpenAnswers } from './http/open-answers.ts';
import { errorDocument } from './http/page-error.ts';
import { refusal } from './http/refusal.ts';
import { readerOf } from './platform/answer-room.ts';
import type { Logger } from './platform/logger.ts';
import type { Metrics } from './platform/metrics.ts';
import type { StandsStill } from './platform/reader-pace.ts';
import { countRequest } from './platform/request-figures.ts';
import type { Stopping } from './platform/stopping.ts';
import { closing, streamedOf } from './platform/streamed.ts';
import { errorReply } from './relay/answer/error-reply.ts';
import { asksForSocket, dialectOf, sessionPath } from './relay/entry/endpoints.ts';

/** An Elysia app, or anything that answers like one. */
export interface Part {
  fetch(request: Request): Response | Promise<Response>;
}

export interface Parts {
  /** Liveness, readiness, metrics: answered also while the server stops, and not logged. */
  probes: Part;
  /** What all calls look like. */
  description: Part;
  /** `/api`, and the addresses that are well known. */
  api: Part;
  /** `/v1`, `/v1beta` and what else takes a relay key: refuses, logs and counts by itself. */
  relay: Part;
  /** `/pg`: the relay under a session. */
  playground: Part;
  /** Everything else: pages and their files. */
  pages: Part;
}

interface FrontDeps {
  env: Env;
  large: LargeAnswers;
  openAnswers: OpenAnswers;
  /** Whose share he has, who comes, beside his network's; null for a stranger. */
  ownShareOf(coming: Coming): Promise<string | null>;
  log: Logger;
  metrics: Metrics;
  stopping: Stopping;
}

const PART_OF: Readonly<Record<string, keyof Parts>> = {
  healthz: 'probes',
  readyz: 'probes',
  metrics: 'probes',
  api: 'api',
  v1: 'relay',
  v1beta: 'relay',
  v2: 'relay',
  dashboard: 'relay',
  mcp: 'relay',
  suno: 'relay',
  mj: 'relay',
  'mj-fast': 'relay',
  'mj-relax': 'relay',
  'mj-turbo': 'relay',
  pg: 'playground',
  'openapi.json': 'description',
};

/** Calls below `/api` that take a relay key and know no session. */
const TAKES_KEY = /^\/api\/(usage|log)\/token\/?$/;

/** What applications read that sign in here; everything else that is well known is none of ours. */
const WELL_KNOWN = /^\/\.well-known\/(openid-configuration|oauth-authorization-server|jwks\.json)$/;

const partOf = (path: string): keyof Parts => {
  if (TAKES_KEY.test(path)) return 'relay';
  return WELL_KNOWN.test(path) ? 'api' : (own(PART_OF, firstStep(path)) ?? 'pages');
};

/** A request, and what its address says, which is read once. */
interface Asked {
  request: Request;
  server: PeerSource | null;
  /** In single slashes, as its path is. */
  address: string;
  path: string;
  part: keyof Parts;
}

function askedOf(request: Request, server: PeerSource | null): Asked {
  const address = inSingleSlashes(request.url);
  const path = pathOf(address);
  return { request, server, address, path, part: partOf(path) };
}

/** Seconds after which a caller that was refused because of the stop may find the next server. */
const RETRY_SEC = 5;

export type Front = (request: Request, server: PeerSource | null) => Response | Promise<Response>;

export function createFront(parts: Parts, deps: FrontDeps): Front {
  const contextFor = ({ request, server }: Asked): RequestContext => contextOf(request, deps.env, server);

  const logged = async (asked: Asked, work: Part) => {
    const { request, path, part } = asked;
    const startedAt = performance.now();
    const context = contextFor(asked);
    const response = await answered(work, request, context, deps.log);
    const seconds = (performance.now() - startedAt) / 1000;
    const bytes = response.headers.get('content-length');
    deps.log.request({
      method: request.method,
      path,
      status: response.status,
      ms: Math.round(seconds * 10_000) / 10,
      ...(bytes === null ? {} : { bytes: Number(bytes) }),
      request_id: context.requestId,
      ...(context.viewer ? { user_id: context.viewer.id } : {}),
      ip: context.clientIp,
    });
    countRequest(deps.metrics, part, response.status, seconds);
    return response;
  };

  const recorded = (asked: Asked, work: Part) => deps.stopping.track(logged(asked, work));

  const answer = (asked: Asked): Response | Promise<Response> => {
    const { request, address, path, part } = asked;
    if (!isHost(hostNamedBy(request))) {
      return refusal(fail('BAD_HOST'), contextFor(asked));
    }
    if (hasManyNames(address)) return recorded(asked, { fetch: () => refuseIn(asked, tooManyNames()) });
    // These log, count and refuse by themselves, or not at all.
    if (part === 'probes' || part === 'relay' || part === 'playground') {
      return parts[part].fetch(readAt(request, address));
    }
    if (deps.stopping.begun) return recorded(asked, { fetch: () => refuseWork(part, contextFor(asked)) });
    return recorded(asked, path === pathOf(request.url) ? parts[part] : inPlaceOf(asked));
  };

  /** Stands in for a part where runs of slashes are in the path, which no router is to see. No call of the API has any. */
  const inPlaceOf = (asked: Asked): Part => ({
    fetch(request) {
      const isCall = !isRead(request) || pathOf(request.url).startsWith('/api/');
      return isCall ? refuseIn(asked, fail('UNKNOWN_ROUTE')) : ledTo(asked.address);
    },
  });

  /** Where nobody but a proxy could tell, and none does, the address of who calls need not be asked for. */
  const showsHttps = (request: Request, server: PeerSource | null): boolean => {
    const isAsked =
      !deps.env.SERVER_ADDRESS &&
      deps.env.TRUSTED_PROXIES.length > 0 &&
      request.headers.has('x-forwarded-proto');
    return isHttps(request, deps.env, isAsked && clientIpOf(request, deps.env, server).fromProxy);
  };

  /** What the runtime would keep for who does not read it. */
  const readPiecemeal = async (asked: Asked, given: Response, standsStill?: StandsStill) => {
    const { request, path } = asked;
    try {
      const giving = { room: roomFor(asked), coding: compressedBy(asked, given), standsStill };
      return await deps.large.give(request, given, giving);
    } catch (error) {
      const refused = toAppError(error, '');
      if (refused.code === 'INTERNAL') deps.log.error('request.failed', { path, error });
      return refuseIn(asked, refused, given.headers.get('x-request-id') ?? '');
    }
  };

  /** The relay's answers go out as they came, and nobody waits for their packing. */
  const compressedBy = ({ request, part }: Asked, given: Response): Coding | undefined =>
    COMPRESSED.has(part) ? codingFor(request, given) : undefined;

  /** `standsStill`: its place is told. */
  const shown = async (asked: Asked, given: Response, standsStill?: StandsStill) => {
    if (isLarge(given, AT_ONCE[asked.part])) {
      // Nobody reads an answer to HEAD.
      return asked.request.method === 'HEAD' ? given : readPiecemeal(asked, given, standsStill);
    }
    const coding = compressedBy(asked, given);
    return coding ? compressed(given, coding) : given;
  };

  const roomFor = (asked: Asked) => {
    const { request, server, part } = asked;
    if (part === 'relay' || part === 'playground') {
      const { ip } = clientIpOf(request, deps.env, server);
      return deps.large.roomOf({ who: readerOf(request), ip });
    }
    const { viewer, clientIp: ip } = contextFor(asked);
    return viewer ? deps.large.roomOf({ who: shareOf(viewer), ip }) : deps.large.roomOfGuest(ip);
  };

  /** In the words of its part. */
  const refuseIn = (asked: Asked, error: AppError, id?: string): Response => {
    const { request, path, part } = asked;
    const context = contextFor(asked);
    if (part === 'relay' || part === 'playground') {
      return errorReply(dialectOf(path, request.headers), error, id ?? context.requestId);
    }
    if (part === 'pages') return errorDocument(error, context.locale, context.requestId);
    return refusal(error, context);
  };

  const addressOf = ({ request, server }: Asked): string => clientIpOf(request, deps.env, server).ip;

  /** Others are streams. What the API streams may have come through hands that keep nothing of it but its headers. */
  const isGivenWhole = ({ part }: Asked, given: Response): boolean =>
    part !== 'api' || given.status >= 300 || isOfWholeType(given);

  /** What its host would break is refused, whoever asks it. */
  const ownShareOf = async (asked: Asked): Promise<string | null> =>
    isHost(hostNamedBy(asked.request))
      ? deps.ownShareOf({ request: asked.request, context: contextFor(asked) })
      : null;

  /** Holds a place until it is written, but while its body comes. */
  const counted = async (asked: Asked) => {
    const place = deps.openAnswers.placeFor(asked.request, addressOf(asked), () => ownShareOf(asked));
    try {
      const taking = place.take();
      if (taking) await taking;
    } catch (error) {
      return recorded(asked, { fetch: () => refuseIn(asked, toAppError(error, '')) });
    }
    let writing: Promise<unknown> | undefined;
    try {
      const answered = await shown(asked, await answer(asked), place.standsStill);
      writing = streamedOf(answered)?.written;
      return answered;
    } finally {
      if (writing) void writing.then(place.leave);
      else place.leave();
    }
  };

  /**
   * What was given is taken in time, or its connection ends; so does one behind which no other request comes. Streams have
   * deadlines of their own until they are written.
   */
  const letGo = (asked: Asked, given: Response) => {
    const { request, server } = asked;
    const streamed = streamedOf(given);
    // The runtime counts from when it is told, whatever is written meanwhile.
    const isTakenInTime = () => server?.timeout?.(request, limits.answerTakenSec);
    if (streamed) streamed.beforeEnd = isTakenInTime;
    else if (isGivenWhole(asked, given)) isTakenInTime();
    const mayLie = streamed !== undefined || isLarge(given, limits.proxyTakesBytes);
    if (!mayLie || given.headers.get('connection') === 'close') return;
    const connection = connectionOf(request, server);
    const { written } = streamed ?? {};
    if (!deps.openAnswers.mayKeep({ ip: addressOf(asked), connection, written })) closing(given);
  };

  return async (request, server) => {
    deps.openAnswers.cameOver(() => connectionOf(request, server));
    const https = showsHttps(request, server);
    const asked = askedOf(request, server);
    const isCounted = !isCall(asked) && asked.part !== 'probes';
    const given = isCounted ? await counted(asked) : await shown(asked, await answer(asked));
    if (given.status >= 300 || !isSession(asked)) letGo(asked, given);
    return completed(request, given, https);
  };
}

/** Calls of the relay, and its sessions, count their own places, and stream for as long as models think. */
const isCall = ({ request, path, part }: Asked): boolean =>
  (part === 'relay' || part === 'playground') && (request.method === 'POST' || isSession({ request, path }));

const isSession = ({ request, path }: Pick<Asked, 'request' | 'path'>): boolean =>
  // Routes end in a slash or in none.
  path.replace(/\/$/, '') === sessionPath && asksForSocket(request);

/**
 * Clients put `/v1/…` behind an address that ends in a slash, and theirs are calls as others are. It stays the same
 * request, because by that alone the runtime knows who calls, and makes a websocket of it.
 */
const readAt = (request: Request, address: string): Request =>
  address === request.url ? request : Object.defineProperty(request, 'url', { value: address });

/** To an address of this site, told without its host, which behind a proxy is another than the reader's browser shows. */
const ledTo = (address: string): Response =>
  new Response(null, {
    status: 307,
    headers: { location: behindHost(address), 'cache-control': 'no-store' },
  });

/** All parts make tables of what an address names, and so do their router and the renderer of pages (decision 037). */
const hasManyNames = (address: string): boolean => hasMoreParts(address, '&', limits.addressNames);

const tooManyNames = (): AppError =>
  fail('invalid_request', {
    params: { reason: { zh: '地址中的参数过多', en: 'The address has too many parameters.' } },
  });

/** What people read, and what pages are made of. */
const COMPRESSED: ReadonlySet<keyof Parts> = new Set(['api', 'pages', 'description']);

/** Of the relay's answers the letters are counted before it is known how many bytes they take here: two at most. */
const AT_ONCE: Partial<Record<keyof Parts, number>> = {
  relay: 2 * limits.answerAtOnceChars,
  playground: 2 * limits.answerAtOnceChars,
};

function firstStep(path: string): string {
  const end = path.indexOf('/', 1);
  return end < 0 ? path.slice(1) : path.slice(1, end);
}

/** A fault that no part caught is masked here, so that nothing internal ever reaches a caller. */
async function answered(
  part: Part,
  request: Request,
  context: RequestContext,
  log: Logger,
): Promise<Response> {
  try {
    return await part.fetch(request);
  } catch (error) {
    log.error('request.failed', { request_id: context.requestId, error });
    return refusal(fail('INTERNAL'), context);
  }
}

function refuseWork(part: keyof Parts, context: RequestContext): Response {
  const refused = fail('STOPPING');
  const text = refused.text(context.locale);
  const headers = {
    connection: 'close',
    'retry-after': String(RETRY_SEC),
    'x-request-id': context.requestId,
    'cache-control': 'no-store',
  };
  if (part !== 'pages') {
    return Response.json({ success: false, message: text, code: refused.code }, { status: 503, headers });
  }
  return new Response(text, {
    status: 503,
    headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' },
  });
}
