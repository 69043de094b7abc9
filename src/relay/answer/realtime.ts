/**
 * A Realtime session: events pass both ways as they are, and its meter hears them. An answer that cannot be held for is
 * refused; when no more can be held for what comes unasked, it ends. It is settled once, when it closes.
 */

import { AppError, fail } from '../../core/errors.ts';
import { InnerJson } from '../../core/inner-json.ts';
import { readTexts } from '../../core/inner-texts.ts';
import { type JsonObject, parseObject } from '../../core/json.ts';
import { limits } from '../../core/limits.ts';
import { asIs } from '../../core/text.ts';
import { allTokens } from '../../core/usage.ts';
import type { WordMatcher, WordScanner } from '../../core/word-matcher.ts';
import { ruled } from '../../dialects/body-rules.ts';
import type { PublicError, UpstreamErrorBody } from '../../dialects/dialect.ts';
import { EVENT_BOUNDS, type JsonFault } from '../../dialects/json-guard.ts';
import { EVENT, jsonRefusal } from '../../dialects/json-refusal.ts';
import {
  openaiRealtime,
  realtimeCancel,
  realtimeError,
  realtimeSaid,
  withErrorsTold,
} from '../../dialects/plain/openai-realtime.ts';
import { withSessionModel, withWordsShown, wordsOfEvent } from '../../dialects/plain/realtime-sent.ts';
import { filteredText } from '../../dialects/word-filter.ts';
import { answerFilter, promptWords } from '../../options/words.ts';
import type { HeldBytes } from '../../platform/body-budget.ts';
import { turnSubject } from '../../platform/limiter.ts';
import { overloaded } from '../../platform/overloaded.ts';
import type { ServerSocket, SocketPeer } from '../../platform/sockets.ts';
import type { Call, StreamEnd } from '../charge/call.ts';
import { settleAnswer, settleFailure } from '../charge/record.ts';
import type { RelayDeps } from '../deps.ts';
import { answerRoom } from '../shares.ts';
import type { SocketAnswer } from './answers.ts';
import { publicError, toRelayError } from './error-reply.ts';
import { isBeyondOwn } from './room-meter.ts';
import type { EndedBy, SessionOwner } from './session-hold.ts';
import { type LineOwner, SessionLine } from './session-line.ts';
import { type Refused, SessionMeter, type Told } from './session-meter.ts';
import type { OpenSocket } from './socket-limit.ts';
import { withOneTranscriber } from './transcriber.ts';
import { endUnsettled } from './unsettled.ts';

/** Ways to close of RFC 6455. */
const NORMAL = 1000;
const GOING_AWAY = 1001;
const NONE_GIVEN = 1005;
const UNSUPPORTED = 1003;
const NOT_AS_IT_SAYS = 1007;
const POLICY = 1008;
const TOO_LARGE = 1009;
const FAULT = 1011;
const ENDS_WELL = new Set([NORMAL, GOING_AWAY, NONE_GIVEN]);
/** Said by who has got what he does not take: of the wrong kind, no proper text, against his rules, too large. */
const FOR_WHAT_WAS_SENT = new Set([UNSUPPORTED, NOT_AS_IT_SAYS, POLICY, TOO_LARGE]);

/** How a session ends whose upstream closes by this code: what it began is for nothing only where it broke off by itself. */
function endBy(code: number): StreamEnd {
  if (ENDS_WELL.has(code)) return 'done';
  return FOR_WHAT_WAS_SENT.has(code) ? 'client_gone' : 'upstream_cut';
}

/** Hands the call over to a session; throws when the caller has gone or too many are open. */
export function replySocket(call: Call, answer: SocketAnswer, deps: RelayDeps): Response {
  call.request.ahead?.release();
  const session = new Session(call, answer, deps);
  const leave = deps.sockets.enter({ userId: call.caller.userId, ip: call.request.ip }, session);
  if (!leave) {
    answer.socket.close();
    throw overloaded('sessions fill their places');
  }
  if (call.request.upgrade?.(session)) {
    deps.stopping.track(session.run().finally(leave));
    return new Response(null);
  }
  leave();
  answer.socket.close();
  throw fail('client_gone');
}

