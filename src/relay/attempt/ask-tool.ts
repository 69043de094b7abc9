/** Sends a message to a tool service, through the guarded dialer and within the relay's deadlines. */
import { type AppError, fail } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import type { ToolService } from '../../core/tool-services.ts';
import type { Line } from '../answer/reply-tool.ts';
import type { RelayDeps } from '../deps.ts';
import { elapsedMs, type RelayRequest } from '../request.ts';
import { Deadlines } from './deadlines.ts';
import { readWhole } from './send.ts';
import { meaningOf } from './statuses.ts';
import { failureOfError } from './transport-fault.ts';

/** Names the conversation with the service; its own, and nobody else's to read. */
export const SESSION = 'mcp-session-id';
const PROTOCOL = 'mcp-protocol-version';
/** Visible ASCII, as the protocol has it. */
const SESSION_FORM = /^[\x21-\x7e]{1,1024}$/;

/** The conversation that a caller names, if it is one. */
export function sessionOf({ headers }: Pick<RelayRequest, 'headers'>): string | null {
  const session = headers.get(SESSION);
  return session !== null && SESSION_FORM.test(session) ? session : null;
}

/** An answer of the service that has begun, and what may still end it. */
export interface ToolAnswer {
  response: Response;
  /** Set by the handshake. */
  session: string | null;
  line: ToolLine;
}

/** The connection to the service: it ends by itself at its deadline, at the end of a stop's grace, or when it is hung up. */
export class ToolLine implements Line {
  readonly #abort = new AbortController();
  readonly #deadlines: Deadlines;
  readonly #uncut: () => void;
  #isLate = false;
  #stream: { expire(): void } | null = null;

  constructor(request: RelayRequest, { cut, options }: Pick<RelayDeps, 'cut' | 'options'>) {
    const totalMs = Math.max(options.get('RelayTotalTimeout') * 1000 - elapsedMs(request), 0);
    this.#deadlines = new Deadlines(totalMs, Number.POSITIVE_INFINITY, () => {
      if (this.#stream) this.#stream.expire();
      else this.giveUp();
    });
    this.#uncut = cut.onCut(() => this.hangUp());
  }

  /** From now on a stream of events is told of the deadline: it knows who is late. */
  handTo(stream: { expire(): void }): void {
    this.#stream = stream;
  }

  /** The service is late. */
  giveUp(): void {
    this.#isLate = true;
    this.hangUp();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** From now on at most so long between two signs of life. */
  allowPauses(ms: number): void {
    this.#deadlines.allowPauses(ms);
  }

  touch(): void {
    this.#deadlines.touch();
  }

  hangUp(): void {
    this.#abort.abort();
  }

  /** Must be called when nothing more is read. */
  close(): void {
    this.#deadlines.stop();
    this.#uncut();
  }

  /** What an exception means that came while it was asked or read. Throws what is a mistake of ours. */
  faultOf(error: unknown, { stopping }: Pick<RelayDeps, 'stopping'>): AppError {
    if (stopping.signal.aborted) return fail('stopping', { retryAfterSec: 5 });
    return failureOfError(error, this.#isLate).error;
  }
}

/** The answer to the message as it goes up, if it is one. Throws what the service, or the way to it, refused. */
export async function askTool(
  request: RelayRequest,
  message: JsonObject,
  { url, key }: ToolService,
  deps: RelayDeps,
): Promise<ToolAnswer> {
  const line = new ToolLine(request, deps);
  try {
    const response = await send(request, message, { url, key }, line, deps);
    if (!response.ok) throw await refusalOf(response, request, deps);
    const session = response.headers.get(SESSION);
    return { response, session: session !== null && SESSION_FORM.test(session) ? session : null, line };
  } catch (error) {
    line.close();
    throw line.faultOf(error, deps);
  }
}

const send = (
  { headers }: RelayRequest,
  message: JsonObject,
  { url, key }: ToolService,
  { signal }: ToolLine,
  { dialer, options }: RelayDeps,
): Promise<Response> => {
  const session = sessionOf({ headers });
  const protocol = headers.get(PROTOCOL);
  return dialer.open(
    {
      method: 'POST',
      url,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...(session === null ? {} : { [SESSION]: session }),
        ...(protocol !== null && /^[\w.-]{1,40}$/.test(protocol) ? { [PROTOCOL]: protocol } : {}),
      },
      body: JSON.stringify(message),
    },
    {
      channel: { type: 0, baseUrl: url, privateAllowed: false, setting: { proxy: null } },
      connectMs: options.get('RelayConnectTimeout') * 1000,
      signal,
    },
  );
};

/** Nothing of the service's own words is handed on: it may speak of the operator's account. */
async function refusalOf(response: Response, { headers }: RelayRequest, deps: RelayDeps): Promise<AppError> {
  await readWhole(response, limits.upstreamErrorBytes, deps).catch(() => '');
  // The client must begin a new conversation, which it does when it is told just this.
  if (response.status === 404 && headers.has(SESSION)) return fail('tool_session_gone');
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
