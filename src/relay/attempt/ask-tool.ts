/** Sends a message to a tool service, through the guarded dialer and within the relay's deadlines. */
import { type AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { ToolService } from '../../core/tool-services.ts';
import { PROTOCOL, SESSION } from '../../dialects/plain/mcp.ts';
import type { Line } from '../answer/reply-tool.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs, type RelayRequest } from '../request.ts';
import { Lifeline } from './lifeline.ts';
import { gaveWay } from './outcome.ts';
import { readWhole } from './send.ts';
import { meaningOf } from './statuses.ts';
import { failureOfError } from './transport-fault.ts';

/** Visible ASCII, as the protocol has it. */
const SESSION_FORM = /^[\x21-\x7e]{1,1024}$/;
const PROTOCOL_FORM = /^[\w.-]{1,40}$/;

const read = (headers: Headers, name: string, form: RegExp): string | null => {
  const value = headers.get(name);
  return value !== null && form.test(value) ? value : null;
};

/** An answer of the service that has begun, and what may still end it. */
export interface ToolAnswer {
  response: Response;
  /** As the service names it; told by the handshake. */
  session: string | null;
  /** The revision of the protocol that it is in, where the service says that. */
  protocol: string | null;
  line: ToolLine;
}

/** The connection to the service. */
class ToolLine extends Lifeline implements Line {
  /** What an exception means that came while it was asked or read. Throws what is a mistake of ours. */
  faultOf(error: unknown, { stopping }: Pick<RelayDeps, 'stopping'>): AppError {
    if (stopping.signal.aborted) return fail('stopping', { retryAfterSec: 5 });
    if (this.gaveWay) return gaveWay().error;
    return failureOfError(error, this.isLate).error;
  }
}

/** What is said to a service, and in which conversation. */
export interface ToolPost {
  message: JsonObject;
  /** As the service names it. */
  session: string | null;
}

/** The answer to the message as it goes up, if it is one. Throws what the service, or the way to it, refused. */
export async function askTool(
  request: RelayRequest,
  { message, session }: ToolPost,
  service: ToolService,
  deps: RelayDeps,
): Promise<ToolAnswer> {
  const totalMs = Math.max(deps.options.get('RelayTotalTimeout') * 1000 - elapsedMs(request), 0);
  const line = new ToolLine({ totalMs }, deps, { request });
  try {
    const response = await send(service, { message, session, headers: request.headers }, line, deps);
    if (!response.ok) throw await refusalOf(response, session, deps);
    return {
      response,
      session: read(response.headers, SESSION, SESSION_FORM),
      protocol: read(response.headers, PROTOCOL, PROTOCOL_FORM),
      line,
    };
  } catch (error) {
    line.close();
    throw line.faultOf(error, deps);
  }
}

/** Tells a service that a session is over. Throws what the service, or the way to it, refused. */
export async function endSession(
  session: string,
  headers: Headers,
  service: ToolService,
  deps: RelayDeps,
): Promise<void> {
  const line = new ToolLine({ totalMs: limits.toolSessionEndMs }, deps);
  try {
    const response = await send(service, { message: null, session, headers }, line, deps);
    // So says a service whose sessions end by themselves.
    if (response.status === 405) throw fail('method_not_allowed');
    if (!response.ok) throw await refusalOf(response, session, deps);
    await readWhole(response, limits.upstreamErrorBytes, deps);
  } catch (error) {
    throw line.faultOf(error, deps);
  } finally {
    line.close();
  }
}

interface Sent {
  /** Null where the session is ended. */
  message: JsonObject | null;
  session: string | null;
  /** The caller's. */
  headers: Headers;
}

const send = (
  { url, key }: ToolService,
  { message, session, headers }: Sent,
  { signal }: ToolLine,
  { dialer, options }: RelayDeps,
): Promise<Response> => {
  const protocol = read(headers, PROTOCOL, PROTOCOL_FORM);
  return dialer.open(
    {
      method: message ? 'POST' : 'DELETE',
      url,
      headers: {
        ...(message ? { 'content-type': 'application/json' } : {}),
        accept: 'application/json, text/event-stream',
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(session === null ? {} : { [SESSION]: session }),
        ...(protocol === null ? {} : { [PROTOCOL]: protocol }),
      },
      ...(message ? { body: JSON.stringify(message) } : {}),
    },
    {
      channel: { type: 0, baseUrl: url, privateAllowed: false, setting: { proxy: null } },
      connectMs: options.get('RelayConnectTimeout') * 1000,
      signal,
    },
  );
};

/** Nothing of the service's own words is handed on: it may speak of the operator's account. */
async function refusalOf(response: Response, session: string | null, deps: RelayDeps): Promise<AppError> {
  await readWhole(response, limits.upstreamErrorBytes, deps).catch(() => '');
  // The client must begin a new conversation, which it does when it is told just this.
  if (response.status === 404 && session !== null) return fail('tool_session_gone');
  const { tells } = meaningOf(response.status);
  const retryAfter = Number(response.headers.get('retry-after'));
  return fail(tells, {
    params: {
      reason: {
        zh: `工具服务返回状态 ${response.status}`,
        en: `the tool service answered with status ${response.status}`,
      },
    },
    ...(retryAfter > 0 && tells === 'upstream_busy' && { retryAfterSec: retryAfter }),
  });
}