/** Tells a caller whose upgrade was accepted why there is no session: browsers cannot read anything else. */
export const refusingPeer = (error: AppError, requestId: string): SocketPeer => ({
  opened(socket) {
    socket.send(realtimeError(publicError(error, requestId), requestId));
    socket.close(error.relayStatus >= 500 ? FAULT : POLICY, error.code);
  },
  message: () => undefined,
  closed: () => undefined,
});

const notText = (): AppError =>
  fail('invalid_request', {
    params: {
      reason: {
        zh: '会话只接受以文本帧发送的 JSON 对象',
        en: 'A session takes events: JSON objects in frames of text.',
      },
    },
  });

const eventIn = (text: string): JsonObject => parseObject(text) ?? {};

function hasWord(event: JsonObject, words: WordMatcher): boolean {
  for (const text of readTexts(wordsOfEvent(event), new InnerJson(EVENT_BOUNDS))) {
    if (words.find(text) !== null) return true;
  }
  return false;
}

class Session implements SocketPeer, SessionOwner, OpenSocket, LineOwner {
  readonly #call: Call;
  readonly #answer: SocketAnswer;
  readonly #deps: RelayDeps;
  readonly #ended = Promise.withResolvers<{ end: StreamEnd; error: AppError | null; by: EndedBy }>();
  #client: ServerSocket | null = null;
  #isOver = false;
  /** Set while it is read on after its end. */
  #reading: PromiseWithResolvers<EndedBy> | null = null;
  /** How the caller's side closes, where its error does not say it. */
  #closeCode: number | undefined;
  readonly #meter: SessionMeter;
  /** What the caller has sent and has not been passed yet. */
  #line: SessionLine | null = null;
  /** Room for what is kept of the conversation, and what one side has said and the other has not taken; how much it is. */
  readonly #room: HeldBytes;
  #roomBytes = 0;
  #lookTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  /** Of what is said in the answer under way, where answers are looked through for words. */
  #scanner: WordScanner | null = null;

