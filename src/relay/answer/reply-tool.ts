/**
 * Gives a tool service's answer to the caller. That of a call is settled before it is shown; what is no good answer costs
 * nothing, and neither does what the caller did not wait for and that does not come while it is read on.
 */

import { type AppError, fail } from '../../core/errors.ts';
import { parseJson } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { parseFrame } from '../../dialects/frames.ts';
import { splitterFor } from '../../dialects/framing.ts';
import {
  answerIn,
  errorEvent,
  isAnswer,
  PROTOCOL,
  type RpcId,
  SESSION,
  withCallersId,
} from '../../dialects/plain/mcp.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { Call } from '../charge/call.ts';
import { settleFailure, settleTool } from '../charge/record.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { answerHeaders } from './answer-headers.ts';
import { Drain } from './drain.ts';
import { publicError, toRelayError } from './error-reply.ts';

/** The connection that the answer comes by. */
export interface Line {
  /** Aborts when it is hung up. */
  readonly signal: AbortSignal;
  /** A stream of events is told of the deadline: it knows who is late. */
  handTo(stream: { expire(): void }): void;
  allowPauses(ms: number): void;
  touch(): void;
  giveUp(): void;
  hangUp(): void;
  close(): void;
  faultOf(error: unknown, deps: Pick<RelayDeps, 'stopping'>): AppError;
}

/** What was asked, and what is paid for it. */
export interface ToolAsk {
  request: RelayRequest;
  /** Null of a message to which nothing is answered. */
  id: RpcId | null;
  /** The id that went up in its place. */
  sentId: string;
  /** The call that is charged; null for what is free. */
  call: Call | null;
  /** What the caller is told of the limits that apply to him. */
  headers: Readonly<Record<string, string>>;
  /** The end of what is free. */
  done(): void;
}

export interface ToolReply {
  response: Response;
  /** As its caller knows it; told by the handshake. */
  session: string | null;
  /** The revision of the protocol, where the service says that. */
  protocol: string | null;
  line: Line;
}

const FAILED = { zh: '工具返回了错误', en: 'the tool answered with an error' };
const NO_ANSWER = { zh: '工具服务没有返回结果', en: 'the tool service gave no answer' };
const upstreamError = (reason: typeof FAILED) => fail('upstream_error', { params: { reason } });

const isEventStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

export async function replyTool(ask: ToolAsk, reply: ToolReply, deps: RelayDeps): Promise<Response> {
  if (isEventStream(reply.response)) return replyEvents(ask, reply, deps);
  try {
    const text = await readBounded(reply.response, limits.upstreamPlainBytes);
    return await replyWhole(ask, text, reply, deps);
  } catch (error) {
    throw reply.line.faultOf(error, deps);
  } finally {
    reply.line.close();
  }
}

const headersOf = (
  { request: { id, dialect }, headers }: ToolAsk,
  { session, protocol }: ToolReply,
  contentType: string,
): Record<string, string> => ({
  ...answerHeaders(id, dialect, contentType),
  ...headers,
  ...(session === null ? {} : { [SESSION]: session }),
  ...(protocol === null ? {} : { [PROTOCOL]: protocol }),
});

/** One message, or nothing. */
async function replyWhole(ask: ToolAsk, text: string, reply: ToolReply, deps: RelayDeps): Promise<Response> {
  const { call, id, sentId, request } = ask;
  const headers = headersOf(ask, reply, 'application/json');
  if (id === null) {
    ask.done();
    return new Response(null, { status: 202, headers });
  }
  const message = parseJson(text);
  const found = answerIn(message, sentId);
  if (found === null) throw upstreamError(NO_ANSWER);
  if (!call) ask.done();
  else if (found === 'failed') await settleFailure(call, upstreamError(FAILED), deps);
  else {
    const { paid } = await settleTool(call, deps);
    if (request.wantsCost) headers['x-gateway-cost'] = String(paid);
  }
  return new Response(withCallersId(text, sentId, id), { headers });
}

function replyEvents(ask: ToolAsk, reply: ToolReply, deps: RelayDeps): Response {
  const stream = new ToolStream(ask, reply, deps);
  deps.stopping.track(stream.finished);
  return new Response(stream.body, { headers: headersOf(ask, reply, 'text/event-stream') });
}

/** Events as they come, the answer among them behind its settlement. */
class ToolStream {
  readonly body: ReadableStream<Uint8Array>;
  /** Never rejects. */
  readonly finished: Promise<void>;
  readonly #ask: ToolAsk;
  readonly #reply: ToolReply;
  readonly #deps: RelayDeps;
  readonly #drain: Drain;
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  #out: ReadableStreamDefaultController<Uint8Array> | null = null;
  /** Lets the reading go on, when the caller has taken what there was or has left, or nothing is read any more. */
  #wake: () => void = () => undefined;
  /** There is more than the caller takes. */
  #isWaiting = false;
  #drainTimer: ReturnType<typeof setTimeout> | undefined;
  #hasLeft = false;
  #isAnswered = false;
  #bytes = 0;

