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
import { Handover } from '../../platform/handover.ts';
import { type Writing, writeLarge } from '../../platform/large-answer.ts';
import { readBounded } from '../../platform/read-bounded.ts';
import type { Call } from '../charge/call.ts';
import { settleFailure, settleTool } from '../charge/record.ts';
import type { RelayDeps } from '../deps.ts';
import type { RelayRequest } from '../request.ts';
import { answerHeaders } from './answer-headers.ts';
import { Drain } from './drain.ts';
import { charged, publicError, toRelayError } from './error-reply.ts';
import { type NoRoom, RoomMeter } from './room-meter.ts';
import { endUnsettled } from './unsettled.ts';

/** The connection that the answer comes by. */
export interface Line {
  /** Aborts when it is hung up. */
  readonly signal: AbortSignal;
  /** A stream of events is told of the deadline: it knows who is late. */
  handTo(stream: { expire(): void }): void;
  /** Between two signs of life. */
  readonly deadlines: { allowPauses(ms: number): void; touch(): void; begun(): void };
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
  const room = new RoomMeter(ask.request, deps);
  try {
    const text = await readBounded(reply.response, Number.POSITIVE_INFINITY, room.grow);
    return await replyWhole(ask, text, { ...reply, room }, deps);
  } catch (error) {
    room.held.release();
    if (await chargesUnshown(ask, room.refusedBy(error)?.why, deps)) throw charged(toRelayError(error));
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

/**
 * Charges a call whose answer its caller has no room for, or that he did not take while others needed his place; true when
 * it did. One that is too large for anybody is no good answer, and what strangers leave no room for is not his to pay.
 */
async function chargesUnshown(
  { call }: ToolAsk,
  why: NoRoom['why'] | 'given-up' | undefined,
  deps: RelayDeps,
): Promise<boolean> {
  if (!call || call.isSettled || (why !== 'own-share' && why !== 'given-up')) return false;
  await settleTool(call, deps);
  return true;
}

/** One message, or nothing. A large one is written as its caller reads it. */
async function replyWhole(
  ask: ToolAsk,
  text: string,
  reply: ToolReply & { room: RoomMeter },
  deps: RelayDeps,
): Promise<Response> {
  const { call, id, sentId, request } = ask;
  const headers = headersOf(ask, reply, 'application/json');
  if (id === null) {
    ask.done();
    return new Response(null, { status: 202, headers });
  }
  const message = parseJson(text);
  const found = answerIn(message, sentId);
  if (found === null) throw upstreamError(NO_ANSWER);
  const writing =
    text.length <= limits.answerAtOnceChars
      ? null
      : writeLarge({
          ...{ left: request.left, cut: deps.cut, held: reply.room.held },
          standsStill: request.standsStill,
        });
  if (writing) request.heldUntil(writing.written);
  try {
    if (!call) ask.done();
    else if (found === 'failed') await settleFailure(call, upstreamError(FAILED), deps);
    else {
      const { paid } = await settleTool(call, deps);
      reply.room.fitted();
      if (request.wantsCost) headers['x-gateway-cost'] = String(paid);
    }
  } catch (error) {
    writing?.abandon();
    throw error;
  }
  const shown = withCallersId(text, sentId, id);
  if (!writing) return new Response(shown, { headers });
  void deps.stopping.track(writing.written);
  return writing.answerOf(shown, { headers });
}

function replyEvents(ask: ToolAsk, reply: ToolReply, deps: RelayDeps): Response {
  const stream = new ToolStream(ask, reply, deps);
  deps.stopping.track(stream.finished);
  return stream.answer(headersOf(ask, reply, 'text/event-stream'));
}

/** Its deadline is the line's, and so is the end of a stop's grace: the caller is still told of them. */
const NEVER_CUT = { onCut: () => () => undefined };

/** Events as they come, the answer among them behind its settlement; each when its caller has taken the one before. */
class ToolStream {
  /** Never rejects. */
  readonly finished: Promise<void>;
  readonly #ask: ToolAsk;
  readonly #reply: ToolReply;
  readonly #deps: RelayDeps;
  readonly #drain: Drain;
  readonly #room: RoomMeter;
  readonly #writing: Writing;
  readonly #out = new Handover<Uint8Array>();
  readonly #encoder = new TextEncoder();
  readonly #decoder = new TextDecoder();
  /** There is more than the caller takes. */
  #isWaiting = false;
  #hasLeft = false;
  /** Its place is another's: the service is not read on, which would take a socket. */
  #isGivenUp = false;
  #isAnswered = false;
  #isOver = false;
  /** Its settlement went wrong, and what it came to is not shown. */
  #isUnsettled = false;
  #bytes = 0;

  constructor(ask: ToolAsk, reply: ToolReply, deps: RelayDeps) {
    this.#ask = ask;
    this.#reply = reply;
    this.#deps = deps;
    const { request } = ask;
    // As an answer, whoever reads it, it is bounded in bytes.
    this.#drain = new Drain(deps.drains, request.userId, {
      ms: deps.options.get('DrainSeconds') * 1000,
    });
    this.#room = new RoomMeter(request, deps);
    this.#writing = writeLarge({
      left: request.left,
      cut: NEVER_CUT,
      held: this.#room.held,
      standsStill: (end, sinceMs) => {
        const giveWay = () => {
          this.#isGivenUp = true;
          end();
        };
        return request.standsStill?.(giveWay, sinceMs) ?? (() => undefined);
      },
      // The line's deadline is the shorter one.
      wholeMs: Math.max(deps.options.get('RelayTotalTimeout') * 1000, limits.writeWholeMs),
      mayBeShort: true,
    });
    // Also of a caller who does not read, or whose room another one needs.
    void this.#writing.written.then(this.#leave);
    reply.line.signal.addEventListener('abort', () => this.#out.release());
    reply.line.handTo(this);
    reply.line.deadlines.allowPauses(deps.options.get('RelayIdleTimeout') * 1000);
    this.finished = this.#run();
    request.heldUntil(Promise.all([this.finished, this.#writing.written]).then(() => undefined));
  }

  answer(headers: Record<string, string>): Response {
    return this.#writing.answerOf(this.#out.pieces(), { headers });
  }

  /** A deadline has passed: the service is late or, while there is more than he takes, the caller is. */
  expire(): void {
    if (this.#isWaiting) this.#leave();
    else this.#reply.line.hangUp();
  }

  async #run(): Promise<void> {
    const { call, done } = this.#ask;
    try {
      await this.#read();
      if (!this.#isAnswered && this.#ask.id !== null) throw upstreamError(NO_ANSWER);
    } catch (thrown) {
      await this.#fail(thrown);
    } finally {
      this.#isOver = true;
      this.#drain.end();
      this.#reply.line.close();
      // Nothing is kept for a caller who does not read.
      if (this.#hasLeft) this.#writing.abandon();
      else this.#out.close();
      if (!call) done();
    }
  }

  async #read(): Promise<void> {
    const { response, line } = this.#reply;
    const splitter = splitterFor('text/event-stream');
    for await (const part of response.body ?? []) {
      line.deadlines.touch();
      this.#bytes += part.byteLength;
      if (this.#bytes > limits.upstreamPlainBytes) throw upstreamError(NO_ANSWER);
      for (const frame of splitter.push(part)) await this.#pass(frame);
      // Nothing is owed any more to a caller who has left.
      if (this.#hasLeft && (this.#isAnswered || !this.#ask.call)) return line.hangUp();
    }
    for (const frame of splitter.end()) await this.#pass(frame);
  }

  async #pass(frame: Uint8Array): Promise<void> {
    const message = parseJson(parseFrame(frame)?.data ?? '');
    if (!isAnswer(message)) return this.#give(frame);
    const { id, sentId } = this.#ask;
    const found = id === null || this.#isAnswered ? null : answerIn(message, sentId);
    // What answers another request is another caller's, or was settled before.
    if (id === null || found === null) return;
    // What is not shown is not settled as if it were.
    if (!this.#hasLeft) this.#room.grow(frame.byteLength);
    this.#isAnswered = true;
    this.#reply.line.deadlines.begun();
    const cost = await this.#settle(found);
    const shown = cost + withCallersId(this.#decoder.decode(frame), sentId, id);
    await this.#give(this.#encoder.encode(shown), 0);
  }

  /** What the caller is told of what it cost, as a comment. */
  async #settle(found: 'good' | 'failed'): Promise<string> {
    const { call, request } = this.#ask;
    if (!call) return '';
    // Until it is known, for all who end the call.
    this.#isUnsettled = true;
    const paid = found === 'good' ? (await settleTool(call, this.#deps)).paid : null;
    if (paid === null) await settleFailure(call, upstreamError(FAILED), this.#deps);
    this.#isUnsettled = false;
    return paid !== null && request.wantsCost ? `: cost=${paid}\n\n` : '';
  }

  /**
   * Resolves when the caller has taken it, or has left. Throws when nothing is read any more, or he has no room for `more`,
   * what it takes beside what was counted.
   */
  async #give(bytes: Uint8Array, more = bytes.byteLength): Promise<void> {
    if (this.#hasLeft) return;
    this.#room.grow(more);
    this.#isWaiting = true;
    await this.#out.give(bytes);
    this.#isWaiting = false;
    this.#room.taken();
    this.#reply.line.signal.throwIfAborted();
  }

  readonly #leave = (): void => {
    if (this.#hasLeft || this.#isOver) return;
    this.#hasLeft = true;
    const { line } = this.#reply;
    const isOwed = this.#ask.call !== null && !this.#isAnswered;
    const readsOn = isOwed && !this.#isGivenUp;
    if (readsOn && this.#drain.begin(() => line.hangUp())) line.deadlines.allowPauses(this.#drain.leftMs);
    else line.hangUp();
    this.#out.release();
  };

  async #fail(thrown: unknown): Promise<void> {
    const { call, id, request } = this.#ask;
    let error = this.#hasLeft ? fail('client_gone') : this.#errorOf(thrown);
    try {
      if (this.#isUnsettled) throw thrown;
      const why = this.#isGivenUp ? 'given-up' : this.#room.refusedBy(thrown)?.why;
      if (await chargesUnshown(this.#ask, why, this.#deps)) error = charged(error);
      else if (call && !call.isSettled) {
        await settleFailure(call, error, this.#deps, this.#hasLeft ? 'client_gone' : 'upstream_cut');
      }
    } catch (fault) {
      // Whatever went wrong, the call's place is given back.
      if (call) error = await endUnsettled(call, fault, this.#deps, 'upstream_cut');
    }
    if (id !== null && (!this.#isAnswered || this.#isUnsettled) && !this.#hasLeft) {
      this.#out.add(this.#encoder.encode(errorEvent(id, publicError(error, request.id))));
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