  constructor(call: Call, answer: SocketAnswer, deps: RelayDeps) {
    this.#call = call;
    this.#answer = answer;
    this.#deps = deps;
    this.#room = answerRoom(call.request, deps).hold();
    this.#meter = new SessionMeter(
      call,
      { ...answer.thinker, channel: answer.candidate.channel },
      deps,
      this,
    );
  }

  // ---- The caller's side -----------------------------------------------------------------------------------------

  opened(socket: ServerSocket): void {
    this.#client = socket;
    const { request, caller } = this.#call;
    const whose = { userId: caller.userId, network: turnSubject(request.ip) };
    this.#line = new SessionLine(socket, this, whose, this.#deps.sessionTurns);
    this.#answer.socket.listen({
      message: (data) => this.#fromUpstream(data),
      closed: (code) => {
        const end = endBy(code);
        const error = ENDS_WELL.has(code) ? null : fail('upstream_cut');
        this.end(end, end === 'client_gone' ? 'caller' : 'upstream', error);
      },
    });
  }

  message(data: string | Buffer): void {
    this.#guarded(() => {
      if (typeof data !== 'string') {
        this.#closeCode = UNSUPPORTED;
        return this.end('done', 'caller', notText());
      }
      if (this.#lineBytes > limits.sessionWaitingBytes) {
        return this.end('client_gone', 'caller', overloaded('a session sends faster than it is read'));
      }
      this.#line?.push(data);
    });
  }

  get #lineBytes(): number {
    return this.#line?.bytes ?? 0;
  }

  stillWaits(): void {
    this.#guarded(() => this.#countRoom());
  }

  pass(data: string, fault: JsonFault | null): Promise<void> | undefined {
    return this.#guarded(() => this.#pass(data, fault));
  }

  /** Passes an event up, once what it may cost is held. Those after it wait for that. */
  #pass(data: string, fault: JsonFault | null): Promise<void> | undefined {
    const told = this.#read(data, fault);
    if (!told) return;
    if (this.#refuses(told.event)) return;
    const text = JSON.stringify(told.event);
    const heard = this.#meter.hear(told);
    if (!(heard instanceof Promise)) return this.#sendUp(text, heard);
    return heard.then(
      (refused) => this.#guarded(() => this.#sendUp(text, refused)),
      (error: unknown) => this.fault(error, 'client_gone'),
    );
  }

  #sendUp(text: string, refused: Refused): undefined {
    if (refused) this.#refuse(refused);
    else if (this.#answer.socket.send(text)) this.#countRoom();
    else this.end('client_gone', 'caller', overloaded('the upstream of a session takes no more'));
  }

  /** The event as it goes up, which is what was read of it; null for one that goes no further, and its caller is told. */
  #read(text: string, fault: JsonFault | null): Told | null {
    if (fault) return this.#refuse(jsonRefusal(fault, EVENT));
    const event = parseObject(text);
    if (!event) return this.#refuse(jsonRefusal('json', EVENT));
    const { body, kept } = ruled(event, openaiRealtime.rules);
    const { candidate, model } = this.#answer;
    if (kept !== undefined && !candidate.channel.setting.sharedContext) {
      return this.#refuse(fail('shared_context_refused', { field: kept, params: { field: asIs(kept) } }));
    }
    try {
      const session = { call: this.#call, answer: this.#answer, meter: this.#meter };
      return this.#meter.read(withOneTranscriber(withSessionModel(body, model), session, this.#deps));
    } catch (error) {
      if (error instanceof AppError) return this.#refuse(error);
      throw error;
    }
  }

  #refuse(error: AppError): null {
    this.#say(this.#errorEvent(error));
    return null;
  }

  closed(code: number): void {
    this.#client = null;
    this.end(ENDS_WELL.has(code) ? 'done' : 'client_gone', 'caller');
  }

  /** An event with a word that the operator does not want asked goes no further, and its caller is told. */
  #refuses(event: JsonObject): boolean {
    const words = promptWords(this.#deps.options);
    if (!words || !hasWord(event, words)) return false;
    this.#say(this.#errorEvent(this.#sensitive()));
    return true;
  }

  /** The word is the operator's own; of what was said nothing is written. */
  #sensitive(): AppError {
    this.#deps.log.warn('relay.sensitive', { request_id: this.#call.request.id });
    return fail('sensitive_words_detected');
  }

  #errorEvent(error: AppError): string {
    const { id } = this.#call.request;
    return realtimeError(publicError(error, id), id);
  }

  // ---- The upstream's side ---------------------------------------------------------------------------------------

  #fromUpstream(data: string | Uint8Array): void {
    this.#guarded(() => {
      // No event of this wire is binary, and nobody would count what one says.
      if (typeof data !== 'string') return;
      this.#meter.watch(data);
      const text = withErrorsTold(data, this.#told);
      const shown = this.#filtered(text);
      if (shown !== null) this.#say(shown);
      // A word that was heard is the caller's own.
      else this.end('done', realtimeSaid(text) === 'heard' ? 'caller' : 'gateway', this.#sensitive());
    }, 'upstream_cut');
  }

  #say(text: string): void {
    this.#client?.send(text);
    this.#countRoom();
  }

  drained(): void {
    this.#guarded(() => this.#countRoom());
  }

  /**
   * What waits in a socket, and what is kept of the conversation, takes memory as any answer that is not read; where that
   * has no room, the session ends.
   */
  #countRoom(): void {
    const forUpstream = this.#answer.socket.waitingBytes + this.#lineBytes;
    // Nobody tells when either is gone.
    const goesUntold = forUpstream > 0 || this.#meter.keepsForNow;
    if (goesUntold && !this.#isOver) this.#lookTimer ??= setTimeout(this.#look, limits.socketLookMs);
    const bytes = forUpstream + (this.#client?.getBufferedAmount() ?? 0) + this.#meter.keptBytes;
    const more = bytes - this.#roomBytes;
    // Looked at before, where it is not counted yet.
    const isOwn = more > 0 && isBeyondOwn(this.#call.request, more, this.#deps);
    try {
      if (more > 0) this.#room.grow(more);
      else if (more < 0) this.#room.keep(bytes);
      this.#roomBytes = bytes;
    } catch (error) {
      this.end('done', isOwn ? 'caller' : 'others', toRelayError(error));
    }
  }

  readonly #look = (): void => {
    this.#lookTimer = undefined;
    this.#guarded(() => this.#countRoom());
  };

  /**
   * What the caller may hear; null where the session must end: the sound of a word is out before the word is read, so
   * that there is nothing to take back.
   */
  #filtered(text: string): string | null {
    const { options } = this.#deps;
    const asked = promptWords(options);
    const answered = answerFilter(options);
    const said = asked || answered ? realtimeSaid(text) : null;
    if (said === 'heard') return asked && hasWord(eventIn(text), asked) ? null : text;
    if (said !== 'answer' || !answered) return text;
    if (!this.#meter.isAnswering) this.#scanner = null;
    const event = eventIn(text);
    // A word may come in two pieces.
    const isSplit = typeof event.delta === 'string' && this.#scan(event.delta, answered.words);
    if (!isSplit && !hasWord(event, answered.words)) return text;
    return answered.stops ? null : withWordsShown(event, (inner) => filteredText(inner, answered));
  }

  /** True when what was said so far in this answer ends with a word. */
  #scan(delta: string, words: WordMatcher): boolean {
    if (!this.#meter.isAnswering) return false;
    this.#scanner ??= words.scanner();
    return this.#scanner.push(delta).length > 0;
  }

  /** An error of the upstream's as the caller may hear of it; null for one that may pass. */
  readonly #told = (error: UpstreamErrorBody): PublicError | null => {
    const told = this.#answer.told(error);
    const said = publicError(told.error, this.#call.request.id);
    if (told.error.code === 'upstream_auth') return said;
    return told.message === error.message ? null : { ...said, ...error, message: told.message };
  };

  /**
   * Nobody stands above the events of a socket: what is thrown there would end the process, not this session. What a
   * caller's event brings about is his, and what the upstream has done until then is charged.
   */
  #guarded<T>(work: () => T, end: StreamEnd = 'client_gone'): T | undefined {
    if (this.#isOver) return undefined;
    try {
      return work();
    } catch (error) {
      this.fault(error, end);
      return undefined;
    }
  }

  fault(error: unknown, end: StreamEnd = 'upstream_cut'): void {
    this.#deps.log.error('relay.session', { request_id: this.#call.request.id, error });
    this.end(end, end === 'client_gone' ? 'caller' : 'gateway', toRelayError(error));
  }

  // ---- The end ---------------------------------------------------------------------------------------------------

  get quietMs(): number {
    return this.#meter.quietMs;
  }

  giveWay(): void {
    this.#reading?.resolve('others');
    if (this.#isOver) return;
    const error = overloaded('a session gave way to one of who has less');
    this.end('done', 'others', error);
    // Sockets are counted by their places, and this one's is another's already; what is read on he does not wait for.
    this.#sayGoodbye(error);
  }

  /** Ends it once its upstream has heard and said nothing for long. */
  #watchIdle(): void {
    const leftMs = this.#deps.sockets.idleMs - this.#meter.idleMs;
    if (leftMs <= 0) this.end('done', 'gateway', fail('session_idle'));
    else this.#idleTimer = setTimeout(() => this.#watchIdle(), leftMs);
  }

  end(end: StreamEnd, by: EndedBy, error: AppError | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#meter.close();
    this.#ended.resolve({ end, error: error ?? errorOf(end), by });
    // Last, for it touches a socket that may be gone: whatever comes of that, the session is settled.
    this.#line?.end();
  }

  /**
   * Reads on, for nobody, until the upstream has told what it took for what was asked: each answer is cancelled as soon as
   * it has begun. Whose doing it is that it cannot be told, where that is so.
   */
  async #readOn(by: EndedBy): Promise<EndedBy> {
    const { cut, stopping } = this.#deps;
    const { drain, socket } = this.#answer;
    const reading = Promise.withResolvers<EndedBy>();
    const isOwed = by !== 'upstream' && !stopping.signal.aborted && this.#meter.isOwedUsage;
    if (!isOwed || !drain.begin(() => reading.resolve(by))) return by;
    this.#reading = reading;
    const uncut = cut.onCut(() => reading.resolve('others'));
    const hear = (data?: string | Uint8Array): void => {
      try {
        if (typeof data === 'string') this.#meter.watch(data);
        for (const answer of this.#meter.takeUncancelled()) socket.send(realtimeCancel(answer));
        if (!this.#meter.isOwedUsage) reading.resolve(by);
      } catch (error) {
        this.fault(error);
        reading.resolve('others');
      }
    };
    socket.listen({
      message: hear,
      closed: (code) => reading.resolve(endBy(code) === 'client_gone' ? by : 'upstream'),
    });
    hear();
    // Of a wish that was refused nothing comes.
    const timer = setInterval(hear, limits.answerBeginsMs);
    const endedBy = await reading.promise;
    clearInterval(timer);
    uncut();
    drain.end();
    return endedBy;
  }

  /** Resolves when the session has closed and been settled. Call it once the caller's side is there. Never rejects. */
  async run(): Promise<void> {
    const timer = setTimeout(() => this.end('timeout', 'gateway'), limits.sessionMs);
    this.#watchIdle();
    const uncut = this.#deps.cut.onCut(() => this.end('timeout', 'others', fail('stopping')));
    const { end, error, by } = await this.#ended.promise;
    for (const each of [timer, this.#idleTimer, this.#lookTimer]) clearTimeout(each);
    uncut();
    // What was said is counted yet.
    this.#room.keep(this.#meter.keptBytes);
    try {
      const untoldBy = await this.#readOn(by);
      this.#answer.socket.close();
      await this.#settle(end, error, untoldBy);
      this.#sayGoodbye(error);
    } catch (fault) {
      this.#sayGoodbye(await endUnsettled(this.#call, fault, this.#deps, end));
    } finally {
      this.#room.release();
    }
  }

  async #settle(streamEnd: StreamEnd, error: AppError | null, by: EndedBy): Promise<void> {
    const { candidate, model } = this.#answer;
    const used = await this.#meter.total(streamEnd, by);
    const { usage, calls, transcribed } = used;
    const isUsed = calls > 0 || allTokens(usage) > 0 || transcribed?.calls;
    if (error && !isUsed) {
      return settleFailure(this.#call, error, this.#deps, streamEnd);
    }
    await settleAnswer(this.#call, { ...used, candidate, model, converted: null, streamEnd }, this.#deps);
  }

  #sayGoodbye(error: AppError | null): void {
    if (error) this.#client?.send(this.#errorEvent(error));
    const code = error === null ? NORMAL : error.relayStatus < 500 ? POLICY : FAULT;
    this.#client?.close(this.#closeCode ?? code, error?.code ?? '');
    this.#client = null;
  }
}

/** What the caller is told; null where nothing went wrong, or nobody is there. */
function errorOf(end: StreamEnd): AppError | null {
  switch (end) {
    case 'exhausted':
      return fail('insufficient_user_quota');
    case 'timeout':
      return fail('upstream_timeout');
    case 'upstream_cut':
      return fail('upstream_cut');
    default:
      return null;
  }
}