  constructor(ask: ToolAsk, reply: ToolReply, deps: RelayDeps) {
    this.#ask = ask;
    this.#reply = reply;
    this.#deps = deps;
    // As an answer, whoever reads it, it is bounded in bytes.
    this.#drain = new Drain(deps.drains, ask.request.userId, {
      ms: deps.options.get('DrainSeconds') * 1000,
    });
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (out) => {
          this.#out = out;
        },
        pull: () => this.#wake(),
        cancel: () => this.#leave(),
      },
      { highWaterMark: 1 },
    );
    ask.request.left.addEventListener('abort', this.#leave);
    reply.line.signal.addEventListener('abort', () => this.#wake());
    reply.line.handTo(this);
    reply.line.allowPauses(deps.options.get('RelayIdleTimeout') * 1000);
    this.finished = this.#run();
  }

  /** A deadline has passed: the service is late or, while there is more than he takes, the caller is. */
  expire(): void {
    if (this.#isWaiting) this.#leave();
    else this.#reply.line.giveUp();
  }

  async #run(): Promise<void> {
    const { request, call, done } = this.#ask;
    try {
      await this.#read();
      if (!this.#isAnswered && this.#ask.id !== null) throw upstreamError(NO_ANSWER);
    } catch (thrown) {
      await this.#fail(thrown);
    } finally {
      request.left.removeEventListener('abort', this.#leave);
      clearTimeout(this.#drainTimer);
      this.#drain.end();
      this.#reply.line.close();
      // Nothing is kept for a caller who does not read.
      if (this.#hasLeft) this.#out?.error(new Error('the caller has left'));
      else this.#out?.close();
      if (!call) done();
    }
  }

  async #read(): Promise<void> {
    const { response, line } = this.#reply;
    const splitter = splitterFor('text/event-stream');
    for await (const part of response.body ?? []) {
      line.touch();
      this.#bytes += part.byteLength;
      if (this.#bytes > limits.upstreamPlainBytes) throw upstreamError(NO_ANSWER);
      for (const frame of splitter.push(part)) await this.#pass(frame);
      // Nothing is owed any more to a caller who has left.
      if (this.#hasLeft && (this.#isAnswered || !this.#ask.call)) return line.hangUp();
      await this.#room();
    }
    for (const frame of splitter.end()) await this.#pass(frame);
  }

  async #pass(frame: Uint8Array): Promise<void> {
    const message = parseJson(parseFrame(frame)?.data ?? '');
    if (!isAnswer(message)) return this.#write(frame);
    const { id, sentId } = this.#ask;
    const found = id === null || this.#isAnswered ? null : answerIn(message, sentId);
    // What answers another request is another caller's, or was settled before.
    if (id === null || found === null) return;
    this.#isAnswered = true;
    await this.#settle(found);
    this.#write(this.#encoder.encode(withCallersId(this.#decoder.decode(frame), sentId, id)));
  }

  async #settle(found: 'good' | 'failed'): Promise<void> {
    const { call, request } = this.#ask;
    if (!call) return;
    if (found === 'failed') return settleFailure(call, upstreamError(FAILED), this.#deps);
    const { paid } = await settleTool(call, this.#deps);
    if (request.wantsCost) this.#write(this.#encoder.encode(`: cost=${paid}\n\n`));
  }

  #write(bytes: Uint8Array): void {
    if (!this.#hasLeft) this.#out?.enqueue(bytes);
  }

  /** Resolves when the caller takes more, or has left. Throws when nothing is read any more. */
  async #room(): Promise<void> {
    const { signal } = this.#reply.line;
    this.#isWaiting = true;
    while (!signal.aborted && !this.#hasLeft && (this.#out?.desiredSize ?? 1) <= 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isWaiting = false;
    signal.throwIfAborted();
  }

  readonly #leave = (): void => {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    const { line } = this.#reply;
    const mayReadOn = this.#ask.call !== null && !this.#isAnswered && this.#drain.begin();
    if (mayReadOn) {
      line.allowPauses(this.#drain.leftMs);
      this.#drainTimer = setTimeout(() => line.hangUp(), this.#drain.leftMs);
    } else line.hangUp();
    this.#wake();
  };

  async #fail(thrown: unknown): Promise<void> {
    const { call, id, request } = this.#ask;
    const error = this.#hasLeft ? fail('client_gone') : this.#errorOf(thrown);
    try {
      if (call && !call.isSettled) {
        await settleFailure(call, error, this.#deps, this.#hasLeft ? 'client_gone' : 'upstream_cut');
      }
    } catch (fault) {
      this.#deps.log.error('relay.unsettled', { request_id: request.id, error: fault });
    }
    if (id !== null && !this.#isAnswered) {
      this.#write(this.#encoder.encode(errorEvent(id, publicError(error, request.id))));
    }
  }

  #errorOf(thrown: unknown): AppError {
    try {
      return this.#reply.line.faultOf(thrown, this.#deps);
    } catch (fault) {
      this.#deps.log.error('relay.failed', { request_id: this.#ask.request.id, error: fault });
      return toRelayError(fault);
    }
  }
}
